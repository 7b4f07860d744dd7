"""Rows in partitions on other machines: the pass over one of them, done where its rows are."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, TypeVar

from edgewise._parallel import one_blas_thread
from edgewise._text import listed, one_line
from edgewise._version import __version__
from edgewise.errors import DataError, DataTypeError, EdgewiseError, NonFiniteError
from edgewise.tables.open import open_columns
from edgewise.tables.table import Partition, Table

T = TypeVar("T")


class PartitionedTable(Table):
    """A table whose rows are in partitions on other machines.

    Parameters
    ----------
    feature_names : sequence of str
        The columns.
    named : bool
        Whether the names came with the data.
    along : sequence of str
        The last columns, if they hold labels that are read along.
    """

    rescannable = True
    local = False

    def __init__(
        self, feature_names: Sequence[str], *, named: bool, along: Sequence[str] = ()
    ) -> None:
        self.feature_names = tuple(feature_names)
        self.named, self.along = named, tuple(along)

    def reduce(self, one_pass: Callable[[Partition], T], merge: Callable[[T, T], T]) -> T:
        """Run the pass on every partition and merge the results, in order, in a fixed tree."""
        names = self.feature_names if self.named else None
        return self._reduced(PartTask(one_pass, len(self.feature_names), names, self.along), merge)

    @abstractmethod
    def _reduced(self, task: PartTask[T], merge: Callable[[T, T], T]) -> T: ...


@dataclass(frozen=True, slots=True)
class PartTask(Generic[T]):
    """A pass over one partition; it is sent to each machine once, for all partitions there.

    `names` are the columns that every partition must have, if its columns have names; those
    `along` hold labels.
    """

    one_pass: Callable[[Partition], T]
    n_features: int
    names: tuple[str, ...] | None
    along: tuple[str, ...] = ()
    version: str = __version__

    def run(self, number: int, where: str, make: Callable[[], Any]) -> T:
        """Run the pass on the partition that `make` makes; every error names `where`."""
        if self.version != __version__:
            raise DataError(
                f"{where}: expected edgewise {self.version} on the workers, got {__version__}; "
                "install the same version everywhere."
            )
        try:
            with one_blas_thread():
                table = self._opened(make(), where)
                return table.reduce(partial(self._on_part, number, where), _nothing_to_merge)
        except NonFiniteError as error:
            raise NonFiniteError(_named(where, error), error.counts) from error
        except EdgewiseError as error:
            raise type(error)(_named(where, error)) from error
        except Exception as error:
            # Usually an error of another library that makes the partition: say which partition.
            reason = f"{type(error).__name__}: {one_line(error)}"
            raise DataError(f"{where} cannot be read: {reason}.") from error

    def _on_part(self, number: int, where: str, part: Partition) -> T:
        return self.one_pass(replace(part, number=number, where=where))

    def _opened(self, rows: Any, where: str) -> Table:
        table = open_columns(rows, along=self.along)
        got = table.feature_names
        for name, what in table.left_out.items():
            if self.names is None or name in self.names:
                raise DataTypeError(
                    f"{where}: column {name!r} must hold numbers, got {what}; convert it, or leave "
                    "it out (exclude=...)."
                )
        if self.names is not None and tuple(got) != self.names:
            want, have = (listed([*map(repr, names)]) for names in (self.names, got))
            raise DataError(
                f"{where}: expected the columns {want}, got {have}; every partition must have the "
                "same columns in the same order."
            )
        if len(got) != self.n_features:
            raise DataError(
                f"{where}: expected {self.n_features} columns, got {len(got)}; every partition "
                "must have the same columns."
            )
        return table


def _nothing_to_merge(left: T, right: T) -> T:
    raise RuntimeError("a partition is one part")


def _named(where: str, error: EdgewiseError) -> str:
    message = str(error)
    return message if where in message else f"{where}: {message}"

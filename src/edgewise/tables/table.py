"""The protocol of all tables: rows of numeric columns that a pass can run over.

What is read in this process is one part. A table on a cluster has many: the pass is sent to each,
and only what it returns comes back and is merged.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt

from edgewise.tables.block import Rows

T = TypeVar("T")
#: How many values each column lacks in rows that were left out, and in how many of these rows it is
#: the only one to lack any.
Missing: TypeAlias = npt.NDArray[np.int64]

# Eight megabytes of float64: the reader's overhead is negligible, and three in memory are few.
_BATCH_ELEMENTS = 1 << 20
_MOST_BATCH_ROWS = 1 << 16
_FEWEST_BATCH_ROWS = 1 << 10


def batch_rows(n_features: int) -> int:
    """Rows per block, for tables that cut their own blocks."""
    rows = _BATCH_ELEMENTS // max(n_features, 1)
    return max(_FEWEST_BATCH_ROWS, min(_MOST_BATCH_ROWS, rows))


def known_total(counts: Sequence[int | None] | None) -> int | None:
    """The sum of counts; None if any of them is unknown."""
    known = [count for count in counts or () if count is not None]
    return sum(known) if counts is not None and len(known) == len(counts) else None


@dataclass(slots=True)
class SoFar:
    """What a pass over a part has seen so far."""

    n_dropped: int = 0  # rows with a value that is not finite, or that the view does not allow
    missing: Missing | None = None  # what the rows lack that were left out
    position: tuple[int, int] | None = None  # the last file, and the end of the last block in it


@dataclass(frozen=True, eq=False)
class Part:
    """A part of the rows of a table, which a pass is given.

    `number` is its place among the parts of the table; `where` its name in messages, empty if it is
    the whole table. `read` starts reading the rows: use `blocks`.
    """

    number: int
    where: str
    feature_names: tuple[str, ...]
    read: Callable[[], Iterator[Rows]]
    so_far: SoFar = field(default_factory=SoFar)

    def blocks(self) -> Iterator[Rows]:
        """A pass over the rows, as numeric n × p arrays or what `np.asarray` makes one."""
        self.so_far.n_dropped, self.so_far.missing = 0, None
        return self.read()

    @property
    def n_dropped(self) -> int:
        """Rows that the pass has left out so far; complete when the pass has ended."""
        return self.so_far.n_dropped

    def through(self, change: Callable[[Iterator[Rows]], Iterator[Rows]]) -> Part:
        """The same part with a change to its blocks."""
        return replace(self, read=lambda: change(self.read()))


@runtime_checkable
class Table(Protocol):
    """Rows of numeric columns, in one part or in many, here or elsewhere."""

    @property
    def feature_names(self) -> tuple[str, ...]: ...

    @property
    def named(self) -> bool:
        """Whether the names came with the data, so that columns can be matched by them."""
        ...

    @property
    def n_rows(self) -> int | None:
        """How many rows there are, if that is known before reading them."""
        ...

    @property
    def estimated_rows(self) -> int | None:
        """About how many rows there are, for a progress bar."""
        ...

    @property
    def rescannable(self) -> bool:
        """Whether the rows can be read more than once."""
        ...

    @property
    def in_memory(self) -> bool:
        """Whether another pass over the rows costs next to nothing."""
        ...

    def part_rows(self) -> Sequence[int | None] | None:
        """Rows of each part, None for unknown ones; None if the parts are unknown."""
        ...

    def reduce(self, one_pass: Callable[[Part], T], merge: Callable[[T, T], T]) -> T:
        """Run a pass over every part and merge the results, in order, in a fixed tree."""
        ...


class LocalTable(ABC):
    """A table that is read in this process: it has one part.

    A table of your own needs only the names of its columns and a method that yields blocks of rows.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> class Squares(LocalTable):
    ...     feature_names = ("n", "square")
    ...     named = rescannable = True
    ...
    ...     def blocks(self):
    ...         for start in range(0, 40, 10):
    ...             n = np.arange(start, start + 10.0)
    ...             yield np.column_stack([n, n * n])
    >>> ew.edge_test(Squares()).n_samples
    40
    """

    feature_names: tuple[str, ...]
    named: bool
    rescannable: bool
    in_memory: bool = False

    @property
    def n_rows(self) -> int | None:
        """How many rows there are, if that is known before reading them."""
        return None

    @property
    def estimated_rows(self) -> int | None:
        """About how many rows there are, for a progress bar."""
        return self.n_rows

    @abstractmethod
    def blocks(self) -> Iterator[Rows]:
        """A new pass over the rows, as numeric n × p arrays or what `np.asarray` makes one."""

    def entries(self) -> Sequence[int]:
        """The numbers of rows at which reading can begin without reading those before."""
        return (0,)

    def blocks_from(self, row: int) -> Iterator[Rows]:
        """The rows from this number on; those before are read too, unless it is an entry."""
        for block in self.blocks():
            skipped = min(row, block.shape[0])
            row -= skipped
            if skipped < block.shape[0]:
                yield block[skipped:]

    def part_rows(self) -> Sequence[int | None]:
        """The number of rows of the only part."""
        return [self.n_rows]

    def part(self) -> Part:
        """The whole table as its only part."""
        return Part(0, "", self.feature_names, self.blocks)

    def reduce(self, one_pass: Callable[[Part], T], merge: Callable[[T, T], T]) -> T:
        """Run the pass over the whole table; there is nothing to merge."""
        return one_pass(self.part())

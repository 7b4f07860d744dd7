"""Passes over rows, and how later passes read the rows of a table again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Protocol, TypeAlias

from edgewise._base.types import AnyArray
from edgewise.errors import DataError
from edgewise.rows.block import Rows
from edgewise.rows.table import Part, Table

#: The sums of a pass over some rows: arrays that are added, one by one, to those of more rows.
Sums: TypeAlias = tuple[AnyArray, ...]
#: A pass over rows; it can be sent to a cluster.
Pass: TypeAlias = Callable[[Iterator[Rows]], Sums]


class Summable(Protocol):
    """Rows that a pass can run over, wherever they are."""

    @property
    def in_memory(self) -> bool:
        """Whether another pass costs next to nothing."""
        ...

    def sums(self, one_pass: Pass, *, whole: bool = True) -> Sums:
        """What a pass over all rows adds up to; one that is not `whole` may stop early."""
        ...


@dataclass(frozen=True, eq=False, slots=True)
class SameRows:
    """The rows of a table, for passes after the first one.

    Attributes
    ----------
    table : Table
        The table.
    n_samples : int
        How many rows the first pass read: later passes must read the same number.
    """

    table: Table
    n_samples: int

    @property
    def in_memory(self) -> bool:
        """Whether another pass costs next to nothing."""
        return self.table.in_memory

    def sums(self, one_pass: Pass, *, whole: bool = True) -> Sums:
        """What a pass over all rows adds up to; one that is not `whole` may stop early."""
        n, sums = self.table.reduce(partial(_counted, one_pass=one_pass), _added)
        if whole:
            self.check(n)
        return sums

    def check(self, n: int) -> None:
        """Refuse a pass that read another number of rows than the first one."""
        if n != self.n_samples:
            raise DataError(
                f"data: the first pass read {self.n_samples} rows, a later one {n}; the data "
                "changed in between or can be read only once. Pass rows that stay the same (files, "
                "or what was persisted or cached), or use method='batch', which reads them once."
            )


def _counted(part: Part, one_pass: Pass) -> tuple[int, Sums]:
    n = 0

    def counted() -> Iterator[Rows]:
        nonlocal n
        for block in part.blocks():
            n += block.shape[0]
            yield block

    sums = one_pass(counted())
    return n, sums


def _added(a: tuple[int, Sums], b: tuple[int, Sums]) -> tuple[int, Sums]:
    return a[0] + b[0], tuple(left + right for left, right in zip(a[1], b[1], strict=True))


@dataclass(frozen=True, eq=False, slots=True)
class RowsAtHand:
    """Blocks of rows in memory that passes can run over."""

    blocks: Sequence[Rows]
    in_memory: ClassVar[bool] = True

    def sums(self, one_pass: Pass, *, whole: bool = True) -> Sums:
        """Run the pass over all blocks."""
        return one_pass(iter(self.blocks))

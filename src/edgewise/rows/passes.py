"""Passes over rows: what they are, and how they are run again over the rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Protocol, TypeAlias

from edgewise._base.types import AnyArray
from edgewise.errors import DataError
from edgewise.rows.block import Rows
from edgewise.rows.table import Part, Table

#: What a pass over some rows adds up to: arrays that add, piece by piece, to those of more rows.
Sums: TypeAlias = tuple[AnyArray, ...]
#: A pass over rows; it can be sent to where they are.
Pass: TypeAlias = Callable[[Iterator[Rows]], Sums]


class Summable(Protocol):
    """Rows that a pass can be run over, wherever they are."""

    @property
    def in_memory(self) -> bool:
        """Whether another pass costs next to nothing."""
        ...

    def sums(self, one_pass: Pass, *, whole: bool = True) -> Sums:
        """What a pass over all rows adds up to; one that is not `whole` may stop early."""
        ...


@dataclass(frozen=True, eq=False, slots=True)
class SameRows:
    """The rows of a table again, for passes after the first, which saw so many.

    Attributes
    ----------
    table : Table
        Where they are.
    n_samples : int
        How many rows the first pass read: later ones must read as many.
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
        if whole and n != self.n_samples:
            raise DataError(
                f"data: the first pass read {self.n_samples} rows, a later one {n}; the data "
                "changed in between or can be read only once. Pass rows that stay the same (files, "
                "or what was persisted or cached), or use method='batch', which reads them once."
            )
        return sums


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
    """Blocks of rows in memory, as something to run passes over."""

    blocks: Sequence[Rows]
    in_memory: ClassVar[bool] = True

    def sums(self, one_pass: Pass, *, whole: bool = True) -> Sums:
        """What the pass makes of all blocks."""
        return one_pass(iter(self.blocks))

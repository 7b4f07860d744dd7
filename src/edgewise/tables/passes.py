"""Passes over rows, how later passes read the rows of a table again, and how results are merged."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Protocol, TypeAlias, TypeVar

import numpy as np

from edgewise._base.types import AnyArray, FloatArray
from edgewise.errors import DataError
from edgewise.tables.block import Rows
from edgewise.tables.table import Part, Table

T = TypeVar("T")

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
    """The rows of a table, for passes after the first one, which read `n_samples` rows."""

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


def in_tree(items: Sequence[T], merge: Callable[[T, T], T]) -> T:
    """Merge neighbours in pairs until one is left: only their number decides the tree.

    Examples
    --------
    >>> in_tree(["a", "b", "c", "d", "e"], lambda left, right: f"({left}{right})")
    '(((ab)(cd))e)'
    """
    left = list(items)
    while len(left) > 1:
        pairs = [merge(*left[i : i + 2]) for i in range(0, len(left) - 1, 2)]
        left = pairs + left[2 * len(pairs) :]
    return left[0]


def all_rows(table: Table) -> FloatArray:
    """Every row, as one n × p array of its own."""
    return table.reduce(_collected, _joined)


def _collected(part: Part) -> FloatArray:
    # A copy, because a reader may use the memory of a block again.
    blocks = [np.array(block, dtype=np.float64) for block in part.blocks()]
    return np.concatenate([np.empty((0, len(part.feature_names))), *blocks])


def _joined(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.concatenate([a, b])


def rows_up_to(table: Table, most: int) -> int | None:
    """How many rows a table has if there are at most `most`; else None.

    It is None, too, if counting would cost more than reading `most` rows: for a stream that is
    read once, and for a table in many parts.
    """
    n = table.n_rows
    if n is None:
        parts = table.part_rows()
        if not table.rescannable or parts is None or len(parts) > 1:
            return None
        n = table.reduce(partial(_count, most=most), operator.add)
    return n if n <= most else None


def dropped_rows(table: Table) -> int:
    """How many rows a table leaves out because a value is not finite; one pass."""
    dropped: int = table.reduce(_count_dropped, operator.add)
    return dropped


def _count(part: Part, most: int) -> int:
    n = 0
    for block in part.blocks():
        n += block.shape[0]
        if n > most:
            break
    return n


def _count_dropped(part: Part) -> int:
    for _ in part.blocks():
        pass
    return part.n_dropped

"""Rows in memory, worked on by all cores at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from edgewise._base.cores import on_each
from edgewise.tables.arrays import ArrayTable
from edgewise.tables.passes import in_tree
from edgewise.tables.table import Part, Table

T = TypeVar("T")

# With fewer columns the calls take as long as the work; with more, the sums of every part take too
# much memory, and a BLAS divides large products well.
_FEWEST_COLUMNS, _MOST_COLUMNS = 50, 1000
# Numbers of a part (32 MB), and parts. The rows alone decide how they are cut: on any number of
# cores the sums are the same.
_PART_NUMBERS, _MOST_PARTS = 1 << 22, 16


def on_cores(table: Table) -> Table:
    """The table in parts for all cores, if it is large enough and in memory."""
    if isinstance(table, ArrayTable) and len(cut := _cuts(table)) > 1:
        return _OnCores(table, cut)
    return table


def _cuts(table: ArrayTable) -> list[tuple[int, int]]:
    n, p = table.n_rows, len(table.feature_names)
    if not _FEWEST_COLUMNS <= p <= _MOST_COLUMNS:
        return []
    # A power of two, so that two or four cores have the same to do.
    parts = 1 << (min(_MOST_PARTS, n * p // _PART_NUMBERS) or 1).bit_length() - 1
    return [(n * k // parts, n * (k + 1) // parts) for k in range(parts)]


class _OnCores:
    """A table in memory whose parts are read at the same time, each by a thread."""

    rescannable = in_memory = True

    def __init__(self, table: ArrayTable, cuts: Sequence[tuple[int, int]]) -> None:
        self._table, self._cuts = table, cuts
        self.feature_names, self.named = table.feature_names, table.named

    @property
    def n_rows(self) -> int:
        return self._table.n_rows

    @property
    def estimated_rows(self) -> int:
        return self._table.n_rows

    def part_rows(self) -> list[int | None]:
        return [stop - start for start, stop in self._cuts]

    def reduce(self, one_pass: Callable[[Part], T], merge: Callable[[T, T], T]) -> T:
        parts = [
            Part(number, "", self.feature_names, partial(self._table.blocks_between, *cut))
            for number, cut in enumerate(self._cuts)
        ]
        return in_tree(list(on_each(one_pass, parts)), merge)

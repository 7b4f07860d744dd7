"""Even samples of a table that can grow: its rows in short runs, in an order that is spread out.

Any first few of the runs are spread evenly over the table, so a reader can stop after any of them.
A run is of consecutive rows, because rows picked one by one from memory take ten times as long.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import groupby, pairwise
from math import gcd

import numpy as np

from edgewise._base.types import AnyArray, FloatArray, IndexArray
from edgewise.rows.block import Rows, row_blocks
from edgewise.rows.table import LocalTable, Part, Table
from edgewise.rows.views import View

_GOLDEN = (5**0.5 - 1) / 2
# A sample of the planned size has about this many runs, unless they would be too long or too short
# for rows to be read quickly.
_RUNS, _SHORTEST, _LONGEST = 100, 64, 4096

# A planned sample reaches so many runs deep into each section.
_DEPTHS = 8


def spread_order(count: int, first: int, last: int) -> IndexArray:
    """The numbers below `count` in an order whose beginning is always spread evenly; a part of it.

    Multiples of the golden ratio, modulo 1: gaps between the first k of them have at most three
    lengths (the three-gap theorem), and none is much longer than 1/k.
    """
    step = max(round(_GOLDEN * count), 1)
    while gcd(step, count) != 1:
        step += 1
    return np.asarray(np.arange(first, last) * step % count)


class Sample(ABC):
    """All rows of a table as runs, ordered so that any first few of them are an even sample.

    Attributes
    ----------
    table : Table
        The rows.
    n_rows : int
        How many there are.
    """

    table: Table
    n_rows: int

    @property
    @abstractmethod
    def count(self) -> int:
        """How many runs there are."""

    @abstractmethod
    def runs(self, first: int, last: int) -> IndexArray:
        """Runs `first` to `last` (excluded), in the order of the table: their starts and ends."""

    @abstractmethod
    def count_of(self, n_rows: float) -> int:
        """How many runs have about so many rows; at least one."""

    def rows(self, first: int, last: int) -> Table:
        """The rows of runs `first` to `last` (excluded), in the order of the table."""
        if last - first == self.count:
            return self.table
        return stretched(self.table, self.runs(first, last))

    def head(self, last: int, most: int) -> FloatArray:
        """The leading rows of the first runs together, in the order of the table."""
        runs = self.runs(0, last)
        enough = int(np.searchsorted(np.cumsum(runs[:, 1] - runs[:, 0]), most)) + 1
        return kept(stretched(self.table, runs[:enough]), most)

    def numbers(self, first: int, last: int, rows: IndexArray) -> IndexArray:
        """The numbers that those rows have in the table."""
        runs = self.runs(first, last)
        before = np.cumsum([0, *(runs[:, 1] - runs[:, 0])])
        at = np.clip(np.searchsorted(before, rows, side="right") - 1, 0, len(runs) - 1)
        return np.asarray(runs[at, 0] + rows - before[at])

    def described(self, first: int, n_rows: int) -> str:
        """What `n_rows` rows of the first runs are, in words."""
        if n_rows == self.n_rows:
            return "all rows"
        runs = _joined(self.runs(0, first))
        if len(runs) == 1:
            return f"{n_rows} rows from row {runs[0][0] + 1} on"
        if n_rows < sum(last - start for start, last in runs):
            return f"{n_rows} rows of {len(runs)} runs; the clock stopped the last reading"
        return f"{len(runs)} runs of {n_rows / len(runs):.0f} rows, evenly spread"


@dataclass(frozen=True, eq=False)
class SpreadRuns(Sample):
    """Runs of the same length, wherever they begin."""

    table: Table
    n_rows: int
    length: int

    @classmethod
    def for_rows(cls, table: Table, n_rows: int, wanted: int) -> SpreadRuns:
        """Runs that are short enough for a sample of about `wanted` rows to have many."""
        length = int(np.clip(wanted // _RUNS, _SHORTEST, _LONGEST))
        return cls(table, n_rows, max(min(length, n_rows // _RUNS), 1))

    @property
    def count(self) -> int:
        return -(-self.n_rows // self.length)

    def runs(self, first: int, last: int) -> IndexArray:
        starts = np.sort(spread_order(self.count, first, last)) * self.length
        return np.stack([starts, np.minimum(starts + self.length, self.n_rows)], axis=1)

    def count_of(self, n_rows: float) -> int:
        if n_rows >= self.n_rows:
            return self.count  # with the last run, which may be shorter
        return int(np.clip(n_rows // self.length, 1, self.count))


@dataclass(frozen=True, eq=False)
class SectionRuns(Sample):
    """First the heads of all sections of a file, then what follows each, and so on.

    A section begins where the file can be entered, as at a row group of Parquet. Its middle cannot
    be reached without reading its head.
    """

    table: Table
    n_rows: int
    ordered: IndexArray

    @classmethod
    def for_rows(cls, table: Table, n_rows: int, wanted: int, most: int) -> SectionRuns:
        """Runs of at most so many sections, short enough for `wanted` rows to enter them all."""
        bottom = bottom_of(table)
        entries = [row for row in (bottom.entries() if bottom else (0,)) if row < n_rows]
        if len(entries) > most:
            entries = [entries[k * len(entries) // most] for k in range(most)]
        sections = list(pairwise([*entries, n_rows]))
        length = -(-max(wanted, 1) // (_DEPTHS * len(sections)))
        spread = [sections[k] for k in spread_order(len(sections), 0, len(sections))]
        runs = [
            (begin, min(begin + length, stop))
            for depth in range(0, max(stop - start for start, stop in sections), length)
            for start, stop in spread
            if (begin := start + depth) < stop
        ]
        return cls(table, n_rows, np.array(runs))

    @property
    def count(self) -> int:
        return len(self.ordered)

    def runs(self, first: int, last: int) -> IndexArray:
        chosen = self.ordered[first:last]
        return np.asarray(chosen[np.argsort(chosen[:, 0])])

    def count_of(self, n_rows: float) -> int:
        ends = np.cumsum(self.ordered[:, 1] - self.ordered[:, 0])
        return max(int(np.searchsorted(ends, n_rows, side="right")), 1)


class Stretches(LocalTable):
    """Some runs of a table, in the order of the table.

    Parameters
    ----------
    table : LocalTable
        The rows.
    runs : ndarray of int of shape (k, 2)
        The first row of each run, and the one after its last, in the order of the table.
    """

    def __init__(self, table: LocalTable, runs: IndexArray) -> None:
        self.feature_names, self.named = table.feature_names, table.named
        self.rescannable, self.in_memory = table.rescannable, table.in_memory
        self._table, self._runs = table, _joined(runs)

    @property
    def n_rows(self) -> int:
        return sum(stop - start for start, stop in self._runs)

    def blocks(self) -> Iterator[Rows]:
        return _gathered(self._pieces())

    def _pieces(self) -> Iterator[Rows]:
        entries = self._table.entries()

        def entry(run: tuple[int, int]) -> int:
            return entries[bisect_right(entries, run[0]) - 1]

        for start, runs in groupby(self._runs, entry):
            yield from _cut(self._table.blocks_from(start), start, list(runs))


def _cut(blocks: Iterator[Rows], at: int, runs: list[tuple[int, int]]) -> Iterator[Rows]:
    """The runs out of blocks that begin at row `at`."""
    for block in blocks:
        end = at + block.shape[0]
        while runs and runs[0][0] < end:
            start, stop = runs[0]
            yield block[max(start - at, 0) : stop - at]
            if stop > end:
                break
            runs.pop(0)
        if not runs:
            return
        at = end


def _gathered(pieces: Iterator[Rows]) -> Iterator[Rows]:
    """The same rows; short pieces are put together, because each block has its own overhead."""
    waiting: list[AnyArray] = []
    for piece in pieces:
        if piece.shape[0] < _LONGEST:
            waiting.append(np.asarray(piece))
        if sum(map(len, waiting)) >= _LONGEST or (waiting and piece.shape[0] >= _LONGEST):
            yield np.concatenate(waiting)
            waiting = []
        if piece.shape[0] >= _LONGEST:
            yield piece
    if waiting:
        yield np.concatenate(waiting)


def _joined(runs: IndexArray) -> list[tuple[int, int]]:
    """The same rows; runs that follow each other are one."""
    apart = np.flatnonzero(runs[1:, 0] != runs[:-1, 1]) + 1
    starts, ends = np.concatenate([[0], apart]), np.concatenate([apart, [len(runs)]]) - 1
    return list(zip(runs[starts, 0].tolist(), runs[ends, 1].tolist(), strict=True))


def bottom_of(table: Table) -> LocalTable | None:
    """The table under all views, if it is one that can be entered at a row."""
    while isinstance(table, View):
        table = table.below
    return table if isinstance(table, LocalTable) else None


def stretched(table: Table, runs: IndexArray) -> Table:
    """Some runs of the rows of a table, under the same views."""
    if isinstance(table, View):
        return table.over(stretched(table.below, runs))
    if not isinstance(table, LocalTable):
        raise TypeError(f"table: expected one that is read here, got {type(table).__name__}")
    return Stretches(table, runs)


class UntilRows(View):
    """A table that ends early, after the block at which `enough` is true.

    Parameters
    ----------
    table : Table
        The rows.
    enough : callable
        Asked after each block.
    """

    def __init__(self, table: Table, enough: Callable[[], bool]) -> None:
        super().__init__(table, partial(_ended, enough=enough))


def _ended(part: Part, enough: Callable[[], bool]) -> Part:
    return part.through(partial(_until, enough=enough))


def _until(blocks: Iterator[Rows], enough: Callable[[], bool]) -> Iterator[Rows]:
    for block in blocks:
        yield block
        if enough():
            return


class KeptRows(LocalTable):
    """Rows in memory, given out in short blocks, so that a pass can be stopped soon.

    Parameters
    ----------
    feature_names : tuple of str
        The columns.
    values : ndarray of shape (n, p)
        The rows.
    length : int
        Rows of a block.
    """

    named = True
    rescannable = True
    in_memory = True

    def __init__(self, feature_names: tuple[str, ...], values: AnyArray, length: int) -> None:
        self.feature_names = feature_names
        self._values, self._length = values, length

    @property
    def n_rows(self) -> int:
        return len(self._values)

    def blocks(self) -> Iterator[Rows]:
        return row_blocks(self._values, self._length)


def kept(table: Table, most: int | None = None) -> FloatArray:
    """The rows of a table, or at most the first few, as one array."""
    n = table.n_rows if most is None else min(most, table.n_rows or most)
    return table.reduce(partial(_filled, room=n), lambda a, b: np.concatenate([a, b]))


def _filled(part: Part, room: int | None) -> FloatArray:
    p = len(part.feature_names)
    if room is None:
        return np.concatenate([np.empty((0, p)), *map(np.asarray, part.blocks())])
    # Into one array from the beginning: new memory costs as much as reading.
    rows, done = np.empty((room, p)), 0
    for block in part.blocks():
        taken = min(block.shape[0], room - done)
        rows[done : done + taken] = np.asarray(block[:taken])
        done += taken
        if done == room:
            break
    return rows[:done]

"""A view of a table whose columns are replaced by their normal scores.

A map of each column from values to scores is made from one pass over all rows, when the scores are
first read. Rows that are read in this process and fit in memory get their scores at once, and are
not read again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.errors import DataError
from edgewise.rows.block import Rows, row_blocks
from edgewise.rows.quantile_sketch import (
    ColumnSketch,
    Sketcher,
    check_sketches,
    map_of_sketches,
)
from edgewise.rows.score_map import ScoreMap, normal_scores
from edgewise.rows.table import LocalTable, Part, SoFar, Table, batch_rows
from edgewise.rows.views import View

T = TypeVar("T")

NORMAL_SCORES = "normal-scores"
#: What `transform` can be.
TRANSFORMS = (NORMAL_SCORES, None)
# Bytes of rows whose ranks are found by sorting all of them: in this process, and on a cluster,
# where several times as many may be on their way to one machine.
MOST_HERE, MOST_ON_CLUSTER = 256 << 20, 32 << 20


class NormalScores(View):
    """A table with Φ⁻¹(rank/(n + 1)) in place of each value; equal values have the average rank.

    Ranks are exact for rows in memory, and for others of up to 256 MB (on a cluster 32 MB, all
    numbers as float64). Of more rows a sketch is made (see `quantile_sketch`): ranks are then wrong
    by up to 0.07 % of the rows, and not at all among the outermost 4,000 values on both sides. The
    sketch is randomised without a seed: statistics differ from run to run by about 0.01.

    Parameters
    ----------
    table : Table
        The rows.
    n_labels : int
        How many of the last columns hold labels, which stay as they are.
    known : ScoreMap, optional
        The scores, where those of other rows are wanted.
    """

    def __init__(self, table: Table, n_labels: int = 0, known: ScoreMap | None = None) -> None:
        if known is None and not table.rescannable:
            raise DataError(
                f"transform: {NORMAL_SCORES!r} reads the rows twice, and this stream can be read "
                "only once; write the rows to a Parquet file first."
            )
        super().__init__(table, _as_they_are if known is None else partial(_scored, known=known))
        self._n_variables = len(table.feature_names) - n_labels
        self._known, self._held = known, None
        self._ready = known is not None

    _known: ScoreMap | None
    _held: _HeldScores | None

    @property
    def in_memory(self) -> bool:
        return self._held is not None or self._table.in_memory

    def over(self, table: Table) -> NormalScores:
        """The same scores of other rows with the same columns."""
        n_labels = len(self._table.feature_names) - self._n_variables
        return NormalScores(table, n_labels, self.known())

    def reduce(self, one_pass: Callable[[Part], T], merge: Callable[[T, T], T]) -> T:
        self._make_ready(keep_map=False)
        if self._held is not None:
            return self._held.reduce(one_pass, merge)
        return super().reduce(one_pass, merge)

    def known(self) -> ScoreMap | None:
        """The map of every column, for other rows; None if a value is missing.

        Ask before the scores are read: afterwards the values may be gone, and are read again.
        """
        self._make_ready(keep_map=True)
        return self._known

    def _make_ready(self, *, keep_map: bool) -> None:
        if self._ready and (self._known is not None or not keep_map):
            return
        found = self._gathered()
        self._ready = True
        if not found.complete:
            return  # the rows stay as they are, and whoever reads them says what is missing
        p = self._n_variables
        if found.sketches:
            self._known = map_of_sketches(found.sketches)
        elif keep_map or not self._is_here:
            self._known = ScoreMap.among(found.values[:p])
        if not found.sketches and self._is_here:
            normal_scores(found.values[:p], out=found.values[:p])
            self._held = _HeldScores(self._table, found.values, found.n_dropped)
        elif self._known is not None:
            self._change = partial(_scored, known=self._known)

    @property
    def _is_here(self) -> bool:
        table = self._table
        while isinstance(table, View):
            table = table.below
        return isinstance(table, LocalTable)

    def _gathered(self) -> _Gathered:
        most: float = math.inf if self._table.in_memory else MOST_HERE
        if not self._is_here:
            most = MOST_ON_CLUSTER
        p, n = self._n_variables, self._table.n_rows
        if n is not None and 8 * n * p > most:
            check_sketches()
            most = 0
        one_pass = partial(_gathered, n_variables=p, most=most, whole=self._is_here)
        found: _Gathered = self._table.reduce(one_pass, partial(_merged, most=most))
        if found.complete and not found.n_samples:
            return _Gathered(complete=False)  # without rows there are no ranks
        return found


def scores_under(table: object) -> NormalScores | None:
    """The view of normal scores under the other views of a table; None if there is none."""
    while isinstance(table, View):
        if isinstance(table, NormalScores):
            return table
        table = table.below
    return None


def values_under(table: Table) -> Table:
    """The values that normal scores were made of; the table itself if it has none."""
    scores = scores_under(table)
    return table if scores is None else scores.below


def transform_of(table: object) -> str | None:
    """What `transform` a table was opened with."""
    return None if scores_under(table) is None else NORMAL_SCORES


def _as_they_are(part: Part) -> Part:
    return part


def _scored(part: Part, known: ScoreMap) -> Part:
    return part.through(partial(map, known.scores))


class _HeldScores(LocalTable):
    """Scores in memory, features first, of rows that need not be read again."""

    rescannable = True
    in_memory = True

    def __init__(self, table: Table, values: FloatArray, n_dropped: int) -> None:
        self.feature_names, self.named = table.feature_names, table.named
        self._values, self._n_dropped = values, n_dropped

    @property
    def n_rows(self) -> int:
        return int(self._values.shape[1])

    def blocks(self) -> Iterator[Rows]:
        return row_blocks(self._values.T, batch_rows(len(self.feature_names)))

    def part(self) -> Part:
        so_far = SoFar()

        def read() -> Iterator[Rows]:
            so_far.n_dropped = self._n_dropped
            return self.blocks()

        return Part(0, "", self.feature_names, read, so_far)


@dataclass(frozen=True, eq=False, slots=True)
class _Gathered:
    """What ranks are made from: all values, features first, or sketches; nothing if some miss."""

    complete: bool = True
    n_dropped: int = 0
    values: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    sketches: tuple[ColumnSketch, ...] = ()

    @property
    def n_samples(self) -> int:
        return self.sketches[0].n_samples if self.sketches else self.values.shape[1]


def _gathered(part: Part, n_variables: int, most: float, whole: bool) -> _Gathered:
    """All values of a part, with its labels if `whole`; or sketches of more than `most` bytes."""
    width = len(part.feature_names) if whole else n_variables
    kept: list[FloatArray] = [np.empty((width, 0))]
    sketcher, size = None, 0
    for block in part.blocks():
        # A copy, because a reader may use the memory of a block again.
        values = np.array(np.asarray(block).T[:width], dtype=np.float64)
        if not np.isfinite(values[:n_variables]).all():
            return _Gathered(complete=False)
        size += 8 * n_variables * values.shape[1]
        if size > most and sketcher is None:
            sketcher = Sketcher(n_variables)
            for earlier in kept:
                sketcher.add(earlier[:n_variables])
            kept.clear()
        if sketcher is None:
            kept.append(values)
        else:
            sketcher.add(values[:n_variables])
    if sketcher is not None:
        return _Gathered(n_dropped=part.n_dropped, sketches=sketcher.columns())
    return _Gathered(n_dropped=part.n_dropped, values=np.concatenate(kept, axis=1))


def _merged(a: _Gathered, b: _Gathered, most: float) -> _Gathered:
    if not (a.complete and b.complete):
        return _Gathered(complete=False)
    n_dropped = a.n_dropped + b.n_dropped
    if not a.sketches and not b.sketches and a.values.nbytes + b.values.nbytes <= most:
        return _Gathered(n_dropped=n_dropped, values=np.concatenate([a.values, b.values], axis=1))
    sums = (one + other for one, other in zip(_sketched(a), _sketched(b), strict=True))
    return _Gathered(n_dropped=n_dropped, sketches=tuple(sums))


def _sketched(gathered: _Gathered) -> tuple[ColumnSketch, ...]:
    if gathered.sketches:
        return gathered.sketches
    sketcher = Sketcher(len(gathered.values))
    sketcher.add(gathered.values)
    return sketcher.columns()

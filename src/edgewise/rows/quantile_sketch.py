"""A summary of columns with too many values to keep: their ranks, nearly, in one pass.

The bulk of a column is a KLL sketch (Karnin, Lang & Liberty, FOCS 2016; Apache DataSketches), whose
error is about the same number of ranks everywhere. That would be large in the tails, where normal
scores are steep, so the smallest and the largest values are kept as they are.

Measured in 5 million rows of a chain of Gaussian and t₃ columns: ranks are wrong by up to 0.045 %
of the rows, scores by 0.0017 (root mean square) and at most 0.06, correlations by 7e-6 or 0.02 of
their standard errors, and statistics of pairs without an edge by 0.02. A column takes about 160 kB.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgewise._base.parts import check_part, part
from edgewise._base.types import FloatArray
from edgewise.rows.score_map import KnotRanks, ScoreMap

_WHAT = "The normal scores of rows that do not fit in memory"
#: About 12,000 values are kept for a column, and a rank is wrong by up to 0.07 % of the rows.
ACCURACY = 4096
#: How many of the smallest values are kept as they are, and how many of the largest.
TAIL = 4096


def check_sketches() -> None:
    """Refuse early if the package of the sketches is missing."""
    check_part("datasketches", "ranks", _WHAT)


def _package() -> Any:
    return part("datasketches", "ranks", _WHAT)


@dataclass(frozen=True, eq=False, slots=True)
class ColumnSketch:
    """The summary of a column: it can be merged, and sent to other processes.

    The sketch is randomised, and the package has no seed for it: two runs over the same rows differ
    within its error.

    Attributes
    ----------
    n_samples : int
        How many rows it has seen.
    sketch : bytes
        The sketch, in the format of its package.
    low, high : ndarray
        The smallest and the largest values, both sorted from the outside in.
    """

    n_samples: int
    sketch: bytes
    low: FloatArray
    high: FloatArray

    def __add__(self, other: ColumnSketch) -> ColumnSketch:
        kind = _package().kll_doubles_sketch
        sketch = kind.deserialize(self.sketch)
        sketch.merge(kind.deserialize(other.sketch))
        return ColumnSketch(
            self.n_samples + other.n_samples,
            sketch.serialize(),
            _outermost(self.low, other.low),
            -_outermost(-self.high, -other.high),
        )

    def ranks(self) -> KnotRanks:
        """The ranks of the values that were kept: exact in the tails, and nearly so elsewhere."""
        n = self.n_samples
        low, high = self._exact(self.low), -self._exact(-self.high)[::-1]
        if len(low):
            high = high[high > low[-1]]  # of few rows, both may hold the same
        sketch = _package().kll_doubles_sketch.deserialize(self.sketch)
        # Not the weights that iteration gives: of merged sketches they are wrong (release 5.2).
        values, copies = np.unique([value for value, _ in sketch], return_counts=True)
        below, until = (
            np.rint(n * np.array(sketch.get_cdf(values, inclusive)[:-1]))
            for inclusive in (False, True)
        )
        inside = np.ones(len(values), dtype=bool)
        if len(low):
            inside &= values > low[-1]
        if len(high):
            inside &= values < high[0]
        values, copies, below, until = (one[inside] for one in (values, copies, below, until))
        at = (below + until + 1) / 2
        # What was kept more than once is a value that many rows have; between others, ranks grow
        # steadily.
        common = copies > 1
        before = np.where(common, below + 0.5, at)
        after = np.where(common, until + 0.5, at)
        least, most = len(low) + 0.5, n - len(high) + 0.5
        bulk = [np.clip(one, least, most) for one in (at, before, after)]
        parts = [_stepped(low, 0), (values, *bulk), _stepped(high, n - len(high))]
        return KnotRanks.through(*(np.concatenate(each) for each in zip(*parts, strict=True)))

    def _exact(self, outer: FloatArray) -> FloatArray:
        """The outermost values of which all rows are known: the last one may have more."""
        return outer if len(outer) == self.n_samples else outer[outer < outer[-1]]


def _stepped(
    values: FloatArray, before: int
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Exact ranks of sorted values, of which all rows are there, after `before` other rows."""
    different, counts = np.unique(values, return_counts=True)
    until = before + np.cumsum(counts)
    at = until - (counts - 1) / 2
    half = np.where(counts > 1, counts / 2, 0.0)
    return different, at, at - half, at + half


def _outermost(known: FloatArray, more: FloatArray) -> FloatArray:
    """The smallest values of both, sorted."""
    if len(known) == TAIL:
        more = more[more < known[-1]]
        if not len(more):
            return known
    both = np.concatenate([known, more])
    if len(both) > TAIL:
        both = np.partition(both, TAIL - 1)[:TAIL]
    return np.sort(both)


class Sketcher:
    """Sums up the columns of blocks of rows.

    Parameters
    ----------
    n_features : int
        How many columns there are.
    """

    def __init__(self, n_features: int) -> None:
        kind = _package().kll_doubles_sketch
        self._sketches = [kind(ACCURACY) for _ in range(n_features)]
        self._low = [np.empty(0)] * n_features
        self._high = [np.empty(0)] * n_features
        self._n = 0

    def add(self, values: FloatArray) -> None:
        """Add rows of finite numbers, features first."""
        for j, column in enumerate(values):
            piece = np.ascontiguousarray(column)
            self._sketches[j].update(piece)
            self._low[j] = _outermost(self._low[j], piece)
            self._high[j] = -_outermost(-self._high[j], -piece)
        self._n += values.shape[1]

    def columns(self) -> tuple[ColumnSketch, ...]:
        """The summary of each column."""
        return tuple(
            ColumnSketch(self._n, sketch.serialize(), low, high)
            for sketch, low, high in zip(self._sketches, self._low, self._high, strict=True)
        )


def map_of_sketches(columns: Sequence[ColumnSketch]) -> ScoreMap:
    """The normal scores of columns, from their summaries."""
    return ScoreMap([one.ranks() for one in columns], columns[0].n_samples)

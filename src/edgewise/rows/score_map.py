"""Normal scores of columns: ranks, as functions of a value, and the scores that they give.

The normal score of a value is Φ⁻¹(r/(n + 1)), r its rank among n rows; equal values have the
average of their ranks. The function of a column gives the rows of the sample exactly this score,
and other values one that lies between those of their neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np

from edgewise._base import special
from edgewise._base.parts import is_installed
from edgewise._base.steps import in_parallel
from edgewise._base.types import FloatArray
from edgewise.rows.block import Rows

_MANY = 1_000_000


class Ranks(Protocol):
    """The rank of any value among those of a column."""

    def of(self, x: FloatArray) -> FloatArray:
        """The average rank of values that the column has, and a number in between for others."""
        ...


@dataclass(frozen=True, eq=False, slots=True)
class ExactRanks:
    """All values of a column.

    Attributes
    ----------
    values : ndarray of shape (m,)
        The different values, sorted.
    below : ndarray of shape (m + 1,), or None
        How many rows are below each, and how many there are; None if all values differ.
    """

    values: FloatArray
    below: FloatArray | None

    @classmethod
    def among(cls, column: FloatArray) -> ExactRanks:
        """The ranks among the values of a column, of finite numbers."""
        values = np.sort(column)
        first = _firsts(values)
        if len(first) == len(values):
            return cls(values, None)
        return cls(values[first], np.append(first, len(values)).astype(np.float64))

    def of(self, x: FloatArray) -> FloatArray:
        """The average rank of values that the column has, and a number in between for others."""
        m = len(self.values)
        place = np.searchsorted(self.values, x)
        inside = np.minimum(place, m - 1)
        known = self.values[inside] == x
        if self.below is None:
            return np.asarray(place + 0.5 + 0.5 * known)
        # Of a value between two others, as many rows are below it as are not above it.
        until = self.below[np.where(known, inside + 1, place)]
        return np.asarray((self.below[place] + until + 1) / 2)


@dataclass(frozen=True, eq=False, slots=True)
class KnotRanks:
    """Some values of a column, and about where they stand; ranks of values between are linear.

    Attributes
    ----------
    values : ndarray of shape (m,)
        Different values, sorted.
    ranks : ndarray of shape (m,)
        The rank of each.
    """

    values: FloatArray
    ranks: FloatArray

    @classmethod
    def through(
        cls, values: FloatArray, at: FloatArray, before: FloatArray, after: FloatArray
    ) -> KnotRanks:
        """The rank of each value itself, and of one just below and just above it.

        They differ for a value that many rows have.
        """
        steps = before < after
        near = [np.nextafter(values[steps], end) for end in (-np.inf, np.inf)]
        # The values come first: where two are neighbours among all numbers, their own ranks count.
        places = np.concatenate([values, *near])
        ranks = np.concatenate([at, before[steps], after[steps]])
        different, first = np.unique(places, return_index=True)
        return cls(different, ranks[first])

    def of(self, x: FloatArray) -> FloatArray:
        """The average rank of values that the column has, and a number in between for others."""
        return np.asarray(np.interp(x, self.values, self.ranks))


@dataclass(frozen=True, eq=False, slots=True)
class ScoreMap:
    """The normal scores of some columns as a function of their values.

    Attributes
    ----------
    columns : sequence of Ranks
        The ranks of each column.
    n_samples : int
        How many rows they are ranks among.
    """

    columns: Sequence[Ranks]
    n_samples: int

    @classmethod
    def among(cls, values: FloatArray) -> ScoreMap:
        """The exact map of columns of finite numbers, features first."""
        return cls([ExactRanks.among(column) for column in values], values.shape[1])

    def scores(self, block: Rows) -> FloatArray:
        """The scores of a block of rows. Further columns, which hold labels, stay as they are.

        What is not finite stays, too: whoever reads the scores says where it is.
        """
        made = np.array(np.asarray(block, dtype=np.float64).T)
        for column, ranks in zip(made, self.columns, strict=False):
            finite = np.isfinite(column)
            scores = special.ndtri(ranks.of(column) / (self.n_samples + 1))
            column[:] = np.where(finite, scores, column)
        return made.T


def normal_scores(values: FloatArray, out: FloatArray | None = None) -> FloatArray:
    """The normal scores of columns of finite numbers, features first; `out` may be the same memory.

    Examples
    --------
    >>> normal_scores(np.array([[3.0, 1.0, 1.0, 8.0]])).round(2)
    array([[ 0.25, -0.52, -0.52,  0.84]])
    """
    n = values.shape[1]
    # Without ties all columns have the same scores, in another order.
    untied = special.ndtri(np.arange(1, n + 1) / (n + 1))
    made = np.empty(values.shape) if out is None else out
    # Of few numbers the scores are there before joblib is imported; without it, one core does it.
    everywhere = values.size > _MANY and is_installed("joblib")
    run = in_parallel if everywhere else map
    for _ in run(partial(_score, untied=untied), zip(values, made, strict=True)):
        pass
    return made


def _score(both: tuple[FloatArray, FloatArray], untied: FloatArray) -> None:
    """Write the scores of a column into the memory for them."""
    (column, scores), n = both, len(untied)
    order = np.argsort(column)
    first = _firsts(column[order])
    if len(first) == n:
        scores[order] = untied
        return
    until = np.append(first[1:], n)
    own = special.ndtri((first + until + 1) / 2 / (n + 1))
    scores[order] = np.repeat(own, until - first)


def _firsts(values: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Where in sorted values the first one of equal values stands."""
    new = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return np.flatnonzero(new)

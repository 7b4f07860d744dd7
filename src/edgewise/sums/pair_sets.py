"""The columns that each pair is adjusted for, and the regressions on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from edgewise._linalg import COLLINEAR, FloatArray, upper_pairs

IntArray: TypeAlias = npt.NDArray[np.intp]

# Numbers of pairs × rows worked on at once: of shorter portions, threads wait for each other's turn
# in Python; longer ones leave the cache.
_CHUNK = 1 << 15
# A regression costs at least as much as this many rows, even where none are read.
_FEWEST_ROWS = 64


class Portion(NamedTuple):
    """The places of some pairs among all above the diagonal, and how many columns each is given."""

    places: IntArray
    size: int


class Pairs(NamedTuple):
    """Some pairs that are adjusted for equally many columns; `given` has a row for each pair."""

    i: IntArray
    j: IntArray
    given: IntArray


class Regression(NamedTuple):
    """x_i and x_j of some pairs on the columns they are adjusted for, in standard units.

    `inverse` is that of the correlation matrix of these columns, `coefficients` has a row for i and
    one for j, `variance` is what is left of the variances, and `correlation` that of the residuals:
    NaN where nothing is left.
    """

    inverse: FloatArray
    coefficients: FloatArray
    variance: FloatArray
    correlation: FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class PairSets:
    """S_ij = (A_i ∪ A_j) ∖ {i, j} for all pairs of p columns with neighbours A_i.

    Attributes
    ----------
    neighbours : ndarray of int of shape (p, k)
        A row for each column: its neighbours, then p as often as needed to fill the row.
    """

    neighbours: IntArray

    @classmethod
    def of(cls, neighbours: Sequence[Sequence[int] | IntArray]) -> PairSets:
        """From the neighbours of each column."""
        p = len(neighbours)
        rows = np.full((p, max(map(len, neighbours), default=0)), p, dtype=np.intp)
        for row, own in zip(rows, neighbours, strict=True):
            row[: len(own)] = own
        return cls(rows)

    @property
    def n_features(self) -> int:
        return len(self.neighbours)

    def sizes(self) -> IntArray:
        """|S_ij| of all pairs, those above the diagonal row by row."""
        p = self.n_features
        member = np.zeros((p, p + 1), dtype=np.float32)
        np.put_along_axis(member, self.neighbours, 1.0, axis=1)
        member = member[:, :p]
        count = member.sum(axis=1)
        # i and j themselves are not in S_ij.
        union = count[:, np.newaxis] + count - member @ member.T - member - member.T
        return np.asarray(union[upper_pairs(p)], dtype=np.intp)

    def portions(self, n_rows: int = _FEWEST_ROWS) -> Iterator[Portion]:
        """All pairs in portions of equal |S_ij|; `n_rows` says how much there is of each pair."""
        sizes = self.sizes()
        order = np.argsort(sizes, kind="stable")
        ends = np.searchsorted(sizes[order], np.arange(sizes.max(initial=0) + 2))
        step = max(1, _CHUNK // max(n_rows, _FEWEST_ROWS))
        for size, (start, stop) in enumerate(pairwise(ends.tolist())):
            for first in range(start, stop, step):
                yield Portion(order[first : min(first + step, stop)], size)

    def pairs(self, portion: Portion) -> Pairs:
        """What the pairs of a portion are adjusted for."""
        places, size = portion
        p = self.n_features
        rows, columns = upper_pairs(p)
        i, j = rows[places], columns[places]
        union = np.concatenate([self.neighbours[i], self.neighbours[j]], axis=1)
        union[(union == i[:, np.newaxis]) | (union == j[:, np.newaxis])] = p
        # What is there twice, and what fills the rows, comes last.
        union.sort(axis=1)
        union[:, 1:][union[:, 1:] == union[:, :-1]] = p
        union.sort(axis=1)
        return Pairs(i, j, union[:, :size])


def regressed(correlation: FloatArray, pairs: Pairs) -> Regression:
    """The regressions of the pairs, from the correlation matrix of all columns alone."""
    i, j, given = pairs.i, pairs.j, pairs.given
    among = correlation[given[:, :, np.newaxis], given[:, np.newaxis, :]]
    both = np.stack([i, j], axis=1)
    with_pair = correlation[both[:, :, np.newaxis], given[:, np.newaxis, :]]
    inverse = stable_inverses(among)
    coefficients = with_pair @ inverse
    # What is left of (1, r; r, 1)
    left = -(coefficients @ with_pair.transpose(0, 2, 1))
    variance = np.stack([1 + left[:, 0, 0], 1 + left[:, 1, 1]], axis=1)
    covariance = correlation[i, j] + (left[:, 0, 1] + left[:, 1, 0]) / 2
    # A column that the given ones determine has nothing left to be correlated.
    known = (variance > COLLINEAR * (given.shape[1] + 1)).all(axis=1)
    unit = np.sqrt(np.where(known[:, np.newaxis], variance, 1.0)).prod(axis=1)
    residual = np.where(known, covariance / unit, np.nan)
    return Regression(inverse, coefficients, variance, residual)


def stable_inverses(matrices: FloatArray) -> FloatArray:
    """Of a stack of correlation matrices; columns that determine each other share their part."""
    try:
        found = np.linalg.inv(matrices)
    except np.linalg.LinAlgError:
        found = np.full_like(matrices, np.inf)
    # Where others leave less than a ten-billionth of a column, its own coefficient is rounding.
    size = np.abs(found).max(axis=(1, 2), initial=0.0)
    for place in np.flatnonzero(~(size < 1e10)):
        found[place] = np.linalg.pinv(matrices[place], rcond=1e-10, hermitian=True)
    return np.asarray(found)

"""Are values missing completely at random? A check of which rows lack them, from pairwise sums."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import special

from edgewise._base.types import BoolArray, FloatArray
from edgewise.states.pairwise import PooledPairs

# A mean of fewer values is not nearly normal where columns are skewed.
_FEWEST = 20
# What is added to the diagonal of correlations that may have no inverse.
_RIDGE = 1e-8


class Missingness(NamedTuple):
    """The column whose missing values depend most on the other columns.

    `pvalue` allows for the number of columns. `partner` is the column that shows it best, and is
    `higher` or lower where the value is missing.
    """

    pvalue: float
    column: int
    partner: int
    higher: bool


def missingness(pooled: PooledPairs) -> Missingness | None:
    """A portmanteau test that rows with and without a value have the same means; None if too few.

    If values are missing completely at random, the rows that have column a are a random part of
    those that have b. So the mean of b among them, minus its mean among all, has the variance
    s_b²(1/n_ab − 1/n_b), over random parts of these rows. For each a the differences of all b are
    put together by their correlations: a χ² of as many degrees of freedom.
    """
    p, of_columns = pooled.n_features, pooled.worth.diagonal()
    scale = np.sqrt(pooled.covariance().diagonal())
    mean = pooled.sums.first[0] / pooled.sums.total[0]
    # Means of b (along the first axis) in rows that have a, and what chance makes of them.
    difference = (mean - mean.diagonal()[:, np.newaxis]) / scale[:, np.newaxis]
    chance = _chance(pooled.sums.total[0], pooled.sums.total_square[0])
    rows = pooled.pair_rows
    lacking = rows.diagonal()[:, np.newaxis] - rows
    enough = (lacking >= _FEWEST) & (rows >= _FEWEST) & (chance > 0)
    np.fill_diagonal(enough, False)
    z = np.where(enough, difference / np.sqrt(np.where(enough, chance, 1.0)), 0.0)
    together = _correlation(pooled, scale, of_columns)
    found = [_of_column(a, z[:, a], enough[:, a], together) for a in range(p)]
    known = [one for one in found if one is not None]
    if not known:
        return None
    smallest = min(known, key=lambda one: one.pvalue)
    return smallest._replace(pvalue=min(1.0, smallest.pvalue * len(known)))


def _chance(total: FloatArray, square: FloatArray) -> FloatArray:
    """Σ w²(m/N_ab − 1/N_b)², m = 1 in rows that have a: 1/n_ab − 1/n_b where weights are equal."""
    whole, squares = total.diagonal()[:, np.newaxis], square.diagonal()[:, np.newaxis]
    return np.asarray(square / total * (1 / total - 2 / whole) + squares / whole**2)


def _correlation(pooled: PooledPairs, scale: FloatArray, of_columns: FloatArray) -> FloatArray:
    """How the differences of two columns go together: both rest on the rows that have both."""
    r = pooled.covariance() / scale / scale[:, np.newaxis]
    shared = pooled.worth / np.sqrt(of_columns) / np.sqrt(of_columns)[:, np.newaxis]
    return np.asarray(r * shared)


def _of_column(a: int, z: FloatArray, which: BoolArray, together: FloatArray) -> Missingness | None:
    others = np.flatnonzero(which)
    if not others.size:
        return None
    R = together[np.ix_(others, others)] + _RIDGE * np.eye(others.size)
    own = z[others]
    total = max(float(own @ np.linalg.solve(R, own)), 0.0)
    partner = int(others[np.argmax(np.abs(own))])
    # Where a is there, b is below its mean: where a is missing, it is above.
    pvalue = float(special.chdtrc(others.size, total))
    return Missingness(pvalue, a, partner, bool(z[partner] < 0))

"""Are values missing completely at random? A check of which rows lack them, from pairwise sums."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from edgewise import _special as special
from edgewise._linalg import FloatArray
from edgewise.sums.pairwise import PooledPairs

# A mean of fewer values is not nearly normal where columns are skewed.
_FEWEST = 30


class Missingness(NamedTuple):
    """The column whose missing values depend most on the other columns.

    `pvalue` allows for the number of pairs of columns. `partner` is the column that shows it best,
    and is `higher` or lower where the value is missing.
    """

    pvalue: float
    column: int
    partner: int
    higher: bool


def missingness(pooled: PooledPairs, rows: FloatArray | None = None) -> Missingness | None:
    """A test that rows with and without a value have the same means; None if too few lack one.

    If values are missing completely at random, the rows that have column a are a random part of
    those that have b, whatever else is missing together. So the mean of b among them, minus its
    mean among all, has the variance s_b²(1/n_ab − 1/n_b). The p-value is that of the largest
    difference of all pairs of columns, times their number.

    Means of few values of a skewed column are skewed too. The first `rows`, where they are known,
    tell how much, and differences are made as rare as those of a gamma distribution are.
    """
    scale = np.sqrt(pooled.covariance().diagonal())
    mean = pooled.sums.first[0] / pooled.sums.total[0]
    # Means of b (along the first axis) in rows that have a, and what chance makes of them.
    difference = (mean - mean.diagonal()[:, np.newaxis]) / scale[:, np.newaxis]
    chance = _chance(pooled.sums.total[0], pooled.sums.total_square[0])
    both = pooled.pair_rows
    fewer = np.minimum(both.diagonal()[:, np.newaxis] - both, both)
    enough = (fewer >= _FEWEST) & (chance > 0)
    np.fill_diagonal(enough, False)
    if not enough.any():
        return None
    z = np.where(enough, difference / np.sqrt(np.where(enough, chance, 1.0)), 0.0)
    if rows is not None:
        z = _as_normal(z, _skewness(rows)[:, np.newaxis] / np.sqrt(np.maximum(fewer, 1)))
    partner, column = np.unravel_index(np.argmax(np.abs(z)), z.shape)
    largest = float(z[partner, column])
    pvalue = min(1.0, 2 * float(special.ndtr(-abs(largest))) * int(enough.sum()))
    # Where a is there, b is below its mean: where a is missing, it is above.
    return Missingness(pvalue, int(column), int(partner), largest < 0)


def _skewness(rows: FloatArray) -> FloatArray:
    centred = rows - rows.mean(axis=0)
    scale = np.sqrt(np.mean(centred**2, axis=0))
    cubes = np.mean(centred**3, axis=0)
    return np.asarray(np.abs(cubes) / np.maximum(scale, np.finfo(float).tiny) ** 3)


def _as_normal(z: FloatArray, skewness: FloatArray) -> FloatArray:
    """The z of a standard normal that is as rare as z is with this skewness (Wilson & Hilferty)."""
    k = 4 / np.maximum(skewness, 1e-3) ** 2  # the shape of a gamma distribution
    size = 3 * np.sqrt(k) * (np.cbrt(1 + np.abs(z) / np.sqrt(k)) - 1 + 1 / (9 * k))
    return np.asarray(np.copysign(np.minimum(size, np.abs(z)), z))


def _chance(total: FloatArray, square: FloatArray) -> FloatArray:
    """Σ w²(m/N_ab − 1/N_b)², m = 1 in rows that have a: 1/n_ab − 1/n_b where weights are equal."""
    whole, squares = total.diagonal()[:, np.newaxis], square.diagonal()[:, np.newaxis]
    return np.asarray(square / total * (1 / total - 2 / whole) + squares / whole**2)

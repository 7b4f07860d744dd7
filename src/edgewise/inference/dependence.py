"""Do rows depend on the rows before them? Two checks on consecutive rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import special

from edgewise._base.matrices import pairs_of
from edgewise._base.types import FloatArray

_LAGS = (1, 2, 3, 5, 7, 10)  # days, weeks, two weeks of working days
#: With fewer rows, none of these checks says anything.
FEWEST_ROWS = 100
_CLIP = 2.5  # standard deviations
_ROBUST_CLIP = 7.0  # median absolute values; 4.7 standard deviations of a Gaussian
# The pairs of this many columns show dependence between rows; all of thousands would take long.
_MOST_COLUMNS = 24
# And so many rows: they show an autocorrelation of 0.1 in a single pair of columns.
_MOST_ROWS, _MEDIAN_ROWS = 4096, 1023
# Of a random walk of m rows, m(1 − r) is below 17 with probability 0.99; r is the autocorrelation.
_WALK, _PERSISTENT = 17.0, 0.05
_TREND = 0.8  # correlation with time


def dependence_pvalue(residuals: FloatArray) -> float:
    """Portmanteau test of the influence series v_iv_j of all pairs, Bonferroni over the pairs.

    For each pair and lag k, T_k = Σ_t u_t u_{t+k} / √(Σ_t u_t² u_{t+k}²) is standard normal when
    the influences u = v_iv_j − mean are uncorrelated in time, whatever their tails and however
    their size clusters; Σ T_k² is then χ². Products over pairs factor, so a lag costs two matrix
    products: Σ_t u_t u_{t+k} is (v_t∘v_{t+k})(v_t∘v_{t+k})ᵀ less the squared mean.

    Parameters
    ----------
    residuals : ndarray of shape (p, n)
        Unit-variance residuals, columns in the order of time.
    """
    residuals = residuals[:, :_MOST_ROWS]
    p, n = residuals.shape
    if n < FEWEST_ROWS or p < 2:
        return 1.0  # too few to tell
    if p > _MOST_COLUMNS:
        residuals = residuals[np.linspace(0, p - 1, _MOST_COLUMNS).astype(int)]
        p = _MOST_COLUMNS
    # Values are clipped, so that a few extreme rows do not spoil the normal limit. Independent rows
    # stay independent under any transformation. Where extreme rows alone decide the standard
    # deviation, the median gives the usual size.
    usual = _ROBUST_CLIP * row_medians(np.abs(residuals[:, :_MEDIAN_ROWS]))[:, np.newaxis]
    limit = np.where(usual > 0, np.minimum(usual, _CLIP), _CLIP)
    residuals = np.minimum(np.maximum(residuals, -limit), limit)
    mean = residuals @ residuals.T / n
    covariance, squares = np.empty((2, len(_LAGS), p, p))
    for place, lag in enumerate(_LAGS):
        product = residuals[:, :-lag] * residuals[:, lag:]
        np.matmul(product, product.T, out=covariance[place])
        product *= product
        np.matmul(product, product.T, out=squares[place])
    covariance -= np.multiply.outer(n - np.array(_LAGS), mean**2)
    covariance *= covariance
    covariance /= np.maximum(squares, np.finfo(float).tiny)
    total = covariance.sum(axis=0)
    of_pairs = pairs_of(total)
    smallest = float(special.chdtrc(len(_LAGS), of_pairs.max()))
    return min(1.0, smallest * len(of_pairs))


def row_medians(rows: FloatArray) -> FloatArray:
    """The median of each row, none of which lacks a value: `np.median`, in a third of the time."""
    half = rows.shape[1] // 2
    if rows.shape[1] % 2:
        return np.asarray(np.partition(rows, half, axis=1)[:, half])
    middle = np.partition(rows, (half - 1, half), axis=1)[:, half - 1 : half + 1]
    return np.asarray((middle[:, 0] + middle[:, 1]) / 2)


def level_columns(rows: FloatArray) -> npt.NDArray[np.intp]:
    """The columns that wander like a random walk, or follow a trend.

    With r = 1 − Σ(x_t − x_{t−1})²/2Σ(x_t − mean)², von Neumann's form of the autocorrelation, a
    random walk has m(1 − r) = O(1) and a stationary column m(1 − r) → ∞.

    Parameters
    ----------
    rows : ndarray of shape (p, m)
        Consecutive rows, features first.
    """
    m = rows.shape[1]
    if m < FEWEST_ROWS:
        return np.arange(0)
    centred = rows - np.add.reduce(rows, axis=1, keepdims=True) / m
    steps = rows[:, 1:] - rows[:, :-1]
    squares = np.vecdot(centred, centred)
    varies = squares > 0
    squares = np.where(varies, squares, 1.0)
    unlike = np.vecdot(steps, steps) / (2 * squares)
    time = np.arange(m) - (m - 1) / 2
    trend = (centred @ time) ** 2 / (squares * (time @ time))
    wanders = unlike < min(_PERSISTENT, _WALK / m)
    return np.flatnonzero(varies & (wanders | (trend > _TREND**2)))

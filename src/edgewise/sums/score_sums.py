"""What the second pass of the score test sums, and how moments of the residuals give it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgewise._linalg import FloatArray, add_transpose, upper_pairs

# How much of a row's scale is believed: half of this with 12 columns, nearly all with hundreds.
_BELIEVED = 0.9
_COLUMNS_FOR_HALF = 12
# A row so many times as large as the average speaks for itself, however few its columns: half of
# the remaining doubt is gone.
_PLAIN_EXCESS = 60
# The smallest variance of a row, relative to that of all rows.
_LEAST_VARIANCE = 0.5


def score_weight(complement: Any, tau: Any) -> Any:
    """The weight σ²/E[e²] of e_i²e_j² in a row with 1 − h and τ = 1/σ²: 1/((1−h)(1−h+τh)).

    Let the errors of row k have the variance σ_k², 1 on average. Then Var(Σ e_ie_j) is Σ σ_k²g_k,
    g_k = E[e_k²] = (1−h_k)²σ_k² + Σ_{l≠k} h_kl²σ_l², and e_i²e_j² estimates g_k². If the
    other rows have the variance 1, g = (1−h)²σ² + h(1−h). So the weight is 1/(1−h) for rows of one
    scale, as the Gaussian ones, and 1/(1−h)² where the row's own scale dominates.
    """
    return 1 / (complement * (tau + (1 - tau) * complement))


def row_tau(square: FloatArray, complement: FloatArray, n: int) -> FloatArray:
    """τ = 1/σ² of each row, from the mean g of its squared residuals: σ² = (g − h(1−h))/(1−h)²."""
    p = len(square)
    own = np.full(p, (n - p) / (n - 1) / p) @ square
    # ((g/(1−h) − 1)/(1−h) + 1, in place: pairs of few rows are asked for by the thousand.
    own /= complement
    own -= 1
    own /= complement
    own += 1
    return believed_tau(own, p)


def believed_tau(variance: FloatArray, p: int) -> FloatArray:
    """1/σ² from the variance that a row of p columns shows, relative to that of all rows.

    With few columns that variance is mostly chance, so τ is drawn towards 1; the less, the further
    a row stands out.
    """
    variance = np.maximum(variance, _LEAST_VARIANCE)
    believed = _BELIEVED * (p - 2) / (p - 2 + _COLUMNS_FOR_HALF)
    doubt = np.maximum(variance, 1.0)
    doubt -= 1
    doubt *= doubt
    doubt += _PLAIN_EXCESS**2
    np.divide((1 - believed) * _PLAIN_EXCESS**2, doubt, out=doubt)
    # τ = 1 − (1 − doubt)(1 − 1/σ²)
    np.divide(1.0, variance, out=variance)
    doubt *= 1 - variance
    doubt += variance
    return np.asarray(doubt)


# Numbers worked on at once.
_CHUNK = 1 << 17


@dataclass(frozen=True, eq=False, slots=True)
class ScoreSums:
    """Weighted sums over rows of the residuals e of each pair, scaled to mean square one.

    `second` is Σ w e_i²e_j², `cross` Σ w e_ie_j(e_i² + e_j²) and `ends` ¼Σ w (e_i² + e_j²)²: the
    variance of Σ e_ie_j − ρ₀(e_i² + e_j²)/2 is a quadratic in ρ₀ with these coefficients. `fourth`
    is Σ (w e_i²e_j²)²/second², and `sixth` Σ (w e_i²e_j²)³/second³ or a bound on it.
    `square_square` is Σ v_i²v_j²/(1 − h)² of the unit-variance residuals given all others, as they
    would be without the row itself; of the others the diagonal means nothing.
    """

    second: FloatArray
    cross: FloatArray
    ends: FloatArray
    fourth: FloatArray
    sixth: FloatArray
    square_square: FloatArray


def score_terms(
    w: FloatArray,
    product: FloatArray,
    mean_square: FloatArray,
    residuals: FloatArray,
    out: FloatArray | None = None,
) -> FloatArray:
    """What is summed over rows for each pair, six numbers.

    `product` is e_ie_j, `mean_square` ½(e_i² + e_j²), and `residuals` v_iv_j/(1 − h).
    """
    terms = np.empty((6, *product.shape)) if out is None else out
    weighted = w * product
    squares = np.multiply(weighted, product, out=terms[0])
    weighted *= 2
    np.multiply(weighted, mean_square, out=terms[1])
    np.multiply(w, mean_square, out=terms[2])
    terms[2] *= mean_square
    np.multiply(squares, squares, out=terms[3])
    np.multiply(terms[3], squares, out=terms[4])
    np.multiply(residuals, residuals, out=terms[5])
    return terms


def sums_of_pairs(sums: FloatArray, p: int, diagonal: FloatArray) -> ScoreSums:
    """From the sums of these terms for all pairs; `diagonal` is that of `square_square`."""
    second = sums[0]
    matrices = np.empty((6, p, p))
    i, j = upper_pairs(p)
    matrices[:, i, j] = matrices[:, j, i] = (
        *sums[:3],
        share_of(sums[3], second**2),
        share_of(sums[4], second**3),
        sums[5],
    )
    for matrix, own in zip(matrices, (np.nan, np.nan, np.nan, 0.0, 0.0, diagonal), strict=True):
        np.fill_diagonal(matrix, own)
    return ScoreSums(*matrices)


def share_of(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Part over whole; zero where no row has any of it, and where nobody knows."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def sums_of_moments(
    m22: FloatArray,
    m31: FloatArray,
    eighth: FloatArray,
    n: int,
    rho: FloatArray,
    exact: FloatArray | None = None,
    raised: float = 1.0,
) -> ScoreSums:
    """From Σ w v_i²v_j², Σ w v_i³v_j and Σ w²v_i⁴v_j⁴, in their memory: e ∝ v_i + ρv_j, v_j + ρv_i.

    `exact` are the sums of what these leave out, as `_pair_by_pair` makes them. `raised` is what
    Σ v_i²v_j²/(1 − h)² is of Σ w v_i²v_j². With many columns the results take all the memory there
    is, so they are made a few rows of the matrices at a time.
    """
    # Each by itself, so that what is not needed later is not kept by what is.
    second, ends, sixth = (np.empty(rho.shape) for _ in range(3))
    fourths = m22.diagonal().copy()
    cubes = add_transpose(m31)
    step = max(1, _CHUNK // len(rho))
    for start in range(0, len(rho), step):
        rows = slice(start, start + step)
        more = np.zeros(6) if exact is None else exact[:, rows]
        r, m, cube = rho[rows], m22[rows], cubes[rows]
        with np.errstate(divide="ignore", invalid="ignore"):
            f2 = (n / ((n - 1) * (1 - r) * (1 + r))) ** 2
            tails = fourths[rows, np.newaxis] + fourths + 2 * m
            plus, square = 1 + r**2, r**2
            ordinary = f2 * (plus**2 * m + 2 * r * plus * cube + square * tails)
            own = second[rows] = more[0] + ordinary
            ends[rows] = more[2] + (f2 / 4) * (
                plus**2 * tails + 8 * r * plus * cube + 16 * square * m
            )
            # The products e_ie_j have about the kurtosis of v_iv_j.
            spread = share_of(eighth[rows], m**2)
            eighth[rows] = share_of(more[3] + spread * ordinary**2, own**2)
            sixth[rows] = share_of(more[4] + _sixth_of(spread, n) * ordinary**3, own**3)
            cubes[rows] = more[1] + f2 * (
                (plus**2 + 4 * square) * cube + 4 * r * plus * m + r * plus * tails
            )
            m22[rows] = raised * m + more[5]
    cross, fourth, square_square = cubes, eighth, m22
    for matrix in (second, cross, ends):
        np.fill_diagonal(matrix, np.nan)
    for matrix in (fourth, sixth):
        np.fill_diagonal(matrix, 0.0)
    return ScoreSums(second, cross, ends, fourth, sixth, square_square)


def _sixth_of(fourth: FloatArray, n: int) -> FloatArray:
    """Σa⁶ from Σa⁴ of n terms with Σa² = 1: (Σa⁴)²κ^{1/2}, κ = nΣa⁴ their kurtosis.

    The true power of κ is 0.465 for products of Gaussian residuals, 0.51 for Laplace. With few and
    dominant terms Σa⁶ is at most (Σa⁴)^{3/2}; such rows are summed exactly, though.
    """
    return np.minimum(fourth**2.5 * math.sqrt(n), fourth**1.5)

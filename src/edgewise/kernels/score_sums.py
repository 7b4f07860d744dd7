"""What the second pass of the score test sums, and how moments of the residuals give it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from edgewise._base.matrices import symmetric
from edgewise._base.types import FloatArray


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
    second, cross, ends, fourth, sixth, square_square = sums
    known = [symmetric(values, p, diagonal=np.nan) for values in (second, cross, ends)]
    shares = [share_of(fourth, second**2), share_of(sixth, second**3)]
    shares = [symmetric(values, p, diagonal=0.0) for values in shares]
    whole = symmetric(square_square, p, diagonal=diagonal)
    return ScoreSums(known[0], known[1], known[2], shares[0], shares[1], whole)


def share_of(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Part over whole; zero where no row has any of it, and where nobody knows."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def sums_of_moments(
    m22: FloatArray,
    m31: FloatArray,
    m40: FloatArray,
    eighth: FloatArray,
    n: int,
    rho: FloatArray,
    exact: FloatArray | None = None,
    raised: float = 1.0,
) -> ScoreSums:
    """From Σ w v_i²v_j², Σ w v_i³v_j, Σ w v_i⁴ and Σ w²v_i⁴v_j⁴: e ∝ v_i + ρv_j, v_j + ρv_i.

    `exact` are the sums of what these leave out, as `score_terms` makes them. `raised` is what
    Σ v_i²v_j²/(1 − h)² is of Σ w v_i²v_j².
    """
    more = np.zeros((6, *rho.shape)) if exact is None else exact
    with np.errstate(divide="ignore", invalid="ignore"):
        f2 = (n / ((n - 1) * (1 - rho) * (1 + rho))) ** 2
        cubes, tails = m31 + m31.T, m40[:, np.newaxis] + m40 + 2 * m22
        plus = 1 + rho**2
        ordinary = f2 * (plus**2 * m22 + 2 * rho * plus * cubes + rho**2 * tails)
        second = more[0] + ordinary
        cross = more[1] + f2 * (
            (plus**2 + 4 * rho**2) * cubes + 4 * rho * plus * m22 + rho * plus * tails
        )
        ends = more[2] + (f2 / 4) * (plus**2 * tails + 8 * rho * plus * cubes + 16 * rho**2 * m22)
        # The products e_ie_j have about the kurtosis of v_iv_j.
        spread = share_of(eighth, m22**2)
        fourth = share_of(more[3] + spread * ordinary**2, second**2)
        sixth = share_of(more[4] + _sixth_of(spread, n) * ordinary**3, second**3)
    for matrix in (second, cross, ends):
        np.fill_diagonal(matrix, np.nan)
    for matrix in (fourth, sixth):
        np.fill_diagonal(matrix, 0.0)
    return ScoreSums(second, cross, ends, fourth, sixth, raised * m22 + more[5])


def _sixth_of(fourth: FloatArray, n: int) -> FloatArray:
    """Σa⁶ from Σa⁴ of n terms with Σa² = 1: (Σa⁴)²κ^{1/2}, κ = nΣa⁴ their kurtosis.

    The true power of κ is 0.465 for products of Gaussian residuals, 0.51 for Laplace. With few and
    dominant terms Σa⁶ is at most (Σa⁴)^{3/2}; such rows are summed exactly, though.
    """
    return np.minimum(fourth**2.5 * math.sqrt(n), fourth**1.5)

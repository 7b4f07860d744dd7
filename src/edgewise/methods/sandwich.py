"""Standard errors without a distribution, from the fourth moments of the residuals."""

from __future__ import annotations

import math

import numpy as np

from edgewise._base.matrices import off_diagonal
from edgewise._base.types import FloatArray
from edgewise.estimate.inverse import PrecisionEstimate
from edgewise.inference.sample import Evidence
from edgewise.inference.spread import Spread, degrees_of_freedom, floored_spread
from edgewise.methods.left_out_groups import group_sandwich
from edgewise.methods.left_out_rows import row_sandwich
from edgewise.sums.leverage import Leverage
from edgewise.sums.pairs import ExactPairs, PairSums

# The expansions keep about 16 − 2·log10(1/(1−|ρ|)) digits: twelve here, none at 1e-8.
NEARLY_ONE = 1 - 1e-2
# With more columns, the leverages themselves cost little beside the products of matrices.
_FEW_COLUMNS = 64
# With fewer rows, no leverage is negligible: each is 1/n or more.
_MANY_ROWS = 1000
_SAFELY_INVERTED = 1e-6


def leverage_of(estimate: PrecisionEstimate, *, own_scale: bool = False) -> Leverage:
    """What makes the residuals, the leverage and the weight of a row."""
    theta = estimate.precision
    root = np.sqrt(theta.diagonal())
    most = math.inf
    if len(theta) <= _FEW_COLUMNS and estimate.n_samples >= _MANY_ROWS:
        # cᵀΘc = vᵀR⁻¹v, R = Θ scaled to a diagonal of ones.
        least = float(np.linalg.eigvalsh(theta / np.outer(root, root))[0])
        most = 1 / least if least > _SAFELY_INVERTED else math.inf
    return Leverage(estimate.residual_map, root, estimate.n_samples, most, own_scale)


def sandwich(
    evidence: Evidence, estimate: PrecisionEstimate, *, own_scale: bool = False
) -> tuple[Spread, FloatArray]:
    """Standard errors of Θ̂ and of Fisher's z, and the degrees of freedom of each.

    With `own_scale`, rows have the weights of the score test in place of 1/(1 − h)².
    """
    if evidence.groups is not None:
        return group_sandwich(evidence.groups, estimate)
    if evidence.uneven is not None:
        return row_sandwich(evidence, estimate)
    leverage = leverage_of(estimate, own_scale=own_scale)
    rho = estimate.partial_correlation
    sums = evidence.pair_sums(leverage)
    exact = evidence.exact_pairs(leverage, rho, NEARLY_ONE)
    n = estimate.n_samples
    second, fourth = _influences(rho, sums, exact)
    with np.errstate(divide="ignore", invalid="ignore"):
        degrees = degrees_of_freedom(n, n * fourth / second**2)
        # dz = dρ/(1 − ρ²)
        variance_z = second / (n * (1 - rho) * (1 + rho)) ** 2
    variance = precision_variance(rho, sums.square_square, n)
    return floored_spread(estimate, variance, variance_z), degrees


def precision_variance(rho: FloatArray, square_square: FloatArray, n: int) -> FloatArray:
    """√n(Θ̂_ij − Θ_ij) → N(0, Var(y_i y_j)): the variance in units of Θ_iiΘ_jj."""
    normalised = np.where(off_diagonal(len(rho)), -rho, 1.0)  # Θ̂_ij/√(Θ̂_iiΘ̂_jj)
    variance: FloatArray = np.maximum(square_square / n - normalised**2, 0.0) / n
    return variance


def _influences(
    rho: FloatArray, sums: PairSums, exact: ExactPairs | None
) -> tuple[FloatArray, FloatArray]:
    """Sums of the second and fourth powers of v_iv_j + (ρ/2)(v_i² + v_j²), the influence on ρ̂_ij.

    Its mean is −ρ + ρ = 0. The fourth power is that of v_iv_j, unless ρ is close to ±1: it only
    decides about degrees of freedom.
    """
    square, cube = sums.square_square, sums.cube_linear
    ends = square.diagonal()
    second = square + rho * (cube + cube.T) + rho**2 / 4 * (ends[:, np.newaxis] + ends + 2 * square)
    fourth = sums.eighth * np.maximum(second / np.maximum(square, 1e-300), 0.0) ** 2
    if exact is not None:
        i, j = exact.rows, exact.columns
        second[i, j] = second[j, i] = exact.influence
        fourth[i, j] = fourth[j, i] = exact.eighth
    return np.maximum(second, 0.0), fourth

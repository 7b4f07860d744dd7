"""Standard errors without a distribution, from the fourth moments of the residuals."""

from __future__ import annotations

import numpy as np

from edgewise._base.matrices import root_outer
from edgewise._base.types import FloatArray
from edgewise.estimators.inverse import PrecisionEstimate
from edgewise.evidence.evidence import Evidence
from edgewise.inference.spread import Spread, degrees_of_freedom
from edgewise.kernels.pairs import ExactPairs, PairSums

# The expansions keep about 16 − 2·log10(1/(1−|ρ|)) digits: twelve here, none at 1e-8.
_NEARLY_ONE = 1 - 1e-2


def residual_sums(
    evidence: Evidence, estimate: PrecisionEstimate
) -> tuple[PairSums, ExactPairs | None]:
    """Fourth-order sums of the unit-variance residuals, exact where ρ is close to ±1."""
    B = estimate.residual_map
    sums = evidence.pair_sums(B)
    return sums, evidence.exact_pairs(B, estimate.partial_correlation, _NEARLY_ONE)


def sandwich_spread(
    estimate: PrecisionEstimate, sums: PairSums, exact: ExactPairs | None
) -> Spread:
    """√n(Θ̂_ij − Θ_ij) → N(0, Var(y_i y_j)), and the same for Fisher's z of ρ̂_ij.

    `sums` are of the unit-variance residuals v_i = y_i/√Θ̂_ii. The influence of a row on ρ̂_ij is
    v_iv_j + (ρ_ij/2)(v_i² + v_j²), and dz = dρ/(1 − ρ²).
    """
    n, rho = estimate.n_samples, estimate.partial_correlation
    normalised = 2 * np.eye(len(rho)) - rho  # Θ̂_ij/√(Θ̂_iiΘ̂_jj): 1 on the diagonal, −ρ off it
    variance = np.maximum(sums.square_square / n - normalised**2, 0.0)
    return Spread(
        precision=root_outer(estimate.precision) * np.sqrt(variance / n),
        fisher_z=_fisher_z_error(rho, sums, exact, n),
        degrees=degrees_of_freedom(n, sums.kurtosis),
    )


def _fisher_z_error(
    rho: FloatArray, sums: PairSums, exact: ExactPairs | None, n: int
) -> FloatArray:
    fourth = sums.square_square.diagonal() / n
    square, cube = sums.square_square / n, sums.cube_linear / n
    # E[(v_iv_j + (ρ/2)(v_i² + v_j²))²]; the influence has mean −ρ + ρ = 0.
    second = (
        square + rho * (cube + cube.T) + rho**2 / 4 * (fourth[:, np.newaxis] + fourth + 2 * square)
    )
    if exact is not None:
        second[exact.rows, exact.columns] = second[exact.columns, exact.rows] = exact.influence / n
    off_diagonal = ~np.eye(len(rho), dtype=bool)
    error = np.full(rho.shape, np.nan)
    scale = (1 - rho[off_diagonal]) * (1 + rho[off_diagonal])
    error[off_diagonal] = np.sqrt(np.maximum(second[off_diagonal], 0.0) / n) / scale
    return error

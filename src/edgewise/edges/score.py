"""The self-normalised score test: the default."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from edgewise._types import FloatArray, Scan
from edgewise.edges.method import Evidence, Method, per_edge_result
from edgewise.edges.precision import PrecisionEstimate, estimate_precision
from edgewise.edges.result import EdgeTestResult
from edgewise.errors import DataError
from edgewise.moments.pairs import pair_sums, residual_products

# The expanded Σe_i²e_j² keeps about 16 − 2·log10(1/(1−|ρ|)) digits: six here, and none at 1e-8.
_NEARLY_ONE = 1 - 1e-5


def score_test(evidence: Evidence, *, alpha: float, correction: str | None) -> EdgeTestResult:
    """T_ij = Σ e_i e_j / √(Σ e_i² e_j²), standard normal under H₀.

    e_i and e_j are the residuals of x_i and x_j given the other p − 2 variables. Dividing by the
    rows' own fourth moments instead of the Gaussian ones makes the test valid for any
    distribution with fourth moments, and self-normalised sums keep their normal tail far out
    under few moments (Shao 1997; Jing, Shao & Wang 2003), where corrected levels lie. The rows
    must be independent.
    """
    if evidence.scan is None:
        raise DataError(
            "data: method 'score' reads the rows twice, got a state without rows; pass the rows, "
            "or choose method='fisher' or method='trace'."
        )
    estimate = estimate_precision(evidence.moments, evidence.feature_names)
    spread = _score_spread(evidence.scan, estimate)
    rho = estimate.partial_correlation
    # T = ρ/unit: the unit is what one step of the statistic is worth in partial correlation.
    unit = spread / ((estimate.n_samples - 1) * (1 - rho) * (1 + rho) + np.eye(len(rho)))
    root = np.sqrt(estimate.precision.diagonal())

    def threshold_at(log_level: float) -> FloatArray:
        z = -float(special.ndtri_exp(log_level - math.log(2)))
        return root[:, np.newaxis] * (z * unit) * root

    return per_edge_result(
        "score",
        evidence,
        estimate,
        statistic=rho / unit,
        log_tail=lambda t: math.log(2) + special.log_ndtr(-np.abs(t)),
        threshold_at=threshold_at,
        alpha=alpha,
        correction=correction,
    )


def _score_spread(scan: Scan, estimate: PrecisionEstimate) -> FloatArray:
    """√Σ P² with P = (v_i + ρv_j)(v_j + ρv_i), proportional to e_i e_j, for all pairs at once.

    With unit-variance residuals v (see `PrecisionEstimate`), e_i ∝ v_i + ρ_ij v_j, and the square
    expands in Σv_i²v_j², Σv_i³v_j and Σv_i⁴.
    """
    rho = estimate.partial_correlation
    sums = pair_sums(scan, estimate.mean, estimate.residual_map)
    fourth = sums.square_square.diagonal()
    cube = sums.cube_linear + sums.cube_linear.T
    square = (
        ((1 + rho**2) ** 2 + 2 * rho**2) * sums.square_square
        + rho**2 * (fourth[:, np.newaxis] + fourth)
        + 2 * rho * (1 + rho**2) * cube
    )
    rows, columns = np.nonzero(np.triu(np.abs(rho) > _NEARLY_ONE, k=1))
    if rows.size:
        exact = residual_products(
            scan, estimate.mean, estimate.residual_map, (rows, columns), rho[rows, columns]
        )
        square[rows, columns] = square[columns, rows] = exact
    return np.sqrt(square)


SCORE = Method(
    name="score",
    guarantee="per edge, any distribution",
    simultaneous=False,
    passes=2,
    order=2,
    run=score_test,
)

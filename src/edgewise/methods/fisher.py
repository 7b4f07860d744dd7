"""Fisher's partial-correlation test, and its repair for elliptical data."""

from __future__ import annotations

import math

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.errors import DataError
from edgewise.estimators.inverse import PrecisionEstimate, estimate_precision
from edgewise.inference.reference import Normal, Student
from edgewise.inference.spread import Spread
from edgewise.kernels.quartics import transformed_quartics
from edgewise.methods.method import Evidence, Method, PerEdgeTest, Question, per_edge_result
from edgewise.results.result import EdgeTestResult


def fisher_test(evidence: Evidence, question: Question) -> EdgeTestResult:
    """t = ρ̂ √(ν/(1 − ρ̂²)) with ν = n − 2 − (p − 2), Student's t under the Gaussian null.

    Guarantee: per edge, for independent Gaussian rows only. Off the Gaussian it is not valid: on
    heavy-tailed data most families contain a false edge.
    """
    estimate = estimate_precision(evidence.first_pass("fisher"), evidence.feature_names)
    statistic, reference = fisher_statistic(estimate)
    df = reference.df

    def threshold_at(log_level: float) -> FloatArray:
        t = reference.critical(log_level)
        return _on_precision(estimate, t / math.hypot(t, math.sqrt(df)))

    test = PerEdgeTest(
        statistic=statistic,
        # Without a minimal effect: the exact t. Its z-transform, for intervals and effects, is
        # normal only nearly, and Student's tail errs on the safe side.
        reference=reference,
        spread=_gaussian_spread(estimate, 1.0),
        threshold_at=threshold_at,
    )
    return per_edge_result("fisher", evidence, estimate, test, question)


def fisher_statistic(estimate: PrecisionEstimate) -> tuple[FloatArray, Student]:
    """t, and the Student's t that it follows."""
    rho = estimate.partial_correlation
    df = estimate.n_samples - len(rho)
    with np.errstate(divide="ignore"):
        return rho * np.sqrt(df / ((1 - rho) * (1 + rho))), Student(df)


def elliptical_test(evidence: Evidence, question: Question) -> EdgeTestResult:
    """√(n − p − 1) atanh(ρ̂)/√(1 + κ̂), with 1 + κ̂ = mean(cᵀΘ̂c)²/(p(p + 2)).

    Guarantee: per edge, for independent rows of any elliptical distribution with fourth moments
    (one kurtosis inflates all variances alike); not beyond.
    """
    estimate = estimate_precision(evidence.first_pass("elliptical"), evidence.feature_names)
    scan = evidence.rows("elliptical")
    p = len(estimate.precision)
    _check_z_rows(estimate.n_samples, p)
    mardia = transformed_quartics(scan, estimate.centre, estimate.whitening).norm
    spread = _gaussian_spread(estimate, mardia / (p * (p + 2)))
    rho = np.where(np.eye(p, dtype=bool), 0.0, estimate.partial_correlation)
    reference = Normal()

    def threshold_at(log_level: float) -> FloatArray:
        return _on_precision(estimate, np.tanh(reference.critical(log_level) * spread.fisher_z))

    test = PerEdgeTest(
        statistic=np.arctanh(rho) / spread.fisher_z,
        reference=reference,
        spread=spread,
        threshold_at=threshold_at,
    )
    options = {"kurtosis_ratio": mardia / (p * (p + 2))}
    return per_edge_result("elliptical", evidence, estimate, test, question, options)


def _gaussian_spread(estimate: PrecisionEstimate, kurtosis_ratio: float) -> Spread:
    """Var Θ̂_ij = (1+κ)(Θ_iiΘ_jj + Θ_ij²)/n and Var z = (1+κ)/(n − p − 1).

    The first adds κΘ_ij²/n for elliptical rows, the trace part of their fourth moments.
    """
    n, p = estimate.n_samples, len(estimate.precision)
    root = np.sqrt(estimate.precision.diagonal())
    # In units of Θ_iiΘ_jj, whose square may overflow; ρ² is one on the diagonal, as it should be.
    rho2 = estimate.partial_correlation**2
    variance = (kurtosis_ratio * (1 + rho2) + (kurtosis_ratio - 1) * rho2) / n
    return Spread(
        precision=np.outer(root, root) * np.sqrt(np.maximum(variance, 0.0)),
        fisher_z=np.full((p, p), math.sqrt(kurtosis_ratio / max(n - p - 1, 1))),
    )


def _on_precision(estimate: PrecisionEstimate, rho: float | FloatArray) -> FloatArray:
    root = np.sqrt(estimate.precision.diagonal())
    return np.outer(root, root) * rho


def _check_z_rows(n_samples: int, p: int) -> None:
    if n_samples <= p + 1:
        raise DataError(
            f"X: expected more than {p + 1} rows for {p} columns with this method, got "
            f"{n_samples}; collect more rows."
        )


FISHER = Method(
    name="fisher",
    guarantee="per edge, Gaussian data only",
    condition="independent Gaussian rows; on heavier tails it finds false edges",
    simultaneous=False,
    passes=1,
    order=2,
    run=fisher_test,
)
ELLIPTICAL = Method(
    name="elliptical",
    guarantee="per edge, elliptical data only",
    condition="independent rows of an elliptical distribution with fourth moments",
    simultaneous=False,
    passes=2,
    order=2,
    run=elliptical_test,
)

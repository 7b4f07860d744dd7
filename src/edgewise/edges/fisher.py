"""Fisher's partial-correlation test: the Gaussian baseline."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from edgewise._types import FloatArray
from edgewise.edges.method import Evidence, Method, per_edge_result
from edgewise.edges.precision import estimate_precision
from edgewise.edges.result import EdgeTestResult
from edgewise.edges.student import log_two_sided_tail


def fisher_test(evidence: Evidence, *, alpha: float, correction: str | None) -> EdgeTestResult:
    """t = ρ̂ √(ν/(1 − ρ̂²)) with ν = n − 2 − (p − 2), Student's t under the Gaussian null.

    Off the Gaussian it is not valid: on heavy-tailed data most families contain a false edge.
    """
    estimate = estimate_precision(evidence.moments, evidence.feature_names)
    rho = estimate.partial_correlation
    df = evidence.moments.n_samples - len(evidence.feature_names)
    with np.errstate(divide="ignore"):
        statistic = rho * np.sqrt(df / ((1 - rho) * (1 + rho)))

    def threshold_at(log_level: float) -> FloatArray:
        t = -float(special.stdtrit(df, math.exp(log_level) / 2))
        root = np.sqrt(estimate.precision.diagonal())
        return np.outer(root * (t / math.hypot(t, math.sqrt(df))), root)

    return per_edge_result(
        "fisher",
        evidence,
        estimate,
        statistic=statistic,
        log_tail=lambda t: log_two_sided_tail(t, df),
        threshold_at=threshold_at,
        alpha=alpha,
        correction=correction,
    )


FISHER = Method(
    name="fisher",
    guarantee="per edge, Gaussian data only",
    simultaneous=False,
    passes=1,
    order=2,
    run=fisher_test,
)

"""From a radius and a transfer to decisions about all entries at once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from edgewise._base.types import FloatArray
from edgewise._base.warn import warn
from edgewise.bounds.radius import Radius
from edgewise.bounds.transfer import Transfer
from edgewise.errors import TooFewRowsWarning
from edgewise.estimators.inverse import PrecisionEstimate
from edgewise.inference.effect import MinEffect
from edgewise.inference.intervals import BoundIntervals
from edgewise.inference.tolerance import bearable_tau, relative_units
from edgewise.methods.method import Question, effect_options, symmetric
from edgewise.results.result import EdgeTestResult, probabilities


def bound_result(
    method: str,
    feature_names: tuple[str, ...],
    estimate: PrecisionEstimate,
    radius: Radius,
    transfer: Transfer,
    question: Question,
    options: dict[str, Any],
) -> EdgeTestResult:
    """Declare an edge where the bound |Θ̂_ij − Θ_ij| ≤ τu_ij leaves no room for the null.

    The p-value of an entry is the smallest level that declares it: the level of the radius at which
    τ is just what that entry can bear.
    """
    p = len(feature_names)
    effect = question.min_effect
    epsilon = radius.epsilon(question.alpha)
    tau = transfer.tau(epsilon)
    partial = estimate.partial_correlation
    bearable = bearable_tau(estimate.precision, partial, transfer.units, effect)
    rule = BoundIntervals(radius, transfer)
    rows_needed = None
    if math.isinf(tau):
        rows_needed = rows_for_radius(estimate.n_samples, epsilon, transfer.limit)
        _warn_too_few(method, estimate.n_samples, rows_needed)
    reject = bearable >= tau
    np.fill_diagonal(reject, False)
    log_p = rule.log_pvalues(estimate.precision, partial, estimate.precision, effect)
    statistic = estimate.precision.copy()
    np.fill_diagonal(statistic, np.nan)
    pvalue = probabilities(symmetric(log_p, p))
    return EdgeTestResult(
        method=method,
        alpha=question.alpha,
        correction=None,
        options={**options, **effect_options(effect)},
        n_samples=estimate.n_samples,
        n_features=p,
        feature_names=feature_names,
        covariance=estimate.covariance,
        precision=estimate.precision,
        partial_correlation=partial,
        statistic=statistic,
        log_pvalue=symmetric(log_p, p),
        pvalue=pvalue,
        adjusted_pvalue=pvalue.copy(),
        reject=reject,
        threshold=_threshold(estimate, transfer.units, tau, effect),
        radius=epsilon,
        rows_needed=rows_needed,
        interval_rule=rule,
    )


def _threshold(
    estimate: PrecisionEstimate, units: FloatArray, tau: float, effect: MinEffect
) -> float | FloatArray:
    """The |Θ̂_ij| that is just an edge: one number where all entries share it."""
    if math.isinf(tau):
        return math.inf
    if effect.value == 0 or effect.scale == "precision":
        if (units == 1).all():
            return tau + effect.value
        threshold = tau * units + effect.value
    else:
        a, g = relative_units(estimate.precision, units)
        most = np.sqrt(1 + g * tau)
        root = np.sqrt(estimate.precision.diagonal())
        threshold = np.outer(root, root) * (a * tau + effect.value * np.outer(most, most))
    np.fill_diagonal(threshold, np.nan)
    return threshold


def rows_for_radius(n_samples: int, radius: float, wanted: float) -> int | None:
    """ε falls as n^{−1/2}: it is below `wanted` after n (ε/wanted)² rows."""
    rows = n_samples * (radius / wanted) ** 2 if wanted > 0 else math.inf
    return math.floor(rows) + 1 if math.isfinite(rows) else None


def _warn_too_few(method: str, n_samples: int, rows_needed: int | None) -> None:
    would_do = (
        "standardize=True may help"
        if rows_needed is None
        else f"about {rows_needed:,} rows would make it finite"
    )
    warn(
        f"method {method!r} has an infinite threshold with {n_samples:,} rows, so it finds no "
        f"edge; {would_do}, or use method='score'.",
        TooFewRowsWarning,
    )

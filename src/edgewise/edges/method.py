"""What every test of edges is given, is described by, and must return."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from edgewise._types import FloatArray, Scan
from edgewise.edges.families import adjust, log_critical_level
from edgewise.edges.precision import PrecisionEstimate
from edgewise.edges.result import EdgeTestResult, probabilities
from edgewise.moments.moments import Moments


@dataclass(frozen=True, eq=False, slots=True)
class Evidence:
    """The data as the tests see them: a finished first pass, and the way to make another."""

    moments: Moments
    scan: Scan | None
    feature_names: tuple[str, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Method:
    """A test of all edges, and what a user needs to know to choose it.

    Attributes
    ----------
    guarantee : str
        What holds, in about five words.
    simultaneous : bool
        One threshold for all entries at once, so that no correction applies.
    passes : int
        How often the rows are read; 1 means that a `Moments` state is enough.
    order : int
        The order of the moments that the first pass must keep.
    run : callable
        ``run(evidence, alpha=..., correction=..., **options)`` makes the `EdgeTestResult`.
    options : frozenset of str
        The names of the options that `run` takes.
    """

    name: str
    guarantee: str
    simultaneous: bool
    passes: int
    order: int
    run: Callable[..., EdgeTestResult]
    options: frozenset[str] = field(default_factory=frozenset)


def per_edge_result(
    method: str,
    evidence: Evidence,
    estimate: PrecisionEstimate,
    *,
    statistic: FloatArray,
    log_tail: Callable[[FloatArray], FloatArray],
    threshold_at: Callable[[float], FloatArray],
    alpha: float,
    correction: str | None,
) -> EdgeTestResult:
    """Decide every edge from its own statistic, then correct for their number.

    `log_tail` gives log p-values from statistics; `threshold_at` the |Θ_ij| that would just be
    declared an edge at a per-edge level (given as a logarithm).
    """
    p = len(evidence.feature_names)
    upper = np.triu_indices(p, k=1)
    log_p = log_tail(statistic[upper])
    log_adjusted = adjust(log_p, correction)
    decided = log_adjusted <= np.log(alpha)
    level = log_critical_level(log_p.shape[0], int(decided.sum()), alpha, correction)
    threshold = threshold_at(level)
    np.fill_diagonal(threshold, np.nan)
    full_log_p = symmetric(log_p, p)
    statistic = statistic.copy()
    np.fill_diagonal(statistic, np.nan)
    return EdgeTestResult(
        method=method,
        alpha=alpha,
        correction=correction,
        options={},
        n_samples=estimate.n_samples,
        n_features=p,
        feature_names=evidence.feature_names,
        covariance=estimate.covariance,
        precision=estimate.precision,
        partial_correlation=estimate.partial_correlation,
        statistic=statistic,
        log_pvalue=full_log_p,
        pvalue=probabilities(full_log_p),
        adjusted_pvalue=probabilities(symmetric(log_adjusted, p)),
        reject=symmetric(decided, p, diagonal=0.0) == 1.0,
        threshold=threshold,
    )


def symmetric(upper: Any, p: int, diagonal: float = np.nan) -> FloatArray:
    """A p × p matrix from the values above its diagonal."""
    full = np.full((p, p), diagonal)
    rows, columns = np.triu_indices(p, k=1)
    full[rows, columns] = full[columns, rows] = upper
    return full

"""What every test of edges is given, is described by, and must return."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.errors import DataError, ParameterError
from edgewise.estimators.inverse import PrecisionEstimate
from edgewise.inference.corrections import adjust, log_critical_level
from edgewise.inference.effect import MinEffect, effect_threshold
from edgewise.inference.intervals import PerEdgeIntervals
from edgewise.inference.reference import Reference
from edgewise.inference.spread import Spread
from edgewise.results.result import EdgeTestResult, probabilities
from edgewise.rows.passes import Scan
from edgewise.states.batches import BatchMoments
from edgewise.states.moments import Moments


@dataclass(frozen=True, eq=False, slots=True)
class Evidence:
    """The data as the tests see them: a finished first pass, and the way to make another."""

    moments: Moments | BatchMoments
    scan: Scan | None
    feature_names: tuple[str, ...]
    #: Whether another pass costs next to nothing.
    in_memory: bool = True

    def first_pass(self, method: str, *, order: int = 2) -> Moments:
        """Moments of the first pass, for a method that needs no batches."""
        state = self.moments
        if order == 4 and (isinstance(state, BatchMoments) or state.order < 4):
            raise DataError(
                f"data: method {method!r} needs fourth-order sums, got a state without them; "
                "accumulate a Moments state (order=4), or pass the rows."
            )
        return state.pooled() if isinstance(state, BatchMoments) else state

    def rows(self, method: str) -> Scan:
        """A further pass over the rows, for a method that needs one."""
        if self.scan is None:
            raise DataError(
                f"data: method {method!r} reads the rows twice, got a state without rows; pass the "
                "rows, or choose method='batch' with a BatchMoments state, or 'trace' or 'fisher'."
            )
        return self.scan


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of the data: at which level, of how many, how large an effect."""

    alpha: float
    correction: str | None
    min_effect: MinEffect


@dataclass(frozen=True, eq=False, slots=True)
class Method:
    """A test of all edges, and what a user needs to know to choose it.

    Attributes
    ----------
    guarantee : str
        What holds, in about five words.
    condition : str
        What must be true of the rows for the guarantee to hold.
    simultaneous : bool
        One threshold for all entries at once, so that no correction applies.
    passes : int
        How often the rows are read; 1 means that a state is enough.
    order : int
        The order of the moments that the first pass must keep; 0 means `BatchMoments`.
    run : callable
        ``run(evidence, question, **options)`` makes the `EdgeTestResult`.
    options : frozenset of str
        The names of the options that `run` takes.
    effect_scale : str
        The scale of `min_effect` where the user names none.
    variants : tuple of (str, dict)
        The lines that tables of all methods have for it: a label, and the options it stands for.
        None given: one line, with the name of the method.
    """

    name: str
    guarantee: str
    condition: str
    simultaneous: bool
    passes: int
    order: int
    run: Callable[..., EdgeTestResult]
    options: frozenset[str] = field(default_factory=frozenset)
    effect_scale: str = "partial_correlation"
    variants: tuple[tuple[str, dict[str, Any]], ...] = ()

    def reads_twice(self, options: Mapping[str, Any]) -> bool:
        """Whether the method, with these options, needs the rows a second time."""
        return (
            self.passes > 1
            or bool(options.get("standardize", False))
            or options.get("radius", "trace") != "trace"
        )


@dataclass(frozen=True, eq=False, slots=True)
class PerEdgeTest:
    """The statistics of a per-edge test, before any decision.

    `threshold_at` gives the |Θ_ij| that would just be declared an edge at a per-edge level (a
    logarithm); `max_log_pvalues` the adjusted p-values of the step-down max-|T| procedure, for the
    methods that have one, and `max_critical` its critical value.
    """

    statistic: FloatArray
    reference: Reference
    spread: Spread
    threshold_at: Callable[[float], FloatArray]
    max_log_pvalues: Callable[[FloatArray], FloatArray] | None = None
    max_critical: Callable[..., float] | None = None


def per_edge_result(
    method: str,
    evidence: Evidence,
    estimate: PrecisionEstimate,
    test: PerEdgeTest,
    question: Question,
    options: dict[str, Any] | None = None,
) -> EdgeTestResult:
    """Decide every edge from its own statistic, then correct for their number."""
    p = len(evidence.feature_names)
    upper = np.triu_indices(p, k=1)
    alpha, correction, effect = question.alpha, question.correction, question.min_effect
    rule = PerEdgeIntervals(test.spread, test.reference, test.max_critical)
    log_p = rule.log_pvalues(
        estimate.precision, estimate.partial_correlation, test.statistic, effect
    )
    if correction == "maxt":
        log_adjusted = _max_adjusted(method, test, effect, test.statistic[upper])
    else:
        log_adjusted = adjust(log_p, correction)
    decided = log_adjusted <= np.log(alpha)
    if correction == "maxt" and test.max_critical is not None:
        # Step-down: what is left is compared with the largest of what is left.
        left = test.max_critical(float(np.log(alpha)), ~decided)
        level = float(test.reference.log_two_sided(np.array([left]))[0])
    else:
        level = log_critical_level(log_p.shape[0], int(decided.sum()), alpha, correction)
    threshold = _threshold(estimate, test, effect, level)
    np.fill_diagonal(threshold, np.nan)
    full_log_p = symmetric(log_p, p)
    statistic = test.statistic.copy()
    np.fill_diagonal(statistic, np.nan)
    partial = estimate.partial_correlation
    return EdgeTestResult(
        method=method,
        alpha=alpha,
        correction=correction,
        options={**(options or {}), **effect_options(effect)},
        n_samples=estimate.n_samples,
        n_features=p,
        feature_names=evidence.feature_names,
        covariance=estimate.covariance,
        precision=estimate.precision,
        partial_correlation=partial,
        statistic=statistic,
        log_pvalue=full_log_p,
        pvalue=probabilities(full_log_p),
        adjusted_pvalue=probabilities(symmetric(log_adjusted, p)),
        reject=symmetric(decided, p, diagonal=0.0) == 1.0,
        threshold=threshold,
        standard_error=test.spread.precision,
        partial_correlation_standard_error=test.spread.partial_correlation(partial),
        interval_rule=rule,
    )


def _threshold(
    estimate: PrecisionEstimate, test: PerEdgeTest, effect: MinEffect, log_level: float
) -> FloatArray:
    if effect.value == 0:
        return test.threshold_at(log_level)
    if effect.scale == "precision":
        return effect_threshold(effect.value, test.spread.precision, log_level, test.reference)
    value = float(np.arctanh(effect.value))
    # The diagonal has no partial correlation, so no error; any number does for it.
    error = np.nan_to_num(test.spread.fisher_z, nan=1.0)
    z = effect_threshold(value, error, log_level, test.reference)
    root = np.sqrt(estimate.precision.diagonal())
    return np.outer(root, root) * np.tanh(z)


def _max_adjusted(
    method: str, test: PerEdgeTest, effect: MinEffect, statistic: FloatArray
) -> FloatArray:
    if test.max_log_pvalues is None:
        raise ParameterError(
            f"correction: 'maxt' resamples batches of rows, which method {method!r} does not keep; "
            "use method='batch', or correction='holm'."
        )
    if effect.value:
        raise ParameterError(
            "min_effect: 'maxt' tests for an effect of zero only, got a minimal effect of "
            f"{effect.value:g}; use correction='holm'."
        )
    return test.max_log_pvalues(statistic)


def effect_options(effect: MinEffect) -> dict[str, Any]:
    """What a result records of the minimal effect; nothing where none was asked for."""
    if effect.value == 0:
        return {}
    return {"min_effect": effect.value, "effect_scale": effect.scale}


def symmetric(upper: Any, p: int, diagonal: float = np.nan) -> FloatArray:
    """A p × p matrix from the values above its diagonal."""
    full = np.full((p, p), diagonal)
    rows, columns = np.triu_indices(p, k=1)
    full[rows, columns] = full[columns, rows] = upper
    return full

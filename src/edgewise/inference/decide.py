"""From a measurement and a question to decisions about all pairs, once for all methods."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from edgewise._base.matrices import pairs_of
from edgewise._base.types import BoolArray, FloatArray
from edgewise._base.warn import warn
from edgewise.errors import ParameterError, TooFewRowsWarning
from edgewise.inference.bound import Bound
from edgewise.inference.corrections import adjust, log_critical_level
from edgewise.inference.max_statistic import MaxStatistic, critical_of_maxima
from edgewise.inference.measurement import Measurement, Uncertainty
from edgewise.inference.per_edge import PerEdge
from edgewise.inference.question import Question
from edgewise.inference.score import ScoreTest


@dataclass(frozen=True, eq=False, slots=True)
class Decision:
    """P-values (logarithms) and decisions of the pairs above the diagonal, and the threshold."""

    log_pvalue: FloatArray
    log_adjusted: FloatArray
    reject: BoolArray
    threshold: float | FloatArray
    uncertainty: Uncertainty
    radius: float | None = None
    rows_needed: int | None = None


def decision(measurement: Measurement, question: Question) -> Decision:
    """Decide at the level, for the correction and the effect of the question."""
    uncertainty = measurement.uncertainty
    if isinstance(uncertainty, Bound):
        return _at_once(measurement, uncertainty, question)
    if isinstance(uncertainty, PerEdge | ScoreTest):
        return _one_by_one(measurement, uncertainty, question)
    raise TypeError(f"uncertainty: unexpected {type(uncertainty).__name__}")


def _one_by_one(measurement: Measurement, own: PerEdge | ScoreTest, question: Question) -> Decision:
    """Every edge from its own statistic, then corrected for their number."""
    alpha, effect = question.alpha, question.min_effect
    log_p = own.log_pvalues(measurement, effect)
    if question.correction == "maxt":
        return _by_the_largest(measurement, own, question, log_p)
    log_adjusted = adjust(log_p, question.correction)
    reject = log_adjusted <= math.log(alpha)
    log_level = log_critical_level(len(log_p), int(reject.sum()), alpha, question.correction)
    threshold = own.threshold(measurement, effect, log_level)
    return Decision(log_p, log_adjusted, reject, threshold, own)


def _by_the_largest(
    measurement: Measurement, own: PerEdge | ScoreTest, question: Question, log_p: FloatArray
) -> Decision:
    """Corrected by the law of the largest statistic."""
    maxima = _resampled(measurement, question)
    if not isinstance(own, PerEdge):
        raise TypeError("maxima: expected with one reference for all pairs")
    log_alpha = math.log(question.alpha)
    log_adjusted = maxima.log_adjusted(pairs_of(measurement.statistic), own.reference)
    reject = log_adjusted <= log_alpha
    # Step-down: the pairs that are left are compared with the largest of their own statistics.
    of_all, of_left = maxima.maxima(~reject)
    left = critical_of_maxima(of_left, log_alpha, own.reference)
    log_level = float(own.reference.log_two_sided(np.array([left]))[0])
    own = replace(own, maxima=of_all)
    threshold = own.threshold(measurement, question.min_effect, log_level)
    return Decision(log_p, log_adjusted, reject, threshold, own)


def _resampled(measurement: Measurement, question: Question) -> MaxStatistic:
    if measurement.maxima is None:
        raise ParameterError(
            "correction: 'maxt' resamples batches of rows, which method "
            f"{measurement.method!r} does not keep; use method='batch', or correction='holm'."
        )
    if question.min_effect.value:
        raise ParameterError(
            "min_effect: 'maxt' tests for an effect of zero only, got a minimal effect of "
            f"{question.min_effect.value:g}; use correction='holm'."
        )
    return measurement.maxima


def _at_once(measurement: Measurement, bound: Bound, question: Question) -> Decision:
    """An edge where the bound |Θ̂_ij − Θ_ij| ≤ τu_ij leaves no room for the null."""
    alpha, effect, n = question.alpha, question.min_effect, measurement.estimate.n_samples
    epsilon = bound.radius.epsilon(alpha)
    tau, rows_needed = bound.transfer.tau(epsilon), None
    if math.isinf(tau):
        rows_needed = bound.rows_until_finite(n, alpha)
        _warn_too_few(measurement.method, n, rows_needed)
    log_p = bound.log_pvalues(measurement, effect)
    return Decision(
        log_p,
        log_p.copy(),
        pairs_of(bound.rejects(measurement, effect, tau)),
        bound.threshold(measurement.precision, effect, tau),
        bound,
        radius=epsilon,
        rows_needed=rows_needed,
    )


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

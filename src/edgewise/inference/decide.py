"""From a measurement and a question to decisions about its pairs, once for all methods."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from edgewise._linalg import BoolArray, FloatArray, pairs_of
from edgewise.errors import ParameterError, TooFewRowsWarning, warn
from edgewise.inference.corrections import adjust, log_critical_level
from edgewise.inference.measurement import Measurement
from edgewise.inference.question import Question
from edgewise.inference.uncertainty import Estimated, Uncertainty


@dataclass(frozen=True, slots=True)
class PerEdgeThreshold:
    """The thresholds of pairs, computed when they are needed: that takes as long as a small test."""

    log_level: float
    effect: float

    def of(
        self, uncertainty: Uncertainty, estimated: Estimated, tested: BoolArray | None
    ) -> FloatArray:
        """A symmetric matrix: NaN for pairs that are not tested."""
        threshold = uncertainty.threshold(estimated, self.log_level, self.effect)
        return threshold if tested is None else np.where(tested, threshold, np.nan)


@dataclass(frozen=True, eq=False, slots=True)
class Decision:
    """Log p-values and decisions of the pairs above the diagonal, and the threshold.

    Pairs that are not `tested` (None: all are) have NaN and are not edges.
    """

    log_pvalue: FloatArray
    log_adjusted: FloatArray
    reject: BoolArray
    threshold: float | FloatArray | PerEdgeThreshold
    radius: float | None = None
    rows_needed: int | None = None
    tested: BoolArray | None = None


def decision(measurement: Measurement, question: Question) -> tuple[Measurement, Decision]:
    """The decision, and the measurement with what intervals need and without what they do not."""
    tested = question.tested(measurement.feature_names)
    measurement = within_family(measurement, tested)
    own = measurement.uncertainty
    if own.simultaneous:
        made = _at_once(measurement, question)
    elif question.correction == "maxt":
        made, own = _by_the_largest(measurement, question, tested)
    else:
        made = _one_by_one(measurement, question, tested)
    if measurement.maxima is not None:
        measurement = replace(measurement, uncertainty=own, maxima=None)
    if tested is None:
        return measurement, made
    family, threshold = pairs_of(tested), made.threshold
    if isinstance(threshold, np.ndarray):
        threshold = np.where(tested, threshold, np.nan)
    return measurement, replace(
        made,
        log_pvalue=np.where(family, made.log_pvalue, np.nan),
        log_adjusted=np.where(family, made.log_adjusted, np.nan),
        reject=made.reject & family,
        threshold=threshold,
        tested=tested,
    )


def within_family(measurement: Measurement, tested: BoolArray | None) -> Measurement:
    """The same, whose draws of the largest statistic, and bound, are those of the tested pairs.

    And of the diagonal entries of their columns: intervals of partial correlations need them.
    """
    if tested is None or measurement.maxima is None:
        return measurement
    if not measurement.maxima.diagonal:
        return replace(measurement, maxima=replace(measurement.maxima, entries=tested))
    entries = tested | np.diag(tested.any(axis=0))
    maxima = replace(measurement.maxima, entries=entries)
    bound = measurement.uncertainty.with_maxima(maxima.largest(), int(np.triu(entries).sum()))
    return replace(measurement, maxima=maxima, uncertainty=bound)


def _one_by_one(measurement: Measurement, question: Question, tested: BoolArray | None) -> Decision:
    """Every edge from its own statistic, then corrected for the number of pairs in the family."""
    own, alpha = measurement.uncertainty, question.alpha
    log_p = own.log_pvalues(measurement, question.min_effect)
    family = np.ones(len(log_p), bool) if tested is None else pairs_of(tested)
    log_adjusted = np.full(len(log_p), np.nan)
    log_adjusted[family] = adjust(log_p[family], question.correction)
    reject = log_adjusted <= math.log(alpha)
    n_pairs, found = int(family.sum()), int(reject.sum())
    log_level = log_critical_level(n_pairs, found, alpha, question.correction)
    return Decision(log_p, log_adjusted, reject, PerEdgeThreshold(log_level, question.min_effect))


def _by_the_largest(
    measurement: Measurement, question: Question, tested: BoolArray | None
) -> tuple[Decision, Uncertainty]:
    """Corrected by the law of the largest statistic of the family."""
    own, maxima = measurement.uncertainty, measurement.maxima
    if maxima is None:
        raise ParameterError(
            "correction: 'maxt' resamples batches of rows, which method "
            f"{measurement.method!r} does not keep; use correction='holm'."
        )
    if question.min_effect:
        raise ParameterError(
            "min_effect: 'maxt' tests for an effect of zero only, got a minimal effect of "
            f"{question.min_effect:g}; use correction='holm'."
        )
    log_p, log_alpha = own.log_pvalues(measurement), math.log(question.alpha)
    family = np.ones(len(log_p), bool) if tested is None else pairs_of(tested)
    log_adjusted = np.full(len(log_p), np.nan)
    log_adjusted[family], log_level, own = own.step_down(
        measurement.statistic, maxima, family, log_alpha
    )
    threshold = PerEdgeThreshold(log_level, 0.0)
    return Decision(log_p, log_adjusted, log_adjusted <= log_alpha, threshold), own


def _at_once(measurement: Measurement, question: Question) -> Decision:
    """An edge where the bound |Θ̂_ij − Θ_ij| ≤ τu_ij leaves no room for the null."""
    bound, n = measurement.uncertainty, measurement.estimate.n_samples
    found = bound.decide(measurement, n, question.alpha, *question.effect)
    if np.isposinf(found.threshold).all():
        _warn_too_few(measurement, found.rows_needed)
    log_p = bound.log_pvalues(measurement, *question.effect)
    return Decision(
        log_p,
        log_p.copy(),
        found.reject,
        found.threshold,
        radius=found.epsilon,
        rows_needed=found.rows_needed,
    )


def _warn_too_few(measurement: Measurement, rows_needed: int | None) -> None:
    if rows_needed is not None:
        would_do = f"about {rows_needed:,} rows would make it finite, or"
    elif measurement.options.get("standardize") is False:
        would_do = "standardize=True may help, or"
    else:
        would_do = "more rows like these would not make it finite;"
    warn(
        f"method {measurement.method!r} has an infinite threshold with "
        f"{measurement.estimate.n_samples:,} rows, so it finds no edge; {would_do} use "
        "method='score'.",
        TooFewRowsWarning,
    )

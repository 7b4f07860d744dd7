"""From a measurement and a question to decisions about its pairs, once for all methods."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from edgewise._linalg import BoolArray, FloatArray, pairs_of
from edgewise.errors import ParameterError, TooFewRowsWarning, warn
from edgewise.inference.corrections import adjust, level_of_maxima, log_critical_level
from edgewise.inference.measurement import Measurement
from edgewise.inference.question import Question
from edgewise.inference.uncertainty import Bound, LargestRadius, PerEdge


@dataclass(frozen=True, eq=False, slots=True)
class Decision:
    """Log p-values and decisions of the pairs above the diagonal, and the threshold.

    Pairs that are not `tested` have NaN. Thresholds of each pair follow from `log_level` if needed.
    """

    log_pvalue: FloatArray
    log_adjusted: FloatArray
    reject: BoolArray
    threshold: float | FloatArray | None = None
    log_level: float | None = None
    radius: float | None = None
    rows_needed: int | None = None
    tested: BoolArray | None = None


def decision(measurement: Measurement, question: Question) -> tuple[Measurement, Decision]:
    """The decision, and the measurement with what intervals need and without what they do not."""
    tested = question.tested(measurement.feature_names)
    if measurement.maxima is not None:
        measurement = within_family(measurement, tested)
    own, alpha = measurement.uncertainty, question.alpha
    effect, scale = question.min_effect, question.effect_scale
    log_p = own.log_pvalues(measurement, effect, scale)
    family = np.ones(len(log_p), bool) if tested is None else pairs_of(tested)
    log_p = np.where(family, log_p, np.nan)
    if isinstance(own, Bound):
        # An edge where the bound |Θ̂_ij − Θ_ij| ≤ τu_ij leaves no room for the null.
        n = measurement.estimate.n_samples
        epsilon, reject, threshold, rows = own.decide(measurement, n, alpha, effect, scale)
        if np.isposinf(threshold).all():
            _warn_too_few(measurement, rows)
        if tested is not None and isinstance(threshold, np.ndarray):
            threshold = np.where(tested, threshold, np.nan)
        made = Decision(
            log_p, log_p.copy(), reject & family, threshold, None, epsilon, rows, tested
        )
    else:
        log_adjusted = np.full(len(log_p), np.nan)
        if question.correction == "maxt":
            log_adjusted[family], log_level, own = _step_down(measurement, question, family)
            reject = log_adjusted <= math.log(alpha)
        else:
            log_adjusted[family] = adjust(log_p[family], question.correction)
            reject = log_adjusted <= math.log(alpha)
            counts = int(family.sum()), int(reject.sum())
            log_level = log_critical_level(*counts, alpha, question.correction)
        made = Decision(log_p, log_adjusted, reject, log_level=log_level, tested=tested)
    if measurement.maxima is not None:
        measurement = replace(measurement, uncertainty=own, maxima=None)
    return measurement, made


def within_family(measurement: Measurement, tested: BoolArray | None) -> Measurement:
    """The same, whose draws of the largest statistic, and bound, are those of the tested pairs."""
    maxima, own = measurement.maxima, measurement.uncertainty
    if tested is None or maxima is None:
        return measurement
    if isinstance(own, Bound) and isinstance(own.radius, LargestRadius):
        tested = tested | np.diag(tested.any(axis=0))
        maxima, n_entries = replace(maxima, entries=tested), int(np.triu(tested).sum())
        radius = replace(own.radius, maxima=maxima.largest(), n_entries=n_entries)
        own = replace(own, radius=radius)
    return replace(measurement, maxima=replace(maxima, entries=tested), uncertainty=own)


def _step_down(
    measurement: Measurement, question: Question, family: BoolArray
) -> tuple[FloatArray, float, PerEdge]:
    """Log adjusted p-values, the level of a pair, and the uncertainty with the law of the maximum."""
    own, maxima = measurement.uncertainty, measurement.maxima
    if maxima is None or not isinstance(own, PerEdge):
        raise ParameterError(
            "correction: 'maxt' resamples batches of rows, which method "
            f"{measurement.method!r} does not keep; use correction='holm'."
        )
    if question.min_effect:
        raise ParameterError(
            "min_effect: 'maxt' tests for an effect of zero only, got a minimal effect of "
            f"{question.min_effect:g}; use correction='holm'."
        )
    log_alpha, reference = math.log(question.alpha), own.reference.of_pairs(family)
    # The pairs that are left are compared with the largest of their own statistics.
    log_adjusted, of_all, of_left = maxima.step_down(
        pairs_of(measurement.statistic)[family], reference, log_alpha
    )
    return log_adjusted, level_of_maxima(of_left, log_alpha), replace(own, maxima=of_all)


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

"""From a measurement and a question to decisions about its pairs, once for all methods."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from edgewise._linalg import BoolArray, FloatArray, pairs_of
from edgewise.errors import ParameterError, TooFewRowsWarning, warn
from edgewise.inference.bound import Bound
from edgewise.inference.corrections import adjust, log_critical_level
from edgewise.inference.effect import MinEffect
from edgewise.inference.largest import LargestRadius
from edgewise.inference.max_statistic import MaxStatistic, level_of_maxima
from edgewise.inference.measurement import Estimated, Measurement, Uncertainty
from edgewise.inference.per_edge import PerEdge
from edgewise.inference.question import Question
from edgewise.inference.reference import StudentOfEach
from edgewise.inference.score import ScoreTest
from edgewise.paper.transfers import WhitenedTransfer


@dataclass(frozen=True, slots=True)
class PerEdgeThreshold:
    """Says how the thresholds of pairs are found; that takes as long as a small test."""

    effect: MinEffect
    log_level: float

    def of(
        self, own: PerEdge | ScoreTest, estimated: Estimated, tested: BoolArray | None
    ) -> FloatArray:
        """A symmetric matrix: NaN on the diagonal, and for pairs that are not tested."""
        threshold = own.threshold(estimated, self.effect, self.log_level)
        np.fill_diagonal(threshold, np.nan)
        return threshold if tested is None else np.where(tested, threshold, np.nan)


@dataclass(frozen=True, eq=False, slots=True)
class Decision:
    """P-values (logarithms) and decisions of the pairs above the diagonal, and the threshold.

    `tested` marks the pairs of the family in a symmetric matrix; None where that is all of them.
    The numbers of other pairs are NaN, and they are not edges.
    """

    log_pvalue: FloatArray
    log_adjusted: FloatArray
    reject: BoolArray
    threshold: float | FloatArray | PerEdgeThreshold
    uncertainty: Uncertainty
    radius: float | None = None
    rows_needed: int | None = None
    tested: BoolArray | None = None


def decision(measurement: Measurement, question: Question) -> Decision:
    """Decide at the level, for the correction, the effect and the family of the question."""
    tested = question.family.tested(measurement.feature_names)
    measurement = within_family(measurement, tested)
    uncertainty = measurement.uncertainty
    if isinstance(uncertainty, Bound):
        made = _at_once(measurement, uncertainty, question)
    elif isinstance(uncertainty, PerEdge | ScoreTest):
        made = _one_by_one(measurement, uncertainty, question, tested)
    else:
        raise TypeError(f"uncertainty: unexpected {type(uncertainty).__name__}")
    return made if tested is None else _of_family(made, tested)


def within_family(measurement: Measurement, tested: BoolArray | None) -> Measurement:
    """The same measurement, whose draws of the largest statistic are those of the tested pairs.

    A bound that is made from such draws gets smaller. It is then one on the tested pairs and on the
    diagonal entries of their columns, which intervals of partial correlations need too.
    """
    if tested is None or measurement.maxima is None:
        return measurement
    if not measurement.maxima.diagonal:
        return replace(measurement, maxima=replace(measurement.maxima, entries=tested))
    entries = tested | np.diag(tested.any(axis=0))
    maxima = replace(measurement.maxima, entries=entries)
    bound = measurement.uncertainty
    if not isinstance(bound, Bound) or not isinstance(bound.radius, LargestRadius):
        raise TypeError("uncertainty: expected a bound on the largest of all entries")
    n_entries = int(np.triu(entries).sum())
    radius = replace(bound.radius, maxima=maxima.largest(), n_entries=n_entries)
    return replace(measurement, maxima=maxima, uncertainty=replace(bound, radius=radius))


def _of_family(made: Decision, tested: BoolArray) -> Decision:
    """Without the pairs that are not tested."""
    own = pairs_of(tested)
    threshold = made.threshold
    if isinstance(threshold, np.ndarray):
        threshold = np.where(tested, threshold, np.nan)
    return replace(
        made,
        log_pvalue=np.where(own, made.log_pvalue, np.nan),
        log_adjusted=np.where(own, made.log_adjusted, np.nan),
        reject=made.reject & own,
        threshold=threshold,
        tested=tested,
    )


def _one_by_one(
    measurement: Measurement,
    own: PerEdge | ScoreTest,
    question: Question,
    tested: BoolArray | None,
) -> Decision:
    """Every edge from its own statistic, then corrected for the number of pairs in the family."""
    alpha, effect = question.alpha, question.min_effect
    log_p = own.log_pvalues(measurement, effect)
    family = np.ones(len(log_p), bool) if tested is None else pairs_of(tested)
    if question.correction == "maxt":
        return _by_the_largest(measurement, own, question, log_p, family)
    log_adjusted = np.full(len(log_p), np.nan)
    log_adjusted[family] = adjust(log_p[family], question.correction)
    reject = log_adjusted <= math.log(alpha)
    n_pairs, found = int(family.sum()), int(reject.sum())
    log_level = log_critical_level(n_pairs, found, alpha, question.correction)
    return Decision(log_p, log_adjusted, reject, PerEdgeThreshold(effect, log_level), own)


def _by_the_largest(
    measurement: Measurement,
    own: PerEdge | ScoreTest,
    question: Question,
    log_p: FloatArray,
    family: BoolArray,
) -> Decision:
    """Corrected by the law of the largest statistic of the family."""
    maxima = _resampled(measurement, question)
    if not isinstance(own, PerEdge):
        raise TypeError("maxima: expected with one reference for all pairs")
    log_alpha = math.log(question.alpha)
    log_adjusted = np.full(len(log_p), np.nan)
    reference = own.reference.of_pairs()
    if isinstance(reference, StudentOfEach):
        reference = StudentOfEach(reference.degrees[family])
    log_adjusted[family] = maxima.log_adjusted(pairs_of(measurement.statistic)[family], reference)
    reject = log_adjusted <= log_alpha
    # Step-down: the pairs that are left are compared with the largest of their own statistics.
    of_all, of_left = maxima.maxima(~reject[family])
    log_level = level_of_maxima(of_left, log_alpha)
    own = replace(own, maxima=of_all)
    threshold = PerEdgeThreshold(question.min_effect, log_level)
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
        units_matter = not isinstance(bound.transfer, WhitenedTransfer)
        _warn_too_few(measurement.method, n, rows_needed, units_matter)
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


def _warn_too_few(method: str, n_samples: int, rows_needed: int | None, units_matter: bool) -> None:
    if rows_needed is not None:
        would_do = f"about {rows_needed:,} rows would make it finite, or"
    elif units_matter:
        would_do = "standardize=True may help, or"
    else:
        would_do = "more rows like these would not make it finite;"
    warn(
        f"method {method!r} has an infinite threshold with {n_samples:,} rows, so it finds no "
        f"edge; {would_do} use method='score'.",
        TooFewRowsWarning,
    )

"""From measurements and a question to a result, of one group or of two."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from edgewise._linalg import BoolArray, FloatArray, off_diagonal, pairs_of, symmetric
from edgewise.inference.cautions import Caution
from edgewise.inference.corrections import DRAWS, adjust
from edgewise.inference.decide import decision
from edgewise.inference.differences import GroupDifference, GroupZ, PermutedTests, log_any
from edgewise.inference.measurement import Measurement
from edgewise.inference.question import Question
from edgewise.results.difference import EdgeDifferenceResult
from edgewise.results.result import EdgeTestResult

_TINY = float(np.finfo(float).tiny)


def decide(measurement: Measurement, question: Question) -> EdgeTestResult:
    """Levels, families, corrections, effects and thresholds: once, for all methods."""
    made = decision(measurement, question)
    estimate, rows = measurement.estimate, measurement.provenance
    p = len(measurement.feature_names)
    log_p = symmetric(made.log_pvalue, p, diagonal=np.nan)
    statistic = measurement.statistic.copy()
    statistic[~off_diagonal(p) if made.tested is None else ~made.tested] = np.nan
    threshold: Any = made.threshold
    if isinstance(threshold, np.ndarray):
        np.fill_diagonal(threshold, np.nan)
    errors: dict[str, Any] = {}
    if not made.uncertainty.simultaneous:
        of_precision, of_partial = made.uncertainty.errors(measurement)
        errors["standard_error"] = of_precision
        errors["partial_correlation_standard_error"] = of_partial
    return EdgeTestResult(
        method=measurement.method,
        why=measurement.why,
        alpha=question.alpha,
        correction=question.correction,
        options=_options(measurement) | _effect(question),
        n_samples=estimate.n_samples,
        n_features=p,
        feature_names=measurement.feature_names,
        covariance=estimate.covariance,
        precision=estimate.precision,
        partial_correlation=estimate.partial_correlation,
        statistic=statistic,
        log_pvalue=log_p,
        pvalue=probabilities(log_p),
        adjusted_pvalue=probabilities(
            symmetric(made.log_adjusted, p, diagonal=np.nan),
            DRAWS if question.correction == "maxt" else None,
        ),
        reject=symmetric(made.reject, p, diagonal=False),
        threshold=threshold,
        radius=made.radius,
        rows_needed=made.rows_needed,
        n_dropped=rows.n_dropped,
        files=rows.files,
        cautions=measurement.cautions,
        uncertainty=made.uncertainty,
        tested=made.tested,
        selection=measurement.selection,
        n_missing=rows.n_missing,
        n_dropped_alone=rows.n_dropped_alone,
        pair_rows=rows.pair_rows,
        **errors,
    )


def _options(measurement: Measurement) -> dict[str, Any]:
    return {**measurement.options, **measurement.provenance.options()}


def _effect(question: Question) -> dict[str, Any]:
    """What a result records about the minimal effect; empty if there is none."""
    if question.min_effect == 0:
        return {}
    return {"min_effect": question.min_effect, "effect_scale": question.effect_scale}


def probabilities(log_p: FloatArray, draws: int | None = None) -> FloatArray:
    """exp, but never zero: zero would claim a certainty that no test gives.

    Of so many draws, the p-values are multiples of 1/(draws + 1), to the last digit: rounding must
    not lift one above a level that it keeps.
    """
    p = np.maximum(np.exp(log_p), _TINY)
    return p if draws is None else np.rint(p * (draws + 1)) / (draws + 1)


@dataclass(frozen=True, eq=False, slots=True)
class TwoGroups:
    """What a method measured in two groups, with the same columns in the same order.

    Attributes
    ----------
    names : tuple of two str
        The names of the groups.
    first, second : Measurement
        What was measured.
    """

    names: tuple[str, str]
    first: Measurement
    second: Measurement

    def difference(self, n_tests: int) -> GroupDifference:
        """The two on Fisher's scale."""
        first, second = (
            GroupZ.of(one.partial_correlation, one.uncertainty) for one in (self.first, self.second)
        )
        return GroupDifference(first, second, n_tests)


@dataclass(frozen=True, eq=False, slots=True)
class _Decided:
    """The pairs above the diagonal of one comparison."""

    log_pvalue: FloatArray
    log_adjusted: FloatArray
    log_global: float


def decide_differences(
    compared: Sequence[TwoGroups], question: Question, draws: FloatArray | None = None
) -> list[EdgeDifferenceResult]:
    """A result for each comparison; the correction is over the tested pairs of all of them.

    `draws` are the statistics of all comparisons after permutations, one permutation in each row.
    """
    names = compared[0].first.feature_names
    pairs = len(names) * (len(names) - 1) // 2
    alpha, correction, tested = question.alpha, question.correction, question.tested(names)
    own = np.ones(pairs, dtype=bool) if tested is None else pairs_of(tested)
    every = np.tile(own, len(compared))
    differences = [groups.difference(int(every.sum())) for groups in compared]
    permuted = None
    if draws is None:
        log_p = np.concatenate([one.log_pvalues() for one in differences])
    else:
        sizes = np.concatenate([np.abs(pairs_of(one.statistic())) for one in differences])
        permuted = PermutedTests.of(sizes, np.abs(draws), every)
        log_p = permuted.log_pvalue
    if permuted is not None and correction == "maxt":
        log_adjusted = permuted.log_adjusted
    else:
        log_adjusted = np.full(len(log_p), np.nan)
        log_adjusted[every] = adjust(log_p[every], correction)
    results = []
    for k, (groups, difference) in enumerate(zip(compared, differences, strict=True)):
        part = slice(k * pairs, (k + 1) * pairs)
        log_global = log_any(log_p[part][own], int(own.sum()))
        if permuted is not None:
            difference = replace(difference, permuted=permuted.maxima(part, alpha))
            log_global = permuted.log_any(part)
        decided = _Decided(np.where(own, log_p[part], np.nan), log_adjusted[part], log_global)
        results.append(_result(groups, difference, decided, alpha, correction, draws, tested))
    return results


def _result(
    groups: TwoGroups,
    difference: GroupDifference,
    decided: _Decided,
    alpha: float,
    correction: str | None,
    draws: FloatArray | None,
    tested: BoolArray | None,
) -> EdgeDifferenceResult:
    a, b = groups.first, groups.second
    p = len(a.feature_names)
    errors = [one.uncertainty.errors(one)[1] for one in (a, b)]
    log_p = symmetric(decided.log_pvalue, p, diagonal=np.nan)
    reject = decided.log_adjusted <= math.log(alpha)
    statistic, count = difference.statistic(), None if draws is None else len(draws)
    return EdgeDifferenceResult(
        method=a.method,
        why=a.why,
        alpha=alpha,
        correction=correction,
        permutations=count,
        options=_records(a, b),
        group_names=groups.names,
        n_samples=(a.estimate.n_samples, b.estimate.n_samples),
        n_dropped=(a.provenance.n_dropped, b.provenance.n_dropped),
        n_features=p,
        feature_names=a.feature_names,
        n_tests=difference.n_tests,
        partial_correlation_a=a.partial_correlation,
        partial_correlation_b=b.partial_correlation,
        standard_error_a=errors[0],
        standard_error_b=errors[1],
        difference=a.partial_correlation - b.partial_correlation,
        standard_error=np.hypot(*errors),
        statistic=statistic if tested is None else np.where(tested, statistic, np.nan),
        log_pvalue=log_p,
        pvalue=probabilities(log_p, count),
        adjusted_pvalue=probabilities(
            symmetric(decided.log_adjusted, p, diagonal=np.nan),
            count if correction in ("maxt", None) else None,
        ),
        reject=symmetric(reject, p, diagonal=False),
        global_pvalue=float(probabilities(np.array(decided.log_global), count)),
        cautions=_cautions(groups),
        uncertainty=difference,
        tested=tested,
        files=(a.provenance.files, b.provenance.files),
    )


def _records(a: Measurement, b: Measurement) -> dict[str, Any]:
    """What was recorded about each group, as a pair where the two differ."""
    first, second = _options(a), _options(b)
    shared = {name: (first[name], second[name]) for name in first if name in second}
    return {name: pair[0] if pair[0] == pair[1] else [*pair] for name, pair in shared.items()}


def _cautions(groups: TwoGroups) -> tuple[Caution, ...]:
    """Those of both groups, each with the name of its group; first what breaks the guarantee."""
    told = [
        Caution(f"Group {name!r}: {caution}", caution.kind, caution.breaks)
        for name, measured in zip(groups.names, (groups.first, groups.second), strict=True)
        for caution in measured.cautions
    ]
    return tuple(sorted(told, key=lambda caution: not caution.breaks))

"""From a measurement and a question to a result."""

from __future__ import annotations

from typing import Any

import numpy as np

from edgewise._base.matrices import off_diagonal, symmetric
from edgewise.inference.decide import decision
from edgewise.inference.effect import MinEffect
from edgewise.inference.max_statistic import DRAWS
from edgewise.inference.measurement import Measurement
from edgewise.inference.per_edge import PerEdge
from edgewise.inference.question import Question
from edgewise.inference.score import ScoreTest
from edgewise.results.probabilities import probabilities
from edgewise.results.result import EdgeTestResult


def decide(measurement: Measurement, question: Question) -> EdgeTestResult:
    """Levels, families, corrections, effects and thresholds: once, for all methods."""
    made = decision(measurement, question)
    estimate, p = measurement.estimate, len(measurement.feature_names)
    log_p = symmetric(made.log_pvalue, p, diagonal=np.nan)
    statistic = measurement.statistic.copy()
    statistic[~off_diagonal(p) if made.tested is None else ~made.tested] = np.nan
    threshold: Any = made.threshold
    if isinstance(threshold, np.ndarray):
        np.fill_diagonal(threshold, np.nan)
    errors: dict[str, Any] = {}
    if isinstance(made.uncertainty, PerEdge | ScoreTest):
        of_precision, of_partial = made.uncertainty.errors(measurement)
        errors["standard_error"] = of_precision
        errors["partial_correlation_standard_error"] = of_partial
    return EdgeTestResult(
        method=measurement.method,
        alpha=question.alpha,
        correction=question.correction,
        options={**measurement.record, **_effect_record(question.min_effect)},
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
        n_dropped=measurement.n_dropped,
        files=measurement.files,
        cautions=measurement.cautions,
        uncertainty=made.uncertainty,
        tested=made.tested,
        selection=measurement.selection,
        n_missing=measurement.n_missing,
        n_dropped_alone=measurement.n_dropped_alone,
        pair_rows=measurement.pair_rows,
        **errors,
    )


def _effect_record(effect: MinEffect) -> dict[str, Any]:
    """What a result records about the minimal effect; empty if there is none."""
    if effect.value == 0:
        return {}
    return {"min_effect": effect.value, "effect_scale": effect.scale}

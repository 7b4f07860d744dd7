"""A fixed computing budget: how many rows to read, and which of the paper's tests to run on them.

The trace test costs O(np²) and affords n ∝ N/p² rows, the eigenvalue test O(np⁴) and n ∝ N/p⁴; its
threshold is smaller for the same rows. Which wins depends on the machine and the data, so both are
measured on a small sample.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgewise._base.checks import check_real
from edgewise.bounds.radius import NormalRadius
from edgewise.bounds.transfer import FrobeniusTransfer
from edgewise.covcov.closed_form import covcov_trace
from edgewise.covcov.solver import covcov_largest, predicted_seconds
from edgewise.errors import ParameterError
from edgewise.estimators.inverse import estimate_precision
from edgewise.methods.method import Question
from edgewise.rows.table import Source, in_memory
from edgewise.rows.views import StridedRows
from edgewise.states.first_pass import read_once
from edgewise.states.moments import Moments

_PILOT_ROWS = 8192
# Part of the budget is spent before and after the rows are read; leave it some room.
_USABLE = 0.8
# Measuring the eigenvalue test must not eat the budget itself.
_PILOT_SHARE = 0.2
#: With a budget, "score" (the default) leaves the choice open.
BUDGET_METHODS = ("score", "trace", "eig")


@dataclass(frozen=True, eq=False, slots=True)
class BudgetPlan:
    """What was chosen, and the sample of rows that fits the budget."""

    method: str
    source: Source
    budget: float
    rows_available: int
    step: int

    def record(self) -> dict[str, Any]:
        return {
            "budget": self.budget,
            "rows_available": self.rows_available,
            "sampling": "all rows" if self.step == 1 else f"one row in {self.step}",
        }


def plan_budget(source: Source, budget: object, method: str, question: Question) -> BudgetPlan:
    """Measure both tests on a pilot sample and choose rows and test for `budget` seconds."""
    seconds = check_real("budget", budget, above=0, hint=" It is a time in seconds.")
    rows = source.n_rows
    if rows is None:
        raise ParameterError(
            "budget: expected data whose number of rows is known beforehand, got CSV, a stream or "
            "drop_missing; pass an array, a table or Parquet without missing values."
        )
    pilot = StridedRows(source, max(1, rows // _PILOT_ROWS))
    moments, trace_rate = _timed_first_pass(pilot)
    estimate = estimate_precision(moments, source.feature_names)
    n, p = moments.n_samples, len(source.feature_names)
    eigenvalues = np.linalg.eigvalsh(estimate.covariance).astype(np.float64)
    variances = {"trace": 2 * covcov_trace(moments)}
    rates = {"trace": trace_rate}
    if method == "eig" or (method != "trace" and predicted_seconds(n, p) < _PILOT_SHARE * seconds):
        start = time.perf_counter()
        largest, _ = covcov_largest(
            pilot.batches, moments, solver="auto", in_memory=in_memory(source)
        )
        rates["eig"] = 1 / (1 / trace_rate + (time.perf_counter() - start) / n)
        variances["eig"] = 2 * largest
    wanted = [method] if method in variances else list(variances)
    affordable = {name: _affordable(seconds, rates[name], rows) for name in wanted}

    def predicted(name: str) -> tuple[float, float]:
        """Threshold at the affordable rows; where infinite, the radius decides."""
        radius = NormalRadius(variances[name] * n / affordable[name]).epsilon(question.alpha)
        return FrobeniusTransfer(eigenvalues).tau(radius), radius

    best = min(wanted, key=predicted)
    if affordable[best] <= p:
        raise ParameterError(
            f"budget: expected enough seconds for more rows than the {p} columns, got {seconds:g}, "
            f"which pay for {affordable[best]} rows; spend more."
        )
    step = -(-rows // affordable[best])
    chosen = source if step == 1 else StridedRows(source, step)
    return BudgetPlan(best, chosen, seconds, rows, step)


def _timed_first_pass(pilot: Source) -> tuple[Moments, float]:
    start = time.perf_counter()
    moments = read_once(pilot, order=4)
    return moments, moments.n_samples / (time.perf_counter() - start)


def _affordable(seconds: float, rate: float, rows: int) -> int:
    return int(np.clip(_USABLE * seconds * rate, 3, rows))

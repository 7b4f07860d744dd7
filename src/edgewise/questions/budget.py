"""A fixed computing budget: how many rows to read, and which test to run on them.

The trace test costs O(np²) and affords n ∝ N/p² rows, the eigenvalue test O(np⁴) and n ∝ N/p⁴; its
threshold is smaller for the same rows. Which wins depends on the machine and the data, so both are
measured on a small sample.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgewise._base.checks import check_real
from edgewise._base.warn import without_warnings
from edgewise.errors import ParameterError
from edgewise.evidence.evidence import Evidence
from edgewise.evidence.opening import evidence_of_table
from edgewise.inference.bound import Bound
from edgewise.methods.method import Method
from edgewise.methods.registry import DEFAULT_METHOD, method_of, registered
from edgewise.rows.table import Table
from edgewise.rows.views import StridedRows

_PILOT_ROWS = 8192
# Part of the budget is spent before and after the rows are read; leave some time for it.
_USABLE = 0.8
# Trying a test must not use up the budget.
_PILOT_SHARE = 0.2


@dataclass(frozen=True, eq=False, slots=True)
class BudgetPlan:
    """What was chosen, and the sample of rows that fits the budget."""

    method: Method
    table: Table
    seconds: float
    rows_available: int
    step: int

    def record(self) -> dict[str, Any]:
        """What the result records about it."""
        return {
            "budget": self.seconds,
            "rows_available": self.rows_available,
            "sampling": "all rows" if self.step == 1 else f"one row in {self.step}",
        }

    def evidence(self) -> Evidence:
        """The evidence that the chosen method needs, from the sampled rows."""
        return evidence_of_table(self.table, self.method.needs, f"method {self.method.name!r}")


def candidates(method: str | Method, options: Mapping[str, Any]) -> list[Method]:
    """The methods that a budget chooses from: all that support it, or only the named one."""
    able = [kind for kind in registered().values() if kind.fits_budget]
    if method == DEFAULT_METHOD:
        return [method_of(kind.name, options) for kind in able]
    chosen = method_of(method, options)
    if not chosen.fits_budget:
        names = " and ".join(repr(kind.name) for kind in able)
        raise ParameterError(
            f"budget: it chooses between the methods {names}, got method={chosen.name!r}; leave "
            "method out, or name one of the two."
        )
    return [chosen]


def plan_budget(
    table: Table, budget: object, methods: Sequence[Method], alpha: float
) -> BudgetPlan:
    """Try the methods on a pilot sample, and choose rows and method for `budget` seconds."""
    seconds = check_real("budget", budget, above=0, hint=" It is a time in seconds.")
    parts = table.part_rows()
    if parts is None or len(parts) > 1:
        raise ParameterError(
            "budget: expected with rows that are here, got rows on a cluster; leave it out."
        )
    rows, p = table.n_rows, len(table.feature_names)
    if rows is None:
        raise ParameterError(
            "budget: expected data whose number of rows is known beforehand, got CSV, a stream or "
            "drop_missing; pass an array, a table or Parquet without missing values."
        )
    pilot = StridedRows(table, max(1, rows // _PILOT_ROWS))
    pilot_rows = pilot.n_rows or rows
    quick = [
        method
        for method in methods
        if method.predicted_seconds(pilot_rows, p) < _PILOT_SHARE * seconds
    ]
    tried = [_Trial.of(method, pilot, seconds, rows, alpha) for method in quick or methods[:1]]
    best = min(tried, key=lambda trial: trial.predicted)
    if best.affordable <= p:
        raise ParameterError(
            f"budget: expected enough seconds for more rows than the {p} columns, got {seconds:g}, "
            f"which is enough for {best.affordable} rows; give it more seconds."
        )
    step = -(-rows // best.affordable)
    chosen = table if step == 1 else StridedRows(table, step)
    return BudgetPlan(best.method, chosen, seconds, rows, step)


@dataclass(frozen=True, eq=False, slots=True)
class _Trial:
    """A method tried on a pilot: the rows that fit the budget, and the threshold with them.

    `predicted` is the threshold and then the radius, which decides where thresholds are infinite.
    """

    method: Method
    affordable: int
    predicted: tuple[float, float]

    @classmethod
    def of(cls, method: Method, pilot: Table, seconds: float, rows: int, alpha: float) -> _Trial:
        start = time.perf_counter()
        evidence = evidence_of_table(pilot, method.needs, f"method {method.name!r}")
        first_pass = time.perf_counter()
        with without_warnings():
            measured = method.measure(evidence)
        # The work after a single pass does not grow with the rows.
        spent = (time.perf_counter() if method.needs.reads_again else first_pass) - start
        n = measured.estimate.n_samples
        affordable = int(np.clip(_USABLE * seconds * n / spent, 3, rows))
        bound = measured.uncertainty
        if not isinstance(bound, Bound):
            raise TypeError(f"method {method.name!r}: a budget needs a bound")
        # ε falls as n^{−1/2}.
        radius = bound.radius.epsilon(alpha) * float(np.sqrt(n / affordable))
        return cls(method, affordable, (bound.transfer.tau(radius), radius))

"""The base of the methods that bound all entries of Θ at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from edgewise.bounds.radius import Radius
from edgewise.bounds.transfer import Transfer
from edgewise.estimators.inverse import PrecisionEstimate
from edgewise.evidence.evidence import Evidence
from edgewise.inference.bound import Bound
from edgewise.inference.max_statistic import MaxStatistic
from edgewise.inference.measurement import Measurement
from edgewise.methods.method import Assumes, Method
from edgewise.methods.planning import RowPlanner, rows_for_bound


@dataclass(frozen=True)
class BoundMethod(Method):
    """One threshold for all entries: a radius around Σ̂, and its transfer to Θ̂."""

    simultaneous: ClassVar[bool] = True
    assumes: ClassVar[Assumes] = Assumes.INDEPENDENT_ROWS | Assumes.FOURTH_MOMENTS
    condition: ClassVar[str] = "independent rows of any distribution with fourth moments"

    def bounded(
        self,
        evidence: Evidence,
        estimate: PrecisionEstimate,
        radius: Radius,
        transfer: Transfer,
        record: Mapping[str, Any],
        maxima: MaxStatistic | None = None,
    ) -> Measurement:
        """The measurement of a bound, whose statistic is Θ̂ itself."""
        bound = Bound(radius, transfer)
        return self.measurement(
            evidence, estimate, estimate.precision, bound, maxima=maxima, record=record
        )

    def row_planner(self, evidence: Evidence, measurement: Measurement) -> RowPlanner:
        return bound_planner(measurement)


def bound_planner(measurement: Measurement) -> RowPlanner:
    """Rows at which the bound of a pilot comes down to the effect."""
    bound = measurement.uncertainty
    if not isinstance(bound, Bound):
        raise TypeError("measurement: expected that of a bound")
    precision, n_samples = measurement.precision, measurement.estimate.n_samples
    return lambda plan: rows_for_bound(bound, precision, n_samples, plan.alpha, plan.effect)

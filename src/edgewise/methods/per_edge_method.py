"""The base of the methods that test every edge by itself."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.evidence.evidence import Evidence
from edgewise.inference.measurement import Measurement
from edgewise.methods.method import Method
from edgewise.methods.planning import (
    PairMoments,
    Plan,
    PlannedStatistic,
    RowPlanner,
    per_edge_rows,
    wanted_correlation,
)


@dataclass(frozen=True)
class PerEdgeMethod(Method):
    """A test of each edge by itself, then corrected for their number."""

    takes_transform: ClassVar[bool] = True

    @abstractmethod
    def planned(
        self, pilot: PairMoments, moments: PairMoments, wanted: FloatArray, measured: Measurement
    ) -> PlannedStatistic:
        """The statistic at the planned correlation `wanted`.

        `pilot` are the fourth moments of the pilot's residuals, `moments` those that the residuals
        would have at that correlation, `measured` is what the method measured on the pilot.
        """

    def row_planner(self, evidence: Evidence, measurement: Measurement) -> RowPlanner:
        estimate = measurement.estimate
        pilot = PairMoments.of(evidence, estimate)

        def rows(plan: Plan) -> FloatArray:
            rho, wanted = wanted_correlation(estimate, plan.effect)
            moments = pilot.at_correlation(rho, wanted)
            deviation = np.sqrt(moments.estimate_variance(wanted))
            statistic = self.planned(pilot, moments, wanted, measurement)
            return per_edge_rows(plan, statistic, deviation)

        return rows

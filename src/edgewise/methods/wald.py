"""The Wald test: sandwich standard errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from edgewise._base.matrices import root_outer
from edgewise._base.types import FloatArray
from edgewise.estimators.inverse import PrecisionEstimate
from edgewise.evidence.evidence import Evidence, Needs
from edgewise.inference.measurement import Measurement, StatisticScale
from edgewise.inference.per_edge import PerEdge
from edgewise.inference.reference import Normal
from edgewise.inference.spread import Spread
from edgewise.methods.method import Assumes
from edgewise.methods.per_edge_method import PerEdgeMethod
from edgewise.methods.planning import PairMoments, PlannedStatistic
from edgewise.methods.sandwich import residual_sums, sandwich_spread


@dataclass(frozen=True)
class Wald(PerEdgeMethod):
    """−Θ̂_ij over its sandwich standard error, standard normal under H₀.

    Guarantee: per edge, in the limit, for independent rows of any distribution with fourth moments.
    It is liberal with few rows and heavy tails, where the score test holds its level.

    Examples
    --------
    >>> import edgewise as ew
    >>> ew.edge_test(ew.datasets.load_sp500_returns(), method=ew.Wald()).method
    'wald'
    """

    name: ClassVar[str] = "wald"
    guarantee: ClassVar[str] = "per edge, many rows"
    condition: ClassVar[str] = (
        "independent rows of any distribution with fourth moments, with many rows"
    )
    assumes: ClassVar[Assumes] = (
        Assumes.INDEPENDENT_ROWS | Assumes.FOURTH_MOMENTS | Assumes.MANY_ROWS_PER_COLUMN
    )

    @property
    def needs(self) -> Needs:
        return Needs(reads_again=True)

    def measure(self, evidence: Evidence) -> Measurement:
        estimate = self.estimate(evidence)
        spread = sandwich_spread(estimate, *residual_sums(evidence, estimate))
        statistic, scale = studentised(estimate, spread)
        return self.measurement(
            evidence, estimate, statistic, PerEdge(spread, Normal()), scale=scale
        )

    def planned(
        self, pilot: PairMoments, moments: PairMoments, wanted: FloatArray, measured: Measurement
    ) -> PlannedStatistic:
        return PlannedStatistic(float(np.abs(wanted).max()), moments.product_deviation(wanted))


def studentised(estimate: PrecisionEstimate, spread: Spread) -> tuple[FloatArray, StatisticScale]:
    """−Θ̂_ij over its standard error, and the partial correlation at which that is one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = -estimate.precision / spread.precision
    return statistic, StatisticScale(spread.precision / root_outer(estimate.precision))

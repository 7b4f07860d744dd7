"""Fisher's test repaired for elliptical data: one kurtosis for all pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.errors import DataError
from edgewise.evidence.evidence import Evidence, Needs
from edgewise.inference.measurement import Measurement
from edgewise.inference.per_edge import PerEdge
from edgewise.inference.reference import Normal
from edgewise.methods.fisher import gaussian_spread
from edgewise.methods.method import Assumes
from edgewise.methods.per_edge_method import PerEdgeMethod
from edgewise.methods.planning import PairMoments, PlannedStatistic


@dataclass(frozen=True)
class Elliptical(PerEdgeMethod):
    """√(n − p − 1) atanh(ρ̂)/√(1 + κ̂), with 1 + κ̂ = mean(cᵀΘ̂c)²/(p(p + 2)).

    Guarantee: per edge, for independent rows of any elliptical distribution with fourth moments
    (one kurtosis inflates all variances alike), and for no others.

    Examples
    --------
    >>> import edgewise as ew
    >>> result = ew.edge_test(ew.datasets.load_sp500_returns(), method=ew.Elliptical())
    >>> result.options["kurtosis_ratio"] > 2
    True
    """

    name: ClassVar[str] = "elliptical"
    guarantee: ClassVar[str] = "per edge, elliptical data only"
    condition: ClassVar[str] = "independent rows of an elliptical distribution with fourth moments"
    compares_groups: ClassVar[bool] = True
    assumes: ClassVar[Assumes] = Assumes.INDEPENDENT_ROWS | Assumes.FOURTH_MOMENTS

    @property
    def needs(self) -> Needs:
        return Needs(reads_again=True)

    def measure(self, evidence: Evidence) -> Measurement:
        estimate = self.estimate(evidence)
        n, p = estimate.n_samples, len(estimate.precision)
        if n <= p + 1:
            raise DataError(
                f"X: expected more than {p + 1} rows for {p} columns with this method, got {n}; "
                "collect more rows."
            )
        ratio = evidence.quartics(estimate.whitening).norm / (p * (p + 2))
        uncertainty = PerEdge(gaussian_spread(estimate, ratio), Normal())
        statistic = uncertainty.statistic(estimate.partial_correlation)
        record = {"kurtosis_ratio": ratio}
        return self.measurement(evidence, estimate, statistic, uncertainty, record=record)

    def planned(
        self, pilot: PairMoments, moments: PairMoments, wanted: FloatArray, measured: Measurement
    ) -> PlannedStatistic:
        effect = float(np.abs(wanted).max())
        return PlannedStatistic(
            math.atanh(effect),
            math.sqrt(measured.record["kurtosis_ratio"]),
            slope=1 / (1 - effect**2),
            rows_spent=len(wanted),
        )

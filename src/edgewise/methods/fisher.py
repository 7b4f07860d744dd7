"""Fisher's partial-correlation test: the Gaussian baseline."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from edgewise._base.matrices import root_outer
from edgewise._base.types import FloatArray
from edgewise.estimators.inverse import PrecisionEstimate
from edgewise.evidence.evidence import Evidence
from edgewise.inference.measurement import Measurement
from edgewise.inference.per_edge import PerEdge
from edgewise.inference.reference import Student
from edgewise.inference.spread import Spread, gaussian_variances
from edgewise.methods.method import Assumes
from edgewise.methods.per_edge_method import PerEdgeMethod
from edgewise.methods.planning import PairMoments, PlannedStatistic, student_critical


@dataclass(frozen=True)
class Fisher(PerEdgeMethod):
    """Statistic t = ρ̂ √(ν/(1 − ρ̂²)), ν = n − 2 − (p − 2): Student's under the Gaussian null.

    Guarantee: per edge, for independent Gaussian rows only. For other rows it is not valid: on
    heavy-tailed data most families contain a false edge.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> X = np.random.default_rng(0).standard_normal((200, 4))
    >>> ew.edge_test(X, method=ew.Fisher()).n_edges
    0
    """

    name: ClassVar[str] = "fisher"
    guarantee: ClassVar[str] = "per edge, Gaussian data only"
    condition: ClassVar[str] = "independent Gaussian rows; on heavier tails it finds false edges"
    compares_groups: ClassVar[bool] = True
    assumes: ClassVar[Assumes] = Assumes.INDEPENDENT_ROWS | Assumes.GAUSSIAN_ROWS

    def measure(self, evidence: Evidence) -> Measurement:
        estimate = self.estimate(evidence)
        rho = estimate.partial_correlation
        df = estimate.n_samples - len(rho)
        uncertainty = PerEdge(gaussian_spread(estimate, 1.0), Student(df), exact=True)
        return self.measurement(evidence, estimate, uncertainty.statistic(rho), uncertainty)

    def planned(
        self, pilot: PairMoments, moments: PairMoments, wanted: FloatArray, measured: Measurement
    ) -> PlannedStatistic:
        effect, p = float(np.abs(wanted).max()), len(wanted)
        return PlannedStatistic(
            effect,
            math.sqrt(1 - effect**2),
            rows_spent=p,
            critical=lambda rows, log_level: student_critical(rows - p, log_level),
        )


def gaussian_spread(estimate: PrecisionEstimate, kurtosis_ratio: float) -> Spread:
    """Standard errors of Gaussian rows, or of elliptical ones with a larger kurtosis."""
    variance, variance_z = gaussian_variances(estimate, kurtosis_ratio)
    return Spread(
        precision=root_outer(estimate.precision) * np.sqrt(variance),
        fisher_z=np.full(variance.shape, math.sqrt(variance_z)),
    )

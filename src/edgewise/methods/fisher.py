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
from edgewise.inference.measurement import Measurement, StatisticScale
from edgewise.inference.per_edge import PerEdge
from edgewise.inference.reference import Student
from edgewise.inference.spread import Spread
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
    assumes: ClassVar[Assumes] = Assumes.INDEPENDENT_ROWS | Assumes.GAUSSIAN_ROWS

    def measure(self, evidence: Evidence) -> Measurement:
        estimate = self.estimate(evidence)
        rho = estimate.partial_correlation
        df = estimate.n_samples - len(rho)
        with np.errstate(divide="ignore"):
            statistic = rho * np.sqrt(df / ((1 - rho) * (1 + rho)))
        # Without a minimal effect: the exact t. Its z-transform, for intervals and effects, is
        # only nearly normal, and Student's tail errs on the safe side.
        uncertainty = PerEdge(gaussian_spread(estimate, 1.0), Student(df))
        scale = StatisticScale(math.sqrt(df), "student")
        return self.measurement(evidence, estimate, statistic, uncertainty, scale=scale)

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
    """Var Θ̂_ij = (1+κ)(Θ_iiΘ_jj + Θ_ij²)/n and Var z = (1+κ)/(n − p − 1).

    The first adds κΘ_ij²/n for elliptical rows, the trace part of their fourth moments.
    """
    n, p = estimate.n_samples, len(estimate.precision)
    # In units of Θ_iiΘ_jj, whose square may overflow; ρ² is one on the diagonal, as it should be.
    rho2 = estimate.partial_correlation**2
    variance = (kurtosis_ratio * (1 + rho2) + (kurtosis_ratio - 1) * rho2) / n
    return Spread(
        precision=root_outer(estimate.precision) * np.sqrt(np.maximum(variance, 0.0)),
        fisher_z=np.full((p, p), math.sqrt(kurtosis_ratio / max(n - p - 1, 1))),
    )

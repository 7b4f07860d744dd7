"""The Wald test: sandwich standard errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from edgewise._base.types import FloatArray
from edgewise.evidence.evidence import Evidence, Needs
from edgewise.inference.measurement import Measurement
from edgewise.inference.per_edge import PerEdge
from edgewise.inference.reference import StudentOfEach
from edgewise.methods.method import Assumes
from edgewise.methods.per_edge_method import PerEdgeMethod
from edgewise.methods.planning import PairMoments, PlannedStatistic, planned_fisher_z
from edgewise.methods.sandwich import sandwich
from edgewise.methods.sandwich_at_hand import fisher_z_of_rows


@dataclass(frozen=True)
class Wald(PerEdgeMethod):
    """Fisher's z = atanh ρ̂_ij over its sandwich standard error; Student's t.

    The influence of a row on ρ̂_ij is v_iv_j + (ρ̂/2)(v_i² + v_j²), v the unit-variance residuals.
    It is divided by 1 − h, h the row's leverage. The variance is never taken below that of Gaussian
    rows, and the degrees of freedom 2n/(κ − 1), κ the kurtosis of the influences, allow for its own
    uncertainty. `compare_groups` weighs rows as the score test does, which finds more. Guarantee:
    per edge, in the limit, for independent rows of any distribution with fourth moments.

    For rows in groups the standard error is that of the delete-one-group jackknife. Its degrees of
    freedom are those of groups of such lengths (Satterthwaite), at most G − 1 for G groups. Where
    rows lack values or have weights, it is that of the delete-one-row jackknife.

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
    compares_groups: ClassVar[bool] = True
    permutable: ClassVar[bool] = True
    assumes: ClassVar[Assumes] = (
        Assumes.INDEPENDENT_ROWS | Assumes.FOURTH_MOMENTS | Assumes.MANY_ROWS_PER_COLUMN
    )
    takes_groups: ClassVar[bool] = True
    takes_uneven: ClassVar[bool] = True

    @property
    def needs(self) -> Needs:
        return Needs(reads_again=True)

    def measure(self, evidence: Evidence) -> Measurement:
        return self._measured(evidence, own_scale=False)

    def measure_group(self, evidence: Evidence) -> Measurement:
        return self._measured(evidence, own_scale=True)

    def _measured(self, evidence: Evidence, *, own_scale: bool) -> Measurement:
        estimate = self.estimate(evidence)
        spread, degrees = sandwich(evidence, estimate, own_scale=own_scale)
        uncertainty = PerEdge(spread, StudentOfEach(degrees))
        statistic = uncertainty.statistic(estimate.partial_correlation)
        return self.measurement(evidence, estimate, statistic, uncertainty)

    def fisher_z_of_rows(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        return fisher_z_of_rows(X)

    def planned(
        self, pilot: PairMoments, moments: PairMoments, wanted: FloatArray, measured: Measurement
    ) -> PlannedStatistic:
        return planned_fisher_z(moments, wanted)

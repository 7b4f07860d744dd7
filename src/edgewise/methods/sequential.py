"""The test of a stream that stays valid however often it is repeated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from edgewise._linalg import FloatArray
from edgewise.inference.measurement import Measurement
from edgewise.inference.references import AnytimeReference, Student, tuned_rho2
from edgewise.inference.sample import Needs, Sample
from edgewise.inference.uncertainty import PerEdge, floored_spread
from edgewise.methods.batch import check_batches, typical_batches
from edgewise.methods.leave_one_out import left_out_batches
from edgewise.methods.method import Assumes, Feature, Method, batches_option, option
from edgewise.methods.planning import Measured


@dataclass(frozen=True)
class Sequential(Method):
    """The test of batch means at a level that holds at all looks at once, as `ConfidenceSequence`.

    Parameters
    ----------
    tuned_for : int
        The number of rows that matters most: the test is sharpest there.
    tuned_level : float
        The level for all pairs at which it is sharpest. Tests at other levels hold too.
    n_batches : int, optional
        Batches of rows that the variances are estimated from; by default 100.
    """

    tuned_for: int = option(10_000, "The number of rows that matters most.", kind=int, at_least=2)
    tuned_level: float = option(
        0.05, "The level for all pairs that it is tuned to.", kind=float, below=1
    )
    n_batches: int | None = batches_option()

    name: ClassVar[str] = "sequential"
    guarantee: ClassVar[str] = "per edge, at every look"
    condition: ClassVar[str] = (
        "all looks at a stream of independent rows with a little more than fourth moments, in the "
        "limit of many rows"
    )
    assumes: ClassVar[Assumes] = Assumes.FOURTH_MOMENTS
    # No normal scores: ranks among the rows of the last look are not those of the looks before.
    supports: ClassVar[frozenset[Feature]] = frozenset()

    @property
    def needs(self) -> Needs:
        return Needs(in_batches=True, n_batches=self.n_batches)

    def measure(self, sample: Sample) -> Measurement:
        state = sample.batches()
        check_batches(self.n_batches, state)
        estimate = self.estimate(sample)
        left_out = left_out_batches(state, estimate)
        p = len(sample.feature_names)
        reference = AnytimeReference(
            state.n_samples,
            tuned_rho2(self.tuned_level / (p * (p - 1) / 2), self.tuned_for),
            Student(left_out.batches - 1),
        )
        uncertainty = PerEdge(
            floored_spread(estimate, left_out.variance, left_out.variance_z), reference
        )
        return self.measurement(
            sample,
            estimate,
            uncertainty.statistic(estimate.partial_correlation),
            uncertainty,
            options={"tuned_for": self.tuned_for, "tuned_level": self.tuned_level},
        )

    def degrees_at(self, measured: Measured, n_samples: int, rows: FloatArray) -> FloatArray:
        return typical_batches(rows, len(measured.precision)) - 1.0

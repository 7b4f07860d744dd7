"""The baselines: Fisher's test for Gaussian rows, and the same for elliptical ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from edgewise._linalg import FloatArray, root_outer
from edgewise.errors import DataError
from edgewise.estimate.inverse import PrecisionEstimate
from edgewise.inference.measurement import Measurement
from edgewise.inference.references import Normal, Student
from edgewise.inference.sample import Needs, Sample
from edgewise.inference.uncertainty import PerEdge, Spread
from edgewise.methods.method import Assumes, Feature, Method
from edgewise.methods.planning import Measured


@dataclass(frozen=True)
class Fisher(Method):
    """Statistic t = ρ̂ √(ν/(1 − ρ̂²)), ν = n − 2 − (p − 2): Student's under the Gaussian null.

    Guarantee: per edge, for independent Gaussian rows only. For other rows it is not valid: on
    heavy-tailed data most families contain a false edge.
    """

    name: ClassVar[str] = "fisher"
    guarantee: ClassVar[str] = "per edge, Gaussian data only"
    condition: ClassVar[str] = "independent Gaussian rows; on heavier tails it finds false edges"
    assumes: ClassVar[Assumes] = Assumes.INDEPENDENT_ROWS | Assumes.GAUSSIAN_ROWS
    supports: ClassVar[frozenset[Feature]] = frozenset({"transform", "two groups"})

    def measure(self, sample: Sample) -> Measurement:
        estimate = self.estimate(sample)
        rho = estimate.partial_correlation
        df = estimate.n_samples - len(rho)
        uncertainty = PerEdge(gaussian_spread(estimate, 1.0), Student(df), exact=True)
        return self.measurement(sample, estimate, uncertainty.statistic(rho), uncertainty)

    def degrees_at(self, measured: Measured, n_samples: int, rows: FloatArray) -> FloatArray:
        return np.asarray(rows - len(measured.precision))


@dataclass(frozen=True)
class Elliptical(Method):
    """√(n − p − 1) atanh(ρ̂)/√(1 + κ̂), with 1 + κ̂ = mean(cᵀΘ̂c)²/(p(p + 2)).

    Guarantee: per edge, for independent rows of any elliptical distribution with fourth moments
    (one kurtosis inflates all variances alike), and for no others.
    """

    needs: ClassVar[Needs] = Needs(reads_again=True)
    name: ClassVar[str] = "elliptical"
    guarantee: ClassVar[str] = "per edge, elliptical data only"
    condition: ClassVar[str] = "independent rows of an elliptical distribution with fourth moments"
    assumes: ClassVar[Assumes] = Assumes.INDEPENDENT_ROWS | Assumes.FOURTH_MOMENTS
    supports: ClassVar[frozenset[Feature]] = frozenset({"transform", "two groups"})

    def measure(self, sample: Sample) -> Measurement:
        estimate = self.estimate(sample)
        n, p = estimate.n_samples, len(estimate.precision)
        if n <= p + 1:
            raise DataError(
                f"X: expected more than {p + 1} rows for {p} columns with this method, got {n}; "
                "collect more rows."
            )
        ratio = sample.quartics(estimate.whitening).norm / (p * (p + 2))
        uncertainty = PerEdge(gaussian_spread(estimate, ratio), Normal())
        statistic = uncertainty.statistic(estimate.partial_correlation)
        options = {"kurtosis_ratio": ratio}
        return self.measurement(sample, estimate, statistic, uncertainty, options=options)


def gaussian_spread(estimate: PrecisionEstimate, kurtosis_ratio: float) -> Spread:
    """Standard errors of Gaussian rows, or of elliptical ones with 1 + κ times the kurtosis.

    Var Θ̂_ij = ((1+κ)(1 + ρ²) + κρ²)/(n − p − 1) in units of Θ_iiΘ_jj, Var z = (1+κ)/(n − p − 1).
    """
    left = max(estimate.n_samples - len(estimate.precision) - 1, 1)
    rho2 = estimate.partial_correlation**2  # one on the diagonal, as it should be
    variance = (kurtosis_ratio * (1 + rho2) + (kurtosis_ratio - 1) * rho2) / left
    return Spread(
        precision=root_outer(estimate.precision) * np.sqrt(np.maximum(variance, 0.0)),
        fisher_z=np.full(variance.shape, math.sqrt(kurtosis_ratio / left)),
    )

"""One data set that grows: every test of it at every size, from one accumulation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from edgewise._base.checks import default_names
from edgewise._base.types import AnyArray, FloatArray
from edgewise.bounds.radius import ChiSquareRadius, NormalRadius
from edgewise.bounds.transfer import FrobeniusTransfer, SpectralTransfer, Transfer, WhitenedTransfer
from edgewise.covcov.closed_form import covcov_of_moments
from edgewise.estimators.inverse import PrecisionEstimate, estimate_precision
from edgewise.inference.reference import Normal
from edgewise.methods.fisher import fisher_statistic
from edgewise.methods.score import score_statistic
from edgewise.simulate.samplers import sample_batches
from edgewise.states.fourth import FourthMoments

BOUNDS = ("eig", "trace", "spectral", "whitened")


@dataclass(frozen=True, eq=False)
class Bound:
    """A radius ε, and the threshold it is transferred to.

    The trace radius is used at every level, as in the paper's figures, although it is proven only
    up to 0.2152.
    """

    radius: NormalRadius
    transfer: Transfer

    def threshold(self, alpha: float) -> FloatArray:
        """t_ij, infinite where the rows are too few."""
        return self.transfer.tau(self.radius.epsilon(alpha)) * self.transfer.units

    def log_level(self, distance: FloatArray) -> FloatArray:
        """Logarithm of the smallest level at which the threshold is not above these |Θ̂_ij − …|."""
        levels = self.radius.log_level(self.transfer.radius_for(distance / self.transfer.units))
        return np.asarray(levels)


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The estimates and bounds at one size of the sample."""

    moments: FourthMoments
    estimate: PrecisionEstimate
    eigenvalues: FloatArray
    bounds: dict[str, Bound]

    @classmethod
    def of(cls, moments: FourthMoments, bounds: Sequence[str] = BOUNDS) -> Snapshot:
        estimate = estimate_precision(moments, default_names(moments.n_features))
        eigenvalues = np.asarray(np.linalg.eigvalsh(estimate.covariance), dtype=np.float64)
        made = {}
        if {"eig", "trace"} & set(bounds):
            plain = covcov_of_moments(moments)
            paper = FrobeniusTransfer(eigenvalues)
            made["trace"] = Bound(NormalRadius(2 * float(np.trace(plain))), paper)
            made["eig"] = Bound(NormalRadius(2 * float(np.linalg.eigvalsh(plain)[-1])), paper)
        if "spectral" in bounds:
            trace = float(np.trace(covcov_of_moments(moments, frobenius=True)))
            transfer = SpectralTransfer(float(eigenvalues[0]), moments.n_features)
            made["spectral"] = Bound(NormalRadius(trace), transfer)
        if "whitened" in bounds:
            A = estimate.whitening
            trace = float(np.trace(covcov_of_moments(moments, A=A, frobenius=True)))
            whitened = WhitenedTransfer(estimate.precision.diagonal())
            made["whitened"] = Bound(NormalRadius(trace), whitened)
        return cls(moments, estimate, eigenvalues, {name: made[name] for name in bounds})

    def log_score(self) -> FloatArray:
        """Log p-values of the score test, each pair once."""
        sums = self.moments.pair_sums(self.estimate.residual_map)
        statistic, _ = score_statistic(self.estimate, sums)
        return Normal().log_two_sided(pairs_above_diagonal(statistic))

    def log_fisher(self) -> FloatArray:
        """Log p-values of Fisher's test, each pair once."""
        statistic, reference = fisher_statistic(self.estimate)
        return reference.log_two_sided(pairs_above_diagonal(statistic))


def chi_square_radius(moments: FourthMoments) -> ChiSquareRadius:
    """The weighted chi-square radius, which bounds the Frobenius norm of Σ̂ − Σ."""
    spectrum = np.linalg.eigvalsh(covcov_of_moments(moments, frobenius=True))
    return ChiSquareRadius(np.maximum(spectrum, 0.0).astype(np.float64))


def growing_sample(
    distribution: str,
    precision: FloatArray,
    sizes: Sequence[int],
    *,
    rng: np.random.Generator,
) -> Iterator[FourthMoments]:
    """The moments of the first n rows of one sample, for each of the increasing sizes n.

    The states of the rows between two sizes are merged; no row is read twice.
    """
    step = int(np.gcd.reduce(np.asarray(sizes)))
    origin = np.zeros(len(precision))
    total: FourthMoments | None = None
    wanted = set(sizes)
    for batch in sample_batches(distribution, precision, sizes[-1], rng=rng, batch_rows=step):
        state = FourthMoments.of(batch, origin)
        total = state if total is None else total + state
        if total.n_samples in wanted:
            yield total


def pairs_above_diagonal(matrix: AnyArray) -> AnyArray:
    """The entries of a symmetric matrix, each pair once."""
    return matrix[np.triu_indices(len(matrix), k=1)]

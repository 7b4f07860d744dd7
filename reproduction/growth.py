"""One data set that grows: every test of it at every size, from one accumulation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from edgewise._checks import default_names
from edgewise._linalg import FloatArray
from edgewise.inference.measurement import Measurement
from edgewise.inference.sample import Sample
from edgewise.inference.uncertainty import Bound
from edgewise.methods.registry import method_of
from edgewise.methods.score import Score, score_test
from edgewise.paper.radii import ChiSquareRadius, NormalRadius
from edgewise.simulate.distributions import sample_batches
from edgewise.sums.moments import Moments
from edgewise.sums.power import product_places
from edgewise.sums.score import score_weight, sums_of_moments

ALPHA = 0.05
DISTRIBUTIONS = ("gaussian", "laplace")
BOUNDS = ("eig", "trace", "spectral", "whitened")


def growing_sample(
    distribution: str, precision: FloatArray, sizes: Sequence[int], *, rng: np.random.Generator
) -> Iterator[Moments]:
    """The moments of the first n rows of one sample, for each of the increasing sizes n.

    The states of the rows between two sizes are merged; no row is read twice.
    """
    step = int(np.gcd.reduce(np.asarray(sizes)))
    total = Moments(order="all")
    for batch in sample_batches(distribution, precision, sizes[-1], rng=rng, batch_rows=step):
        total.update(batch)
        if total.n_samples in sizes:
            yield total.copy()


class _ScoreOfMoments(Score):
    """Without rows: all leverages are their mean, the scale of each row its own, tails normal."""

    def measure(self, sample: Sample) -> Measurement:
        estimate, moments = self.estimate(sample), sample.moments()
        n, rho = estimate.n_samples, estimate.partial_correlation
        p = len(rho)
        weight = score_weight(1 - (p - 1) / n, 0.0)
        products = weight * n * moments.products(estimate.leverage().B.T)
        place = product_places(p)
        squares = place.diagonal()
        m22, m31 = products[np.ix_(squares, squares)], products[squares[:, np.newaxis], place]
        sums = sums_of_moments(m22, m31, np.zeros_like(m22), n, rho)
        uncertainty = score_test(estimate, sums, n - p + 1)
        return self.measurement(sample, estimate, uncertainty.statistic(rho), uncertainty)


def evidence_of(moments: Moments) -> Sample:
    """What every method works from, without the rows."""
    names = default_names(moments.n_features or 0)
    return Sample(feature_names=names, purpose="a study", state=moments)


def bounds_of(sample: Sample, names: Sequence[str] = BOUNDS) -> dict[str, Bound]:
    """The bounds of these methods, at every level.

    The trace radius is used at every level, as in the paper's figures, although it is proven only
    up to 0.2152.
    """
    found = {}
    for name in names:
        bound = method_of(name).measure(sample).uncertainty
        if not isinstance(bound, Bound) or not isinstance(bound.radius, NormalRadius):
            raise TypeError(f"method {name!r} has no bound with a normal radius")
        found[name] = replace(bound, radius=replace(bound.radius, max_alpha=1.0))
    return found


def log_levels(bound: Bound, distance: FloatArray) -> FloatArray:
    """Logarithm of the smallest level at which the threshold is not above these |Θ̂_ij − …|."""
    return bound.log_level(distance / bound.transfer.units)


def log_pvalues(sample: Sample, method: str) -> FloatArray:
    """Log p-values of a per-edge method, each pair once."""
    kind = _ScoreOfMoments() if method == "score" else method_of(method)
    measured = kind.measure(sample)
    return measured.uncertainty.log_pvalues(measured)


def chi_square_radius(sample: Sample) -> ChiSquareRadius:
    """The weighted chi-square radius, which bounds the Frobenius norm of Σ̂ − Σ."""
    spectrum = np.linalg.eigvalsh(sample.covcov_matrix(frobenius=True))
    return ChiSquareRadius(np.maximum(spectrum, 0.0).astype(np.float64))

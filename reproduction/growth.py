"""One data set that grows: every test of it at every size, from one accumulation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from edgewise._checks import default_names
from edgewise._linalg import FloatArray
from edgewise.inference.sample import Sample
from edgewise.inference.uncertainty import Bound
from edgewise.methods.registry import method_of
from edgewise.paper.radii import ChiSquareRadius, NormalRadius
from edgewise.simulate.distributions import sample_batches
from edgewise.sums.fourth import FourthMoments

ALPHA = 0.05
DISTRIBUTIONS = ("gaussian", "laplace")
BOUNDS = ("eig", "trace", "spectral", "whitened")


def growing_sample(
    distribution: str, precision: FloatArray, sizes: Sequence[int], *, rng: np.random.Generator
) -> Iterator[FourthMoments]:
    """The moments of the first n rows of one sample, for each of the increasing sizes n.

    The states of the rows between two sizes are merged; no row is read twice.
    """
    step = int(np.gcd.reduce(np.asarray(sizes)))
    origin = np.zeros(len(precision))
    total: FourthMoments | None = None
    for batch in sample_batches(distribution, precision, sizes[-1], rng=rng, batch_rows=step):
        state = FourthMoments.of(batch, origin)
        total = state if total is None else total + state
        if total.n_samples in sizes:
            yield total


def evidence_of(moments: FourthMoments) -> Sample:
    """What every method works from, without the rows."""
    names = default_names(moments.n_features)
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
    measured = method_of(method).measure(sample)
    return measured.uncertainty.log_pvalues(measured)


def chi_square_radius(sample: Sample) -> ChiSquareRadius:
    """The weighted chi-square radius, which bounds the Frobenius norm of Σ̂ − Σ."""
    spectrum = np.linalg.eigvalsh(sample.covcov_matrix(frobenius=True))
    return ChiSquareRadius(np.maximum(spectrum, 0.0).astype(np.float64))

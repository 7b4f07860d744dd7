"""The paper's random covariance made sparse, of which Figure 3 is."""

from __future__ import annotations

import numpy as np

from edgewise._checks import check_rng
from edgewise._linalg import BoolArray, FloatArray, IndexArray, upper_pairs
from edgewise.errors import ParameterError
from edgewise.simulate.graphs import make_gram_covariance

_MOST_SWEEPS = 10_000
_SETTLED = 1e-13


def make_gram_precision(
    n_features: int,
    n_edges: int,
    *,
    n_factors: int | None = None,
    rng: np.random.Generator | int | None = None,
) -> FloatArray:
    """A random graph with `n_edges` edges that keep the Σ_ij of the paper's random covariance.

    Among all Θ that are zero outside the edges, this is the one whose inverse agrees with
    `make_gram_covariance` on the diagonal and on the edges (Dempster's covariance selection). So
    the variances stay one, and null pairs exist.
    """
    rng = check_rng(rng)
    covariance = make_gram_covariance(n_features, n_factors=n_factors, rng=rng)
    rows, columns = upper_pairs(n_features)
    chosen = np.sort(rng.choice(rows.size, n_edges, replace=False))
    joined = np.zeros(covariance.shape, dtype=bool)
    joined[rows[chosen], columns[chosen]] = True
    return select_covariance(covariance, joined | joined.T)


def select_covariance(covariance: FloatArray, joined: BoolArray) -> FloatArray:
    """Θ that is zero except where `joined`; its inverse is `covariance` there and for each alone.

    Each variable is regressed on its neighbours, and its covariances with all others set to what
    that implies, until nothing changes.
    """
    neighbours = [np.flatnonzero(row) for row in joined]
    current = covariance.copy()

    def slopes(j: int, near: IndexArray) -> FloatArray:
        return np.asarray(np.linalg.solve(current[np.ix_(near, near)], covariance[near, j]))

    for _ in range(_MOST_SWEEPS):
        change = 0.0
        for j, near in enumerate(neighbours):
            implied = current[:, near] @ slopes(j, near)
            implied[j] = covariance[j, j]
            change = max(change, float(np.abs(implied - current[j]).max()))
            current[j] = current[:, j] = implied
        if change <= _SETTLED:
            break
    else:
        raise ParameterError(
            "n_factors: this covariance is too close to singular to be made sparse; use more "
            "factors or fewer edges."
        )
    theta = np.zeros_like(covariance)
    for j, near in enumerate(neighbours):
        slope = slopes(j, near)
        theta[j, j] = 1 / (covariance[j, j] - current[j, near] @ slope)
        theta[near, j] = -slope * theta[j, j]
    symmetric: FloatArray = (theta + theta.T) / 2
    return symmetric

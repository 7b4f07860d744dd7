"""The paper's random covariance made sparse: Dempster's covariance selection."""

from __future__ import annotations

import math

import numpy as np
import pytest
from reproduction.gram import make_gram_precision, select_covariance

from edgewise.simulate import make_gram_covariance

SIZES = [(1, 0), (2, 1), (3, 3), (5, 0), (5, 4), (8, 28), (12, 30)]


@pytest.mark.parametrize(("p", "n_edges"), SIZES)
def test_gram_precision_keeps_the_covariance_on_its_edges(p, n_edges):
    """Dempster's two conditions, which have one solution: Θ is 0 here, Θ⁻¹ is Σ there."""
    kept = make_gram_precision(p, n_edges, rng=1) != 0
    found = np.linalg.inv(make_gram_precision(p, n_edges, rng=1))
    wanted = make_gram_covariance(p, rng=1)
    np.testing.assert_allclose(found[kept], wanted[kept], rtol=0, atol=1e-10)
    if n_edges < math.comb(p, 2):
        # Elsewhere they have to differ, or the graph would have done nothing.
        assert np.abs(found[~kept] - wanted[~kept]).max() > 1e-3


def test_selection_on_a_chain_multiplies_along_the_path():
    """A Markov chain of unit variances: Σ_ij = Σ_i,i+1 ⋯ Σ_j−1,j."""
    p, covariance = 7, make_gram_covariance(7, rng=8)
    joined = np.eye(p, k=1, dtype=bool) | np.eye(p, k=-1, dtype=bool)
    theta = select_covariance(covariance, joined)
    np.testing.assert_array_equal(theta != 0, joined | np.eye(p, dtype=bool))
    steps = covariance.diagonal(1)
    expected = [[np.prod(steps[min(i, j) : max(i, j)]) for j in range(p)] for i in range(p)]
    np.testing.assert_allclose(np.linalg.inv(theta), expected, rtol=0, atol=1e-10)

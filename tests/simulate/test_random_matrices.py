"""Random matrices: as many edges as asked for, and the covariances that define them."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from scipy import stats

from edgewise.errors import ParameterError
from edgewise.simulate import make_gram_covariance, make_gram_precision, make_sparse_precision
from edgewise.simulate.graphs import select_covariance

MAKERS = pytest.mark.parametrize("make", [make_sparse_precision, make_gram_precision])
SIZES = pytest.mark.parametrize(
    ("p", "n_edges"),
    [(1, 0), (2, 0), (2, 1), (3, 3), (5, 0), (5, 4), (5, 10), (8, 9), (8, 28), (12, 30)],
)


@pytest.mark.exactness
@MAKERS
@SIZES
def test_precision_matrix_with_just_so_many_edges(make, p, n_edges):
    theta = make(p, n_edges, rng=6)
    assert theta.shape == (p, p)
    assert np.count_nonzero(np.triu(theta, k=1)) == n_edges
    np.testing.assert_array_equal(theta, theta.T)
    assert np.linalg.eigvalsh(theta)[0] > 0
    np.testing.assert_allclose(np.linalg.inv(theta).diagonal(), 1, rtol=1e-10)


@pytest.mark.exactness
@pytest.mark.parametrize(
    "make",
    [
        partial(make_sparse_precision, 6, 7),
        partial(make_gram_precision, 6, 7),
        partial(make_gram_covariance, 6),
    ],
    ids=["sparse", "gram", "covariance"],
)
def test_seed_decides_everything(make):
    rng = np.random.default_rng(7)
    first, again, same, moved_on = (make(rng=seed) for seed in (7, 7, rng, rng))
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(first, same)
    assert not np.array_equal(first, moved_on)


def test_pairs_and_signs_are_drawn_evenly():
    p, n_edges, graphs = 5, 4, 2000
    rng = np.random.default_rng(33)
    pairs = np.triu_indices(p, k=1)
    signs = np.array(
        [np.sign(make_sparse_precision(p, n_edges, rng=rng)[pairs]) for _ in range(graphs)]
    )
    # Drawn without replacement: variance G·f(1−f), f = edges/m, and covariance −G·f(1−f)/(m−1).
    counts = np.abs(signs).sum(axis=0)
    m, expected = counts.size, graphs * n_edges / counts.size
    spread = (m - 1) / m * ((counts - expected) ** 2).sum() / (expected * (1 - n_edges / m))
    assert stats.chi2(m - 1).sf(spread) > 0.001
    assert stats.binomtest(int((signs > 0).sum()), graphs * n_edges).pvalue > 0.001


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"smallest": 0}, "smallest"),
        ({"smallest": -0.3}, "smallest"),
        ({"largest": math.inf}, "largest"),
        ({"smallest": 0.5, "largest": 0.4}, "largest"),
        ({"condition": 1}, "condition"),
        ({"condition": math.nan}, "condition"),
    ],
)
def test_sparse_refuses(refuses, options, argument):
    refuses(lambda: make_sparse_precision(5, 4, **options), ParameterError, f"{argument}:")


@pytest.mark.exactness
@pytest.mark.parametrize(("p", "n_factors"), [(1, None), (4, None), (4, 4), (4, 5), (7, 50)])
def test_gram_covariance_is_its_formula(p, n_factors):
    """Σ_ij = g_iᵀg_j/(‖g_i‖‖g_j‖), one g after another from the same generator."""
    rng = np.random.default_rng(3)
    g = [[rng.standard_normal() for _ in range(n_factors or 3 * p)] for _ in range(p)]

    def product(i, j):
        return math.fsum(a * b for a, b in zip(g[i], g[j], strict=True))

    expected = [
        [product(i, j) / math.sqrt(product(i, i) * product(j, j)) for j in range(p)]
        for i in range(p)
    ]
    covariance = make_gram_covariance(p, n_factors=n_factors, rng=3)
    np.testing.assert_allclose(covariance, expected, rtol=0, atol=1e-14)
    # Whether to the last bit, depends on how NumPy multiplies a matrix by its own transpose.
    np.testing.assert_allclose(covariance, covariance.T, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(covariance.diagonal(), 1)
    assert np.linalg.eigvalsh(covariance)[0] > 0


@SIZES
@pytest.mark.parametrize("seed", [0, 1])
def test_gram_precision_keeps_the_covariance_on_its_edges(p, n_edges, seed):
    """Dempster's two conditions, which have one solution: Θ is 0 here, Θ⁻¹ is Σ there."""
    theta = make_gram_precision(p, n_edges, rng=seed)
    kept = theta != 0
    found, wanted = np.linalg.inv(theta), make_gram_covariance(p, rng=seed)
    np.testing.assert_allclose(found[kept], wanted[kept], rtol=0, atol=1e-10)
    if n_edges < math.comb(p, 2):
        # Elsewhere they have to differ, or the graph would have done nothing.
        assert np.abs(found[~kept] - wanted[~kept]).max() > 1e-3


@pytest.mark.parametrize("p", [2, 3, 7, 30])
def test_selection_on_a_chain_multiplies_along_the_path(p):
    """A Markov chain of unit variances: Σ_ij = Σ_i,i+1 ⋯ Σ_j−1,j."""
    covariance = make_gram_covariance(p, rng=8)
    theta = select_covariance(covariance, np.arange(p - 1), np.arange(1, p))
    np.testing.assert_array_equal(theta == 0, np.abs(np.subtract.outer(range(p), range(p))) > 1)
    steps = covariance.diagonal(1)
    expected = [[np.prod(steps[min(i, j) : max(i, j)]) for j in range(p)] for i in range(p)]
    np.testing.assert_allclose(np.linalg.inv(theta), expected, rtol=0, atol=1e-10)

"""Graphs: their zeros, their unit variances, as many edges as asked for, and what they refuse."""

from __future__ import annotations

import math
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from edgewise.errors import ParameterError
from edgewise.simulate import (
    make_chain_precision,
    make_erdos_renyi_precision,
    make_gram_covariance,
    make_grid_precision,
    make_hub_precision,
    make_sparse_precision,
)

CHAINS = [(1, 0.3), (2, -0.49), (10, 0.49), (50, 0.1), (30, (0.6, 0.3))]
HUBS = [(1, 1), (2, 2), (5, 1), (11, 3), (200, 7)]
# Grids whose last row is full, is short, is the only one; and one wider than it has variables.
GRIDS = [(1, None), (9, None), (7, None), (8, 3), (10, 1), (3, 5), (100, None)]
RANDOM = [(1, 0.5, None), (10, 0.9, None), (60, 0.05, None), (7, 1.0, 3), (20, 0.5, 5)]
SIZES = [(1, 0), (2, 1), (3, 3), (5, 0), (5, 4), (8, 28), (12, 30)]
GRAPHS = [
    *(partial(make_chain_precision, p, weight) for p, weight in CHAINS),
    *(partial(make_hub_precision, p, n_hubs=k) for p, k in HUBS),
    *(partial(make_grid_precision, p, n_columns=k) for p, k in GRIDS),
    *(
        partial(make_erdos_renyi_precision, p, probability=share, size=size, rng=4)
        for p, share, size in RANDOM
    ),
    *(partial(make_sparse_precision, *size, rng=6) for size in SIZES),
]


def edges(precision):
    """The pairs that are not exactly zero: tests of error control rely on those that are."""
    return {(i, j) for i, j in combinations(range(len(precision)), 2) if precision[i, j] != 0}


@pytest.mark.exactness
@pytest.mark.parametrize("make", GRAPHS)
def test_symmetric_positive_definite_and_of_unit_variances(make):
    precision = make()
    np.testing.assert_array_equal(precision, precision.T)
    np.testing.assert_allclose(np.linalg.inv(precision).diagonal(), 1, rtol=1e-10)
    assert np.linalg.eigvalsh(precision)[0] > 0
    np.testing.assert_array_equal(precision, make())  # the same seed


@pytest.mark.parametrize(("p", "weight"), CHAINS)
def test_a_chain_joins_neighbours(p, weight):
    precision = make_chain_precision(p, weight)
    root = np.sqrt(precision.diagonal())
    weights = weight if isinstance(weight, tuple) else (weight,)
    for i, j in combinations(range(p), 2):
        expected = weights[j - i - 1] if j - i <= len(weights) else 0
        assert precision[i, j] / (root[i] * root[j]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("p", "n_hubs"), HUBS)
def test_leaves_join_the_hubs_in_turn(p, n_hubs):
    found = edges(make_hub_precision(p, n_hubs=n_hubs))
    assert all(hub < n_hubs <= leaf for hub, leaf in found)
    # Every leaf has one hub, and the hubs share the leaves as evenly as can be.
    assert sorted(leaf for _, leaf in found) == list(range(n_hubs, p))
    degrees = np.bincount([hub for hub, _ in found], minlength=n_hubs)
    assert degrees.max() - degrees.min() <= 1


@pytest.mark.parametrize(("p", "n_columns"), GRIDS)
def test_a_grid_joins_those_beside_and_below(p, n_columns):
    width = n_columns or math.ceil(math.sqrt(p))
    places = [divmod(i, width) for i in range(p)]
    expected = {
        (i, j) for i, j in combinations(range(p), 2) if math.dist(places[i], places[j]) == 1
    }
    assert edges(make_grid_precision(p, n_columns=n_columns)) == expected


def test_random_edges_are_independent_and_alike():
    """The count is binomial, in mean and variance, and no pair comes more often than others."""
    p, probability, graphs = 8, 0.3, 1000
    rng = np.random.default_rng(21)
    pairs = np.triu_indices(p, k=1)
    make = partial(make_erdos_renyi_precision, p, probability=probability, rng=rng)
    joined = np.array([make()[pairs] != 0 for _ in range(graphs)])
    n_pairs = joined.shape[1]
    assert stats.binomtest(int(joined.sum()), joined.size, probability).pvalue > 0.001
    # Σ(count − mean)²/variance ~ χ² nearly, which clustered edges would make too large.
    variance = n_pairs * probability * (1 - probability)
    spread = ((joined.sum(axis=1) - n_pairs * probability) ** 2).sum() / variance
    assert 0.001 < stats.chi2(graphs).sf(spread) < 0.999
    assert stats.chisquare(joined.sum(axis=0)).pvalue > 0.001


def test_clusters_are_joined_only_inside():
    found = edges(make_erdos_renyi_precision(11, size=4, probability=1))
    assert found == {(i, j) for i, j in combinations(range(11), 2) if i // 4 == j // 4}


@pytest.mark.exactness
@pytest.mark.parametrize(("p", "n_edges"), SIZES)
def test_just_so_many_edges(p, n_edges):
    assert len(edges(make_sparse_precision(p, n_edges, rng=6))) == n_edges


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


@pytest.mark.exactness
@pytest.mark.parametrize(("p", "n_factors"), [(1, None), (4, 4), (7, 50)])
def test_gram_covariance_is_its_formula(p, n_factors):
    """Σ_ij = g_iᵀg_j/(‖g_i‖‖g_j‖), one g after another from the same generator."""
    rng = np.random.default_rng(3)
    g = [rng.standard_normal(n_factors or 3 * p) for _ in range(p)]
    expected = [[a @ b / math.sqrt((a @ a) * (b @ b)) for b in g] for a in g]
    covariance = make_gram_covariance(p, n_factors=n_factors, rng=3)
    np.testing.assert_allclose(covariance, expected, rtol=0, atol=1e-14)


# −1/λ_max and −1/λ_min of the neighbours, from the known spectra.
LIMITS = {
    "star": (partial(make_hub_precision, 10), -1 / 3, 1 / 3),
    "ring of four": (partial(make_grid_precision, 4), -1 / 2, 1 / 2),
    "square": (partial(make_grid_precision, 9), -1 / math.sqrt(8), 1 / math.sqrt(8)),
    "all pairs": (partial(make_erdos_renyi_precision, 6, probability=1), -1 / 5, 1),
}


@pytest.mark.parametrize("graph", LIMITS)
def test_weights_beyond_the_limits_are_refused_with_the_limits(refuses, graph):
    make, low, high = LIMITS[graph]
    limits = f"between {low:.4g} and {high:.4g}"
    for weight in (low * (1 + 1e-6), high * (1 + 1e-6), -0.999):
        refuses(lambda w=weight: make(weight=w), ParameterError, "weight:", limits, repr(weight))


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        *(
            (partial(make, 5, weight=weight), "weight")
            for make in (make_hub_precision, make_grid_precision, make_erdos_renyi_precision)
            for weight in (1.0, -1, math.nan, math.inf, "0.3")
        ),
        (partial(make_chain_precision, 30, (0.6, 0.6)), "weight"),
        (partial(make_chain_precision, 30, (1.5,)), "weight"),
        (partial(make_hub_precision, 3, n_hubs=4), "n_hubs"),
        (partial(make_sparse_precision, 5, 11), "n_edges"),
        (partial(make_sparse_precision, 5, 4, smallest=0), "smallest"),
        (partial(make_sparse_precision, 5, 4, largest=math.inf), "largest"),
        (partial(make_sparse_precision, 5, 4, smallest=0.5, largest=0.4), "largest"),
        (partial(make_sparse_precision, 5, 4, condition=1), "condition"),
        (partial(make_gram_covariance, 5, n_factors=4), "n_factors"),
    ],
)
def test_refusals(refuses, make, argument):
    refuses(make, ParameterError, f"{argument}:")

"""Graphs of a known shape: their zeros, their unit variances, and what they refuse."""

from __future__ import annotations

import math
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from edgewise.errors import ParameterError
from edgewise.simulate import (
    make_band_precision,
    make_chain_precision,
    make_cluster_precision,
    make_erdos_renyi_precision,
    make_grid_precision,
    make_hub_precision,
)

CHAINS = [(1, 0.3), (2, -0.49), (4, 0.3), (10, -0.3), (10, 0.49), (50, 0.1)]
HUBS = [(1, 1), (2, 1), (2, 2), (5, 1), (10, 3), (11, 3), (200, 1), (200, 7)]
# Grids whose last row is full, is short, is the only one; and one wider than it has variables.
GRIDS = [(1, None), (2, None), (9, None), (7, None), (8, 3), (10, 4), (10, 1), (3, 5), (100, None)]
RANDOM = [(1, 0.5), (2, 0.5), (10, 0.1), (10, 0.9), (60, 0.05), (60, 0.999)]
CLUSTERS = [(1, 1, 1.0), (7, 3, 1.0), (20, 5, 0.5), (6, 10, 1.0)]
GRAPHS = {
    **{
        f"cluster-{p}-{size}-{share}": partial(
            make_cluster_precision, p, size=size, probability=share, rng=1
        )
        for p, size, share in CLUSTERS
    },
    **{f"chain-{p}-{w}": partial(make_chain_precision, p, w) for p, w in CHAINS},
    **{f"hub-{p}-{k}": partial(make_hub_precision, p, n_hubs=k) for p, k in HUBS},
    **{f"grid-{p}-{k}": partial(make_grid_precision, p, n_columns=k) for p, k in GRIDS},
    **{
        f"random-{p}-{share}": partial(make_erdos_renyi_precision, p, probability=share, rng=4)
        for p, share in RANDOM
    },
}


@pytest.fixture(params=GRAPHS)
def precision(request):
    return GRAPHS[request.param]()


def edges(precision):
    """The pairs that are not exactly zero: tests of error control rely on those that are."""
    return {(i, j) for i, j in combinations(range(len(precision)), 2) if precision[i, j] != 0}


def unscaled(precision):
    """I + weight·neighbours: minus the partial correlations, which do not depend on units."""
    root = np.sqrt(precision.diagonal())
    return precision / np.outer(root, root)


def test_exactly_symmetric(precision):
    np.testing.assert_array_equal(precision, precision.T)


def test_variances_are_one(precision):
    np.testing.assert_allclose(np.linalg.inv(precision).diagonal(), 1, rtol=1e-12)


def test_positive_definite(precision):
    assert np.linalg.eigvalsh(precision)[0] > 0


@pytest.mark.parametrize(("p", "weight"), CHAINS)
def test_chain_joins_neighbours(p, weight):
    precision = make_chain_precision(p, weight)
    assert edges(precision) == {(i, i + 1) for i in range(p - 1)}
    np.testing.assert_allclose(unscaled(precision).diagonal(1), weight, rtol=1e-13)


@pytest.mark.parametrize(("p", "n_hubs"), HUBS)
def test_leaves_join_the_hubs_in_turn(p, n_hubs):
    found = edges(make_hub_precision(p, n_hubs=n_hubs))
    assert all(hub < n_hubs <= leaf for hub, leaf in found)
    # Every leaf has one hub, and the hubs share the leaves as evenly as can be.
    assert sorted(leaf for _, leaf in found) == list(range(n_hubs, p))
    degrees = np.bincount([hub for hub, _ in found], minlength=n_hubs)
    assert degrees.max() - degrees.min() <= 1


@pytest.mark.parametrize(("p", "n_columns"), GRIDS)
def test_grid_joins_those_beside_and_below(p, n_columns):
    width = n_columns or math.ceil(math.sqrt(p))

    def distance(i, j):
        (row, column), (other_row, other_column) = divmod(i, width), divmod(j, width)
        return abs(row - other_row) + abs(column - other_column)

    expected = {pair for pair in combinations(range(p), 2) if distance(*pair) == 1}
    assert edges(make_grid_precision(p, n_columns=n_columns)) == expected


def test_random_edges_are_independent_and_alike():
    """The count is binomial, in mean and variance, and no pair comes more often than others."""
    p, probability, graphs = 8, 0.3, 1000
    rng = np.random.default_rng(21)
    pairs = np.triu_indices(p, k=1)
    joined = np.array(
        [
            make_erdos_renyi_precision(p, probability=probability, rng=rng)[pairs] != 0
            for _ in range(graphs)
        ]
    )
    n_pairs = joined.shape[1]
    assert stats.binomtest(int(joined.sum()), joined.size, probability).pvalue > 0.001
    # Σ(count − mean)²/variance ~ χ² nearly, which clustered edges would make too large.
    variance = n_pairs * probability * (1 - probability)
    spread = ((joined.sum(axis=1) - n_pairs * probability) ** 2).sum() / variance
    assert 0.001 < stats.chi2(graphs).sf(spread) < 0.999
    assert stats.chisquare(joined.sum(axis=0)).pvalue > 0.001


# −1/λ_max and −1/λ_min of the neighbours, from the known spectra.
LIMITS = {
    "star": (partial(make_hub_precision, 10), -1 / 3, 1 / 3),
    "large star": (partial(make_hub_precision, 200), -1 / math.sqrt(199), 1 / math.sqrt(199)),
    "ring of four": (partial(make_grid_precision, 4), -1 / 2, 1 / 2),
    "square": (partial(make_grid_precision, 9), -1 / math.sqrt(8), 1 / math.sqrt(8)),
    "triangle": (partial(make_erdos_renyi_precision, 3, probability=0.999, rng=0), -1 / 2, 1),
    "all pairs": (partial(make_erdos_renyi_precision, 6, probability=0.999, rng=0), -1 / 5, 1),
}


@pytest.mark.parametrize("graph", LIMITS)
def test_weights_beyond_the_limits_are_refused_with_the_limits(refuses, graph):
    make, low, high = LIMITS[graph]
    for weight in (low * (1 + 1e-6), high * (1 + 1e-6), 2 * low, -0.999):
        refuses(
            lambda w=weight: make(weight=w),
            ParameterError,
            "weight:",
            f"between {low:.4g} and {high:.4g}",
            repr(weight),
        )


@pytest.mark.parametrize(
    "make", [make_hub_precision, make_grid_precision, make_erdos_renyi_precision]
)
@pytest.mark.parametrize("weight", [1.0, -1, 2.0, math.nan, math.inf, "0.3"])
def test_refuses_weights_that_are_no_partial_correlation(refuses, make, weight):
    refuses(lambda: make(5, weight=weight), ParameterError, "weight:", repr(weight))


class TestBand:
    @pytest.mark.parametrize("p", [1, 2, 3, 30])
    def test_joins_those_a_few_places_apart(self, p):
        theta = make_band_precision(p)
        root = np.sqrt(theta.diagonal())
        partial_correlation = -theta / root / root[:, np.newaxis]
        for i, j in combinations(range(p), 2):
            expected = {1: -0.6, 2: -0.3}.get(j - i, 0.0)
            assert partial_correlation[i, j] == pytest.approx(expected, abs=1e-12)
        np.testing.assert_allclose(np.linalg.inv(theta).diagonal(), 1.0)

    def test_refuses_what_is_not_positive_definite(self, refuses):
        refuses(lambda: make_band_precision(30, (0.6, 0.6)), ParameterError, "weights", "would do")
        refuses(lambda: make_band_precision(30, (1.5,)), ParameterError, "weights", "between -1")


class TestCluster:
    def test_joins_only_inside(self):
        theta = make_cluster_precision(11, size=4)
        for i, j in combinations(range(11), 2):
            assert (theta[i, j] != 0) == (i // 4 == j // 4)

"""Centralities are sums over the edges found; their intervals are none rather than wrong."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.results.centrality import centralities
from edgewise.simulate import make_chain_precision, sample

COMMUNITIES = np.array([0, 0, 0, 1, 1, 1, -1])


@pytest.fixture(scope="module")
def data():
    """A chain of six, and a column alone."""
    rng = np.random.default_rng(1)
    X = sample("gaussian", make_chain_precision(6, 0.4), 3_000, rng=rng)
    return np.column_stack([X, rng.standard_normal(len(X))])


@pytest.fixture(scope="module")
def result(data):
    return ew.edge_test(data)


def test_sums_over_the_edges(result):
    found = centralities(result, COMMUNITIES)
    size = np.abs(result.partial_correlation)
    assert found.degree.tolist() == [1, 2, 2, 2, 2, 1, 0]
    wanted = [sum(size[i, j] for j in range(7) if result.reject[i, j]) for i in range(7)]
    np.testing.assert_allclose(found.strength, wanted)
    np.testing.assert_allclose(found.bridge, [0, 0, size[2, 3], size[2, 3], 0, 0, 0])
    for name, value in (("strength", found.strength), ("bridge", found.bridge)):
        low, high = getattr(found, f"{name}_low"), getattr(found, f"{name}_high")
        some = value > 0
        assert (low[some] >= 0).all()
        assert (low[some] < value[some]).all()
        assert (value[some] < high[some]).all()
        # Nothing is known about edges that were not found.
        assert np.isnan([low[~some], high[~some]]).all()


def test_a_single_strong_edge_has_its_own_interval(result):
    found = centralities(result, COMMUNITIES, level=0.9)
    low, high = result.confidence_interval(0.9, "partial_correlation")
    np.testing.assert_allclose(
        [found.strength_low[0], found.strength_high[0]], [-high[0, 1], -low[0, 1]], rtol=1e-5
    )
    assert found.interval_label == "90 % interval for each variable, given the edges found"


def test_bounds_add_up_the_ends_and_hold_at_once(data):
    result = ew.edge_test(data, method="whitened")
    found = centralities(result, COMMUNITIES)
    low, high = result.shown_interval
    edges = result.reject
    assert edges.any()
    ends = [np.where(edges, end, 0).sum(axis=1) for end in (-high, -low)]
    some = edges.any(axis=1)
    np.testing.assert_allclose(found.strength_low[some], ends[0][some])
    np.testing.assert_allclose(found.strength_high[some], ends[1][some])
    assert found.interval_label == "95 % interval for all variables at once"


def test_unknown_dependence_gives_the_sums_of_the_ends(result):
    usual = centralities(result, COMMUNITIES)
    unknown = [
        result.with_measured(n_copies=20),
        result.with_measured(pair_rows=np.full((7, 7), 3_000)),
    ]
    high = result.confidence_interval(0.95, "partial_correlation").low
    for other in unknown:
        found = centralities(other, COMMUNITIES)
        sums = np.where(result.reject, -high, 0.0).sum(axis=1)
        np.testing.assert_allclose(found.strength_high[:6], sums[:6])
        assert (found.strength_high[1:5] > usual.strength_high[1:5]).all()
        assert (found.strength_low[1:5] < usual.strength_low[1:5]).all()


def test_read_from_json_it_is_the_same(result):
    again = centralities(ew.EdgeTestResult.from_json(result.to_json()), COMMUNITIES)
    np.testing.assert_allclose(
        again.strength_low, centralities(result, COMMUNITIES).strength_low, rtol=1e-12
    )


def test_only_tested_pairs_count(data):
    found = centralities(ew.edge_test(data, given=["x2"]), COMMUNITIES)
    assert found.degree.tolist() == [1, 1, 0, 1, 2, 1, 0]
    assert np.isfinite(found.strength_low[[0, 1, 3, 4, 5]]).all()

"""Normal scores against scipy.stats, for rows of the sample and others."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from edgewise.rows import score_map
from edgewise.rows.score_map import KnotRanks, ScoreMap, normal_scores


def slow_scores(X):
    """The definition, column by column."""
    return stats.norm.ppf(stats.rankdata(X, axis=0) / (len(X) + 1))


@pytest.fixture
def columns():
    """Continuous, skewed, of few values, constant, of huge and tiny numbers, with signed zeros."""
    rng = np.random.default_rng(5)
    n = 500
    return np.column_stack(
        [
            rng.standard_normal(n),
            rng.exponential(size=n) ** 3,
            rng.poisson(1.0, n),
            np.full(n, 7.0),
            rng.standard_normal(n) * 1e307,
            rng.standard_normal(n) * 1e-310,
            rng.choice([-1.0, -0.0, 0.0, 1.0], n),
        ]
    )


def test_scores(columns):
    expected = slow_scores(columns)
    np.testing.assert_allclose(normal_scores(columns.T).T, expected, rtol=1e-12, atol=1e-14)
    known = ScoreMap.among(columns.T)
    np.testing.assert_allclose(known.scores(columns), expected, rtol=1e-12, atol=1e-14)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30))
def test_ties(values):
    column = np.array(values, dtype=float)[:, np.newaxis]
    np.testing.assert_allclose(normal_scores(column.T).T, slow_scores(column), atol=1e-13)
    np.testing.assert_allclose(
        ScoreMap.among(column.T).scores(column), slow_scores(column), atol=1e-13
    )


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=20), st.floats(-5, 5))
def test_other_values_lie_between(values, x):
    column = np.array(values, dtype=float)
    left, right = np.searchsorted(np.sort(column), x), np.searchsorted(np.sort(column), x, "right")
    expected = stats.norm.ppf((left + right + 1) / 2 / (len(column) + 1))
    found = ScoreMap.among(column[np.newaxis]).scores(np.array([[x]]))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_what_is_not_finite_stays(columns):
    known = ScoreMap.among(columns.T[:2])
    block = np.array([[np.nan, 1.0], [np.inf, -np.inf]])
    found = known.scores(block)
    assert np.isnan(found[0, 0])
    assert found[1].tolist() == [np.inf, -np.inf]
    assert np.isfinite(found[0, 1])


def test_labels_stay_and_the_block_too(columns):
    known = ScoreMap.among(columns.T[:2])
    block = columns[:10, :3].copy()
    found = known.scores(block)
    np.testing.assert_array_equal(found[:, 2], block[:, 2])
    np.testing.assert_array_equal(block, columns[:10, :3])


def test_a_map_can_be_sent(columns):
    known = ScoreMap.among(columns.T)
    again = pickle.loads(pickle.dumps(known))
    np.testing.assert_array_equal(again.scores(columns), known.scores(columns))


def test_knots():
    values = np.array([1.0, 2.0, 4.0])
    at, before, after = np.array([1.0, 5.5, 12.0]), np.array([1.0, 1.5, 12.0]), [1.0, 9.5, 12.0]
    ranks = KnotRanks.through(values, at, before, np.array(after))
    x = np.array([0.0, 1.0, 1.5, 2.0, 3.0, 4.0, 9.0])
    np.testing.assert_allclose(ranks.of(x), [1.0, 1.0, 1.25, 5.5, 10.75, 12.0, 12.0])


def test_knots_that_are_neighbours_among_all_numbers():
    values = np.array([1.0, np.nextafter(1.0, 2)])
    at, half = np.array([3.0, 8.0]), np.array([2.5, 2.5])
    ranks = KnotRanks.through(values, at, at - half, at + half)
    np.testing.assert_array_equal(ranks.of(values), at)


def test_many_numbers(columns, monkeypatch):
    """On all cores, each column is still by itself."""
    expected = normal_scores(columns.T)
    monkeypatch.setattr(score_map, "_MANY", 10)
    np.testing.assert_array_equal(normal_scores(columns.T), expected)


def test_in_place(columns):
    values = np.array(columns.T)
    normal_scores(values, out=values)
    np.testing.assert_array_equal(values, normal_scores(columns.T))

"""Sums over the rows that have both columns of a pair, against loops over pairs."""

from __future__ import annotations

import numpy as np
import pytest

from edgewise.sums.pairwise import pairwise_sums

NAMES = ("n", "origin", "rows", "first", "second", "weight", "square")


@pytest.fixture(scope="module")
def gaps():
    """60 rows of 3 columns, a quarter of the values missing: NaN, and infinite ones."""
    rng = np.random.default_rng(1)
    X = rng.standard_t(5, (60, 3)) @ np.array([[1, 0.5, 0], [0, 1, -0.4], [0, 0, 1]]) + [3, 0, -9]
    X[rng.random(X.shape) < 0.25] = np.nan
    X[5, 1], X[6, 2] = np.inf, -np.inf
    return X


@pytest.fixture(scope="module")
def weights():
    return np.random.default_rng(2).exponential(size=60) + 0.01


def slow_sums(X, w, origin):
    """Every pair by itself, the definition."""
    p = X.shape[1]
    found = {name: np.zeros((p, p)) for name in NAMES[2:]}
    for i in range(p):
        for j in range(p):
            both = np.isfinite(X[:, i]) & np.isfinite(X[:, j])
            u, v, own = X[both, i] - origin[i], X[both, j] - origin[j], w[both]
            found["rows"][i, j] = both.sum()
            found["first"][i, j] = np.sum(own * u)
            found["second"][i, j] = np.sum(own * u * v)
            found["weight"][i, j], found["square"][i, j] = own.sum(), np.sum(own**2)
    return found


def check_sums(sums, X, w, batch=0, tolerance=1e-11):
    expected = slow_sums(X, w, sums.origin[batch])
    for name in NAMES[2:]:
        mine = {"weight": sums.total, "square": sums.total_square}.get(name)
        mine = getattr(sums, name) if mine is None else mine
        np.testing.assert_allclose(mine[batch], expected[name], rtol=tolerance, atol=tolerance)


class TestSums:
    @pytest.mark.parametrize("length", [None, 20, 1])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_of_each_batch(self, gaps, weights, length, weighted):
        w = weights if weighted else np.ones(60)
        sums = pairwise_sums(gaps, weights if weighted else None, length)
        rows = 60 if length is None else length
        assert len(sums) == 60 // rows
        assert sums.n.tolist() == [rows] * len(sums)
        for batch in range(len(sums)):
            some = slice(batch * rows, (batch + 1) * rows)
            check_sums(sums, gaps[some], w[some], batch)


class TestChanges:
    @pytest.mark.parametrize("weighted", [False, True])
    def test_another_origin(self, gaps, weights, weighted):
        sums = pairwise_sums(gaps, weights if weighted else None, 20)
        moved = sums.moved(np.array([1.0, -2.0, 7.0]), 0.25)
        w = weights if weighted else np.ones(60)
        for batch in range(3):
            some = slice(20 * batch, 20 * batch + 20)
            expected = slow_sums(gaps[some], w[some], np.array([1.25, -1.75, 7.25]))
            for name in ("first", "second"):
                np.testing.assert_allclose(
                    getattr(moved, name)[batch], expected[name], rtol=1e-11, atol=1e-11
                )
        back = moved.moved(np.zeros(3)).moved(sums.origin[0])
        assert back.origin.shape == sums.origin.shape

    def test_a_part_that_lacks_a_column_says_nothing_of_it(self, gaps):
        empty = gaps[:10].copy()
        empty[:, 1] = np.nan
        # Its origin would be far from the values of the other part.
        far = gaps[10:] + np.array([0, 1e9, 0])
        both = pairwise_sums(empty, None).plus(pairwise_sums(far, None))
        expected = np.nanmean(np.where(np.isfinite(far), far, np.nan)[:, 1])
        np.testing.assert_allclose(both.origin[0, 1], expected, rtol=1e-14)
        check_sums(both, np.concatenate([empty, far]), np.ones(60), tolerance=1e-6)

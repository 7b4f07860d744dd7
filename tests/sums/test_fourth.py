"""All moments up to the fourth order: states add, and give what passes over the rows give."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from edgewise.estimate.inverse import estimate_precision
from edgewise.states import Moments
from edgewise.sums.fourth import FourthMoments
from edgewise.sums.pairs import pair_sums
from edgewise.sums.score import Leverage
from edgewise.tables.table import InMemoryRows

P = 4
ORIGIN = np.array([0.5, -1.0, 0.0, 2.0])
A = np.random.default_rng(1).standard_normal((P, P))

tables = st.tuples(st.integers(2, 12), st.integers(1, 3)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.floats(-1e3, 1e3, width=32))
)


def rows_of(n, seed=0):
    return ORIGIN + np.random.default_rng(seed).standard_t(6, (n, P)) @ A


def slow_products(X, B):
    """mean(u_i u_j u_k u_l) of u = B(x − x̄), one product after the other."""
    u = [B @ (row - X.mean(axis=0)) for row in X]
    pairs = list(combinations_with_replacement(range(len(B)), 2))
    means = np.empty((len(pairs), len(pairs)))
    for a, (i, j) in enumerate(pairs):
        for b, (k, l) in enumerate(pairs):
            means[a, b] = sum(row[i] * row[j] * row[k] * row[l] for row in u) / len(u)
    return means


@settings(max_examples=30)
@given(tables, st.integers(0, 2**32 - 1))
def test_products_are_the_means_written_down(X, seed):
    origin = X[0] + 1.0
    p = X.shape[1]
    # Any number of new columns, not only as many as there were.
    maps = [None, *np.random.default_rng(seed).uniform(-1, 1, (2, p, p)), np.ones((1, p))]
    far = 1 + np.abs(X - origin).max()
    for B in maps:
        expected = slow_products(X, np.eye(p) if B is None else B)
        found = FourthMoments.of(X, origin).products(B)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * (p * far) ** 4)


@pytest.mark.parametrize("n", [5, 400, 10_000])
def test_pair_sums_are_those_of_a_pass(n):
    X = rows_of(n)
    state = FourthMoments.of(X, ORIGIN)
    found = state.pair_sums(A)
    # A row of a sample without end has no leverage, and a weight of one.
    expected = pair_sums(InMemoryRows([X]), state.centre(), Leverage(A, np.zeros(P), 10**15))
    for name in ("square_square", "cube_linear"):
        ours, theirs = getattr(found, name), getattr(expected, name)
        fourth = theirs.diagonal()
        # Σ v_i²v_j² ≤ √(Σv_i⁴ Σv_j⁴); Σ v_i³v_j, by Hölder, not much above.
        most = np.maximum(fourth, fourth[:, np.newaxis])
        assert np.max(np.abs(ours - theirs) / most) <= 1e-12, name
    # It takes eighth moments, which the state has not: not a number, rather than a wrong one.
    assert np.isnan(found.eighth).all()


class TestPrecision:
    def test_is_that_of_moments(self):
        X = rows_of(500)
        names = tuple("abcd")
        found = estimate_precision(FourthMoments.of(X, ORIGIN), names)
        expected = estimate_precision(Moments().update(X), names)
        assert found.n_samples == expected.n_samples == 500
        for field in ("covariance", "precision", "partial_correlation", "residual_map"):
            np.testing.assert_allclose(
                getattr(found, field), getattr(expected, field), rtol=1e-10, atol=1e-12
            )
        centred = [
            estimate.centre.subtract_from(X, np.empty((P, 500))) for estimate in (found, expected)
        ]
        np.testing.assert_allclose(*centred, atol=1e-13)

"""Leverages are the diagonals of hat matrices, of all columns and of all but a pair."""

from itertools import combinations

import numpy as np
import pytest

import edgewise as ew
from edgewise._checks import default_names
from edgewise.estimate.inverse import estimate_precision
from edgewise.states import Moments
from edgewise.sums.power import left_out_factor

DISTRIBUTIONS = ["gaussian", "t5", "lognormal"]


def rows_of(distribution, n, p, seed=0):
    theta = ew.simulate.make_chain_precision(p)
    X = ew.simulate.sample(distribution, theta, n, rng=np.random.default_rng(seed))
    return X * np.logspace(-2, 3, p) + 4


def hat_diagonal(X):
    """Of the regression on the columns of X and an intercept, by an orthogonal basis."""
    spread = X / X.std(axis=0) if X.shape[1] else X
    Q, _ = np.linalg.qr(np.column_stack([np.ones(len(X)), spread]))
    return np.sum(Q**2, axis=1)


def measured(X):
    """The estimate, v and 1 − h of the rows."""
    estimate = estimate_precision(Moments().update(X), default_names(X.shape[1]))
    leverage = estimate.leverage()
    centred = estimate.centre.subtract_from(X, np.empty(X.shape[::-1]))
    v = leverage.B.T @ centred
    return estimate, v, leverage.complement(v, centred, np.empty_like(v))


@pytest.mark.parametrize(("n", "p"), [(4, 2), (12, 4), (60, 10), (300, 20)])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_of_all_columns(distribution, n, p):
    X = rows_of(distribution, n, p)
    _, _, complement = measured(X)
    np.testing.assert_allclose(complement, 1 - hat_diagonal(X), rtol=1e-8, atol=1e-9)
    assert np.sum(1 - complement) == pytest.approx(p + 1, rel=1e-9)  # the trace of a projection


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_without_its_own_part_a_row_is_further_out(distribution):
    """(x − x̄)ᵀΣ̂⁻¹(x − x̄) with the mean and the covariance of the other rows, one by one."""
    n, p = 80, 4
    X = rows_of(distribution, n, p)
    c = X - X.mean(axis=0)
    squares = np.vecdot(c @ np.linalg.inv(np.cov(X, rowvar=False)), c)
    others = [np.delete(X, k, axis=0) for k in range(n)]
    expected = []
    for row, rest in zip(X, others, strict=True):
        away = row - rest.mean(axis=0)
        expected.append(away @ np.linalg.solve(np.cov(rest, rowvar=False), away))
    # What the divisors of the two covariances and the two means leave is 1/(n−1)².
    found = left_out_factor(squares, n) * squares
    np.testing.assert_allclose(found * (1 - 1 / (n - 1) ** 2), expected, rtol=1e-9)


def test_a_row_that_is_all_of_a_direction_stays_finite():
    n = 50
    factor = left_out_factor(np.array([0.0, (n - 1) ** 2 / n]), n)
    np.testing.assert_allclose(factor, [n / (n - 1), 1e10])


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_without_a_pair(distribution):
    """h^{ij} = h − (v_i² + v_j² + 2ρv_iv_j)/((n−1)(1−ρ²)): the regressions on the others."""
    n, p = 80, 5
    X = rows_of(distribution, n, p)
    estimate, v, complement = measured(X)
    for i, j in combinations(range(p), 2):
        a, b, r = v[i], v[j], estimate.partial_correlation[i, j]
        of_the_pair = (a**2 + b**2 + 2 * r * a * b) / ((n - 1) * (1 - r**2))
        expected = hat_diagonal(np.delete(X, [i, j], axis=1))
        np.testing.assert_allclose(1 - complement - of_the_pair, expected, atol=1e-10)


def test_a_row_that_decides_alone_has_a_complement_above_zero():
    """A column that is zero but in one row: its leverage is one, up to rounding."""
    X = rows_of("gaussian", 50, 3)
    X[:, 1] = 0.0
    X[7, 1] = 1e6
    _, _, complement = measured(X)
    assert 0 < complement[7] < 1e-8
    assert complement.min() == complement[7]
    assert np.isfinite(1 / complement).all()


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_seen_from_squares(distribution):
    """The limit that squares of residuals set holds, and is sharp in some direction."""
    X = rows_of(distribution, 1200, 5)
    estimate, v, complement = measured(X)
    leverage = estimate.leverage()
    largest, squares = 1 - complement.min(), np.sum(v**2, axis=0)
    assert not leverage.surely_below(largest, squares)
    assert leverage.surely_below(1e3, squares)
    assert not leverage.surely_below(1 / 1600, 0 * squares)
    inner = (complement - 1 + 1 / 1200) * -1199
    assert (inner <= leverage.most * squares * (1 + 1e-9)).all()
    R = estimate.precision / np.outer(leverage.root, leverage.root)
    _, directions = np.linalg.eigh(R)
    worst = directions[:, 0]
    assert worst @ np.linalg.solve(R, worst) == pytest.approx(leverage.most, rel=1e-6)

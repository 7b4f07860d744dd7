"""The Wald test and its standard errors against slow statements of them."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

import edgewise as ew
from edgewise import DataError, Moments

CORRECTIONS = ["holm", "bonferroni", "bh", "by", None]
DISTRIBUTIONS = ["gaussian", "laplace", "t5", "exponential", "lognormal"]


def wald(X, **options):
    return ew.edge_test(X, method="wald", **options)


def rows_of(distribution, n, p, seed=0):
    theta = ew.simulate.make_chain_precision(p)
    return ew.simulate.sample(distribution, theta, n, rng=np.random.default_rng(seed)) + 2


def direct_errors(X):
    """√(Var(y_i y_j)/n) with y = Θ̂(x − x̄), pair by pair."""
    n, p = X.shape
    theta = np.linalg.inv(np.cov(X, rowvar=False))
    y = (X - X.mean(axis=0)) @ theta
    error = np.empty((p, p))
    for i in range(p):
        for j in range(p):
            error[i, j] = np.sqrt((np.mean((y[:, i] * y[:, j]) ** 2) - theta[i, j] ** 2) / n)
    return error


def weighted_precision(X, weights):
    """Θ of the distribution that puts these weights on the rows."""
    c = X - weights @ X
    return np.linalg.inv(c.T @ (weights[:, np.newaxis] * c))


def weighted_partial_correlation(X, weights):
    theta = weighted_precision(X, weights)
    root = np.sqrt(theta.diagonal())
    return -theta / np.outer(root, root)


def jackknife_errors(X, function, step=1e-5):
    """The infinitesimal jackknife: how each row moves an estimate, by moving its weight."""
    n = len(X)
    equal = np.full(n, 1 / n)
    squares = 0.0
    for row in range(n):
        direction = -equal
        direction[row] += 1
        moved = [function(X, equal + sign * step * direction) for sign in (1, -1)]
        squares = squares + ((moved[0] - moved[1]) / (2 * step)) ** 2
    return np.sqrt(squares) / n


@pytest.mark.parametrize("p", range(2, 7))
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_direct_statement(distribution, p):
    X = rows_of(distribution, 300, p) * np.linspace(0.5, 20, p)
    result, error = wald(X), direct_errors(X)
    np.testing.assert_allclose(result.standard_error, error, rtol=1e-9)
    off = ~np.eye(p, dtype=bool)
    theta = np.linalg.inv(np.cov(X, rowvar=False))
    np.testing.assert_allclose(result.statistic[off], -(theta / error)[off], rtol=1e-9, atol=1e-10)
    expected = 2 * stats.norm.sf(np.abs(result.statistic))
    np.testing.assert_allclose(result.pvalue, expected, rtol=1e-10)


@pytest.mark.parametrize("method", ["wald", "score"])
@pytest.mark.parametrize(("distribution", "p"), [("gaussian", 2), ("t5", 4), ("lognormal", 3)])
def test_partial_correlation_errors_are_the_infinitesimal_jackknife(distribution, p, method):
    X = rows_of(distribution, 40, p)
    result = ew.edge_test(X, method=method)
    off = ~np.eye(p, dtype=bool)
    # The residuals are scaled by Σ̂ with n − 1, the jackknife by the moments with n.
    expected = jackknife_errors(X, weighted_partial_correlation) * (39 / 40)
    found = result.partial_correlation_standard_error
    np.testing.assert_allclose(found[off], expected[off], rtol=1e-6)


@pytest.mark.parametrize("distribution", ["gaussian", "exponential"])
def test_precision_errors_are_the_infinitesimal_jackknife(distribution):
    X = rows_of(distribution, 400, 3)
    expected = jackknife_errors(X, weighted_precision)
    np.testing.assert_allclose(wald(X).standard_error, expected, rtol=3 / 400)  # n or n − 1


@pytest.mark.parametrize("distribution", ["gaussian", "lognormal"])
def test_sign_is_that_of_the_partial_correlation(distribution):
    X = rows_of(distribution, 200, 4) * [1, -1, 1, 1]
    result = wald(X)
    for i, j in combinations(range(4), 2):
        assert np.sign(result.statistic[i, j]) == np.sign(result.partial_correlation[i, j])
        assert np.sign(result.statistic[i, j]) == -np.sign(result.precision[i, j])


def test_of_two_columns_it_is_whites_test_of_a_slope():
    """At ρ = 0 all sandwich errors agree; near it, to first order in ρ."""
    rng = np.random.default_rng(5)
    x = rng.standard_normal(4000)
    y = rng.standard_normal(4000) * (0.5 + x**2)  # uncorrelated, far from independent
    cx, cy = x - x.mean(), y - y.mean()
    slope = cx @ cy / (cx @ cx)
    white = np.sqrt(np.sum((cx * (cy - slope * cx)) ** 2)) / (cx @ cx)
    found = wald(np.column_stack([x, y])).statistic[0, 1]
    assert found == pytest.approx(slope / white, rel=0.05)
    classical = slope / np.sqrt(np.mean((cy - slope * cx) ** 2) / (cx @ cx))
    assert abs(found / classical) < 0.7


@pytest.mark.parametrize("power", [-100, 100])
def test_units_do_not_matter(power):
    X = rows_of("exponential", 300, 4)
    scale = 10.0 ** np.array([power, 0, -power, power / 3])
    plain, scaled = wald(X), wald(X * scale)
    np.testing.assert_allclose(scaled.log_pvalue, plain.log_pvalue, rtol=1e-9)
    np.testing.assert_allclose(
        scaled.standard_error * np.outer(scale, scale), plain.standard_error, rtol=1e-9
    )
    np.testing.assert_allclose(
        scaled.partial_correlation_standard_error,
        plain.partial_correlation_standard_error,
        rtol=1e-9,
        atol=1e-12,
    )


@pytest.mark.exactness
@pytest.mark.parametrize("alpha", [1e-12, 0.001, 0.05, 0.5])
@pytest.mark.parametrize("correction", CORRECTIONS)
def test_threshold_agrees_with_the_decisions(correction, alpha):
    off = ~np.eye(5, dtype=bool)
    for seed in range(4):
        X = rows_of("laplace", 60 + 60 * seed, 5, seed)
        result = wald(X, alpha=alpha, correction=correction)
        reached = np.abs(result.precision) >= result.threshold
        np.testing.assert_array_equal(reached[off], result.reject[off])
        np.testing.assert_array_equal((result.adjusted_pvalue <= alpha)[off], result.reject[off])
        assert np.isnan(np.diagonal(result.threshold)).all()


def test_a_state_is_not_enough():
    state = Moments().update(rows_of("gaussian", 100, 3))
    with pytest.raises(DataError, match="method 'wald' reads the rows twice"):
        wald(state)

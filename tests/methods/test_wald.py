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


def direct(X):
    """Row by row: Var Θ̂ and Var z with hat-matrix leverages, and degrees of freedom.

    The kurtosis is that of v_iv_j/(1 − h): it only decides about degrees of freedom.
    """
    n, p = X.shape
    c = X - X.mean(axis=0)
    theta = np.linalg.inv(np.cov(X, rowvar=False))
    root = np.sqrt(theta.diagonal())
    Q, _ = np.linalg.qr(np.column_stack([np.ones(n), c / c.std(axis=0)]))
    rho = -theta / np.outer(root, root)
    of_theta, influence, products, eighth = np.zeros((4, p, p))
    for row, q in zip(c, Q, strict=True):
        v, left = theta @ row / root, 1 - q @ q
        for i in range(p):
            for j in range(p):
                one = v[i] * v[j] / left
                moved = (v[i] * v[j] + rho[i, j] / 2 * (v[i] ** 2 + v[j] ** 2)) / left
                of_theta[i, j] += one**2
                influence[i, j] += moved**2
                products[i, j] += one**2
                eighth[i, j] += one**4
    floor = 1 / (n - p - 1)
    off = ~np.eye(p, dtype=bool)
    variance = (of_theta / n - np.where(off, rho, 1.0) ** 2) / n
    with np.errstate(divide="ignore", invalid="ignore"):
        variance_z = np.maximum(influence / (n * (1 - rho**2)) ** 2, floor)
    error = np.outer(root, root) * np.sqrt(np.maximum(variance, (1 + rho**2) * floor))
    kurtosis = n * eighth / products**2
    return rho, error, np.sqrt(variance_z), np.clip(2 * n / (kurtosis - 1), 1, None)


@pytest.mark.parametrize("p", range(2, 6))
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_direct_statement(distribution, p):
    X = rows_of(distribution, 150, p) * np.linspace(0.5, 20, p)
    result = wald(X)
    rho, error, error_z, degrees = direct(X)
    np.testing.assert_allclose(result.standard_error, error, rtol=1e-9)
    off = ~np.eye(p, dtype=bool)
    statistic = (np.arctanh(np.where(off, rho, 0.0)) / error_z)[off]
    np.testing.assert_allclose(result.statistic[off], statistic, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(
        result.partial_correlation_standard_error[off],
        error_z[off] * (1 - rho[off] ** 2),
        rtol=1e-9,
    )
    np.testing.assert_allclose(result.uncertainty.reference.degrees[off], degrees[off], rtol=1e-8)
    expected = 2 * stats.t.sf(np.abs(statistic), degrees[off])
    np.testing.assert_allclose(result.pvalue[off], expected, rtol=1e-8)


def test_the_floor_is_felt():
    """Columns of rare events that never meet: their influences are nearly all zero."""
    X = np.zeros((1000, 3))
    for j in range(3):
        X[100 * j : 100 * j + 20, j] = 1.0
    result, off = wald(X), ~np.eye(3, dtype=bool)
    np.testing.assert_allclose(result.uncertainty.spread.fisher_z[off], 1 / np.sqrt(996))
    assert not result.reject.any()


def leave_one_out(X):
    """atanh ρ̂ and Θ̂ without each row."""
    z, precision = [], []
    for row in range(len(X)):
        theta = np.linalg.inv(np.cov(np.delete(X, row, axis=0), rowvar=False))
        root = np.sqrt(theta.diagonal())
        z.append(np.arctanh(-theta / np.outer(root, root) * ~np.eye(len(root), dtype=bool)))
        precision.append(theta)
    return np.array(z), np.array(precision)


@pytest.mark.parametrize(("distribution", "p"), [("gaussian", 2), ("t5", 4), ("laplace", 6)])
def test_the_errors_are_about_those_of_leaving_out_each_row(distribution, p):
    """What the division by 1 − h is for: without it they would be too small, by about (p+1)/n."""
    n = 200
    X, off = rows_of(distribution, n, p), ~np.eye(p, dtype=bool)
    z, precision = leave_one_out(X)
    # The weighted influences are about those of the jackknife, up to the floor.
    share = (n - 1) / n
    error_z = np.sqrt(np.maximum(share * n * np.var(z, axis=0), 1 / (n - p - 1)))
    result = wald(X)
    found = [result.uncertainty.spread.fisher_z[off], result.standard_error[off]]
    root = np.sqrt(result.precision.diagonal())
    least = np.outer(root, root) ** 2 * (1 + result.partial_correlation**2) / (n - p - 1)
    error = np.sqrt(np.maximum(share * n * np.var(precision, axis=0), least))
    for ours, theirs in zip(found, (error_z[off], error[off]), strict=True):
        ratio = ours / theirs
        assert (ratio > 0.97).all()
        # With heavy tails, where single rows have a large leverage, they are on the safe side.
        assert np.median(ratio) < (1.05 if distribution == "gaussian" else 1.25)


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

"""The Wald test and its standard errors against slow statements of them."""

import numpy as np
import pytest
from scipy import stats
from tests.methods.simulated import rows_of

import edgewise as ew
from edgewise.inference.sample import open_sample

DISTRIBUTIONS = ["gaussian", "laplace", "t5", "exponential", "lognormal"]


def wald(X, **options):
    return ew.edge_test(X, method="wald", **options)


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


@pytest.mark.parametrize("p", [2, 5])
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
    np.testing.assert_allclose(result.uncertainty.reference.df[off], degrees[off], rtol=1e-8)
    expected = 2 * stats.t.sf(np.abs(statistic), degrees[off])
    np.testing.assert_allclose(result.pvalue[off], expected, rtol=1e-8)


def test_the_floor_is_felt():
    """Columns of rare events that never meet: their influences are nearly all zero."""
    X = np.zeros((1000, 3))
    for j in range(3):
        X[100 * j : 100 * j + 20, j] = 1.0
    result, off = wald(X), ~np.eye(3, dtype=bool)
    error = result.uncertainty.spread.fisher_z[off] * np.sqrt(996)
    assert ((error > 1 - 1e-9) & (error < 1.05)).all()
    assert not result.reject.any()


class TestRowsAtHand:
    """The quick sandwich, which permutations of two groups use."""

    @pytest.mark.parametrize("strong", [False, True])
    def test_the_same_numbers_as_any_table_gives(self, strong):
        X = np.random.default_rng(0).standard_t(5, (200, 5))
        X[:, 1] += X[:, 0]
        if strong:  # a partial correlation of nearly one, where terms would cancel
            X[:, 2] = X[:, 0] + 1e-2 * X[:, 2]
        X = X * [1, 1e5, 1, 1e-8, 1] + [0, 1e6, 1, 0, 3]
        method, pairs = ew.methods.Wald(), np.triu_indices(5, k=1)
        measured = method.measure_group(open_sample(X, method.needs, "a test"))
        z, variance = method.fisher_z_of_rows(X)
        partial = measured.partial_correlation[pairs]
        assert (np.abs(partial).max() > 0.99) == strong
        np.testing.assert_allclose(np.tanh(z), partial, rtol=1e-9)
        # Two ways to centre and scale; the strong pair keeps fewer digits.
        errors = measured.uncertainty.spread.fisher_z[pairs]
        np.testing.assert_allclose(np.sqrt(variance), errors, rtol=1e-6 if strong else 1e-10)

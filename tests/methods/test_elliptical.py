"""Fisher's z-test with one kurtosis for all, written down directly."""

import math

import numpy as np
import pytest
from scipy import stats
from tests.methods.simulated import rows_of

import edgewise as ew
from edgewise.errors import DataError

DISTRIBUTIONS = ["gaussian", "laplace", "t5", "exponential"]


def elliptical(X, **options):
    return ew.edge_test(X, method="elliptical", **options)


def direct(X):
    """Θ̂, ρ̂ and 1 + κ̂ = mean (cᵀΘ̂c)²/(p(p + 2))."""
    n, p = X.shape
    c = X - X.mean(axis=0)
    theta = np.linalg.inv(c.T @ c / (n - 1))
    root = np.sqrt(theta.diagonal())
    ratio = np.mean([float(row @ theta @ row) ** 2 for row in c]) / (p * (p + 2))
    return theta, -theta / np.outer(root, root), ratio


@pytest.mark.parametrize("p", [2, 6])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_direct_statement(distribution, p):
    """Var Θ̂_ij = ((1+κ)(Θ_iiΘ_jj + 2Θ_ij²) − Θ_ij²)/m and Var ρ̂_ij = (1+κ)(1−ρ²)²/m; m = n−p−1."""
    n = 200
    X = rows_of(distribution, n, p) * np.logspace(-2, 3, p)
    result, off = elliptical(X), ~np.eye(p, dtype=bool)
    theta, rho, ratio = direct(X)
    assert result.options["kurtosis_ratio"] == pytest.approx(ratio, rel=1e-11)
    expected = math.sqrt(n - p - 1) * np.arctanh(rho[off]) / math.sqrt(ratio)
    np.testing.assert_allclose(result.statistic[off], expected, rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(result.pvalue[off], 2 * stats.norm.sf(np.abs(expected)), rtol=1e-9)
    assert np.isnan(np.diagonal(result.statistic)).all()
    diagonal = theta.diagonal()
    variance = (ratio * (np.outer(diagonal, diagonal) + 2 * theta**2) - theta**2) / (n - p - 1)
    np.testing.assert_allclose(result.standard_error, np.sqrt(variance), rtol=1e-10)
    np.testing.assert_allclose(
        result.partial_correlation_standard_error[off],
        (math.sqrt(ratio / (n - p - 1)) * (1 - rho**2))[off],
        rtol=1e-10,
    )


def test_kurtosis_ratio_of_known_distributions():
    """1 for the Gaussian; for R u with R ~ Gamma(p, 2), E R⁴/(E R²)² · p/(p+2) = (p+3)/(p+1)."""
    p = 3
    for distribution, expected in (("gaussian", 1.0), ("laplace", (p + 3) / (p + 1))):
        found = elliptical(rows_of(distribution, 400_000, p)).options["kurtosis_ratio"]
        assert found == pytest.approx(expected, rel=0.02)


def test_too_few_rows(refuses):
    refuses(
        lambda: elliptical(rows_of("gaussian", 5, 4)),
        DataError,
        "expected more than 5 rows for 4 columns with this method, got 5",
    )
    assert np.isfinite(elliptical(rows_of("gaussian", 6, 4)).statistic[0, 1])

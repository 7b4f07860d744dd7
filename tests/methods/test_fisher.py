"""Fisher's partial-correlation test against pingouin, R's ggm and regressions."""

from __future__ import annotations

import json
import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from tests.methods.simulated import rows_of

import edgewise as ew
from edgewise.errors import DataError

REFERENCE = json.loads(
    (Path(__file__).parents[1] / "reference" / "partial_correlation.json").read_text("utf-8")
)
DATA = np.array(REFERENCE["data"])
UPPER = np.triu_indices(5, k=1)


def fisher(X, **options):
    return ew.edge_test(X, method="fisher", **options)


def reference(program, field):
    rows = REFERENCE[program]
    names = [(row["source"], row["target"]) for row in rows]
    assert names == list(combinations(REFERENCE["columns"], 2))
    return [row[field] for row in rows]


@pytest.mark.parametrize("program", ["pingouin", "ggm"])
def test_other_programs(program):
    result = fisher(DATA)
    np.testing.assert_allclose(
        result.partial_correlation[UPPER], reference(program, "r"), rtol=1e-12
    )
    np.testing.assert_allclose(result.pvalue[UPPER], reference(program, "pvalue"), rtol=1e-12)
    if program == "ggm":
        statistic = reference("ggm", "statistic")
        np.testing.assert_allclose(result.statistic[UPPER], statistic, rtol=1e-12)
        assert set(reference("ggm", "df")) == {len(DATA) - 5}


@pytest.mark.parametrize("p", [2, 6])
def test_against_regressions(p):
    """t is that of the coefficient of x_j in the regression of x_i on all others."""
    X = rows_of("gaussian", 50, p) + 3
    result = fisher(X)
    for i, j in combinations(range(p), 2):
        others = [j, *(k for k in range(p) if k not in (i, j))]
        design = np.column_stack([X[:, others], np.ones(50)])
        beta, rss = np.linalg.lstsq(design, X[:, i], rcond=None)[:2]
        error = math.sqrt(rss[0] / (50 - p) * np.linalg.inv(design.T @ design)[0, 0])
        assert result.statistic[i, j] == pytest.approx(beta[0] / error, rel=1e-9)
        expected = 2 * stats.t.sf(abs(beta[0] / error), 50 - p)
        assert result.pvalue[i, j] == pytest.approx(expected, rel=1e-8)


def test_two_columns_are_pearsons_test():
    X = rows_of("laplace", 80, 2)
    expected = stats.pearsonr(X[:, 0], X[:, 1])
    result = fisher(X)
    assert result.partial_correlation[0, 1] == pytest.approx(expected.statistic, rel=1e-12)
    assert result.pvalue[0, 1] == pytest.approx(expected.pvalue, rel=1e-11)


def test_pvalues_beyond_the_smallest_float():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(5000)
    result = fisher(np.column_stack([x, x + 0.1 * rng.standard_normal(5000)]))
    assert result.log_pvalue[0, 1] < -5000
    assert 0 < result.pvalue[0, 1] < 1e-300


# Fisher's z-test with one kurtosis for all, written down directly.


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

"""Each entry its own threshold: the jackknife's error times one quantile for all entries."""

import math

import numpy as np
import pytest
from scipy import stats
from tests.methods.simulated import off_diagonal, quiet_test, rows_of

import edgewise as ew
from edgewise.errors import DataError, ParameterError
from edgewise.states import Moments

DRAWS = 9999


def entrywise(data, **options):
    return quiet_test(data, "entrywise", **options)


@pytest.mark.parametrize("distribution", ["gaussian", "exponential"])
@pytest.mark.parametrize(("n", "p", "K"), [(400, 2, 10), (411, 3, 20), (4000, 5, 30)])
def test_direct_statement(n, p, K, distribution):
    X = rows_of(distribution, n, p) * np.logspace(0, 2, p)
    result = entrywise(X, n_batches=K)
    places = np.cumsum(ew.accumulate(X, n_batches=K).batch_counts())[:-1]
    parts = np.split(np.arange(n), places)
    without = np.array(
        [np.linalg.inv(np.cov(np.delete(X, part, axis=0), rowvar=False)) for part in parts]
    )
    without -= without.mean(axis=0)
    k = len(without)
    variance = (k - 1) / k * np.sum(without**2, axis=0)
    theta = np.linalg.inv(np.cov(X, rowvar=False))
    unit = np.sqrt(np.outer(theta.diagonal(), theta.diagonal()))
    error = np.sqrt(np.maximum(variance, (unit**2 + theta**2) / (n - p - 1)))
    rows, columns = np.triu_indices(p)
    flat = without[:, rows, columns]
    g = np.random.default_rng(0).standard_normal((DRAWS, k))
    largest = np.abs(g @ (flat / np.sqrt(np.sum(flat**2, axis=0)))).max(axis=1)
    z = np.sort(largest)[-round(0.05 * (1 + DRAWS))]
    kurtosis = np.median(stats.kurtosis(flat, axis=0, fisher=False))
    degrees = min(2 * k / (kurtosis - 1), k - 1)
    union = stats.t.isf(0.05 / (p * (p + 1)), degrees)
    c = min(stats.t.isf(stats.norm.sf(z), degrees), union)
    assert result.radius == pytest.approx(c, rel=1e-6)
    assert result.uncertainty.radius.of_union(0.05) == pytest.approx(union, rel=1e-9)
    np.testing.assert_allclose(off_diagonal(result.threshold), off_diagonal(c * error), rtol=1e-6)
    found = np.abs(theta) >= c * error
    np.testing.assert_array_equal(off_diagonal(result.reject), off_diagonal(found))
    low, high = result.confidence_interval(0.95)
    np.testing.assert_allclose(high - low, 2 * c * error, rtol=1e-6)  # the diagonal too


def test_effects_and_plans():
    X = rows_of("gaussian", 4000, 4)
    plain, effect = entrywise(X), entrywise(X, min_effect=0.1)
    assert plain.n_edges >= effect.n_edges > 0
    assert entrywise(X, min_effect=0.6).n_edges == 0
    plan = ew.plan_sample_size(X, effect=0.1, method="entrywise")
    # The error falls as n^(−½): at that many rows an effect of 0.1 is just significant.
    error = math.sqrt((1 + 0.1**2) / plan.n_samples)
    assert plain.radius * error == pytest.approx(0.1, rel=0.3)


def test_refusals(refuses):
    X = rows_of("gaussian", 500, 3)
    refuses(lambda: entrywise(X, n_batches=501), ParameterError, "at most the 500 rows")
    state = Moments().update(X)
    refuses(lambda: entrywise(state), DataError, "'entrywise' needs the moments of batch")

"""The score test against a slow, direct statement of it."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

import edgewise as ew
from edgewise import DataError, Moments

CORRECTIONS = ["holm", "bonferroni", "bh", "by", None]
DISTRIBUTIONS = ["gaussian", "laplace", "t5", "exponential", "lognormal"]
EPS = np.finfo(float).eps


def rows_of(distribution, n, p, seed=0):
    theta = ew.simulate.make_chain_precision(p)
    return ew.simulate.sample(distribution, theta, n, rng=np.random.default_rng(seed))


def direct(X):
    """T = Σe_ie_j/√Σe_i²e_j², e the residuals given the other columns and an intercept."""
    n, p = X.shape
    T = np.full((p, p), np.nan)
    for i, j in combinations(range(p), 2):
        others = [k for k in range(p) if k not in (i, j)]
        design = np.column_stack([np.ones(n), X[:, others]])
        pair = X[:, [i, j]]
        e = pair - design @ np.linalg.lstsq(design, pair, rcond=None)[0]
        product = e[:, 0] * e[:, 1]
        T[i, j] = T[j, i] = product.sum() / np.sqrt(np.sum(product**2))
    return T


def nearly_equal_columns(distance, p, sign, seed=0):
    """Columns 0 and 1 have a partial correlation of about ±(1 − distance)."""
    rng = np.random.default_rng(seed)
    X = rows_of("t5", 500, p, seed)
    X[:, 1] = sign * (X[:, 0] + np.sqrt(2 * distance) * rng.standard_normal(500))
    return X


@pytest.mark.parametrize("p", range(2, 9))
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_direct_statement(distribution, p):
    X = rows_of(distribution, 300, p) * np.linspace(0.5, 20, p) - 4
    result = ew.edge_test(X, method="score")
    np.testing.assert_allclose(result.statistic, direct(X), rtol=1e-10, atol=1e-11)
    expected = 2 * stats.norm.sf(np.abs(result.statistic))
    np.testing.assert_allclose(result.pvalue, expected, rtol=1e-10)


@pytest.mark.parametrize("n", [5, 6, 9])
def test_few_rows(n):
    X = rows_of("gaussian", n, 4)
    np.testing.assert_allclose(ew.edge_test(X).statistic, direct(X), rtol=1e-8)


def test_rows_in_several_blocks_and_batches():
    X = rows_of("t5", 50_000, 3)
    state_sized = ew.edge_test(X)
    np.testing.assert_allclose(state_sized.statistic, direct(X), rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("p", [2, 5])
@pytest.mark.parametrize("distance", [1e-2, 1e-3, 1e-4, 3e-5, 1e-6, 1e-9])
def test_nearly_equal_columns(distance, p, sign):
    X = nearly_equal_columns(distance, p, sign)
    result = ew.edge_test(X)
    left = 1 - abs(result.partial_correlation[0, 1])
    assert left == pytest.approx(distance, rel=0.3)
    # A covariance in double precision knows 1 − |ρ| to EPS; the expanded square, used while
    # |ρ| < 1 − 1e-5, loses that twice over.
    tolerance = 20 * EPS / (left if left < 1e-5 else left**2)
    assert result.statistic[0, 1] == pytest.approx(direct(X)[0, 1], rel=tolerance)
    assert np.sign(result.statistic[0, 1]) == sign
    assert result.reject[0, 1]


@pytest.mark.parametrize("power", [-150, -75, 75, 150])
@pytest.mark.parametrize("distribution", ["gaussian", "lognormal"])
def test_units_do_not_matter(distribution, power):
    X = rows_of(distribution, 300, 5)
    scale = 10.0 ** np.array([power, 0, -power, power / 3, power])
    plain, scaled = ew.edge_test(X), ew.edge_test(X * scale)
    np.testing.assert_allclose(scaled.log_pvalue, plain.log_pvalue, rtol=1e-10)
    np.testing.assert_array_equal(scaled.reject, plain.reject)
    relative = scaled.threshold / np.abs(scaled.precision)
    np.testing.assert_allclose(relative, plain.threshold / np.abs(plain.precision), rtol=1e-8)


def test_a_large_mean_does_not_matter():
    X = np.round(rows_of("exponential", 300, 5) * 2**18) / 2**18  # so that adding is exact
    plain, shifted = ew.edge_test(X), ew.edge_test(X + 1e8)
    np.testing.assert_allclose(shifted.statistic, plain.statistic, rtol=1e-11, atol=1e-11)
    np.testing.assert_array_equal(shifted.reject, plain.reject)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_sign(distribution):
    X = rows_of(distribution, 400, 4)
    flipped = X * [1, -1, 1, 1]
    plain, other = ew.edge_test(X), ew.edge_test(flipped)
    off = ~np.eye(4, dtype=bool)
    assert np.all(np.sign(plain.statistic[off]) == np.sign(plain.partial_correlation[off]))
    signs = np.outer([1, -1, 1, 1], [1, -1, 1, 1])
    np.testing.assert_allclose(other.statistic, plain.statistic * signs, rtol=1e-12)
    np.testing.assert_allclose(other.log_pvalue, plain.log_pvalue, rtol=1e-11)


def test_order_of_columns_and_rows():
    X = rows_of("t5", 400, 5)
    columns, rows = [3, 0, 4, 1, 2], np.random.default_rng(0).permutation(400)
    plain = ew.edge_test(X)
    moved = ew.edge_test(X[rows][:, columns])
    np.testing.assert_allclose(
        moved.statistic, plain.statistic[np.ix_(columns, columns)], rtol=1e-10, atol=1e-12
    )


@pytest.mark.exactness
@pytest.mark.parametrize("alpha", [1e-12, 0.001, 0.05, 0.5])
@pytest.mark.parametrize("correction", CORRECTIONS)
def test_threshold_agrees_with_the_decisions(correction, alpha):
    off = ~np.eye(6, dtype=bool)
    for seed in range(5):
        X = rows_of("laplace", 60 + 40 * seed, 6, seed)
        result = ew.edge_test(X, alpha=alpha, correction=correction)
        np.testing.assert_array_equal(
            (np.abs(result.precision) >= result.threshold)[off], result.reject[off]
        )
        np.testing.assert_array_equal((result.adjusted_pvalue <= alpha)[off], result.reject[off])
        assert np.isnan(np.diagonal(result.threshold)).all()


def test_pvalues_beyond_the_smallest_float():
    X = nearly_equal_columns(1e-3, 3, 1)
    result = ew.edge_test(np.tile(X, (20, 1)) + 1e-9 * rows_of("gaussian", 10_000, 3))
    T = result.statistic[0, 1]
    assert T > 40
    tail = -(T**2) / 2 - np.log(T) - 0.5 * np.log(2 * np.pi) + np.log(2)
    assert result.log_pvalue[0, 1] == pytest.approx(tail, rel=1e-5)
    assert 0 < result.pvalue[0, 1] < 1e-300


def test_uncorrelated_by_construction():
    X = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]] * 5)
    result = ew.edge_test(X)
    assert result.statistic[0, 1] == pytest.approx(0, abs=1e-15)
    assert result.pvalue[0, 1] == pytest.approx(1)
    assert not result.reject.any()


def test_a_state_is_not_enough():
    state = Moments().update(rows_of("gaussian", 100, 3))
    with pytest.raises(DataError, match="method 'score' reads the rows twice"):
        ew.edge_test(state, method="score")

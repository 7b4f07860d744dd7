"""The score test against a slow, direct statement of it."""

from itertools import combinations

import numpy as np
import pytest
from scipy import optimize, stats
from tests.methods.simulated import rows_of

import edgewise as ew
from edgewise.inference.sign_flip import SignFlip
from edgewise.sums.score import believed_tau

DISTRIBUTIONS = ["gaussian", "laplace", "t5", "exponential", "lognormal"]
EPS = np.finfo(float).eps


def direct_tau(X):
    """One over the variance of each row's errors, from all its residuals, drawn towards one."""
    n, p = X.shape
    Q, _ = np.linalg.qr(np.column_stack([np.ones(n), X]))
    left = np.maximum(1 - np.sum(Q**2, axis=1), 1e-10)
    theta = np.linalg.inv(np.cov(X, rowvar=False))
    v = (X - X.mean(axis=0)) @ theta / np.sqrt(theta.diagonal())
    mean_square = np.mean(v**2, axis=1) * (n - p) / (n - 1)
    return believed_tau((mean_square - left * (1 - left)) / left**2, p)


def direct(X, pairs=None):
    """Two regressions for each pair, and the sums of section 5 of the mathematics, written down.

    T, and the terms a_k = √w e_ie_j/√max(Σw(e_ie_j)², floor) of the pairs.
    """
    n, p = X.shape
    T, terms, tau = np.full((p, p), np.nan), {}, direct_tau(X)
    for i, j in pairs or combinations(range(p), 2):
        others = [k for k in range(p) if k not in (i, j)]
        design = np.column_stack([np.ones(n), X[:, others]])
        Q, _ = np.linalg.qr(design)
        h = np.sum(Q**2, axis=1)
        e = X[:, [i, j]] - design @ np.linalg.lstsq(design, X[:, [i, j]], rcond=None)[0]
        product, squares = e[:, 0] * e[:, 1], np.sum(e**2, axis=0)
        weighted = product / np.sqrt((1 - h) * (1 - h + tau * h))
        variance = max(np.sum(weighted**2), squares[0] * squares[1] / (n - p + 1))
        T[i, j] = T[j, i] = product.sum() / np.sqrt(variance)
        terms[i, j] = np.abs(weighted) / np.sqrt(variance)
    return T, terms


def saddlepoint(a, t):
    """log P(|Σ ±a_k + rest| > t): Lugannani and Rice, from all terms and a normal rest."""
    rest = 1 - np.sum(a**2)
    s = optimize.brentq(lambda s: rest * s + np.sum(a * np.tanh(s * a)) - t, 1e-9, 1e6)
    r = np.sqrt(2 * (s * t - rest * s**2 / 2 - np.sum(np.log(np.cosh(s * a)))))
    u = s * np.sqrt(rest + np.sum((a / np.cosh(s * a)) ** 2))
    return np.log(2) + stats.norm.logsf(r + np.log(u / r) / r)


def nearly_equal_columns(distance, p, sign, seed=0):
    """Columns 0 and 1 have a partial correlation of about ±(1 − distance)."""
    rng = np.random.default_rng(seed)
    X = rows_of("t5", 500, p, seed)
    X[:, 1] = sign * (X[:, 0] + np.sqrt(2 * distance) * rng.standard_normal(500))
    return X


@pytest.mark.parametrize("p", [2, 3, 5, 8])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_direct_statement(distribution, p):
    X = rows_of(distribution, 300, p) * np.linspace(0.5, 20, p) - 4
    result = ew.edge_test(X, method="score")
    expected, terms = direct(X)
    np.testing.assert_allclose(result.statistic, expected, rtol=1e-9, atol=1e-11)
    for (i, j), a in terms.items():
        t, found = abs(expected[i, j]), result.log_pvalue[i, j]
        law = SignFlip(np.array([np.sum(a**4)]), np.array([np.sum(a**6)]))
        assert found == pytest.approx(law.log_two_sided(np.array([t]))[0], rel=1e-8, abs=1e-10)
        if 0.1 < t < 6:
            # Two sums of the terms say nearly all; what they do not say makes the tail heavier.
            whole = saddlepoint(a, t)
            assert 1.06 * whole - 0.02 < found < 0.6 * whole + 0.02
            if t < 2.5 and np.sum(a**4) < 0.2:
                assert found == pytest.approx(whole, rel=0.1, abs=0.02)


def test_the_floor_is_felt():
    """Columns of rare events that never meet; without the floor |T| would be about √n."""
    X = np.zeros((1000, 4))
    for j in range(4):
        X[100 * j : 100 * j + 20, j] = 1.0
    result = ew.edge_test(X, method="score")
    np.testing.assert_allclose(result.statistic, direct(X)[0], rtol=0.05)
    assert np.nanmax(np.abs(result.statistic / direct(X)[0])) < 1 + 1e-9
    assert not result.reject.any()


def test_few_rows():
    for n in (5, 6, 9):
        X = rows_of("gaussian", n, 4)
        np.testing.assert_allclose(ew.edge_test(X).statistic, direct(X)[0], rtol=1e-8)


@pytest.mark.parametrize(
    ("distribution", "n", "p"),
    [("gaussian", 40_000, 8), ("lognormal", 40_000, 8), ("t5", 501, 70), ("lognormal", 501, 70)],
)
def test_many_rows_are_summed_by_products(distribution, n, p):
    """Many rows: weights are products of factors, which is nearly the same."""
    X = rows_of(distribution, n, p)
    pairs = [*combinations(range(8), 2), *((i, p - 1) for i in range(8, p - 1, 3))]
    places = tuple(np.transpose(pairs))
    expected, found = direct(X, pairs)[0][places], ew.edge_test(X).statistic[places]
    np.testing.assert_allclose(found, expected, rtol=5e-3, atol=1e-3)
    weak = np.abs(expected) < 4
    np.testing.assert_allclose(found[weak], expected[weak], rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("distance", [1e-2, 1e-4, 3e-5, 1e-9])
def test_nearly_equal_columns(distance):
    for p, sign in ((2, 1), (5, -1), (5, 1)):
        X = nearly_equal_columns(distance, p, sign)
        result = ew.edge_test(X)
        left = 1 - abs(result.partial_correlation[0, 1])
        assert left == pytest.approx(distance, rel=0.3)
        # A covariance in double precision knows 1 − |ρ| to EPS.
        expected = direct(X)[0][0, 1]
        assert result.statistic[0, 1] == pytest.approx(expected, rel=1e-9 + 50 * EPS / left)
        assert np.sign(result.statistic[0, 1]) == sign
        assert result.reject[0, 1]


def test_units_signs_order_and_large_means_do_not_matter():
    X = rows_of("lognormal", 300, 5)
    X = np.round(X * 2**18) / 2**18  # so that adding is exact
    plain, off = ew.edge_test(X), ~np.eye(5, dtype=bool)
    for power in (-150, 75, 150):
        scaled = ew.edge_test(X * 10.0 ** np.array([power, 0, -power, power / 3, power]))
        np.testing.assert_allclose(scaled.log_pvalue, plain.log_pvalue, rtol=1e-10)
        np.testing.assert_array_equal(scaled.reject, plain.reject)
        relative = scaled.threshold / np.abs(scaled.precision)
        np.testing.assert_allclose(relative, plain.threshold / np.abs(plain.precision), rtol=1e-8)
    shifted = ew.edge_test(X + 1e8)
    np.testing.assert_allclose(shifted.statistic, plain.statistic, rtol=1e-11, atol=1e-11)
    signs = np.array([1, -1, 1, 1, 1])
    assert np.all(np.sign(plain.statistic[off]) == np.sign(plain.partial_correlation[off]))
    flipped = ew.edge_test(X * signs)
    np.testing.assert_allclose(
        flipped.statistic, plain.statistic * np.outer(signs, signs), rtol=1e-11
    )
    columns, rows = [3, 0, 4, 1, 2], np.random.default_rng(0).permutation(300)
    moved = ew.edge_test(X[rows][:, columns])
    np.testing.assert_allclose(
        moved.statistic, plain.statistic[np.ix_(columns, columns)], rtol=1e-10, atol=1e-12
    )


def test_pvalues_beyond_the_smallest_float():
    X = nearly_equal_columns(1e-3, 3, 1)
    rows = np.tile(X, (20, 1)) + 1e-9 * rows_of("gaussian", 10_000, 3)
    result = ew.edge_test(rows, method="score")
    T = result.statistic[0, 1]
    assert T > 40
    # Fewer terms than infinitely many: rarer than the normal law has it.
    normal = -(T**2) / 2 - np.log(T) - 0.5 * np.log(2 * np.pi) + np.log(2)
    assert 3 * normal < result.log_pvalue[0, 1] < normal
    assert 0 < result.pvalue[0, 1] < 1e-300


def test_uncorrelated_by_construction():
    result = ew.edge_test(np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]] * 5))
    assert result.statistic[0, 1] == pytest.approx(0, abs=1e-15)
    assert result.pvalue[0, 1] == pytest.approx(1)
    assert not result.reject.any()

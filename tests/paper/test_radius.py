"""Radii and their levels are the quantiles and tails they claim to be."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from edgewise.errors import ParameterError
from edgewise.paper.radii import (
    TRACE_MAX_ALPHA,
    ChebyshevRadius,
    ChiSquareRadius,
    HoeffdingRadius,
    NormalRadius,
    kernel_ranges,
    log_tail,
    relative_variance,
)

ALPHAS = [1e-300, 1e-20, 1e-6, 0.01, 0.05, 0.2, 0.5, 0.99]


def test_largest_level_of_the_trace_radius():
    assert round(TRACE_MAX_ALPHA, 4) == 0.2152
    assert pytest.approx(stats.chi2.sf(1.5364, 1), rel=1e-12) == TRACE_MAX_ALPHA


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("variance", [1e-200, 0.3, 1.0, 1e200])
def test_radius_against_scipy(variance, alpha):
    expected = math.sqrt(variance) * stats.norm.isf(alpha / 2)
    assert NormalRadius(variance).epsilon(alpha) == pytest.approx(expected, rel=1e-13)


RADII = [
    NormalRadius(0.7),
    HoeffdingRadius(0.2, 250, 21),
    ChebyshevRadius(0.02),
    *(ChiSquareRadius(10.0 ** -np.linspace(0, 2, size)) for size in (1, 3, 40)),
]


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("radius", RADII, ids=repr)
def test_level_inverts_radius(radius, alpha):
    levels = radius.log_level(np.array([radius.epsilon(alpha), 1e-9]))
    np.testing.assert_allclose(levels[0], math.log(alpha), rtol=1e-9, atol=1e-10)
    assert levels[1] == pytest.approx(0, abs=1e-7)


def test_log_level_does_not_underflow():
    level = NormalRadius(1.0).log_level(np.array([100.0, 1e6]))
    # log(2 φ(z)/z (1 − 1/z² + 3/z⁴)), to which the tail is equal up to z⁻⁶
    z = np.array([100.0, 1e6])
    series = np.log1p(-1 / z**2 + 3 / z**4)
    expected = math.log(2) - z**2 / 2 - 0.5 * math.log(2 * math.pi) - np.log(z) + series
    np.testing.assert_allclose(level, expected, rtol=1e-14)
    assert level[0] < -5000


@pytest.mark.parametrize("alpha", [0.2153, 0.3, 0.99])
def test_unproven_levels_are_refused(alpha):
    with pytest.raises(ParameterError, match=f"alpha: expected at most 0.2151 .* got {alpha}"):
        NormalRadius(1.0, TRACE_MAX_ALPHA).epsilon(alpha)


def test_levels_beyond_the_proof_are_one():
    radius = NormalRadius(1.0, TRACE_MAX_ALPHA)
    z = stats.norm.isf(np.array([0.21, 0.22]) / 2)
    levels = radius.log_level(z)
    assert levels[0] == pytest.approx(math.log(0.21), rel=1e-9)
    assert levels[1] == 0.0


def spectrum(seed, size, decades=2.0):
    return 10.0 ** -np.random.default_rng(seed).uniform(0, decades, size)


class TestChiSquare:
    @pytest.mark.parametrize(
        ("weights", "largest"),
        [
            (np.array([1.0]), 40.0),
            (spectrum(0, 6), 20.0),
            (spectrum(1, 60, 4.0), 12.0),
            (np.full(100, 1e-4), 0.6),
        ],
    )
    def test_many_points_agree_with_few(self, weights, largest):
        """Above 300 points the levels are interpolated."""
        epsilon = np.random.default_rng(0).uniform(0.01, largest, 1000)
        epsilon[:2] = 0.01, largest
        radius = ChiSquareRadius(weights)
        many = radius.log_level(epsilon)
        exact = np.array([log_tail(float(e) ** 2, weights) for e in epsilon[:150]])
        np.testing.assert_allclose(radius.log_level(epsilon[:150]), exact, rtol=0, atol=0)
        np.testing.assert_allclose(many[:150], exact, rtol=1e-6, atol=1e-6)
        assert many.max() <= 0

    @settings(max_examples=60)
    @given(
        st.lists(st.floats(1e-8, 1.0), min_size=1, max_size=30),
        st.one_of(st.just(TRACE_MAX_ALPHA), st.floats(1e-12, TRACE_MAX_ALPHA)),
    )
    def test_never_above_the_trace_radius(self, values, alpha):
        """Székely & Bakirov, at every level that they prove."""
        weights = np.array(values)
        trace = NormalRadius(float(weights.sum()), TRACE_MAX_ALPHA)
        exact = ChiSquareRadius(weights)
        assert exact.epsilon(alpha) <= trace.epsilon(alpha) * (1 + 1e-9)


class TestEstimatedSpectrum:
    """`ChiSquareRadius` with counts and a slack."""

    @pytest.mark.parametrize("slack", [0.0, 0.01, 0.5])
    @pytest.mark.parametrize("counts", [None, np.array([0.4, 2.5, 9.1])])
    def test_slack_widens_the_radius_and_the_level_inverts_it(self, counts, slack):
        values = np.array([1.0, 0.3, 0.05])
        exact = ChiSquareRadius(values, counts)
        wide = ChiSquareRadius(values, counts, slack)
        for alpha in (1e-20, 1e-6, 0.01, 0.05, 0.5):
            assert wide.epsilon(alpha) == pytest.approx((1 + slack) * exact.epsilon(alpha))
            level = wide.log_level(np.array([wide.epsilon(alpha)]))
            np.testing.assert_allclose(level, math.log(alpha), rtol=1e-9)

    def test_slack_is_three_standard_errors_at_the_worst_of_three_levels(self):
        rng = np.random.default_rng(5)
        values = spectrum(6, 5) * rng.uniform(0.8, 1.2, (6, 5))
        counts = rng.uniform(0.5, 4.0, (6, 5))
        radius = ChiSquareRadius.estimated(values, counts)
        errors = []
        for alpha in (0.001, 0.05, 0.5):
            each = [
                ChiSquareRadius(v, c).epsilon(alpha) for v, c in zip(values, counts, strict=True)
            ]
            errors.append(stats.sem(each) / np.mean(each))
        assert radius.slack == pytest.approx(3 * max(errors), rel=1e-9)
        # The spectrum is the mean of the estimates: all of them, each a sixth.
        assert radius.counts.sum() == pytest.approx(counts.sum() / 6)
        mean = float(np.sum(values * counts)) / 6
        assert float(radius.counts @ radius.spectrum) == pytest.approx(mean)


class TestHoeffding:
    @pytest.mark.parametrize("n", [3, 4, 100, 101])
    @pytest.mark.parametrize("alpha", ALPHAS)
    def test_is_the_formula(self, alpha, n):
        expected = 1.7 * math.sqrt(math.log(2 * 10 / alpha) / (2 * math.floor(n / 2)))
        assert HoeffdingRadius(1.7, n // 2, 10).epsilon(alpha) == pytest.approx(expected, rel=1e-14)

    def test_holds_where_it_is_worst(self):
        """The error of a covariance of fair coins stays within the radius of its one entry."""
        rng = np.random.default_rng(0)
        n, alpha = 50, 0.1
        coins = rng.integers(0, 2, (20_000, n, 2)).astype(float)
        coins -= coins.mean(axis=1, keepdims=True)
        error = np.abs(np.vecdot(coins[..., 0], coins[..., 1]) / (n - 1))
        ranges = kernel_ranges(np.ones(2))
        assert np.mean(error > HoeffdingRadius(ranges[0, 1], n // 2, 1).epsilon(alpha)) <= alpha


def test_kernel_ranges_are_those_of_the_extreme_points():
    """½(x − x′)(y − y′) is linear in each of its four arguments, so corners are its extremes."""
    support = np.array([[-1.0, 2.0], [0.0, 0.5], [10.0, 14.0]])
    found = kernel_ranges(support[:, 1] - support[:, 0])
    for i, j in product(range(3), repeat=2):
        rows = [(x, x) for x in support[i]] if i == j else list(product(support[i], support[j]))
        values = [(x - u) * (y - v) / 2 for (x, y), (u, v) in product(rows, rows)]
        assert found[i, j] == pytest.approx(max(values) - min(values), rel=1e-15)
    np.testing.assert_array_equal(found, found.T)


class TestChebyshev:
    def test_is_the_formula(self):
        assert ChebyshevRadius(0.02).epsilon(0.05) == pytest.approx(math.sqrt(0.4), rel=1e-14)

    @pytest.mark.parametrize("n", [2, 3, 4])
    def test_the_mean_of_the_squared_error_is_exact(self, n):
        """All samples of n rows from a law on four points, one by one."""
        points = np.array([[0.0, 1.0], [2.0, -1.0], [5.0, 0.0], [-1.0, 4.0]])
        law = np.array([0.1, 0.2, 0.3, 0.4])
        y = points - law @ points
        covariance = (y.T * law) @ y
        z = y @ np.linalg.inv(np.linalg.cholesky(covariance)).T
        kurtosis = law @ np.sum(z**2, axis=1) ** 2 / (2 * 4)
        expected = 0.0
        for rows in product(range(4), repeat=n):
            error = np.cov(z[list(rows)], rowvar=False) - np.eye(2)
            expected += math.prod(law[list(rows)]) * np.sum(error**2)
        assert relative_variance(n, 2, kurtosis) == pytest.approx(expected, rel=1e-12)

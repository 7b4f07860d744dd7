"""Thresholds, p-values and intervals of every method: the formulas, and what must agree."""

import math
import warnings

import numpy as np
import pytest
from tests.methods.simulated import off_diagonal, quiet_test

import edgewise as ew
from edgewise.errors import ParameterError, ShortBatchesWarning

PER_EDGE = ["score", "wald", "batch", "elliptical", "fisher"]
BOUNDS = ["whitened", "spectral", "trace", "eig"]
SCALES = ["precision", "partial_correlation"]
FIELDS = ["statistic", "log_pvalue", "adjusted_pvalue", "reject", "threshold", "precision"]
every_bound = pytest.mark.parametrize("method", BOUNDS)


def rows_of(n=2000, p=4, seed=0, distribution="gaussian", weight=0.3):
    theta = ew.simulate.make_chain_precision(p, weight)
    return ew.simulate.sample(distribution, theta, n, rng=np.random.default_rng(seed)) + 2


@pytest.mark.parametrize("method", PER_EDGE)
def test_partial_correlations_stay_between_one_and_minus_one(method):
    rng = np.random.default_rng(0)
    x = rng.standard_normal(60)
    X = np.column_stack([x, x + 1e-3 * rng.standard_normal(60), rng.standard_normal(60)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShortBatchesWarning)
        result = ew.edge_test(X, method=method)
    low, high = result.confidence_interval(1 - 1e-12, "partial_correlation", simultaneous=True)
    assert np.all((low >= -1) & (high <= 1))
    # A self-normalised sum of 60 terms cannot be that rare.
    level = 0.99 if method == "score" else 1 - 1e-12
    low, _ = result.confidence_interval(level, "partial_correlation", simultaneous=True)
    assert low[0, 1] > 0


class TestIntervalsOfBounds:
    @pytest.mark.exactness
    @every_bound
    def test_estimate_and_threshold(self, method):
        X = rows_of(40_000, 3)
        for alpha in (0.001, 0.05, 0.2):
            result = quiet_test(X, method, alpha=alpha)
            found = result.confidence_interval(1 - alpha)
            half = off_diagonal(result.threshold * np.ones((3, 3)))
            center = off_diagonal(result.precision)
            np.testing.assert_allclose(off_diagonal(found.low), center - half, rtol=1e-9)
            np.testing.assert_allclose(off_diagonal(found.high), center + half, rtol=1e-9)
            assert np.all(found.low.diagonal() < result.precision.diagonal())
            excluded = off_diagonal((found.low > 0) | (found.high < 0))
            np.testing.assert_array_equal(excluded, off_diagonal(result.reject))
            for scale in SCALES:  # they hold for all entries at once in any case
                one, all_at_once = (
                    result.confidence_interval(1 - alpha, scale, simultaneous)
                    for simultaneous in (False, True)
                )
                np.testing.assert_array_equal(one, all_at_once)

    @every_bound
    def test_partial_correlations_are_the_extremes_over_the_box(self, method):
        """No Θ with every entry in its interval has a partial correlation outside."""
        rng = np.random.default_rng(1)
        result = quiet_test(rows_of(60_000, 3), method)
        low, high = result.confidence_interval(0.95)
        assert np.all(low.diagonal() > 0)
        found = result.confidence_interval(0.95, "partial_correlation")
        for i, j in ((0, 1), (0, 2), (1, 2)):
            # Corners and points between, for the three entries that matter.
            share = rng.random((20_000, 3))
            share[:4000] = rng.integers(0, 2, (4000, 3))
            pairs = ((i, j), (i, i), (j, j))
            entries = [low[k] + s * (high[k] - low[k]) for k, s in zip(pairs, share.T, strict=True)]
            rho = -entries[0] / np.sqrt(entries[1] * entries[2])
            assert found.low[i, j] <= max(rho.min(), -1) + 1e-12
            assert min(rho.max(), 1) - 1e-12 <= found.high[i, j]
            # And they are no wider than that.
            assert found.low[i, j] == pytest.approx(max(rho.min(), -1), abs=1e-9)
            assert found.high[i, j] == pytest.approx(min(rho.max(), 1), abs=1e-9)
        np.testing.assert_array_equal(found.low.diagonal(), 1)

    @every_bound
    def test_too_few_rows_say_nothing(self, method):
        result = quiet_test(rows_of(10), method)
        assert result.threshold == math.inf
        low, high = result.confidence_interval()
        assert np.all(low == -math.inf)
        assert np.all(high == math.inf)
        low, high = result.confidence_interval(scale="partial_correlation")
        assert np.all(off_diagonal(low) == -1)
        assert np.all(off_diagonal(high) == 1)


def test_arguments_are_checked(refuses):
    result = quiet_test(rows_of(100), "score")
    for level in (0, 1, -0.5, 95, math.nan, "0.95", None):
        refuses(
            lambda level=level: result.confidence_interval(level),
            ParameterError,
            "level: expected a number between 0 and 1",
            "0.95 is usual",
        )
    for scale in ("covariance", "", 3):
        refuses(
            lambda scale=scale: result.confidence_interval(scale=scale),
            ParameterError,
            "scale: expected one of 'precision', 'partial_correlation'",
        )
    refuses(lambda: result.confidence_interval(simultaneous="yes"), ParameterError, "True or False")


@pytest.mark.exactness
@pytest.mark.parametrize("method", [*PER_EDGE, "sequential", *BOUNDS])
def test_an_effect_of_zero_is_the_plain_test(method):
    X = rows_of(20_000)
    plain, found = quiet_test(X, method), quiet_test(X, method, min_effect=-0.0)
    for field in FIELDS:
        np.testing.assert_array_equal(getattr(found, field), getattr(plain, field))
    assert found.options == plain.options
    options = quiet_test(X, method, min_effect=0.1).options
    expected = "precision" if method in ("trace", "eig") else "partial_correlation"
    assert (options["effect_scale"], options["min_effect"]) == (expected, 0.1)


class TestEffectsOfBounds:
    @pytest.mark.exactness
    @pytest.mark.parametrize("method", ["trace", "eig"])
    def test_on_the_precision_scale(self, method):
        """|Θ̂| − t > θ₀, as in the paper."""
        X = rows_of(60_000, 3)
        plain = quiet_test(X, method)
        decisions = set()
        for value in (0.01, 0.1, 0.2, 0.3, 0.36):
            result = quiet_test(X, method, min_effect=value)
            expected = off_diagonal(np.abs(plain.precision) - plain.threshold > value)
            np.testing.assert_array_equal(off_diagonal(result.reject), expected)
            np.testing.assert_array_equal(off_diagonal(result.pvalue <= 0.05), expected)
            gap = off_diagonal(result.threshold - plain.threshold * np.ones((3, 3)))
            np.testing.assert_allclose(gap, value, rtol=1e-10)
            decisions |= set(expected)
        assert decisions == {False, True}

    @pytest.mark.exactness
    @pytest.mark.parametrize("alpha", [1e-4, 0.05, 0.2])
    @pytest.mark.parametrize("method", ["whitened", "spectral"])
    def test_on_the_scale_of_partial_correlations(self, method, alpha):
        """An edge where the interval lies beyond the minimal effect, on either side."""
        X = rows_of(60_000, 3, weight=0.4) * [1, -1, 1]
        decisions = set()
        low, high = quiet_test(X, method).confidence_interval(1 - alpha, "partial_correlation")
        for value in (0.01, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.39):
            result = quiet_test(X, method, alpha=alpha, min_effect=value)
            expected = off_diagonal((low > value) | (high < -value))
            np.testing.assert_array_equal(off_diagonal(result.reject), expected)
            np.testing.assert_array_equal(off_diagonal(result.pvalue <= alpha), expected)
            reached = off_diagonal(np.abs(result.precision) >= result.threshold)
            np.testing.assert_array_equal(reached, expected)
            decisions |= set(expected)
        assert decisions == {False, True}

    @every_bound
    def test_pvalue_is_the_level_at_which_the_decision_turns(self, method):
        found = 0
        for n, value in ((1000, 0.01), (3000, 0.02), (10_000, 0.1), (30_000, 0.2), (60_000, 0.05)):
            X = rows_of(n, 3)
            p = quiet_test(X, method, min_effect=value).pvalue[0, 1]
            if 1e-200 < p < 0.2:
                found += 1
                for factor, edge in ((1 + 1e-6, True), (1 - 1e-6, False)):
                    result = quiet_test(X, method, alpha=p * factor, min_effect=value)
                    assert result.reject[0, 1] == edge
        assert found


def test_effects_are_checked(refuses):
    X = rows_of(50)
    wrong = [
        *(({"min_effect": v}, "min_effect: expected a number") for v in (-1, "0.1", None, True)),
        *(({"min_effect": v}, "between 0 and 1") for v in (1, 1.5, math.inf, math.nan)),
        ({"min_effect": math.inf, "method": "trace"}, "expected a number above 0"),
    ]
    for options, words in wrong:
        refuses(lambda options=options: ew.edge_test(X, **options), ParameterError, words)
    assert quiet_test(X, "trace", min_effect=2).options["min_effect"] == 2

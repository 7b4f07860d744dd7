"""Tests of a minimal effect: p-values, thresholds and decisions say the same."""

import math
import warnings

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import ParameterError, TooFewRowsWarning

PER_EDGE = ["score", "wald", "batch", "elliptical", "fisher"]
ANYTIME = "sequential"
BOUNDS = ["whitened", "spectral", "trace", "eig"]
FIELDS = ["statistic", "log_pvalue", "adjusted_pvalue", "reject", "threshold", "precision"]


def rows_of(n=4000, p=4, seed=0, weight=0.3):
    theta = ew.simulate.make_chain_precision(p, weight)
    return ew.simulate.sample("gaussian", theta, n, rng=np.random.default_rng(seed)) + 2


def quiet_test(X, method, **options):
    """`ew.edge_test` without the warning that an infinite threshold comes with."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TooFewRowsWarning)
        return ew.edge_test(X, method=method, **options)


def off_diagonal(matrix):
    return np.asarray(matrix)[~np.eye(len(matrix), dtype=bool)]


class TestPerEdge:
    @pytest.mark.exactness
    @pytest.mark.parametrize("method", [*PER_EDGE, ANYTIME, *BOUNDS])
    def test_zero_is_the_plain_test(self, method):
        X = rows_of(20_000)
        plain = quiet_test(X, method)
        for zero in (0, 0.0, -0.0):
            found = quiet_test(X, method, min_effect=zero)
            for field in FIELDS:
                np.testing.assert_array_equal(getattr(found, field), getattr(plain, field))
            assert found.options == plain.options


class TestBounds:
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

    @pytest.mark.parametrize("method", BOUNDS)
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


class TestArguments:
    @pytest.mark.parametrize("method", [*PER_EDGE, ANYTIME, *BOUNDS])
    def test_default_scale(self, method):
        result = quiet_test(rows_of(20_000, 3), method, min_effect=0.1)
        expected = "precision" if method in ("trace", "eig") else "partial_correlation"
        assert result.options["effect_scale"] == expected
        assert result.options["min_effect"] == 0.1

    def test_are_checked(self, refuses):
        X = rows_of(50)
        wrong = [
            *(
                ({"min_effect": v}, "min_effect: expected a number")
                for v in (-1, "0.1", None, True)
            ),
            *(
                ({"min_effect": v}, "a number between 0 and 1")
                for v in (1, 1.5, math.inf, math.nan)
            ),
            ({"min_effect": math.inf, "method": "trace"}, "expected a number above 0"),
        ]
        for options, words in wrong:
            refuses(lambda options=options: ew.edge_test(X, **options), ParameterError, words)
        assert quiet_test(X, "trace", min_effect=2).options["min_effect"] == 2

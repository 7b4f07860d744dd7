"""Confidence intervals: the formulas, and what they must agree with."""

import math
import warnings

import numpy as np
import pytest
from scipy import stats

import edgewise as ew
from edgewise.errors import ParameterError, TooFewRowsWarning
from edgewise.methods.registry import METHODS

PER_EDGE = ["score", "wald", "batch", "elliptical", "fisher"]
BOUNDS = ["whitened", "spectral", "trace", "eig"]
SCALES = ["precision", "partial_correlation"]
per_edge = pytest.mark.parametrize("method", PER_EDGE)
every_bound = pytest.mark.parametrize("method", BOUNDS)


def rows_of(n=2000, p=4, seed=0, distribution="laplace"):
    theta = ew.simulate.make_chain_precision(p)
    return ew.simulate.sample(distribution, theta, n, rng=np.random.default_rng(seed)) + 2


def result_of(method, X=None, **options):
    """A result, without the warning that an infinite threshold comes with."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TooFewRowsWarning)
        return ew.edge_test(rows_of() if X is None else X, method=method, **options)


def off_diagonal(matrix):
    return np.asarray(matrix)[~np.eye(len(matrix), dtype=bool)]


def degrees_of_freedom(result, X):
    """Of each standard error; 2n/(κ − 1), κ the kurtosis of the influences, for wald."""
    if result.method == "fisher":
        return result.n_samples - result.n_features
    if result.method == "elliptical":
        return np.inf
    if result.method == "batch":
        return result.options["n_batches"] - 1
    n = len(X)
    c = X - X.mean(axis=0)
    v = c @ result.precision / np.sqrt(result.precision.diagonal())
    h = 1 / n + np.sum((c @ result.precision) * c, axis=1) / (n - 1)
    products = v[:, :, np.newaxis] * v[:, np.newaxis, :] / (1 - h)[:, np.newaxis, np.newaxis]
    # Of the products alone: the kurtosis only decides about degrees of freedom.
    kurtosis = np.mean(products**4, axis=0) / np.mean(products**2, axis=0) ** 2
    return 2 * n / (kurtosis - 1)


class TestPerEdge:
    @pytest.mark.parametrize("simultaneous", [False, True])
    @pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
    @pytest.mark.parametrize("method", ["wald", "batch", "elliptical", "fisher"])
    def test_estimate_and_critical_value(self, method, level, simultaneous):
        """The score test's are in test_score.py, by a grid."""
        result = result_of(method)
        miss = (1 - level) / (6 if simultaneous else 1)
        c = stats.t.isf(miss / 2, degrees_of_freedom(result, rows_of()))
        low, high = result.confidence_interval(level, simultaneous=simultaneous)
        certain = np.abs(result.statistic) > 2 * c  # what the z scale says of zero is clear there
        certain |= np.eye(4, dtype=bool)
        assert certain[0, 1] or level > 0.99
        for end, sign in ((low, -1), (high, 1)):
            expected = result.precision + sign * c * result.standard_error
            np.testing.assert_allclose(end[certain], expected[certain], rtol=1e-8, atol=1e-12)
        low, high = result.confidence_interval(level, "partial_correlation", simultaneous)
        rho = off_diagonal(result.partial_correlation)
        error = off_diagonal(result.partial_correlation_standard_error) / (1 - rho**2)
        half = off_diagonal(np.broadcast_to(c, low.shape)) * error
        if method == "fisher":
            # Student's t of ρ itself: the distance at which it is critical.
            half = np.arctanh(c / np.sqrt(c**2 + 1996))
        for end, sign in ((low, -1), (high, 1)):
            expected = np.tanh(np.arctanh(rho) + sign * half)
            np.testing.assert_allclose(off_diagonal(end), expected, rtol=1e-8, atol=1e-12)
            np.testing.assert_array_equal(end.diagonal(), 1)

    @per_edge
    def test_partial_correlations_stay_between_one_and_minus_one(self, method):
        rng = np.random.default_rng(0)
        x = rng.standard_normal(60)
        X = np.column_stack([x, x + 1e-3 * rng.standard_normal(60), rng.standard_normal(60)])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ew.errors.ShortBatchesWarning)
            result = ew.edge_test(X, method=method)
        low, high = result.confidence_interval(1 - 1e-12, "partial_correlation", simultaneous=True)
        assert np.all((low >= -1) & (high <= 1))
        # A self-normalised sum of 60 terms cannot be that rare.
        level = 0.99 if method == "score" else 1 - 1e-12
        low, _ = result.confidence_interval(level, "partial_correlation", simultaneous=True)
        assert low[0, 1] > 0


class TestBounds:
    @pytest.mark.exactness
    @every_bound
    def test_estimate_and_threshold(self, method):
        X = rows_of(40_000, 3, distribution="gaussian")
        for alpha in (0.001, 0.05, 0.2):
            result = result_of(method, X, alpha=alpha)
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
        result = result_of(method, rows_of(60_000, 3, distribution="gaussian"))
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
        result = result_of(method, rows_of(10))
        assert result.threshold == math.inf
        low, high = result.confidence_interval()
        assert np.all(low == -math.inf)
        assert np.all(high == math.inf)
        low, high = result.confidence_interval(scale="partial_correlation")
        assert np.all(off_diagonal(low) == -1)
        assert np.all(off_diagonal(high) == 1)


class TestLogPvalues:
    """What the uncertainty says of an effect is what a test of that effect says."""

    def of_uncertainty(self, result, value, scale="partial_correlation"):
        return result.uncertainty.log_pvalues(result, value, scale)

    def of_test(self, result):
        return result.log_pvalue[np.triu_indices(result.n_features, k=1)]

    @pytest.mark.exactness
    @pytest.mark.parametrize("tested_value", [0.0, 0.1])
    @pytest.mark.parametrize("method", ["score", "wald", "batch", "fisher", *BOUNDS])
    def test_are_those_of_a_test(self, method, tested_value):
        X = rows_of(40_000, 4)
        scale = METHODS[method].effect_scale
        result = result_of(method, X, min_effect=tested_value)
        own = self.of_uncertainty(result, tested_value, scale)
        np.testing.assert_array_equal(own, self.of_test(result))
        for value in (0.0, 0.02, 0.3, 0.9):
            np.testing.assert_allclose(
                self.of_uncertainty(result, value, scale),
                self.of_test(result_of(method, X, min_effect=value)),
                rtol=1e-12,
                atol=1e-14,
            )

    @pytest.mark.exactness
    def test_batches_tested_by_their_maximum(self):
        """The adjusted p-values are resampled; those of single edges stay what they were."""
        results = [result_of("batch", correction=c) for c in ("maxt", "holm")]
        for value in (0.0, 0.1):
            maxt, holm = (self.of_uncertainty(result, value) for result in results)
            np.testing.assert_array_equal(maxt, holm)


def test_arguments_are_checked(refuses):
    result = result_of("score", rows_of(100))
    for level in (0, 1, -0.5, 95, math.nan, "0.95", None):
        refuses(
            lambda level=level: result.confidence_interval(level),
            ParameterError,
            "level: expected a number between 0 and 1",
            "0.95 is usual",
        )
    for scale in ("covariance", "", None, 3):
        refuses(
            lambda scale=scale: result.confidence_interval(scale=scale),
            ParameterError,
            "scale: expected one of 'partial_correlation', 'precision'",
        )
    refuses(lambda: result.confidence_interval(simultaneous="yes"), ParameterError, "True or False")

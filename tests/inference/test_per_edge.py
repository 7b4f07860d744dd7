"""Every per-edge method agrees with itself: p-values, thresholds, effects and intervals."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import edgewise as ew
from edgewise.errors import EdgewiseWarning
from edgewise.inference.references import Normal, Student
from edgewise.inference.uncertainty import PerEdge, Spread

METHODS = ["score", "wald", "batch", "sequential", "fisher"]  # one of each kind
SCALES = ["precision", "partial_correlation"]
every_method = pytest.mark.parametrize("method", METHODS)


@st.composite
def tables(draw):
    """Rows of any tails, weak and strong edges, few and many rows, in any units."""
    n, p = draw(st.sampled_from([60, 150, 400, 900])), draw(st.integers(2, 5))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    kind = draw(st.sampled_from(["normal", "t3", "lognormal", "counts"]))
    X = {
        "normal": rng.standard_normal,
        "t3": lambda shape: rng.standard_t(3, shape),
        "lognormal": lambda shape: rng.lognormal(size=shape),
        "counts": lambda shape: rng.poisson(0.3, shape) + 1e-3 * rng.standard_normal(shape),
    }[kind]((n, p))
    for j in range(1, p):
        X[:, j] += draw(st.sampled_from([0.0, 0.1, -0.2, 1.5])) * X[:, j - 1]
    return X * np.logspace(-2, draw(st.sampled_from([-2, 0, 4])), p)


def outcome(X, method, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EdgewiseWarning)
        return ew.edge_test(X, method=method, **options)


def pairs(matrix):
    return np.asarray(matrix)[np.triu_indices(len(matrix), k=1)]


def clear(result, alpha):
    """Pairs whose p-value is not the level itself, up to rounding."""
    return np.abs(np.log(pairs(result.adjusted_pvalue)) - math.log(alpha)) > 1e-6


def beyond(interval, value=0.0):
    return pairs((interval.low > value) | (interval.high < -value))


@every_method
@settings(max_examples=25)
@given(tables(), st.sampled_from([0.5, 0.1, 0.05, 1e-3, 1e-6]))
def test_intervals_leave_zero_exactly_where_the_test_rejects(method, X, alpha):
    for correction, simultaneous in ((None, False), ("bonferroni", True)):
        result = outcome(X, method, alpha=alpha, correction=correction)
        sure = clear(result, alpha)
        for scale in SCALES:
            interval = result.confidence_interval(1 - alpha, scale, simultaneous)
            np.testing.assert_array_equal(beyond(interval)[sure], pairs(result.reject)[sure])


@every_method
@settings(max_examples=20)
@given(tables(), st.sampled_from([0.5, 0.05, 1e-3]), st.sampled_from([0.01, 0.1, 0.4]))
def test_intervals_leave_an_effect_where_the_test_of_it_rejects(method, X, alpha, value):
    for correction, simultaneous in ((None, False), ("bonferroni", True)):
        result = outcome(X, method, alpha=alpha, correction=correction, min_effect=value)
        interval = result.confidence_interval(1 - alpha, "partial_correlation", simultaneous)
        sure, left = clear(result, alpha), beyond(interval, value)
        np.testing.assert_array_equal(left[sure], pairs(result.reject)[sure])


@every_method
@settings(max_examples=15)
@given(
    tables(),
    st.sampled_from([0.3, 0.05, 1e-4]),
    st.sampled_from(["holm", "bonferroni", "bh", "by", None]),
    st.sampled_from([0.0, 0.1]),
)
def test_the_threshold_parts_the_rejected_from_the_others(method, X, alpha, correction, value):
    result = outcome(X, method, alpha=alpha, correction=correction, min_effect=value)
    sure = clear(result, alpha)
    reached = pairs(np.abs(result.precision) >= result.threshold)
    np.testing.assert_array_equal(reached[sure], pairs(result.reject)[sure])
    np.testing.assert_array_equal(pairs(result.adjusted_pvalue <= alpha), pairs(result.reject))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("alpha", [0.3, 0.05, 0.01])
def test_maxt_intervals_leave_zero_where_the_largest_statistic_would_reject(seed, alpha):
    """The single-step test; the step-down one rejects there too, and perhaps more."""
    X = np.random.default_rng(seed).standard_t(5, (500, 5))
    X[:, 1:] += 0.12 * X[:, :-1]
    result = outcome(X, "batch", alpha=alpha, correction="maxt", n_batches=25)
    maxima = result.uncertainty.maxima
    z = stats.norm.isf(pairs(result.pvalue) / 2)
    exceeded = np.array([np.sum(maxima >= size) for size in z])
    single_step = (1 + exceeded) / (1 + len(maxima))
    sure = np.abs(single_step - alpha) > 1.5 / len(maxima)
    for scale in SCALES:
        left = beyond(result.confidence_interval(1 - alpha, scale, simultaneous=True))
        np.testing.assert_array_equal(left[sure], (single_step <= alpha)[sure])
        assert (pairs(result.reject) >= left).all()


class Estimates:
    """Two columns with a partial correlation."""

    n_pairs = 1

    def __init__(self, uncertainty, rho, theta=2.0):
        self.partial_correlation = np.array([[1.0, rho], [rho, 1.0]])
        self.precision = theta * np.array([[1.0, -rho], [-rho, 1.0]])
        self.statistic = uncertainty.statistic(self.partial_correlation)


def spread(error_z, error):
    return Spread(np.full((2, 2), error), np.full((2, 2), error_z))


class TestFormulas:
    """Against SciPy, for numbers made up."""

    REFERENCES = (
        (Normal(), stats.norm),
        (Student(7), stats.t(7)),
        (Student(np.full((2, 2), 7.0)), stats.t(7)),
    )

    @pytest.mark.parametrize(("reference", "law"), REFERENCES)
    @pytest.mark.parametrize("rho", [-0.6, -0.01, 0.0, 0.3, 0.999])
    def test_on_the_z_scale(self, reference, law, rho):
        own = PerEdge(spread(0.2, 0.3), reference)
        estimates = Estimates(own, rho)
        z = math.atanh(rho)
        assert estimates.statistic[0, 1] == pytest.approx(z / 0.2)
        for value in (0.0, 0.1, 0.5):
            beyond = max(abs(z) - math.atanh(value), 0)
            found = math.exp(own.log_pvalues(estimates, value)[0])
            assert found == pytest.approx(2 * law.sf(beyond / 0.2), rel=1e-10)
        low, high = own.interval(
            estimates, level=0.9, scale="partial_correlation", simultaneous=False
        )
        c = law.isf(0.05)
        assert low[0, 1] == pytest.approx(math.tanh(z - 0.2 * c), rel=1e-10)
        assert high[0, 1] == pytest.approx(math.tanh(z + 0.2 * c), rel=1e-10)
        for value in (0.0, 0.1):
            threshold = own.threshold(estimates, math.log(0.1), value)[0, 1]
            assert threshold == pytest.approx(2 * math.tanh(math.atanh(value) + 0.2 * c))

    def test_an_exact_statistic_is_students(self):
        own = PerEdge(spread(0.2, 0.3), Student(20), exact=True)
        for rho in (-0.5, 0.1, 0.98):
            found = Estimates(own, rho).statistic[0, 1]
            assert found == pytest.approx(rho * math.sqrt(20 / (1 - rho**2)), rel=1e-12)
            log_p = own.log_pvalues(Estimates(own, rho))[0]
            assert math.exp(log_p) == pytest.approx(2 * stats.t.sf(abs(found), 20), rel=1e-9)
        # The ρ that is just significant, away on the z scale.
        c = stats.t.isf(0.025, 20)
        significant = c / math.sqrt(20 + c**2)
        low, high = own.interval(
            Estimates(own, 0.3), level=0.95, scale="partial_correlation", simultaneous=False
        )
        for end, sign in ((low, -1), (high, 1)):
            expected = math.tanh(math.atanh(0.3) + sign * math.atanh(significant))
            assert end[0, 1] == pytest.approx(expected, rel=1e-10)

    def test_errors(self):
        own = PerEdge(spread(0.2, 0.3), Normal())
        precision, partial = own.errors(Estimates(own, 0.5))
        np.testing.assert_array_equal(precision, np.full((2, 2), 0.3))
        assert partial[0, 1] == pytest.approx(0.2 * 0.75)
        assert partial[0, 0] == 0

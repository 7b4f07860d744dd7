"""The score test inverted: intervals, effects and thresholds against a grid of null values."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import edgewise as ew
from edgewise.inference.sign_flip import SignFlip
from edgewise.inference.uncertainty import ScoreTest

GRID = np.linspace(-1, 1, 8001)[1:-1]
STEP = GRID[1] - GRID[0]
SCALES = ["precision", "partial_correlation"]
UPPER = np.triu_indices(4, k=1)


@dataclass
class Estimates:
    """What an uncertainty is asked about."""

    partial_correlation: np.ndarray
    precision: np.ndarray
    statistic: np.ndarray
    n_pairs: int = 1

    @classmethod
    def of(cls, test, rho):
        partial = np.array([[1.0, rho], [rho, 1.0]])
        statistic = test.statistic(partial)
        return cls(partial, np.array([[1.0, -rho], [-rho, 1.0]]), statistic)


def made_up(n=200, p=4, second=1.5, slant=0.3, ends=3.0, fourth=0.0, error=0.08):
    """Of two columns; A, B = 2·slant·√(AC) and C per row, as sums over n rows have them."""
    matrix = np.ones((2, 2)) * n
    return ScoreTest(
        n,
        n - p + 1,
        second * matrix,
        2 * slant * math.sqrt(second * ends) * matrix,
        ends * matrix,
        SignFlip(np.full((2, 2), fourth), np.full((2, 2), fourth**1.75)),
        np.full((2, 2), error),
    )


# |e_ie_j| ≤ (e_i² + e_j²)/2, so A ≤ C; and B² ≤ 4AC.
quadratics = st.builds(
    lambda n, ends, share, slant: made_up(n, 4, share * ends, slant, ends),
    st.integers(6, 2000),
    st.floats(0.3, 300),
    st.floats(1e-3, 1),
    st.floats(-1, 1),
)
correlations = st.floats(-0.97, 0.97)
levels = st.floats(0.01, 0.9999)


def at(test, rho):
    """T(ρ₀) on the grid, written down."""
    A, B, C = test.second[0, 1], test.cross[0, 1], test.ends[0, 1]
    own = A - B * GRID + C * GRID**2
    gaussian = test.n_samples**2 / test.degrees * (1 - GRID**2) ** 2
    return test.n_samples * (rho - GRID) / np.sqrt(np.maximum(own, gaussian))


def ends_of(test, rho, level, scale="partial_correlation", simultaneous=False):
    found = test.interval(
        Estimates.of(test, rho), level=level, scale=scale, simultaneous=simultaneous
    )
    return found.low[0, 1], found.high[0, 1]


def critical(test, level):
    return test.reference.critical(math.log1p(-level))[0, 1]


@given(quadratics, correlations)
def test_the_statistic(test, rho):
    for null in (0, 1000, 4000, 7000):
        found = test.statistic(np.array([[rho]]), GRID[null])[0, 0]
        assert found == pytest.approx(at(test, rho)[null], rel=1e-9, abs=1e-12)


@settings(max_examples=200)
@given(quadratics, correlations, levels)
def test_the_interval_is_the_set_that_is_not_rejected(test, rho, level):
    low, high = ends_of(test, rho, level)
    c2, n2 = critical(test, level) ** 2, test.n_samples**2
    inside = GRID[np.abs(at(test, rho)) <= math.sqrt(c2)]
    assert low <= rho <= high
    if n2 > c2 * test.ends[0, 1] * (1 + 1e-9):
        # The ends as the grid shows them; where it shows none, the interval lies between points.
        assert low == pytest.approx(inside.min(initial=rho), abs=2 * STEP)
        assert high == pytest.approx(inside.max(initial=rho), abs=2 * STEP)
    elif n2 * rho**2 <= c2 * test.second[0, 1]:
        # With heavy tails no ρ₀ far out is rejected: the interval says nothing.
        assert (low, high) == (-1, 1)
    else:
        # Nor here, but zero is: the interval is that on the side of ρ̂.
        beyond = inside[np.sign(inside) == np.sign(rho)]
        assert low <= beyond.min() + STEP
        assert high >= beyond.max() - STEP


@settings(max_examples=300)
@given(quadratics, correlations, levels, st.just(0.0) | st.floats(1e-3, 0.95), st.booleans())
def test_leaves_an_effect_exactly_where_the_test_of_it_rejects(
    test, rho, level, value, simultaneous
):
    log_p = test.log_pvalues(Estimates.of(test, rho), value)[0]
    if abs(log_p - math.log1p(-level)) < 1e-7:
        return
    for scale in SCALES if value == 0 else SCALES[1:]:
        low, high = ends_of(test, rho, level, scale, simultaneous)  # of two columns: one pair
        assert (low > value or high < -value) == (log_p < math.log1p(-level))


@settings(max_examples=200)
@given(quadratics, correlations)
def test_a_larger_effect_is_harder_to_show(test, rho):
    estimates = Estimates.of(test, rho)
    values = [0.0, 1e-9, 0.01, 0.1, 0.3, 0.6, 0.9]
    log_p = [test.log_pvalues(estimates, value)[0] for value in values]
    assert (np.diff(log_p) >= -1e-9 * np.abs(log_p[1:])).all()
    assert max(log_p) <= 1e-12


@settings(max_examples=200)
@given(quadratics, correlations, st.floats(-30, math.log(0.9)), st.sampled_from([0.0, 0.05, 0.4]))
def test_the_threshold_parts_what_is_rejected(test, rho, log_level, value):
    estimates = Estimates.of(test, rho)
    threshold = test.threshold(estimates, log_level, value)[0, 1]
    log_p = test.log_pvalues(estimates, value)[0]
    if abs(log_p - log_level) > 1e-7 * abs(log_level):
        assert (abs(rho) >= threshold) == (log_p <= log_level)


def test_a_variance_that_collapsed_is_the_gaussian_one():
    """Two rare events that never meet: without the floor T would be endless."""
    n, p, rho = 1000, 4, -0.01
    test = made_up(n, p, second=1e-9, slant=0.0, ends=2e-9)
    found = test.statistic(np.array([[1, rho], [rho, 1]]))[0, 1]
    assert found == pytest.approx(rho * math.sqrt(n - p + 1))
    low, high = ends_of(test, rho, 0.95)
    k = 1.959964 / math.sqrt(n - p + 1)
    for end in (low, high):
        assert abs(rho - end) == pytest.approx(k * (1 - end**2), rel=1e-6)


def test_one_heavy_row_leaves_everything_open():
    """C so large that no ρ₀ is rejected."""
    assert ends_of(made_up(100, second=400.0, slant=0.9, ends=4000.0), 0.1, 0.95) == (-1, 1)


def rows_of(seed, n=300):
    rng = np.random.default_rng(seed)
    X = rng.standard_t(4, (n, 4))
    X[:, 1] += 0.5 * X[:, 0]
    X[:, 2] -= 0.15 * X[:, 1]
    return X * np.array([1.0, 10.0, 0.1, 3.0])


def test_precision_intervals_are_estimate_and_error():
    """Where the interval for ρ leaves zero by far, and on the diagonal."""
    result = ew.edge_test(rows_of(2, 5000), method="score")
    low, high = result.confidence_interval(0.95)
    half = result.uncertainty.reference.critical(math.log(0.05)) * result.standard_error
    for place in ((0, 1), (0, 0), (3, 3)):
        assert low[place] == pytest.approx((result.precision - half)[place], rel=1e-9)
        assert high[place] == pytest.approx((result.precision + half)[place], rel=1e-9)


def test_errors_are_the_spread_at_the_estimate():
    result = ew.edge_test(rows_of(0), method="score")
    test, rho = result.uncertainty, result.partial_correlation
    own = test.second - test.cross * rho + test.ends * rho**2
    expected = np.sqrt(np.maximum(own, 300**2 / 297 * (1 - rho**2) ** 2)) / 300
    np.testing.assert_allclose(
        result.partial_correlation_standard_error[UPPER], expected[UPPER], rtol=1e-12
    )
    np.testing.assert_array_equal(result.standard_error, test.precision_error)

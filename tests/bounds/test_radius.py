"""Radii and their levels are the normal quantiles and tails they claim to be."""

import math

import numpy as np
import pytest
from scipy import stats

from edgewise import ParameterError
from edgewise.bounds.radius import TRACE_MAX_ALPHA, NormalRadius

ALPHAS = [1e-300, 1e-20, 1e-6, 0.01, 0.05, 0.2, 0.5, 0.99]


def test_largest_level_of_the_trace_radius():
    assert round(TRACE_MAX_ALPHA, 4) == 0.2152
    assert pytest.approx(stats.chi2.sf(1.5364, 1), rel=1e-12) == TRACE_MAX_ALPHA


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("variance", [1e-200, 0.3, 1.0, 1e200])
def test_radius_against_scipy(variance, alpha):
    expected = math.sqrt(variance) * stats.norm.isf(alpha / 2)
    assert NormalRadius(variance).epsilon(alpha) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_level_inverts_radius(alpha):
    radius = NormalRadius(0.7)
    log_level = radius.log_level(np.array([radius.epsilon(alpha)]))
    np.testing.assert_allclose(log_level, math.log(alpha), rtol=1e-11)


def test_level_against_scipy():
    z = np.array([0.0, 1e-9, 0.5, 1.96, 8.0, 30.0])
    level = NormalRadius(3.0).log_level(z * math.sqrt(3.0))
    np.testing.assert_allclose(level, np.log(2) + stats.norm.logsf(z), rtol=1e-12, atol=1e-15)
    assert level[0] == 0


def test_log_level_does_not_underflow():
    level = NormalRadius(1.0).log_level(np.array([100.0, 1e6]))
    # log(2 φ(z)/z (1 − 1/z² + 3/z⁴)), to which the tail is equal up to z⁻⁶
    z = np.array([100.0, 1e6])
    series = np.log1p(-1 / z**2 + 3 / z**4)
    expected = math.log(2) - z**2 / 2 - 0.5 * math.log(2 * math.pi) - np.log(z) + series
    np.testing.assert_allclose(level, expected, rtol=1e-14)
    assert level[0] < -5000


def test_a_level_is_never_above_one():
    assert NormalRadius(1.0).log_level(np.array([0.0, 1e-300])).max() <= 0


@pytest.mark.parametrize("alpha", [1e-9, 0.05, 0.215, TRACE_MAX_ALPHA])
def test_proven_levels_pass(alpha):
    assert NormalRadius(1.0, TRACE_MAX_ALPHA).epsilon(alpha) > 0


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


@pytest.mark.parametrize("weights", [[1.0], [0.5, 0.5], [0.7, 0.2, 0.1], [0.05] * 20])
def test_the_bound_behind_the_trace_radius(weights):
    """Székely & Bakirov: P(Σ wᵢZᵢ² > x) ≤ P(Z² > x) from x = 1.5364 on, by simulation."""
    rng = np.random.default_rng(2)
    draws = rng.chisquare(1, (200_000, len(weights))) @ weights
    for alpha in (0.01, 0.05, TRACE_MAX_ALPHA):
        frequency = np.mean(draws > stats.chi2.isf(alpha, 1))
        assert frequency <= alpha + 4 * math.sqrt(alpha * (1 - alpha) / len(draws))

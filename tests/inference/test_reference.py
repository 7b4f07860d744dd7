"""Student tails against arbitrary-precision arithmetic."""

import math

import mpmath as mp
import numpy as np
import pytest
from scipy import stats

from edgewise.inference.reference import Student, log_two_sided_tail

DEGREES = [1, 2, 3, 10, 137, 1000, 10**5, 10**8]
STATISTICS = [1e-8, 0.1, 1.0, 2.0, 5.0, 10.0, 37.0, 60.0, 1e4, 1e8, 1e200]


def truth(t, df):
    """log P(|T| > t) with 30 digits."""
    with mp.workdps(30):
        t, nu = mp.mpf(t), mp.mpf(df)
        if not (df >= 1e4 and 30 < t < 1e4):
            x = nu / (nu + t * t)
            return float(mp.log(mp.betainc(nu / 2, mp.mpf(1) / 2, 0, x, regularized=True)))
        # There the series of the beta function converges too slowly: integrate the density.
        step = (nu + t * t) / ((nu + 1) * t)
        relative = mp.quad(
            lambda u: mp.exp(-(nu + 1) / 2 * (mp.log1p(u * u / nu) - mp.log1p(t * t / nu))),
            [t, t + step, t + 4 * step, t + 16 * step, t + 64 * step],
        )
        log_density = (
            mp.loggamma((nu + 1) / 2)
            - mp.loggamma(nu / 2)
            - mp.log(nu * mp.pi) / 2
            - (nu + 1) / 2 * mp.log1p(t * t / nu)
        )
        return float(mp.log(2) + log_density + mp.log(relative))


@pytest.mark.parametrize("df", DEGREES)
def test_against_mpmath(df):
    found = log_two_sided_tail(np.array(STATISTICS), df)
    expected = [truth(t, df) for t in STATISTICS]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("df", DEGREES)
def test_smooth_where_the_probability_underflows(df):
    """Just before and after the change of algorithm the same numbers come out."""
    target = math.log(1e-290)
    low, high = 0.0, 700.0  # in log t
    for _ in range(200):
        middle = (low + high) / 2
        above = log_two_sided_tail(np.array([math.exp(middle)]), df)[0] > target
        low, high = (middle, high) if above else (low, middle)
    t = np.exp(low + np.array([-1e-3, 1e-3]))
    found = log_two_sided_tail(t, df)
    assert found[0] > target > found[1]
    np.testing.assert_allclose(found, [truth(x, df) for x in t], rtol=1e-12)


def test_one_and_two_degrees_of_freedom_have_closed_forms():
    t = np.logspace(-3, 300, 400)
    np.testing.assert_allclose(
        log_two_sided_tail(t, 1), np.log(2 / np.pi * np.arctan(1 / t)), rtol=1e-12, atol=1e-12
    )
    small = t[t < 1e100]
    # 1 − t/√(2+t²) without the cancellation
    root = np.sqrt(2 + small**2)
    np.testing.assert_allclose(
        log_two_sided_tail(small, 2), np.log(2 / (root * (root + small))), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("df", [1, 7, 250, 10**6])
def test_against_scipy_where_it_does_not_underflow(df):
    t = np.linspace(0, 12, 100)
    expected = np.log(2) + stats.t.logsf(t, df)
    np.testing.assert_allclose(log_two_sided_tail(t, df), expected, rtol=1e-9, atol=1e-12)


def test_sign_and_zero():
    t = np.array([-3.0, 0.0, 3.0])
    found = log_two_sided_tail(t, 20)
    assert found[0] == found[2] < found[1] == 0.0


@pytest.mark.parametrize("df", DEGREES)
def test_monotone(df):
    t = np.logspace(-3, 250, 2000)
    assert np.all(np.diff(log_two_sided_tail(t, df)) < 1e-12)


@pytest.mark.parametrize("df", DEGREES)
def test_critical_values_beyond_every_probability(df):
    t = np.array([2.0, 37.0, 60.0, 1e4, 1e8, 1e200])
    levels = log_two_sided_tail(t, df)
    found = [Student(df).critical(level) for level in levels]
    np.testing.assert_allclose(found, t, rtol=1e-9)


def test_critical_values_beyond_every_float():
    assert Student(1).critical(-1e6) == math.inf
    assert 1e300 > Student(5).critical(-3000) > 1e200


def test_infinitely_far_out():
    found = log_two_sided_tail(np.array([1.0, np.inf, -np.inf]), 20)
    assert np.isfinite(found[0])
    assert found[1] == found[2] == -np.inf

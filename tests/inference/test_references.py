"""Student tails against arbitrary-precision arithmetic, and levels that hold at all times."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from edgewise.inference.references import (
    AnytimeReference,
    Student,
    log_two_sided_tail,
    tuned_rho2,
)
from edgewise.inference.uncertainty import LargestRadius

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


@pytest.mark.parametrize("df", [1, 2.5, 7, 39, 41, 500, 10**7])
def test_pvalues_down_to_1e_300(df):
    """Twelve digits of the p-value itself, also next to where SciPy's own tail is left."""
    levels = [-math.log(10) * digits for digits in (1, 30, 100, 200, 239, 241, 270, 300)]
    t = np.array([Student(df).critical(level) for level in levels])
    found = log_two_sided_tail(t, df)
    np.testing.assert_allclose(found, levels, rtol=1e-9)  # as exact as older quantiles of SciPy
    np.testing.assert_allclose(found, [truth(x, df) for x in t], rtol=0, atol=2e-12)


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


MANY = Student(1e12)  # as good as normal


class TestAnytime:
    """What holds at all looks at once."""

    @pytest.mark.parametrize("n", [100, 10_000])
    def test_is_narrowest_near_the_rows_it_is_tuned_for(self, n):
        level = math.log(0.05)

        def width(tuned_for):
            return AnytimeReference(n, tuned_rho2(0.05, tuned_for), MANY).critical(level)

        assert width(n) < width(n * 10) < width(n * 100)
        assert width(n) < width(n // 10) < width(n // 50)
        assert width(n) < 1.1 * min(
            width(round(n * factor)) for factor in np.geomspace(0.1, 10, 41)
        )
        # "Up to 30 % wider at a tenth of it and 7 % at ten times as many": one pair, σ known.
        assert width(n * 10) / width(n) == pytest.approx(1.27, abs=0.005)
        assert width(n // 10) / width(n) == pytest.approx(1.07, abs=0.005)

    @pytest.mark.parametrize("student", [MANY, Student(99), Student(1)])
    def test_the_pvalue_is_the_level_whose_interval_just_excludes_zero(self, student):
        reference = AnytimeReference(1000, tuned_rho2(0.01, 500), student)
        t = np.array([4.0, 6.0, 9.0, 30.0]) * (20 if student.df == 1 else 1)
        levels = reference.log_two_sided(t)
        assert (np.diff(levels) < 0).all()
        np.testing.assert_allclose([reference.critical(level) for level in levels], t, rtol=1e-9)
        assert reference.log_two_sided(np.zeros(1))[0] == 0.0

    def test_the_boundary_is_that_of_the_paper_where_the_error_is_known(self):
        """σ̂ √{(tρ²+1)/(t²ρ²) · log((tρ²+1)/α²)}, in units of σ̂/√t."""
        t, rho2, alpha = 700, 0.004, 0.02
        half = math.sqrt((t * rho2 + 1) / (t * t * rho2) * math.log((t * rho2 + 1) / alpha**2))
        reference = AnytimeReference(t, rho2, MANY)
        assert reference.critical(math.log(alpha)) == pytest.approx(half * math.sqrt(t), rel=1e-9)
        z = np.array([1.0, 5.0])
        expected = np.minimum(0.5 * (math.log1p(t * rho2) - z**2 * t * rho2 / (1 + t * rho2)), 0.0)
        np.testing.assert_allclose(reference.log_two_sided(z), expected, rtol=1e-8)

    def test_few_batches_make_it_wider_as_student_is_wider_than_normal(self):
        """By probability: what is as rare under Student's t as the boundary is under the normal."""
        args = (700, 0.004)
        level = math.log(1e-5)
        z = AnytimeReference(*args, MANY).critical(level)
        t = AnytimeReference(*args, Student(99)).critical(level)
        assert stats.t.sf(t, 99) == pytest.approx(stats.norm.sf(z), rel=1e-6)
        assert 1.03 < t / z < 1.1


class TestStudent:
    """Student's t, entry by entry."""

    degrees = np.array([[1.0, 2.5, 30.0], [137.0, 1e5, 1e8]])
    one_by_one = st.lists(
        st.tuples(st.floats(1, 1e8), st.floats(-1e6, 1e6)), min_size=1, max_size=6
    )

    @given(one_by_one)
    def test_any_tails(self, numbers):
        degrees, t = np.array(numbers).T
        found = Student(degrees).log_two_sided(t)
        expected = [Student(df).log_two_sided(np.array([x]))[0] for df, x in numbers]
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)

    @pytest.mark.parametrize("log_level", [math.log(0.9), math.log(0.05), -50.0, -660.0, -2000.0])
    def test_critical_values(self, log_level):
        """The last ones are of levels below the smallest float."""
        found = Student(self.degrees).critical(log_level)
        assert found.shape == (2, 3)
        for place in np.ndindex(2, 3):
            expected = Student(self.degrees[place]).critical(log_level)
            assert found[place] == pytest.approx(expected, rel=1e-12)


# The radius of the largest standardised error: draws, and a union as its upper end.


ENTRIES, DF = 21, 99


def radius_of(correlation=0.0, draws=9999, seed=0):
    """Of entries that all share a part of their errors."""
    rng = np.random.default_rng(seed)
    shared, own = rng.standard_normal((draws, 1)), rng.standard_normal((draws, ENTRIES))
    errors = math.sqrt(correlation) * shared + math.sqrt(1 - correlation) * own
    maxima = np.sort(np.abs(errors).max(axis=1))[::-1]
    return LargestRadius(maxima, Student(DF), ENTRIES)


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3])
def test_of_independent_entries(alpha):
    each = 1 - (1 - alpha) ** (1 / ENTRIES)
    found = 2 * stats.t.sf(radius_of().epsilon(alpha), DF)
    error = 4 * math.sqrt(alpha * (1 - alpha) / 9999) / ENTRIES
    assert found == pytest.approx(each, abs=error)


@pytest.mark.parametrize("alpha", [1e-30, 1e-6, 0.01, 0.05, 0.5])
def test_the_union_is_its_upper_end(alpha):
    most = stats.t.isf(alpha / (2 * ENTRIES), DF)
    for correlation in (0.0, 0.9):
        radius = radius_of(correlation)
        assert radius.of_union(alpha) == pytest.approx(most, rel=1e-9)
        assert radius.epsilon(alpha) <= radius.of_union(alpha)
    if alpha >= 0.01:
        assert radius.epsilon(alpha) < 0.97 * most  # the dependence is used
    else:
        assert radius.epsilon(alpha) == radius.of_union(alpha)  # more than draws can tell


@pytest.mark.parametrize("draws", [9999, 19, 1])
@pytest.mark.parametrize("correlation", [0.0, 0.9])
def test_level_and_radius_agree(draws, correlation):
    radius = radius_of(correlation, draws)
    for alpha in (1e-12, 1e-4, 0.001, 0.05, 0.2, 0.7, 1 - 1e-9):
        epsilon = radius.epsilon(alpha)
        just = radius.log_level(epsilon * np.array([1 - 1e-6, 1 + 1e-6]))
        assert just[1] <= math.log(alpha) + 1e-9
        assert just[0] >= math.log(alpha) - 1e-4 or draws == 1

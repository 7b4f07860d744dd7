"""The statistic of two groups, its degrees of freedom, p-values and intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from edgewise._linalg import symmetric
from edgewise.inference.differences import (
    GroupDifference,
    GroupZ,
    PermutedTests,
    difference_interval,
    log_any,
)
from edgewise.inference.references import CERTAIN, Normal, Student
from edgewise.inference.uncertainty import PerEdge, Spread

P = 4
PAIRS = np.triu_indices(P, k=1)


def group(seed, *, exact=False, reference=None):
    rng = np.random.default_rng(seed)
    partial = symmetric(rng.uniform(-0.8, 0.8, 6), P, diagonal=1.0)
    error = symmetric(rng.uniform(0.02, 0.2, 6), P, diagonal=np.nan)
    degrees = symmetric(rng.uniform(5, 500, 6), P, diagonal=1.0)
    reference = reference or Student(degrees)
    return partial, PerEdge(Spread(error, error), reference, exact=exact)


@pytest.fixture
def pair():
    return GroupDifference(GroupZ.of(*group(1)), GroupZ.of(*group(2)), 6)


def test_statistic_degrees_and_p_values_as_in_the_book(pair):
    """Welch's t test and Satterthwaite's formula, written pair by pair."""
    (rho_a, own_a), (rho_b, own_b) = group(1), group(2)
    log_p = pair.log_pvalues()
    for k, (i, j) in enumerate(zip(*PAIRS, strict=True)):
        v_a, v_b = own_a.spread.fisher_z[i, j] ** 2, own_b.spread.fisher_z[i, j] ** 2
        nu_a, nu_b = own_a.reference.df[i, j], own_b.reference.df[i, j]
        t = (math.atanh(rho_a[i, j]) - math.atanh(rho_b[i, j])) / math.sqrt(v_a + v_b)
        nu = (v_a + v_b) ** 2 / (v_a**2 / nu_a + v_b**2 / nu_b)
        assert pair.statistic()[i, j] == pytest.approx(t, rel=1e-12)
        assert pair.degrees()[i, j] == pytest.approx(nu, rel=1e-12)
        assert log_p[k] == pytest.approx(math.log(2 * stats.t.sf(abs(t), nu)), rel=1e-9)
    assert np.isnan(pair.statistic().diagonal()).all()


def test_degrees_of_each_kind_of_reference():
    assert (GroupZ.of(*group(1, reference=Student(30))).degrees == 30).all()
    assert (GroupZ.of(*group(1, reference=Normal())).degrees == CERTAIN).all()
    # The exact test knows its variance.
    assert (GroupZ.of(*group(1, reference=Student(30), exact=True)).degrees == CERTAIN).all()


@pytest.mark.parametrize("scale", ["partial_correlation", "fisher_z"])
@pytest.mark.parametrize("simultaneous", [False, True])
def test_intervals_leave_zero_where_the_test_rejects(pair, scale, simultaneous):
    log_p = pair.log_pvalues() + math.log(6) * simultaneous
    for level in (0.5, 0.9, 0.95, 0.999, *(-np.expm1(log_p[(log_p < 0) & (log_p > -15)]) + 1e-9)):
        low, high = pair.interval(level, scale=scale, simultaneous=simultaneous)
        leaves = (low > 0) | (high < 0)
        np.testing.assert_array_equal(leaves[PAIRS], log_p <= math.log1p(-level))
        assert (low <= high).all()
        assert (low.diagonal() == 0).all()


def test_the_global_test_is_bonferroni():
    assert math.exp(log_any(np.log([0.02, 0.5]), 6)) == pytest.approx(0.12)
    assert log_any(np.log([0.5, 0.5]), 6) == 0


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(1e-3, 3), st.floats(1e-3, 3))
def test_the_range_over_an_ellipse(z_a, z_b, reach_a, reach_b):
    """By a fine grid over the ellipse, its inside too: a slower statement of the same."""
    low, high = difference_interval(*np.array([[z_a], [z_b], [reach_a], [reach_b]]))
    angle = np.linspace(0, 2 * np.pi, 4001)
    radius = np.linspace(0, 1, 5)[:, np.newaxis]
    value = np.tanh(z_a + radius * reach_a * np.cos(angle)) - np.tanh(
        z_b + radius * reach_b * np.sin(angle)
    )
    # The grid misses the extremes by its squared step.
    np.testing.assert_allclose([low[0], high[0]], [value.min(), value.max()], atol=2e-5)
    assert low[0] <= value.min() + 1e-9
    assert high[0] >= value.max() - 1e-9
    contains = low[0] <= 0 <= high[0]
    assert contains == (abs(z_a - z_b) <= math.hypot(reach_a, reach_b))


def test_without_a_bound_on_z_all_differences_are_possible():
    low, high = difference_interval(np.zeros(1), np.zeros(1), np.full(1, np.inf), np.ones(1))
    assert low[0] < -1.7
    assert high[0] > 1.7
    low, high = difference_interval(*np.zeros((2, 1)), *np.full((2, 1), np.inf))
    np.testing.assert_allclose([low[0], high[0]], [-2, 2])


class TestPermutations:
    @pytest.fixture
    def sizes(self):
        return np.array([2.5, 0.3, 3.1, 1.2, 0.9, 2.2])

    @pytest.fixture
    def draws(self):
        return np.abs(np.random.default_rng(3).standard_normal((199, 6)))

    def test_p_values_one_by_one(self, sizes, draws):
        tests = PermutedTests.of(sizes, draws)
        order, least = sorted(range(6), key=lambda k: -sizes[k]), 0.0
        for rank, k in enumerate(order):
            alone = (1 + sum(draw[k] >= sizes[k] for draw in draws)) / 200
            left = order[rank:]
            stepped = (1 + sum(max(draw[left]) >= sizes[k] for draw in draws)) / 200
            least = max(least, stepped)
            assert math.exp(tests.log_pvalue[k]) == pytest.approx(alone)
            assert math.exp(tests.log_adjusted[k]) == pytest.approx(least)
        assert tests.log_any(slice(None)) == pytest.approx(tests.log_adjusted[2])

    def test_a_tie_counts_against_the_difference(self, sizes):
        tests = PermutedTests.of(sizes, np.tile(sizes * (1 - 1e-10), (19, 1)))
        np.testing.assert_allclose(np.exp(tests.log_pvalue), 1)

    @pytest.mark.parametrize("level", [0.9, 0.95, 0.97, 0.995, 0.999])
    def test_critical_values_are_those_of_the_p_values(self, pair, draws, level):
        sizes = np.abs(pair.statistic()[PAIRS])
        draws = draws * np.quantile(sizes, 0.6)
        tests = PermutedTests.of(sizes, draws)
        own = GroupDifference(pair.first, pair.second, 6, tests.maxima(slice(0, 6), 0.05))
        low, high = own.interval(level, scale="partial_correlation", simultaneous=False)
        leaves = ((low > 0) | (high < 0))[PAIRS]
        np.testing.assert_array_equal(leaves, np.exp(tests.log_pvalue) <= 1 - level + 1e-12)
        low, high = own.interval(level, scale="fisher_z", simultaneous=True)
        single = [(1 + (tests.draws.max(axis=1) >= size).sum()) / 200 for size in sizes]
        leaves = ((low > 0) | (high < 0))[PAIRS]
        np.testing.assert_array_equal(leaves, np.array(single) <= 1 - level + 1e-12)

    def test_a_level_below_what_is_kept(self, pair, draws, refuses):
        tests = PermutedTests.of(np.abs(pair.statistic()[PAIRS]), draws)
        own = GroupDifference(pair.first, pair.second, 6, tests.maxima(slice(0, 6), 0.05))
        from edgewise.errors import ParameterError

        refuses(
            lambda: own.interval(0.5, scale="fisher_z", simultaneous=False),
            ParameterError,
            "level: expected at least 0.9 ",
            "got 0.5",
        )

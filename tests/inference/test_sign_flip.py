"""The law of a sum with random signs: against all signs, draws, and its true saddlepoint."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from edgewise.inference.references import Normal
from edgewise.inference.sign_flip import SignFlip, log_two_sided_of_one


def law_of(a):
    """The law of Σ ±a_k, made from its two sums; one entry."""
    a = np.asarray(a) / np.sqrt(np.sum(np.square(a)))
    return a, SignFlip(np.array([np.sum(a**4)]), np.array([np.sum(a**6)]))


def tail(law, t):
    return float(law.log_two_sided(np.array([float(t)]))[0])


def enumerated(a, t):
    """P(|Σ ±a_k| > t) + ½P(= t), over all 2ⁿ signs."""
    signs = np.array(list(product([1.0, -1.0], repeat=len(a) - 1)))
    sums = np.abs(a[0] + signs @ a[1:])  # by symmetry, the first sign does not matter
    near = np.abs(sums - t) < 1e-9
    return np.mean((sums > t) & ~near) + np.mean(near) / 2


def saddlepoint(a, t):
    """log 2 + log of the tail by Lugannani & Rice, in the form r + log(u/r)/r, from all terms."""

    def slope(s):
        return float(np.sum(a * np.tanh(s * a)))

    s = optimize.brentq(lambda s: slope(s) - t, 1e-9, 1e9, xtol=1e-14, rtol=1e-14)
    y = s * a
    cumulant = np.sum(y + np.log1p(np.exp(-2 * y)) - math.log(2))
    r = math.sqrt(2 * (s * t - cumulant))
    u = s * math.sqrt(np.sum((a / np.cosh(np.minimum(y, 300))) ** 2))
    return math.log(2) + float(stats.norm.logsf(r + math.log(u / r) / r))


def sizes(n, kind, seed=0):
    rng = np.random.default_rng(seed)
    return {
        "equal": np.ones(n),
        "normal products": np.abs(rng.standard_normal(n) * rng.standard_normal(n)),
        "t5 products": np.abs(rng.standard_t(5, n) * rng.standard_t(5, n)),
        "exponential": rng.exponential(size=n),
        "growing": np.arange(1.0, n + 1),
    }[kind]


KINDS = ["equal", "normal products", "t5 products", "exponential", "growing"]


class TestAllSigns:
    """Few terms: the law is a lattice, the formula a smooth curve through it."""

    @pytest.mark.parametrize("n", [12, 16])
    @pytest.mark.parametrize("kind", ["exponential", "growing", "normal products"])
    def test_smooth_sums(self, kind, n):
        a, law = law_of(sizes(n, kind))
        for t in (0.3, 0.8, 1.3, 1.8, 2.3):
            exact = enumerated(a, t)
            if exact > 3e-3:  # below, single signs are felt
                assert math.exp(tail(law, t)) == pytest.approx(exact, rel=0.25, abs=0.02)

    @pytest.mark.parametrize("n", [10, 16])
    def test_equal_terms_between_the_points_of_the_lattice(self, n):
        """Half way between the points, where a smooth curve crosses the steps."""
        a, law = law_of(np.ones(n))
        for heads in range(n // 2 + 1, n - 1):
            t = (2 * heads - n + 1) / math.sqrt(n)
            expected = 2 * stats.binom.sf(heads, n, 0.5)
            assert enumerated(a, t) == pytest.approx(expected, rel=1e-9)
            assert tail(law, t) == pytest.approx(math.log(expected), abs=0.25)


class TestSaddlepoint:
    @pytest.mark.parametrize("n", [50, 300, 3000])
    @pytest.mark.parametrize("kind", KINDS)
    def test_of_all_terms(self, kind, n):
        """Two sums of the sizes are enough, far into the tail."""
        a, law = law_of(sizes(n, kind))
        for t in (0.2, 1.0, 2.0, 3.0, 4.0, 5.0):
            if t < 0.6 * a.sum():
                assert tail(law, t) == pytest.approx(saddlepoint(a, t), rel=0.03, abs=0.01)

    @pytest.mark.parametrize(("count", "share"), [(1, 0.3), (2, 0.5), (5, 0.9), (40, 0.6)])
    def test_of_equal_signs_and_a_normal_rest_it_is_that_of_the_law_itself(self, count, share):
        """And this law is known by an integral: the sum over the signs of normal tails."""
        a = math.sqrt(share / count)
        law = SignFlip(np.array([count * a**4]), np.array([count * a**6]))
        heads = np.arange(count + 1)
        weight = stats.binom.pmf(heads, count, 0.5)
        for t in (0.5, 1.5, 3.0, 4.5):
            beyond = stats.norm.sf((t - a * (2 * heads - count)) / math.sqrt(1 - share))
            exact = math.log(2 * float(weight @ beyond))
            assert tail(law, t) == pytest.approx(exact, rel=0.05, abs=0.06)


def entries(fourth, size):
    """A law with that Σa⁴, and a Σa⁶ from its least (0) to its most (1)."""
    return SignFlip(np.array([fourth]), np.array([fourth**2 * (fourth**1.5 / fourth**2) ** size]))


fourths = st.floats(-9, 0).map(lambda power: 10.0**power)
laws = st.builds(entries, fourths, st.floats(0, 1))


@given(st.floats(0, 1e3))
def test_without_fourth_powers_it_is_the_normal_law(t):
    """To 1e-12 of t⁴: no fourth power is taken as that."""
    expected = Normal().log_two_sided(np.array([t]))[0]
    found = tail(SignFlip(np.zeros(1), np.zeros(1)), t)
    assert found == pytest.approx(expected, rel=1e-12 * t**2, abs=1e-10)


# Where one term dominates all others, the tail is nearly flat around 1, and the steps towards a
# critical value, whose slope is only about right, end up to 8e-7 away from it.
_NEARLY = 2e-6


@given(laws, st.floats(-800, math.log(0.99)))
def test_critical_values_have_their_level(law, log_level):
    critical = law.critical(log_level)
    assert critical[0] >= 0
    assert tail(law, critical[0]) == pytest.approx(log_level, rel=_NEARLY, abs=1e-9)


@settings(max_examples=60)
@given(laws)
def test_monotone(law):
    t = np.concatenate([np.linspace(0, 10, 200), np.geomspace(10, 1e4, 100)])
    many = SignFlip(np.full(t.shape, law.fourth[0]), np.full(t.shape, law.sixth[0]))
    log_p = many.log_two_sided(t)
    assert (np.diff(log_p) < 1e-12).all()
    assert (log_p <= 1e-12).all()
    np.testing.assert_array_equal(many.log_two_sided(-t), log_p)


def test_impossible_sums_are_taken_as_the_nearest_possible():
    """Rounding may leave Σa⁴ above one, or Σa⁶ beyond its bounds."""
    t = np.array([3.0])
    for fourth, sixth, nearest in ((1.1, 1.2, (1.0, 1.0)), (0.1, 1.0, (0.1, 0.1**1.5))):
        found = SignFlip(np.array([fourth]), np.array([sixth])).log_two_sided(t)
        expected = SignFlip(*(np.array([number]) for number in nearest)).log_two_sided(t)
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_entries_are_on_their_own():
    fourth = np.array([[0.0, 0.01, np.nan], [0.3, 1.0, 1e-5]])
    sixth = np.array([[0.0, 2e-4, 0.1], [0.1, 1.0, np.nan]])
    t = np.array([[1.0, 2.0, 3.0], [np.inf, 30.0, 2.0]])
    law = SignFlip(fourth, sixth)
    log_p, critical = law.log_two_sided(t), law.critical(-5.0)
    for place in np.ndindex(2, 3):
        one = SignFlip(fourth[place].reshape(1), sixth[place].reshape(1))
        np.testing.assert_allclose(log_p[place], tail(one, t[place]), rtol=1e-12)
        np.testing.assert_allclose(critical[place], one.critical(-5.0)[0], rtol=1e-12)
    # What nobody knows has no p-value, and an infinite statistic none above zero.
    assert np.isnan(log_p[[0, 1], [2, 2]]).all()
    assert log_p[1, 0] == -np.inf


@given(
    st.floats(-60, 60),
    st.one_of(st.just(0.0), st.floats(1e-6, 1)),
    st.one_of(st.just(0.0), st.floats(1e-9, 1)),
)
def test_a_single_number_has_the_law_of_an_entry(t, fourth, sixth):
    expected = tail(SignFlip(np.array([fourth]), np.array([sixth])), t)
    assert log_two_sided_of_one(t, fourth, sixth) == pytest.approx(expected, rel=1e-13, abs=1e-14)

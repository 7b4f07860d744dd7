"""The rule by which claims are judged: how often it errs, and what it says in clear cases."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, norm, t

from edgewise.studies.claims import (
    LEVEL,
    VERDICTS,
    both_sides,
    counted,
    critical,
    judge,
    of_counts,
    of_means,
    of_normal,
)


def verdict(excess, weak=()):
    return judge("it is so", "so and so", excess, weak).verdict


class TestCounts:
    @pytest.mark.parametrize("times", [0, 1, 3, 8, 20, 40])
    def test_is_the_binomial_tail(self, times):
        """As a normal number with the same tail, on the side where the count lies."""
        (excess,) = of_counts([times], 40, at_most=0.2)
        if times > 8:
            assert norm.sf(excess) == pytest.approx(binom.sf(times - 1, 40, 0.2))
        elif times < 8:
            assert norm.cdf(excess) == pytest.approx(binom.cdf(times, 40, 0.2))
        else:
            assert excess == 0

    def test_rises_with_the_count(self):
        excess = of_counts(np.arange(101), 100, at_most=0.05)
        assert (np.diff(excess) >= 0).all()
        assert excess[0] < 0 < excess[-1]

    def test_tails_too_small_for_a_float(self):
        excess = of_counts([0, 100_000], 100_000, at_most=0.5)
        assert (np.abs(excess) > 30).all()
        assert [verdict(one) for one in excess] == ["supported", "refuted"]

    @pytest.mark.parametrize("draws", [20, 200, 1000])
    def test_errs_rarely(self, draws):
        """Exactly: at the claimed probability, and beyond it, all counts with their weights."""
        times = np.arange(draws + 1)
        said = np.array([verdict(e) for e in of_counts(times, draws, at_most=0.05)])
        weight = binom.pmf(times, draws, 0.05)
        assert weight[said == "refuted"].sum() <= LEVEL
        assert weight[said == "supported"].sum() <= LEVEL


class TestMeans:
    def test_is_students(self):
        values = np.random.default_rng(0).normal(0.4, 1, (12, 3))
        ratio = values.mean(axis=0) / (values.std(axis=0, ddof=1) / np.sqrt(12))
        np.testing.assert_allclose(norm.cdf(of_means(values)), t.cdf(ratio, 11))

    def test_sign(self):
        values = np.random.default_rng(0).normal(1, 0.3, 50)
        assert of_means(values) > 5
        assert of_means(-values) < -5

    def test_few_draws_never_decide(self):
        """However far from 0 they are: nine equal signs have probability 0.002."""
        far = 1 + np.random.default_rng(0).normal(0, 1e-3, 10)
        assert verdict(of_means(-far[:9])) == verdict(of_means(far[:9])) == "not refuted"
        assert verdict(of_means(-far)) == "supported"
        assert verdict(of_means(far)) == "refuted"

    def test_draws_that_agree(self):
        """They count as so many draws with one sign, and not as certain."""
        assert norm.sf(of_means(np.ones(6))) == pytest.approx(2**-6)
        assert verdict(of_means(np.full(9, -1.0))) == "not refuted"
        assert verdict(of_means(np.full(10, -1.0))) == "supported"
        assert of_means(np.zeros(10)) == 0

    def test_what_is_not_finite_is_left_out(self):
        values = np.array([[1.0, np.nan], [np.inf, np.nan], [2.0, 1.0], [1.5, np.nan]])
        first, second = of_means(values)
        assert first == of_means(np.array([1.0, 2.0, 1.5]))
        assert np.isnan(second)
        assert judge("so", "so", [first, second]).n_comparisons == 1

    def test_errs_rarely(self):
        """4000 studies of ten draws with mean 0: refuted or supported in about four of each."""
        excess = of_means(np.random.default_rng(1).standard_normal((10, 4000)))
        for count in ((excess >= critical(1)).sum(), (excess <= -critical(1)).sum()):
            assert count <= binom.isf(1e-4, 4000, LEVEL)


class TestNormal:
    def test_without_error_there_is_no_evidence(self):
        assert (of_normal([0.3, -0.3], 0.0, 20) == 0).all()

    def test_many_draws(self):
        np.testing.assert_allclose(of_normal([2.0, -3.0], 1.0, 10**6), [2, -3], rtol=1e-4)


class TestRule:
    def test_three_verdicts(self):
        assert verdict([-3.2, -5]) == "supported"
        assert verdict([-3.2, -3.0]) == "not refuted"
        assert verdict([3.0]) == "not refuted"
        assert verdict([3.2]) == "refuted"

    def test_the_limit_grows_with_the_comparisons(self):
        assert critical(1) == pytest.approx(norm.isf(0.001))
        assert critical(198) == pytest.approx(norm.isf(0.001 / 198))
        assert verdict([3.9] + [-1.0] * 197) == "not refuted"
        assert verdict([4.5] + [-1.0] * 197) == "refuted"

    def test_a_family_of_true_comparisons_errs_rarely(self):
        """The worst case, all of them at equality: 2000 families of 50."""
        excess = np.random.default_rng(2).standard_normal((2000, 50))
        refuted = sum(verdict(family) == "refuted" for family in excess)
        assert refuted <= binom.isf(1e-4, 2000, LEVEL)
        assert not any(verdict(family) == "supported" for family in excess)

    def test_weak_comparisons_refute_but_need_not_support(self):
        assert verdict([-4.0], weak=[0.0, 0.0]) == "supported"
        assert verdict([-4.0], weak=[5.0]) == "refuted"
        assert verdict([-2.0], weak=[-9.0]) == "not refuted"

    def test_an_equality_is_never_supported(self):
        assert verdict(both_sides(np.zeros(3))) == "not refuted"
        assert verdict(both_sides(np.array([-9.0]))) == "refuted"
        assert verdict(both_sides(np.array([9.0]))) == "refuted"

    def test_nothing_compared(self):
        claim = judge("so", "nothing", [np.nan])
        assert (claim.verdict, claim.excess, claim.n_comparisons) == ("not refuted", 0.0, 0)
        assert claim.limit == critical(1)


class TestWords:
    @pytest.mark.parametrize(
        ("excess", "text"),
        [
            ([-4.04], "supported (−4.0 s.e.)"),
            ([-1e5], "supported (beyond −100 s.e.)"),
            ([1.26, -5], "not refuted (+1.3 s.e., limit 3.3)"),
            ([-1.0], "not refuted (−1.0 s.e.)"),
            ([np.inf], "refuted (beyond +100 s.e., limit 3.1)"),
        ],
        ids=str,
    )
    def test_claim(self, excess, text):
        assert str(judge("so", "so", excess)) == text

    def test_counted(self):
        claims = [judge("so", "so", [excess]) for excess in (-9, -8, 0, 1, 2, 9)]
        assert counted(claims) == "2 supported, 3 not refuted, 1 refuted"
        assert counted([]) == "0 supported, 0 not refuted, 0 refuted"
        assert VERDICTS == ("supported", "not refuted", "refuted")

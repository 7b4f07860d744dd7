"""The rule by which claims are judged: how often it errs, and what it says in clear cases."""

from __future__ import annotations

import numpy as np
import pytest
from reproduction.claims import (
    LEVEL,
    both_sides,
    counted,
    critical,
    judge,
    of_counts,
    of_means,
    of_normal,
)
from reproduction.study import Cell, draws_of, last_size, sizes_of, values_of
from scipy.stats import binom, norm, t


def verdict(excess, weak=()):
    return judge("it is so", "so and so", excess, weak).verdict


def test_counts_are_judged_by_the_binomial_tail():
    """As a normal number with the same tail, on the side where the count lies."""
    for times in (0, 1, 3, 8, 20, 40):
        (excess,) = of_counts([times], 40, at_most=0.2)
        if times > 8:
            assert norm.sf(excess) == pytest.approx(binom.sf(times - 1, 40, 0.2))
        elif times < 8:
            assert norm.cdf(excess) == pytest.approx(binom.cdf(times, 40, 0.2))
        else:
            assert excess == 0
    # Tails too small for a float.
    excess = of_counts([0, 100_000], 100_000, at_most=0.5)
    assert [verdict(one) for one in excess] == ["supported", "refuted"]


@pytest.mark.parametrize("draws", [20, 200, 1000])
def test_counts_err_rarely(draws):
    """Exactly: at the claimed probability, all counts with their weights."""
    times = np.arange(draws + 1)
    said = np.array([verdict(e) for e in of_counts(times, draws, at_most=0.05)])
    weight = binom.pmf(times, draws, 0.05)
    assert weight[said == "refuted"].sum() <= LEVEL
    assert weight[said == "supported"].sum() <= LEVEL


def test_means_are_judged_by_student():
    values = np.random.default_rng(0).normal(0.4, 1, (12, 3))
    ratio = values.mean(axis=0) / (values.std(axis=0, ddof=1) / np.sqrt(12))
    np.testing.assert_allclose(norm.cdf(of_means(values)), t.cdf(ratio, 11))
    np.testing.assert_allclose(of_normal([2.0, -3.0], 1.0, 10**6), [2, -3], rtol=1e-4)
    assert (of_normal([0.3, -0.3], 0.0, 20) == 0).all()
    # What is not finite is left out.
    odd = of_means(np.array([[1.0, np.nan], [np.inf, np.nan], [2.0, 1.0], [1.5, np.nan]]))
    assert odd[0] == of_means(np.array([1.0, 2.0, 1.5]))
    assert np.isnan(odd[1])
    assert judge("so", "so", odd).n_comparisons == 1


def test_few_draws_never_decide():
    """However far from 0 they are: nine equal signs have probability 0.002."""
    assert norm.sf(of_means(np.ones(6))) == pytest.approx(2**-6)
    for far in (np.ones(10), 1 + np.random.default_rng(0).normal(0, 1e-3, 10)):
        assert verdict(of_means(-far[:9])) == verdict(of_means(far[:9])) == "not refuted"
        assert verdict(of_means(-far)) == "supported"
        assert verdict(of_means(far)) == "refuted"
    assert of_means(np.zeros(10)) == 0


def test_means_and_families_err_rarely():
    """4000 studies of ten draws with mean 0; 2000 families of 50 comparisons at equality."""
    excess = of_means(np.random.default_rng(1).standard_normal((10, 4000)))
    for count in ((excess >= critical(1)).sum(), (excess <= -critical(1)).sum()):
        assert count <= binom.isf(1e-4, 4000, LEVEL)
    families = np.random.default_rng(2).standard_normal((2000, 50))
    said = [verdict(family) for family in families]
    assert said.count("refuted") <= binom.isf(1e-4, 2000, LEVEL)
    assert "supported" not in said


@pytest.mark.parametrize(
    ("excess", "weak", "expected"),
    [
        ([-3.2, -5], [], "supported"),
        ([-3.2, -3.0], [], "not refuted"),
        ([3.0], [], "not refuted"),
        ([3.2], [], "refuted"),
        # The limit grows with the comparisons.
        ([3.9] + [-1.0] * 197, [], "not refuted"),
        ([4.5] + [-1.0] * 197, [], "refuted"),
        # Weak comparisons refute but need not support.
        ([-4.0], [0.0, 0.0], "supported"),
        ([-4.0], [5.0], "refuted"),
        ([-2.0], [-9.0], "not refuted"),
        # An equality is never supported.
        (both_sides(np.zeros(3)), [], "not refuted"),
        (both_sides(np.array([-9.0])), [], "refuted"),
        ([np.nan], [], "not refuted"),
    ],
)
def test_verdicts(excess, weak, expected):
    assert verdict(excess, weak) == expected


def test_words():
    claims = [judge("so", "so", [excess]) for excess in (-4.04, -1e5, 1.26, np.inf)]
    assert [str(claim) for claim in claims] == [
        "supported (−4.0 s.e.)",
        "supported (beyond −100 s.e.)",
        "not refuted (+1.3 s.e., limit 3.1)",
        "refuted (beyond +100 s.e., limit 3.1)",
    ]
    assert counted(claims) == "2 supported, 1 not refuted, 1 refuted"
    cells = [Cell({"p": p, "sizes": list(range(10, 1011, 10))}, 5 * p) for p in (4, 1, 1)]
    assert draws_of(cells) == "5 to 20"
    assert draws_of(cells[1:]) == "5"
    assert values_of(cells, "p") == "1, 4"
    assert sizes_of(cells) == "n = 10, 20, …, 1 010 (101 even steps)"
    assert last_size(cells) == "1 010"
    assert sizes_of([Cell({"sizes": [10, 50]}, 1)]) == "n = 10 and 50"

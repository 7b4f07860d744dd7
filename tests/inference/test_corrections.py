"""Corrections against slow statements of their definitions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from edgewise._linalg import pairs_of
from edgewise.inference.corrections import (
    CORRECTIONS,
    DRAWS,
    MaxStatistic,
    adjust,
    level_of_maxima,
    log_critical_level,
)
from edgewise.inference.references import Normal, Student

ALPHAS = [1e-4, 0.01, 0.05, 0.3]
METHODS = ["holm", "bonferroni", "bh", "by"]

# Ties on purpose: half of the p-values come from a handful of values.
pvalues = st.lists(
    st.one_of(st.sampled_from([1e-300, 1e-4, 0.01, 0.05, 0.5, 1.0]), st.floats(1e-12, 1.0)),
    min_size=1,
    max_size=25,
)


def rejected(p, alpha, correction):
    """Which hypotheses a procedure rejects, as its authors state it."""
    m = len(p)
    if correction is None:
        return [x <= alpha for x in p]
    if correction == "bonferroni":
        return [x <= alpha / m for x in p]
    order = sorted(range(m), key=lambda i: p[i])
    if correction == "holm":  # step down: stop at the first p-value that is too large
        count = 0
        while count < m and p[order[count]] <= alpha / (m - count):
            count += 1
    else:  # step up: the last p-value that is small enough takes all before it along
        price = sum(1 / k for k in range(1, m + 1)) if correction == "by" else 1.0
        small = [k for k in range(1, m + 1) if p[order[k - 1]] <= k * alpha / (m * price)]
        count = max(small, default=0)
    # Tied p-values share their fate.
    return [count > 0 and x <= p[order[count - 1]] for x in p]


def adjusted(p, correction):
    """Adjusted p-values by their textbook formulas, quadratic in m."""
    m = len(p)
    s = sorted(p)
    price = sum(1 / k for k in range(1, m + 1)) if correction == "by" else 1.0
    formulas = {
        "bonferroni": lambda x: m * x,
        "holm": lambda x: max((m - k) * s[k] for k in range(m) if s[k] <= x),
        "bh": lambda x: min(m / (k + 1) * s[k] for k in range(m) if s[k] >= x),
        "by": lambda x: min(price * m / (k + 1) * s[k] for k in range(m) if s[k] >= x),
    }
    return [min(1.0, formulas[correction](x)) for x in p]


def borderline(values, alpha):
    return np.any(np.abs(np.asarray(values) / alpha - 1) < 1e-9)


@settings(max_examples=150)
@given(pvalues, st.sampled_from(METHODS))
def test_adjusted_pvalues(p, correction):
    found = np.exp(adjust(np.log(p), correction))
    np.testing.assert_allclose(found, adjusted(p, correction), rtol=1e-12)


@settings(max_examples=150)
@given(pvalues, st.sampled_from(CORRECTIONS), st.sampled_from(ALPHAS))
def test_decisions_are_those_of_the_procedure(p, correction, alpha):
    log_adjusted = adjust(np.log(p), correction)
    if borderline(np.exp(log_adjusted), alpha):
        return  # rounding decides
    np.testing.assert_array_equal(log_adjusted <= math.log(alpha), rejected(p, alpha, correction))


@settings(max_examples=150)
@given(pvalues, st.sampled_from(CORRECTIONS), st.sampled_from(ALPHAS))
def test_critical_level_separates(p, correction, alpha):
    log_p = np.log(p)
    log_adjusted = adjust(log_p, correction)
    if borderline(np.exp(log_adjusted), alpha):
        return
    reject = log_adjusted <= math.log(alpha)
    level = log_critical_level(len(p), int(reject.sum()), alpha, correction)
    np.testing.assert_array_equal(log_p <= level, reject)


def test_pvalues_below_the_smallest_float_stay_apart():
    log_p = np.array([-1e5, -9e4, -2000.0, -1.0])
    assert np.all(np.diff(adjust(log_p, "holm")) > 0)
    np.testing.assert_allclose(adjust(log_p, "holm")[0], -1e5 + math.log(4), rtol=1e-15)


def test_known_values():
    """R: p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), method) for each method."""
    log_p = np.log([0.01, 0.02, 0.03, 0.04, 0.05])
    expected = {
        "holm": [0.05, 0.08, 0.09, 0.09, 0.09],
        "bonferroni": [0.05, 0.10, 0.15, 0.20, 0.25],
        "bh": [0.05] * 5,
        "by": [0.05 * 137 / 60] * 5,
    }
    for correction, values in expected.items():
        np.testing.assert_allclose(np.exp(adjust(log_p, correction)), values, rtol=1e-12)


# The largest statistic, from influences of batches made up for it.

PAIRS = 6  # of four variables
ERROR = 4 * math.sqrt(0.25 / DRAWS)


def influences(batches=50, p=4, seed=0):
    made = np.random.default_rng(seed).standard_normal((batches, p, p))
    return pairs_of(made + made.transpose(0, 2, 1))


@pytest.fixture(scope="module")
def statistic():
    return MaxStatistic(influences, 3)


def test_with_the_diagonal_there_are_more_entries():
    flat = np.random.default_rng(0).standard_normal((50, 10))
    largest = MaxStatistic(lambda: flat, 3, diagonal=True).largest()
    directions = flat / np.sqrt(np.sum(flat**2, axis=0))
    draws = np.random.default_rng(3).standard_normal((DRAWS, 50)) @ directions
    expected = np.sort(np.abs(draws).max(axis=1))[::-1]
    np.testing.assert_allclose(largest, expected, rtol=1e-9)


def test_of_nearly_independent_pairs_they_are_the_maximum_of_normals():
    drawn = MaxStatistic(lambda: influences(batches=5000), 0).largest()
    for z in (2.0, 2.5, 3.0):
        expected = 1 - (1 - 2 * stats.norm.sf(z)) ** PAIRS
        assert np.mean(drawn >= z) == pytest.approx(expected, abs=ERROR)


def test_a_pair_without_influence_counts_for_nothing():
    flat = influences()
    flat[:, 0] = 0.0
    assert np.isfinite(MaxStatistic(lambda: flat, 3).largest()).all()


def test_marked_entries_are_the_family():
    """Of all pairs, and then of the diagonal."""
    flat = np.random.default_rng(1).standard_normal((30, 10))
    entries = np.zeros((4, 4), dtype=bool)
    entries[0, 2] = entries[2, 0] = entries[3, 3] = True
    some = MaxStatistic(lambda: flat, 3, diagonal=True, entries=entries).largest()
    own = MaxStatistic(lambda: flat[:, [1, 9]], 3).largest()
    np.testing.assert_array_equal(some, own)


@pytest.mark.parametrize("level", [0.5, 0.05, 0.01])
@pytest.mark.parametrize("reference", [Normal(), Student(49)])
def test_the_critical_value_is_exceeded_with_the_level(statistic, level, reference):
    maxima = statistic.largest()
    critical = reference.critical(level_of_maxima(maxima, math.log(level)))
    # On the scale of the draws, by probability.
    z = stats.norm.isf(math.exp(reference.log_two_sided(np.array([critical]))[0]) / 2)
    assert np.mean(maxima >= z * (1 + 1e-9)) <= level
    assert np.mean(maxima >= z) == pytest.approx(level, abs=2 / DRAWS)


def test_adjusted_pvalues_of_many_pairs_are_those_of_all_draws():
    """Blocks of pairs give what one table of all draws gives."""
    flat, t = influences(batches=40, p=45), np.random.default_rng(5).standard_normal(990)
    t[:200] += 3
    found, _, left = MaxStatistic(lambda: flat, 3).step_down(t, Normal(), math.log(0.5))
    order = np.argsort(-np.abs(t))
    draws = np.random.default_rng(3).standard_normal((DRAWS, 40))
    draws = np.abs(draws @ (flat / np.linalg.norm(flat, axis=0)))[:, order]
    running = np.maximum.accumulate(draws[:, ::-1], axis=1)[:, ::-1]
    exceeded = (running >= np.abs(t[order])).sum(axis=0)
    expected = np.maximum.accumulate((1 + exceeded) / (1 + DRAWS))
    np.testing.assert_allclose(np.exp(found[order]), expected, rtol=1e-12)
    kept = running[:, np.flatnonzero(expected > 0.5)[0]]
    np.testing.assert_allclose(left, np.sort(kept)[::-1], rtol=1e-12)


def test_adjusted_pvalues_step_down(statistic):
    t = np.array([0.3, 4.5, -2.2, 1.0, 2.9, -3.3])
    log_adjusted, largest, left = statistic.step_down(t, Normal(), math.log(0.01))
    adjusted = np.exp(log_adjusted)
    order = np.argsort(-np.abs(t))
    assert (np.diff(adjusted[order]) >= 0).all()
    exceeding = np.count_nonzero(statistic.largest() >= 4.5)
    assert adjusted[1] == pytest.approx((1 + exceeding) / (1 + DRAWS), rel=1e-12)
    np.testing.assert_array_equal(largest, statistic.largest())
    rest = MaxStatistic(lambda: influences()[:, adjusted > 0.01], 3)
    np.testing.assert_allclose(left, rest.largest(), rtol=1e-12)
    assert (adjusted >= 2 * stats.norm.sf(np.abs(t)) - ERROR).all()

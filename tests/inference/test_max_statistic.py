"""The largest statistic under the null, drawn from influences of batches made up for it."""

import math

import numpy as np
import pytest
from scipy import stats

from edgewise._linalg import pairs_of
from edgewise.inference.corrections import DRAWS, MaxStatistic, critical_of_maxima
from edgewise.inference.references import Normal, Student

PAIRS = 6  # of four variables
ALL = np.ones(PAIRS, dtype=bool)
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
    drawn = MaxStatistic(lambda: influences(batches=5000), 0).maxima(ALL)[0]
    for z in (2.0, 2.5, 3.0):
        expected = 1 - (1 - 2 * stats.norm.sf(z)) ** PAIRS
        assert np.mean(drawn >= z) == pytest.approx(expected, abs=ERROR)


def test_a_pair_without_influence_counts_for_nothing():
    flat = influences()
    flat[:, 0] = 0.0
    assert np.isfinite(MaxStatistic(lambda: flat, 3).maxima(ALL)[0]).all()


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
    maxima = statistic.maxima(ALL)[0]
    critical = critical_of_maxima(maxima, math.log(level), reference)
    # On the scale of the draws, by probability.
    z = stats.norm.isf(math.exp(reference.log_two_sided(np.array([critical]))[0]) / 2)
    assert np.mean(maxima >= z * (1 + 1e-9)) <= level
    assert np.mean(maxima >= z) == pytest.approx(level, abs=2 / DRAWS)


def test_adjusted_pvalues_step_down(statistic):
    t = np.array([0.3, 4.5, -2.2, 1.0, 2.9, -3.3])
    adjusted = np.exp(statistic.log_adjusted(t, Normal()))
    order = np.argsort(-np.abs(t))
    assert (np.diff(adjusted[order]) >= 0).all()
    largest = np.mean(statistic.maxima(ALL)[0] >= 4.5)
    assert adjusted[1] == pytest.approx((1 + largest * DRAWS) / (1 + DRAWS), rel=1e-12)
    assert (adjusted >= 2 * stats.norm.sf(np.abs(t)) - ERROR).all()

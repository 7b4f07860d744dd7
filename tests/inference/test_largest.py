"""The radius of the largest standardised error: draws, and a union as its upper end."""

import math

import numpy as np
import pytest
from scipy import stats

from edgewise.inference.references import Student
from edgewise.inference.uncertainty import LargestRadius

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

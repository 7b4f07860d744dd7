"""Which effect a number of rows finds."""

import math

import numpy as np
import pytest

import edgewise as ew
from edgewise.api.compare_methods import Comparison
from edgewise.errors import TooFewRowsWarning
from edgewise.results.detectable import detectable_curve, detected_effect


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).standard_normal((1000, 5))


@pytest.mark.parametrize("method", ["score", "wald", "batch", "nodewise", "fisher", "entrywise"])
def test_results_rows_and_plans_agree(rows, method):
    result = ew.edge_test(rows, method=method)
    effect = detected_effect(result)
    assert effect == pytest.approx(ew.detectable_effect(rows, method=method), rel=1e-3)
    plan = ew.plan_sample_size(rows, effect=effect, method=method)
    assert plan.n_samples == pytest.approx(1000, rel=0.02)
    curve = detectable_curve(result)
    assert curve.effects[curve.rows == 1000] == effect
    assert (np.diff(curve.effects) < 0).all()
    # Sixteen times the rows, less those spent, find a quarter of it on Fisher's scale.
    more = detected_effect(result, rows=16_000)
    assert math.atanh(more) == pytest.approx(math.atanh(effect) / 4, rel=0.12)


def test_more_power_needs_a_larger_effect_and_a_bound_has_none(rows):
    result = ew.edge_test(rows)
    half, usual, most = (detected_effect(result, power) for power in (0.5, 0.8, 0.99))
    assert half < usual < most
    # With power one half, the effect is the threshold of the first step.
    one = ew.edge_test(rows, correction="bonferroni")
    threshold = Comparison("", None, one, "", 0.0).threshold_on_partial_correlation()
    assert half == pytest.approx(threshold, rel=0.02)
    bound = ew.edge_test(rows, method="entrywise")
    assert detected_effect(bound, 0.5) == detected_effect(bound, 0.99)


@pytest.mark.parametrize("method", ["score", "wald", "entrywise"])
def test_an_effect_must_be_found_to_exceed_the_least_one(rows, method):
    result = ew.edge_test(rows, method=method, min_effect=0.2)
    shown = Comparison("", None, result, "", 0.0).threshold_on_partial_correlation()
    assert detected_effect(result, 0.5) == pytest.approx(shown, rel=0.03)
    # However many rows there are, an effect below the least one is not found to exceed it.
    assert 0.19 < detected_effect(result, rows=1e6) < 0.25


def test_rows_are_spent_on_what_a_pair_is_adjusted_for():
    few = np.random.default_rng(0).standard_normal((60, 50))
    result = ew.edge_test(few, method="nodewise")
    # Not for all 50 columns: nine tenths of the first rows would be spent on them.
    ratio = math.atanh(detected_effect(result, rows=600)) / math.atanh(detected_effect(result))
    assert ratio > 0.2


def test_too_few_rows_for_a_bound(rows):
    with pytest.warns(TooFewRowsWarning):
        result = ew.edge_test(rows[:100], method="trace")
    assert math.isnan(detected_effect(result))
    curve = detectable_curve(result)
    assert np.isnan(curve.effects[curve.rows < result.rows_needed]).all()

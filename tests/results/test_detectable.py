"""Which effect a number of rows finds."""

from __future__ import annotations

import math

import numpy as np
import pytest

import edgewise as ew
from edgewise.api.compare_methods import Comparison
from edgewise.errors import TooFewRowsWarning
from edgewise.methods.planning import effect_for_rows
from edgewise.results.detectable import detectable_curve


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).standard_normal((1000, 5))


def test_the_inverse_of_a_plan():
    def needed(effect):
        return (3 / math.atanh(effect)) ** 2 + 6

    for guess in (0.001, 0.05, 0.9):
        assert needed(effect_for_rows(needed, 1000, guess)) == pytest.approx(1000, rel=0.003)
    # Small effects need no finite number of rows, or all effects need more than there are.
    found = effect_for_rows(lambda e: 9 / (e - 0.05) ** 2 if e > 0.05 else math.inf, 1000, 0.01)
    assert found == pytest.approx(0.05 + 3 / math.sqrt(1000), rel=0.01)
    for too_many in (lambda effect: 5000 / effect, lambda effect: math.inf):
        assert math.isnan(effect_for_rows(too_many, 1000, 0.1))


@pytest.mark.parametrize("method", ["score", "fisher", "entrywise"])
def test_the_curve_of_a_result_agrees_with_the_plan_from_the_rows(rows, method):
    curve = detectable_curve(ew.edge_test(rows, method=method))
    planned = ew.detectable_effect(rows, method=method)
    assert curve.own_effect == pytest.approx(planned, rel=0.05)
    assert 1000 in curve.rows
    assert (np.diff(curve.rows) > 0).all()
    assert (np.diff(curve.effects) < 0).all()
    # Sixteen times the rows, less those spent, find a quarter of it on Fisher's scale.
    more = np.interp(16_000, curve.rows, curve.effects)
    assert math.atanh(more) == pytest.approx(math.atanh(curve.own_effect) / 4, rel=0.03)


def test_more_power_needs_a_larger_effect_and_a_bound_has_none(rows):
    result = ew.edge_test(rows)
    half, usual, most = (detectable_curve(result, power).own_effect for power in (0.5, 0.8, 0.99))
    assert half < usual < most
    # With power one half, the effect is the threshold of the first step.
    one = ew.edge_test(rows, correction="bonferroni")
    assert half == pytest.approx(
        Comparison("", None, one, "", 0.0).threshold_on_partial_correlation(), rel=0.01
    )
    bound = ew.edge_test(rows, method="entrywise")
    assert detectable_curve(bound, 0.5).own_effect == detectable_curve(bound, 0.99).own_effect


@pytest.mark.parametrize("method", ["score", "wald", "entrywise"])
def test_an_effect_must_be_found_to_exceed_the_least_one(rows, method):
    result = ew.edge_test(rows, method=method, min_effect=0.2)
    curve = detectable_curve(result, 0.5)
    shown = Comparison("", None, result, "", 0.0).threshold_on_partial_correlation()
    assert curve.own_effect == pytest.approx(shown, rel=0.03)
    # However many rows there are, an effect below the least one is not found to exceed it.
    assert 0.19 < curve.effects[-1] < 0.3


def test_rows_are_spent_on_what_a_pair_is_adjusted_for():
    few = np.random.default_rng(0).standard_normal((60, 50))
    curve = detectable_curve(ew.edge_test(few, method="nodewise"))
    more = np.interp(600, curve.rows, curve.effects)
    # Not for all 50 columns: nine tenths of the first rows would be spent on them.
    assert math.atanh(more) > 0.2 * math.atanh(curve.own_effect)
    some = ew.edge_test(few[:, :20], pairs=[("x0", "x1")])
    every = ew.edge_test(few[:, :20])
    ratio, all_ratio = (
        math.atanh(one.effects[-1]) / math.atanh(one.own_effect)
        for one in map(detectable_curve, (some, every))
    )
    assert ratio == pytest.approx(all_ratio, rel=1e-6)


def test_too_few_rows_for_a_bound(rows):
    with pytest.warns(TooFewRowsWarning):
        result = ew.edge_test(rows[:100], method="trace")
    curve = detectable_curve(result)
    assert np.isnan(curve.own_effect)
    assert np.isnan(curve.effects[curve.rows < result.rows_needed]).all()

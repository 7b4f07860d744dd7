"""Budgets and crossings, against equations solved another way."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import edgewise as ew
from edgewise.studies import PricedTest, crossover_budget

prices, scales = st.floats(0.1, 1e3), st.floats(0.1, 1e3)
tests = st.builds(PricedTest, prices, st.floats(1, 3), scales)


@given(tests, st.floats(1.0, 1e12))
def test_what_a_budget_affords(test, budget):
    n = test.rows(budget)
    assert test.price * n**test.power == pytest.approx(budget)
    assert test.threshold(budget) == pytest.approx(test.scale / math.sqrt(n))
    # Sixteen times the budget: the threshold falls by 16^{1/(2a)}.
    ratio = test.threshold(budget) / test.threshold(16 * budget)
    assert ratio == pytest.approx(4 ** (1 / test.power))


@given(tests, tests)
def test_above_the_crossing_the_cheaper_wins(one, other):
    cheap, dear = sorted([one, other], key=lambda test: test.power)
    assume(dear.power - cheap.power > 0.1)
    at = crossover_budget(cheap, dear)
    assume(1e-200 < at < 1e200)
    assert cheap.threshold(at) == pytest.approx(dear.threshold(at), rel=1e-6)
    assert cheap.threshold(4 * at) < dear.threshold(4 * at)
    assert cheap.threshold(at / 4) > dear.threshold(at / 4)


def test_costs_that_grow_alike():
    """As trace and eig: the one with the smaller scale²·price wins at every budget."""
    trace, eig = PricedTest(1.0, 1, 10.0), PricedTest(30.0, 1, 1.0)
    assert crossover_budget(eig, trace) == 0.0
    assert crossover_budget(trace, eig) == math.inf
    assert crossover_budget(trace, trace) == 0.0


def test_a_crossing_out_of_sight():
    assert crossover_budget(PricedTest(1, 1, 1e300), PricedTest(1, 1.01, 1e-300)) == math.inf


def test_refusals(refuses):
    pair = PricedTest(1, 1, 1), PricedTest(1, 2, 1)
    refuses(lambda: crossover_budget(*pair[::-1]), ew.ParameterError, "cheap", "exchange")
    refuses(lambda: PricedTest(0, 1, 1), ew.ParameterError, "price", "above 0")
    refuses(lambda: PricedTest(1, "a", 1), ew.ParameterError, "power")

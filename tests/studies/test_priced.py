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


@given(tests, tests, st.floats(1.0, 1e12))
def test_what_a_budget_affords_and_where_tests_cross(one, other, budget):
    n = one.rows(budget)
    assert one.price * n**one.power == pytest.approx(budget)
    assert one.threshold(budget) == pytest.approx(one.scale / math.sqrt(n))
    cheap, dear = sorted([one, other], key=lambda test: test.power)
    assume(dear.power - cheap.power > 0.1)
    at = crossover_budget(cheap, dear)
    assume(1e-200 < at < 1e200)
    assert cheap.threshold(at) == pytest.approx(dear.threshold(at), rel=1e-6)
    assert cheap.threshold(4 * at) < dear.threshold(4 * at)


def test_the_ends_and_refusals(refuses):
    trace, eig = PricedTest(1.0, 1, 10.0), PricedTest(30.0, 1, 1.0)
    assert crossover_budget(eig, trace) == 0.0
    assert crossover_budget(trace, eig) == math.inf
    assert crossover_budget(PricedTest(1, 1, 1e300), PricedTest(1, 1.01, 1e-300)) == math.inf
    pair = PricedTest(1, 2, 1), PricedTest(1, 1, 1)
    refuses(lambda: crossover_budget(*pair), ew.ParameterError, "cheap", "exchange")
    refuses(lambda: PricedTest(0, 1, 1), ew.ParameterError, "price", "above 0")
    refuses(lambda: PricedTest(1, "a", 1), ew.ParameterError, "power")

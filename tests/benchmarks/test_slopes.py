"""Slopes, flops and labels: the arithmetic of the benchmark itself."""

import pytest
from benchmarks.flops import useful_flops
from benchmarks.slopes import fitted, slope


def test_a_power_law_has_its_exponent():
    x = [10, 30, 100, 1000]
    y = [7 * at**2.2 for at in x]
    assert slope(x, y) == pytest.approx(2.2)
    assert fitted(x, y, 2.2) == pytest.approx(y)


def test_flops_of_each_method():
    shape = (1000, 10)
    assert useful_flops("trace", shape, {}) == 1e5
    assert useful_flops("score", shape, {}) == 6e5
    # One product of all 55 pairs of columns with each other, and the covariance.
    assert useful_flops("eig", shape, {}) == 1000 * 55**2 + 1e5
    assert useful_flops("eig", shape, {"products": 20}) == 41e5
    assert useful_flops("eig + trace", shape, {}) is None

"""Slopes, flops and labels: the arithmetic of the benchmark itself."""

import numpy as np
import pytest
from benchmarks.flops import useful_flops
from benchmarks.plots import apart
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


def test_labels_are_moved_apart_and_keep_their_order():
    assert apart([0.5, 0.1, 0.9], 0.1) == pytest.approx([0.5, 0.1, 0.9])
    assert apart([0.5, 0.52, 0.9], 0.1) == pytest.approx([0.46, 0.56, 0.9])
    placed = apart([0.5, 0.5, 0.45, 0.61], 0.1)
    assert np.all(np.diff(np.sort(placed)) >= 0.1 - 1e-12)
    assert placed[2] == min(placed)
    assert placed[3] == max(placed)

"""Sums of edges reach as far as the slow statement of the delta method says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from edgewise.inference.centrality import (
    correlated_reach,
    selected_ends,
    sum_ends,
    truncated_quantile,
)
from edgewise.inference.intervals import ConfidenceInterval

P = 6


@pytest.fixture(scope="module")
def precision():
    rng = np.random.default_rng(3)
    loads = rng.standard_normal((P, P + 2))
    return loads @ loads.T


def partial_of(precision):
    root = np.sqrt(precision.diagonal())
    partial = -precision / np.outer(root, root)
    np.fill_diagonal(partial, 1.0)
    return partial


@pytest.fixture(scope="module")
def correlations(precision):
    """Of ρ̂_ij and ρ̂_kl, by finite differences from Cov(Θ̂_ij, Θ̂_kl) = Θ_ikΘ_jl + Θ_ilΘ_jk."""
    rows, columns = np.triu_indices(P)
    covariance = (
        precision[np.ix_(rows, rows)] * precision[np.ix_(columns, columns)]
        + precision[np.ix_(rows, columns)] * precision[np.ix_(columns, rows)]
    )
    slopes = []
    for i, j in zip(rows, columns, strict=True):
        step = np.zeros((P, P))
        step[i, j] = step[j, i] = 1e-5
        slopes.append((partial_of(precision + step) - partial_of(precision - step)).ravel() / 2e-5)
    jacobian = np.array(slopes).T
    of_partial = jacobian @ covariance @ jacobian.T
    deviation = np.sqrt(np.where(of_partial.diagonal() > 1e-9, of_partial.diagonal(), np.inf))
    return (of_partial / np.outer(deviation, deviation)).reshape(P, P, P, P)


def test_reach_is_the_slow_double_sum(precision, correlations):
    rng = np.random.default_rng(6)
    partial = partial_of(precision)
    half = np.triu(rng.random((P, P)) * (rng.random((P, P)) < 0.7), 1)
    half += half.T
    excess = rng.random(P) * 0.1
    reach = correlated_reach(partial, half, excess)
    together = []
    for i in range(P):
        signed, size = np.sign(partial[i]) * half[i], np.abs(partial[i]) * (half[i] > 0)
        sums = signed @ correlations[i, :, i] @ signed - half[i] @ half[i]
        together.append(sums)
        common = size.sum() ** 2 - size @ size
        wanted = np.sqrt(half[i] @ half[i] + max(sums, 0.0) + excess[i] / 4 * common)
        assert reach[i] == pytest.approx(min(wanted, half[i].sum()), rel=1e-6)
    assert min(together) < 0 < max(together)


@pytest.mark.parametrize("tail", [0.025, 0.5])
def test_truncated_quantile_has_the_probability(tail):
    t, cut = np.array([3.5, 4.5, 8.0, 60.0]), np.array([3.0, 3.2, 7.0, 4.0])
    mean = truncated_quantile(t, cut, tail)
    inside = mean > 0
    seen = np.exp(norm.logsf(t - mean) - norm.logsf(cut - mean))
    np.testing.assert_allclose(seen[inside], tail, rtol=1e-6)
    # Where even no effect at all would exceed t so often, nothing is left of it.
    at_zero = np.exp(norm.logsf(t) - norm.logsf(cut))
    np.testing.assert_array_equal(inside, at_zero < tail)


def test_far_above_its_threshold_an_edge_has_its_plain_interval():
    partial = np.array([[1.0, -0.5], [-0.5, 1.0]])
    edges = ~np.eye(2, dtype=bool)
    plain = ConfidenceInterval(np.full((2, 2), -0.55), np.full((2, 2), -0.44))
    wide = ConfidenceInterval(np.full((2, 2), -0.6), np.full((2, 2), -0.4))
    ends = selected_ends(partial, edges, plain, wide, np.full((2, 2), 0.1), 0.95)
    low, high = sum_ends(ends, edges, partial, np.zeros(2))
    np.testing.assert_allclose([low, high], [[0.44] * 2, [0.55] * 2], rtol=1e-6)
    # Just above it, what holds for all pairs at once is left.
    ends = selected_ends(partial, edges, plain, wide, np.full((2, 2), 0.499), 0.95)
    low, high = sum_ends(ends, edges, partial, np.zeros(2))
    np.testing.assert_allclose([low, high], [[0.4] * 2, [0.55] * 2], rtol=1e-6)
    # And if nobody knows the threshold, too.
    ends = selected_ends(partial, edges, plain, wide, np.full((2, 2), np.nan), 0.95)
    np.testing.assert_allclose(sum_ends(ends, edges, partial, np.zeros(2)).low, 0.4)

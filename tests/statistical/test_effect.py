"""Tests of a minimal effect, at the very boundary of their null.

An edge is where the two-sided interval leaves [−v, v]. At the boundary only one of its two sides
can err, so about half of the level is spent.
"""

from __future__ import annotations

import numpy as np
import pytest

from edgewise import edge_test
from edgewise.simulate import make_chain_precision, sample

ALPHA = 0.05
N = 2000
P = 6
MIN_EFFECT = 0.2
EDGES = (np.arange(P - 1), np.arange(1, P))


def shares_found(trial, draws, distribution, method, weight):
    """Of the five edges, whose partial correlations are all −weight, those found in each draw."""
    precision = make_chain_precision(P, weight)
    for rng in trial.draws(*draws):
        X = sample(distribution, precision, N, rng=rng)
        result = edge_test(X, method=method, alpha=ALPHA, correction=None, min_effect=MIN_EFFECT)
        yield result.reject[EDGES].mean()


@pytest.mark.parametrize("distribution", ["gaussian", "laplace"])
@pytest.mark.parametrize("method", ["score", "wald"])
@pytest.mark.parametrize("weight", [MIN_EFFECT, -MIN_EFFECT])
def test_minimal_effect_at_its_boundary(trial, weight, method, distribution):
    shares = list(shares_found(trial, (300, 4_000), distribution, method, weight))
    trial.mean_at_most("edges found that are just no edges", shares, ALPHA)


@pytest.mark.parametrize("distribution", ["gaussian", "laplace"])
@pytest.mark.parametrize("method", ["score", "wald"])
def test_minimal_effect_beyond_its_boundary(trial, method, distribution):
    shares = list(shares_found(trial, (100, 1_000), distribution, method, 0.3))
    trial.mean_at_least("edges found with |ρ| = 0.3", shares, 0.9)

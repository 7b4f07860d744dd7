"""Confidence intervals of single pairs cover as often as they say."""

from __future__ import annotations

import numpy as np
import pytest

from edgewise import edge_test
from edgewise.simulate import make_chain_precision, sample

LEVEL = 0.95
P = 6
PRECISION = make_chain_precision(P)
PAIRS = np.triu_indices(P, k=1)

# Products of exponential residuals have kurtosis 81: at 2000 rows a standard error is
# usually too small (its median by 2 %), and normal critical values would cover 0.947 only.
CELLS = [("gaussian", 2000), ("laplace", 2000), ("exponential", 2000), ("exponential", 8000)]


@pytest.mark.parametrize("scale", ["precision", "partial_correlation"])
@pytest.mark.parametrize("method", ["score", "wald", "batch"])
@pytest.mark.parametrize(("distribution", "n"), CELLS)
def test_intervals_of_pairs(trial, partial_correlations, distribution, n, method, scale):
    truth = PRECISION if scale == "precision" else partial_correlations(PRECISION)
    shares = []
    for rng in trial.draws(500, 4_000):
        X = sample(distribution, PRECISION, n, rng=rng)
        result = edge_test(X, method=method)
        low, high = result.confidence_interval(LEVEL, scale=scale)
        shares.append(((low <= truth) & (truth <= high))[PAIRS].mean())
    # Pairs of one draw are not independent: the error is that between draws.
    trial.mean_within("share of pairs covered", shares, LEVEL)

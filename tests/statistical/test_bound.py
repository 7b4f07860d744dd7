"""The paper's thresholds: all entries at once, finite, and never exceeded too often."""

from __future__ import annotations

import math

import numpy as np
import pytest

from edgewise import edge_test
from edgewise.simulate import make_chain_precision, sample

N = 20_000
PRECISION = make_chain_precision(4)


@pytest.mark.parametrize("distribution", ["gaussian", "laplace"])
@pytest.mark.parametrize(("method", "alpha"), [("trace", 0.05), ("trace", 0.2), ("eig", 0.05)])
def test_thresholds(trial, method, alpha, distribution):
    """No false edges, and |Θ̂ − Θ| ≤ t for every entry, the diagonal too.

    0.2 is near the largest level for which the trace radius is proven, where it has least slack.
    """
    covariance = np.linalg.inv(PRECISION)
    errors, covered, within = [], [], []
    for rng in trial.draws(40, 4_000):
        X = sample(distribution, PRECISION, N, rng=rng)
        result = edge_test(X, method=method, alpha=alpha)
        # An infinite threshold would make all of this true and empty.
        assert math.isfinite(result.threshold)
        errors.append(result.reject[PRECISION == 0].any())
        covered.append(np.abs(result.precision - PRECISION).max() <= result.threshold)
        within.append(np.linalg.norm(result.covariance - covariance, 2) <= result.radius)
    trial.rate_at_most("family-wise error", errors, alpha)
    trial.rate_at_least("all of Θ within t of Θ̂", covered, 1 - alpha)
    if method == "trace":
        trial.rate_at_least("Σ within ε of Σ̂", within, 1 - alpha)


def test_eigenvalue_radius_is_no_bound(trial):
    """The paper's Lemma 1 fails in most draws at p = 6, as the documentation of `eig` says.

    With Σ = I and n → ∞ the share is P(‖W‖₂ > 2 z_{0.975}) = 0.68, W symmetric Gaussian with
    variances 2 on the diagonal and 1 off it; fewer rows overestimate λ_max and miss less often.
    """
    p = 6
    missed = []
    for rng in trial.draws(200, 2_000):
        X = sample("gaussian", np.eye(p), N, rng=rng)
        result = edge_test(X, method="eig", alpha=0.05)
        missed.append(np.linalg.norm(result.covariance - np.eye(p), 2) > result.radius)
    trial.rate_exceeds("Σ not within ε of Σ̂", missed, 0.4)

"""The weighted chi-square radius is exact: the covariance leaves it just as often as it says."""

from __future__ import annotations

import numpy as np
import pytest

from edgewise import edge_test
from edgewise.simulate import make_chain_precision, sample

N = 50_000
LEVELS = (0.01, 0.05, 0.3)
PRECISION = make_chain_precision(6)
COVARIANCE = np.linalg.inv(PRECISION)


def whitened_error(estimate):
    """‖L⁻¹(Σ − Σ̂)L⁻ᵀ‖ with Σ̂ = LLᵀ, in the Frobenius norm."""
    inverse = np.linalg.inv(np.linalg.cholesky(estimate))
    return np.linalg.norm(inverse @ (COVARIANCE - estimate) @ inverse.T)


def plain_error(estimate):
    return np.linalg.norm(estimate - COVARIANCE)


ERRORS = {"whitened": whitened_error, "spectral": plain_error}


@pytest.mark.parametrize("distribution", ["gaussian", "laplace"])
@pytest.mark.parametrize("method", list(ERRORS))
def test_chi2_radius(trial, method, distribution):
    left: dict[float, list[bool]] = {alpha: [] for alpha in LEVELS}
    for rng in trial.draws(40, 1_500):
        X = sample(distribution, PRECISION, N, rng=rng)
        result = edge_test(X, method=method, radius="chi2")
        error = ERRORS[method](result.covariance)
        for alpha, events in left.items():
            events.append(error > result.uncertainty.radius.epsilon(alpha))
    for alpha, events in left.items():
        trial.rate_within(f"‖error‖ above its {alpha:g} radius", events, alpha)

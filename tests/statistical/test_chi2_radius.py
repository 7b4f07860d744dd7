"""The weighted chi-square radius is exact: the covariance leaves it just as often as it says."""

from __future__ import annotations

import math

import numpy as np
import pytest

from edgewise import edge_test
from edgewise.inference.sample import Needs, open_sample
from edgewise.methods.bounds import Whitened
from edgewise.simulate import make_chain_precision, sample

ALPHA = 0.05
N = 50_000
LEVELS = (0.01, 0.05, 0.3)
PRECISION = make_chain_precision(6)
COVARIANCE = np.linalg.inv(PRECISION)
LAWS = ("gaussian", "laplace", "t5", "contaminated", "exponential", "lognormal")


def truly_whitened(estimate, precision):
    """The eigenvalues of Σ^(−½)Σ̂Σ^(−½) − I, which are those of ΘΣ̂ − I."""
    return np.linalg.eigvals(precision @ estimate).real - 1


def whitened_error(estimate):
    return np.linalg.norm(truly_whitened(estimate, PRECISION))


def plain_error(estimate):
    return np.linalg.norm(estimate - COVARIANCE)


ERRORS = {"whitened": whitened_error, "spectral": plain_error}


@pytest.mark.parametrize("distribution", ["gaussian", "laplace"])
@pytest.mark.parametrize("method", list(ERRORS))
def test_chi2_radius(trial, method, distribution):
    left: dict[float, list[bool]] = {alpha: [] for alpha in LEVELS}
    for rng in trial.draws(25, 1_500):
        X = sample(distribution, PRECISION, N, rng=rng)
        result = edge_test(X, method=method, radius="chi2")
        error = ERRORS[method](result.covariance)
        for alpha, events in left.items():
            events.append(error > result.uncertainty.radius.epsilon(alpha))
    for alpha, events in left.items():
        trial.rate_within(f"‖error‖ above its {alpha:g} radius", events, alpha)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("p", [6, 10])
def test_few_whitened_rows(trial, law, p):
    """Each row in units of the covariance without it, or the radius would be far too small.

    Heavy tails make it a little too large instead: their leverages are.
    """
    precision = make_chain_precision(p)
    left, naive = [], []
    for rng in trial.draws(30, 2_000):
        X = sample(law, precision, 1000, rng=rng)
        evidence = open_sample(X, Needs(reads_again=True), "the proof")
        estimate = evidence.moments().covariance()
        whitening = np.linalg.inv(np.linalg.cholesky(estimate))
        own = truly_whitened(estimate, precision)
        for events, whitened, errors in (
            (left, True, own),
            # In units of the estimate, and with each row part of what whitens it.
            (naive, False, own / (1 + own)),
        ):
            method = Whitened(radius="chi2", solver="full")
            radius, _ = method.radius_of(evidence, whitening, whitened=whitened)
            level = radius.log_level(np.array([np.linalg.norm(errors)]))[0]
            events.append(level < math.log(ALPHA))
    trial.rate_at_most("‖error‖ above its radius", left, ALPHA)
    if trial.full:
        # The proofs must be able to see a bad radius.
        trial.rate_exceeds("the same without leverage, in units of Σ̂", naive, ALPHA)

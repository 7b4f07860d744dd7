"""Batch means on rows that depend on the rows before them, where other tests err."""

from __future__ import annotations

import numpy as np
import pytest

from edgewise import edge_test
from edgewise.simulate import DISTRIBUTIONS, AutoRegressive, make_chain_precision, sample

ALPHA = 0.05
N = 20_000
PRECISION = make_chain_precision(6)
NULL = PRECISION == 0


@pytest.mark.parametrize("distribution", ["gaussian", "t5"])
def test_batch_means_on_dependent_rows(trial, distribution):
    law = AutoRegressive(DISTRIBUTIONS[distribution], memory=0.7)
    shares = {"batch": [], "wald": []}
    for rng in trial.draws(150, 4_000):
        X = sample(law, PRECISION, N, rng=rng)
        for method, found in shares.items():
            result = edge_test(X, method=method, alpha=ALPHA, correction=None)
            found.append(result.reject[NULL].mean())
    trial.mean_within("false edges, batch", shares["batch"], ALPHA, slack=0.015)
    # The proofs must be able to see a bad test: this one takes the rows for independent.
    trial.mean_at_least("false edges, wald", shares["wald"], 0.2)


@pytest.mark.parametrize("distribution", ["gaussian", "t5"])
def test_largest_statistic_on_dependent_rows(trial, distribution):
    law = AutoRegressive(DISTRIBUTIONS[distribution], memory=0.7)
    errors = []
    for rng in trial.draws(25, 1_000):
        X = sample(law, PRECISION, N, rng=rng)
        result = edge_test(X, method="batch", alpha=ALPHA, correction="maxt", n_batches=200)
        errors.append(result.reject[NULL].any())
        assert np.isfinite(result.threshold[NULL]).all()
    trial.rate_at_most("family-wise error, batch + max-|T|", errors, ALPHA)

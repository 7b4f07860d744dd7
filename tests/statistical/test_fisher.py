"""The Gaussian baseline: right on Gaussian data, and wrong where it is known to be wrong."""

from __future__ import annotations

from edgewise import edge_test
from edgewise.simulate import make_chain_precision, sample

ALPHA = 0.05
PRECISION = make_chain_precision(10)


def has_false_edge(distribution, n, rng):
    X = sample(distribution, PRECISION, n, rng=rng)
    found = edge_test(X, method="fisher", alpha=ALPHA, correction="bonferroni").reject
    return found[PRECISION == 0].any()


def test_fisher_on_gaussian_data(trial):
    errors = [has_false_edge("gaussian", 200, rng) for rng in trial.draws(300, 10_000)]
    trial.rate_at_most("family-wise error, Fisher + Bonferroni", errors, ALPHA)


def test_fisher_on_heavy_tails(trial):
    """The proofs must be able to see a bad test: this one errs in most families."""
    errors = [has_false_edge("t5", 2000, rng) for rng in trial.draws(300, 4_000)]
    trial.rate_exceeds("family-wise error, Fisher + Bonferroni", errors, 0.4)

"""The score test's promises: family-wise error, false discoveries, power."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from edgewise import edge_test
from edgewise.simulate import make_chain_precision, sample

INDEPENDENT = ("gaussian", "laplace", "t5", "exponential", "lognormal")

ALPHA = 0.05
P = 10
DRAWS = (300, 10_000)

# The product of two independent log-normal residuals has skewness 6.18² = 38, and T is normal
# only once 38/√n is small; `test_skewness_is_to_blame` shows that nothing else is wrong.
WHY = "products of log-normal residuals have skewness 38"
TOO_SKEWED = {("lognormal", 500, 0.3), ("lognormal", 2000, 0.3), ("lognormal", 2000, -0.3)}


def is_null(precision: np.ndarray) -> np.ndarray:
    return precision == 0


def is_edge(precision: np.ndarray) -> np.ndarray:
    return ~is_null(precision) & ~np.eye(len(precision), dtype=bool)


@pytest.mark.parametrize("distribution", INDEPENDENT)
@pytest.mark.parametrize(
    ("n", "weight"), [(200, 0.3), (500, 0.3), (500, -0.3), (2000, 0.3), (2000, -0.3)]
)
def test_family_wise_error_of_holm(trial, distribution, n, weight):
    if (distribution, n, weight) in TOO_SKEWED:
        trial.expect_failure(WHY)
    precision = make_chain_precision(P, weight)
    errors = []
    for rng in trial.draws(*DRAWS):
        X = sample(distribution, precision, n, rng=rng)
        found = edge_test(X, method="score", alpha=ALPHA, correction="holm").reject
        errors.append(found[is_null(precision)].any())
    trial.rate_at_most("family-wise error, score + Holm", errors, ALPHA)


def test_skewness_is_to_blame(trial):
    """On log-normal data the true residuals, which no one has, do no better than estimated ones.

    So the excess is that of the normal limit of a skewed mean, not of the estimated Θ̂. It falls
    on one side, and the same residuals with random signs, which are symmetric and have tails as
    heavy, show none of it.
    """
    precision = make_chain_precision(P)
    null = np.triu(is_null(precision))
    # Bonferroni over the null pairs alone: what Holm comes to once all edges are found.
    critical = -NormalDist().inv_cdf(ALPHA / null.sum() / 2)
    estimated, true, symmetric, negative = [], [], [], []
    for rng in trial.draws(*DRAWS):
        X = sample("lognormal", precision, 2000, rng=rng)
        statistic = edge_test(X, method="score").statistic[null]
        residuals = X @ precision
        signs = rng.choice([-1.0, 1.0], residuals.shape)
        estimated.append((np.abs(statistic) > critical).any())
        true.append((np.abs(self_normalised(residuals)[null]) > critical).any())
        symmetric.append((np.abs(self_normalised(signs * residuals)[null]) > critical).any())
        negative += list(statistic[np.abs(statistic) > critical] < 0)
    excess = np.subtract(estimated, true, dtype=float)
    trial.mean_at_most("family-wise error, estimated minus true residuals", excess, 0)
    trial.rate_at_most("family-wise error, residuals with random signs", symmetric, ALPHA)
    trial.rate_exceeds("share of false edges that are negative", negative, 0.5)


def self_normalised(residuals: np.ndarray) -> np.ndarray:
    squares = residuals**2
    return (residuals.T @ residuals) / np.sqrt(squares.T @ squares)


def test_power_of_holm(trial):
    precision = make_chain_precision(P)
    shares = []
    for rng in trial.draws(*DRAWS):
        X = sample("laplace", precision, 500, rng=rng)
        found = edge_test(X, method="score", alpha=ALPHA, correction="holm").reject
        shares.append(found[is_edge(precision)].mean())
    trial.mean_at_least("share of edges found, score + Holm", shares, 0.97)


@pytest.mark.parametrize("distribution", INDEPENDENT)
def test_false_discoveries_of_bh(trial, distribution):
    if distribution == "lognormal":
        trial.expect_failure(WHY)
    precision = make_chain_precision(P)
    shares = []
    for rng in trial.draws(*DRAWS):
        X = sample(distribution, precision, 500, rng=rng)
        found = edge_test(X, method="score", alpha=ALPHA, correction="bh").reject
        shares.append(found[is_null(precision)].sum() / max(found.sum(), 1))
    trial.mean_at_most("false discovery rate, score + BH", shares, ALPHA)

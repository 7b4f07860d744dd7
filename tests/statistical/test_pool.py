"""Pooled results of imputed copies: the level is kept where the imputer fits the rows.

A Gaussian imputer on heavy tails does not fit: it draws its parameters with too small a variance,
and the pooled errors are too small. A result then has a caution, which is claimed here too.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.statistical.imputing import imputed_copies, normal_scores_of_seen, with_holes
from tests.statistical.laws import CONTINUOUS, FULL

from edgewise import edge_test, pool
from edgewise.simulate import make_chain_precision, sample

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.EdgewiseWarning")

ALPHA, N, P, SHARE = 0.05, 300, 6, 0.2
COPIES = 20 if FULL else 10
PAIRS = np.triu_indices(P, k=1)
CHAIN = make_chain_precision(P)
NULL = CHAIN[PAIRS] == 0
#: How copies are made: what is imputed, and the tails that the imputer believes in.
IMPUTERS = {
    "gaussian": lambda X, rng: imputed_copies(X, COPIES, rng),
    "t": lambda X, rng: imputed_copies(X, COPIES, rng, tails=5.0),
    "scores": lambda X, rng: imputed_copies(normal_scores_of_seen(X), COPIES, rng),
}
WAYS = [
    *(("gaussian", "gaussian", method) for method in ("score", "wald", "batch", "fisher")),
    ("exponential", "gaussian", "score"),
    *(("t5", "t", method) for method in ("score", "wald")),
    *((law, "scores", "kendall") for law in ("gaussian", "t5")),
]
EVERY_CELL = [(*way, missing) for way in WAYS for missing in ("mcar", "mar")]
FEW_CELLS = [
    ("gaussian", "gaussian", "score", "mcar"),
    ("gaussian", "gaussian", "score", "mar"),
    ("t5", "t", "score", "mar"),
    ("t5", "scores", "kendall", "mcar"),
]


def drawn(law, missing, rng):
    """Complete rows, and the same with holes."""
    X = sample(CONTINUOUS[law], CHAIN, N, rng=rng)
    return X, with_holes(X, missing, SHARE, rng)


@pytest.mark.parametrize(("law", "imputer", "method", "missing"), EVERY_CELL if FULL else FEW_CELLS)
def test_pool(trial, partial_correlations, law, imputer, method, missing):
    truth = partial_correlations(CHAIN)[PAIRS]
    errors, shares, covered, power = [], [], [], []
    for rng in trial.draws(25, 1_000):
        _, holes = drawn(law, missing, rng)
        result = pool([edge_test(X, method=method) for X in IMPUTERS[imputer](holes, rng)])
        found = result.reject[PAIRS]
        errors.append(found[NULL].any())
        shares.append((result.pvalue[PAIRS][NULL] <= ALPHA).mean())
        low, high = (end[PAIRS] for end in result.confidence_interval(scale="partial_correlation"))
        covered.append(((low <= truth) & (truth <= high)).mean())
        power.append(found[~NULL].mean())
    with trial.together():
        trial.rate_at_most(f"family-wise error, {method} + Holm", errors, ALPHA)
        trial.mean_at_most("null pairs below 0.05", shares, 1.15 * ALPHA)
        trial.mean_at_least("coverage at 95 %", covered, 0.94)
        trial.mean_at_least("power", power, 0.1 if method == "batch" else 0.4)


def test_power_beside_rows_left_out(trial):
    """A quarter of the rows are complete; imputing keeps what the others say."""
    pooled, dropped = [], []
    for rng in trial.draws(15, 400):
        _, holes = drawn("gaussian", "mcar", rng)
        copies = IMPUTERS["gaussian"](holes, rng)
        pooled.append(
            pool([edge_test(X, method="score") for X in copies]).reject[PAIRS][~NULL].mean()
        )
        dropped.append(edge_test(holes, method="score", missing="drop").reject[PAIRS][~NULL].mean())
    trial.ratio_at_least("power, pooled beside dropped", pooled, dropped, 2.0)


def test_a_single_copy_finds_false_edges(trial):
    """Why copies are pooled: one of them takes imputed values for measured ones."""
    single, pooled = [], []
    for rng in trial.draws(25, 400):
        _, holes = drawn("gaussian", "mcar", rng)
        results = [edge_test(X, method="score") for X in IMPUTERS["gaussian"](holes, rng)]
        single.append((results[0].pvalue[PAIRS][NULL] <= ALPHA).mean())
        pooled.append((pool(results).pvalue[PAIRS][NULL] <= ALPHA).mean())
    with trial.together():
        trial.mean_at_least("null pairs below 0.05, one copy", single, 2 * ALPHA)
        trial.mean_at_most("null pairs below 0.05, pooled", pooled, 1.15 * ALPHA)


@pytest.mark.parametrize("law", ["gaussian", "t5", "contaminated"])
def test_a_gaussian_imputer_on_heavy_tails_is_told(trial, law):
    told, errors = [], []
    for rng in trial.draws(20, 400):
        _, holes = drawn(law, "mcar", rng)
        result = pool([edge_test(X, method="score") for X in IMPUTERS["gaussian"](holes, rng)])
        told.append(any("times those of independent Gaussian" in one for one in result.cautions))
        errors.append(result.reject[PAIRS][NULL].any())
    with trial.together():
        if law == "gaussian":
            trial.rate_at_most("caution about the variances", told, 0.02)
            trial.rate_at_most("family-wise error", errors, ALPHA)
        else:
            trial.rate_at_least("caution about the variances", told, 0.85)
        if law == "contaminated":
            trial.rate_exceeds("family-wise error", errors, ALPHA)


def test_the_imputer_draws_what_is_missing(trial):
    """The mean that complete rows have is as far from that of the copies as the copies say."""
    covered = []
    for rng in trial.draws(20, 400):
        X, holes = drawn("gaussian", "mar", rng)
        means = np.array([copy[:, 1].mean() for copy in IMPUTERS["gaussian"](holes, rng)])
        lost = math.sqrt((1 + 1 / COPIES) * means.var(ddof=1))
        covered.append(abs(means.mean() - X[:, 1].mean()) <= 2.1 * lost)
    trial.rate_at_least("the mean of complete rows, within 2.1 errors", covered, 0.92)

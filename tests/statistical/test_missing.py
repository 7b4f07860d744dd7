"""Values missing completely at random, and weighted rows: levels, coverage, power."""

import numpy as np
import pytest
from tests.statistical.laws import FULL

from edgewise import edge_test
from edgewise.simulate import make_chain_precision

METHODS = ("score", "wald", "batch")
CELLS = [
    (law, n, p, share)
    for law in ("gaussian", "t5", "exponential")
    for n, p in ((500, 10), (5000, 10), (500, 30), (5000, 30))
    for share in (0.02, 0.1, 0.3)
]
if not FULL:
    CELLS = [("t5", 300, 8, 0.1), ("exponential", 300, 8, 0.3)]


def rows_of(law, precision, n, rng):
    root, shape = np.linalg.cholesky(np.linalg.inv(precision)), (n, len(precision))
    if law == "exponential":
        return (rng.exponential(1.0, shape) - 1) @ root.T
    X = rng.standard_normal(shape) @ root.T
    return X * np.sqrt(5 / rng.chisquare(5, (n, 1))) if law == "t5" else X


def with_holes(X, share, rng):
    return np.where(rng.random(X.shape) < share, np.nan, X)


@pytest.mark.filterwarnings("ignore::edgewise.errors.EdgewiseWarning")
@pytest.mark.parametrize(("law", "n", "p", "share"), CELLS)
def test_levels_with_missing_values(trial, law, n, p, share, partial_correlations):
    precision = make_chain_precision(p)
    truth, upper = partial_correlations(precision), np.triu_indices(p, 1)
    null = precision == 0
    errors, covered = ({method: [] for method in METHODS} for _ in range(2))
    for rng in trial.draws(60, 1000 if p == 10 else 400):
        X = with_holes(rows_of(law, precision, n, rng), share, rng)
        for method in METHODS:
            result = edge_test(X, method=method, missing="pairwise")
            low, high = result.confidence_interval(0.95, scale="partial_correlation")
            errors[method].append(result.reject[null].any())
            covered[method].append(((low <= truth) & (truth <= high))[upper].mean())
    with trial.together():
        for method in METHODS:
            trial.rate_at_most(f"family-wise error, {method} + Holm", errors[method], 0.05)
            trial.mean_at_least(f"coverage of a pair, {method}", covered[method], 0.95)


@pytest.mark.filterwarnings("ignore::edgewise.errors.EdgewiseWarning")
@pytest.mark.parametrize("law", ["gaussian", "t5", "exponential"] if FULL else ["t5"])
@pytest.mark.parametrize("share", [0.0, 0.1] if FULL else [0.1])
def test_levels_with_weights_that_mean_nothing(trial, law, share):
    precision = make_chain_precision(8)
    null = precision == 0
    errors = {method: [] for method in METHODS}
    for rng in trial.draws(60, 1000):
        X = with_holes(rows_of(law, precision, 500, rng), share, rng)
        own = {"missing": "pairwise"} if share else {}
        for method in METHODS:
            result = edge_test(X, method=method, weights=rng.exponential(1.0, 500), **own)
            errors[method].append(result.reject[null].any())
    with trial.together():
        for method in METHODS:
            trial.rate_at_most(f"family-wise error, {method} + Holm", errors[method], 0.05)


@pytest.mark.filterwarnings("ignore::edgewise.errors.EdgewiseWarning")
def test_independent_rare_counts_with_missing_values_make_no_edges(trial):
    """Where two rare events never meet, the variance that rows show collapses."""
    errors = {method: [] for method in METHODS}
    for rng in trial.draws(30, 500):
        X = with_holes(rng.poisson(0.05, (500, 8)).astype(float), 0.1, rng)
        for method in METHODS:
            errors[method].append(edge_test(X, method=method, missing="pairwise").reject.any())
    with trial.together():
        for method in METHODS:
            trial.rate_at_most(f"family-wise error, {method} + Holm", errors[method], 0.05)


def test_power_beside_dropping_rows(trial):
    """With 30 columns and 10 % missing, 42 of 1000 rows are complete."""
    precision = make_chain_precision(30)
    edges = (precision != 0) & ~np.eye(30, dtype=bool)
    found = {"pairwise": [], "drop": []}
    for rng in trial.draws(4, 200):
        X = with_holes(rows_of("gaussian", precision, 1000, rng), 0.1, rng)
        for missing, shares in found.items():
            shares.append(edge_test(X, missing=missing).reject[edges].mean())
    assert np.mean(found["pairwise"]) >= 3 * np.mean(found["drop"])
    trial.mean_at_least("edges found", found["pairwise"], 0.9)


@pytest.mark.filterwarnings("ignore::edgewise.errors.EdgewiseWarning")
def test_weights_that_undo_a_selection(trial):
    """Rows where the ends of a chain are high are sampled more often: it looks like a ring."""
    precision = make_chain_precision(6)
    null = precision == 0
    weighted, plain = [], []
    for rng in trial.draws(30, 500):
        X = rows_of("gaussian", precision, 4000, rng)
        chance = 0.1 + 0.9 / (1 + np.exp(-3 * (X[:, 0] + X[:, -1]) + 2))
        kept = rng.random(4000) < chance
        weighted.append(edge_test(X[kept], weights=1 / chance[kept]).reject[null].any())
        plain.append(edge_test(X[kept]).reject[null].any())
    with trial.together():
        trial.rate_at_most("family-wise error, weighted", weighted, 0.05)
        trial.rate_exceeds("family-wise error without weights", plain, 0.5)


@pytest.mark.filterwarnings("ignore::edgewise.errors.EdgewiseWarning")
@pytest.mark.parametrize("kind", ["columns", "weights"])
def test_batches_of_which_few_say_anything(trial, kind):
    """A sensor that ran for a tenth of the time, or rows of which a tenth have all the weight."""
    from scipy.signal import lfilter

    errors = []
    for rng in trial.draws(40, 500):
        X = lfilter([1], [1, -0.7], rng.standard_normal((6400, 6)), axis=0)
        how = {"missing": "pairwise"}
        if kind == "columns":
            X[640:, :3] = np.nan
        else:
            how = {"weights": np.where(np.arange(6400) < 640, 1.0, 0.001)}
        result = edge_test(X, method="batch", correction="bonferroni", **how)
        errors.append(result.reject.any())
    trial.rate_at_most("family-wise error, batch + Bonferroni", errors, 0.05)

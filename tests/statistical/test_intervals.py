"""Confidence intervals of single pairs cover as often as they say, or more often."""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistical.laws import CONTINUOUS, FULL, rows_of

from edgewise import edge_test
from edgewise.simulate import make_chain_precision, sample

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.EdgewiseWarning")

LEVEL = 0.95
SCALES = ("partial_correlation", "precision")

# Rows, columns: from ten rows a column on.
SIZES = [(100, 10), (500, 10), (200, 20), (2_000, 6)]
EVERY_CELL = [("score", law, n, p) for law in CONTINUOUS for n, p in SIZES]
# The other methods where they promise as much: fourth moments, and many rows.
EVERY_CELL += [
    (method, law, 2_000, 6)
    for method in ("wald", "batch")
    for law in ("gaussian", "laplace", "exponential")
]
# Measured, not wanted. An entry of Θ has the scale of its columns, and with heavy tails the
# variance of a column is mostly underestimated, by more than any standard error from the rows
# says; partial correlations have no scale, and are covered as they should be.
LEAST = {
    ("t3", "edges", "precision"): 0.91,
    ("contaminated", "edges", "precision"): 0.87,
    ("lognormal", "edges", "precision"): 0.935,
    ("pareto3", "edges", "precision"): 0.87,
}
FEW_CELLS = [
    ("score", "gaussian", 100, 10),
    ("score", "t5", 100, 10),
    ("score", "exponential", 100, 10),
    ("score", "lognormal", 100, 10),
    ("wald", "exponential", 2_000, 6),
    ("batch", "gaussian", 2_000, 6),
]


@pytest.mark.parametrize(("method", "law", "n", "p"), EVERY_CELL if FULL else FEW_CELLS)
def test_intervals_of_pairs(trial, partial_correlations, method, law, n, p):
    precision = make_chain_precision(p)
    truths = {"precision": precision, "partial_correlation": partial_correlations(precision)}
    pairs = np.triu_indices(p, k=1)
    null = precision[pairs] == 0
    nulls, edges = {scale: [] for scale in SCALES}, {scale: [] for scale in SCALES}
    for rng in trial.draws(100, 600):
        result = edge_test(rows_of(law, precision, n, rng), method=method)
        for scale, truth in truths.items():
            low, high = result.confidence_interval(LEVEL, scale=scale)
            covered = ((low <= truth) & (truth <= high))[pairs]
            nulls[scale].append(covered[null].mean())
            edges[scale].append(covered[~null].mean())
    with trial.together():
        # Pairs of one draw are not independent: the error is that between draws.
        for kind, shares in (("nulls", nulls), ("edges", edges)):
            for scale in SCALES:
                least = LEAST.get((law, kind, scale), LEVEL)
                trial.mean_at_least(f"{kind} covered, {scale}", shares[scale], least)


# Medians at commit a974b29, before the Gaussian floor: the same chain, 200 data sets.
WIDTHS = {"partial_correlation": 0.0864, "precision": 0.1069}


def test_intervals_are_as_narrow_as_before(trial):
    precision = make_chain_precision(6)
    widths = {scale: [] for scale in SCALES}
    for rng in trial.draws(30, 200):
        result = edge_test(sample("gaussian", precision, 2_000, rng=rng), method="score")
        for scale, values in widths.items():
            low, high = result.confidence_interval(LEVEL, scale=scale)
            values += (high - low)[np.triu_indices(6, k=1)].tolist()
    for scale, values in widths.items():
        trial.median_within(f"width, {scale}", values, WIDTHS[scale], 0.05)

"""Many pairs: the largest statistic, and shares of false edges, on graphs of 25 and 50 columns."""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistical.laws import FULL, PValues, rejects, rows_of

from edgewise.inference import corrections
from edgewise.inference.sample import open_sample
from edgewise.methods.registry import method_of
from edgewise.simulate import make_chain_precision, make_erdos_renyi_precision

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.EdgewiseWarning")

ALPHA = 0.05
# Batches of rows with a memory of 0.7 show about 1 % too little variance, which counts in the tail.
SLACK = 0.015
# Rows for each number of columns; more where rows have a memory of 0.7, which is some batches long.
ROWS, DEPENDENT_ROWS = {25: 2_500, 50: 5_000}, 20_000
SMOKE, DRAWS = {25: 12, 50: 6}, {25: 1_000, 50: 400}
GRAPHS = {
    "none": np.eye,
    "chain": make_chain_precision,
    # Every other pair is an edge: null pairs share a dozen neighbours and more.
    "dense": lambda p: make_erdos_renyi_precision(p, probability=0.5, rng=0),
}
INDEPENDENT = ("gaussian", "t5", "contaminated", "lognormal")
DEPENDENT = ("ar1-gaussian", "ar1-t5")
EVERY_CELL = [
    (law, p, graph) for law in INDEPENDENT + DEPENDENT for p in (25, 50) for graph in GRAPHS
]
FEW_CELLS = [("t5", 25, "dense"), ("ar1-gaussian", 25, "none"), ("gaussian", 50, "dense")]
every_cell = pytest.mark.parametrize(("law", "p", "graph"), EVERY_CELL if FULL else FEW_CELLS)


def cell_of(law, p, graph):
    """The precision, which pairs are null, and the number of rows."""
    precision = GRAPHS[graph](p)
    null = precision[np.triu_indices(p, k=1)] == 0
    return precision, null, DEPENDENT_ROWS if law in DEPENDENT else ROWS[p]


@every_cell
def test_largest_statistic_of_many_pairs(trial, monkeypatch, law, p, graph):
    """With 999 draws of the bootstrap in place of 9999: the level counts them, and is the same."""
    monkeypatch.setattr(corrections, "DRAWS", 999)
    precision, null, n = cell_of(law, p, graph)
    pairs = np.triu_indices(p, k=1)
    batch = method_of("batch")
    errors = []
    for rng in trial.draws(SMOKE[p], DRAWS[p]):
        X = rows_of(law, precision, n, rng)
        measured = batch.measure(open_sample(X, batch.needs, "the proof"))
        adjusted, _, _ = measured.maxima.step_down(
            measured.statistic[pairs], measured.uncertainty.reference, np.log(ALPHA)
        )
        errors.append((adjusted <= np.log(ALPHA))[null].any())
    level = ALPHA + SLACK * (law in DEPENDENT)
    trial.rate_at_most("family-wise error, batch + max-|T|", errors, level)


@every_cell
def test_share_of_false_edges(trial, law, p, graph):
    """Neither is proven for the statistics of edges: BH needs more of them, BY costs power."""
    precision, null, n = cell_of(law, p, graph)
    log_pvalues = PValues("batch" if law in DEPENDENT else "score")
    shares = {"bh": [], "by": []}
    for rng in trial.draws(SMOKE[p], DRAWS[p]):
        log_p = log_pvalues(rows_of(law, precision, n, rng))
        for correction, found in shares.items():
            edges = rejects(log_p, correction, ALPHA)
            found.append((edges & null).sum() / max(edges.sum(), 1))
    with trial.together():
        for correction, found in shares.items():
            level = ALPHA + SLACK * (law in DEPENDENT)
            trial.mean_at_most(f"share of false edges, {correction}", found, level)

"""Intervals of strengths cover the sum of the true |ρ_ij| over the edges that were found.

The edges are found in the same rows, so the sums are too large where edges are just significant.
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistical.laws import FULL

from edgewise import edge_test
from edgewise.results.centrality import centralities
from edgewise.simulate import make_chain_precision, sample

pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.EdgewiseWarning")

LEVEL = 0.95
P = 10


def _cliques():
    """Two cliques of five, whose edges are weak and err against each other."""
    return np.kron(np.eye(2), np.full((5, 5), -0.2)) + 1.2 * np.eye(P)


def _hub():
    """Six edges at the first column."""
    precision = np.eye(P)
    precision[0, 1:7] = precision[1:7, 0] = -0.3
    return precision


GRAPHS = {"chain": make_chain_precision(P, 0.4), "cliques": _cliques(), "hub": _hub()}


def _innovations(precision, draw):
    """Each column is a sum of later ones and of something new, which `draw` makes."""
    return np.linalg.solve(np.linalg.cholesky(precision).T, draw.T).T


def rows_of(law, precision, n, rng):
    if law == "exponential":
        return _innovations(precision, rng.exponential(size=(n, P)))
    if law == "heavy hub":
        # Only the first column's own part, which none of the others has, is log-normal.
        new = rng.standard_normal((n, P))
        new[:, 0] = (rng.lognormal(size=n) - np.exp(0.5)) / np.sqrt((np.e - 1) * np.e)
        return _innovations(precision[::-1, ::-1], new[:, ::-1])[:, ::-1]
    return sample(law, precision, n, rng=rng)


def counts(n, rng):
    """Neighbours share Poisson events; and their precision."""
    shared = rng.poisson(0.7, (n, P - 1))
    X = rng.poisson(0.5, (n, P)).astype(float)
    X[:, 1:] += shared
    X[:, :-1] += shared
    mix = np.eye(P, P - 1) + np.eye(P, P - 1, k=-1)
    return X, np.linalg.inv(0.5 * np.eye(P) + 0.7 * mix @ mix.T)


def shares(trial, draws, partial_correlations, law, graph, n, **options):
    """Of the nodes with edges: those covered, and how much too large the strengths are."""
    for rng in trial.draws(*draws):
        if law == "counts":
            X, precision = counts(n, rng)
        else:
            precision = GRAPHS[graph]
            X = rows_of(law, precision, n, rng)
        result = edge_test(X, **options)
        found = centralities(result, np.zeros(P, int))
        true = np.abs(partial_correlations(precision))
        target = np.where(result.reject, true, 0.0).sum(axis=1)
        some = found.degree > 0
        if some.any():
            covered = (found.strength_low <= target) & (target <= found.strength_high)
            yield covered[some].mean(), found.strength.sum() / max(target.sum(), 1e-9) - 1


EVERY_CELL = [
    (law, graph, n)
    for law in ("gaussian", "t5", "exponential")
    for graph in GRAPHS
    for n in (300, 2_000)
]
EVERY_CELL += [("counts", "chain", 300), ("counts", "chain", 2_000)]
FEW_CELLS = [("t5", "cliques", 300), ("exponential", "hub", 300), ("counts", "chain", 300)]


@pytest.mark.parametrize(("law", "graph", "n"), EVERY_CELL if FULL else FEW_CELLS)
def test_strengths_are_covered(trial, partial_correlations, law, graph, n):
    cell = shares(trial, (60, 600), partial_correlations, law, graph, n)
    trial.mean_at_least("strengths covered", [covered for covered, _ in cell], LEVEL)


OTHERS = [
    ("wald", "holm"),
    ("batch", "holm"),
    ("kendall", "holm"),
    ("nodewise", "holm"),
    ("score", "bh"),
    ("score", None),
]


@pytest.mark.parametrize(("method", "correction"), OTHERS if FULL else OTHERS[-1:])
def test_strengths_are_covered_for_all_methods(trial, partial_correlations, method, correction):
    options = {"method": method, "correction": correction}
    cell = shares(trial, (60, 600), partial_correlations, "gaussian", "cliques", 300, **options)
    trial.mean_at_least("strengths covered", [covered for covered, _ in cell], LEVEL)


def test_selection_makes_strengths_too_large(trial, partial_correlations):
    """Why the lower ends allow for it."""
    cell = shares(trial, (40, 400), partial_correlations, "t5", "cliques", 300)
    trial.mean_at_least("too large by this share", [excess for _, excess in cell], 0.3)


# Measured, not wanted: the own part of one column has a kurtosis of 111, the others are Gaussian.
def test_a_hub_with_heavy_tails(trial, partial_correlations):
    cell = shares(trial, (60, 600), partial_correlations, "heavy hub", "hub", 2_000)
    trial.mean_at_least("strengths covered", [covered for covered, _ in cell], 0.93)

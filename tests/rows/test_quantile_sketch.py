"""Sketches of columns: their ranks, merged in any tree.

The sketch is randomised and has no seed, so tolerances are several times what is measured: a rank
is wrong by 0.05 % of the rows at most, in 5 million rows of several laws.
"""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import stats

from edgewise.rows import quantile_sketch
from edgewise.rows.merging import in_tree
from edgewise.rows.quantile_sketch import Sketcher, map_of_sketches

RANK_ERROR = 0.002
N = 200_000
LAWS = {
    "gaussian": lambda rng: rng.standard_normal(N),
    "cauchy": lambda rng: rng.standard_cauchy(N),
    "log-normal": lambda rng: np.exp(3 * rng.standard_normal(N)),
    "counts": lambda rng: rng.poisson(2.0, N).astype(float),
    "zeros and others": lambda rng: np.maximum(rng.standard_normal(N), 0.0),
    "constant": lambda rng: np.ones(N),
    "sorted": lambda rng: np.arange(float(N)),
    "huge": lambda rng: rng.uniform(-1, 1, N) * 1.7e308,
}


def sketched(column):
    sketcher = Sketcher(1)
    for piece in np.array_split(column, 7):
        sketcher.add(piece[np.newaxis])
    return sketcher.columns()[0]


@pytest.fixture(autouse=True)
def package(require):
    require("datasketches")


@pytest.mark.parametrize("law", LAWS)
def test_ranks(law):
    x = LAWS[law](np.random.default_rng(3))
    ranks, expected = sketched(x).ranks().of(x), stats.rankdata(x)
    np.testing.assert_allclose(ranks, expected, atol=RANK_ERROR * N)
    assert ((ranks >= 0.5) & (ranks <= N + 0.5)).all()
    # Equal values have one rank, and larger values no smaller one.
    order = np.argsort(x, kind="stable")
    steps = np.diff(ranks[order])
    assert (steps >= 0).all()
    assert (steps[np.diff(x[order]) == 0] == 0).all()


@pytest.mark.parametrize("law", ["gaussian", "cauchy", "counts"])
def test_a_tree_of_parts(law):
    x = LAWS[law](np.random.default_rng(4))
    parts = [sketched(part) for part in np.array_split(x, 13)]
    sent = [pickle.loads(pickle.dumps(part)) for part in parts]
    whole = in_tree(sent, lambda a, b: a + b)
    assert whole.n_samples == N
    ranks, expected = whole.ranks().of(x), stats.rankdata(x)
    np.testing.assert_allclose(ranks, expected, atol=RANK_ERROR * N)


def test_the_tails_are_exact():
    x = np.random.default_rng(5).standard_cauchy(N)
    parts = [sketched(part) for part in np.array_split(x, 5)]
    whole = in_tree(parts, lambda a, b: a + b)
    expected = stats.rankdata(x)
    outer = (expected < quantile_sketch.TAIL) | (expected > N + 1 - quantile_sketch.TAIL)
    np.testing.assert_array_equal(whole.ranks().of(x)[outer], expected[outer])


@pytest.mark.parametrize("n", [1, 2, 5, 4096, 4097, 6000, 8192, 8193])
def test_few_rows(n):
    """Both tails may hold the same rows."""
    rng = np.random.default_rng(6)
    for x in (rng.standard_normal(n), rng.poisson(1.0, n).astype(float)):
        ranks = sketched(x).ranks().of(x)
        np.testing.assert_allclose(ranks, stats.rankdata(x), atol=1 if n < 9000 else 0)


def test_scores_of_columns():
    rng = np.random.default_rng(7)
    X = np.column_stack([rng.standard_t(3, N), rng.poisson(3.0, N)])
    sketcher = Sketcher(2)
    sketcher.add(X.T)
    found = map_of_sketches(sketcher.columns()).scores(X)
    expected = stats.norm.ppf(stats.rankdata(X, axis=0) / (N + 1))
    assert np.sqrt(np.mean((found - expected) ** 2, axis=0)).max() < 0.02

"""The columns that each pair is adjusted for, and the regressions on them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from edgewise.sums.pairs import PairSets, Portion, regressed


@st.composite
def neighbourhoods(draw):
    p = draw(st.integers(2, 9))
    own = [st.sets(st.sampled_from([j for j in range(p) if j != i])) for i in range(p)]
    return [sorted(draw(one)) for one in own]


def slow(neighbours, i, j):
    return sorted({*neighbours[i], *neighbours[j]} - {i, j})


@given(neighbourhoods(), st.integers(1, 5000))
def test_every_pair_once_with_its_set(neighbours, n_rows):
    sets = PairSets.of(neighbours)
    p, found = len(neighbours), {}
    rows, columns = np.triu_indices(p, k=1)
    for portion in sets.portions(n_rows):
        pairs = sets.pairs(portion)
        assert pairs.given.shape == (len(portion.places), portion.size)
        for place, i, j, own in zip(portion.places, *pairs, strict=True):
            assert (rows[place], columns[place]) == (i, j)
            found[i, j] = own.tolist()
    assert found == {(i, j): slow(neighbours, i, j) for i in range(p) for j in range(i + 1, p)}
    sizes = [len(slow(neighbours, i, j)) for i in range(p) for j in range(i + 1, p)]
    assert sets.sizes().tolist() == sizes


def test_regressions_are_least_squares():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 7)) @ rng.standard_normal((7, 7))
    z = (X - X.mean(axis=0)) / X.std(axis=0)
    sets = PairSets.of([[2, 3], [4], [], [0], [1, 5], [], [0, 1, 2]])
    for portion in sets.portions():
        pairs = sets.pairs(portion)
        fit = regressed(z.T @ z / 60, pairs)
        for k, (i, j, own) in enumerate(zip(*pairs, strict=True)):
            weights = np.linalg.lstsq(z[:, own], z[:, [i, j]])[0]
            left = z[:, [i, j]] - z[:, own] @ weights
            np.testing.assert_allclose(fit.coefficients[k], weights.T, atol=1e-12)
            np.testing.assert_allclose(fit.variance[k], (left**2).mean(axis=0), rtol=1e-10)
            expected = np.corrcoef(left.T)[0, 1]
            np.testing.assert_allclose(fit.correlation[k], expected, rtol=1e-10)


def test_given_columns_that_determine_each_other_share_their_part():
    """A column and its double among the given ones: the residuals are those given one of them."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((50, 3))
    X[:, 0] += X[:, 2]
    doubled = np.column_stack([X, X[:, 2]])
    once, twice = PairSets.of([[2], [], []]), PairSets.of([[2, 3], [], [], []])
    expected = regressed(np.corrcoef(X.T), once.pairs(Portion(np.array([0]), 1)))
    found = regressed(np.corrcoef(doubled.T), twice.pairs(Portion(np.array([0]), 2)))
    np.testing.assert_allclose(found.variance, expected.variance, rtol=1e-9)
    np.testing.assert_allclose(found.correlation, expected.correlation, rtol=1e-9)


def test_a_column_that_the_given_ones_determine_has_no_correlation():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((50, 4))
    X[:, 0] = X[:, 2] - X[:, 3]
    sets = PairSets.of([[2, 3], [], [], []])
    fit = regressed(np.corrcoef(X.T), sets.pairs(Portion(np.array([0]), 2)))
    assert np.isnan(fit.correlation[0])

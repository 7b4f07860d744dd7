"""Sums over all pairs of weighted residuals equal the sums written down directly."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgewise.sums.blocks import Centre
from edgewise.sums.moments import Moments
from edgewise.sums.pairs import (
    PairSets,
    exact_pairs,
    pair_sums,
    regressed,
    selected_score_sums,
)
from edgewise.sums.score import Leverage, believed_tau, strong_pairs
from edgewise.tables.table import InMemoryRows, block_rows

P = 5
RNG = np.random.default_rng(0)
ORIGIN = RNG.standard_normal(P) * 10
CENTRE = Centre(ORIGIN, None)
B = RNG.standard_normal((P, P))


def rows_of(n):
    return ORIGIN + np.random.default_rng(n).standard_t(6, (n, P))


def leverage_for(n):
    """Roots so small that no made-up leverage reaches one."""
    return Leverage(B, np.linspace(0.4, 1.2, P), max(n, 1000))


def transformed(X):
    return (X - ORIGIN) @ B


def weights(X, leverage):
    """1/(1 − h)², row by row."""
    n, found = leverage.n_samples, []
    for row in X:
        c = row - ORIGIN
        h = 1 / n + sum(leverage.root[i] * (c @ B[:, i]) * c[i] for i in range(P)) / (n - 1)
        found.append(1 / (1 - h) ** 2)
    return np.array(found)


def sums_of(X, batches=None):
    leverage = leverage_for(len(X))
    return pair_sums(InMemoryRows([X] if batches is None else batches), CENTRE, leverage)


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-11, atol=1e-12 * np.max(np.abs(expected)))


@pytest.mark.parametrize("n", [1, 7, 300, block_rows(P) + 1, 2 * block_rows(P)])
def test_pair_sums(n):
    X = rows_of(n)
    v, w = transformed(X), weights(X, leverage_for(n))
    sums = sums_of(X)
    close(sums.square_square, np.einsum("r,ri,rj->ij", w, v**2, v**2))
    close(sums.cube_linear, np.einsum("r,ri,rj->ij", w, v**3, v))
    close(sums.eighth, np.einsum("r,ri,rj->ij", w**2, v**4, v**4))
    close(sums.square_square.diagonal(), w @ v**4)
    close(sums.cube_linear.diagonal(), w @ v**4)


def test_the_weights_are_felt():
    """Or the tests above would show nothing."""
    X = rows_of(300)
    w = weights(X, leverage_for(300))
    assert w.max() > 1.05
    assert w.max() > w.min() * 1.02


STRONG = {(0, 2): 0.995, (1, 4): -1 + 1e-9, (3, 4): 1 - 1e-12}


def correlations():
    rho = np.eye(P)
    for (i, j), r in {**STRONG, (0, 1): 0.5}.items():
        rho[i, j] = rho[j, i] = r
    return rho


def test_exact_pairs():
    X = rows_of(block_rows(P) + 10)
    leverage = leverage_for(len(X))
    v, w, rho = transformed(X), weights(X, leverage), correlations()
    rows, columns = strong_pairs(rho, 0.99)
    assert list(zip(rows.tolist(), columns.tolist(), strict=True)) == list(STRONG)
    pieces = InMemoryRows(np.array_split(X, 3))
    influence, eighth = exact_pairs(pieces, CENTRE, leverage, rows, columns, rho[rows, columns])
    for k, (i, j) in enumerate(STRONG):
        a, b, r = v[:, i], v[:, j], rho[i, j]
        squares = w * (a * b + r / 2 * (a**2 + b**2)) ** 2
        assert influence[k] == pytest.approx(squares.sum(), rel=1e-10)
        assert eighth[k] == pytest.approx(np.sum(squares**2), rel=1e-10)


def test_exact_pairs_where_the_influence_cancels():
    """v_j = −v_i: all of v_iv_j + (ρ/2)(v_i² + v_j²) is (1 − ρ)v_iv_j, to the last digit."""
    n, gap = 2000, 1e-13
    c = np.random.default_rng(1).standard_normal(n)
    X = ORIGIN[:2] + np.column_stack([c, -c])
    leverage = Leverage(np.eye(2), np.zeros(2), 10**12)
    c = X[:, 0] - ORIGIN[0]
    other = X[:, 1] - ORIGIN[1]
    centre = Centre(ORIGIN[:2], None)
    r = 1 - gap
    pair = np.array([0]), np.array([1])
    influence, _ = exact_pairs(InMemoryRows([X]), centre, leverage, *pair, np.array([r]))
    exact = r / 2 * (c + other) ** 2 + (1 - r) * c * other
    assert influence[0] == pytest.approx(np.sum(exact**2), rel=1e-9)
    assert 0 < influence[0] < 1e-20


# The columns that each pair is adjusted for, and the regressions on them.


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
    for places, size in sets.portions(n_rows):
        pairs = sets.pairs(places, size)
        assert pairs.given.shape == (len(places), size)
        for place, i, j, own in zip(places, *pairs, strict=True):
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
    for places, size in sets.portions():
        pairs = sets.pairs(places, size)
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
    expected = regressed(np.corrcoef(X.T), once.pairs(np.array([0]), 1))
    found = regressed(np.corrcoef(doubled.T), twice.pairs(np.array([0]), 2))
    np.testing.assert_allclose(found.variance, expected.variance, rtol=1e-9)
    np.testing.assert_allclose(found.correlation, expected.correlation, rtol=1e-9)


def test_a_column_that_the_given_ones_determine_has_no_correlation():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((50, 4))
    X[:, 0] = X[:, 2] - X[:, 3]
    sets = PairSets.of([[2, 3], [], [], []])
    fit = regressed(np.corrcoef(X.T), sets.pairs(np.array([0]), 2))
    assert np.isnan(fit.correlation[0])


# The sums of the nodewise test, against each pair by itself in plain words.


NEIGHBOURS = [[1, 4], [0, 2], [1], [5], [0, 1], [], [2, 3, 5], [6]]


def rows(n=40, p=8, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_t(4, (n, p)) @ (np.eye(p) + 0.3 * rng.standard_normal((p, p))) + 5


def sums(blocks, X):
    moments = Moments().update(X)
    scale = np.sqrt(np.diag(moments.covariance()) * (len(X) - 1) / len(X))
    one_pass = partial(
        selected_score_sums,
        centre=moments.centre(),
        scale=scale,
        correlation=np.corrcoef(X.T),
        sets=PairSets.of(NEIGHBOURS),
        n_samples=len(X),
    )
    return one_pass(iter(blocks))


def residuals_and_leverage(X, columns, given):
    """By least squares with a column of ones."""
    design = np.column_stack([np.ones(len(X)), X[:, given]])
    hat = design @ np.linalg.pinv(design)
    return X[:, columns] - hat @ X[:, columns], np.diag(hat)


def slow_tau(X):
    n, p = X.shape
    variance = np.zeros(n)
    for i, own in enumerate(NEIGHBOURS):
        e, _ = residuals_and_leverage(X, [i], own)
        _, h = residuals_and_leverage(X, [i], [*own, i])
        g = (n - len(own) - 1) * e[:, 0] ** 2 / (e[:, 0] @ e[:, 0])
        variance += (g - h * (1 - h)) / (1 - h) ** 2 / p
    return believed_tau(variance, p)


def selected_slow(X, i, j):
    """The seven numbers of a pair."""
    n = len(X)
    given = sorted({*NEIGHBOURS[i], *NEIGHBOURS[j]} - {i, j})
    e, h = residuals_and_leverage(X, [i, j], given)
    x, y = (e / np.sqrt((e**2).mean(axis=0))).T
    tau = slow_tau(X)
    w = 1 / ((1 - h) * (1 - h + tau * h))
    rho = (x * y).mean()
    a, _ = residuals_and_leverage(X, [i], [*given, j])
    b, h_all = residuals_and_leverage(X, [j], [*given, i])
    h_all = residuals_and_leverage(X, [i], [*given, i, j])[1]
    v = [one[:, 0] / np.sqrt(one[:, 0] @ one[:, 0] / (n - 1)) for one in (a, b)]
    square = w * (x * y) ** 2
    return [
        square.sum(),
        (w * x * y * (x**2 + y**2)).sum(),
        (w * (x**2 + y**2) ** 2 / 4).sum(),
        (square**2).sum(),
        (square**3).sum(),
        ((v[0] * v[1] / (1 - h_all)) ** 2).sum(),
        rho,
    ]


def test_each_pair_by_itself():
    X = rows()
    found, fourth = sums([X], X)
    for place, (i, j) in enumerate(zip(*np.triu_indices(8, k=1), strict=True)):
        np.testing.assert_allclose(found[:, place], selected_slow(X, i, j), rtol=1e-9)
    for i, own in enumerate(NEIGHBOURS):
        e, _ = residuals_and_leverage(X, [i], own)
        _, h = residuals_and_leverage(X, [i], [*own, i])
        v2 = e[:, 0] ** 2 / (e[:, 0] @ e[:, 0] / (len(X) - 1))
        np.testing.assert_allclose(fourth[i], ((v2 / (1 - h)) ** 2).sum(), rtol=1e-9)


@pytest.mark.parametrize("cuts", [[1], [13, 20], [0, 39]])
def test_blocks_add_up(cuts):
    X = rows(seed=1)
    whole = sums([X], X)
    cut = sums(np.split(X, cuts), X)
    for a, b in zip(whole, cut, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)

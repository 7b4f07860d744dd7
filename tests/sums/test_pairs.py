"""Sums over all pairs of weighted residuals equal the sums written down directly."""

import numpy as np
import pytest

from edgewise.sums.blocks import Centre
from edgewise.sums.pairs import exact_pairs, pair_sums
from edgewise.sums.score import Leverage
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
    found = exact_pairs(InMemoryRows(np.array_split(X, 3)), CENTRE, leverage, rho, 0.99)
    pairs = list(zip(found.rows.tolist(), found.columns.tolist(), strict=True))
    assert pairs == list(STRONG)
    for k, (i, j) in enumerate(pairs):
        a, b, r = v[:, i], v[:, j], rho[i, j]
        squares = w * (a * b + r / 2 * (a**2 + b**2)) ** 2
        assert found.influence[k] == pytest.approx(squares.sum(), rel=1e-10)
        assert found.eighth[k] == pytest.approx(np.sum(squares**2), rel=1e-10)


def test_exact_pairs_where_the_influence_cancels():
    """v_j = −v_i: all of v_iv_j + (ρ/2)(v_i² + v_j²) is (1 − ρ)v_iv_j, to the last digit."""
    n, gap = 2000, 1e-13
    c = np.random.default_rng(1).standard_normal(n)
    X = ORIGIN[:2] + np.column_stack([c, -c])
    leverage = Leverage(np.eye(2), np.zeros(2), 10**12)
    rho = np.array([[1, 1 - gap], [1 - gap, 1]])
    c = X[:, 0] - ORIGIN[0]
    other = X[:, 1] - ORIGIN[1]
    centre = Centre(ORIGIN[:2], None)
    found = exact_pairs(InMemoryRows([X]), centre, leverage, rho, 0.99)
    r = rho[0, 1]
    exact = r / 2 * (c + other) ** 2 + (1 - r) * c * other
    assert found.influence[0] == pytest.approx(np.sum(exact**2), rel=1e-9)
    assert 0 < found.influence[0] < 1e-20

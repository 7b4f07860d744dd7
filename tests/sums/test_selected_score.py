"""The sums of the nodewise test, against each pair by itself in plain words."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from edgewise.sums.moments import Moments
from edgewise.sums.pairs import PairSets, selected_score_sums
from edgewise.sums.score import believed_tau

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


def slow(X, i, j):
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
        np.testing.assert_allclose(found[:, place], slow(X, i, j), rtol=1e-9)
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

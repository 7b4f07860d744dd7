"""Score and jackknife of groups, against regressions that are done one by one."""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistical.grouped_laws import group_sizes, grouped_rows

import edgewise as ew
from edgewise.estimate.inverse import estimate_precision
from edgewise.inference.sample import open_sample
from edgewise.methods.leave_one_out import unit_sandwich, unit_scores
from edgewise.simulate import make_chain_precision
from edgewise.sums.score import believed_tau, score_weight

P = 4


@pytest.fixture(scope="module")
def data():
    """240 rows in 24 groups of unequal size, shuffled; the columns have different units."""
    rng = np.random.default_rng(7)
    X, labels = grouped_rows(
        "intercepts-t5", make_chain_precision(P), group_sizes(24, 10, "unequal"), rng
    )
    return X * [1.0, 1e-3, 1e4, 1.0] + [0, 5, 1e6, -3], labels


@pytest.fixture(scope="module")
def evidence(data):
    X, labels = data
    return open_sample(X, ew.methods.Score().needs, "the test", clusters=labels)


@pytest.fixture(scope="module")
def estimate(evidence):
    return estimate_precision(evidence.moments(), evidence.feature_names)


def residuals(X, i, j):
    """Of x_i and x_j given the others and a constant, and the hat matrix."""
    n = len(X)
    Z = np.column_stack([np.ones(n), np.delete(X, [i, j], axis=1)])
    Z = Z / np.linalg.norm(Z, axis=0)
    Q = np.linalg.qr(Z)[0]
    H = Q @ Q.T
    return X[:, i] - H @ X[:, i], X[:, j] - H @ X[:, j], H


def taus(X, labels):
    """1/σ² of each group, from the hat matrix of all columns, one group at a time."""
    n, p = X.shape
    Q = np.linalg.qr(np.column_stack([np.ones(n), X / X.std(axis=0)]))[0]
    Y = (X - X.mean(axis=0)) / X.std(axis=0)
    precision = np.linalg.inv(np.cov(Y, rowvar=False))
    V = Y @ precision / np.sqrt(precision.diagonal())
    scales, rows, kept = [], [], []
    for group in np.unique(labels):
        mine = labels == group
        H = Q[mine] @ Q[mine].T
        free = np.trace(H @ (np.eye(len(H)) - H))
        scales.append((n - p) / (n - 1) * np.trace(V[mine].T @ H @ V[mine]) / p / free)
        rows += [scales[-1]] * len(H)
        kept.append(free / np.trace(H))
    usual = max(np.quantile(rows, 0.5, method="inverted_cdf"), 1.0)
    return believed_tau((np.array(scales) / usual - 1) / kept + 1, p)


def terms(X, labels, i, j, rho):
    """The terms of e_ie_j − ρ₀(e_i² + e_j²)/2, with D_g from the hat matrix of the group."""
    a, b, H = residuals(X, i, j)
    a, b = a / np.sqrt(np.mean(a**2)), b / np.sqrt(np.mean(b**2))
    found = []
    for group, tau in zip(np.unique(labels), taus(X, labels), strict=True):
        mine = labels == group
        undo = np.linalg.inv(np.eye(mine.sum()) - H[np.ix_(mine, mine)])
        u, v = a[mine], b[mine]
        kept = (u @ u + v @ v) / (u @ undo @ u + v @ undo @ v)
        part = (np.sqrt(score_weight(kept, tau)) - 1) / (1 / kept - 1)

        def score(M, u=u, v=v):
            return u @ M @ v - rho * (u @ M @ u + v @ M @ v) / 2

        plain = score(np.eye(len(u)))
        found.append(plain + part * (score(undo) - plain))
    return np.array(found)


@pytest.mark.parametrize("rho", [0.0, 0.3, -0.8])
def test_the_variance_of_the_score(data, evidence, estimate, rho):
    sums = unit_scores(evidence, estimate).sums
    variance = sums.second - rho * sums.cross + rho**2 * sums.ends
    for i in range(P):
        for j in range(i):
            expected = np.sum(terms(*data, i, j, rho) ** 2)
            np.testing.assert_allclose(variance[[i, j], [j, i]], expected, rtol=1e-7)


def test_higher_powers_of_the_terms(data, evidence, estimate):
    sums = unit_scores(evidence, estimate).sums
    for i in range(P):
        for j in range(i):
            square = terms(*data, i, j, 0.0) ** 2
            share = square / square.sum()
            np.testing.assert_allclose(sums.fourth[i, j], np.sum(share**2), rtol=1e-7)
            np.testing.assert_allclose(sums.sixth[i, j], np.sum(share**3), rtol=1e-7)


def partial_correlations(X):
    precision = np.linalg.inv(np.cov(X, rowvar=False))
    root = np.sqrt(precision.diagonal())
    return -precision / np.outer(root, root), precision


def test_the_jackknife(data, evidence, estimate):
    """Every group is left out in turn, and everything is estimated anew."""
    X, labels = data
    X = X / X.std(axis=0)
    different = np.unique(labels)
    G, upper = len(different), np.triu_indices(P, k=1)
    z = np.array([np.arctanh(partial_correlations(X[labels != g])[0][upper]) for g in different])
    theta = np.array([partial_correlations(X[labels != g])[1] for g in different])
    whole = partial_correlations(X)[1]
    spread, _ = unit_sandwich(evidence, estimate)
    variance = (G - 1) / G * np.sum((z - z.mean(axis=0)) ** 2, axis=0)
    rows = unit_scores(evidence, estimate).rows
    floor = 1 / (rows - P - 1)
    np.testing.assert_allclose(
        spread.fisher_z[upper] ** 2, np.maximum(variance, floor[upper]), rtol=1e-8
    )
    error = np.sqrt((G - 1) / G * np.sum((theta - theta.mean(axis=0)) ** 2, axis=0))
    root = np.sqrt(whole.diagonal())
    ratio = spread.precision / np.sqrt(
        np.outer(estimate.precision.diagonal(), estimate.precision.diagonal())
    )
    least = np.sqrt((1 + partial_correlations(X)[0] ** 2) * floor)
    np.testing.assert_allclose(ratio, np.maximum(error / np.outer(root, root), least), rtol=1e-7)


def test_what_rows_and_groups_are_worth(data, evidence, estimate):
    """From the correlation of two residuals of a group, over all pairs of rows."""
    X, labels = data
    rows = unit_scores(evidence, estimate).rows
    _, degrees = unit_sandwich(evidence, estimate)
    n = len(X)
    counts = np.bincount(labels)
    together = np.sum(counts * (counts - 1))
    for i in range(P):
        for j in range(i):
            within = []
            for e in residuals(X, i, j)[:2]:
                e = e / np.sqrt(np.mean(e**2))
                products = sum(np.sum(e[labels == g]) ** 2 for g in np.unique(labels)) - n
                within.append(max(products / together, 0.0))
            of_groups = [m * (1 + (m - 1) * within[0] * within[1]) for m in counts]
            np.testing.assert_allclose(rows[i, j], n**2 / np.sum(of_groups), rtol=1e-8)
            assert n / 10 < rows[i, j] <= n
            expected = np.sum(of_groups) ** 2 / np.sum(np.square(of_groups))
            np.testing.assert_allclose(degrees[i, j], expected, rtol=1e-8)
            assert 5 < expected < 23


def test_rows_that_are_all_alike_are_worth_one_each_group():
    rng = np.random.default_rng(3)
    subjects = np.repeat(rng.standard_normal((50, 3)), 10, axis=0)
    X = subjects + 1e-6 * rng.standard_normal(subjects.shape)
    labels = np.repeat(np.arange(50), 10)
    evidence = open_sample(X, ew.methods.Score().needs, "the test", clusters=labels)
    estimate = estimate_precision(evidence.moments(), evidence.feature_names)
    rows = unit_scores(evidence, estimate).rows
    np.testing.assert_allclose(rows, 50, rtol=0.05)


@pytest.mark.parametrize("n", [60, 500])
def test_every_row_its_own_group_is_the_plain_score_test(n):
    """Also where some rows are far larger than others: the weight has each row's own scale."""
    rng = np.random.default_rng(8)
    X = rng.standard_normal((n, 8)) * np.where(np.arange(n) % 30 == 0, 8.0, 1.0)[:, np.newaxis]
    plain, alone = ew.edge_test(X), ew.edge_test(X, clusters=np.arange(n))
    upper = np.triu_indices(8, k=1)
    np.testing.assert_allclose(alone.statistic[upper], plain.statistic[upper], rtol=1e-9)
    np.testing.assert_allclose(alone.log_pvalue[upper], plain.log_pvalue[upper], rtol=1e-9)
    intervals = [
        result.confidence_interval(0.95, scale="partial_correlation") for result in (alone, plain)
    ]
    np.testing.assert_allclose(intervals[0].low[upper], intervals[1].low[upper], atol=1e-9)
    np.testing.assert_allclose(intervals[0].high[upper], intervals[1].high[upper], atol=1e-9)


def test_an_event_in_one_group_only():
    """Without that group a column is constant: it has nothing in common with the others."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((200, 3))
    X[:, 2] = 0.0
    X[:3, 2] = 1.0
    labels = np.arange(200) // 5
    for method in ("score", "wald"):
        result = ew.edge_test(X, method=method, clusters=labels)
        assert np.isfinite(result.pvalue[np.triu_indices(3, k=1)]).all()
        assert not result.reject.any()

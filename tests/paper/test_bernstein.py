"""The empirical Bernstein radius: the inequality as it is written, its inverse, and its lemma."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from edgewise.paper.radii import BernsteinRadius

ALPHAS = [1e-300, 1e-20, 1e-6, 0.01, 0.05, 0.2, 0.5, 0.99]


def radius_of(X, low, high, A=None):
    """From rows, one formula at a time."""
    n, lengths = len(X), high - low
    mean = X.mean(axis=0)
    c = (X - mean) / lengths
    s = c.T @ c / n
    deviation = np.array([[np.std(a * b) for a in c.T] for b in c.T])
    scale = np.diag(lengths) if A is None else np.abs(A) * lengths
    return BernsteinRadius(n, np.maximum(mean - low, high - mean) / lengths, s, deviation, scale)


def largest_deviation(seen, distance, a):
    """The largest q with q² − caq ≤ seen² + (aq + ca²/6)², by search."""

    def beyond(q):
        return q**2 - distance * a * q - seen**2 - (a * q + distance * a**2 / 6) ** 2

    return brentq(beyond, 0.0, 1e3 * (distance + seen) / (1 - a**2), xtol=1e-15)


def slow_errors(X, low, high, exponent):
    """The bound of docs/theory/bounds.md, pair by pair, in the units of the rows."""
    n, p = X.shape
    a = math.sqrt(2 * exponent / n)
    mean, spread, reach = np.zeros(p), np.zeros(p), np.zeros(p)
    for i in range(p):
        length = high[i] - low[i]
        from_mean = max(X[:, i].mean() - low[i], high[i] - X[:, i].mean())
        first = min(length, from_mean + a * length / 2)
        spread[i] = min(length / 2, largest_deviation(X[:, i].std(), first, a))
        mean[i] = min(a * length / 2, a * spread[i] + first * a**2 / 6)
        reach[i] = min(length, from_mean + mean[i])
    errors = np.zeros((p, p))
    for i in range(p):
        for j in range(p):
            product = (X[:, i] - X[:, i].mean()) * (X[:, j] - X[:, j].mean())
            lengths = high - low
            width = max(reach[i] * lengths[j], reach[j] * lengths[i])
            distance = min(width, reach[i] * reach[j] + spread[i] * spread[j])
            if i == j:
                width = distance = reach[i] ** 2
            seen = product.std() + mean[i] * X[:, j].std() + mean[j] * X[:, i].std()
            bernstein = a * largest_deviation(seen, distance, a) + distance * a**2 / 6
            errors[i, j] = min(a * width / 2, bernstein) + mean[i] * mean[j]
            errors[i, j] += abs(product.mean()) / (n - 1)
    return errors


def boxed(n, p=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.beta(0.7, 2.0, (n, p)) * [1.0, 20.0, 0.3][:p] + [0.0, -5.0, 100.0][:p]
    X[:, 1] = 0.5 * (X[:, 1] + 20 * (X[:, 0] - 0.25))
    return X, np.array([0.0, -6.0, 99.9])[:p], np.array([1.0, 16.0, 100.4])[:p]


@pytest.mark.parametrize("exponent", [0.5, 8.0, 20.0])
@pytest.mark.parametrize("n", [60, 1000, 40_000])
def test_is_the_inequality(n, exponent):
    X, low, high = boxed(n)
    lengths = high - low
    found = radius_of(X, low, high).entry_errors(exponent, n) * np.outer(lengths, lengths)
    np.testing.assert_allclose(found, slow_errors(X, low, high, exponent), rtol=1e-8)


def test_norm_in_the_coordinates_of_the_transfer():
    X, low, high = boxed(2000)
    lengths = high - low
    A = np.linalg.inv(np.linalg.cholesky(np.cov(X, rowvar=False)))
    entries = slow_errors(X, low, high, math.log(3 * (6 + 3) / 0.05))
    expected = np.linalg.norm(np.abs(A) @ entries @ np.abs(A).T, 2)
    assert radius_of(X, low, high, A).epsilon(0.05) == pytest.approx(expected, rel=1e-8)
    expected = np.linalg.norm(entries, 2)
    assert radius_of(X, low, high).epsilon(0.05) == pytest.approx(expected, rel=1e-8)
    assert lengths.tolist() == pytest.approx([1.0, 22.0, 0.5])


@pytest.mark.parametrize("n", [10, 500, 100_000])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_level_inverts_radius(alpha, n):
    radius = radius_of(*boxed(n))
    log_level = radius.log_level(np.array([radius.epsilon(alpha)]))
    np.testing.assert_allclose(log_level, math.log(alpha), rtol=1e-9, atol=1e-9)


def test_many_points_agree_with_few():
    radius = radius_of(*boxed(2000))
    points = np.geomspace(0.5, 500.0, 900) * radius.epsilon(0.9)
    many = radius.log_level(points)
    np.testing.assert_allclose(many[::9], radius.log_level(points[::9]), rtol=1e-3)
    assert (np.diff(many) <= 0).all()


def test_rows_for_a_radius():
    X, low, high = boxed(3000)
    radius = radius_of(X, low, high)
    wanted = radius.epsilon(0.05) * np.array([[3.0, 1.0], [0.1, 0.0]])
    rows = radius.rows_for(0.05, wanted)
    assert rows[0, 1] == pytest.approx(3000, rel=1e-9)
    assert rows[1, 1] == np.inf
    assert 3 < rows[0, 0] < 3000 < rows[1, 0]
    exponent = math.log(radius.n_events / 0.05)
    lengths = high - low
    for at, one in zip(rows.ravel()[:3], wanted.ravel()[:3], strict=True):
        errors = radius.entry_errors(exponent, at) * np.outer(lengths, lengths)
        assert np.linalg.norm(errors, 2) == pytest.approx(one, rel=1e-9)


@pytest.mark.parametrize("law", ["coin", "rare", "beta"])
def test_its_lemma_at_a_level_where_it_can_be_seen(law):
    """Each of the three events of one mean fails with probability e^{−L} at most."""
    rng = np.random.default_rng(3)
    n, draws, exponent = 60, 20_000, 1.5
    a = math.sqrt(2 * exponent / n)
    rows, mean, variance, distance = {
        "coin": (lambda: rng.integers(0, 2, (draws, n)) * 1.0, 0.5, 0.25, 0.5),
        "rare": (lambda: (rng.random((draws, n)) < 0.03) * 1.0, 0.03, 0.03 * 0.97, 0.97),
        "beta": (lambda: rng.beta(0.5, 3.0, (draws, n)), 1 / 7, 3 / (49 * 4.5) / 2, 6 / 7),
    }[law]
    w = rows()
    q = math.sqrt(variance)
    error = w.mean(axis=1) - mean
    most = min(a / 2, a * q + distance * a**2 / 6)
    allowed = math.exp(-exponent) + 3 * math.sqrt(math.exp(-exponent) / draws)
    assert np.mean(error > most) <= allowed
    assert np.mean(-error > most) <= allowed
    square = np.mean((w - mean) ** 2, axis=1)
    assert np.mean(square < variance - distance * q * a) <= allowed

"""Algorithm 1 for p = 6, 10 and 14, against the paper's seven cases in fifty digits.

The authors' program was run for three and four columns only (`test_trace.py`). This file states the
algorithm once more and shares no code with edgewise. The rows are integers, and each distinct row
has a count: so the raw moments are exact, and a few hundred thousand rows, as many as rejections
take, cost no more than the distinct ones.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations_with_replacement
from typing import NamedTuple

import mpmath
import numpy as np
import pytest

import edgewise as ew

ALPHA = 0.05
DIGITS = 50
SIZES = {6: 1800, 10: 2400, 14: 3000}  # p, and how often a distinct row occurs on average
LAWS = ["symmetric", "skewed"]


def zeta(m, i, j, k, l):
    """4ζ₁ of Cov(Σ̂_ij, Σ̂_kl), by the case that the equal indices make; m(…) are raw moments."""

    def pair(a, b):
        return m(a, b) - 2 * m(a) * m(b)

    repeated = sorted(Counter((i, j, k, l)).values())
    if repeated == [4]:  # case 7
        return m(i, i, i, i) - 4 * m(i) * m(i, i, i) + 4 * m(i) ** 2 * m(i, i) - pair(i, i) ** 2
    if repeated == [1, 3]:  # case 6
        (i, _), (l, _) = Counter((i, j, k, l)).most_common()
        value = m(i, i, i, l) - 3 * m(i) * m(i, i, l) + 2 * m(i) ** 2 * m(i, l)
        value += 2 * m(i) * m(l) * m(i, i) - m(l) * m(i, i, i)
        return value - pair(i, i) * pair(i, l)
    if repeated == [2, 2] and i == j:  # case 2
        value = m(i, i, k, k) - 2 * m(i) * m(i, k, k) - 2 * m(k) * m(i, i, k)
        return value + 4 * m(i) * m(k) * m(i, k) - pair(i, i) * pair(k, k)
    if repeated == [2, 2]:  # case 5
        value = m(i, i, j, j) - 2 * m(i) * m(i, j, j) - 2 * m(j) * m(i, i, j)
        value += m(i) ** 2 * m(j, j) + m(j) ** 2 * m(i, i) + 2 * m(i) * m(j) * m(i, j)
        return value - pair(i, j) ** 2
    if repeated == [1, 1, 2] and (i == j or k == l):  # case 3
        i, k, l = (i, k, l) if i == j else (k, i, j)
        value = m(i, i, k, l) - 2 * m(i) * m(i, k, l) - m(k) * m(i, i, l) - m(l) * m(i, i, k)
        value += 2 * m(i) * m(k) * m(i, l) + 2 * m(i) * m(l) * m(i, k)
        return value - pair(i, i) * pair(k, l)
    if repeated == [1, 1, 2]:  # case 4
        (i, _), (j, _), (l, _) = Counter((i, j, k, l)).most_common()
        value = m(i, i, j, l) - 2 * m(i) * m(i, j, l) - m(j) * m(i, i, l) - m(l) * m(i, i, j)
        value += m(i) ** 2 * m(j, l) + m(i) * m(j) * m(i, l) + m(i) * m(l) * m(i, j)
        return value + m(i, i) * m(j) * m(l) - pair(i, j) * pair(i, l)
    value = m(i, j, k, l) - m(i) * m(j, k, l) - m(j) * m(i, k, l)  # case 1
    value += m(i) * m(k) * m(j, l) + m(j) * m(k) * m(i, l) + m(i) * m(l) * m(j, k)
    value += m(j) * m(l) * m(i, k) - m(k) * m(i, j, l) - m(l) * m(i, j, k)
    return value - pair(i, j) * pair(k, l)


class Algorithm(NamedTuple):
    """What Algorithm 1 finds, in `DIGITS` digits."""

    covariance: mpmath.matrix
    precision: mpmath.matrix
    radius: dict[str, mpmath.mpf]
    threshold: dict[str, mpmath.mpf]


def moments_of(rows, counts):
    """⟨x_i x_j …⟩, the sums in exact integers."""
    columns, n = [[int(x) for x in column] for column in rows.T], sum(counts)

    @cache
    def sorted_moment(indices):
        total = 0
        for row, count in enumerate(counts):
            term = count
            for i in indices:
                term *= columns[i][row]
            total += term
        return mpmath.mpf(total) / n

    return lambda *indices: sorted_moment(tuple(sorted(indices)))


def largest_eigenvalue(C):
    """Rayleigh's quotient of a vector with 16 digits has about twice as many."""
    rounded = np.array(C.tolist(), dtype=float)
    v = mpmath.matrix(np.linalg.eigh(rounded).eigenvectors[:, -1].tolist())
    return (v.T * C * v)[0] / (v.T * v)[0]


def algorithm_1(rows, counts):
    p, n = rows.shape[1], sum(counts)
    m = moments_of(rows, counts)
    S = mpmath.matrix(p, p)
    for i in range(p):
        for j in range(p):
            S[i, j] = (m(i, j) - m(i) * m(j)) * n / (n - 1)
    pairs = list(combinations_with_replacement(range(p), 2))
    C = mpmath.matrix(len(pairs), len(pairs))
    for a, (i, j) in enumerate(pairs):
        for b, (k, l) in enumerate(pairs[: a + 1]):
            # 2(n − 2)/C(n, 2) · ζ₁
            C[a, b] = C[b, a] = zeta(m, i, j, k, l) * (n - 2) / (mpmath.mpf(n) * (n - 1))
    sizes = {"eig": largest_eigenvalue(C), "trace": sum(C[a, a] for a in range(len(pairs)))}
    z = mpmath.sqrt(2) * mpmath.erfinv(1 - mpmath.mpf(ALPHA))
    radius = {name: mpmath.sqrt(2 * size) * z for name, size in sizes.items()}
    alphas = list(mpmath.eigsy(S, eigvals_only=True))
    threshold = {
        name: mpmath.sqrt(sum((e / (a * (a - e))) ** 2 for a in alphas))
        for name, e in radius.items()
    }
    return Algorithm(S, S**-1, radius, threshold)


def distinct_rows(law, p):
    """Integers with about the covariance of a chain of strong and weak edges, far from zero."""
    rng = np.random.default_rng(p)
    n = 12 * p
    base = rng.uniform(-1, 1, (n, p)) if law == "symmetric" else rng.gamma(2.0, size=(n, p))
    base = np.linalg.qr(base - base.mean(axis=0))[0] * np.sqrt(n)
    weights = np.where(np.arange(p - 1) % 2, 0.1, 0.45)
    precision = np.eye(p) + np.diag(weights, 1) + np.diag(weights, -1)
    rows = base @ np.linalg.cholesky(np.linalg.inv(precision)).T
    counts = rng.integers(SIZES[p] // 2, SIZES[p] * 3 // 2, size=n)
    return np.rint(rows * 64 + 100).astype(int), counts


CASES = [
    pytest.param((p, law), marks=pytest.mark.validity if p > 6 else (), id=f"{p} {law}")
    for p in SIZES
    for law in LAWS
]


@pytest.fixture(scope="module", params=CASES)
def both(request):
    """The rows as edgewise gets them (in units of 1/64, which are exact), and the truth."""
    p, law = request.param
    rows, counts = distinct_rows(law, p)
    with mpmath.workdps(DIGITS):
        truth = algorithm_1(rows, counts.tolist())
    repeated = np.repeat(rows / 64, counts, axis=0)
    # Shuffled, since equal rows one after another look like a series.
    return np.random.default_rng(0).permutation(repeated), truth


@pytest.mark.parametrize("method", ["eig", "trace"])
def test_against_the_seven_cases_in_fifty_digits(both, method):
    X, truth = both
    found = ew.edge_test(X, method=method, alpha=ALPHA)
    unit = 64**2  # of a covariance, between these rows and the integers
    with mpmath.workdps(DIGITS):
        radius = float(truth.radius[method] / unit)
        threshold = float(truth.threshold[method] * unit)
        covariance = np.array((truth.covariance / unit).tolist(), dtype=float)
        precision = np.array((truth.precision * unit).tolist(), dtype=float)
    assert found.radius == pytest.approx(radius, rel=1e-12)
    assert found.threshold == pytest.approx(threshold, rel=1e-12)
    np.testing.assert_allclose(found.covariance, covariance, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(found.precision, precision, rtol=1e-12, atol=1e-13)
    edges = (np.abs(precision) >= threshold) & ~np.eye(len(precision), dtype=bool)
    np.testing.assert_array_equal(found.reject, edges)
    # Rejections and non-rejections, none of them so near to t that rounding would decide.
    assert 0 < edges.sum() < edges.size - len(edges)
    assert np.abs(np.abs(precision) / threshold - 1).min() > 1e-6

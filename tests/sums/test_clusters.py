"""Moments of groups add like the rows they have seen, in any order and however they were cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgewise.errors import DataError
from edgewise.sums import batches as module
from edgewise.sums.batches import ClusterMoments
from edgewise.sums.blocks import Centre
from edgewise.tables.table import ColumnBlock

P = 3


def grouped(X, labels):
    rows = ColumnBlock.of(X)
    rows.clusters = np.asarray(labels, dtype=float)
    return rows


def state(X, labels):
    return ClusterMoments().update(grouped(X, labels))


def numbers(clusters):
    """Counts, mean and scatter of every group, in the order of the labels."""
    labels, sums = clusters._merged()
    mean = sums.mean()
    return labels, sums.n, mean, sums.about(Centre(mean, None)).second


def expected(X, labels):
    """The same, one group after the other."""
    different = np.unique(labels)
    of_each = [X[labels == label] for label in different]
    centred = [rows - rows.mean(axis=0) for rows in of_each]
    return (
        different,
        np.array([len(rows) for rows in of_each]),
        np.array([rows.mean(axis=0) for rows in of_each]),
        np.array([rows.T @ rows for rows in centred]),
    )


def assert_same(one, other, *, scale=1.0):
    np.testing.assert_array_equal(one[0], other[0])
    np.testing.assert_array_equal(one[1], other[1])
    np.testing.assert_allclose(one[2], other[2], rtol=1e-12, atol=1e-12 * scale)
    np.testing.assert_allclose(one[3], other[3], rtol=1e-9, atol=1e-9 * scale)


cases = st.builds(
    lambda n, count, seed: (
        np.random.default_rng(seed).standard_normal((n, P)),
        np.random.default_rng(seed + 1).integers(count, size=n).astype(float),
    ),
    st.integers(1, 60),
    st.integers(1, 12),
    st.integers(0, 10**6),
)


@given(cases, st.integers(1, 7), st.integers(0, 10**6))
def test_batch_stream_and_tree_are_the_same(case, step, seed):
    X, labels = case
    rng = np.random.default_rng(seed)
    streamed = ClusterMoments()
    for start in range(0, len(X), step):
        some = slice(start, start + step)
        streamed.update(grouped(X[some], labels[some]))
    parts = [state(X[i : i + step], labels[i : i + step]) for i in range(0, len(X), step)]
    while len(parts) > 1:
        i, j = rng.choice(len(parts), 2, replace=False)
        merged = parts[i] + parts[j]
        parts = [part for k, part in enumerate(parts) if k not in (i, j)] + [merged]
    for other in (streamed, parts[0]):
        assert other.n_samples == len(X)
        assert_same(numbers(other), expected(X, labels))


@pytest.mark.parametrize("offset", [1.0, 1e5, 1e8])
def test_far_from_zero(offset):
    """The scatter about the common mean, which is all that the tests use."""
    rng = np.random.default_rng(5)
    X, labels = rng.standard_normal((3000, P)), rng.integers(40, size=3000).astype(float)
    X = (X + offset) - 0.0
    total = ClusterMoments()
    for start in range(0, 3000, 100):
        some = slice(start, start + 100)
        total.update(grouped(X[some], labels[some]))
    exact = X - X[0]  # without rounding error
    centred = exact - exact.mean(axis=0)
    centre = total.pooled().centre()
    np.testing.assert_allclose(
        total.pooled().covariance(), np.cov(exact, rowvar=False), atol=1e-8, rtol=1e-8
    )
    for g, scatter in enumerate(total.sums_of(slice(None)).about(centre).second):
        mine = centred[labels == g]
        np.testing.assert_allclose(scatter, mine.T @ mine, atol=1e-6, rtol=1e-7)


def test_pooled_are_the_moments_of_all_rows():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((500, P)) @ rng.standard_normal((P, P)) + 5
    pooled = state(X, rng.integers(30, size=500)).pooled()
    assert pooled.n_samples == 500
    np.testing.assert_allclose(pooled.mean(), X.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(pooled.covariance(), np.cov(X, rowvar=False), rtol=1e-12)


def test_no_rows(refuses):
    assert ClusterMoments().n_clusters == 0
    refuses(lambda: ClusterMoments().counts(), DataError, "clusters: expected rows, got none")


def test_more_groups_than_memory(monkeypatch, refuses):
    monkeypatch.setattr(module, "_MOST_BYTES", 8 * P * P * 10)
    rng = np.random.default_rng(0)
    fits = state(rng.standard_normal((50, P)), np.arange(50) % 10)
    assert fits.n_clusters == 10
    refuses(
        lambda: fits.update(grouped(rng.standard_normal((50, P)), np.arange(50))),
        DataError,
        "clusters: expected at most 10 clusters for 3 columns",
        "got 50 or more; test fewer columns",
    )

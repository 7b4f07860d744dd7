"""Rows of any law: seeds, batches, memory, and what is refused."""

from __future__ import annotations

import tracemalloc
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgewise.errors import ParameterError
from edgewise.simulate import (
    DISTRIBUTIONS,
    Distribution,
    make_chain_precision,
    sample,
    sample_batches,
)

PRECISION = make_chain_precision(3, -0.4)
# Rows drawn at a time; it is no promise, but cases must lie on both sides of it.
DRAWN = 65_536
EVERY = pytest.mark.parametrize("distribution", DISTRIBUTIONS)


@pytest.mark.exactness
@EVERY
def test_seed_decides_everything(distribution):
    first, again, other = (sample(distribution, PRECISION, 50, rng=seed) for seed in (7, 7, 8))
    np.testing.assert_array_equal(first, again)
    assert not np.isclose(first, other).any()


@pytest.mark.exactness
@EVERY
def test_generator_moves_on(distribution):
    rng = np.random.default_rng(7)
    first, second = (sample(distribution, PRECISION, 50, rng=rng) for _ in range(2))
    np.testing.assert_array_equal(first, sample(distribution, PRECISION, 50, rng=7))
    assert not np.isclose(first, second).any()


def test_law_of_ones_own():
    """Only `rows` has to be written, with identity covariance; the mixing is done for it."""

    class Counting(Distribution):
        def rows(self, rng, n, p):
            return np.arange(n * p, dtype=float).reshape(n, p)

        def mardia_kurtosis(self, n_features):
            raise NotImplementedError

    X = sample(Counting(), PRECISION, 4)
    root = np.linalg.cholesky(np.linalg.inv(PRECISION))
    np.testing.assert_allclose(X, np.arange(12.0).reshape(4, 3) @ root.T, rtol=1e-14)


@pytest.mark.exactness
@EVERY
@given(
    n=st.integers(0, 60),
    batch_rows=st.integers(1, 70),
    p=st.integers(1, 4),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=40)
def test_batches_do_not_change_the_rows(distribution, n, batch_rows, p, seed):
    precision = make_chain_precision(p)
    batches = list(sample_batches(distribution, precision, n, rng=seed, batch_rows=batch_rows))
    whole, rest = divmod(n, batch_rows)
    assert [len(batch) for batch in batches] == [batch_rows] * whole + [rest] * (rest > 0)
    np.testing.assert_array_equal(
        np.concatenate([np.empty((0, p)), *batches]),
        sample(distribution, precision, n, rng=seed),
        strict=True,
    )


@pytest.mark.exactness
@pytest.mark.parametrize("n", [DRAWN - 1, DRAWN, DRAWN + 1, 2 * DRAWN, 150_000])
@pytest.mark.parametrize("distribution", ["laplace", "ar1"])
def test_batches_that_cross_a_drawn_block(distribution, n):
    expected = sample(distribution, PRECISION, n, rng=11)
    assert expected.shape == (n, 3)
    for batch_rows in (999, DRAWN - 1, DRAWN, DRAWN + 1, 100_000, n, 10 * n):
        batches = list(sample_batches(distribution, PRECISION, n, rng=11, batch_rows=batch_rows))
        assert {len(batch) for batch in batches[:-1]} <= {batch_rows}
        assert 0 < len(batches[-1]) <= batch_rows
        np.testing.assert_array_equal(np.concatenate(batches), expected)


@pytest.mark.exactness
@pytest.mark.parametrize("batch_rows", [50, 40_000, DRAWN, 100_000])
def test_stream_without_end(batch_rows):
    stream = sample_batches("laplace", PRECISION, None, rng=2, batch_rows=batch_rows)
    first = list(islice(stream, 5))
    assert [batch.shape for batch in first] == [(batch_rows, 3)] * 5
    assert next(stream).shape == (batch_rows, 3)
    same = sample("laplace", PRECISION, 8 * DRAWN, rng=2)[: 5 * batch_rows]
    np.testing.assert_array_equal(np.concatenate(first), same)


@pytest.mark.parametrize("distribution", ["laplace", "ar1"])
@pytest.mark.parametrize("batch_rows", [1000, 100_000])
def test_memory_does_not_grow_with_the_rows(distribution, batch_rows):
    def peak(n):
        tracemalloc.start()
        try:
            for batch in sample_batches(distribution, PRECISION, n, rng=0, batch_rows=batch_rows):
                assert batch.shape[1] == 3
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(10)  # what is imported and cached at the first use
    assert peak(2_000_000) < 1.1 * peak(400_000)


NOT_MATRICES = {
    "wide": (np.ones((2, 3)), "square", "(2, 3)"),
    "vector": (np.ones(4), "square", "(4,)"),
    "cube": (np.ones((2, 2, 2)), "square", "(2, 2, 2)"),
    "number": (1.0, "square", "()"),
    "asymmetric": ([[1.0, 0.2], [0.1, 1.0]], "symmetric"),
    "triangle": ([[1.0, 0.2], [0.0, 1.0]], "symmetric"),
    "nan": ([[1.0, np.nan], [np.nan, 1.0]], "finite"),
    "infinite": ([[np.inf, 0.0], [0.0, 1.0]], "finite"),
    "indefinite": ([[1.0, 2.0], [2.0, 1.0]], "positive definite", "-1"),
    "singular": (np.ones((2, 2)), "positive definite"),
    "negative": (-np.eye(3), "positive definite", "-1"),
}


@pytest.mark.parametrize("case", NOT_MATRICES)
@pytest.mark.parametrize("n", [0, 10])
def test_refuses_what_is_no_precision_matrix(refuses, case, n):
    precision, *fragments = NOT_MATRICES[case]
    for draw in (sample, sample_batches):
        # At the call: a generator that is not read yet would keep its error to itself.
        refuses(
            lambda d=draw: d("gaussian", precision, n), ParameterError, "precision:", *fragments
        )


def test_refuses_unknown_distribution(refuses):
    for draw in (sample, sample_batches):
        refuses(
            lambda d=draw: d("cauchy", PRECISION, 10),
            ParameterError,
            "distribution:",
            "'cauchy'",
            *DISTRIBUTIONS,
        )

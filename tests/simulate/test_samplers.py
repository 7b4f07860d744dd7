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
def test_the_seed_decides_everything_and_a_generator_moves_on(distribution):
    rng = np.random.default_rng(7)
    first, again, other = (sample(distribution, PRECISION, 50, rng=seed) for seed in (7, rng, rng))
    np.testing.assert_array_equal(first, again)
    assert not np.isclose(first, other).any()


def test_law_of_ones_own():
    """Only `rows` has to be written, with identity covariance; the mixing is done for it."""

    class Counting(Distribution):
        def rows(self, rng, n, p):
            return np.arange(n * p, dtype=float).reshape(n, p)

    X = sample(Counting(), PRECISION, 4)
    root = np.linalg.cholesky(np.linalg.inv(PRECISION))
    np.testing.assert_allclose(X, np.arange(12.0).reshape(4, 3) @ root.T, rtol=1e-14)


@pytest.mark.exactness
@EVERY
@given(n=st.integers(0, 60), batch_rows=st.integers(1, 70), p=st.integers(1, 4))
@settings(max_examples=40)
def test_batches_do_not_change_the_rows(distribution, n, batch_rows, p):
    precision = make_chain_precision(p)
    batches = list(sample_batches(distribution, precision, n, rng=3, batch_rows=batch_rows))
    whole, rest = divmod(n, batch_rows)
    assert [len(batch) for batch in batches] == [batch_rows] * whole + [rest] * (rest > 0)
    rows = np.concatenate([np.empty((0, p)), *batches])
    np.testing.assert_array_equal(rows, sample(distribution, precision, n, rng=3), strict=True)


@pytest.mark.exactness
@pytest.mark.parametrize("n", [DRAWN - 1, DRAWN, 2 * DRAWN, 150_000])
@pytest.mark.parametrize("distribution", ["laplace", "ar1"])
def test_batches_that_cross_a_drawn_block(distribution, n):
    expected = sample(distribution, PRECISION, n, rng=11)
    assert expected.shape == (n, 3)
    for batch_rows in (999, DRAWN - 1, DRAWN, DRAWN + 1, n, 10 * n):
        batches = list(sample_batches(distribution, PRECISION, n, rng=11, batch_rows=batch_rows))
        assert {len(batch) for batch in batches[:-1]} <= {batch_rows}
        assert 0 < len(batches[-1]) <= batch_rows
        np.testing.assert_array_equal(np.concatenate(batches), expected)


@pytest.mark.exactness
@pytest.mark.parametrize("batch_rows", [50, DRAWN, 100_000])
def test_stream_without_end(batch_rows):
    stream = sample_batches("laplace", PRECISION, None, rng=2, batch_rows=batch_rows)
    first = list(islice(stream, 5))
    assert [batch.shape for batch in first] == [(batch_rows, 3)] * 5
    same = sample("laplace", PRECISION, 8 * DRAWN, rng=2)[: 5 * batch_rows]
    np.testing.assert_array_equal(np.concatenate(first), same)


@pytest.mark.parametrize(("distribution", "batch_rows"), [("laplace", 1000), ("ar1", 100_000)])
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


NOT_PRECISION_MATRICES = [
    *(np.ones(shape) for shape in [(2, 3), 4, (2, 2, 2), (), (2, 2), (0, 0)]),
    [[1.0, 0.2], [0.1, 1.0]],
    [[1.0, np.nan], [np.nan, 1.0]],
    [[np.inf, 0.0], [0.0, 1.0]],
    [[1.0, 2.0], [2.0, 1.0]],
    -np.eye(3),
    "chain",
]


@pytest.mark.parametrize("precision", NOT_PRECISION_MATRICES, ids=str)
def test_refuses_what_is_no_precision_matrix(refuses, precision):
    # At the call: a generator that is not read yet would keep its error to itself.
    refuses(
        lambda: sample_batches("gaussian", precision, 9), ParameterError, "precision:", "definite"
    )


def test_refuses_unknown_distribution(refuses):
    refuses(lambda: sample_batches("cauchy", PRECISION, 10), ParameterError, "'cauchy'", "'t5'")

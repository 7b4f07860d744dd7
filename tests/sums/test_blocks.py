"""Blocks of rows: cut, minus the centre, mapped; wherever the rows lie in memory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import edgewise as ew
from edgewise.states import Moments
from edgewise.sums.blocks import Centre, mapped_blocks
from edgewise.sums.pairs import pair_sums
from edgewise.sums.power import product_sums, transformed_quartics
from edgewise.sums.score import Leverage
from edgewise.tables.table import ColumnBlock, InMemoryRows

OFFSETS = [1e8, 1e10]
every_offset = pytest.mark.parametrize("offset", OFFSETS)


def grid_rows(n=600, p=4, seed=0):
    """Rows on a grid of 2⁻¹⁸, so that adding 1e10 is exact."""
    theta = ew.simulate.make_chain_precision(p)
    X = ew.simulate.sample("exponential", theta, n, rng=np.random.default_rng(seed))
    return np.round(X * 2**18) / 2**18


def near(actual, expected, tolerance=1e-10):
    np.testing.assert_allclose(
        actual, expected, rtol=tolerance, atol=tolerance * np.nanmax(np.abs(expected))
    )


class TestSubtraction:
    @every_offset
    @pytest.mark.parametrize("rows", [1, 600])
    def test_is_exact_far_from_the_origin(self, rows, offset):
        X = grid_rows()
        state = Moments()
        for start in range(0, len(X), rows):
            state.update(X[start : start + rows] + offset)
        c = state.centre().subtract_from(X + offset, np.empty((4, 600)))
        near(c.T, X - X.mean(axis=0), 1e-13)
        # The mean as one number is off by more than that, or this test would show nothing.
        assert np.max(np.abs((X + offset - state.mean()) - (X - X.mean(axis=0)))) > 1e-11


P = 3
CENTRE = Centre(np.array([1.0, -2.0, 0.5]), np.array([0.25, 0.0, -0.125]))
B = np.array([[1.0, 0.5, 0.0], [0.0, 2.0, -0.3], [0.4, 0.0, 0.7]])


def column_block(X):
    """The rows as columns of a table."""
    return ColumnBlock(list(np.ascontiguousarray(X.T)))


KINDS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "single": lambda X: X.astype(np.float32),
    "whole": lambda X: X.astype(np.int32),
    "strided": lambda X: np.repeat(X, 2, axis=0)[::2],
    "columns": column_block,
}


def rows_of(n, p=P, seed=0):
    """Small whole numbers, which every kind of rows holds exactly."""
    return np.random.default_rng(seed).integers(-20, 20, (n, p)).astype(np.float64)


@st.composite
def cut_rows(draw):
    """Rows, and the same rows in batches of any lengths and kinds."""
    lengths = draw(st.lists(st.integers(0, 30), min_size=1, max_size=6))
    X = rows_of(sum(lengths), seed=draw(st.integers(0, 50)))
    kinds = [draw(st.sampled_from(sorted(KINDS))) for _ in lengths]
    parts = np.split(X, np.cumsum(lengths)[:-1])
    return X, [KINDS[kind](part) for kind, part in zip(kinds, parts, strict=True)]


def seen(batches, matrix=None, centre=CENTRE, **how):
    blocks = mapped_blocks(iter(batches), centre, matrix, **how)
    parts = [block.z.T.copy() for block in blocks]
    return np.concatenate(parts) if parts else np.empty((0, len(centre.origin)))


def centred(X):
    return X - CENTRE.origin - CENTRE.offset


class TestRows:
    @given(cut_rows(), st.integers(1, 40), st.booleans())
    def test_each_is_seen_once_and_in_order(self, both, length, rows_first):
        X, batches = both
        found = seen(batches, length=length, rows_first=rows_first)
        np.testing.assert_array_equal(found, centred(X))

    @given(cut_rows(), st.integers(1, 40), st.booleans())
    def test_are_mapped(self, both, length, rows_first):
        X, batches = both
        for matrix in (B, np.array([0.5, 2.0, -1.0])):
            expected = centred(X) @ (matrix if matrix.ndim == 2 else np.diag(matrix))
            found = seen(batches, matrix, length=length, rows_first=rows_first)
            np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-12)

    @pytest.mark.parametrize("kind", ["C", "Fortran", "columns"])
    @pytest.mark.parametrize("p", [20, 400])
    def test_wide_ones(self, p, kind):
        X, centre = rows_of(50, p), Centre(np.full(p, 0.5), None)
        matrix = np.random.default_rng(1).standard_normal((p, p))
        found = seen([KINDS[kind](X)], matrix, centre, length=30)
        np.testing.assert_allclose(found, (X - 0.5) @ matrix, rtol=1e-9, atol=1e-9)


def close(found, expected):
    np.testing.assert_allclose(
        found, expected, rtol=1e-12, atol=1e-12 * max(np.max(np.abs(expected)), 1)
    )


@given(cut_rows())
def test_kernels_do_not_see_how_rows_are_cut(both):
    X, batches = both
    if not len(X):
        return
    leverage = Leverage(B, np.full(P, 0.1), 10_000)
    found = pair_sums(InMemoryRows(batches), CENTRE, leverage)
    expected = pair_sums(InMemoryRows([X]), CENTRE, leverage)
    close(found.square_square, expected.square_square)
    close(found.cube_linear, expected.cube_linear)
    close(found.eighth, expected.eighth)
    found = transformed_quartics(InMemoryRows(batches), CENTRE, B)
    expected = transformed_quartics(InMemoryRows([X]), CENTRE, B)
    close(found.columns, expected.columns)
    close(found.norm, expected.norm)
    (found,), (expected,) = (product_sums(rows, CENTRE) for rows in (batches, [X]))
    close(found, expected)

"""Blocks of rows: columns of a table stand for the array of their rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from edgewise.sums.blocks import Centre
from edgewise.tables.table import ColumnBlock


@st.composite
def blocks(draw):
    """A `ColumnBlock` of columns of several types, and the array that it stands for."""
    length = draw(st.integers(1, 20))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    kinds = draw(st.lists(st.sampled_from([np.float64, np.float32, np.int64]), min_size=1))
    columns = [(100 * rng.standard_normal(length)).astype(kind) for kind in kinds]
    return ColumnBlock(columns), np.array(columns, dtype=float).T


@given(blocks())
def test_a_column_block_stands_for_its_rows(both):
    block, array = both
    assert block.shape == array.shape
    assert len(block) == len(array)
    np.testing.assert_array_equal(np.asarray(block), array)


@given(blocks(), st.integers(0, 30), st.integers(0, 30))
def test_slices_are_those_of_the_array(both, start, stop):
    block, array = both
    part = block[start:stop]
    assert part.shape == array[start:stop].shape
    np.testing.assert_array_equal(np.asarray(part), array[start:stop])


@given(blocks())
def test_subtracting_is_done_in_double_precision(both):
    block, array = both
    origin = np.linspace(0.1, 0.7, array.shape[1])
    out = np.empty((array.shape[1], len(array) + 2))
    for rows in (block, array):
        centred = Centre(origin, None).subtract_from(rows, out)
        np.testing.assert_array_equal(centred, array.T - origin[:, None])

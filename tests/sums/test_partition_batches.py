"""Batches from parts of a table are those of one stream, however the table is cut."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgewise.states import BatchMoments
from edgewise.sums.accumulate import _segment_of
from edgewise.sums.batches import batch_length
from edgewise.sums.blocks import Centre
from edgewise.tables.table import Partition


def segment_of(blocks, start, stop, length):
    names = tuple("abc")
    part = Partition(0, "", names, lambda: iter(blocks))
    starts = np.array([start, stop])
    return _segment_of(part, BatchMoments, starts, length, look=False)[0]


def rows_of(n, p=3, shift=0.0, seed=2):
    return np.random.default_rng(seed).standard_t(5, (n, p)) + shift


def segments_of(X, cuts, length, blocks=1):
    """One segment for each part of the table, whose rows come in so many blocks."""
    bounds = [0, *sorted(cuts), len(X)]
    return [
        segment_of(np.array_split(X[start:stop], blocks), start, stop, length)
        for start, stop in pairwise(bounds)
    ]


def merged(segments, order):
    """Neighbours added in any order, until one is left."""
    left = list(segments)
    for which in order:
        i = which % (len(left) - 1)
        left[i : i + 2] = [left[i] + left[i + 1]]
    (one,) = left
    return one


def assert_same_stream(state, stream):
    assert state.n_batches == stream.n_batches
    assert state.batch_rows == stream.batch_rows
    assert state.batch_counts().tolist() == stream.batch_counts().tolist()
    mine, theirs = state._closed(), stream._closed()
    np.testing.assert_allclose(mine.mean(), theirs.mean(), rtol=1e-12, atol=1e-13)
    again = mine.about(Centre(theirs.origin, None))
    np.testing.assert_allclose(again.second, theirs.second, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(state.covariance(), stream.covariance(), rtol=1e-12, atol=1e-14)


class TestSegments:
    @given(st.data())
    def test_add_up_to_the_stream(self, data):
        n = data.draw(st.integers(2, 300), label="rows")
        n_batches = data.draw(st.integers(2, 20), label="batches")
        cuts = data.draw(st.lists(st.integers(0, n), max_size=12), label="cuts")
        blocks = data.draw(st.integers(1, 4), label="blocks")
        order = data.draw(
            st.lists(st.integers(0, 100), min_size=len(cuts), max_size=len(cuts)), label="order"
        )
        X = rows_of(n, shift=data.draw(st.sampled_from([0.0, 1e6]), label="shift"))
        length = batch_length(n, n_batches)
        segment = merged(segments_of(X, cuts, length, blocks), order)
        state = segment.state(BatchMoments, n_batches, length)
        stream = BatchMoments(n_batches).update(X)
        if X.mean() < 1e3:
            assert_same_stream(state, stream)
        assert state.batch_counts().tolist() == stream.batch_counts().tolist()
        np.testing.assert_allclose(state.covariance(), stream.covariance(), rtol=1e-9)

    @pytest.mark.exactness
    @given(st.data())
    def test_can_be_added_in_any_order(self, data):
        """To the last bits, that is; with the same order, to the last one."""
        cuts = data.draw(st.lists(st.integers(0, 100), min_size=3, max_size=8))
        orders = st.lists(st.integers(0, 100), min_size=len(cuts), max_size=len(cuts))
        one, other = data.draw(orders), data.draw(orders)
        segments = segments_of(rows_of(100), cuts, 8)
        a, b, again = (merged(segments, order) for order in (one, other, one))
        assert a.first == b.first == 0
        assert a.sums.n.tolist() == b.sums.n.tolist()
        np.testing.assert_allclose(
            a.sums.second, b.sums.about(Centre(a.sums.origin, None)).second, atol=1e-12
        )
        assert a.sums.second.tobytes() == again.sums.second.tobytes()

    def test_the_state_goes_on_like_the_stream(self):
        X, later = rows_of(150), rows_of(333, seed=3)
        length = batch_length(150, 10)
        segment = merged(segments_of(X, [40, 41, 99], length), [0, 0, 0])
        state = segment.state(BatchMoments, 10, length).update(later)
        assert_same_stream(state, BatchMoments(10).update(X).update(later))

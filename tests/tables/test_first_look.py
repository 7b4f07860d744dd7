"""The first look that the first pass takes: first rows, and values far out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from edgewise.states import BatchMoments, Moments
from edgewise.sums.accumulate import first_pass
from edgewise.tables import first_look as first_look_module
from edgewise.tables.first_look import FirstLook, FirstLookBuilder
from edgewise.tables.open import as_table
from edgewise.tables.table import Partition, in_tree

TABLES = arrays(
    np.float64,
    st.tuples(st.integers(1, 40), st.just(3)),
    elements=st.floats(-1e6, 1e6, width=32),
)
CUTS = st.lists(st.integers(0, 40), max_size=4)


def first_look_of(blocks, scatter=None, number=0, p=3):
    builder = FirstLookBuilder(p, scatter, number)
    for _ in builder.watch(Partition(0, "", ("a",) * p, lambda: iter(blocks))):
        pass
    return builder.first_look


def same(a, b):
    return a.n_samples == b.n_samples and all(
        np.array_equal(getattr(a, name), getattr(b, name)) for name in ("far", "far_row", "leading")
    )


def pieces(X, cuts):
    return np.split(X, sorted(min(cut, len(X)) for cut in cuts))


@given(TABLES)
def test_what_it_holds(X):
    found = first_look_of([X])
    assert found.n_samples == len(X)
    assert np.array_equal(found.far, [X.min(axis=0), X.max(axis=0)])
    assert np.array_equal(found.far_row, [X.argmin(axis=0), X.argmax(axis=0)])
    assert np.array_equal(found.leading, X)


@given(TABLES, CUTS)
def test_stream_tree_and_batch_agree(X, cuts):
    nothing, whole, parts = FirstLook.empty(3), first_look_of([X]), pieces(X, cuts)
    assert same(nothing + whole, whole)
    assert same(whole + nothing, whole)
    assert same(first_look_of(parts), whole)
    assert same(in_tree([first_look_of([part]) for part in parts], lambda a, b: a + b), whole)


@given(TABLES, TABLES, TABLES)
def test_adding_is_associative(A, B, C):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(first_look_module, "leading_limit", lambda p: 12)
        a, b, c = (first_look_of([X]) for X in (A, B, C))
        assert same((a + b) + c, a + (b + c))
        assert np.array_equal((a + b + c).leading, np.concatenate([A, B, C])[:12])


def test_values_far_from_the_origin_keep_their_rows():
    X = np.random.default_rng(0).standard_normal((500, 3)) + 1e8
    found = first_look_of(pieces(X, [100, 250]))
    assert np.array_equal(found.far_row, [X.argmin(axis=0), X.argmax(axis=0)])


def test_leading_rows_are_consecutive_though_parts_are_short(monkeypatch):
    monkeypatch.setattr(first_look_module, "leading_limit", lambda p: 24)
    X = np.arange(300.0).reshape(100, 3)
    monkeypatch.setattr(first_look_module, "_MOST_ROWS_OF_PARTS", 24)
    # A later part keeps fewer rows.
    parts = [first_look_of([part], number=k) for k, part in enumerate(np.split(X, 10))]
    assert [len(part.leading) for part in parts[:4]] == [10, 10, 8, 6]
    assert np.array_equal(in_tree(parts, lambda a, b: a + b).leading, X[:24])
    # Parts of other lengths: there are fewer leading rows, but none is missing between two.
    uneven = [first_look_of([part], number=k) for k, part in enumerate(np.split(X, [1, 2, 3, 90]))]
    leading = in_tree(uneven, lambda a, b: a + b).leading
    assert np.array_equal(leading, X[: len(leading)])
    assert len(leading) == 9


def test_some_rows_are_from_all_over_the_data():
    """Also in parts, and where rows have a period."""
    X = np.arange(60_000.0)[:, np.newaxis] + np.zeros(3)
    several = in_tree([first_look_of([part]) for part in np.split(X, 12)], lambda a, b: a + b)
    streams = [X], np.split(X, [10, 7000, 7001])
    for found in (*(first_look_of(one, number=None) for one in streams), several):
        numbers = found.spread.rows[:, 0]
        assert 1000 <= len(numbers) == len(np.unique(numbers)) <= 3000
        shares = np.histogram(numbers, bins=10, range=(0, 60_000))[0] / len(numbers)
        assert shares == pytest.approx(0.1, abs=0.02)
        assert np.mean(numbers % 2) == pytest.approx(0.5, abs=0.1)
    assert np.array_equal(first_look_of([X[:900]], number=None).spread.rows, X[:900])


class TestTheFirstPass:
    """A row that carries much of a column is found, though few blocks are searched."""

    @pytest.mark.parametrize("state", [Moments(order=2), BatchMoments(20)], ids=["sums", "batches"])
    def test_a_row_far_out_is_found(self, state):
        for offset, row in itertools.product((0.0, 1e8), (0, 1, 4095, 4096, 20_001, 39_999)):
            X = np.random.default_rng(row).standard_normal((40_000, 4))
            X[row, 2] = 200.0  # half of the column's sum of squares
            X[30_000 - row // 2, 3] = -900.0
            X += offset
            *_, found = first_pass(state, as_table(iter(np.array_split(X, 23))))
            assert found.n_samples == 40_000
            assert (found.far[1, 2], found.far_row[1, 2]) == (X[row, 2], row)
            assert found.far_row[0, 3] == 30_000 - row // 2
            assert np.array_equal(found.leading, X[:8192])

    @pytest.mark.parametrize("state", [Moments(order=2), BatchMoments(20)], ids=["sums", "batches"])
    def test_parts_elsewhere_number_their_rows_on(self, state, in_parts):
        X = np.random.default_rng(4).standard_normal((900, 4))
        X[700, 1] = -80
        made, n_dropped, found = first_pass(state, in_parts(X))
        assert (made.n_samples, n_dropped, found.n_samples) == (900, 0, 900)
        assert (found.far[0, 1], found.far_row[0, 1]) == (-80, 700)
        assert np.array_equal(found.leading, X[: len(found.leading)])
        assert len(found.leading) >= 100

"""Columns are matched by name, whatever their order: of two states, and of more rows."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from edgewise.errors import DataError, ParameterError
from edgewise.states import BatchMoments, Moments

NAMES = ("a", "b", "c", "d")
KINDS = {
    "order 4": Moments,
    "order 2": lambda **options: Moments(order=2, **options),
    "batches": lambda **options: BatchMoments(8, **options),
}


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def kind(request):
    return request.param


def assert_close(state, expected):
    assert type(state) is type(expected)
    assert state.n_samples == expected.n_samples
    ours, theirs = state._contents(), expected._contents()
    assert (ours.columns, ours.meta) == (theirs.columns, theirs.meta)
    assert ours.arrays.keys() == theirs.arrays.keys()
    for name, array in ours.arrays.items():
        wanted = theirs.arrays[name]
        size = max(np.abs(wanted).max(), 1.0)
        np.testing.assert_allclose(array, wanted, rtol=0, atol=1e-12 * size, err_msg=name)


class TestMerge:
    @pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (1, 2, 3, 0), (2, 0, 3, 1)])
    def test_in_any_order_equals_aligned_columns(self, kind, rows, order):
        order = list(order)
        left = kind(feature_names=NAMES).update(rows[:150])
        aligned = kind(feature_names=NAMES).update(rows[150:])
        names = [NAMES[i] for i in order]
        shuffled = kind(feature_names=names).update(rows[150:, order])
        assert_close(left + shuffled, left + aligned)
        assert_close(left.copy().merge(shuffled), left + aligned)
        # The other way round the result has the other order, and the same numbers in it.
        swapped = shuffled + left
        assert swapped.feature_names == tuple(names)
        covariance = (left + aligned).covariance()
        np.testing.assert_allclose(
            swapped.covariance(), covariance[np.ix_(order, order)], rtol=1e-12
        )
        np.testing.assert_allclose(
            (left + shuffled).covariance(), np.cov(rows, rowvar=False), rtol=1e-12, atol=1e-14
        )

    @pytest.mark.parametrize("named", [0, 1])
    def test_one_side_without_names_is_matched_by_position(self, kind, rows, named):
        names = [NAMES if i == named else None for i in range(2)]
        left = kind(feature_names=names[0]).update(rows[:150])
        right = kind(feature_names=names[1]).update(rows[150:])
        merged = left + right
        assert merged.feature_names == NAMES
        np.testing.assert_allclose(
            merged.covariance(), np.cov(rows, rowvar=False), rtol=1e-12, atol=1e-14
        )

    def test_other_columns_are_refused(self, kind, rows, refuses):
        left = kind(feature_names=NAMES).update(rows)
        right = kind(feature_names=("a", "b", "c", "e")).update(rows)
        for call in (lambda: left + right, lambda: left.merge(right)):
            refuses(call, ParameterError, "it lacks 'd'", "it also has 'e'")
        assert (left.n_samples, left.feature_names) == (400, NAMES)


def arrow(rows, names):
    return pa.table(dict(zip(names, np.asarray(rows).T, strict=True)))


class TestUpdate:
    @pytest.fixture(params=["pandas", "polars", "pyarrow"])
    def table(self, request, require):
        frames = require(request.param)
        if request.param == "pandas":
            return lambda rows, names: frames.DataFrame(rows, columns=list(names))
        if request.param == "polars":
            return lambda rows, names: frames.DataFrame(rows, schema=list(names))
        return arrow

    def test_columns_in_another_order_are_the_same_columns(self, kind, rows, table):
        state = kind().update(table(rows[:150], NAMES))
        state.update(table(rows[150:, ::-1], NAMES[::-1]))
        assert_close(state, kind(feature_names=NAMES).update(rows[:150]).update(rows[150:]))

    def test_a_table_that_differs_is_refused_and_changes_nothing(self, kind, rows, refuses):
        state = kind(feature_names=NAMES).update(rows)
        other = arrow(rows, ("a", "b", "c", "e"))
        refuses(lambda: state.update(other), DataError, "X:", "it lacks 'd'", "it also has 'e'")
        assert_close(state, kind(feature_names=NAMES).update(rows))

    def test_arrays_go_by_position(self, kind, rows):
        state = kind().update(arrow(rows[:150], NAMES)).update(rows[150:])
        assert_close(state, kind(feature_names=NAMES).update(rows[:150]).update(rows[150:]))
        # Names that come late could be those of other columns.
        assert kind().update(rows[:150]).update(arrow(rows[150:], NAMES)).feature_names is None

    def test_names_come_with_rows_only(self, kind, rows):
        assert kind().update(arrow(rows[:0], NAMES)).feature_names is None
        state = kind()
        with pytest.raises(DataError):
            state.update(arrow(np.full((3, 4), np.nan), NAMES))
        assert state.feature_names is None

    def test_numbers_are_names_where_there_are_no_others(self, kind, rows, require):
        frame = require("pandas").DataFrame(rows)
        state = kind().update(frame[:150]).update(frame.iloc[150:, ::-1])
        expected = kind(feature_names=list("0123")).update(rows[:150]).update(rows[150:])
        assert_close(state, expected)
        # Numbers that nobody gave do not contradict names that somebody did.
        assert_close(
            kind(feature_names=NAMES).update(frame), kind(feature_names=NAMES).update(rows)
        )

"""Columns by name: what is a column, what is missing, what is not a number."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError
from edgewise.tables.arrays import MappingTable, check_column


def test_columns_are_not_copied(rows):
    columns = {name: column.copy() for name, column in zip("abcd", rows.T, strict=True)}
    source = MappingTable(columns, columns=["b", "a"])
    assert all(
        np.shares_memory(ours, columns[name])
        for ours, name in zip(source._columns, ["b", "a"], strict=True)
    )


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, 2, 3], [1, 2, 3]),
        ([1, None, 2.5], [1, np.nan, 2.5]),
        ([True, False, True], [1, 0, 1]),
        ([Decimal("1.5"), 2, 3], [1.5, 2, 3]),
        (range(3), [0, 1, 2]),
        (np.ma.masked_array([1, 2, 3], [False, True, False]), [1, np.nan, 3]),
        (np.array([1, None, 3], dtype=object), [1, np.nan, 3]),
    ],
)
def test_columns(values, expected):
    column = check_column(values, "a")
    np.testing.assert_array_equal(np.asarray(column, dtype=np.float64), expected)


@pytest.mark.parametrize(
    ("values", "fragments"),
    [
        (["x", "y"], ["'a' must hold numbers", "text", "exclude"]),
        ([1, "y"], ["'a' must hold numbers", "'", "exclude"]),
        ([1, object()], ["'a' must hold numbers", "exclude"]),
        ([1j, 2], ["'a' must hold numbers", "complex"]),
        ([[1, 2], [3, 4]], ["'a' must have one value for each row", "shape (2, 2)"]),
        ([[1, 2], [3]], ["'a'", "ragged"]),
        (np.zeros(2, "timedelta64[s]"), ["'a' must hold numbers", "durations"]),
    ],
)
def test_no_columns(refuses, values, fragments):
    refuses(lambda: check_column(values, "a"), DataError, *fragments)


def test_rows_of_a_mapping_can_be_tested(rows, same_result):
    columns = dict(zip("abcd", rows.T, strict=True))
    same_result(ew.edge_test(columns), ew.edge_test(rows), names="abcd")
    state = ew.accumulate(columns)
    assert state.feature_names == tuple("abcd")

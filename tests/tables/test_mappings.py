"""Columns by name: what is a column, what is missing, what is not a number."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from edgewise.errors import DataError
from edgewise.tables.arrays import check_column


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

"""How many rows there are, found with as little reading as possible."""

from __future__ import annotations

import numpy as np

from edgewise.tables.arrays import ArrayTable
from edgewise.tables.open import as_table
from edgewise.tables.table import Table, rows_up_to


def test_rows_that_are_known(rows, in_parts):
    assert rows_up_to(ArrayTable(rows), 400) == 400
    assert rows_up_to(ArrayTable(rows), 399) is None
    assert rows_up_to(in_parts(rows), 1000) == 400


def test_rows_that_are_counted(rows, csv_file):
    assert rows_up_to(as_table(csv_file), 500) == 400
    assert rows_up_to(as_table(csv_file), 399) is None
    X = rows.copy()
    X[:10] = np.nan
    assert rows_up_to(as_table(X, missing="drop"), 390) == 390


def test_no_more_is_read_than_is_needed(rows):
    read = []

    class Noted(Table):
        feature_names = ("a", "b", "c", "d")
        named = rescannable = True

        def blocks(self):
            for start in range(0, 400, 100):
                read.append(start)
                yield rows[start : start + 100]

    assert rows_up_to(Noted(), 150) is None
    assert read == [0, 100]


def test_rows_that_would_cost_more_to_count(rows, in_parts):
    """Of a stream, which is read once, and of partitions."""
    assert rows_up_to(as_table(iter([rows[:3]])), 10) is None
    assert rows_up_to(in_parts(rows, known=False), 1000) is None

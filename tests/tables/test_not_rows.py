"""Objects that are one step away from rows: the remedy that the sentence names works."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError
from edgewise.tables.open import check_is_rows


def test_rows_are_let_through(rows, table):
    for data in (rows, rows.tolist(), table, {"a": rows[:, 0]}, iter([rows]), [], ()):
        check_is_rows(data)


@pytest.mark.parametrize("lengths", [[100] * 4, [50, 200, 150]])
def test_series_of_subjects_as_the_sentence_says(rows, refuses, lengths):
    data = np.split(rows, np.cumsum(lengths)[:-1])
    said = str(refuses(lambda: ew.edge_test(data), DataError, "subjects"))
    known = {"np": np, "data": data}
    stacked = eval(said[said.index("np.conc") : said.index(" and clusters")], known)
    groups = eval(said[said.index("np.repeat") : -1], known)
    np.testing.assert_array_equal(stacked, rows)
    np.testing.assert_array_equal(groups, np.repeat(range(len(lengths)), lengths))
    assert ew.edge_test(stacked, clusters=groups).n_samples == 400


def test_three_dimensions_as_the_sentence_says(rows, refuses):
    X = rows.reshape(5, 80, 4)
    said = str(refuses(lambda: ew.edge_test(X), DataError, "5 series of 80 rows"))
    stacked = eval(said[said.index("X.reshape") : said.index(" and pass")], {"X": X})
    groups = eval(said[said.index("np.repeat") : -1], {"np": np})
    np.testing.assert_array_equal(stacked, rows)
    assert ew.edge_test(stacked, clusters=groups).n_samples == 400

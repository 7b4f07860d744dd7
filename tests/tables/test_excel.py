"""Sheets of workbooks: cells as they are shown, rows by their numbers."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest

import edgewise as ew
from edgewise.tables.formats import open_file
from edgewise.tables.reading import Reading


@pytest.fixture
def sheet(tmp_path, require):
    openpyxl = require("openpyxl")

    def save(rows, **cells):
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        for place, value in cells.items():
            book.active[place] = value
        book.save(path := tmp_path / "x.xlsx")
        return path

    return save


def test_numbers(sheet, all_rows):
    rows = [["a", "b", "c"], [1, 2.5, True], [None, "NA", False], ["3", 1e300, None]]
    file = open_file(sheet(rows))
    assert (file.kind, file.notes) == ("Excel", ())
    expected = [[1, 2.5, 1], [np.nan, np.nan, 0], [3, 1e300, np.nan]]
    np.testing.assert_array_equal(all_rows(file.read(("a", "b", "c"), 0)), expected)
    np.testing.assert_array_equal(
        all_rows(file.read(("c", "a"), 1)), np.array(expected)[1:, [2, 0]]
    )


def test_labels(sheet, all_rows):
    day = dt.datetime(2020, 1, 2)
    file = open_file(sheet([["g", "d", "a"], ["u", day, 1], ["v", day, 2], ["u", None, 3]]))
    assert set(file.texts) == {"g", "d"}
    assert file.values("g") == ["u", "v", "u"]
    assert file.values("d") == ["2020-01-02T00:00:00"] * 2 + [None]
    labels = all_rows(file.read(("a", "g"), 0, ("g",)))[:, 1]
    assert labels[0] == labels[2] != labels[1]


def test_the_number_of_a_row(sheet, refuses):
    path = sheet([["a", "b"], [1, 2], [3, 5]], A8=3, B10="x")
    refuses(lambda: ew.edge_test(path), ew.errors.DataTypeError, "'b'", "'x' in line 10")


def test_options(sheet, refuses):
    path = sheet([[7, 1.5], [8, 2.5]])
    file = open_file(path, Reading.checked(header=False, index_col=0))
    assert (file.names, file.index, file.notes) == (("x0", "x1"), ("x0",), ())
    refuses(
        lambda: open_file(path, Reading.checked(sheet=1)),
        ew.errors.DataError,
        "no sheet 1",
        "'Sheet'",
    )
    refuses(
        lambda: open_file(path, Reading.checked(decimal=",")),
        ew.errors.ParameterError,
        "text files",
    )

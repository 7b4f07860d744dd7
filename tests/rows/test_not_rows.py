"""Objects that are one step away from rows: the remedy that the sentence names works."""

from __future__ import annotations

import numpy as np
import pytest
from tests.corpus.kit import Kit
from tests.corpus.object_labelled import epochs, raw

import edgewise as ew
from edgewise.rows.not_rows import check_is_rows, is_a
from edgewise.rows.opening import open_table


class Base:
    pass


class Derived(Base):
    pass


def test_classes_are_known_by_their_names():
    package = __name__.partition(".")[0]
    assert is_a(Derived(), package, "Derived")
    assert is_a(Derived(), package, "Base")
    assert not is_a(Derived(), package, "Other")
    assert not is_a(Derived(), "other", "Base")


def test_rows_are_let_through(rows, table):
    for data in (rows, rows.tolist(), table, {"a": rows[:, 0]}, iter([rows]), [], ()):
        check_is_rows(data)


@pytest.mark.parametrize("lengths", [[100] * 4, [50, 200, 150]])
def test_series_of_subjects_as_the_sentence_says(rows, refuses, lengths):
    data = np.split(rows, np.cumsum(lengths)[:-1])
    said = str(refuses(lambda: ew.edge_test(data), ew.DataError, "subjects"))
    known = {"np": np, "data": data}
    stacked = eval(said[said.index("np.conc") : said.index(" and groups")], known)
    groups = eval(said[said.index("np.repeat") : -1], known)
    np.testing.assert_array_equal(stacked, rows)
    np.testing.assert_array_equal(groups, np.repeat(range(len(lengths)), lengths))
    assert ew.edge_test(stacked, groups=groups).n_samples == 400


def test_three_dimensions_as_the_sentence_says(rows, refuses):
    X = rows.reshape(5, 80, 4)
    said = str(refuses(lambda: ew.edge_test(X), ew.DataError, "5 series of 80 rows"))
    stacked = eval(said[said.index("X.reshape") : said.index(" and pass")], {"X": X})
    groups = eval(said[said.index("np.repeat") : -1], {"np": np})
    np.testing.assert_array_equal(stacked, rows)
    assert ew.edge_test(stacked, groups=groups).n_samples == 400


def test_stacked_dimensions_of_xarray_as_the_sentence_says(rows, refuses, require, all_rows):
    data = require("xarray").DataArray(rows.reshape(5, 80, 4), dims=["s", "t", "v"])
    said = str(refuses(lambda: open_table(data), ew.DataError, "data.stack"))
    stacked = eval(said[said.index("data.stack") : said.index(", and pass")], {"data": data})
    np.testing.assert_array_equal(all_rows(open_table(stacked)), rows)
    table = open_table(stacked, groups="s")
    assert table.groups_name == "s"


def test_batches_of_an_iterable_dataset_as_the_sentence_says(table, require, refuses, same_result):
    data = require("datasets").Dataset(table).to_iterable_dataset()
    said = str(refuses(lambda: open_table(data), ew.DataTypeError, "its batches"))
    batches = eval(said[said.index("data.with") : said.index(", with method")], {"data": data})
    result = ew.edge_test(batches, method="fisher")
    same_result(result, ew.edge_test(table, method="fisher"))


def test_columns_with_the_names_of_methods(rows, require):
    names = ["cursor", "commit", "fetchmany", "description"]
    frame = require("pandas").DataFrame(rows, columns=names)
    assert open_table(frame).feature_names == tuple(names)
    data = require("xarray").Dataset(dict.fromkeys(names, ("t", rows[:, 0])))
    assert open_table(data).feature_names == tuple(names)


@pytest.mark.parametrize("kind", ["Raw", "Epochs"])
def test_recordings_of_subjects_as_the_sentence_says(rows, require, refuses, tmp_path, kind):
    make = {"Raw": raw, "Epochs": epochs}[kind]
    data = [make(Kit(rows, require, tmp_path)), make(Kit(2 * rows, require, tmp_path))]
    said = str(refuses(lambda: open_table(data), ew.DataError, "2 subjects"))
    known = {"np": np, "data": data, "mne": require("mne")}
    stacked = eval(said[said.index("mne.conc") : said.index(" and groups")], known)
    groups = eval(said[said.index("np.repeat") : -1], known)
    assert groups.tolist() == [0] * 400 + [1] * 400
    assert open_table(stacked, groups=groups).n_rows == 800


def test_lists_that_begin_like_tables_are_looked_at_once():
    class Counting(list):
        asked = 0

        def __iter__(self):
            Counting.asked += 1
            return super().__iter__()

    check_is_rows(Counting([[1.0, 2.0]] * 100))
    assert Counting.asked == 0

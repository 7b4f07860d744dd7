"""Columns that cannot be tested are left out with one note, wherever the rows are."""

from __future__ import annotations

import sqlite3

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import edgewise as ew
from edgewise.errors import DataError, DataTypeError

NOTE = (
    "Left out, because they cannot be tested: 'city' (text), 'day' (dates), 'k' (constant), "
    "'id' (row numbers)."
)


@pytest.fixture
def mixed(rows):
    """Four columns of measurements among four others."""
    a, b, c, d = map(pa.array, rows.T)
    city, k = pa.array(["Rome", "Kyiv"] * 200), pa.array([7.0] * 400)
    day = pa.array(np.arange(400).astype("datetime64[D]").astype("datetime64[s]"))
    columns = [pa.array(np.arange(5, 405)), a, city, b, day, c, k, d]
    return pa.table(columns, ["id", "a", "city", "b", "day", "c", "k", "d"])


def cursor(table, require, path):
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE r (id, a, city, b, day, c, k, d)")
    places = ", ".join("?" * table.num_columns)
    rows = table.set_column(4, "day", table["day"].cast(pa.string())).to_pylist()
    connection.executemany(f"INSERT INTO r VALUES ({places})", [[*row.values()] for row in rows])
    return connection.execute("SELECT * FROM r ORDER BY id")


def parquet_file(table, require, path):
    parquet.write_table(table, path / "r.parquet")
    return path / "r.parquet"


def csv_file(table, require, path):
    require("pandas")
    table.to_pandas().to_csv(path / "r.csv", index=False)
    return path / "r.csv"


CONTAINERS = {
    "Arrow": lambda table, require, path: table,
    "pandas": lambda table, require, path: (require("pandas"), table.to_pandas())[1],
    "polars": lambda table, require, path: require("polars").from_arrow(table),
    "LazyFrame": lambda table, require, path: require("polars").from_arrow(table).lazy(),
    "mapping": lambda table, require, path: {
        name: table[name].to_numpy() for name in table.column_names
    },
    "Parquet": parquet_file,
    "CSV": csv_file,
}


@pytest.mark.parametrize("name", CONTAINERS)
@pytest.mark.filterwarnings("ignore::edgewise.errors.FormatGuessWarning")
def test_one_note_names_them_all(mixed, rows, require, tmp_path, same_result, refuses, name):
    data = CONTAINERS[name](mixed, require, tmp_path)
    result = ew.edge_test(data, method="score")
    same_result(result, ew.edge_test(rows, method="score"), names="abcd")
    assert len(result.notes) == 1
    for word in NOTE.split(": ")[1].rstrip(".").split(", "):
        assert word in result.notes[0]
    assert result.notes[0] in result.summary()
    assert ew.edge_test(data, columns=["a", "id"], method="score").feature_names == ("a", "id")
    for column, what in (("city", "text"), ("day", "dates")):
        call = lambda c=column: ew.edge_test(data, columns=["a", c])  # noqa: E731
        refuses(call, DataTypeError, f"'{column}'", what)
    call = lambda: ew.edge_test(data, columns=["a", "k"], method="score")  # noqa: E731
    refuses(call, DataError, "constant column 'k'")


def test_what_is_read_once_keeps_its_numbers(mixed, require, tmp_path):
    result = ew.edge_test(
        cursor(mixed, require, tmp_path), method="batch", exclude=["k", "id"], n_batches=20
    )
    assert result.feature_names == tuple("abcd")
    assert "'city' (text), 'day' (text)" in result.notes[0]


def test_columns_that_the_question_names_stay(mixed, refuses):
    call = lambda: ew.edge_test(mixed, given="k", method="score")  # noqa: E731
    refuses(call, DataError, "constant column 'k'")


def test_arrays_keep_their_shape(rows, refuses):
    X = np.column_stack([rows, np.full(400, 3.0)])
    refuses(lambda: ew.edge_test(X, method="score"), DataError, "constant column 'x4'")
    assert ew.edge_test(rows).notes == ()
    assert ew.edge_test(np.column_stack([rows, np.arange(400)]), method="score").n_features == 5


def dated(rows, days, **more):
    columns = dict(zip("abcd", rows.T, strict=True)) | more
    day = pa.array(np.datetime64("2020-01-01") + np.asarray(days)).cast(pa.timestamp("us"))
    return pa.table(columns | {"day": day})


BACK = (
    "The dates of 'day' go back in {} of 400 rows; if rows were taken on these dates, sort the rows"
)
ORDERS = {
    "in order": (np.arange(400), 0),
    "newest first": (np.arange(400)[::-1], 0),
    "several rows a day": (np.arange(400) // 7, 0),
    "one day": (np.zeros(400, int), 0),
    "two files, the later one first": ((np.arange(400) + 200) % 400, 1),
    "in no order": (np.random.default_rng(0).permutation(400), 199),
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("container", ["frame", "pandas", "Parquet", "CSV"])
def test_dates_that_go_back(rows, require, tmp_path, container, order):
    days, times = ORDERS[order]
    table = dated(rows, days)
    if container == "pandas":
        require("pandas")
        table = table.to_pandas()
    elif container != "frame":
        table = (parquet_file if container == "Parquet" else csv_file)(table, require, tmp_path)
    left_out, *notes = ew.edge_test(table).notes
    assert left_out == "Left out, because it cannot be tested: 'day' (dates)."
    assert [note.startswith(BACK.format(times)) for note in notes] == [True] * (times > 0)


def test_dates_that_say_nothing_of_the_order(rows):
    back = np.roll(np.arange(400), 200)
    born, who = dated(rows, back)["day"], np.repeat(np.arange(40), 10)
    # The rows are in the order of other dates; each cluster has dates of its own.
    assert len(ew.edge_test(dated(rows, np.arange(400), born=born)).notes) == 1
    assert len(ew.edge_test(dated(rows, back), clusters=who).notes) == 1

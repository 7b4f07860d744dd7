"""What the user passed decides the source; whatever it is, the result is the same."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest

import edgewise as ew
from edgewise import tables
from edgewise.errors import DataError, DataTypeError
from edgewise.tables import open as opening
from edgewise.tables.arrays import ArrayTable
from edgewise.tables.arrow import BatchTable
from edgewise.tables.files import FileTable
from edgewise.tables.frames import PandasTable
from edgewise.tables.open import as_table, open_files
from edgewise.tables.options import View
from edgewise.tables.streams import IteratorTable
from edgewise.tables.table import Table

DEFAULT = ("x0", "x1", "x2", "x3")


def memory_mapped(kit):
    return np.load(kit.save("m.npy", "", kit.rows), mmap_mode="r")


# Some of the folders hold files of several kinds, which is told.
pytestmark = pytest.mark.filterwarnings("ignore::edgewise.errors.FormatGuessWarning")


def pandas_frame(kit):
    return kit.require("pandas").DataFrame(kit.rows, columns=list("abcd"))


def duckdb_relation(kit):
    connection = kit.close_later(kit.require("duckdb").connect())
    connection.register("kept", kit.table)
    return connection.sql("select * from kept")


def adbc_reader(kit):
    # By default all connections share one database.
    uri = f"file:{uuid4().hex}?mode=memory"
    connection = kit.close_later(kit.require("adbc_driver_sqlite.dbapi").connect(uri))
    cursor = kit.close_later(connection.cursor())
    cursor.adbc_ingest("kept", kit.table, mode="create")
    cursor.execute("select * from kept")
    return cursor.fetch_record_batch()


def saved(*names, columns="abcd"):
    """A list of files of these names, with the rows spread over them."""

    def write(kit):
        parts = np.array_split(kit.rows, len(names))
        return [kit.save(name, columns, X) for name, X in zip(names, parts, strict=True)]

    return write


def folder_of(*names, columns="abcd"):
    return lambda kit: saved(*names, columns=columns)(kit)[0].parent


def pattern(kit):
    return saved("g1.csv", "g2.parquet", "g3.csv")(kit)[0].parent / "g?.*"


# What is made of the rows, the names it has, and the source it becomes.
READ_AGAIN = {
    "array": (lambda kit: kit.rows, DEFAULT, ArrayTable),
    "Fortran array": (lambda kit: np.asfortranarray(kit.rows), DEFAULT, ArrayTable),
    "memory map": (memory_mapped, DEFAULT, ArrayTable),
    "list": (lambda kit: kit.rows.tolist(), DEFAULT, ArrayTable),
    "pandas": (pandas_frame, "abcd", PandasTable),
    "nullable pandas": (lambda kit: pandas_frame(kit).convert_dtypes(), "abcd", PandasTable),
    "polars": (lambda kit: kit.require("polars").from_arrow(kit.table), "abcd", BatchTable),
    "Arrow table": (lambda kit: kit.table, "abcd", BatchTable),
    "record batch": (lambda kit: kit.table.to_batches()[0], "abcd", BatchTable),
    "Arrow C stream": (lambda kit: kit.stream(kit.table), "abcd", BatchTable),
    "DuckDB relation": (duckdb_relation, "abcd", BatchTable),
    "Parquet": (saved("r.parquet"), "abcd", FileTable),
    "Feather": (saved("r.feather"), "abcd", FileTable),
    "Arrow IPC": (saved("r.arrow"), "abcd", FileTable),
    "CSV": (saved("r.csv"), "abcd", FileTable),
    "npy": (saved("r.npy"), DEFAULT, FileTable),
    "files": (saved("1.csv", "2.parquet", "3.feather", "4.ipc"), "abcd", FileTable),
    "folder": (folder_of("f/1.csv", "f/2.pq", "f/3.arrow"), "abcd", FileTable),
    "folder with npy": (
        folder_of("f/1.npy", "f/2.csv", "f/3.parquet", columns=DEFAULT),
        DEFAULT,
        FileTable,
    ),
    "pattern": (pattern, "abcd", FileTable),
}

READ_ONCE = {
    "record batch reader": (lambda kit: kit.table.to_reader(max_chunksize=37), "abcd", BatchTable),
    "ADBC reader": (adbc_reader, "abcd", BatchTable),
    "generator of arrays": (lambda kit: iter(np.split(kit.rows, 8)), DEFAULT, IteratorTable),
    "generator of frames": (
        lambda kit: (pandas_frame(kit)[i : i + 90] for i in range(0, 400, 90)),
        "abcd",
        IteratorTable,
    ),
    "generator of record batches": (
        lambda kit: (batch for batch in kit.table.to_batches(max_chunksize=33)),
        "abcd",
        IteratorTable,
    ),
}
KINDS = READ_AGAIN | READ_ONCE


FREE = {"array", "Fortran array", "memory map", "list", "pandas", "polars"}
FREE |= {"Arrow table", "record batch", "nullable pandas"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")
def test_the_table_and_its_results(kit, all_rows, same_result, refuses, kind):
    make, names, expected = KINDS[kind]
    table = as_table(make(kit))
    assert isinstance(table, Table)
    assert type(table) is expected
    assert table.feature_names == tuple(names)
    assert table.named == (names == "abcd")
    assert table.rescannable == (kind in READ_AGAIN)
    # Another pass costs next to nothing where the rows lie in memory.
    assert table.in_memory == (kind in FREE)
    np.testing.assert_array_equal(all_rows(table), kit.rows)
    asked = {"batch": {"n_batches": 20}, "trace": {}}
    if kind in READ_AGAIN:
        np.testing.assert_array_equal(all_rows(table), kit.rows)
        asked["score"] = {}
    else:
        refuses(lambda: all_rows(table), DataError, "read already", "make a new one")
        for method in ("score", "wald", "whitened", "elliptical"):
            refuses(
                lambda method=method: ew.edge_test(make(kit), method=method),
                DataError,
                *(f"method '{method}' reads the rows twice", "only once", "method='batch'"),
            )
    for method, options in asked.items():
        here = ew.edge_test(kit.rows, method=method, **options)
        same_result(ew.edge_test(make(kit), method=method, **options), here, names=names)


def test_a_table_passes_through(rows):
    for source in (ArrayTable(rows), View(ArrayTable(rows))):
        assert as_table(source) is source


@pytest.mark.parametrize("wrap", [str, Path, lambda path: [path], lambda path: (str(path),)])
def test_paths(csv_file, wrap):
    source = as_table(wrap(csv_file))
    assert isinstance(source, FileTable)
    assert source.feature_names == ("a", "b", "c", "d")


def test_own_sources_are_welcome(rows, same_result):
    class Halves(Table):
        feature_names = ("p", "q", "r", "s")
        named = rescannable = True

        def blocks(self):
            yield rows[:150]
            yield rows[150:]

    own = Halves()
    assert as_table(own) is own
    same_result(ew.edge_test(own), ew.edge_test(rows), names="pqrs")
    own.rescannable = False
    with pytest.raises(DataError, match="only once"):
        ew.edge_test(own, method="score")


@pytest.mark.parametrize("data", [None, 3, "", b"rows.csv", {"a": [1, 2]}, [], object], ids=repr)
def test_what_holds_no_rows_is_one_sentence(refuses, data):
    refuses(lambda: ew.edge_test(data), DataError)


def test_one_step_before_rows(require, refuses):
    with require("duckdb").connect() as connection:
        refuses(lambda: as_table(connection), DataTypeError, "DuckDB", "connection.sql")
    refuses(lambda: as_table("ftpx://rows/"), DataError, "'ftpx://rows/'", "copy the file")


VIEWED = {
    "array": lambda rows: ArrayTable(rows),
    "without missing values": lambda rows: View(ArrayTable(rows)),
    "frame": lambda rows: as_table(rows, feature_names=["x0", "x1", "x2", "x3"]),
}


@pytest.mark.parametrize("kind", VIEWED)
def test_a_table_that_is_open_already(rows, all_rows, refuses, kind):
    """Whatever is asked of data can be asked of a table."""
    table = VIEWED[kind](rows)
    chosen = as_table(table, columns=["x2", "x0"])
    assert chosen.feature_names == ("x2", "x0")
    np.testing.assert_array_equal(all_rows(chosen), rows[:, [2, 0]])
    told = []
    left = as_table(table, exclude="x0", feature_names=list("pqr"), progress=told.append)
    assert left.feature_names == ("p", "q", "r")
    np.testing.assert_array_equal(all_rows(left), rows[:, 1:])
    assert sum(told) == 400
    X = rows.copy()
    X[3, 1] = np.nan
    assert len(all_rows(as_table(VIEWED[kind](X), missing="drop"))) == 399
    call = lambda: as_table(table, columns=["x1", "z"])  # noqa: E731
    refuses(call, DataError, "columns: the table has no column 'z'", "'x0', 'x1'")


def test_only_files_are_read_on(rows, csv_file, refuses):
    table = open_files([csv_file], columns=["a", "c"])
    assert open_files(table) is table
    assert table.feature_names == ("a", "c")
    for data in (rows, iter([rows]), View(table)):
        call = lambda d=data: open_files(d)  # noqa: E731
        refuses(call, DataError, "expected a path", type(data).__name__, "checkpoint")


class Shelf:
    """A container of another package, of which edgewise knows nothing."""

    def __init__(self, X, names, who):
        self.books, self.titles, self.who = X, names, who


Shelf.__module__ = "toys"
SHELVES = """
from edgewise.tables.arrays import SlicedTable

class ShelfTable(SlicedTable):
    def __init__(self, data, **chosen):
        self._data, titles = data, (*data.titles, "who")
        names = self._choose(titles, len(data.books), {"who": "text"}, **chosen)
        self._places = [titles.index(name) for name in names]

    def rows(self, start, stop):
        return self._data.books[start:stop, self._places]

    def labels(self, name):
        return self._data.who
"""


def test_a_container_is_one_file_and_one_line(rows, tmp_path, monkeypatch, same_result):
    shelf = Shelf(rows, ("a", "b", "c", "d"), np.repeat([*"pqrst"], 80))
    with pytest.raises(DataTypeError, match="expected a 2D array"):
        ew.edge_test(shelf)
    (tmp_path / "shelves.py").write_text(SHELVES)  # the file
    line = (partial(opening.is_a, package="toys", name="Shelf"), "shelves:ShelfTable")
    monkeypatch.setattr(opening, "_CONTAINERS", (*opening._CONTAINERS, line))
    monkeypatch.setattr(tables, "__path__", [*tables.__path__, str(tmp_path)])
    result = ew.edge_test(shelf)
    same_result(result, ew.edge_test(rows), names="abcd")
    assert result.notes == ("Left out, because it cannot be tested: 'who' (text).",)
    for asked in ({"clusters": "who"}, {"columns": ["d", "a"]}, {"method": "batch"}):
        here = {**asked, "columns": ["x3", "x0"]} if "columns" in asked else dict(asked)
        here |= {"clusters": shelf.who} if "clusters" in asked else {}
        names = asked.get("columns", "abcd")
        same_result(ew.edge_test(shelf, **asked), ew.edge_test(rows, **here), names=names)
    assert ew.compare_groups(shelf, by="who").levels == (*"pqrst",)

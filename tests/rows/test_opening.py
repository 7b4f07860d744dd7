"""What the user passed decides the source; whatever it is, the result is the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import edgewise as ew
from edgewise.rows.opening import as_source, is_path_like
from edgewise.rows.readers.arrays import ArraySource
from edgewise.rows.readers.arrow import ArrowSource
from edgewise.rows.readers.files import FileSource
from edgewise.rows.readers.frames import PandasSource
from edgewise.rows.readers.iterators import IteratorSource
from edgewise.rows.table import Source, in_memory
from edgewise.rows.views import FiniteRows

DEFAULT = ("x0", "x1", "x2", "x3")


def memory_mapped(kit):
    return np.load(kit.save("m.npy", "", kit.rows), mmap_mode="r")


def pandas_frame(kit):
    return kit.require("pandas").DataFrame(kit.rows, columns=list("abcd"))


def duckdb_relation(kit):
    connection = kit.close_later(kit.require("duckdb").connect())
    connection.register("kept", kit.table)
    return connection.sql("select * from kept")


def adbc_reader(kit):
    connection = kit.close_later(kit.require("adbc_driver_sqlite.dbapi").connect())
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
    "array": (lambda kit: kit.rows, DEFAULT, ArraySource),
    "Fortran array": (lambda kit: np.asfortranarray(kit.rows), DEFAULT, ArraySource),
    "memory map": (memory_mapped, DEFAULT, ArraySource),
    "list": (lambda kit: kit.rows.tolist(), DEFAULT, ArraySource),
    "pandas": (pandas_frame, "abcd", PandasSource),
    "polars": (lambda kit: kit.require("polars").from_arrow(kit.table), "abcd", ArrowSource),
    "Arrow table": (lambda kit: kit.table, "abcd", ArrowSource),
    "record batch": (lambda kit: kit.table.to_batches()[0], "abcd", ArrowSource),
    "Arrow C stream": (lambda kit: kit.stream(kit.table), "abcd", ArrowSource),
    "DuckDB relation": (duckdb_relation, "abcd", ArrowSource),
    "Parquet": (saved("r.parquet"), "abcd", FileSource),
    "Feather": (saved("r.feather"), "abcd", FileSource),
    "Arrow IPC": (saved("r.arrow"), "abcd", FileSource),
    "CSV": (saved("r.csv"), "abcd", FileSource),
    "npy": (saved("r.npy"), DEFAULT, FileSource),
    "files": (saved("1.csv", "2.parquet", "3.feather", "4.ipc"), "abcd", FileSource),
    "folder": (folder_of("f/1.csv", "f/2.pq", "f/3.arrow"), "abcd", FileSource),
    "folder with npy": (
        folder_of("f/1.npy", "f/2.csv", "f/3.parquet", columns=DEFAULT),
        DEFAULT,
        FileSource,
    ),
    "pattern": (pattern, "abcd", FileSource),
}

READ_ONCE = {
    "record batch reader": (lambda kit: kit.table.to_reader(max_chunksize=37), "abcd", ArrowSource),
    "ADBC reader": (adbc_reader, "abcd", ArrowSource),
    "generator of arrays": (lambda kit: iter(np.split(kit.rows, 8)), DEFAULT, IteratorSource),
    "generator of frames": (
        lambda kit: (pandas_frame(kit)[i : i + 90] for i in range(0, 400, 90)),
        "abcd",
        IteratorSource,
    ),
    "generator of record batches": (
        lambda kit: (batch for batch in kit.table.to_batches(max_chunksize=33)),
        "abcd",
        IteratorSource,
    ),
}
KINDS = READ_AGAIN | READ_ONCE
ONE_PASS = {"batch": {"n_batches": 20}, "trace": {}, "fisher": {}}


@pytest.mark.parametrize("kind", KINDS)
def test_the_kind_of_source(kit, all_rows, kind):
    make, names, expected = KINDS[kind]
    source = as_source(make(kit))
    assert isinstance(source, Source)
    assert type(source) is expected
    assert source.feature_names == tuple(names)
    assert source.named == (names == "abcd")
    assert source.rescannable == (kind in READ_AGAIN)
    np.testing.assert_array_equal(all_rows(source), kit.rows)


@pytest.mark.parametrize("kind", KINDS)
def test_what_another_pass_costs(kit, kind):
    """Next to nothing where the rows lie in memory; files, queries and streams are read anew."""
    free = {"array", "Fortran array", "memory map", "list", "pandas", "polars"}
    free |= {"Arrow table", "record batch"}
    assert in_memory(as_source(KINDS[kind][0](kit))) == (kind in free)


@pytest.mark.parametrize("method", ONE_PASS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore::edgewise.errors.TooFewRowsWarning")
def test_the_result_of_one_pass(kit, same_result, kind, method):
    make, names, _ = KINDS[kind]
    expected = ew.edge_test(kit.rows, method=method, **ONE_PASS[method])
    result = ew.edge_test(make(kit), method=method, **ONE_PASS[method])
    same_result(result, expected, names=names)


@pytest.mark.parametrize("kind", READ_AGAIN)
def test_the_result_of_two_passes(kit, same_result, kind):
    make, names, _ = READ_AGAIN[kind]
    same_result(ew.edge_test(make(kit)), ew.edge_test(kit.rows), names=names)


@pytest.mark.parametrize("method", ["score", "wald", "whitened", "eig", "elliptical"])
@pytest.mark.parametrize("kind", READ_ONCE)
def test_two_passes_over_a_stream_are_refused_with_an_offer(kit, refuses, kind, method):
    make = READ_ONCE[kind][0]
    refuses(
        lambda: ew.edge_test(make(kit), method=method),
        ew.DataError,
        f"method '{method}' reads the rows twice",
        "only once",
        "method='batch'",
        "Parquet",
    )


@pytest.mark.parametrize("kind", READ_ONCE)
def test_streams_are_read_once(kit, refuses, all_rows, kind):
    source = as_source(READ_ONCE[kind][0](kit))
    assert len(all_rows(source)) == 400
    refuses(lambda: all_rows(source), ew.DataError, "read already", "make it anew")


@pytest.mark.parametrize("kind", READ_AGAIN)
def test_what_is_not_a_stream_is_read_again_and_again(kit, all_rows, kind):
    source = as_source(READ_AGAIN[kind][0](kit))
    for _ in range(2):
        np.testing.assert_array_equal(all_rows(source), kit.rows)


def test_a_source_passes_through(rows):
    for source in (ArraySource(rows), FiniteRows(ArraySource(rows))):
        assert as_source(source) is source


@pytest.mark.parametrize("wrap", [str, Path, lambda path: [path], lambda path: (str(path), path)])
def test_paths(csv_file, wrap):
    source = as_source(wrap(csv_file))
    assert isinstance(source, FileSource)
    assert source.feature_names == ("a", "b", "c", "d")


def test_what_is_a_path():
    assert all(is_path_like(data) for data in ("a", Path("a"), ["a", Path("b")], ("a",)))
    assert not any(is_path_like(data) for data in ([], (), ["a", 1], None, b"a", {"a": 1}))


def test_own_sources_are_welcome(rows, same_result):
    class Halves:
        feature_names = ("p", "q", "r", "s")
        named = rescannable = True
        n_rows = estimated_rows = None

        def batches(self):
            yield rows[:150]
            yield rows[150:]

    own = Halves()
    assert as_source(own) is own
    same_result(ew.edge_test(own), ew.edge_test(rows), names="pqrs")
    own.rescannable = False
    with pytest.raises(ew.DataError, match="only once"):
        ew.edge_test(own)


@pytest.mark.parametrize("data", [None, 3, "", b"rows.csv", {"a": [1, 2]}, [], object], ids=repr)
def test_what_holds_no_rows_is_one_sentence(refuses, data):
    refuses(lambda: ew.edge_test(data), ew.DataError)


def test_one_step_before_rows(require, refuses):
    frame = require("polars").DataFrame({"a": [1.0], "b": [2.0]})
    refuses(lambda: as_source(frame.lazy()), ew.DataTypeError, "LazyFrame", "collect()")
    with require("duckdb").connect() as connection:
        refuses(lambda: as_source(connection), ew.DataTypeError, "DuckDB", "connection.sql")
    refuses(lambda: as_source("s3://bucket/rows/"), ew.DataError, "'s3://bucket/rows/'", "DuckDB")

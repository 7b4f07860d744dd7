"""Folders, patterns, links, copies and pipes: no row counts twice, and nothing hangs."""

from __future__ import annotations

import gzip
import os
import threading

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from edgewise.errors import DataError, DataTypeError
from edgewise.tables.files import FileTable

NAMES = ["a", "b"]


@pytest.fixture(scope="module", name="X")
def some_rows():
    return np.random.default_rng(8).standard_normal((400, 2))


def write(path, X, digits=None):
    """Rows in the format that the ending says, rounded if told."""
    table = pa.table(dict(zip(NAMES, X.T if digits is None else X.T.round(digits), strict=True)))
    if path.suffix == ".parquet":
        parquet.write_table(table, path)
    elif path.suffix == ".gz":
        with gzip.open(path, "wb") as file:
            arrow_csv.write_csv(table, file)
    else:
        arrow_csv.write_csv(table, path)
    return path


def n_rows(table):
    return sum(block.shape[0] for block in table.blocks())


@pytest.fixture
def folder(tmp_path, X):
    """400 rows, cut into a CSV, a Parquet and a compressed file."""
    (tmp_path / "all").mkdir()
    for k, name in enumerate(["1.csv", "2.parquet", "3.csv.gz", "4.csv"]):
        write(tmp_path / "all" / name, X[100 * k : 100 * k + 100])
    return tmp_path / "all"


def test_a_folder_of_several_kinds(folder, X):
    table = FileTable([folder])
    np.testing.assert_array_equal(np.concatenate([*map(np.asarray, table.blocks())]), X)
    assert "several kinds" in table.notes[0]
    assert "CSV" in table.notes[0]
    assert "Parquet" in table.notes[0]
    assert len(table.notes) == 1
    assert [rows for _, rows in table.files] == [100] * 4


TWICE = {
    "the same path": lambda folder: [folder / "1.csv", folder / "1.csv"],
    "a folder and a file in it": lambda folder: [folder, folder / "4.csv"],
    "a symbolic link": lambda folder: [folder / "1.csv", linked(folder, os.symlink)],
    "a hard link": lambda folder: [folder / "1.csv", linked(folder, os.link)],
}


def linked(folder, link, name="1.csv"):
    link(folder / name, folder.parent / f"link{name}")
    return folder.parent / f"link{name}"


@pytest.mark.parametrize("name", TWICE)
def test_a_file_given_twice(folder, refuses, name):
    paths = TWICE[name](folder)
    refuses(lambda: FileTable(paths), DataError, "once", "twice", "count")


def test_notes_are_shared(tmp_path):
    for k in range(3):
        (tmp_path / f"{k}.csv").write_text(f"a;b\n{k},5;2\n1;3\n")
    (told,) = FileTable([tmp_path]).notes
    assert "like 2 more" in told
    assert told.endswith("is read with separator ';' and decimal comma.")


def test_files_of_other_forms_together(tmp_path):
    (tmp_path / "1.csv").write_text("a,b\n1.5,2\n2,3\n")
    (tmp_path / "2.csv").write_bytes("b;a\n2;1,5\n3;0,5\n".encode("utf-16"))
    table = FileTable([tmp_path])
    rows = np.concatenate([*map(np.asarray, table.blocks())])
    np.testing.assert_array_equal(rows, [[1.5, 2], [2, 3], [1.5, 2], [0.5, 3]])
    (told,) = table.notes
    assert "2.csv' is read with separator ';', decimal comma and utf-16 text." in told


@pytest.fixture
def fifo(tmp_path):
    """``fifo(content)``: the path of a named pipe into which a thread writes."""
    threads = []

    def make(content):
        path = tmp_path / f"pipe{len(threads)}"
        os.mkfifo(path)
        thread = threading.Thread(target=path.write_bytes, args=(content,), daemon=True)
        thread.start()
        threads.append(thread)
        return path

    yield make
    for thread in threads:
        thread.join(5)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
class TestNamedPipes:
    def test_rows(self, fifo):
        table = FileTable([fifo(b"a;b\n1,5;2\n2;3\n")])
        assert not table.rescannable
        assert "is read with separator ';' and decimal comma." in table.notes[0]
        np.testing.assert_array_equal(np.asarray(next(table.blocks())), [[1.5, 2], [2, 3]])

    def test_parquet(self, fifo, refuses):
        refuses(lambda: FileTable([fifo(b"PAR1" + bytes(100))]), DataError, "Parquet", "path")

    def test_a_bad_cell_far_behind(self, fifo, refuses):
        good = b"1.5,2.25\n" * 400_000
        table = FileTable([fifo(b"a,b\n" + good + b"1,oops\n" + good[:9000])])
        refuses(lambda: n_rows(table), DataTypeError, "'oops'", "after row", "'b'")

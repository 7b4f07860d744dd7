"""Each format of files: what is known before it is read, and reading it from any row on."""

from __future__ import annotations

import datetime as dt
import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather

import edgewise as ew
from edgewise.errors import DataError, DataTypeError, NonFiniteError, ParameterError
from edgewise.tables.formats import open_file

NAMES = ["r.csv", "r.parquet", "r.feather", "r.arrow", "r.npy"]
DEFAULT = ("x0", "x1", "x2", "x3")
BLOCK = 1 << 21  # bytes of CSV that the kinds of the columns are guessed from


@pytest.mark.parametrize("name", NAMES)
def test_what_is_known_before_reading(save, rows, name):
    file = open_file(path := save(name, DEFAULT, rows))
    assert file.path == str(path)
    assert file.names == DEFAULT
    assert file.named == (name != "r.npy")
    assert file.n_rows == (None if name == "r.csv" else 400)
    assert file.estimated_rows == pytest.approx(400, rel=0.2 if name == "r.csv" else 0)


@pytest.mark.parametrize("skip", [0, 36, 37, 399, 900])
@pytest.mark.parametrize("name", NAMES)
def test_reading_from_any_row_on(save, rows, name, skip):
    file = open_file(save(name, DEFAULT, rows))
    for _ in range(2):
        blocks = list(file.read(DEFAULT, skip))
        np.testing.assert_array_equal(np.concatenate([np.empty((0, 4)), *blocks]), rows[skip:])
    some = [np.empty((0, 3)), *map(np.asarray, file.read(("x3", "x0", "x1"), skip))]
    np.testing.assert_array_equal(np.concatenate(some), rows[skip:, [3, 0, 1]])


@pytest.mark.parametrize("skip", [0, 37])
@pytest.mark.parametrize("name", NAMES)
def test_blocks_have_one_size_whatever_the_pieces(save, rows, block_size, name, skip):
    block_size(16)
    for piece in (5, 37, 400):
        file = open_file(save(name, DEFAULT, rows, piece=piece))
        sizes = [len(block) for block in file.read(DEFAULT, skip)]
        full, rest = divmod(400 - skip, 16)
        assert sizes == [16] * full + [rest] * (rest > 0)


@pytest.fixture(scope="module")
def filler():
    """Lines of CSV that fill more than the first block."""
    x = np.random.default_rng(5).standard_normal(150_000).tolist()
    return [f"{i % 7},{value:.12f}\n" for i, value in enumerate(x)]


@pytest.fixture
def long_csv(tmp_path, filler):
    def write(first, last):
        """The filler with its first column as told, and other lines after it."""
        lines = [f"{first(i)},{line.split(',')[1]}" for i, line in enumerate(filler)]
        text = "a,b\n" + "".join(lines)
        assert len(text) > BLOCK
        path = tmp_path / "long.csv"
        path.write_text(text + last)
        return path

    return write


def test_fractions_after_a_block_of_whole_numbers(long_csv):
    path = long_csv(lambda i: i % 7, "0.25,1\n1e-3,2\n")
    state = ew.accumulate(path)
    assert state.n_samples == 150_002
    total = sum(i % 7 for i in range(150_000)) + 0.251
    assert state.mean()[0] * 150_002 == pytest.approx(total, rel=1e-12)


def test_gaps_after_a_block_of_numbers(long_csv, refuses):
    path = long_csv(lambda i: i % 7, ",1\nNA,2\nnan,3\n")
    refuses(lambda: ew.edge_test(path, missing="raise"), NonFiniteError, "'a' (3)")


@pytest.mark.parametrize("name", ["r.parquet", "r.feather", "r.npy"])
def test_files_without_rows(save, refuses, name):
    file = open_file(path := save(name, DEFAULT, np.empty((0, 4))))
    assert (file.n_rows, file.estimated_rows) == (0, 0)
    assert list(file.read(DEFAULT, 0)) == []
    refuses(lambda: ew.edge_test(path), DataError, "0 sample")


@pytest.mark.parametrize("name", [name for name in NAMES if name != "r.csv"])
def test_truncated_and_empty_files_are_named(save, rows, refuses, name):
    path = save(name, DEFAULT, rows)
    whole = path.read_bytes()
    for part in (whole[: len(whole) // 2], whole[:10], b""):
        path.write_bytes(part)
        refuses(lambda: open_file(path), DataError, str(path))


def test_a_large_record_batch_stays_in_its_file(tmp_path):
    """Its pages are the file's own: nothing of the size of the batch is allocated."""
    X = np.random.default_rng(0).standard_normal((20, 1_000_000))
    table = pa.table({f"x{k}": column for k, column in enumerate(X)})
    feather.write_feather(
        table, tmp_path / "r.arrow", compression="uncompressed", chunksize=len(X[0])
    )
    expected, before = X.sum(), pa.total_allocated_bytes()
    del table, X
    file = open_file(tmp_path / "r.arrow")
    assert list(file.entries) == [0]
    total = 0.0
    for block in file.read(file.names, 0):
        total += np.asarray(block).sum()
        assert pa.total_allocated_bytes() - before < 10_000_000
    assert total == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("stream", [False, True])
def test_columns_of_all_kinds_beside_the_numbers(tmp_path, stream, block_size):
    block_size(100)
    numbers = np.random.default_rng(0).standard_normal(1000)
    table = pa.table(
        {
            "nothing": pa.nulls(1000),
            "text": [f"t{k % 7}" for k in range(1000)],
            "gaps": pa.array(numbers, mask=numbers > 1),
            "truth": pa.array(numbers > 0),
            "category": pa.array([f"t{k % 3}" for k in range(1000)]).dictionary_encode(),
            "list": pa.array([[k] for k in range(1000)]),
            "after": numbers,
        }
    )
    path = tmp_path / "r.arrow"
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=700)
        writer.write_batch(table.to_batches()[0].slice(0, 0))
    file = open_file(path)
    for skip in (0, 100, 650, 800):
        found = np.concatenate([*map(np.asarray, file.read(["after", "gaps", "truth"], skip))])
        expected = [numbers, np.where(numbers > 1, np.nan, numbers), numbers > 0]
        np.testing.assert_array_equal(found, np.column_stack(expected)[skip:])
    for name in ("text", "category"):
        assert file.labels(name) == table[name].to_pylist()
        labels = np.concatenate([*map(np.asarray, file.read([name], 0, [name]))])[:, 0]
        assert len(set(labels)) == len(set(table[name].to_pylist()))


@pytest.fixture
def saved(tmp_path):
    def save(*lines):
        path = tmp_path / "x.jsonl"
        text = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        path.write_text("\n".join(text), encoding="utf-8")
        return path

    return save


def test_columns_of_all_lines(saved, all_rows):
    file = open_file(saved({"a": 1}, "", {"b": 2.5, "a": 1}, {"ü": None}))
    assert (file.names, file.n_rows, file.kind) == (("a", "b", "ü"), 3, "JSON lines")
    nan = np.nan
    expected = [[1, nan, nan], [1, 2.5, nan], [nan, nan, nan]]
    np.testing.assert_array_equal(all_rows(file.read(file.names, 0)), expected)
    np.testing.assert_array_equal(all_rows(file.read(("b",), 1)), [[2.5], [nan]])


def test_labels(saved, all_rows):
    file = open_file(saved({"g": "u", "a": 1}, {"g": "v", "a": 2}, {"a": 3}))
    assert file.texts == {"g": "text"}
    assert file.labels("g") == ["u", "v", None]
    labels = all_rows(file.read(("a", "g"), 0, ("g",)))[:, 1]
    assert labels[0] != labels[1]
    assert np.isnan(labels[2])


@pytest.mark.parametrize(
    "line", ["[1, 2]", "7", "{'a': 1}", '{"a": 1e400}', '{"a": true}', "[" * 100_000]
)
def test_lines_that_cannot_be_read(saved, refuses, line):
    path = saved({"a": 1}, line)
    refuses(lambda: open_file(path), DataError, "JSON", str(path))


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


def test_numbers_of_sheets(sheet, all_rows):
    rows = [["a", "b", "c"], [1, 2.5, True], [None, "NA", False], ["3", 1e300, None]]
    file = open_file(sheet(rows))
    assert (file.kind, file.notes) == ("Excel", ())
    expected = [[1, 2.5, 1], [np.nan, np.nan, 0], [3, 1e300, np.nan]]
    np.testing.assert_array_equal(all_rows(file.read(("a", "b", "c"), 0)), expected)
    np.testing.assert_array_equal(
        all_rows(file.read(("c", "a"), 1)), np.array(expected)[1:, [2, 0]]
    )


def test_labels_of_sheets(sheet, all_rows):
    day = dt.datetime(2020, 1, 2)
    file = open_file(sheet([["g", "d", "a"], ["u", day, 1], ["v", day, 2], ["u", None, 3]]))
    assert set(file.texts) == {"g", "d"}
    assert file.labels("g") == ["u", "v", "u"]
    assert file.labels("d") == ["2020-01-02 00:00:00"] * 2 + [None]
    labels = all_rows(file.read(("a", "g"), 0, ("g",)))[:, 1]
    assert labels[0] == labels[2] != labels[1]


def test_the_number_of_a_row(sheet, refuses):
    path = sheet([["a", "b"], [1, 2], [3, 5]], A8=3, B10="x")
    refuses(lambda: ew.edge_test(path), DataTypeError, "'b'", "'x' in line 10")


def test_options(sheet, refuses):
    path = sheet([[7, 1.5], [8, 2.5]])
    file = open_file(path, ew.open_table("", header=False, index_col=0).reading)
    assert (file.names, [*file.index], file.notes) == (("x0", "x1"), ["x0"], ())
    refuses(
        lambda: open_file(path, ew.open_table("", sheet=1).reading),
        DataError,
        "no sheet 1",
        "'Sheet'",
    )
    refuses(
        lambda: open_file(path, ew.open_table("", decimal=",").reading),
        ParameterError,
        "text files",
    )

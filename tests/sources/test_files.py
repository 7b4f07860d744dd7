"""Files: every kind gives what the array gives, and whatever is wrong is said with the name."""

from __future__ import annotations

import gzip
import os
import pickle

import numpy as np
import pytest

import edgewise as ew
from edgewise.sources.files import read_files


@pytest.fixture
def save(tmp_path, require, write_csv):
    """``save("x.parquet", names, X)``: a file of the kind that its name says."""

    def write(name, names, X):
        path = tmp_path / name
        if name.endswith(".npy"):
            np.save(path, X)
        elif name.endswith(".parquet"):
            pa = require("pyarrow")
            table = pa.table(dict(zip(names, np.ascontiguousarray(X.T), strict=True)))
            require("pyarrow.parquet").write_table(table, path)
        else:
            write_csv(path, names, X)
            if name.endswith(".gz"):
                path.write_bytes(gzip.compress(path.read_bytes()))
        return path

    return write


@pytest.mark.parametrize("name", ["r.csv", "R.CSV", "r.csv.gz", "r.parquet", "r.npy"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_every_kind_of_file(save, rows, same_result, name, order):
    path = save(name, "abcd", np.array(rows, order=order))
    names = ("x0", "x1", "x2", "x3") if name.endswith("npy") else tuple("abcd")
    same_result(ew.edge_test(path), ew.edge_test(rows), names=names)
    same_result(ew.edge_test(str(path)), ew.edge_test(rows), names=names)


@pytest.mark.parametrize("kind", ["int32", "bool", "float32"])
@pytest.mark.parametrize("name", ["r.parquet", "r.npy"])
def test_kinds_of_numbers(save, rows, same_result, name, kind):
    X = (rows > 0) if kind == "bool" else (100 * rows).astype(kind)
    result = ew.edge_test(save(name, ("x0", "x1", "x2", "x3"), X))
    same_result(result, ew.edge_test(X.astype(np.float64)))


def test_many_files_of_several_kinds(save, rows, same_result):
    parts = [
        save("1.csv", "abcd", rows[:100]),
        save("2.parquet", "abcd", rows[100:200]),
        save("3.csv.gz", "abcd", rows[200:]),
    ]
    same_result(ew.edge_test(parts), ew.edge_test(rows), names="abcd")
    same_result(ew.edge_test(tuple(map(str, parts))), ew.edge_test(rows), names="abcd")


def test_columns_in_another_order_match_by_name(save, rows, same_result):
    paths = [save("1.csv", "abcd", rows[:200]), save("2.csv", "dbca", rows[200:, [3, 1, 2, 0]])]
    same_result(ew.edge_test(paths), ew.edge_test(rows), names="abcd")


def test_whole_numbers_in_one_file_and_fractions_in_another(save, rows, same_result):
    whole = np.rint(10 * rows[:200]).astype(int)
    paths = [save("1.csv", "abcd", whole), save("2.csv", "abcd", rows[200:])]
    same_result(ew.edge_test(paths), ew.edge_test(np.r_[whole, rows[200:]]), names="abcd")


@pytest.mark.parametrize(
    ("names", "fragments"),
    [("abc", ["lacks", "'d'"]), ("abcde", ["extra", "'e'"]), ("abcz", ["lacks", "'d'"])],
)
def test_other_columns_are_named_with_their_file(save, refuses, names, fragments):
    X = np.random.default_rng(0).standard_normal((50, len(names)))
    first = save("first.csv", "abcd", np.eye(50, 4))
    second = save("second.csv", names, X)
    for paths in ([first, second], [first, first, second]):
        refuses(lambda paths=paths: ew.edge_test(paths), ew.DataError, "second.csv", *fragments)


def test_choosing_columns(save, rows, same_result):
    path = save("r.csv", "abcd", rows)
    chosen = read_files([path], columns=["d", "a"])
    same_result(ew.edge_test(chosen), ew.edge_test(rows[:, [3, 0]]), names="da")
    others = read_files([path], exclude=["b"])
    same_result(ew.edge_test(others), ew.edge_test(rows[:, [0, 2, 3]]), names="acd")


def test_unknown_columns_are_named(csv_file, refuses):
    for options in ({"columns": ["a", "z"]}, {"exclude": ["z"]}):
        refuses(
            lambda options=options: read_files([csv_file], **options),
            ew.DataError,
            str(csv_file),
            "'z'",
            "'a', 'b', 'c', 'd'",
        )


BAD_TEXT = {
    "ragged.csv": ("a,b\n1,2\n3\n4,5\n", ew.DataError, ["ragged.csv", "2 columns, got 1"]),
    "text.csv": ("a,b\n1,2\n3,x\n4,5\n", ew.DataTypeError, ["'b'", "numbers", "string"]),
    "date.csv": ("d,b\n2020-01-01,2\n2020-01-02,3\n", ew.DataTypeError, ["'d'", "date", "exclude"]),
    "empty.csv": ("", ew.DataError, ["empty.csv", "Empty CSV file"]),
    "header.csv": ("a,b\n", ew.DataError, ["0 sample", "empty"]),
    "twice.csv": ("a,a\n1,2\n2,3\n4,5\n", ew.DataError, ["'a'", "more than once"]),
    "gaps.csv": ("a,b\n1,\n2,NA\n3,inf\n4,5\n", ew.NonFiniteError, ["'b' (3)", "drop"]),
    "fake.csv.gz": ("a,b\n1,2\n", ew.DataError, ["fake.csv.gz", "cannot be read"]),
    "fake.parquet": ("a,b\n1,2\n", ew.DataError, ["fake.parquet", "cannot be read"]),
    "fake.npy": ("a,b\n1,2\n", ew.DataError, ["fake.npy", "not a plain .npy array"]),
    "table.xlsx": ("", ew.DataError, ["table.xlsx", ".csv", ".parquet", ".npy"]),
    "noextension": ("a,b\n1,2\n", ew.DataError, ["noextension", ".csv", ".parquet", ".npy"]),
}


@pytest.mark.parametrize("name", BAD_TEXT)
def test_files_that_cannot_be_tested(tmp_path, refuses, name):
    text, error, fragments = BAD_TEXT[name]
    (tmp_path / name).write_text(text)
    refuses(lambda: ew.edge_test(tmp_path / name), error, *fragments)


@pytest.mark.parametrize("name", ["r.csv.gz", "r.parquet", "r.npy"])
def test_truncated_files_are_named(save, rows, refuses, name):
    path = save(name, "abcd", rows)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    refuses(lambda: ew.edge_test(path), ew.DataError, str(path))


def test_missing_files_and_folders(tmp_path, csv_file, refuses):
    refuses(lambda: ew.edge_test("no/such.csv"), ew.DataError, "no file", "no/such.csv", "path")
    both = [csv_file, tmp_path / "second.csv"]
    refuses(lambda: ew.edge_test(both), ew.DataError, "no file", "second.csv")
    refuses(lambda: ew.edge_test(tmp_path), ew.DataError, str(tmp_path))


@pytest.mark.parametrize(
    ("X", "error", "fragments"),
    [
        (np.arange(5.0), ew.DataError, ["2D", "1D"]),
        (np.ones((5, 2), dtype=complex), ew.DataTypeError, ["real numbers", "complex128"]),
        (np.array([["a", "b"]] * 5), ew.DataTypeError, ["numbers", "<U1"]),
    ],
    ids=["1-D", "complex", "text"],
)
def test_npy_files_of_the_wrong_shape_or_kind(save, refuses, X, error, fragments):
    path = save("r.npy", "", X)
    refuses(lambda: ew.edge_test(path), error, str(path), *fragments)


class Trap:
    """Unpickling it leaves a mark."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return os.mkdir, (self.path,)


def test_pickles_are_never_opened(tmp_path, refuses):
    mark = tmp_path / "executed"
    objects, plain = tmp_path / "objects.npy", tmp_path / "plain.npy"
    np.save(objects, np.array([[Trap(mark), 1]], dtype=object), allow_pickle=True)
    plain.write_bytes(pickle.dumps(Trap(mark)))
    for path in (objects, plain):
        refuses(lambda path=path: ew.edge_test(path), ew.DataError, str(path), "plain .npy")
    assert not mark.exists()

"""Files: every kind gives what the array gives, and whatever is wrong is said with the name."""

from __future__ import annotations

import gzip
import os
import pickle
import weakref

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import edgewise as ew
from edgewise.errors import DataError, DataTypeError
from edgewise.tables import arrow as parquet_files
from edgewise.tables.files import FileTable, Position, expand_paths
from edgewise.tables.open import as_table
from edgewise.tables.table import FileRead


def test_columns_in_another_order_match_by_name(save, rows, same_result):
    paths = [save("1.csv", "abcd", rows[:200]), save("2.csv", "dbca", rows[200:, [3, 1, 2, 0]])]
    same_result(ew.edge_test(paths), ew.edge_test(rows), names="abcd")


@pytest.mark.parametrize(
    ("names", "fragments"),
    [("abc", ["lacks", "'d'"]), ("abcde", ["it also has", "'e'"]), ("abcz", ["lacks", "'d'"])],
)
def test_other_columns_are_named_with_their_file(save, refuses, names, fragments):
    X = np.random.default_rng(0).standard_normal((50, len(names)))
    first = save("first.csv", "abcd", np.eye(50, 4))
    second = save("second.csv", names, X)
    refuses(lambda: ew.edge_test([first, second]), DataError, "second.csv", *fragments)


def test_with_a_choice_of_columns_the_others_do_not_matter(save, rows, tmp_path, same_result):
    labelled = tmp_path / "2.csv"
    lines = [f"w{i},{d!r},{a!r}" for i, (a, *_, d) in enumerate(rows[100:200].tolist())]
    labelled.write_text("\n".join(["label,d,a", *lines]) + "\n")
    paths = [
        save("1.parquet", "abcd", rows[:100]),
        labelled,
        save("3.arrow", "dxa", rows[200:][:, [3, 1, 0]]),
    ]
    source = FileTable(paths, columns=["d", "a"])
    same_result(ew.edge_test(source), ew.edge_test(rows[:, [3, 0]]), names="da")
    source = FileTable(paths, columns=["d", "a", "b"], exclude=["b"])
    same_result(ew.edge_test(source), ew.edge_test(rows[:, [3, 0]]), names="da")


def test_a_left_out_column_may_hold_text(tmp_path, refuses, all_rows):
    texts = {"1.csv": "a,name,b\n1,x,2\n", "2.csv": "b,name,a\n4,y,3\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    source = FileTable([tmp_path], exclude=["name"])
    np.testing.assert_array_equal(all_rows(source), [[1, 2], [3, 4]])
    by_itself = FileTable([tmp_path])
    assert by_itself.feature_names == ("a", "b")
    assert by_itself.left_out == {"name": "text"}
    refuses(lambda: FileTable([tmp_path], columns=["a", "name"]), DataTypeError, "'name'")


BAD_TEXT = {
    "header.csv": ("a,b\n", DataError, ["0 sample", "empty"]),
    "noextension": ("a\0b\n1,2\n", DataError, ["noextension", ".csv", ".parquet", ".npy"]),
}


@pytest.mark.parametrize("name", BAD_TEXT)
def test_files_that_cannot_be_tested(tmp_path, refuses, name):
    text, error, fragments = BAD_TEXT[name]
    (tmp_path / name).write_text(text)
    refuses(lambda: ew.edge_test(tmp_path / name), error, *fragments)


def test_missing_files_and_folders(tmp_path, csv_file, refuses):
    refuses(lambda: ew.edge_test("no/such.csv"), DataError, "no file", "no/such.csv", "path")
    both = [csv_file, tmp_path / "second.csv"]
    refuses(lambda: ew.edge_test(both), DataError, "no file", "second.csv")
    (empty := tmp_path / "empty").mkdir()
    (empty / "notes.txt").write_text("a,b\n1,2\n")
    refuses(lambda: ew.edge_test(empty), DataError, str(empty), "folder", ".parquet")
    pattern = str(tmp_path / "x*.csv")
    refuses(lambda: ew.edge_test(pattern), DataError, "no file matches", pattern)
    refuses(lambda: FileTable([]), DataError, "at least one file")
    for paths in (["-", csv_file], [csv_file, "-"], ["-", "-"]):
        refuses(lambda paths=paths: ew.edge_test(paths), DataError, "'-'", "alone")


def test_folders_and_patterns_become_sorted_files(save, tmp_path):
    X = np.eye(3)
    names = ["d/b.csv", "d/a.npy", "d/sub/c.parquet", "d/.hidden.csv", "d/_SUCCESS.csv", "e[1].csv"]
    # Spark writes folders that are called x.parquet.
    names += ["d/_temporary/x.parquet", "d/.ipynb_checkpoints/x.csv", "s.parquet/part-0.parquet"]
    paths = {name: str(save(name, "abc", X)) for name in names}
    (tmp_path / "d" / "readme.txt").write_text("no data")
    inside = [paths["d/a.npy"], paths["d/b.csv"], paths["d/sub/c.parquet"]]
    assert expand_paths([tmp_path / "d"]) == inside
    assert expand_paths([paths["e[1].csv"], tmp_path / "d"]) == [paths["e[1].csv"], *inside]
    assert expand_paths([str(tmp_path / "d" / "[ab].*")]) == inside[:2]
    assert expand_paths([str(tmp_path / "d" / "s*" / "*.parquet")]) == inside[2:]
    assert expand_paths([str(tmp_path / "*.parquet")]) == [paths["s.parquet/part-0.parquet"]]
    # A file of that very name is no pattern.
    assert expand_paths([paths["e[1].csv"]]) == [paths["e[1].csv"]]
    assert expand_paths(["-"]) == ["-"]


def test_reading_on_from_any_position(save, rows, block_size):
    block_size(50)
    names = ("x0", "x1", "x2", "x3")
    kinds = ("1.csv", "2.parquet", "3.npy", "4.feather")
    parts = np.split(rows, [120, 200, 330])
    source = FileTable([save(k, names, X) for k, X in zip(kinds, parts, strict=True)])
    whole = list(source.positioned_blocks())
    assert [len(batch) for _, batch in whole] == [50, 50, 20, 50, 30, 50, 50, 30, 50, 20]
    assert whole[-1][0] == Position(3, 70)
    for done, (position, _) in enumerate(whole, start=1):
        rest = list(source.starting_at(position).positioned_blocks())
        assert [place for place, _ in rest] == [place for place, _ in whole[done:]]
        for (_, batch), (_, expected) in zip(rest, whole[done:], strict=True):
            np.testing.assert_array_equal(batch, expected)


def test_few_blocks_are_in_memory_at_once(tmp_path, monkeypatch, block_size):
    block_size(4096)
    made = []
    fill = parquet_files.fixed_blocks

    def watched(*arguments):
        for block in fill(*arguments):
            made.append(weakref.ref(block))
            yield block
            del block

    monkeypatch.setattr(parquet_files, "fixed_blocks", watched)
    X = np.random.default_rng(0).standard_normal((10, 300_000))
    parquet.write_table(
        pa.table({f"c{j}": x for j, x in enumerate(X)}), tmp_path / "r.parquet", row_group_size=9999
    )
    alive, rows = [], 0
    for batch in FileTable([tmp_path / "r.parquet"]).blocks():
        rows += len(batch)
        alive.append(sum(block() is not None for block in list(made)))
    assert rows == 300_000
    assert len(made) == 74
    assert max(alive) <= 6


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
        refuses(lambda path=path: ew.edge_test(path), DataError, str(path), "cannot be read")
    assert not mark.exists()


def test_rows_are_known_when_they_have_been_read(tmp_path):
    (tmp_path / "1.csv").write_text("a,b\n1,2\n3,4\n")
    (tmp_path / "2.csv.gz").write_bytes(gzip.compress(b"a,b\n5,6\n"))
    np.savetxt(tmp_path / "3.csv", np.eye(2), delimiter=",", header="a,b", comments="")
    table = as_table(tmp_path, feature_names=["x", "y"], missing="drop")
    paths = [str(tmp_path / name) for name in ("1.csv", "2.csv.gz", "3.csv")]
    assert [file.path for file in table.files] == paths
    assert {file.rows for file in table.files} == {None}
    assert table.reduce(lambda part: sum(map(len, part.blocks())), lambda a, b: a + b) == 5
    assert table.files == tuple(map(FileRead, paths, (2, 1, 2)))

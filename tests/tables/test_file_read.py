"""Which files the rows came from, under all views."""

from __future__ import annotations

import gzip

import numpy as np

from edgewise.tables.files import FileRead, files_read
from edgewise.tables.open import as_table


def test_rows_are_known_when_they_have_been_read(tmp_path):
    (tmp_path / "1.csv").write_text("a,b\n1,2\n3,4\n")
    (tmp_path / "2.csv.gz").write_bytes(gzip.compress(b"a,b\n5,6\n"))
    np.savetxt(tmp_path / "3.csv", np.eye(2), delimiter=",", header="a,b", comments="")
    table = as_table(tmp_path, feature_names=["x", "y"], missing="drop")
    paths = [str(tmp_path / name) for name in ("1.csv", "2.csv.gz", "3.csv")]
    assert [file.path for file in files_read(table)] == paths
    assert {file.rows for file in files_read(table)} == {None}
    assert table.reduce(lambda part: sum(map(len, part.blocks())), lambda a, b: a + b) == 5
    assert files_read(table) == tuple(map(FileRead, paths, (2, 1, 2)))


def test_rows_of_no_file():
    assert files_read(as_table(np.eye(3))) == ()

"""Files that change between two passes or during one: one sentence, never numbers of two files."""

from __future__ import annotations

import os

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import edgewise as ew
from edgewise.errors import DataError
from edgewise.tables.files import FileTable
from edgewise.tables.options import View

ENDINGS = ["csv", "csv.gz", "parquet", "feather", "npy"]
NAMES = tuple("abcd")


@pytest.fixture
def write(tmp_path, write_csv):
    """Rows as a file of a kind, under one name."""
    import gzip

    def file(X, ending, names=NAMES, *, clusters=1):
        path, table = tmp_path / f"rows.{ending}", pa.table(list(X.T), names=list(names))
        if ending == "npy":
            np.save(path, X)
        elif ending == "parquet":
            parquet.write_table(table, path, row_group_size=-(-len(X) // clusters))
        elif ending == "feather":
            feather.write_feather(table, path, compression="uncompressed")
        else:
            write_csv(path, names, X)
            if ending == "csv.gz":
                path.write_bytes(gzip.compress(path.read_bytes()))
        return path

    return file


class Changing(View):
    """A table whose rows change after the first pass."""

    def __init__(self, table, change):
        super().__init__(table)
        self.then = [change]

    def reduce(self, one_pass, merge):
        made = super().reduce(one_pass, merge)
        if self.then:
            self.then.pop()()
        return made


def between_passes(table, change, **options):
    """A test that reads twice; the change comes after the first pass."""
    return lambda: ew.edge_test(Changing(table, change), **options)


class TestBetweenTwoPasses:
    @pytest.mark.parametrize("ending", ENDINGS)
    def test_another_file_of_as_many_rows(self, write, rows, refuses, ending):
        path = write(rows, ending)
        call = between_passes(FileTable([path]), lambda: write(rows[::-1] ** 3, ending))
        refuses(call, DataError, f"data: file '{path}' changed while it was in use", "a copy")

    def test_as_many_bytes_at_the_same_time(self, write, rows, refuses):
        """As where a file system counts whole seconds."""
        path = write(rows, "npy")
        then = path.stat()

        def change():
            write(rows[::-1], "npy")
            os.utime(path, ns=(then.st_atime_ns, then.st_mtime_ns))

        call = between_passes(FileTable([path]), change)
        refuses(call, DataError, str(path), "written anew", "now 12,928")

    @pytest.mark.parametrize("ending", ["csv", "feather", "npy"])
    def test_a_file_that_is_cut(self, write, rows, refuses, ending):
        path = write(rows, ending)
        call = between_passes(FileTable([path]), lambda: os.truncate(path, 2000))
        refuses(call, DataError, str(path), "now 2,000")

    def test_no_file(self, write, rows, refuses):
        path = write(rows, "csv")
        call = between_passes(FileTable([path]), path.unlink)
        refuses(call, DataError, str(path), "cannot be read any more")


class TestEveryWayToReadTwice:
    """All go through the same table; each must notice."""

    @pytest.mark.parametrize(
        ("method", "how"),
        [
            ("wald", {}),
            ("eig", {"solver": "matrix-free"}),
            ("whitened", {}),
            ("score", {"missing": "pairwise"}),
        ],
    )
    @pytest.mark.filterwarnings("ignore::edgewise.errors.EdgewiseWarning")
    def test_a_method(self, write, rows, refuses, method, how):
        X = rows
        path = write(X, "parquet")
        call = between_passes(
            FileTable([path]), lambda: write(X[::-1], "parquet"), method=method, **how
        )
        refuses(call, DataError, str(path), "changed")

    def test_groups_by_a_column(self, write, rows, refuses, monkeypatch):
        from edgewise.api import compare_groups as module

        X = rows.copy()
        X[:, 3] = np.arange(400) % 2
        path = write(X, "parquet")
        found = module.column_of_labels

        def then_changed(*given):
            labels = found(*given)
            write(X[::-1], "parquet")
            return labels

        monkeypatch.setattr(module, "column_of_labels", then_changed)
        refuses(lambda: ew.compare_groups(path, by="d"), DataError, str(path), "changed")


class TestDuringAPass:
    @pytest.mark.parametrize("ending", ["csv", "parquet", "feather", "npy"])
    def test_rows_are_not_of_two_files(self, write, rows, refuses, ending):
        path = write(rows, ending)
        table = FileTable([path], read_ahead=False)
        assert sum(len(block) for block in table.blocks()) == 400
        blocks = table.blocks()
        next(blocks)
        write(rows[::-1], ending)
        refuses(lambda: list(blocks), DataError, str(path), "changed")

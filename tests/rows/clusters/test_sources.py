"""Files that a cluster reads: a change between two passes is told, and no result is given."""

from __future__ import annotations

import numpy as np
import pytest

import edgewise as ew
from edgewise.errors import DataError
from edgewise.rows.clusters.sources import files_of_frame, hadoop_marks, spark_marks
from edgewise.rows.opening import open_table

NAMES = list("abcd")


@pytest.fixture
def parquet(tmp_path, pd):
    """Write the rows into two Parquet files of a folder."""

    def write(X):
        folder = tmp_path / "rows"
        folder.mkdir(exist_ok=True)
        for number, piece in enumerate(np.split(X, [150])):
            pd.DataFrame(piece, columns=NAMES).to_parquet(folder / f"{number}.parquet")
        return folder

    return write


def after_a_pass(table, change):
    """Twice the same pass, and a change in between."""
    ew.accumulate(table)
    change()
    return lambda: ew.accumulate(table)


class TestDask:
    def test_files(self, client, files_of, rows, refuses):
        paths = files_of(rows, (100, 300))
        call = after_a_pass(open_table(paths, client=client), lambda: files_of(-rows, (100, 300)))
        refuses(call, DataError, f"file '{paths[0]}' changed while it was in use")

    def test_files_that_do_not_change(self, client, files_of, rows, same_result):
        result = ew.edge_test(files_of(rows, (100, 300)), client=client)
        same_result(result, ew.edge_test(rows), names=result.feature_names)

    @pytest.mark.parametrize("filesystem", ["fsspec", "arrow"])
    def test_frame_of_parquet(
        self, dd, parquet, rows, refuses, filesystem, one_after_the_other, same_result
    ):
        folder = parquet(rows)
        frame = dd.read_parquet(str(folder), filesystem=filesystem)
        result = ew.edge_test(frame)
        same_result(result, ew.edge_test(rows), names=NAMES)
        table = open_table(frame[NAMES[:3]] + 1)
        call = after_a_pass(table, lambda: parquet(rows[::-1]))
        refuses(call, DataError, ".parquet' changed while it was in use")

    def test_frame_of_text(self, dd, files_of, rows, refuses, one_after_the_other):
        paths = files_of(rows, (100, 300))
        table = open_table(dd.read_csv(paths))
        call = after_a_pass(table, lambda: files_of(rows[::-1], (100, 300)))
        refuses(call, DataError, f"file '{paths[0]}' changed")

    def test_objects_elsewhere(self, dd, pd, rows, refuses, require, one_after_the_other):
        """What the file system tells about them: of S3 it is the etag."""
        memory = require("fsspec").filesystem("memory")

        def write(X):
            with memory.open("/bucket/0.parquet", "wb") as file:
                pd.DataFrame(X, columns=NAMES).to_parquet(file)

        write(rows)
        table = open_table(dd.read_parquet("memory://bucket/0.parquet"))
        call = after_a_pass(table, lambda: write(rows[::-1]))
        refuses(call, DataError, "/bucket/0.parquet' changed", "written anew")

    def test_rows_that_the_cluster_holds(self, dd, client, parquet, rows):
        frame = client.persist(dd.read_parquet(str(parquet(rows))))
        assert files_of_frame(frame) == []
        table = open_table(frame, client=client)
        assert after_a_pass(table, lambda: parquet(rows[::-1]))().n_samples == 400


class TestSpark:
    def test_frame_and_cached_frame(self, spark, parquet, rows, refuses):
        folder = parquet(rows)
        frame = spark.read.parquet(str(folder))
        call = after_a_pass(open_table(frame), lambda: parquet(rows[::-1]))
        refuses(call, DataError, ".parquet' changed while it was in use")
        held = spark.read.parquet(str(folder)).cache()
        assert held.count() == 400
        assert spark_marks(held.select("a")) == {}
        held.unpersist()

    def test_files(self, spark, parquet, rows, refuses):
        from edgewise.rows.clusters.spark_files import spark_file_table

        folder = parquet(rows)
        table = spark_file_table(spark, [str(folder)])
        call = after_a_pass(table, lambda: parquet(rows[::-1]))
        refuses(call, DataError, "0.parquet' changed")

    def test_what_hadoop_tells(self, spark, parquet, rows):
        """Of a file system that is not the one of this machine, in one question for a folder."""
        folder, java = parquet(rows), spark._jvm
        path = java.org.apache.hadoop.fs.Path(java.java.net.URI(folder.as_uri()))
        system = path.getFileSystem(spark._jsc.hadoopConfiguration())
        told = java.org.apache.commons.lang3.ArrayUtils.toString(system.listStatus(path))
        names = [f"file:{folder}/{k}.parquet" for k in range(2)]
        marks = hadoop_marks(told, names)
        assert list(marks) == names
        size = (folder / "0.parquet").stat().st_size
        assert marks[names[0]][0] == ("length", str(size))
        assert marks[names[0]][1][0] == "modification_time"


def test_names_that_hadoop_writes_otherwise():
    told = "[S3AFileStatus{path=s3a://b/x y.csv; length=9; owner=me} eTag=0a versionId=v, more]"
    marks = hadoop_marks(told, ["s3a://b/x%20y.csv", "s3a://b/z.csv"])
    expected = (("length", "9"), ("eTag", "0a"), ("versionId", "v"))
    assert marks == {"s3a://b/x%20y.csv": expected}

"""Spark where something breaks: a worker, a partition, the rows between two passes, a machine."""

from __future__ import annotations

import os

import pytest

import edgewise as ew
from edgewise.errors import DataError, NonFiniteError
from edgewise.tables import spark as engine

BOUNDS = [0, 100, 250, 400]


@pytest.fixture(scope="module")
def whole(cut, rows):
    return cut(rows, BOUNDS).cache()


@pytest.fixture
def troubled(whole, tmp_path):
    """The rows behind a task of partition 1 that counts how often it ran, and then does `what`."""

    def frame_of(what):
        diary = tmp_path / "diary"
        diary.unlink(missing_ok=True)

        def trouble(batches):
            from pyspark import TaskContext

            if TaskContext.get().partitionId() != 1:
                yield from batches
                return
            with diary.open("a") as file:
                file.write("x")
            yield from what(batches, diary.stat().st_size)

        with engine.without_pandas_warning():
            return whole.mapInArrow(trouble, whole.schema), lambda: diary.stat().st_size

    return frame_of


def dies(at):
    """In place of the rows, the end of the Python worker; at some of the times that it runs."""

    def what(batches, time):  # within, because the workers know nothing of this module
        import signal

        for batch in batches:
            if time in at:
                os.kill(os.getpid(), signal.SIGKILL)
            yield batch

    return what


def test_a_task_whose_worker_dies_is_done_again(whole, troubled, same_bits):
    frame, times = troubled(dies({1, 3}))
    result = ew.edge_test(frame)
    assert times() == 4  # two passes, and two attempts at each
    same_bits(result, ew.edge_test(whole))


def test_a_partition_that_always_fails_is_named(troubled, refuses):
    frame, times = troubled(dies(range(9)))
    refuses(lambda: ew.edge_test(frame), DataError, "partition 1: ", "Python worker exited")
    assert times() == 4


def test_an_error_before_the_rows_is_told_in_one_line(troubled, refuses):
    def raises(batches, time):
        yield next(batches)
        raise OSError("the disk is gone\nand with it the rows")

    frame, _ = troubled(raises)
    error = refuses(lambda: ew.edge_test(frame), DataError, "OSError: the disk is gone")
    assert "Traceback" not in str(error)
    assert error.__cause__ is not None


def test_what_is_wrong_with_the_data_is_not_tried_again(troubled, refuses):
    def spoils(batches, time):
        import pyarrow as pa

        for batch in batches:
            gaps = pa.array([None] * batch.num_rows, pa.float64())
            yield batch.set_column(2, "x2", gaps)

    frame, times = troubled(spoils)
    refuses(lambda: ew.edge_test(frame, missing="raise"), NonFiniteError, "'x2' (150)")
    assert times() == 2  # once to find it, once to count


@pytest.mark.parametrize("method", ["score", "batch"])
def test_rows_that_change_between_passes(troubled, refuses, method):
    def grows(batches, time):
        for batch in batches:
            yield batch
            if time > 1:
                yield batch.slice(0, 1)

    frame, _ = troubled(grows)
    refuses(lambda: ew.edge_test(frame, method=method), DataError, "changed", "persisted or cached")


@pytest.mark.parametrize(
    ("text", "fragments"),
    [
        (
            "Job aborted due to stage failure: Task 7 in stage 3.0 failed 4 times\nTraceback (most "
            "recent call last):\nModuleNotFoundError: No module named 'edgewise'",
            ["edgewise is not installed where Spark runs Python", "every executor"],
        ),
        (
            "An error occurred while calling o1.collectToPython.\n: org.apache.spark.SparkException"
            ": Job aborted due to stage failure: Task 7 in stage 3.0 failed 4 times, most recent "
            "failure: Lost task 7.3 in stage 3.0 (TID 1) (host executor 2): "
            "java.lang.OutOfMemoryError: Java heap space\n\tat java.base/java.lang.Thread.run\n",
            ["partition 7: ", "(Java heap space)"],
        ),
        (
            "An error occurred while calling o1.collectToPython.\n: org.apache.spark.SparkException"
            ": [FAILED_READ_FILE.NO_HINT] Encountered error while reading file s3a://b/c.parquet.  "
            "SQLSTATE: KD001\n\tat a.b\nCaused by: java.io.IOException: it is torn\n\t... 41 more",
            ["file 's3a://b/c.parquet': ", "(it is torn)"],
        ),
        (
            "Job aborted due to stage failure: Task 7 in stage 3.0 failed 4 times, most recent "
            "failure: Lost task 7.3 in stage 3.0 (TID 1) (host executor 2): "
            "org.apache.spark.SparkException: Python worker exited\n\tat java.base/java.lang",
            ["partition 7: ", "(Python worker exited)"],
        ),
        ("something else", ["data: ", "(something else)"]),
    ],
    ids=["not installed", "task", "file", "Connect", "unknown"],
)
def test_what_spark_says_in_a_sentence(refuses, text, fragments):
    def fail():
        raise engine._explained(Exception(text))

    refuses(fail, DataError, *fragments)

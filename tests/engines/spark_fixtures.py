"""A Spark session for the tests, and frames whose partitions are cut where a test wants them.

A module of tests has them with ``pytest_plugins = ("tests.engines.spark_fixtures",)``.
"""

from __future__ import annotations

import sys

import pyarrow as pa
import pytest

from edgewise.engines.spark import without_pandas_warning


@pytest.fixture(scope="session")
def spark(require, tmp_path_factory):
    """One session for all tests of a process: two cores, and four attempts at every task."""
    folder = tmp_path_factory.mktemp("spark")
    settings = {
        "spark.master": "local[2,4]",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }
    with without_pandas_warning(), pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        require("java")
        session = require("pyspark.sql").SparkSession.builder.config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def cut(spark):
    """``cut(X, [0, 7, 7, 400])``: a frame of X, one partition from each number to the next."""

    def frame_of(X, bounds, names=None):
        names = names or [f"x{j}" for j in range(X.shape[1])]
        n_parts = len(bounds) - 1

        def rows(batches):
            from pyspark import TaskContext

            for _ in batches:
                pass
            start, stop = bounds[TaskContext.get().partitionId() :][:2]
            yield pa.RecordBatch.from_arrays(list(map(pa.array, X[start:stop].T)), columns)

        columns = [f"c{j}" for j in range(X.shape[1])]
        schema = ", ".join(f"{column} double" for column in columns)
        with without_pandas_warning():
            return spark.range(0, n_parts, 1, n_parts).mapInArrow(rows, schema).toDF(*names)

    return frame_of

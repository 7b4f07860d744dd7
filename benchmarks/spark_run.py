"""Spark on two cores within so much driver memory: seconds of both calls, and peaks in KiB.

python -m benchmarks.spark_run 1g FILE.parquet …

A process of its own, because a Java machine gets its memory once and keeps its peak.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from benchmarks.peak import peak_kilobytes
from edgewise import accumulate, edge_test
from edgewise.tables.spark import without_pandas_warning


def main(memory: str, paths: Sequence[str]) -> None:
    with without_pandas_warning():
        from pyspark.sql import SparkSession

        os.environ["PYSPARK_PYTHON"] = sys.executable
        session = (
            SparkSession.builder.master("local[2]")
            .config("spark.driver.memory", memory)
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.log.level", "ERROR")
            .getOrCreate()
        )
        try:
            edge_test(session.read.parquet(paths[0]))  # loads what is loaded on first use
            frame = session.read.parquet(*paths)
            seconds = []
            for call in (accumulate, edge_test):
                start = perf_counter()
                call(frame)
                seconds.append(perf_counter() - start)
            jvm = session.sparkContext._jvm.java.lang.ProcessHandle.current().pid()
            print(*seconds, peak_kilobytes(jvm), largest_worker(jvm))
        finally:
            session.stop()


def largest_worker(jvm: int) -> int:
    """The largest peak of the Python processes that work for a Java machine."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name of a process, in brackets, may contain anything.
            fields = status.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        parents[int(status.parent.name)] = int(fields[1])
    daemons = {pid for pid, parent in parents.items() if parent == jvm}
    workers = [pid for pid, parent in parents.items() if parent in daemons]
    return max((peak_kilobytes(pid) for pid in workers), default=0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])

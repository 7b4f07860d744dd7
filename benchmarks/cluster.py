"""Two worker processes against one, Spark within a gigabyte, and what a row costs.

python -m benchmarks cluster            measured on 20,000,000 rows, kept in results/
python -m benchmarks.cluster 2000000    on as many rows as that, only shown
"""

from __future__ import annotations

import logging
import math
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from benchmarks.cases import shape_name
from benchmarks.peak import peak_kilobytes
from benchmarks.report import Line, Measurements, Section, markdown, number
from benchmarks.timing import blas_threads
from benchmarks.wire import STATE_BYTES, state_lines
from edgewise import accumulate, edge_test, open_table
from edgewise.errors import EdgewiseWarning

ROWS, COLUMNS, FILES = 20_000_000, 14, 16
REPETITIONS = 5
SPEEDUP = 1.6
# Numbers in the files from which the cost of a row is taken, whatever their columns.
ELEMENTS = 100_000_000
COLUMN_COUNTS = (14, 100, 500)
_COST_FILES = 4
# Partitions of next to nothing, to see what a task costs.
TASKS = 1000
SPARK_MEMORY = "1g"
#: What the page on clusters extrapolates to, with the bytes of a partition that it assumes.
GOALS = ((10**12, 14), (10**9, 500))
PARTITION_BYTES = 10**9

Call = Callable[..., object]
#: What is measured, and how often it reads the rows.
CALLS: dict[str, tuple[Call, int]] = {
    "accumulate": (accumulate, 1),
    "score": (partial(edge_test, method="score"), 2),
}


def measure(rows: int = ROWS, repetitions: int = REPETITIONS) -> Measurements:
    """All of it; with fewer rows a try, whose ratios say little."""
    elements = max(ELEMENTS * rows // ROWS, 500 * 1000)
    with tempfile.TemporaryDirectory(prefix="edgewise-bench-") as name:
        folder = Path(name)
        paths = write_rows(folder / "rows", rows, COLUMNS, FILES)
        lines = [*dask_lines(paths, rows, repetitions), *spark_lines(paths, rows)]
        costs = row_costs(folder, elements, repetitions)
    lines += cost_lines(costs)
    lines += [line for goal in GOALS for line in extrapolated(costs, *goal)]
    return Measurements([*lines, *state_lines()])


def engine_versions() -> dict[str, str]:
    return {package: version(package) for package in ("dask", "pyspark", "pyarrow")}


def write_rows(folder: Path, rows: int, columns: int, files: int) -> list[str]:
    """Rows of a chain with heavy tails (t₅) as Parquet files, made a block at a time."""
    import pyarrow as pa
    from pyarrow import parquet

    from edgewise.simulate import make_chain_precision, sample_batches

    folder.mkdir()
    precision = make_chain_precision(columns)
    names = [f"x{j}" for j in range(columns)]
    paths = []
    for file in range(files):
        count = (file + 1) * rows // files - file * rows // files
        path = folder / f"part{file:03}.parquet"
        schema = pa.schema([(name, pa.float64()) for name in names])
        with parquet.ParquetWriter(path, schema) as writer:
            # As a user would write it: row groups of a million rows, the writer's own settings.
            block = max(1, min(1_000_000, 14_000_000 // columns))
            for batch in sample_batches("t5", precision, count, rng=file, batch_rows=block):
                writer.write_table(pa.table(list(batch.T.copy()), schema=schema))
        paths.append(str(path))
    return paths


def dask_lines(paths: Sequence[str], rows: int, repetitions: int) -> Iterator[Line]:
    """Two processes of one thread against one, warm and with the files in the disk's cache."""
    what = f"{shape_name((rows, COLUMNS))} in {len(paths)} files"
    group = (
        f"Dask, 2 processes of 1 thread: times faster than 1, Parquet, {what}, "
        f"best of {repetitions}"
    )
    with ExitStack() as stack:
        clients = {workers: stack.enter_context(_client(workers)) for workers in (1, 2)}
        for client in clients.values():
            _warm_up(client, paths)
        for name, (call, _passes) in CALLS.items():
            ways = {
                workers: partial(call, open_table(paths, client=client))
                for workers, client in clients.items()
            }
            rounds = timed_rounds({**ways, 0: partial(call, paths)}, repetitions)
            yield speedup_line(group, name, rounds)
        megabytes = [
            kilobytes * 1024 / 1e6
            for client in clients.values()
            for kilobytes in client.run(peak_kilobytes).values()
        ]
        yield Line("Dask, peak resident MB of a worker", what, max(megabytes))
        yield _task_line(clients[2])


@contextmanager
def _client(workers: int) -> Iterator[Any]:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.ERROR,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def _warm_up(client: Any, paths: Sequence[str]) -> None:
    """Workers load their libraries, and the disk's cache the files."""
    for call, _passes in CALLS.values():
        call(open_table(paths, client=client))


def timed_rounds(
    ways: Mapping[int, Callable[[], object]],
    repetitions: int,
    clock: Callable[[], float] = perf_counter,
) -> list[dict[int, float]]:
    """Seconds of every way, one after the other, so that a round sees the machine in one mood."""
    return [{name: _seconds(way, clock) for name, way in ways.items()} for _ in range(repetitions)]


def _seconds(way: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    way()
    return clock() - start


def speedup_line(group: str, name: str, rounds: Sequence[Mapping[int, float]]) -> Line:
    """Best against best: a neighbour on the machine can only make things slower."""
    best = {way: min(line[way] for line in rounds) for way in rounds[0]}
    ratios = [line[1] / line[2] for line in rounds]
    return Line(
        group,
        name,
        best[1] / best[2],
        at_least=SPEEDUP,
        low=min(ratios),
        high=max(ratios),
        beside={
            "1 process, s": best[1],
            "2 processes, s": best[2],
            "local engine, s": best[0],
        },
    )


def _task_line(client: Any, tasks: int = TASKS) -> Line:
    """What a partition costs beyond its rows; the scheduler is one process however many work."""
    import dask.array as da

    X = da.random.default_rng(0).standard_normal((2 * tasks, COLUMNS), chunks=(2, COLUMNS))
    accumulate(open_table(X, client=client))
    there, here = client.run(process_time), process_time()
    accumulate(open_table(X, client=client))
    here = process_time() - here
    there = sum(after - there[worker] for worker, after in client.run(process_time).items())
    return Line(
        "Dask, CPU of a partition without rows, ms",
        f"client and scheduler, {tasks:,} partitions",
        1e3 * here / tasks,
        beside={"workers": 1e3 * there / tasks},
    )


def spark_lines(paths: Sequence[str], rows: int) -> Iterator[Line]:
    """The same files by Spark on this machine's cores: that it ends, and in how much memory."""
    what = f"{shape_name((rows, COLUMNS))} in {len(paths)} files"
    group = f"Spark, local[2] with {SPARK_MEMORY} of driver memory, Parquet, {what}"
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.spark_run", SPARK_MEMORY, *paths],
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        *_, reason = ["no word of why", *done.stderr.strip().splitlines()]
        yield Line(group, "failed", None, beside={"why": reason})
        return
    *seconds, jvm, python = map(float, done.stdout.split()[-4:])
    for name, value in zip(CALLS, seconds, strict=True):
        yield Line(group, f"{name}, s", value)
    yield Line(group, "peak resident MB of the JVM", jvm * 1024 / 1e6)
    yield Line(group, "peak resident MB of a Python worker", python * 1024 / 1e6)


@dataclass(frozen=True)
class RowCost:
    """Seconds of one core for a row of so many columns, all passes together."""

    call: str
    columns: int
    passes: int
    seconds: float


def row_costs(
    folder: Path,
    elements: int,
    repetitions: int,
    columns: Sequence[int] = COLUMN_COUNTS,
) -> list[RowCost]:
    """What a worker does to Parquet files, done here by a single thread."""
    import dask

    from edgewise.tables.dask import dask_file_table
    from edgewise.tables.files import FileTable

    costs = []
    for p in columns:
        rows = elements // p
        paths = write_rows(folder / f"columns{p}", rows, p, _COST_FILES)
        ways = {
            k: partial(call, dask_file_table(FileTable(paths)))
            for k, (call, _passes) in enumerate(CALLS.values())
        }
        with dask.config.set(scheduler="synchronous"), blas_threads(1):
            # Of the processor, not of the clock: what a neighbour takes is not ours.
            rounds = timed_rounds(ways, repetitions, process_time)
        costs += [
            RowCost(name, p, passes, min(line[k] for line in rounds) / rows)
            for k, (name, (_, passes)) in enumerate(CALLS.items())
        ]
    return costs


def cost_lines(costs: Sequence[RowCost]) -> list[Line]:
    return [
        Line(
            "A row of Parquet, ns of one core, all passes, files in the disk's cache",
            f"{cost.call}, p = {cost.columns}",
            1e9 * cost.seconds,
            beside={
                "passes": cost.passes,
                "MB/s read": round(cost.passes * 8e-6 * cost.columns / cost.seconds),
            },
        )
        for cost in costs
    ]


def extrapolated(costs: Sequence[RowCost], rows: int, columns: int) -> Iterator[Line]:
    """So many rows at the measured price: no loss to more workers, no wait for disks or network."""
    bytes_a_pass = 8 * rows * columns
    partitions = math.ceil(bytes_a_pass / PARTITION_BYTES)
    for cost in costs:
        if cost.columns != columns:
            continue
        first = "Moments, order 4" if cost.call == "accumulate" else "Moments, order 2"
        states = [first] + ["score: second pass"] * (cost.passes - 1)
        merged = sum((partitions - 1) * STATE_BYTES[state](columns) for state in states)
        yield Line(
            f"Extrapolated from these, not measured; partitions of {PARTITION_BYTES / 1e9:g} GB",
            f"{cost.call}, 10^{math.log10(rows):.0f} × {columns}",
            None,
            beside={
                "core-hours": cost.seconds * rows / 3600,
                "TB read": cost.passes * bytes_a_pass / 1e12,
                "partitions": partitions,
                "largest state, MB": max(STATE_BYTES[state](columns) for state in states) / 1e6,
                "all merges, GB": merged / 1e9,
            },
        )


def main(arguments: Sequence[str]) -> None:
    warnings.simplefilter("ignore", EdgewiseWarning)
    rows = int(arguments[0]) if arguments else ROWS
    found = measure(rows, REPETITIONS if rows == ROWS else 3)
    print(markdown([Section("cluster", {"rows": number(rows)}, found.lines)]), end="")


if __name__ == "__main__":
    main(sys.argv[1:])

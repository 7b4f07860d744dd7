"""Files larger than one would load: time against Arrow's own scan, and peak memory."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.report import Line
from benchmarks.timing import Spread

ROWS, FEW_ROWS, CSV_ROWS, COLUMNS = 20_000_000, 2_000_000, 2_000_000, 14
_REPETITIONS = 3
_PART_ROWS = 2_000_000
_PEAKS = "Files, peak resident MB"

# Arrow alone, reading the same columns in the same pieces and doing nothing with them.
_SCAN_PARQUET = """
from pyarrow import parquet
for path in paths:
    with parquet.ParquetFile(path, pre_buffer=False) as file:
        for batch in file.iter_batches(batch_size=65536):
            pass
"""
_SCAN_CSV = """
from pyarrow import csv
for path in paths:
    for batch in csv.open_csv(path):
        pass
"""
_TEST = "edge_test(paths, method={method!r})"
# Each in a process of its own, because a process keeps its peak memory; imports are not timed.
_PROGRAM = """
import resource, sys, time, warnings
import pyarrow.csv, pyarrow.parquet
from edgewise import edge_test
edge_test(__import__("numpy").random.default_rng(0).standard_normal((100, 3)))
warnings.simplefilter("ignore")
paths = sys.argv[1:]
start = time.perf_counter()
{statement}
seconds = time.perf_counter() - start
print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@dataclass(frozen=True)
class StreamCase:
    """A method over files, and the most it may cost in units of the scan and in megabytes."""

    method: str
    kind: str
    target: float
    megabytes: float | None = None


CASES = (
    StreamCase("trace", "parquet", 1.6, 500),
    StreamCase("batch", "parquet", 1.6, 500),
    StreamCase("score", "parquet", 2.6),
    StreamCase("trace", "csv", 1.3),
)


def stream_lines() -> Iterator[Line]:
    with tempfile.TemporaryDirectory(prefix="edgewise-bench-") as folder:
        # By a process of its own: a new process inherits the peak memory of its parent.
        subprocess.run([sys.executable, "-m", "benchmarks.streams", folder], check=True)
        parquet = sorted(map(str, Path(folder).glob("*.parquet")))
        few = parquet[: FEW_ROWS // _PART_ROWS]
        files = {"parquet": parquet, "csv": [str(Path(folder) / "rows.csv")]}
        scans = {"parquet": _SCAN_PARQUET, "csv": _SCAN_CSV}
        sizes = {"parquet": ROWS, "csv": CSV_ROWS}
        for case in CASES:
            test = _TEST.format(method=case.method)
            ratios, peaks = [], []
            for _ in range(_REPETITIONS):
                scan, _ignored = in_new_process(scans[case.kind], files[case.kind])
                seconds, peak = in_new_process(test, files[case.kind])
                ratios.append(seconds / scan)
                peaks.append(peak)
            what = f"{case.method}, {sizes[case.kind]:,} × {COLUMNS} {case.kind}"
            spread = Spread.of(ratios)
            group = "Files, in units of Arrow's scan of the same columns"
            yield Line(
                group,
                what,
                spread.median,
                at_most=case.target,
                low=spread.low,
                high=spread.high,
            )
            if case.megabytes is not None:
                yield Line(_PEAKS, what, max(peaks), at_most=case.megabytes)
                _, small = in_new_process(test, few)
                growth = 100 * (max(peaks) / small - 1)
                name = f"{case.method}, from {FEW_ROWS:,} to {ROWS:,} rows, growth in %"
                yield Line(_PEAKS, name, growth, at_most=5)


def in_new_process(statement: str, paths: list[str]) -> tuple[float, float]:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(statement=statement), *paths],
        check=True,
        capture_output=True,
        text=True,
    )
    seconds, kilobytes = done.stdout.split()
    return float(seconds), float(kilobytes) * 1024 / 1e6


def _write(folder: Path) -> None:
    """2.2 GB of numbers as Parquet in parts, and the first part as CSV."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    rng = np.random.default_rng(0)
    for number in range(ROWS // _PART_ROWS):
        columns = rng.standard_normal((COLUMNS, _PART_ROWS))
        table = pa.table({f"c{i}": column for i, column in enumerate(columns)})
        path = folder / f"part{number}.parquet"
        # As a user would write it: the writer's own settings.
        parquet.write_table(table, path)
        if number == 0:
            csv.write_csv(table.slice(0, CSV_ROWS), folder / "rows.csv")


if __name__ == "__main__":
    _write(Path(sys.argv[1]))

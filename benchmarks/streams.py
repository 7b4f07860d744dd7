"""Files larger than one would load: time against Arrow's own scan, and peak memory.

A visit of a method is a process that only scans, and after it one that tests, so that the memory
of the test is its own; both have all cores.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.quiet import Noise
from benchmarks.report import Line, Measurements
from benchmarks.rounds import ROUNDS, rounds
from benchmarks.timing import Spread
from benchmarks.worker import SCAN, Answer, Ask, Call, answer

PART_ROWS, COLUMNS = 2_000_000, 14
PARTS = 10
_UNITS = "Files, in units of Arrow's scan of the same columns"
_PEAKS = "Files, peak resident MB"


@dataclass(frozen=True)
class StreamCase:
    """A method over files, and the most it may cost in units of the scan and in megabytes."""

    method: str
    kind: str
    target: float
    megabytes: float | None = None


CASES = (
    StreamCase("trace", "parquet", 1.3, 300),
    StreamCase("batch", "parquet", 1.6, 300),
    StreamCase("score", "parquet", 2.2, 300),
    StreamCase("trace", "csv", 1.3),
)


def measure(
    cases: Sequence[StreamCase] = CASES,
    partition_rows: int = PART_ROWS,
    parts: int = PARTS,
    count: int = ROUNDS,
) -> Measurements:
    noise = Noise()
    with tempfile.TemporaryDirectory(prefix="edgewise-bench-") as folder:
        files = write_files(Path(folder), partition_rows, parts)
        found = rounds({case: partial(_visit, case, files) for case in cases}, noise, count)
        times, peaks = [], []
        for case, visits in found.items():
            rows = partition_rows * len(files[case.kind])
            name = f"{case.method}, {rows:,} × {COLUMNS} {case.kind}"
            ratios = Spread.of([test.seconds[0] / scan.seconds[0] for scan, test in visits])
            seconds = Spread.of([scan.seconds[0] for scan, _ in visits])
            times.append(
                ratios.line(_UNITS, name, case.target, beside={"the scan, s": seconds.median})
            )
            if case.megabytes is not None:
                peaks += _peaks(case, name, files, max(test.peak for _, test in visits))
    return Measurements([*times, *peaks], facts=noise.facts())


def _visit(
    case: StreamCase, files: Mapping[str, tuple[str, ...]], _round: int
) -> tuple[Answer, Answer]:
    scan, test = (
        answer(Ask((Call(name),), data=files[case.kind], cores=None))
        for name in (SCAN, case.method)
    )
    return scan, test


def _peaks(
    case: StreamCase, name: str, files: Mapping[str, tuple[str, ...]], peak: float
) -> list[Line]:
    """And how much of it the rows are to blame for, from one file to all."""
    every = files[case.kind]
    few = answer(Ask((Call(case.method),), data=every[:1], cores=None, repeats=1)).peak
    growth = f"{case.method}, from one file to {len(every)}, growth in %"
    return [
        Line(_PEAKS, name, peak, at_most=case.megabytes),
        Line(_PEAKS, growth, 100 * (peak / few - 1), at_most=5),
    ]


def write_files(folder: Path, partition_rows: int, parts: int) -> dict[str, tuple[str, ...]]:
    """Numbers as Parquet in parts, and the first part as CSV."""
    # By a process of its own: it takes more memory than all that is measured here.
    sizes = (str(partition_rows), str(parts))
    subprocess.run([sys.executable, "-m", "benchmarks.streams", str(folder), *sizes], check=True)
    return {kind: tuple(sorted(map(str, folder.glob(f"*.{kind}")))) for kind in ("parquet", "csv")}


def _write(folder: Path, partition_rows: int, parts: int) -> None:
    import pyarrow as pa
    from pyarrow import csv, parquet

    rng = np.random.default_rng(0)
    for number in range(parts):
        columns = rng.standard_normal((COLUMNS, partition_rows))
        table = pa.table({f"c{i}": column for i, column in enumerate(columns)})
        # As a user would write it: the writer's own settings.
        parquet.write_table(table, folder / f"part{number:03}.parquet")
        if number == 0:
            csv.write_csv(table, folder / "rows.csv")


if __name__ == "__main__":
    where, rows, count = sys.argv[1:]
    _write(Path(where), int(rows), int(count))

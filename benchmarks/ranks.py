"""Tests of ranks: time in units of numpy.cov, beside SciPy's `kendalltau`, and memory from a file.

All on Gaussian rows and one BLAS thread. SciPy counts inversions of two columns at a time, so it is
called for each of the 91 pairs, and all of them are timed. The file is read by a new process.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cases import LONG, Case, Shape, method, shape_name
from benchmarks.report import Line, Measurements
from benchmarks.streams import in_new_process
from benchmarks.timing import Spread, blas_threads, costs

MIDDLE: Shape = (100_000, 14)
_PEER = "scipy.stats.kendalltau, all pairs"
_FASTER, _MOST_MB = 10.0, 500.0
_UNITS = "Ranks, in units of numpy.cov(X, rowvar=False), one BLAS thread"
_PEERS = "Ranks, times faster than scipy.stats.kendalltau, same run"
_PEAKS = "Ranks, peak resident MB of a new process, Parquet"


def kendalltau(X: Any) -> object:
    """τ of all pairs, which is less than a test of edges: no partial correlations, no errors."""
    from scipy import stats

    return [stats.kendalltau(X[:, i], X[:, j]) for i, j in combinations(range(X.shape[1]), 2)]


CASES = (
    Case("kendall", MIDDLE, method("kendall"), 60),
    Case(_PEER, MIDDLE, kendalltau),
    Case("kendall", LONG, method("kendall")),
    Case("score of normal scores", LONG, method("score", transform="normal-scores")),
    Case("score", LONG, method("score")),
)


def measure(cases: Sequence[Case] = CASES, file: Shape = LONG) -> Measurements:
    lines, speedups = [], []
    peaks = list(_peaks(file))  # before arrays are made here: a new process inherits the peak
    for shape in dict.fromkeys(case.shape for case in cases):
        group = [case for case in cases if case.shape == shape]
        with blas_threads(1):
            unit, found = costs(group)
        name = f"numpy.cov itself, ms, {shape_name(shape)}"
        lines.append(_line(_UNITS, name, unit.milliseconds))
        ratios = {case.name: cost.ratio for case, cost in zip(group, found, strict=True)}
        lines += [
            _line(_UNITS, f"{case.name}, {shape_name(shape)}", ratios[case.name], case.target)
            for case in group
        ]
        if _PEER in ratios and "kendall" in ratios:
            faster = ratios[_PEER].median / ratios["kendall"].median
            speedups.append(Line(_PEERS, f"kendall, {shape_name(shape)}", faster, at_least=_FASTER))
    return Measurements([*lines, *speedups, *peaks])


def _line(group: str, name: str, spread: Spread, at_most: float | None = None) -> Line:
    return Line(group, name, spread.median, at_most=at_most, low=spread.low, high=spread.high)


def _peaks(shape: Shape) -> Sequence[Line]:
    """Without a test, of `kendall`, and of `score` beside it."""
    with tempfile.TemporaryDirectory(prefix="edgewise-bench-") as folder:
        path = Path(folder) / "rows.parquet"
        size = map(str, shape)
        # By a process of its own, for the same reason.
        subprocess.run([sys.executable, "-m", "benchmarks.ranks", str(path), *size], check=True)
        calls = {
            "kendall": ("edge_test(paths, method='kendall')", _MOST_MB),
            "score": ("edge_test(paths, method='score')", None),
            "score of normal scores": (
                "edge_test(paths, method='score', transform='normal-scores')",
                None,
            ),
        }
        lines = []
        for name, (statement, most) in calls.items():
            seconds, megabytes = in_new_process(statement, [str(path)])
            lines.append(
                Line(
                    _PEAKS,
                    f"{name}, {shape_name(shape)}",
                    megabytes,
                    at_most=most,
                    beside={"seconds": seconds},
                )
            )
        return lines


def _write(path: Path, shape: Shape) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    columns = np.random.default_rng(0).standard_normal(shape[::-1])
    table = pa.table({f"c{i}": column for i, column in enumerate(columns)})
    parquet.write_table(table, path)


if __name__ == "__main__":
    where, rows, width = sys.argv[1:]
    _write(Path(where), (int(rows), int(width)))

"""Peak memory beyond the data, each measurement in a process of its own."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Sequence

from benchmarks.cases import LONG, MEMORY_CASES, MemoryCase, Shape, shape_name
from benchmarks.report import Curve, Line, Measurements
from benchmarks.slopes import slope

# Peaks never fall, so what was loaded before must be loaded before the first reading; the array
# is filled in place, so that making it leaves no higher peak behind than the array itself.
_PROGRAM = """
import resource, sys, warnings
import numpy
from edgewise import edge_test
warnings.simplefilter("ignore")
X = numpy.empty({shape})
numpy.random.default_rng(0).standard_normal(out=X)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
{statement}
print(before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
# Linux counts ru_maxrss in KiB, macOS in bytes.
_UNIT = 1 if sys.platform == "darwin" else 1024
_PAGE = 4096 / 1e6
# Fewer rows would hide behind the interpreter's own peak.
ROWS = (200_000, 500_000, 1_000_000, 2_000_000, 5_000_000)


def measure(
    cases: Sequence[MemoryCase] = MEMORY_CASES, rows: Sequence[int] = ROWS, long: Shape = LONG
) -> Measurements:
    """The peak on LONG data beside its target, and how it grows with the rows."""
    lines, slopes, curves = [], [], []
    for case in cases:
        # A peak that did not rise has no logarithm.
        peaks = [max(peak_megabytes(case.statement, (n, long[1])), _PAGE) for n in rows]
        at_long = (
            peaks[rows.index(long[0])] if long[0] in rows else peak_megabytes(case.statement, long)
        )
        group = f"Peak memory beyond the data, MB, {shape_name(long)}"
        lines.append(Line(group, case.name, at_long, at_most=case.target))
        fitted = slope(rows, peaks)
        group = f"Peak memory beyond the data against n, slope in log–log, p = {long[1]}"
        slopes.append(Line(group, case.name, round(fitted, 3)))
        curves.append(Curve("memory-n", case.name, tuple(rows), tuple(peaks), fitted, rows[0]))
    return Measurements([*lines, *slopes], curves)


def peak_megabytes(statement: str, shape: Shape) -> float:
    """MB (10⁶ bytes) by which the peak rises while the statement runs on data of that shape."""
    program = _PROGRAM.format(shape=shape, statement=statement)
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    before, after = map(int, done.stdout.split())
    # On Linux a new process inherits the peak of the one that started it, which would hide
    # everything below: this must run before the timings make arrays here.
    if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >= before:
        raise RuntimeError("memory must be measured before this process grows; run it first")
    return (after - before) * _UNIT / 1e6

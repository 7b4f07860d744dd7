"""Peak memory beyond the data, each case in a process of its own."""

from __future__ import annotations

import resource
import subprocess
import sys

from benchmarks.cases import LONG, MemoryCase

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


def peak_megabytes(case: MemoryCase) -> float:
    """MB (10⁶ bytes) by which the peak rises while the statement runs on LONG data."""
    program = _PROGRAM.format(shape=LONG, statement=case.statement)
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    before, after = map(int, done.stdout.split())
    # On Linux a new process inherits the peak of the one that started it, which would hide
    # everything below: this must run before the timings make arrays here.
    if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >= before:
        raise RuntimeError("memory must be measured before this process grows; run it first")
    return (after - before) * _UNIT / 1e6

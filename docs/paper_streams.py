"""Memory and time of `trace` and `eig` on a stream, for howto/streams.md: prints its table.

`OPENBLAS_NUM_THREADS=1 python docs/paper_streams.py`, under Linux; a new process for each line.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

import edgewise as ew

CASES = (
    *(
        ("eig", p, n)
        for p, n in ((10, 1_000_000), (20, 300_000), (40, 50_000), (60, 20_000))
    ),
    *(("trace", p, n) for p, n in ((10, 2_000_000), (20, 1_000_000), (40, 1_000_000))),
    *(
        ("trace", p, n)
        for p, n in ((60, 500_000), (100, 300_000), (200, 100_000), (500, 30_000))
    ),
)


def megabytes(entry: str) -> float:
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(entry)) / 1000


def line(method: str, p: int, n: int) -> str:
    rows = np.random.default_rng(0).standard_normal((10, 1000, p))
    order = "all" if method == "eig" else 4
    ew.edge_test(ew.accumulate(iter(rows[:, :, :3]), order=order), method=method)
    before = megabytes("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    start = time.process_time()
    state = ew.accumulate((rows[k % 10] for k in range(n // 1000)), order=order)
    read = time.process_time()
    with warnings.catch_warnings(
        action="ignore"
    ):  # too few rows for a finite threshold
        ew.edge_test(state, method=method)
    tested, more = time.process_time() - read, megabytes("VmHWM") - before
    with tempfile.NamedTemporaryFile() as file:
        state.save(file.name)
        size = Path(file.name).stat().st_size / 1e6
    rate = float(f"{n / (read - start):.2g}")
    return f"| `{method}` | {p} | {rate:,.0f} | {tested:.2g} s | {more:.0f} MB | {size:.2g} MB |"


if __name__ == "__main__":
    if sys.argv[1:]:
        print(line(sys.argv[1], *map(int, sys.argv[2:])))
    else:
        for case in CASES:
            command = [sys.executable, __file__, *map(str, case)]
            subprocess.run(command, check=True)  # noqa: S603

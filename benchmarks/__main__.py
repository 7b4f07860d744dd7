"""Measure everything, or the sections that are named, and keep it as tables in results/.

python -m benchmarks                   all of it, 35 to 40 minutes
python -m benchmarks peers scaling     these anew, the others as they are in results/
"""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable
from datetime import UTC, datetime

from benchmarks import (
    cluster,
    conditional,
    memory,
    peers,
    ranks,
    ratios,
    reading,
    scaling,
    starts,
    streams,
    wide,
)
from benchmarks.flops import FORMULAS
from benchmarks.machine import load, machine_facts
from benchmarks.report import RESULTS, Measurements, Section, read, write
from edgewise.errors import EdgewiseWarning

# In the order in which they must run: a new process inherits the peak memory of the one that
# starts it, so what measures memory comes before what makes arrays here.
SECTIONS: dict[str, Callable[[], Measurements]] = {
    "memory": memory.measure,
    "files": lambda: Measurements(list(streams.stream_lines())),
    "starts": starts.measure,
    "wide": wide.measure,
    "ranks": ranks.measure,
    "reading": reading.measure,
    "peers": peers.measure,
    "timings": ratios.measure,
    "conditional": conditional.measure,
    "scaling": scaling.measure,
    "cluster": cluster.measure,
}
# How the columns of a section came about, where their heads do not say.
_NOTES: dict[str, Callable[[], dict[str, str]]] = {
    "peers": peers.peer_versions,
    "conditional": conditional.versions,
    "timings": lambda: {"% of DGEMM": FORMULAS},
    "cluster": cluster.engine_versions,
}


def main(names: list[str]) -> None:
    unknown = [name for name in names if name not in SECTIONS]
    if unknown:
        sys.exit(f"no section {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    # An infinite threshold costs what a finite one does; (100 000, 200) has one.
    warnings.simplefilter("ignore", EdgewiseWarning)
    sections = read()
    for name in SECTIONS:
        if not names or name in names:
            print(f"measuring {name} …", file=sys.stderr, flush=True)
            sections[name] = _section(name)
            # After each, so that a run that is interrupted has not been for nothing.
            write([sections[name] for name in SECTIONS if name in sections])
            # By a process of its own: Matplotlib is large, and memory may be measured next.
            subprocess.run([sys.executable, "-m", "benchmarks.plots"], check=True)
    print((RESULTS / "benchmarks.md").read_text(encoding="utf-8"), end="")


def _section(name: str) -> Section:
    before, start = load(), datetime.now(UTC)
    found = SECTIONS[name]()
    minutes = (datetime.now(UTC) - start).total_seconds() / 60
    facts = machine_facts() | {
        "measured": f"{start:%Y-%m-%d %H:%M} UTC, in {minutes:.1f} minutes",
        "load before and after": f"{before}, {load()}",
    }
    return Section(name, facts | _NOTES.get(name, dict)(), found.lines, found.curves)


if __name__ == "__main__":
    main(sys.argv[1:])

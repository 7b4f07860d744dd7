"""Measure everything, or the sections that are named, and keep it as tables in results/.

python -m benchmarks                   all of it, about an hour
python -m benchmarks peers scaling     these anew, the others as they are in results/

Refuses on a busy machine; with ANYWAY=1 it measures all the same, and the tables say so.
"""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from datetime import UTC, datetime

from benchmarks import (
    check,
    cluster,
    columns,
    conditional,
    memory,
    peers,
    quote,
    ranks,
    ratios,
    reading,
    scaling,
    small,
    starts,
    streams,
    wide,
)
from benchmarks.flops import FORMULAS
from benchmarks.machine import machine_facts
from benchmarks.quiet import NotQuietError, refuse_if_busy
from benchmarks.report import RESULTS, Measurements, Section, read, write
from edgewise.errors import EdgewiseWarning

SECTIONS: dict[str, Callable[[], Measurements]] = {
    "memory": memory.measure,
    "files": streams.measure,
    "starts": starts.measure,
    "small": small.measure,
    "columns": columns.measure,
    "wide": wide.measure,
    "ranks": ranks.measure,
    "reading": reading.measure,
    "peers": peers.measure,
    "timings": ratios.measure,
    "conditional": conditional.measure,
    "scaling": scaling.measure,
    "check": check.measure,
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
    first = True
    for name in SECTIONS:
        if not names or name in names:
            print(f"measuring {name} …", file=sys.stderr, flush=True)
            try:
                sections[name] = _section(name, first)
            except NotQuietError as error:
                sys.exit(str(error))
            first = False
            # After each, so that a run that is interrupted has not been for nothing.
            write([sections[name] for name in SECTIONS if name in sections])
            # By a process of its own: Matplotlib is large.
            subprocess.run([sys.executable, "-m", "benchmarks.plots"], check=True)
    quote.main()
    print((RESULTS / "benchmarks.md").read_text(encoding="utf-8"), end="")


def _section(name: str, first: bool) -> Section:
    before, start = refuse_if_busy(first=first), datetime.now(UTC)
    found = SECTIONS[name]()
    minutes = (datetime.now(UTC) - start).total_seconds() / 60
    facts = machine_facts() | {
        "measured": f"{start:%Y-%m-%d %H:%M} UTC, in {minutes:.1f} minutes",
        "before and after": f"{before}; load {os.getloadavg()[0]:.1f} with our own in it",
        **found.facts,
    }
    return Section(name, facts | _NOTES.get(name, dict)(), found.lines, found.curves)


if __name__ == "__main__":
    main(sys.argv[1:])

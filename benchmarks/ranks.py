"""Tests of ranks: time in units of numpy.cov, beside SciPy's `kendalltau`, and memory from a file.

All on Gaussian rows and one core, each in processes of its own. SciPy counts inversions of two
columns at a time, so it is called for each of the 91 pairs, and all of them are timed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.cases import LONG, Shape, shape_name
from benchmarks.quiet import Noise
from benchmarks.report import Line, Measurements
from benchmarks.rounds import ROUNDS, rounds
from benchmarks.streams import COLUMNS, write_files
from benchmarks.timing import Spread
from benchmarks.worker import COV, KENDALLTAU, Answer, Ask, Call, answer

MIDDLE: Shape = (100_000, 14)
_FASTER, _MOST_MB = 10.0, 500.0
_UNITS = "Ranks, in units of numpy.cov(X, rowvar=False), one core"
_PEERS = "Ranks, times faster than scipy.stats.kendalltau, same run"
_PEAKS = "Ranks, peak resident MB of a new process, Parquet"


@dataclass(frozen=True)
class RankCase:
    """A call on rows of `shape`, and the most it may cost in units of numpy.cov."""

    name: str
    shape: Shape
    target: float | None = None
    options: dict[str, Any] = field(default_factory=dict, hash=False)


_NORMAL_SCORES = {"method": "score", "transform": "normal-scores"}
CASES = (
    RankCase("kendall", MIDDLE, 60),
    RankCase(KENDALLTAU, MIDDLE),
    RankCase("kendall", LONG),
    RankCase("score of normal scores", LONG, options=_NORMAL_SCORES),
    RankCase("score", LONG),
)


def measure(
    cases: Sequence[RankCase] = CASES, file_rows: int = LONG[0], count: int = ROUNDS
) -> Measurements:
    noise = Noise()
    found = rounds({case: partial(_visit, case) for case in cases}, noise, count)
    lines, medians = [], {}
    for case, answers in found.items():
        ratios = Spread.of([one.ratio() for one in answers])
        medians[case.name, case.shape] = ratios.median
        beside: dict[str, float | str] = {
            "ms": 1e3 * Spread.of([a.seconds[-1] for a in answers]).median
        }
        name = f"{case.name}, {shape_name(case.shape)}"
        lines.append(ratios.line(_UNITS, name, case.target, beside=beside))
    speedups = [
        Line(
            _PEERS,
            f"kendall, {shape_name(shape)}",
            value / medians["kendall", shape],
            at_least=_FASTER,
        )
        for (name, shape), value in medians.items()
        if name == KENDALLTAU and ("kendall", shape) in medians
    ]
    return Measurements([*lines, *speedups, *_peaks(file_rows)], facts=noise.facts())


def _visit(case: RankCase, _round: int) -> Answer:
    return answer(Ask((Call(COV), Call(case.name, case.options)), case.shape))


def _peaks(rows: int) -> Sequence[Line]:
    """Of `kendall`, and of `score` beside it."""
    calls = {
        "kendall": ({}, _MOST_MB),
        "score": ({}, None),
        "score of normal scores": (_NORMAL_SCORES, None),
    }
    lines = []
    with tempfile.TemporaryDirectory(prefix="edgewise-bench-") as folder:
        paths = write_files(Path(folder), rows, 1)["parquet"]
        for name, (options, most) in calls.items():
            one = answer(Ask((Call(name, options),), data=paths, cores=None, repeats=1))
            what = f"{name}, {shape_name((rows, COLUMNS))}"
            beside: dict[str, float | str] = {"seconds": one.seconds[0]}
            lines.append(Line(_PEAKS, what, one.peak, at_most=most, beside=beside))
    return lines

"""What it costs to get going: fresh processes against fresh processes, on one thread."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.cases import START_CASES, StartCase
from benchmarks.quiet import Noise
from benchmarks.report import Measurements
from benchmarks.rounds import ROUNDS
from benchmarks.timing import start_ratios


def measure(cases: Sequence[StartCase] = START_CASES, count: int = ROUNDS) -> Measurements:
    noise = Noise()
    lines = [
        ratio.line(
            "Fresh processes, ratio of CPU times",
            f"`{case.name}` / `{case.baseline[-1]}`",
            case.target,
        )
        for case, ratio in zip(cases, start_ratios(cases, noise, count), strict=True)
    ]
    return Measurements(lines, facts=noise.facts())

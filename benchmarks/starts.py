"""What it costs to get going: fresh processes against fresh processes."""

from __future__ import annotations

from benchmarks.cases import START_CASES
from benchmarks.report import Line, Measurements
from benchmarks.timing import start_ratios


def measure() -> Measurements:
    lines = [
        Line(
            "Fresh processes, median ratio",
            f"`{case.name}` / `{case.baseline[-1]}`",
            ratio.median,
            at_most=case.target,
            low=ratio.low,
            high=ratio.high,
        )
        for case, ratio in zip(START_CASES, start_ratios(START_CASES), strict=True)
    ]
    return Measurements(lines)

"""Peak memory beyond the data, each measurement in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from benchmarks.cases import LONG, MEMORY_CASES, Shape, shape_name
from benchmarks.report import Curve, Line, Measurements
from benchmarks.slopes import slope
from benchmarks.worker import Answer, Ask, Call, answer

_PAGE = 4096 / 1e6
# Fewer rows would hide behind the interpreter's own peak.
ROWS = (200_000, 500_000, 1_000_000, 2_000_000, 5_000_000)


def measure(
    cases: Mapping[str, float | None] = MEMORY_CASES,
    rows: Sequence[int] = ROWS,
    long: Shape = LONG,
    ask: Callable[[Ask], Answer] = answer,
) -> Measurements:
    """The peak on LONG data beside its target, and how it grows with the rows."""

    def peak(name: str, n: int) -> float:
        # A peak that did not rise has no logarithm.
        return max(ask(Ask((Call(name),), (n, long[1]), cores=None, repeats=1)).rise, _PAGE)

    lines, slopes, curves = [], [], []
    for name, target in cases.items():
        peaks = [peak(name, n) for n in rows]
        at_long = peaks[rows.index(long[0])] if long[0] in rows else peak(name, long[0])
        group = f"Peak memory beyond the data, MB, {shape_name(long)}"
        lines.append(Line(group, name, at_long, at_most=target))
        fitted = slope(rows, peaks)
        group = f"Peak memory beyond the data against n, slope in log–log, p = {long[1]}"
        slopes.append(Line(group, name, round(fitted, 3)))
        curves.append(Curve("memory-n", name, tuple(rows), tuple(peaks), fitted, rows[0]))
    return Measurements([*lines, *slopes], curves)

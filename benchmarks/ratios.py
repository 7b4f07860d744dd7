"""`edge_test` in units of numpy.cov: the table of targets, on one BLAS thread and on all."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from benchmarks.cases import (
    AUTHORS_CASE,
    AUTHORS_RATIO,
    CASES,
    SPEEDUP_TARGET,
    Case,
    shape_name,
)
from benchmarks.report import Line, Measurements, number
from benchmarks.timing import REPETITIONS, Cost, Spread, Unit, blas_threads, costs

_GROUP = "edge_test in units of numpy.cov(X, rowvar=False), one BLAS thread; all threads beside it"
_SHARE, _ALL, _ALL_RANGE, _ALL_SHARE = (
    "% of DGEMM",
    "all threads",
    "range, all threads",
    "% of DGEMM, all threads",
)


def measure(cases: Sequence[Case] = CASES, authors: Case = AUTHORS_CASE) -> Measurements:
    lines: list[Line] = []
    for shape, together in groupby((*cases, authors), key=lambda case: case.shape):
        group = list(together)
        with blas_threads(1):
            unit, ones = costs(group)
        with blas_threads(None):
            all_unit, alls = costs(group)
        lines.append(_unit_line(f"numpy.cov itself, ms, {shape_name(shape)}", unit, all_unit))
        for case, one, every in zip(group, ones, alls, strict=True):
            name = f"{case.name}, {shape_name(shape)}"
            lines.append(_line(name, one, every, at_most=case.target))
            if case is authors:
                lines.append(_speedup_line(one, every))
    return Measurements(lines)


def _unit_line(name: str, unit: Unit, every: Unit) -> Line:
    if (unit.repetitions, every.repetitions) != (REPETITIONS, REPETITIONS):
        name += f" (this shape cut to {unit.repetitions} and {every.repetitions} repetitions)"
    one, all_threads = Cost(unit.milliseconds, unit.share), Cost(every.milliseconds, every.share)
    return _line(name, one, all_threads)


def _speedup_line(one: Cost, every: Cost) -> Line:
    name = f"speed-up over the authors' program, at {AUTHORS_RATIO:,} (given to us, not measured)"
    one, every = (Cost(cost.ratio.into(AUTHORS_RATIO), None) for cost in (one, every))
    return _line(name, one, every, at_least=SPEEDUP_TARGET)


def _line(
    name: str,
    one: Cost,
    every: Cost,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
) -> Line:
    beside: dict[str, float | str] = {
        _SHARE: "" if one.share is None else one.share,
        _ALL: every.ratio.median,
        _ALL_RANGE: _range(every.ratio),
        _ALL_SHARE: "" if every.share is None else every.share,
    }
    ratio = one.ratio
    return Line(_GROUP, name, ratio.median, at_least, at_most, ratio.low, ratio.high, beside)


def _range(spread: Spread) -> str:
    return f"{number(spread.low)} – {number(spread.high)}"

"""Measure everything, print it as tables, and keep them in results/."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from itertools import groupby

from threadpoolctl import threadpool_limits

from benchmarks.cases import (
    AUTHORS_CASE,
    AUTHORS_RATIO,
    CASES,
    LONG,
    MEMORY_CASES,
    SPEEDUP_TARGET,
    START_CASES,
    Case,
)
from benchmarks.machine import load, machine_facts
from benchmarks.memory import peak_megabytes
from benchmarks.report import Line, markdown, write
from benchmarks.streams import stream_lines
from benchmarks.timing import Spread, ratios_to_cov, start_ratios
from edgewise.errors import EdgewiseWarning


def main() -> None:
    # An infinite threshold costs what a finite one does; (100 000, 200) has one.
    warnings.simplefilter("ignore", EdgewiseWarning)
    before = load()
    # Memory first: see `peak_megabytes`.
    lines = [*_memory(), *_starts(), *stream_lines()]
    for label, threads in (("one BLAS thread", 1), ("all BLAS threads", None)):
        lines += _timings(label, threads)
    facts = machine_facts() | {"load before and after": f"{before}, {load()}"}
    write(facts, lines)
    print(markdown(facts, lines), end="")


def _memory() -> Iterator[Line]:
    group = f"Peak memory beyond the data, MB, {_shape(LONG)}"
    for case in MEMORY_CASES:
        yield Line(group, case.name, peak_megabytes(case), case.target)


def _starts() -> Iterator[Line]:
    for case, ratio in zip(START_CASES, start_ratios(START_CASES), strict=True):
        name = f"`{case.name}` / `{case.baseline[-1]}`"
        yield _line("Fresh processes, median ratio", name, ratio, case.target)


def _timings(label: str, threads: int | None) -> Iterator[Line]:
    group = f"edge_test in units of numpy.cov(X, rowvar=False), {label}"
    with _blas(threads):
        for shape, cases in groupby(CASES, key=_shape_of):
            together = list(cases)
            unit, ratios = ratios_to_cov(together)
            yield _line(group, f"numpy.cov itself, ms, {_shape(shape)}", unit)
            for case, ratio in zip(together, ratios, strict=True):
                yield _line(group, f"{case.name}, {_shape(shape)}", ratio, case.target)
        unit, (ratio,) = ratios_to_cov([AUTHORS_CASE])
    shape = AUTHORS_CASE.shape
    yield _line(group, f"numpy.cov itself, ms, {_shape(shape)}", unit)
    yield _line(group, f"{AUTHORS_CASE.name}, {_shape(shape)}", ratio)
    given = f"speed-up over the authors' program, at {AUTHORS_RATIO:,} (given to us, not measured)"
    yield _line(group, given, ratio.into(AUTHORS_RATIO), SPEEDUP_TARGET, at_least=True)


def _line(
    group: str, name: str, spread: Spread, target: float | None = None, *, at_least: bool = False
) -> Line:
    return Line(group, name, spread.median, target, spread.low, spread.high, at_least)


def _blas(threads: int | None) -> AbstractContextManager[object]:
    return nullcontext() if threads is None else threadpool_limits(threads, user_api="blas")


def _shape_of(case: Case) -> tuple[int, int]:
    return case.shape


def _shape(shape: tuple[int, int]) -> str:
    return f"{shape[0]:,} × {shape[1]}"


if __name__ == "__main__":
    main()

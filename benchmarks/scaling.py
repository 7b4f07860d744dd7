"""How time grows with the rows and with the columns, on one BLAS thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from benchmarks.cases import method
from benchmarks.report import Curve, Line, Measurements
from benchmarks.slopes import slope
from benchmarks.timing import Spread, Timer, blas_threads
from edgewise.methods.registry import METHODS

Call = Callable[[Any], object]

COLUMNS = 14
ROWS = (10_000, 100_000, 1_000_000, 3_000_000, 10_000_000)
# A call takes some milliseconds at any size; below this they would flatten the slope.
ROWS_FIT_FROM = 1_000_000
ROWS_REPETITIONS = 5
ROWS_SLOPE = (0.95, 1.05)

FIXED_ROWS = 20_000
COLUMN_COUNTS = (25, 50, 100, 200, 350, 500)
# The same, and in this direction a flat start would flatter.
COLUMN_COUNTS_FIT_FROM = 100
COLUMNS_REPETITIONS = 3
COLUMNS_SLOPE = 2.2


def numpy_cov(X: Any) -> object:
    return np.cov(X, rowvar=False)


IN_ROWS: dict[str, Call] = {
    "numpy.cov": numpy_cov,
    **{name: method(name) for name in METHODS},
}
IN_COLUMNS: dict[str, Call] = {
    "numpy.cov": numpy_cov,
    "trace": method("trace"),
    "score": method("score"),
    "eig, matrix-free": method("eig", solver="matrix-free"),
}


def measure() -> Measurements:
    with blas_threads(1):
        rows = against_rows()
        columns = against_columns()
    return Measurements([*rows.lines, *columns.lines], [*rows.curves, *columns.curves])


def against_rows(
    calls: Mapping[str, Call] = IN_ROWS,
    rows: Sequence[int] = ROWS,
    fit_from: int = ROWS_FIT_FROM,
    repetitions: int = ROWS_REPETITIONS,
) -> Measurements:
    X = np.random.default_rng(0).standard_normal((max(rows), COLUMNS))
    arrays = {n: X[:n] for n in rows}
    curves, spreads = _curves("time-n", calls, arrays, fit_from, repetitions)
    group = (
        f"Time against n, slope in log–log from n = {fit_from:,} to {max(rows):,}, "
        f"p = {COLUMNS}, one BLAS thread"
    )
    least, most = ROWS_SLOPE
    lines = [
        _slope_line(group, curve.label, spread, at_least=least, at_most=most)
        for curve, spread in zip(curves, spreads, strict=True)
    ]
    return Measurements(lines, curves)


def against_columns(
    calls: Mapping[str, Call] = IN_COLUMNS,
    columns: Sequence[int] = COLUMN_COUNTS,
    fit_from: int = COLUMN_COUNTS_FIT_FROM,
    repetitions: int = COLUMNS_REPETITIONS,
    rows: int = FIXED_ROWS,
) -> Measurements:
    X = np.random.default_rng(0).standard_normal((rows, max(columns)))
    arrays = {p: np.ascontiguousarray(X[:, :p]) for p in columns}
    curves, spreads = _curves("time-p", calls, arrays, fit_from, repetitions)
    group = (
        f"Time against p, slope in log–log from p = {fit_from} to {max(columns)}, "
        f"n = {rows:,}, one BLAS thread"
    )
    lines = [
        _slope_line(group, curve.label, spread, at_most=COLUMNS_SLOPE)
        for curve, spread in zip(curves, spreads, strict=True)
    ]
    return Measurements(lines, curves)


def _curves(
    picture: str,
    calls: Mapping[str, Call],
    arrays: Mapping[int, Any],
    fit_from: int,
    repetitions: int,
) -> tuple[list[Curve], list[Spread]]:
    """Median milliseconds of every call at every size, and the spread of the rounds' slopes."""
    sizes = tuple(arrays)
    fit = [k for k, size in enumerate(sizes) if size >= fit_from]
    timers = {
        name: [Timer(partial(call, X)) for X in arrays.values()] for name, call in calls.items()
    }
    # Within a round all sizes of a call come together: a slope is taken within it.
    rounds = [
        {name: [1e3 * timer.seconds() for timer in row] for name, row in timers.items()}
        for _ in range(repetitions)
    ]
    curves, spreads = [], []
    for name in calls:
        spread = Spread.of(
            [slope([sizes[k] for k in fit], [line[name][k] for k in fit]) for line in rounds]
        )
        times = tuple(median(line[name][k] for line in rounds) for k in range(len(sizes)))
        curves.append(Curve(picture, name, sizes, times, spread.median, fit_from))
        spreads.append(spread)
    return curves, spreads


def _slope_line(group: str, name: str, slopes: Spread, **target: float) -> Line:
    # numpy.cov has no target to meet; it is there to show what the machine does to a slope.
    wanted = {} if name == "numpy.cov" else target
    return Line(group, name, slopes.median, low=slopes.low, high=slopes.high, **wanted)

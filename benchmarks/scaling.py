"""How the time of every method grows with the rows and with the columns, on one core.

Every size is a process of its own, and a visit of a method is all its sizes, so that its exponent
is taken within one visit. Sizes are those at which a call takes long enough for what it costs at
any size not to flatten the exponent, and not so long that nobody would wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import median
from typing import Any

from benchmarks.cases import Shape
from benchmarks.quiet import Noise
from benchmarks.report import Curve, Line, Measurements
from benchmarks.rounds import rounds
from benchmarks.slopes import slope
from benchmarks.timing import Spread
from benchmarks.worker import COV, XTX, Answer, Ask, Call, answer
from edgewise.methods.registry import registered

COLUMNS, ROWS = 14, 20_000
COUNT = 3
#: Within a process; the visits are repeated too.
_REPEATS = 1
ROWS_EXPONENT = (0.95, 1.05)
# It sorts, and n log n has the exponent 1 + 1/log n here.
SORTED_EXPONENT = (0.95, 1.15)
COLUMNS_EXPONENT = 2.2


@dataclass(frozen=True)
class Range:
    """Sizes in one direction; `other` is the size that stays."""

    sizes: tuple[int, ...]
    other: int
    options: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def words(self) -> str:
        return f"{self.sizes[0]:,} … {self.sizes[-1]:,}"


_MOST_ROWS = Range((300_000, 1_000_000, 3_000_000), COLUMNS)
_FEWER_ROWS = Range((100_000, 300_000, 1_000_000), COLUMNS)
_MOST_COLUMNS = Range((100, 200, 500), ROWS)
_FEWER_COLUMNS = Range((50, 100, 200), ROWS)
#: Where a method is too slow for the sizes of the others.
IN_ROWS = {
    "nodewise": Range((10_000, 30_000, 100_000), COLUMNS),
    "kendall": _FEWER_ROWS,
    "eig": _FEWER_ROWS,
}
IN_COLUMNS = {
    "nodewise": Range((50, 100, 200), 1_000),
    "kendall": Range((50, 100, 200), 2_000),
    "entrywise": _FEWER_COLUMNS,
    # By itself it would change the way it works within the range.
    "eig": Range(_FEWER_COLUMNS.sizes, ROWS, {"solver": "matrix-free"}),
}
#: Their chosen neighbours, and resampled maxima over all pairs, are no sums over p × p pairs.
_OTHER_GROWTH = ("nodewise", "entrywise")


def names() -> tuple[str, ...]:
    """The two units, and all methods there are."""
    return (XTX, COV, *registered())


def measure(
    in_rows: Mapping[str, Range] | None = None,
    in_columns: Mapping[str, Range] | None = None,
    count: int = COUNT,
    ask: Callable[[Ask], Answer] = answer,
) -> Measurements:
    noise = Noise()
    in_rows = in_rows or {name: IN_ROWS.get(name, _MOST_ROWS) for name in names()}
    in_columns = in_columns or {name: IN_COLUMNS.get(name, _MOST_COLUMNS) for name in names()}
    visits = {
        ("time-n", name): partial(_times, name, span, _with_rows, ask)
        for name, span in in_rows.items()
    } | {
        ("time-p", name): partial(_times, name, span, _with_columns, ask)
        for name, span in in_columns.items()
    }
    found = rounds(visits, noise, count)
    lines: list[Line] = []
    curves: list[Curve] = []
    for (picture, name), times in found.items():
        span = (in_rows if picture == "time-n" else in_columns)[name]
        slopes = Spread.of([slope(span.sizes, of_visit) for of_visit in times])
        lines.append(_line(picture, name, span, slopes, times))
        points = tuple(median(column) for column in zip(*times, strict=True))
        curves.append(Curve(picture, name, span.sizes, points, slopes.median, span.sizes[0]))
    return Measurements(lines, curves, noise.facts())


def _with_rows(size: int, other: int) -> Shape:
    return size, other


def _with_columns(size: int, other: int) -> Shape:
    return other, size


def _times(
    name: str,
    span: Range,
    shape: Callable[[int, int], Shape],
    ask: Callable[[Ask], Answer],
    _round: int,
) -> list[float]:
    """Milliseconds at every size."""
    call = (Call(name, span.options),)
    return [
        1e3 * ask(Ask(call, shape(size, span.other), repeats=_REPEATS)).seconds[0]
        for size in span.sizes
    ]


def _line(
    picture: str, name: str, span: Range, slopes: Spread, times: Sequence[Sequence[float]]
) -> Line:
    # The units have no target to meet; they show what the machine does to an exponent.
    least = most = None
    if picture == "time-n":
        group, letters = "Time against n, its exponent", ("n", "p")
        if name in registered():
            least, most = SORTED_EXPONENT if name == "kendall" else ROWS_EXPONENT
    else:
        group, letters = "Time against p, its exponent", ("p", "n")
        if name in registered() and name not in _OTHER_GROWTH:
            most = COLUMNS_EXPONENT
    head, other = letters
    options = ", ".join(f"{key}={value}" for key, value in span.options.items())
    beside: dict[str, float | str] = {
        f"range of {head}": span.words,
        other: f"{span.other:,}",
        "ms at the largest": median(of_visit[-1] for of_visit in times),
    }
    return Line(
        f"{group}, one core",
        f"{name} ({options})" if options else name,
        slopes.median,
        least,
        most,
        slopes.low,
        slopes.high,
        beside,
    )

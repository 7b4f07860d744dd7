"""Thousands of columns: `score` beside the two products it cannot do without, and its memory.

The unit is one DSYRK and one DGEMM of the shape: X.T @ X, and X times a p × p matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.cases import Shape, shape_name
from benchmarks.quiet import Noise
from benchmarks.report import Line, Measurements
from benchmarks.rounds import ROUNDS, rounds
from benchmarks.timing import Spread
from benchmarks.worker import SYRK_GEMM, Answer, Ask, Call, answer

MOST_UNITS = 2.5
#: Matrices of p × p numbers beyond the data.
MOST_MATRICES = 4.0
_TIME = "Many columns: score in units of one DSYRK + one DGEMM of the shape"
_MEMORY = "Many columns: peak memory of score beyond the data, in p × p matrices of 8 bytes"
_SECONDS = "seconds"


@dataclass(frozen=True)
class Wide:
    """A shape, on one core or on all, and how often: minutes are measured less often."""

    shape: Shape
    cores: int | None
    count: int


CASES = (
    Wide((10_000, 2_000), 1, ROUNDS),
    Wide((10_000, 2_000), None, 3),
    Wide((10_000, 5_000), None, 3),
)


def measure(cases: Sequence[Wide] = CASES, ask: Callable[[Ask], Answer] = answer) -> Measurements:
    noise, times, peaks = Noise(), [], []
    for case in cases:
        question = Ask((Call(SYRK_GEMM), Call("score")), case.shape, cores=case.cores)
        found = rounds({case: lambda _, question=question: ask(question)}, noise, case.count)[case]
        name = f"{shape_name(case.shape)}, {'all cores' if case.cores is None else 'one core'}"
        if case.count < ROUNDS:
            name += f", {case.count} rounds"
        seconds = Spread.of([one.seconds[-1] for one in found])
        ratio = Spread.of([one.ratio() for one in found])
        times.append(ratio.line(_TIME, name, MOST_UNITS, beside={_SECONDS: seconds.median}))
        peaks.append(_memory(name, case.shape, max(one.rise for one in found)))
    return Measurements([*times, *peaks], facts=noise.facts())


def _memory(name: str, shape: Shape, megabytes: float) -> Line:
    matrix = 8 * shape[1] ** 2 / 1e6
    return Line(_MEMORY, name, megabytes / matrix, at_most=MOST_MATRICES, beside={"MB": megabytes})

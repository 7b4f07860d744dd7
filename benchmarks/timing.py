"""Ratios that survive a noisy machine: interleaved repetitions, then the median of ratios."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Self

import numpy as np

from benchmarks.cases import Case, StartCase

REPETITIONS = 5
START_REPETITIONS = 9
# Shorter measurements are repeated until they last this long: the clock is not the question.
_LEAST_SECONDS = 0.1


@dataclass(frozen=True)
class Spread:
    """The median of repetitions, and how far they lay apart."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Self:
        return cls(median(values), min(values), max(values))

    def into(self, total: float) -> Spread:
        """The spread of `total` divided by each of the values."""
        return Spread(total / self.median, total / self.high, total / self.low)


def ratios_to_cov(cases: Sequence[Case]) -> tuple[Spread, list[Spread]]:
    """Milliseconds of numpy.cov, and each case in units of it; all cases have one shape.

    Every repetition measures numpy.cov and then each case, and a ratio is taken within it, so a
    neighbour who takes the machine for a while slows both sides of it; the median drops the
    repetitions in which only one side was hit. The milliseconds are there to show what the
    unit is worth here, not to be compared with anything.
    """
    (shape,) = {case.shape for case in cases}
    X = np.random.default_rng(0).standard_normal(shape)
    calls = [lambda: np.cov(X, rowvar=False), *(_bound(case, X) for case in cases)]
    loops = [_loops(call) for call in calls]
    rounds = [
        [_seconds(call, loop) for call, loop in zip(calls, loops, strict=True)]
        for _ in range(REPETITIONS)
    ]
    unit = Spread.of([1e3 * line[0] for line in rounds])
    ratios = [[line[k] / line[0] for line in rounds] for k in range(1, len(calls))]
    return unit, [Spread.of(column) for column in ratios]


def start_ratios(cases: Sequence[StartCase]) -> list[Spread]:
    """Time of each command's fresh process in units of its baseline's."""
    rounds = [
        [_process_seconds(case.command) / _process_seconds(case.baseline) for case in cases]
        # The first round only warms the disk cache.
        for _ in range(START_REPETITIONS + 1)
    ][1:]
    return [Spread.of(column) for column in zip(*rounds, strict=True)]


def _bound(case: Case, X: object) -> Callable[[], object]:
    return lambda: case.call(X)


def _loops(call: Callable[[], object]) -> int:
    call()  # loads what is loaded on first use
    return math.ceil(_LEAST_SECONDS / _seconds(call, 1))


def _seconds(call: Callable[[], object], loops: int) -> float:
    start = perf_counter()
    for _ in range(loops):
        call()
    return (perf_counter() - start) / loops


def _process_seconds(command: Sequence[str]) -> float:
    start = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return perf_counter() - start

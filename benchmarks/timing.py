"""Ratios that survive a noisy machine: interleaved repetitions, then the median of ratios."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any, Self

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.cases import Case, StartCase
from benchmarks.flops import useful_flops

REPETITIONS = 5
START_REPETITIONS = 9
# Shorter measurements are repeated until they last this long: the clock is not the question.
_LEAST_SECONDS = 0.1
# No further repetition once all cases of a shape took this long: on a machine with neighbours the
# threads of a BLAS wait for each other, and a call can take thirty times what one thread takes.
_ENOUGH_SECONDS = 150.0
# Large enough for the BLAS to reach its peak, and still short beside what it is compared with.
_DGEMM_SIZE = 1000


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


@dataclass(frozen=True)
class Cost:
    """A call in units of numpy.cov, and its useful flops a second in percent of a DGEMM's."""

    ratio: Spread
    share: float | None


@dataclass(frozen=True)
class Unit:
    """What numpy.cov itself took, and how often it and the cases were measured."""

    milliseconds: Spread
    share: float
    repetitions: int


def costs(cases: Sequence[Case]) -> tuple[Unit, list[Cost]]:
    """What numpy.cov costs, and each case in units of it; all cases have one shape.

    Every repetition measures a DGEMM, numpy.cov and then each case, and a ratio is taken within
    it, so a neighbour who takes the machine for a while slows both sides of it; the median drops
    the repetitions in which only one side was hit. The milliseconds are there to show what the
    unit is worth here, not to be compared with anything.
    """
    (shape,) = {case.shape for case in cases}
    rng = np.random.default_rng(0)
    X = rng.standard_normal(shape)
    A = rng.standard_normal((_DGEMM_SIZE, _DGEMM_SIZE))
    timers = [
        Timer(lambda: A @ A),
        Timer(lambda: np.cov(X, rowvar=False)),
        *(Timer(partial(case.call, X)) for case in cases),
    ]
    rounds: list[list[float]] = []
    start = perf_counter()
    while not rounds or (len(rounds) < REPETITIONS and perf_counter() - start < _ENOUGH_SECONDS):
        rounds.append([timer.seconds() for timer in timers])
    flops = [
        useful_flops(name, shape, timer.options)
        for name, timer in zip(
            ("numpy.cov", *(case.name for case in cases)), timers[1:], strict=True
        )
    ]
    shares = [_share(rounds, k + 1, count) for k, count in enumerate(flops)]
    unit = Unit(Spread.of([1e3 * line[1] for line in rounds]), shares[0], len(rounds))
    ratios = [[line[k] / line[1] for line in rounds] for k in range(2, len(timers))]
    return unit, [Cost(Spread.of(r), s) for r, s in zip(ratios, shares[1:], strict=True)]


class Timer:
    """A call that is repeated often enough to be timed; warm from the start."""

    def __init__(self, call: Callable[[], object]) -> None:
        self._call = call
        start = perf_counter()
        result = call()  # loads what is loaded on first use
        first = perf_counter() - start
        #: Those of the result, where it is one of edgewise's: they say how the work was done.
        self.options: Mapping[str, Any] = getattr(result, "options", {})
        # What takes longer than this needs no second look to be known to be long.
        warm = first if first > 10 * _LEAST_SECONDS else _seconds(call, 1)
        self._loops = math.ceil(_LEAST_SECONDS / warm)

    def seconds(self) -> float:
        return _seconds(self._call, self._loops)


def start_ratios(cases: Sequence[StartCase]) -> list[Spread]:
    """Time of each command's fresh process in units of its baseline's."""
    rounds = [
        [_process_seconds(case.command) / _process_seconds(case.baseline) for case in cases]
        # The first round only warms the disk cache.
        for _ in range(START_REPETITIONS + 1)
    ][1:]
    return [Spread.of(column) for column in zip(*rounds, strict=True)]


def blas_threads(threads: int | None) -> AbstractContextManager[object]:
    """That many, or with None as many as there are."""
    return nullcontext() if threads is None else threadpool_limits(threads, user_api="blas")


def _share(rounds: Sequence[Sequence[float]], column: int, flops: float | None) -> float | None:
    if flops is None:
        return None
    dgemm = 2.0 * _DGEMM_SIZE**3
    return median(100 * (flops / line[column]) / (dgemm / line[0]) for line in rounds)


def _seconds(call: Callable[[], object], loops: int) -> float:
    start = perf_counter()
    for _ in range(loops):
        call()
    return (perf_counter() - start) / loops


def _process_seconds(command: Sequence[str]) -> float:
    start = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return perf_counter() - start

"""How far repetitions lie apart, and fresh processes against fresh processes."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Self

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.cases import StartCase
from benchmarks.quiet import Noise, children_seconds
from benchmarks.report import Line
from benchmarks.rounds import ROUNDS, rounds
from benchmarks.worker import environment


@dataclass(frozen=True)
class Spread:
    """The median of repetitions, their extremes, and the quartiles."""

    median: float
    low: float
    high: float
    lower: float
    upper: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Self:
        lower, upper = np.quantile(values, (0.25, 0.75)).tolist()
        return cls(median(values), min(values), max(values), lower, upper)

    def line(
        self,
        group: str,
        name: str,
        at_most: float | None = None,
        *,
        at_least: float | None = None,
        beside: dict[str, float | str] | None = None,
    ) -> Line:
        """A line of a table, judged by the worse quartile."""
        return Line(
            group,
            name,
            self.median,
            at_least,
            at_most,
            self.low,
            self.high,
            beside or {},
            self.lower,
            self.upper,
        )


def start_ratios(cases: Sequence[StartCase], noise: Noise, count: int = ROUNDS) -> list[Spread]:
    """CPU time of each command's fresh process in units of its baseline's."""
    for case in cases:  # warms the disk cache
        _ratio(case, 0)
    found = rounds({case.name: partial(_ratio, case) for case in cases}, noise, count)
    return [Spread.of(found[case.name]) for case in cases]


def blas_threads(threads: int | None) -> AbstractContextManager[object]:
    """That many, or with None as many as there are."""
    return nullcontext() if threads is None else threadpool_limits(threads, user_api="blas")


def _ratio(case: StartCase, _round: int) -> float:
    return _process_seconds(case.command) / _process_seconds(case.baseline)


def _process_seconds(command: Sequence[str]) -> float:
    """CPU time, which a neighbour changes less than the time on the wall."""
    before = children_seconds()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment(1))
    return children_seconds() - before

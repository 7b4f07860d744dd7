"""Spending a number of seconds: how far to go on, as the clock and the work so far tell."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from math import sqrt
from typing import Generic, TypeVar

from edgewise.rows.sampling import Sample

T = TypeVar("T")

# What is aimed at, and where a sample that was thought to fit is given up, as shares of the
# seconds. The rest is for what cannot be foreseen or stopped.
_AIM, _LIMIT = 0.92, 1.05
# Rows are read in steps of this share of the time that is left: first, later, and at the end.
_FIRST_SHARE, _SHARE, _LAST_SHARE = 0.25, 0.5, 0.85
# If readings are dear, there are two: the first must be whole even if it takes twice as long.
_FIRST_FAR_SHARE = 0.45
# The end begins when this share of all seconds is left.
_LAST = 0.15
# Cost is foreseen up to samples so many times as large; beyond, a sample in between is tried.
_FORESEEN = 8.0
# What one measurement may take of the time that is left: it cannot be shortened on the way.
_SURE = 0.95
# A sample that is not larger by this factor is not worth its time.
_WORTH = 1.3


class OutOfTimeError(Exception):
    """A pass was stopped, because the seconds are used up."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The seconds that may be spent, from when it was made."""

    seconds: float
    now: Callable[[], float] = time.perf_counter
    began: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "began", self.now())

    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return self.now() - self.began

    def left(self) -> float:
        """Seconds until what is aimed at; negative after that."""
        return _AIM * self.seconds - self.elapsed()

    def check(self, rows: int = 0) -> None:
        """Stop what is under way if the seconds are used up; called after each block of rows."""
        if self.elapsed() > _LIMIT * self.seconds:
            raise OutOfTimeError


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds as a line in the number of rows."""

    fixed: float
    per_row: float

    @classmethod
    def through(cls, few: tuple[int, float], many: tuple[int, float]) -> Cost:
        """The line through two numbers of rows with their seconds."""
        (n, seconds), (n_more, more) = few, many
        rate = more / n_more
        if n_more > n:
            # At least half of the rate: the work has some part that does not grow, but a clock
            # that was late for the first point would make a flat line.
            rate = min(max((more - seconds) / (n_more - n), rate / 2), rate)
        return cls(more - rate * n_more, rate)

    def of(self, rows: float) -> float:
        """The seconds that so many rows take."""
        return self.fixed + self.per_row * rows

    def rows(self, seconds: float) -> float:
        """The rows that so many seconds are enough for."""
        return max(seconds - self.fixed, 0.0) / self.per_row


def read_on(
    read: Callable[[int, int], None],
    sample: Sample,
    clock: Clock,
    cost: Cost,
    *,
    finish: float = 0.0,
    far: bool = False,
) -> int:
    """Read further runs of a sample until the seconds are used; how many were begun.

    Parameters
    ----------
    read : callable
        Reads the runs from one number to another.
    sample : Sample
        The runs.
    clock : Clock
        The seconds.
    cost : Cost
        What a reading costs, as far as is known. What was read corrects it.
    finish : float
        Seconds that are needed after the last reading.
    far : bool
        Whether each reading costs much besides its rows, so that few of them are made.
    """
    done, n_read = 0, 0.0
    while done < sample.count:
        left = clock.left() - finish
        late = left < _LAST * clock.seconds
        if far:
            share = _LAST_SHARE if done else _FIRST_FAR_SHARE
        else:
            share = _LAST_SHARE if late else _SHARE if done else _FIRST_SHARE
        rows = cost.rows(share * left)
        until = max(sample.count_of(n_read + rows), done + (not done))
        if until == done or (far and done and late):
            break
        began = clock.elapsed()
        read(done, until)
        rows = n_read * until / done - n_read if done else sample.n_rows * until / sample.count
        per_row = (clock.elapsed() - began - cost.fixed) / rows
        cost = Cost(cost.fixed, max(per_row, 0.1 * cost.per_row))
        done, n_read = until, n_read + rows
    return done


@dataclass(frozen=True, slots=True)
class Rung(Generic[T]):
    """What a sample of so many rows gave; `runs` is None for rows outside the sample's order."""

    result: T
    n_rows: int
    runs: int | None


def climb(
    measure: Callable[[int], Rung[T]], first: Rung[T], sample: Sample, clock: Clock, cost: Cost
) -> Rung[T]:
    """The largest sample that can be measured in time, by way of smaller ones.

    A measurement that reads its rows many times cannot go on with more of them, so each rung is a
    new one, and the time of the one before says how many rows the next can have. If the last is
    not ready in time, the one before it is the answer.

    Parameters
    ----------
    measure : callable
        Measures so many runs of the sample; raises `OutOfTimeError` when it is stopped.
    first : Rung
        What is known already.
    sample : Sample
        The rows.
    clock : Clock
        The seconds.
    cost : Cost
        What a sample costs, as far as is known.
    """
    best = first
    while best.runs != sample.count:
        n = min(cost.rows(_SURE * clock.left()), sample.n_rows)
        if n < _WORTH * best.n_rows and n < sample.n_rows:
            break
        ratio = n / best.n_rows
        if ratio > _FORESEEN and cost.of(n) > 0.3 * clock.left():
            n = best.n_rows * sqrt(ratio)
        runs = sample.count_of(n)
        if runs == best.runs:
            break
        before, began = (best.n_rows, cost.of(best.n_rows)), clock.elapsed()
        try:
            best = measure(runs)
        except OutOfTimeError:
            break
        cost = Cost.through(before, (best.n_rows, clock.elapsed() - began))
    return best

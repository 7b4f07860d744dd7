"""How far a budget goes, on a clock that only the work moves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgewise.questions.spending import Clock, Cost, OutOfTimeError, Rung, climb, read_on
from edgewise.rows.opening import open_table
from edgewise.rows.sampling import SpreadRuns

TABLE = open_table(np.zeros((3, 2)))


class Work:
    """Work that moves a clock: so much at once, so much for a row, and at times a delay."""

    def __init__(self, seconds, fixed, per_row, delays=()):
        self.at, self.fixed, self.per_row = 0.0, fixed, per_row
        self.delays = list(delays)
        self.clock = Clock(seconds, now=lambda: self.at)
        self.done = []

    def do(self, rows, stopped=False):
        slower = self.delays.pop(0) if self.delays else 1.0
        began, needed = self.at, slower * (self.fixed + self.per_row * rows)
        self.at += needed
        if stopped and self.at > 1.05 * self.clock.seconds:
            self.at = max(1.05 * self.clock.seconds, began)
            raise OutOfTimeError
        self.done.append(rows)


def sample_of(n_rows, wanted):
    return SpreadRuns.for_rows(TABLE, n_rows, wanted)


def read_all(work, n_rows, guess, **options):
    sample = sample_of(n_rows, int(Cost(work.fixed, guess).rows(work.clock.left())))
    seen = []

    def read(first, last):
        assert first == (seen[-1] if seen else 0)
        work.do((last - first) * sample.length)
        seen.append(last)

    runs = read_on(read, sample, work.clock, Cost(work.fixed, guess), **options)
    assert runs == seen[-1]
    return runs, sample


rates = st.floats(1e-8, 1e-5)


@given(rates, st.floats(0.3, 3), st.sampled_from([0.1, 1.0, 30.0]))
def test_reading_on_uses_the_time(per_row, wrong, seconds):
    """Whatever the pilot said a row costs, between a third and three times of what it does."""
    work = Work(seconds, 1e-4 * seconds, per_row)
    read_all(work, 10**12, wrong * per_row)
    assert 0.85 <= work.at / seconds <= 0.95


def test_a_machine_that_slows_down():
    work = Work(1.0, 0.001, 1e-6, delays=[1.9, 1, 2.5])
    read_all(work, 10**12, 1e-6)
    assert 0.85 <= work.at <= 1.05


def test_time_for_the_end_is_kept():
    work = Work(1.0, 0.001, 1e-6)
    read_all(work, 10**12, 1e-6, finish=0.2)
    assert 0.65 <= work.at <= 0.75


def test_dear_readings_are_few():
    work = Work(1.0, 0.1, 1e-6)
    read_all(work, 10**12, 1e-6, far=True)
    assert len(work.done) <= 2
    assert 0.7 <= work.at <= 0.95


def test_where_rows_end_before_the_time():
    work = Work(1.0, 0.001, 1e-6)
    runs, sample = read_all(work, 100_000, 1e-6)
    assert runs == sample.count
    assert sum(work.done) >= 100_000
    assert work.at < 0.2


def test_something_is_read_however_late_it_is():
    work = Work(1.0, 0.0, 1e-6)
    work.at = 5.0
    runs, _ = read_all(work, 10**6, 1e-6)
    assert runs == 1


def climbed(work, n_rows, pilot, guess):
    sample = sample_of(n_rows, int(guess.rows(work.clock.left())))

    def measure(runs):
        rows = min(runs * sample.length, n_rows)
        work.do(rows, stopped=True)
        return Rung(f"{rows} rows", rows, runs)

    return climb(measure, Rung("pilot", pilot, None), sample, work.clock, guess)


@given(rates, st.floats(0.5, 3), st.floats(0, 0.01), st.sampled_from([0.1, 1.0, 30.0]))
def test_climbing_uses_the_time(per_row, wrong, fixed, seconds):
    work = Work(seconds, fixed * seconds, per_row)
    pilot = int(0.01 * seconds / per_row)
    best = climbed(work, 10**12, pilot, Cost(0.0, wrong * per_row))
    assert 0.7 <= work.at / seconds <= 1.06
    # The last sample has most of the time.
    assert best.n_rows == work.done[-1]
    assert work.done[-1] * per_row >= 0.35 * seconds


@pytest.mark.parametrize("n_rows", [10_000, 10_007])
def test_all_rows_are_measured_once(n_rows):
    """Also where the last run is shorter than the others."""
    work = Work(1.0, 0.0, 1e-6)
    best = climbed(work, n_rows, 1000, Cost(0.0, 1e-6))
    assert best.n_rows == n_rows
    assert work.done.count(n_rows) == 1
    assert work.at < 0.1


def test_a_sample_that_is_not_ready_in_time_is_given_up():
    work = Work(1.0, 0.0, 1e-6, delays=[1.0, 1.0, 9.0])
    best = climbed(work, 10**12, 1000, Cost(0.0, 1e-6))
    assert best.result == f"{work.done[-1]} rows"
    assert len(work.done) == 2
    assert work.at == pytest.approx(1.05)


def test_if_nothing_is_ready_the_pilot_is_the_answer():
    work = Work(1.0, 0.0, 1e-6, delays=[1e6])
    assert climbed(work, 10**12, 1000, Cost(0.0, 1e-6)).result == "pilot"


def test_all_rows_at_once_where_there_is_time():
    work = Work(1.0, 0.0, 1e-6)
    best = climbed(work, 20_000, 1000, Cost(0.0, 1e-6))
    assert (best.n_rows, work.done) == (20_000, [20_000])


def test_no_time_left():
    work = Work(1.0, 0.0, 1e-6)
    work.at = 0.95
    assert climbed(work, 10**12, 1000, Cost(0.0, 1e-6)).result == "pilot"
    assert not work.done


def test_the_clock_stops_a_pass():
    work = Work(1.0, 0.0, 1.0)
    work.clock.check(7)
    work.at = 1.1
    with pytest.raises(OutOfTimeError):
        work.clock.check(7)


@pytest.mark.parametrize(
    ("few", "many", "fixed", "per_row"),
    [
        ((100, 1.25), (400, 2.0), 1.0, 0.0025),
        ((100, 0.5), (400, 2.0), 0.0, 0.005),
        # The clock was late for the first: not below half of the mean rate.
        ((100, 3.0), (400, 2.0), 1.0, 0.0025),
        # And not above it, which a fixed part below zero would be.
        ((100, 0.1), (400, 2.0), 0.0, 0.005),
        ((400, 9.0), (400, 2.0), 0.0, 0.005),
    ],
)
def test_a_line_through_two_costs(few, many, fixed, per_row):
    cost = Cost.through(few, many)
    assert (cost.fixed, cost.per_row) == pytest.approx((fixed, per_row))
    assert cost.of(400) == pytest.approx(2.0)
    assert cost.rows(cost.of(1000)) == pytest.approx(1000)
    assert cost.rows(0.0) == 0.0

"""A fixed computing budget: which test to run, on how many rows.

The trace test reads each row once, the eigenvalue test many times; its threshold is smaller for the
same rows. Which wins depends on the machine and the data, so both are tried on a small sample. The
winner then gets the rest of the time: the trace test reads on until it is used, since sums of rows
add; the eigenvalue test is repeated with more rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

from edgewise._base.checks import check_real
from edgewise._base.types import FloatArray
from edgewise._base.warn import without_warnings
from edgewise.errors import DataError, ParameterError
from edgewise.evidence.evidence import Evidence
from edgewise.evidence.from_state import StateEvidence
from edgewise.evidence.opening import evidence_of_table
from edgewise.inference.bound import Bound
from edgewise.inference.measurement import Measurement
from edgewise.methods.method import Method
from edgewise.methods.registry import DEFAULT_METHOD, method_of, registered
from edgewise.questions.spending import Clock, Cost, Rung, climb, read_on
from edgewise.rows.glance import Glance, leading_limit
from edgewise.rows.sampling import (
    KeptRows,
    Sample,
    SectionRuns,
    SpreadRuns,
    UntilRows,
    bottom_of,
    kept,
    stretched,
)
from edgewise.rows.table import Table, batch_rows
from edgewise.rows.views import WatchedRows
from edgewise.states.accumulate import read_with_glance

# Rows that methods are tried on: first few, then as many as this share of the time is enough for.
_FEWEST_TRIED, _PILOT_ROWS, _PILOT_SHARE = 64, 4096, 0.02
# A method that takes more of the time to be tried is left out.
_LONGEST_TRIAL = 0.1
# Rows that one pass finds too dear to be read from end to end are entered at several places.
_WHOLE_PASS = 0.15
# The share of the time that is left for entering them.
_ENTERING = 0.3
# Numbers of a sample that are kept in memory: a gigabyte.
_MOST_KEPT = 1 << 27
# They are given out in so many blocks; after each the clock is looked at.
_BLOCKS, _FEWEST_BLOCK_ROWS = 32, 4096
# Leading rows that cautions look at, for each row that the methods were tried on.
_LOOKED_AT = 4


@dataclass(frozen=True, eq=False, slots=True)
class Spent:
    """What a budget was spent on."""

    measurement: Measurement
    seconds: float
    rows_available: int
    sampling: str

    def record(self) -> dict[str, Any]:
        """What the result records about it."""
        return {
            "budget": self.seconds,
            "rows_available": self.rows_available,
            "sampling": self.sampling,
        }


def candidates(
    method: str | Method,
    options: Mapping[str, Any],
    asked_by: Callable[..., Any] | None = None,
) -> list[Method]:
    """The methods that a budget chooses from: all that support it, or only the named one."""
    able = [kind for kind in registered().values() if kind.fits_budget]
    if method == DEFAULT_METHOD:
        return [method_of(kind.name, options, asked_by) for kind in able]
    chosen = method_of(method, options, asked_by)
    if not chosen.fits_budget:
        names = " and ".join(repr(kind.name) for kind in able)
        raise ParameterError(
            f"budget: it chooses between the methods {names}, got method={chosen.name!r}; leave "
            "method out, or name one of the two."
        )
    return [chosen]


def started_clock(budget: object) -> Clock:
    """A clock for `budget` seconds, started when what the tests import is loaded."""
    seconds = check_real("budget", budget, above=0, hint=" It is a time in seconds.")
    # Loading them takes longer than a small budget, once in a process.
    for module in ("scipy.interpolate", "scipy.optimize", "edgewise.covcov.spectrum"):
        import_module(module)

    return Clock(seconds)


def spend(table: Table, clock: Clock, methods: Sequence[Method], alpha: float) -> Spent:
    """Try the methods on a pilot sample, and run the better one until the seconds are used."""
    parts = table.part_rows()
    if parts is None or len(parts) > 1:
        raise ParameterError(
            "budget: expected with rows that are here, got rows on a cluster; leave it out."
        )
    n_rows = table.n_rows
    if n_rows is None:
        raise ParameterError(
            "budget: expected data whose number of rows is known beforehand, got CSV, a stream or "
            "missing='drop'; pass an array, a table or Parquet without missing values."
        )
    pilot, best = _best_trial(table, n_rows, clock, methods, alpha)
    wanted = int(best.cost.rows(clock.left()))
    tried = best.measurement.estimate.n_samples
    if wanted <= tried:
        return Spent(best.measurement, clock.seconds, n_rows, pilot.described(tried, n_rows))
    sample: Sample = SpreadRuns.for_rows(table, n_rows, wanted)
    if not pilot.whole:
        entered = max(int(_ENTERING * clock.left() / pilot.entering), 1)
        sample = SectionRuns.for_rows(table, n_rows, wanted, entered)
    if best.method.needs.reads_again:
        return _climbed(best, pilot, sample, clock)
    if wanted >= 2 * n_rows and pilot.whole:
        sample = SpreadRuns(table, n_rows, n_rows)
    return _read(best, pilot, sample, clock)


@dataclass(frozen=True, eq=False, slots=True)
class _Pilot:
    """Some rows to try methods on, and what it took to read them.

    `apart` is the time of a reading of the table that does not depend on how many rows it picks,
    and `per_row` what each row adds. If not `whole`, the table takes too long for such readings;
    `entering` is the time of entering it at one place.
    """

    rows: FloatArray
    feature_names: tuple[str, ...]
    where: str
    whole: bool
    apart: float
    per_row: float
    entering: float = 0.0

    @classmethod
    def of(cls, table: Table, n_rows: int, wanted: int, clock: Clock) -> _Pilot:
        began, names = clock.elapsed(), table.feature_names
        if n_rows <= wanted or bottom_of(table) is None:
            rows = kept(table)
            return cls(rows, names, "evenly spread", True, clock.elapsed() - began, 0.0)
        if table.in_memory:
            sample = SpreadRuns.for_rows(table, n_rows, wanted)
            runs = sample.count_of(wanted)
            rows = kept(sample.rows(0, runs))
            return cls(rows, names, "evenly spread", True, clock.elapsed() - began, 0.0)
        last = min(max(batch_rows(len(names)), wanted), n_rows)
        rows = kept(stretched(table, np.array([[0, last]])))
        entering = max(clock.elapsed() - began, 1e-9)
        per_row = entering / max(len(rows), 1)
        step, where = max(len(rows) // wanted, 1), f"of the first {len(rows)}"
        if n_rows * per_row <= _WHOLE_PASS * clock.seconds:
            return cls(rows[::step], names, where, True, n_rows * per_row, 0.0)
        return cls(rows[::step], names, where, False, 0.0, per_row, entering)

    def some(self, n_rows: int) -> Table:
        """About so many of the rows, or all of them."""
        step = max(len(self.rows) // n_rows, 1)
        return KeptRows(self.feature_names, self.rows[::step], len(self.rows))

    def described(self, n_rows: int, of: int) -> str:
        return "all rows" if n_rows == of else f"{n_rows} rows, {self.where}"


@dataclass(frozen=True, eq=False, slots=True)
class _Trial:
    """A method tried on a pilot: what it costs, and the threshold that the budget affords.

    `end` is the time from the last row to the decisions, if rows are read once. `predicted` is the
    threshold and then the radius, which decides where thresholds are infinite.
    """

    method: Method
    measurement: Measurement
    cost: Cost
    end: float
    predicted: tuple[float, float]

    @classmethod
    def of(
        cls, method: Method, pilot: _Pilot, tried: int, n_rows: int, clock: Clock, alpha: float
    ) -> _Trial:
        points: list[tuple[int, float]] = []
        # The fewer rows show what does not depend on their number.
        for _ in range(2):
            began = clock.elapsed()
            evidence = _evidence(method, pilot.some(tried))
            read = clock.elapsed()
            with without_warnings():
                measured = method.measure(evidence)
            n, seconds = measured.estimate.n_samples, clock.elapsed() - began
            points.append((n, seconds))
            affordable = _PILOT_SHARE * clock.seconds / max(seconds, 1e-9)
            tried = int(tried * np.clip(affordable, 4, _PILOT_ROWS))
        alone = Cost.through(*points)
        cost = Cost(alone.fixed + pilot.apart, alone.per_row + pilot.per_row)
        # Of all seconds, not of those left, so that it does not matter which was tried first.
        affordable = float(np.clip(cost.rows(clock.seconds), 3, n_rows))
        bound = measured.uncertainty
        if not isinstance(bound, Bound):
            raise TypeError(f"method {method.name!r}: a budget needs a bound")
        # ε falls as n^{−1/2}.
        radius = bound.radius.epsilon(alpha) * float(np.sqrt(n / affordable))
        predicted = (bound.transfer.tau(radius), radius)
        end = min(_LOOKED_AT * (clock.elapsed() - read), _LONGEST_TRIAL * clock.seconds)
        return cls(method, measured, cost, end, predicted)


def _best_trial(
    table: Table, n_rows: int, clock: Clock, methods: Sequence[Method], alpha: float
) -> tuple[_Pilot, _Trial]:
    """The pilot, and the method that promises the smallest threshold."""
    p = len(table.feature_names)
    fewest, longest = max(_FEWEST_TRIED, 2 * p), _LONGEST_TRIAL * clock.seconds
    # Those that should be quick come first.
    ordered = sorted(methods, key=lambda method: method.predicted_seconds(8 * p, p))
    quick = [m for m in ordered if m.predicted_seconds(8 * p, p) < longest] or ordered[:1]
    while True:
        pilot = _Pilot.of(table, n_rows, max(_PILOT_ROWS, 4 * fewest), clock)
        try:
            tried = [_Trial.of(method, pilot, fewest, n_rows, clock, alpha) for method in quick]
        except DataError:
            # Few rows may hide what a column has; the error is about the data if all rows do.
            if fewest >= n_rows or clock.left() <= 0:
                raise
            fewest *= 8
            if not table.in_memory and 4 * fewest * p > _MOST_KEPT:
                raise
        else:
            return pilot, min(tried, key=lambda trial: trial.predicted)


def _read(best: _Trial, pilot: _Pilot, sample: Sample, clock: Clock) -> Spent:
    """Read rows into the sums of a method that reads them once, as long as there is time."""
    method, table = best.method, sample.table
    seen: list[tuple[Any, Glance]] = []

    def read(first: int, last: int) -> None:
        rows = UntilRows(
            sample.rows(first, last), lambda: clock.elapsed() > clock.seconds - best.end
        )
        state, _, glance = read_with_glance(method.needs.empty_state(), rows)
        glance = _numbered(glance, sample, first, last)
        seen[:] = [(state, glance) if not seen else (seen[0][0] + state, _both(seen[0][1], glance))]

    far = not (table.in_memory and pilot.whole)
    runs = read_on(read, sample, clock, best.cost, finish=best.end, far=far)
    (state, glance), p = seen[0], len(table.feature_names)
    tried = best.measurement.estimate.n_samples
    if state.n_samples < tried:
        # The machine was too slow for more than the pilot.
        sampling = pilot.described(tried, sample.n_rows)
        return Spent(best.measurement, clock.seconds, sample.n_rows, sampling)
    # Fewer than without a budget, if that is small: looking at them takes time.
    looked_at = min(leading_limit(p), _LOOKED_AT * tried)
    leading = glance.leading[:looked_at]
    if table.in_memory and runs < sample.count:
        # Neighbours among all rows that were read, which later readings have come between.
        leading = sample.head(runs, looked_at)
    evidence = StateEvidence(
        feature_names=table.feature_names,
        asked_by=f"method {method.name!r}",
        in_memory=table.in_memory,
        glance=replace(glance, leading=leading),
        state=state,
    )
    sampling = sample.described(runs, state.n_samples)
    return Spent(method.measure(evidence), clock.seconds, sample.n_rows, sampling)


def _climbed(best: _Trial, pilot: _Pilot, sample: Sample, clock: Clock) -> Spent:
    """Measure with a method that reads the rows again, on samples that grow."""
    method, names = best.method, sample.table.feature_names

    def measure(runs: int) -> Rung[Measurement]:
        rows = WatchedRows(sample.rows(0, runs), clock.check)
        n = rows.n_rows or 0
        whole = runs == sample.count and rows.in_memory
        if not whole and n * len(names) <= _MOST_KEPT:
            values = kept(rows)
            length = max(n // _BLOCKS, _FEWEST_BLOCK_ROWS)
            rows = WatchedRows(KeptRows(names, values, length), clock.check)
        evidence = _evidence(method, rows)
        if evidence.glance is not None:
            glance = _numbered(evidence.glance, sample, 0, runs)
            evidence = replace(evidence, glance=glance)
        return Rung(method.measure(evidence), n, runs)

    with without_warnings():
        tried = best.measurement.estimate.n_samples
        first = Rung(best.measurement, tried, None)
        found = climb(measure, first, sample, clock, best.cost)
    if found.runs is None:
        sampling = pilot.described(tried, sample.n_rows)
    else:
        sampling = sample.described(found.runs, found.n_rows)
    return Spent(found.result, clock.seconds, sample.n_rows, sampling)


def _evidence(method: Method, table: Table) -> Evidence:
    return evidence_of_table(table, method.needs, f"method {method.name!r}")


def _numbered(glance: Glance, sample: Sample, first: int, last: int) -> Glance:
    """A glance whose rows have the numbers that they have in the whole table."""
    numbers = sample.numbers(first, last, glance.far_row).astype(np.int64)
    return replace(glance, far_row=numbers)


def _both(a: Glance, b: Glance) -> Glance:
    """A glance at rows and at others between them; both have the numbers of the whole table."""
    farther = np.stack([b.far[0] < a.far[0], b.far[1] > a.far[1]])
    return Glance(
        a.n_samples + b.n_samples,
        np.where(farther, b.far, a.far),
        np.where(farther, b.far_row, a.far_row),
        a.leading,
    )

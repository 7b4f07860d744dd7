"""`edge_test_within`: the better of the paper's two tests, on as many rows as a time allows."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

import edgewise.paper.spectrum  # noqa: F401 - loaded before the clock starts
from edgewise._checks import check_columns, check_real
from edgewise._linalg import FloatArray
from edgewise.api.edge_test import decided
from edgewise.errors import DataError, ParameterError, without_warnings
from edgewise.inference.measurement import Measurement
from edgewise.inference.sample import sample_of_table
from edgewise.inference.uncertainty import Bound
from edgewise.methods.bounds import Eig, Trace
from edgewise.methods.method import Method
from edgewise.paper.covcov import solver_seconds
from edgewise.results.result import EdgeTestResult
from edgewise.sums.save import as_state
from edgewise.tables.arrays import ArrayTable
from edgewise.tables.open import as_table
from edgewise.tables.options import View
from edgewise.tables.table import Rows, Table, batch_rows

_clock = time.perf_counter
# Rows of the first pilot and of its blocks; shares of the time for trying eig, and for each of its
# samples; by how much these grow; the most numbers of a sample in memory (1 GB).
_PILOT_ROWS, _PILOT_BLOCK, _TRIAL, _SHARE, _GROWTH, _MOST = 2048, 64, 0.1, 0.7, 16, 1 << 27


def edge_test_within(
    data: Any,
    seconds: float,
    *,
    alpha: float = 0.05,
    min_effect: float = 0.0,
    columns: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    given: str | Sequence[str] | None = None,
    pairs: Iterable[tuple[str, str]] | None = None,
) -> EdgeTestResult:
    r"""Test with "trace" or "eig" on as many rows as can be read and tested in some seconds.

    The paper's Theorem 7: "For a fixed computational budget N less than the time required to
    process all data points, and for sufficiently large p, the trace bound decreases at the same
    asymptotic rate as the eigenvalue bound": N affords :math:`N/p^2` rows for "trace" and
    :math:`N/p^4` for "eig", whose radius is smaller on the same rows. Which one wins depends on
    constants. So both are timed on a pilot, and the one with the smaller threshold at the rows that
    it affords (a radius falls as :math:`n^{-1/2}`) gets the time. That the pilot's rows are tested
    too is harmless in our experience, but not proven.

    Parameters
    ----------
    data : array-like, data frame or path
        Complete rows in memory, or in files that can be entered anywhere (Parquet, Arrow, .npy).
    seconds : float
        The time to spend. The pilot and the last block of rows may exceed it.
    alpha, min_effect, columns, exclude, given, pairs : optional
        As in `edge_test`.

    Returns
    -------
    EdgeTestResult
        As of `edge_test`; `options` has `seconds`, `rows_available` and `sampling`, which says how
        many rows were used.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> rows = np.random.default_rng(0).standard_normal((2000, 4))
    >>> ew.edge_test_within(rows, seconds=60).options["sampling"]
    'all rows'
    """
    seconds = check_real("seconds", seconds, above=0)
    columns, exclude = check_columns("columns", columns), check_columns("exclude", exclude)
    question = Trace().question(alpha, min_effect=min_effect, given=given, pairs=pairs)
    deadline = _clock() + seconds
    table = None if as_state(data) is not None else as_table(data, columns=columns, exclude=exclude)
    fits = table is not None and table.local and not isinstance(table, View)
    if not fits or table is None or table.n_rows is None or not table.rescannable:
        raise ParameterError(
            "data: expected complete rows in memory, or in files that can be entered anywhere "
            "(Parquet, Arrow, .npy), without weights, clusters or a transform; for other data use "
            "edge_test(data, method='trace')."
        )
    question.tested(table.feature_names)
    n, p, most = table.n_rows, len(table.feature_names), _PILOT_ROWS
    while True:
        began = _clock()
        pilot = _Sample(table, _PILOT_BLOCK)
        rows = pilot.first(max(most, 8 * p))
        reading = (_clock() - began) / max(len(rows), 1)
        quick: list[Method] = [Trace()]
        if min(solver_seconds(len(rows), p, in_memory=True).values()) < _TRIAL * seconds:
            quick.append(Eig())
        try:
            with without_warnings():
                trials = [_tried(method, rows, pilot, reading) for method in quick]
            break
        except DataError:
            # Few rows may hide what a column has; the error is about the data if all rows do.
            if len(rows) >= n:
                raise
            most *= 8
    left = deadline - _clock()
    best = min(trials, key=lambda trial: trial.threshold(question.alpha, left, n))
    with without_warnings():
        best = _repeated(best, _Sample(table, max(n // 1000, _PILOT_BLOCK)), deadline, n)
    result = decided(best.measurement, question)
    sampling = "all rows"
    if result.n_samples < n:
        sampling = f"{result.n_samples:,} of {n:,} rows, in {best.blocks:,} evenly spread blocks"
    record = {"seconds": seconds, "rows_available": n, "sampling": sampling}
    both = {**result.measurement.options, **record}
    return result.with_measured(options=both, files=table.files)


class _Sample(Table):
    """Blocks of a table in an order whose beginning is always spread evenly, until `most` rows."""

    rescannable = False

    def __init__(self, table: Table, length: int) -> None:
        self.feature_names, self.named = table.feature_names, table.named
        self.in_memory, self._table = table.in_memory, table
        n, entries = table.n_rows or 0, table.entries()
        starts = np.arange(0, max(n, 1), min(length, batch_rows(len(self.feature_names))))
        if len(entries) < n:  # else it can be entered at every row
            at = np.searchsorted(entries, starts, side="right") - 1
            starts = np.asarray(entries)[np.unique(at)]
        sections = list(pairwise([*starts.tolist(), n]))
        step = max(round(len(sections) * (5**0.5 - 1) / 2), 1)
        while math.gcd(step, len(sections)) != 1:
            step += 1
        self._sections = [sections[k * step % len(sections)] for k in range(len(sections))]
        self.read: list[tuple[int, int]] = []
        self.most = n

    def blocks(self, start: int = 0) -> Iterator[Rows]:
        self.read, n_read = [], 0
        for start, stop in self._sections:
            done = 0
            self.read.append((start, 0))
            for block in self._table.blocks(start):
                piece = block[: stop - start - done]
                done, n_read = done + piece.shape[0], n_read + piece.shape[0]
                self.read[-1] = (start, done)
                yield piece
                if n_read >= self.most:
                    return
                if start + done == stop:
                    break

    def first(self, most: int) -> FloatArray:
        """The rows of the first blocks that have so many together."""
        self.most = most
        rows = [np.array(block, dtype=float) for block in self.blocks()]
        return np.concatenate([np.empty((0, len(self.feature_names))), *rows])

    def measured(self, method: Method, table: Table) -> Measurement:
        """What a method measures in the rows that are read; cautions name them as in all rows."""
        sample = sample_of_table(table, method.needs, f"method {method.name!r}")
        if (first_look := sample.first_look) is not None:
            starts, lengths = np.array(self.read).T
            before = np.cumsum(lengths) - lengths
            at = np.maximum(np.searchsorted(before, first_look.far_row, side="right") - 1, 0)
            numbers = starts[at] + first_look.far_row - before[at]
            sample = replace(sample, first_look=replace(first_look, far_row=numbers))
        return method.measure(sample)

    def measured_in(self, method: Method, rows: FloatArray) -> Measurement:
        """The same in rows in memory."""
        table = ArrayTable(rows)
        table.feature_names, table.named = self.feature_names, self.named
        return self.measured(method, table)


class _Trial(NamedTuple):
    """A method measured on a sample: the time that takes without rows, and with each of them."""

    method: Method
    measurement: Measurement
    blocks: int
    fixed: float
    per_row: float

    @property
    def n_rows(self) -> int:
        return self.measurement.estimate.n_samples

    def affordable(self, seconds: float) -> float:
        return max(seconds - self.fixed, 0.0) / self.per_row

    def threshold(self, alpha: float, seconds: float, n: int) -> tuple[float, float]:
        """The threshold that a time affords; then the radius, where thresholds are infinite."""
        bound = self.measurement.uncertainty
        if not isinstance(bound, Bound):
            raise TypeError(f"method {self.method.name!r}: expected a bound")
        n_rows = float(np.clip(self.affordable(seconds), self.n_rows, n))
        radius = bound.radius.epsilon(alpha) * math.sqrt(self.n_rows / n_rows)
        return bound.transfer.tau(radius), radius


def _tried(method: Method, rows: FloatArray, pilot: _Sample, reading: float) -> _Trial:
    """Measure a pilot, and four copies of it for the time of a row."""
    times, n = [_clock()], len(rows)
    measurement = pilot.measured_in(method, rows)
    times.append(_clock())
    pilot.measured_in(method, np.tile(rows, (4, 1)))
    once, four = np.diff([*times, _clock()])
    per_row = max((four - once) / (3 * n), 0.1 * four / (4 * n), 1e-12)
    fixed = max(once - n * per_row, 0.0)
    return _Trial(method, measurement, len(pilot.read), fixed, per_row + reading)


def _repeated(best: _Trial, sample: _Sample, deadline: float, n: int) -> _Trial:
    """Measure samples that grow; the time of each corrects that of the next."""
    again = best.method.needs.reads_again
    while True:
        began, most = _clock(), min(_GROWTH * best.n_rows, n)
        if again:
            most = min(most, _MOST // len(sample.feature_names))
        wanted = int(min(best.affordable(_SHARE * (deadline - began)), most))
        if wanted <= best.n_rows or wanted < min(1.5 * best.n_rows, most):
            return best
        if again:
            measurement = sample.measured_in(best.method, sample.first(wanted))
        else:
            sample.most = wanted
            measurement = sample.measured(best.method, sample)
        seconds, n_rows = _clock() - began, measurement.estimate.n_samples
        per_row = max(seconds - best.fixed, 0.1 * seconds) / n_rows
        best = _Trial(best.method, measurement, len(sample.read), best.fixed, per_row)

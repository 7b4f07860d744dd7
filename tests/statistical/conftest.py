"""How a statistical claim is tested: many seeded draws, and a tolerance from their own error.

`EDGEWISE_VALIDITY=full` (`make validity`) takes enough draws to see an error rate of 0.05 that is
an eighth too high; otherwise few enough for every run of the tests.
"""

from __future__ import annotations

import math
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

# A cell that is right fails once in 740 such comparisons; the seeds then keep it as it is.
STANDARD_ERRORS = 3
SEED = 2016
# The name under which a comparison travels in a test report to the table at the end.
COMPARISON = "edgewise-validity"


class Trial:
    """The draws of one cell (one test with its parameters) and the claims made about them."""

    def __init__(
        self, request: pytest.FixtureRequest, record: Callable[[str, object], None]
    ) -> None:
        cell = request.node.name.removeprefix("test_")
        self.cell = cell
        self.full = os.environ.get("EDGEWISE_VALIDITY") == "full"
        self._failed: list[str] | None = None
        self._record = record
        # A spawn key of its own for each cell: cells stay what they are when others come and go,
        # and share no randomness.
        self._seeds = np.random.SeedSequence(SEED, spawn_key=(zlib.crc32(cell.encode()),))

    def repetitions(self, smoke: int, full: int) -> int:
        return full if self.full else smoke

    def draws(self, smoke: int, full: int) -> Iterator[np.random.Generator]:
        """A generator of random numbers for each repetition."""
        for seed in self._seeds.spawn(self.repetitions(smoke, full)):
            yield np.random.default_rng(seed)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Claims about the same draws: all are compared before the first that fails is raised."""
        self._failed = failed = []
        try:
            yield
        finally:
            self._failed = None
        assert not failed, "\n".join(failed)

    def rate_at_most(self, claim: str, events: Iterable[Any], level: float) -> None:
        """The events have a probability of at most `level`, up to binomial error."""
        rate, error = _binomial(events, level)
        self._check(claim, events, rate, "≤", level + STANDARD_ERRORS * error)

    def rate_at_least(self, claim: str, events: Iterable[Any], level: float) -> None:
        """The events have a probability of at least `level`, up to binomial error."""
        rate, error = _binomial(events, level)
        self._check(claim, events, rate, "≥", level - STANDARD_ERRORS * error)

    def rate_exceeds(self, claim: str, events: Iterable[Any], level: float) -> None:
        """The events have a probability above `level`, beyond binomial error."""
        rate, error = _binomial(events, level)
        self._check(claim, events, rate, "≥", level + STANDARD_ERRORS * error)

    def mean_at_most(self, claim: str, values: Iterable[float], level: float) -> None:
        """The values have an expectation of at most `level`, up to the error of their mean."""
        mean, error = _mean(values)
        self._check(claim, values, mean, "≤", level + STANDARD_ERRORS * error)

    def mean_at_least(self, claim: str, values: Iterable[float], level: float) -> None:
        """The values have an expectation of at least `level`, up to the error of their mean."""
        mean, error = _mean(values)
        self._check(claim, values, mean, "≥", level - STANDARD_ERRORS * error)

    def ratio_at_least(
        self, claim: str, values: Iterable[float], others: Iterable[float], level: float
    ) -> None:
        """The expectation of `values` is at least `level` times that of `others`."""
        above, below = np.asarray(list(values), float), np.asarray(list(others), float)
        ratio = float(above.mean() / below.mean())
        _, error = _mean(above - ratio * below)
        limit = level - STANDARD_ERRORS * error / float(below.mean())
        self._check(claim, values, ratio, "≥", limit)

    def _check(
        self, claim: str, values: Iterable[Any], measured: float, side: str, limit: float
    ) -> None:
        count = len(list(values))
        line = f"{self.cell} | {claim} | {count:,} | {measured:.4f} | {side} {limit:.4f}"
        held = measured <= limit if side == "≤" else measured >= limit
        self._record(COMPARISON, f"| {line} | {'yes' if held else '**no**'} |")
        self._judge(held, line)

    def rate_within(
        self, claim: str, events: Iterable[Any], level: float, slack: float = 0.0
    ) -> None:
        """The events have a probability within `slack` of `level`, up to binomial error."""
        rate, error = _binomial(events, level)
        self._check_near(claim, events, rate, level, slack + STANDARD_ERRORS * error)

    def mean_within(
        self, claim: str, values: Iterable[float], level: float, slack: float = 0.0
    ) -> None:
        """The values have an expectation within `slack` of `level`, up to the error of the mean."""
        mean, error = _mean(values)
        self._check_near(claim, values, mean, level, slack + STANDARD_ERRORS * error)

    def median_within(
        self, claim: str, values: Iterable[float], expected: float, share: float
    ) -> None:
        """The median of the values lies within a share of `expected`; no allowance for error."""
        median = float(np.median(list(values)))
        self._check_near(claim, values, median, expected, share * expected)

    def _check_near(
        self, claim: str, values: Iterable[Any], measured: float, centre: float, reach: float
    ) -> None:
        count = len(list(values))
        limit = f"{centre - reach:.4f} – {centre + reach:.4f}"
        line = f"{self.cell} | {claim} | {count:,} | {measured:.4f} | {limit}"
        held = abs(measured - centre) <= reach
        self._record(COMPARISON, f"| {line} | {'yes' if held else '**no**'} |")
        self._judge(held, line)

    def _judge(self, held: bool, line: str) -> None:
        if held or self._failed is None:
            assert held, line
        else:
            self._failed.append(line)


def _binomial(events: Iterable[Any], level: float) -> tuple[float, float]:
    happened = np.asarray(list(events), dtype=bool)
    return float(happened.mean()), math.sqrt(level * (1 - level) / happened.size)


def _mean(values: Iterable[float]) -> tuple[float, float]:
    numbers = np.asarray(list(values), dtype=float)
    return float(numbers.mean()), float(numbers.std(ddof=1)) / math.sqrt(numbers.size)


@pytest.fixture
def trial(request: pytest.FixtureRequest, record_property: Callable[[str, object], None]) -> Trial:
    """The draws and claims of the test that asks for it."""
    return Trial(request, record_property)


@pytest.fixture(scope="session")
def partial_correlations() -> Callable[[np.ndarray], np.ndarray]:
    """What a precision matrix says of each pair, with ones on the diagonal."""

    def of(precision: np.ndarray) -> np.ndarray:
        root = np.sqrt(precision.diagonal())
        partial = -precision / np.outer(root, root)
        np.fill_diagonal(partial, 1.0)
        return partial

    return of


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Every comparison that was made, as a table: the numbers are the point, not the dots."""
    lines = [
        value
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, ())
        for name, value in getattr(report, "user_properties", ())
        if name == COMPARISON and report.when == "call"
    ]
    if lines:
        terminalreporter.section("error control")
        terminalreporter.write_line("| cell | claim | draws | measured | limit | holds |")
        terminalreporter.write_line("|---|---|---:|---:|---:|---|")
        for line in sorted(lines):
            terminalreporter.write_line(line)

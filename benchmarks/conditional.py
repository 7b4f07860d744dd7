"""One question after the other, as a search for a graph asks them: beside causal-learn's Fisher z.

Every question is put to all of them in turn, each of them for the first time, in this process and
with one BLAS thread. Questions are random: two of 15 columns, given none to four others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.report import Line, Measurements
from benchmarks.timing import Spread, blas_threads

ROWS = (1_000, 10_000, 100_000)
COLUMNS = 15
GIVEN = range(5)
# There are 105 questions without given columns.
QUESTIONS = 100
#: The most that a question should take, in units of Fisher's z, by the number of rows.
TARGETS = {1_000: 1.3}

Ask = Callable[[int, int, tuple[int, ...]], object]
#: Seconds of every question, by who was asked and by the number of given columns.
Times = Mapping[str, Mapping[int, list[float]]]

FISHER, OURS = "causal-learn fisherz", "edgewise"


def measure(
    rows: tuple[int, ...] = ROWS, questions: int = QUESTIONS, columns: int = COLUMNS
) -> Measurements:
    lines, ratios = [], []
    with blas_threads(1):
        for n in rows:
            times = _times(_asked(_chain(n, columns)), questions, columns)
            lines += [_line(n, who, of_one) for who, of_one in times.items()]
            ratios += [_ratio(n, who, times) for who in times if who != FISHER]
    return Measurements([*lines, *ratios])


def versions() -> dict[str, str]:
    try:
        return {"causal-learn": version("causal-learn")}
    except PackageNotFoundError:
        return {"causal-learn": "not installed"}


def _chain(n: int, columns: int) -> Any:
    """Rows of t₅ that share their scale; x_j = x_{j−1}/2 + noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, columns))
    for j in range(1, columns):
        X[:, j] += X[:, j - 1] / 2
    return X / np.sqrt(rng.chisquare(5, (n, 1)) / 5)


def _asked(X: Any) -> dict[str, Ask]:
    """Everyone who is asked; none of them has answered before."""
    from edgewise import ConditionalTest

    asked: dict[str, Ask] = {}
    try:
        from causallearn.utils.cit import CIT

        asked[FISHER] = CIT(X, "fisherz")
    except ImportError:
        pass
    test = ConditionalTest(X)
    asked[OURS] = lambda x, y, given: test(x, y, given).pvalue
    return asked


def _questions(
    questions: int, columns: int, given: int
) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    rng, seen = np.random.default_rng(given), set()
    while len(seen) < questions:
        x, y, *others = rng.permutation(columns)[: given + 2].tolist()
        key = frozenset((x, y)), frozenset(others)
        if key not in seen:
            seen.add(key)
            yield x, y, tuple(others)


def _times(asked: Mapping[str, Ask], questions: int, columns: int) -> Times:
    times: dict[str, dict[int, list[float]]] = {who: {k: [] for k in GIVEN} for who in asked}
    for ask in asked.values():
        ask(0, 1, tuple(range(2, 2 + max(GIVEN) + 1)))  # what is loaded on first use
    for given in GIVEN:
        for question in _questions(questions, columns, given):
            for who, ask in asked.items():
                start = perf_counter()
                ask(*question)
                times[who][given].append(perf_counter() - start)
    return times


def _line(n: int, who: str, times: Mapping[int, list[float]]) -> Line:
    micros = {f"{given} given": 1e6 * median(of_one) for given, of_one in times.items()}
    return Line(
        "One question after the other, microseconds each",
        f"{who}, {n:,} rows",
        median(micros.values()),
        beside=dict(micros),
    )


def _ratio(n: int, who: str, times: Times) -> Line:
    group = "One question, in units of causal-learn's fisherz"
    name = f"{who}, {n:,} rows"
    if FISHER not in times:
        return Line(group, name, None, beside={"note": "causal-learn is not installed"})
    ratios = Spread.of([median(times[who][k]) / median(times[FISHER][k]) for k in GIVEN])
    return Line(
        group, name, ratios.median, at_most=TARGETS.get(n), low=ratios.low, high=ratios.high
    )

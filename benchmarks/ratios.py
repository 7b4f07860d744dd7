"""`edge_test` in units of X.T @ X: the table of targets, on one core and on all.

Every measurement is a process of its own, which times a DGEMM, X.T @ X, numpy.cov where it is
asked for, and the call, in turn; ratios are taken within it. A visit of a case is such a process on
one core and, after it, one on all cores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from statistics import median

from benchmarks.cases import AUTHORS_RATIO, CASES, SPEEDUP_TARGET, Case, shape_name
from benchmarks.flops import useful_flops
from benchmarks.quiet import Noise
from benchmarks.report import Line, Measurements, number
from benchmarks.rounds import ROUNDS, rounds
from benchmarks.timing import Spread
from benchmarks.worker import COV, DGEMM, DGEMM_SIZE, XTX, Answer, Ask, Call, answer

UNITS = "edge_test in units of X.T @ X, one core; all cores beside it"
COVS = "edge_test in units of numpy.cov(X, rowvar=False), one core"
FASTER = "Times faster with all cores than with one"
AUTHORS = "Times faster than the authors' program"
_FORMER = ("all cores", "quartiles, all cores")
_SHARE = "% of DGEMM"

#: On one core, and on all of them where the case asks for it.
Visit = tuple[Answer, Answer | None]


def measure(
    cases: Sequence[Case] = CASES,
    count: int = ROUNDS,
    ask: Callable[[Ask], Answer] = answer,
) -> Measurements:
    noise = Noise()
    found = rounds({case: partial(_visit, case, ask) for case in cases}, noise, count)
    lines: list[Line] = []
    for case, visits in found.items():
        unit = f"{XTX} itself, ms, {shape_name(case.shape)}"
        if unit not in {line.name for line in lines}:
            lines.append(_unit_line(unit, case, found))
        lines.append(_line(case, visits))
    for case, visits in found.items():
        lines += _other_lines(case, visits)
    order = (UNITS, COVS, FASTER, AUTHORS)
    lines.sort(key=lambda line: order.index(line.group))
    return Measurements(lines, facts=noise.facts())


def _visit(case: Case, ask: Callable[[Ask], Answer], _round: int) -> Visit:
    # The method last, so that its memory and its options are those of the answer.
    beside = (Call(COV),) if case.cov_target is not None else ()
    calls = (Call(XTX), *beside, Call(DGEMM), Call(case.name))
    one = ask(Ask(calls, case.shape))
    return one, ask(Ask(calls, case.shape, cores=None)) if case.all_cores else None


def _unit_line(name: str, case: Case, found: dict[Case, list[Visit]]) -> Line:
    """What the unit is worth here, from all processes of a shape; not to be compared."""
    together = [visit for other in found if other.shape == case.shape for visit in found[other]]
    every = [1e3 * all_cores.seconds[0] for _, all_cores in together if all_cores is not None]
    one = Spread.of([1e3 * one.seconds[0] for one, _ in together])
    return one.line(UNITS, name, beside=_all_cores(every))


def _line(case: Case, visits: Sequence[Visit]) -> Line:
    name = f"{case.name}, {shape_name(case.shape)}"
    beside = _all_cores([every.ratio() for _, every in visits if every is not None])
    share = _share(case, [one for one, _ in visits])
    if share is not None:
        beside[_SHARE] = share
    return Spread.of([one.ratio() for one, _ in visits]).line(
        UNITS, name, case.target, beside=beside
    )


def _other_lines(case: Case, visits: Sequence[Visit]) -> list[Line]:
    """In units of numpy.cov, on two cores, and beside the authors' program."""
    name, lines = f"{case.name}, {shape_name(case.shape)}", []
    if case.cov_target is not None:
        ratios = [one.ratio(unit=1) for one, _ in visits]
        lines.append(Spread.of(ratios).line(COVS, name, case.cov_target))
        if case.name == "eig + trace":
            words = f"{name}, at {AUTHORS_RATIO:,} numpy.cov (given to us, not measured)"
            faster = Spread.of([AUTHORS_RATIO / ratio for ratio in ratios])
            lines.append(faster.line(AUTHORS, words, at_least=SPEEDUP_TARGET))
    pairs = [(one, every) for one, every in visits if every is not None]
    if case.faster is not None and pairs:
        times = Spread.of([one.seconds[-1] / every.seconds[-1] for one, every in pairs])
        lines.append(times.line(FASTER, name, at_least=case.faster))
    return lines


def _all_cores(values: Sequence[float]) -> dict[str, float | str]:
    if not values:
        return {}
    spread = Spread.of(values)
    quartiles = f"{number(spread.lower)} – {number(spread.upper)}"
    return dict(zip(_FORMER, (spread.median, quartiles), strict=True))


def _share(case: Case, answers: Sequence[Answer]) -> float | None:
    """Useful flops a second in percent of a DGEMM's."""
    flops = [useful_flops(case.name, case.shape, one.options) for one in answers]
    if None in flops:
        return None
    dgemm = 2.0 * DGEMM_SIZE**3
    return median(
        100 * (count / one.seconds[-1]) / (dgemm / one.seconds[-2])
        for count, one in zip(flops, answers, strict=True)
        if count is not None
    )

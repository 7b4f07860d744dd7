"""Did a change make anything slower? A short fixed set, old code and new code in turn.

python -m benchmarks.check             against the commit at which results/ was measured
python -m benchmarks.check REVISION    against another one

The code of the older commit is measured on this machine, in the same rounds, by the same worker, so
another CPU or a busy day changes both sides. Without git, or without that commit, the ratios of
results/ stand for it, which only means something on the same kind of CPU.
Ends with 1 if a line got slower, with 2 if that cannot be told.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.cases import shape_name
from benchmarks.machine import ROOT, cpu_model, git
from benchmarks.quiet import Noise, NotQuietError, refuse_if_busy
from benchmarks.report import Measurements, Section, number, read
from benchmarks.rounds import ROUNDS, rounds
from benchmarks.streams import COLUMNS, write_files
from benchmarks.timing import Spread
from benchmarks.worker import SCAN, XTX, Answer, Ask, Call, WorkerError, answer

LIMIT = 1.15
FIRST_ROUNDS, MORE_ROUNDS = 5, 10
FILE_ROWS = 300_000
_NUMPY = Call("Fisher's test in NumPy")
_PAIRWISE = Call("score", {"missing": "pairwise"})
_GROUP = "The set of make bench-check, in units of X.T @ X, Arrow's scan or Fisher's test in NumPy"
_LONG, _WIDE, _SMALL = (200_000, 14), (20_000, 100), (200, 10)


@dataclass(frozen=True)
class Check:
    """A line: what is asked of both sides. The first call is the unit of the table."""

    name: str
    ask: Ask = field(hash=False)


def checks(files: Mapping[str, tuple[str, ...]]) -> list[Check]:
    """The fixed set; `files` are the same rows as CSV and as Parquet."""
    found = [
        *(_of_array(name, _LONG) for name in ("score", "trace", "batch", "fisher", "wald")),
        *(_of_array(name, _WIDE) for name in ("score", "trace", "batch", "fisher")),
        _of_array("eig", (20_000, 50)),
        _of_array("score", (5_000, 400)),
        Check("score, 200 × 10", Ask((_NUMPY, Call("score")), _SMALL)),
        Check("fisher, 200 × 10", Ask((_NUMPY, Call("fisher")), _SMALL)),
        Check("score, 200 × 10, pandas", Ask((_NUMPY, Call("score")), _SMALL, "pandas")),
        Check("score, 20,000 × 20, pairwise", Ask((Call(XTX), _PAIRWISE), (20_000, 20), "missing")),
    ]
    for method, kind in (("score", "parquet"), ("trace", "csv")):
        rows = shape_name((FILE_ROWS, COLUMNS))
        ask = Ask((Call(SCAN), Call(method)), data=files[kind], cores=None)
        found.append(Check(f"{method}, {rows} {kind}", ask))
    return found


def _of_array(method: str, shape: tuple[int, int]) -> Check:
    return Check(f"{method}, {shape_name(shape)}", Ask((Call(XTX), Call(method)), shape))


@dataclass
class Costs:
    """What both sides cost, round by round; `why` says why the old one has none."""

    old: list[float]
    new: list[float]
    why: str = ""


@dataclass(frozen=True)
class Verdict:
    """A line, what it cost and what it costs."""

    name: str
    old: float | None
    new: float
    why: str = ""

    @property
    def times(self) -> float | None:
        return None if self.old is None else self.new / self.old

    @property
    def slower(self) -> bool:
        return self.times is not None and self.times > LIMIT


#: Costs of some lines in so many rounds.
Measure = Callable[[Sequence[Check], int], dict[str, Costs]]
#: The number that stands for several rounds.
Typical = Callable[[Sequence[float]], float]


def compare(lines: Sequence[Check], measure: Measure, typical: Typical) -> list[Verdict]:
    """All lines; one that looks slower is measured again, in more rounds, before it counts."""
    costs = measure(lines, FIRST_ROUNDS)
    suspects = [line for line in lines if _verdict(line, costs[line.name], typical).slower]
    if suspects:
        for name, more in measure(suspects, MORE_ROUNDS).items():
            costs[name].old += more.old
            costs[name].new += more.new
    return [_verdict(line, costs[line.name], typical) for line in lines]


def _verdict(line: Check, costs: Costs, typical: Typical) -> Verdict:
    old = typical(costs.old) if costs.old else None
    return Verdict(line.name, old, typical(costs.new), costs.why)


def against_source(
    lines: Sequence[Check], count: int, *, source: Path, noise: Noise
) -> dict[str, Costs]:
    """Seconds with the code of another folder and with ours, in turn."""
    found = rounds({line: partial(_both, line, source) for line in lines}, noise, count)
    costs = {}
    for line, visits in found.items():
        old = [seconds for seconds, _ in visits if isinstance(seconds, float)]
        why = next((seconds for seconds, _ in visits if isinstance(seconds, str)), "")
        costs[line.name] = Costs(old, [seconds for _, seconds in visits], why)
    return costs


def _both(line: Check, source: Path, number: int) -> tuple[float | str, float]:
    """Seconds of old and new, the first of them first in every other round only."""
    if number % 2:
        new = _seconds(line, answer(line.ask))
        return _old_seconds(line, source), new
    old = _old_seconds(line, source)
    return old, _seconds(line, answer(line.ask))


def _old_seconds(line: Check, source: Path) -> float | str:
    try:
        return _seconds(line, answer(line.ask, source))
    except WorkerError as error:  # the old code may not know what the line asks for
        return str(error)


def _seconds(line: Check, found: Answer) -> float:
    """CPU time, which others change less; on all cores that would hide a wait for each other."""
    return found.seconds[-1] if line.ask.cores is None else found.cpu[-1]


def against_table(
    lines: Sequence[Check], count: int, *, table: Section, noise: Noise
) -> dict[str, Costs]:
    """Ratios in the kept table, and those of now."""
    kept = {line.name: line.value for line in table.lines}
    costs = {}
    for line, ratios in _ratios(lines, count, noise).items():
        value = kept.get(line.name)
        costs[line.name] = Costs([] if value is None else [value], ratios, "not in the table")
    return costs


def _ratios(lines: Sequence[Check], count: int, noise: Noise) -> dict[Check, list[float]]:
    visits = {line: lambda _, ask=line.ask: answer(ask).ratio() for line in lines}
    return rounds(visits, noise, count)


def measure(count: int = ROUNDS) -> Measurements:
    """The section of the report that a later check may have to be content with."""
    noise = Noise()
    with tempfile.TemporaryDirectory(prefix="edgewise-bench-") as folder:
        lines = checks(write_files(Path(folder), FILE_ROWS, 1))
        found = _ratios(lines, count, noise)
    rows = [Spread.of(ratios).line(_GROUP, line.name) for line, ratios in found.items()]
    return Measurements(rows, facts=noise.facts())


def base_of(table: Section | None, asked: str | None) -> str | None:
    """The commit to compare with, if git knows it: the one asked for, else that of the table."""
    if asked is not None:
        found = git("rev-parse", "--verify", f"{asked}^{{commit}}")
        if not found:
            raise SystemExit(f"BASE: expected a revision that git knows here, got {asked!r}.")
        return found
    kept = (table.facts.get("commit", "") if table else "").split(" ")[0]
    return git("rev-parse", "--verify", f"{kept}^{{commit}}") if kept else None


def export(revision: str, folder: Path) -> Path:
    """The source of a commit in a folder. Pure Python: a part that is compiled is not built."""
    archive = subprocess.run(
        ["git", "archive", "--format=tar", revision, "src"],
        check=True,
        capture_output=True,
        cwd=ROOT,
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        tar.extractall(folder, filter="data")
    return folder / "src"


def table_text(verdicts: Sequence[Verdict], unit: str) -> str:
    """Every line, the worst first."""
    ordered = sorted(verdicts, key=lambda one: -(one.times or 0))
    width = max(len(one.name) for one in ordered)
    rows = [f"{'':{width}}  {'from':>9}  {'to':>9}  times   ({unit})"]
    for one in ordered:
        old = "–" if one.old is None else number(one.old)
        times = one.why if one.times is None else f"{one.times:.2f}"
        rows.append(
            f"{one.name:{width}}  {old:>9}  {number(one.new):>9}  {times}"
            f"{'  slower' if one.slower else ''}"
        )
    return "\n".join(rows)


def main(arguments: Sequence[str]) -> int:
    """0 if nothing got slower, 1 if something did, 2 if nobody can tell."""
    table = read().get("check")
    base = base_of(table, arguments[0] if arguments else None)
    if base is None and table is None:
        print("not checked: results/ has no section `check`; give a commit, as in BASE=HEAD~1.")
        return 2
    try:
        print(f"before: {refuse_if_busy(first=True)}", flush=True)
        return _main(base, table)
    except NotQuietError as error:
        print(error)
        return 2


def _main(base: str | None, table: Section | None) -> int:
    noise = Noise()
    with tempfile.TemporaryDirectory(prefix="edgewise-bench-") as name:
        folder = Path(name)
        lines = checks(write_files(folder, FILE_ROWS, 1))
        if base is not None:
            print(f"measuring {base[:10]} and this folder in turn …", flush=True)
            run = partial(against_source, source=export(base, folder), noise=noise)
            verdicts, unit = (
                compare(lines, run, lambda s: 1e3 * min(s)),
                "ms, the least of all rounds",
            )
        else:
            assert table is not None
            print(
                "git does not know the commit of the table; comparing with its ratios …", flush=True
            )
            run = partial(against_table, table=table, noise=noise)
            verdicts, unit = compare(lines, run, median), "times the unit, median"
    print(table_text(verdicts, unit))
    for fact in noise.facts().items():
        print(": ".join(fact))
    if base is None and table is not None and table.facts.get("CPU") != cpu_model():
        print(
            f"not decided: the table was measured on {table.facts.get('CPU')}, this is "
            f"{cpu_model()}, and ratios travel only in part; give a commit, as in BASE=HEAD~1."
        )
        return 2
    slower = [one for one in verdicts if one.slower]
    if slower:
        print(f"{len(slower)} of {len(verdicts)} lines are more than {LIMIT:g} times as slow.")
    else:
        print(f"no line is more than {LIMIT:g} times as slow.")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What the studies share: their settings, their draws, and the page of what they found.

A study is a module with these names: `TITLE`; `PAPER`, what the paper shows, in our words;
`cells(scale)`, the settings and how often each is drawn; `design(cells)`, what is simulated;
`deviations(cells)`, where that is not what the paper did, and why; `measure(parameters, rng)`,
which makes one draw; and `findings(results)`.
"""

from __future__ import annotations

import csv
import hashlib
import json
import platform
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from edgewise._files import atomic_path
from edgewise._linalg import AnyArray
from edgewise._version import __version__
from edgewise.calibrate import generator, make_units
from reproduction.claims import RULE, Claim, counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCALES = ("smoke", "quick", "paper")
SEED = 2016
_TOGETHER = 5

#: Arrays by name: what one draw measured, or what many draws did, stacked along the first axis.
Measured = Mapping[str, AnyArray]


@dataclass(frozen=True)
class Cell:
    """One setting of a study, and how often it is drawn; `parameters` are plain values."""

    parameters: Mapping[str, Any]
    n_draws: int

    def __getitem__(self, parameter: str) -> Any:
        return self.parameters[parameter]


Result = tuple[Cell, Measured]
Results = Sequence[Result]


#: What, in the paper, here, why: where a study does not do what the paper did.
Deviations = Sequence[tuple[str, str, str, str]]


class Findings(NamedTuple):
    """What a study found; the caption says what each panel shows, with n, p and the draws."""

    claims: list[Claim]
    columns: str
    rows: list[tuple[Any, ...]]
    notes: list[str]
    draw: Callable[[], Figure]
    caption: str


@dataclass(frozen=True)
class Unit:
    """Some draws of a cell, which a worker makes together; each has its own random numbers."""

    study: str  # the module: its name can be sent to another process
    cell: Cell
    seed: int
    draws: range

    def __call__(self) -> tuple[list[Measured], float]:
        # The name of the draws of this setting, which does not depend on their number.
        study, parameters = import_module(self.study), dict(self.cell.parameters)
        text = json.dumps([name_of(study), parameters], sort_keys=True)
        key = hashlib.sha256(text.encode()).hexdigest()[:16]
        # The time of this thread on a core, which a busy machine does not stretch.
        began = time.thread_time()
        made = [study.measure(parameters, generator(self.seed, key, k)) for k in self.draws]
        return made, time.thread_time() - began


def name_of(study: Any) -> str:
    return str(study.__name__).rpartition(".")[2]


def make_draws(
    study: Any, cells: Sequence[Cell], *, seed: int = SEED, n_jobs: int = 1
) -> tuple[Results, float]:
    """Every draw of every cell, and the seconds of computing that they took.

    The numbers depend neither on the number of workers nor on the order.
    """
    units = [
        Unit(study.__name__, cell, seed, range(start, min(start + _TOGETHER, cell.n_draws)))
        for cell in cells
        for start in range(0, cell.n_draws, _TOGETHER)
    ]
    made: list[list[Measured]] = []
    seconds, done, total = 0.0, 0, sum(cell.n_draws for cell in cells)
    with closing(make_units(units, n_jobs)) as finished:
        for draws, spent in finished:
            made.append(draws)
            seconds, done = seconds + spent, done + len(draws)
            if sys.stderr.isatty():
                print(f"\r{name_of(study)}: {done:,} of {total:,} draws ", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    results = []
    for cell in cells:
        draws = [one for k, unit in enumerate(units) if unit.cell is cell for one in made[k]]
        results.append((cell, {name: np.stack([one[name] for one in draws]) for name in draws[0]}))
    return results, seconds


def run(study: Any, scale: str, folder: Path, *, seed: int = SEED, n_jobs: int = 1) -> list[Claim]:
    """Run a study and write its table (CSV), picture (SVG) and page (Markdown) into a folder."""
    name, cells = name_of(study), study.cells(scale)
    results, seconds = make_draws(study, cells, seed=seed, n_jobs=n_jobs)
    found = study.findings(results)
    with (
        atomic_path(folder / f"{name}.csv") as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        writer = csv.writer(file)
        writer.writerow(found.columns.split())
        writer.writerows([_cell(value) for value in row] for row in found.rows)
    _write_picture(found, folder / f"{name}.svg")
    option = "" if seed == SEED else f" --seed {seed}"
    made = (
        f"Made by `python -m reproduction {name} --scale {scale}{option}` with edgewise "
        f"{__version__}: {sum(cell.n_draws for cell in cells):,} draws, {_duration(seconds)} of "
        f"computing on one core (NumPy {np.__version__}, Python {platform.python_version()}). The "
        f"numbers are in [{name}.csv]({name}.csv)."
    )
    with atomic_path(folder / f"{name}.md") as temporary:
        temporary.write_text(_page(study, scale, cells, found, made), encoding="utf-8")
    return list(found.claims)


def _cell(value: Any) -> Any:
    """Six digits are more than the accuracy of any of these numbers."""
    return f"{value:.6g}" if isinstance(value, float | np.floating) else value


def _write_picture(found: Findings, path: Path) -> None:
    from matplotlib import rc_context

    # A fixed salt and no date, so that the same picture is always the same file.
    with (
        rc_context({"svg.hashsalt": path.stem, "font.size": 9.5}),
        atomic_path(path) as temporary,
    ):
        found.draw().savefig(temporary, format="svg", metadata={"Date": None})
        svg = temporary.read_text(encoding="utf-8")
        # The outlines in hundredths of a point, which no eye can tell apart, in half the bytes.
        svg = re.sub(r' d="[^"]*"', lambda d: re.sub(r"(\.\d\d)\d+", r"\1", d.group()), svg)
        temporary.write_text(svg, encoding="utf-8")


def _page(study: Any, scale: str, cells: Sequence[Cell], found: Findings, made: str) -> str:
    lines = [
        f"# {study.TITLE}",
        f"**In the paper.** {study.PAPER}",
        f"**Here, at the scale `{scale}`.** {study.design(cells)}",
        f"![{study.TITLE}]({name_of(study)}.svg)",
        f"*{found.caption}*",
        _markdown(
            ("claim", "measured", "verdict"),
            [
                (c.says, c.measured, str(c).replace(c.verdict, f"**{c.verdict}**", 1))
                for c in found.claims
            ],
        ),
        f"{counted(found.claims)}. {RULE}",
        *found.notes,
    ]
    # What a study lists may be as in the paper at the largest scale.
    deviations = [row for row in study.deviations(cells) if row[1] != row[2]]
    if deviations:
        lines.append("## Where this differs from the paper")
        lines.append(_markdown(("what", "in the paper", "here", "why"), deviations))
    return "\n\n".join([*lines, made]) + "\n"


def _markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.1f} min"


def draws_of(cells: Sequence[Cell]) -> str:
    """The number of draws of each setting, such as "100"."""
    numbers = sorted({cell.n_draws for cell in cells})
    return " to ".join(_number(number) for number in dict.fromkeys((numbers[0], numbers[-1])))


def values_of(cells: Sequence[Cell], parameter: str) -> str:
    """The different values of a parameter, such as "4, 6, 8"."""
    return ", ".join(_number(value) for value in sorted({int(cell[parameter]) for cell in cells}))


def sizes_of(cells: Sequence[Cell]) -> str:
    """The numbers of rows at which a growing sample is looked at."""
    sizes = [_number(n) for n in cells[0]["sizes"]]
    if len(sizes) <= 2:
        return "n = " + " and ".join(sizes)
    return f"n = {sizes[0]}, {sizes[1]}, …, {sizes[-1]} ({len(sizes)} even steps)"


def last_size(cells: Sequence[Cell]) -> str:
    return _number(cells[0]["sizes"][-1])


def _number(value: int) -> str:
    """With a space between thousands, as on all our pages."""
    return f"{value:,}".replace(",", " ")

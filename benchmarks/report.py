"""One line per measurement, and the two files they end in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

RESULTS = Path(__file__).parent / "results"

_HEAD = "| | measured | range | target | met |"
_RULE = "|---|---:|---:|---:|---|"


@dataclass(frozen=True)
class Line:
    """A measured number beside its target.

    `low` and `high` are the extremes of the repetitions that `value` is the median of, where
    there are any; `at_least` says on which side of the target it is good to be.
    """

    group: str
    name: str
    value: float
    target: float | None = None
    low: float | None = None
    high: float | None = None
    at_least: bool = False

    @property
    def met(self) -> bool | None:
        if self.target is None:
            return None
        return self.value >= self.target if self.at_least else self.value <= self.target


def markdown(facts: dict[str, str], lines: Sequence[Line]) -> str:
    """The whole report, one table per group in the order they were measured."""
    parts = ["# Benchmarks", ""]
    parts += [f"- {name}: {value}" for name, value in facts.items()]
    for group in dict.fromkeys(line.group for line in lines):
        parts += ["", f"## {group}", "", _HEAD, _RULE]
        parts += [_row(line) for line in lines if line.group == group]
    return "\n".join(parts) + "\n"


def write(facts: dict[str, str], lines: Sequence[Line]) -> None:
    """results/benchmarks.md to read, results/benchmarks.json to compare with."""
    RESULTS.mkdir(exist_ok=True)
    document = {"machine": facts, "lines": [asdict(line) | {"met": line.met} for line in lines]}
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    (RESULTS / "benchmarks.json").write_text(text, encoding="utf-8")
    (RESULTS / "benchmarks.md").write_text(markdown(facts, lines), encoding="utf-8")


def _row(line: Line) -> str:
    spread = ""
    if line.low is not None and line.high is not None:
        spread = f"{_number(line.low)} – {_number(line.high)}"
    cells = [line.name, _number(line.value), spread, "", ""]
    if line.target is not None:
        cells[3] = f"{'≥' if line.at_least else '≤'} {line.target:g}"
        cells[4] = "yes" if line.met else "**no**"
    return f"| {' | '.join(cells)} |"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"

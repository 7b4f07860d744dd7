"""One line per measurement, and the two files they end in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

RESULTS = Path(__file__).parent / "results"

_MEASURED, _RANGE, _TARGET, _MET = "measured", "range", "target", "met"
_QUARTILES = "quartiles"


@dataclass(frozen=True)
class Line:
    """A measured number beside its target.

    `low` and `high` are the extremes of the repetitions that `value` is the median of, where
    there are any, `lower` and `upper` the quartiles; `at_least` and `at_most` say where it is good
    to be, and where there are quartiles the worse of them has to be there; `beside` has further
    columns by their heads. A value of None is explained there.
    """

    group: str
    name: str
    value: float | None
    at_least: float | None = None
    at_most: float | None = None
    low: float | None = None
    high: float | None = None
    beside: dict[str, float | str] = field(default_factory=dict)
    lower: float | None = None
    upper: float | None = None

    @property
    def met(self) -> bool | None:
        if self.value is None or (self.at_least is None and self.at_most is None):
            return None
        least = self.value if self.lower is None else self.lower
        most = self.value if self.upper is None else self.upper
        enough = self.at_least is None or least >= self.at_least
        return enough and (self.at_most is None or most <= self.at_most)


@dataclass(frozen=True)
class Curve:
    """Points of one method in one picture, and the slope fitted to those from `fit_from` on."""

    picture: str
    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    slope: float
    fit_from: float


class Picture(NamedTuple):
    """The words around a picture; its file in results/ is named by its key."""

    title: str
    x: str
    y: str
    where: str


PICTURES = {
    "time-n": Picture("Time against rows", "rows n", "milliseconds", "14 columns, one core"),
    "time-p": Picture("Time against columns", "columns p", "milliseconds", "20,000 rows, one core"),
    "memory-n": Picture("Peak memory against rows", "rows n", "MB beyond the data", "14 columns"),
}


@dataclass(frozen=True)
class Measurements:
    """What a section of the benchmark brings home."""

    lines: Sequence[Line]
    curves: Sequence[Curve] = ()
    #: How it was to measure them.
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Section:
    """A part of the report that was measured in one go, and on what."""

    name: str
    facts: dict[str, str]
    lines: Sequence[Line]
    curves: Sequence[Curve] = ()


def read(folder: Path = RESULTS) -> dict[str, Section]:
    """The sections that results/benchmarks.json keeps from earlier runs."""
    path = folder / "benchmarks.json"
    if not path.exists():
        return {}
    kept = json.loads(path.read_text(encoding="utf-8")).get("sections", [])
    return {section["name"]: _section(section) for section in kept}


def write(sections: Sequence[Section], folder: Path = RESULTS) -> None:
    """benchmarks.md to read, benchmarks.json to compare with and to draw from."""
    folder.mkdir(exist_ok=True)
    document = {
        "sections": [
            asdict(section)
            | {"lines": [asdict(line) | {"met": line.met} for line in section.lines]}
            for section in sections
        ]
    }
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    (folder / "benchmarks.json").write_text(text, encoding="utf-8")
    (folder / "benchmarks.md").write_text(markdown(sections), encoding="utf-8")


def markdown(sections: Sequence[Section]) -> str:
    """The whole report: what all sections share, the pictures, then a table per group."""
    first, *others = sections
    # In the order of the first section, in which they were written down.
    shared = {
        name: value
        for name, value in first.facts.items()
        if all(section.facts.get(name) == value for section in others)
    }
    parts = ["# Benchmarks", "", *(_fact(*fact) for fact in shared.items())]
    drawn = {curve.picture for section in sections for curve in section.curves}
    for name, picture in PICTURES.items():
        if name in drawn:
            parts += ["", f"![{picture.title}]({name}.png)"]
    for section in sections:
        own = [_fact(*fact) for fact in section.facts.items() if fact[0] not in shared]
        for group in dict.fromkeys(line.group for line in section.lines):
            parts += ["", f"## {group}", "", *own, *([""] if own else [])]
            parts += _table([line for line in section.lines if line.group == group])
            own = []  # once a section is enough
    return "\n".join(parts) + "\n"


def number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _table(lines: Sequence[Line]) -> list[str]:
    """Only the columns in which some line has something to say."""
    rows = [_cells(line) for line in lines]
    heads = list(dict.fromkeys(head for row in rows for head in row))
    heads = [head for head in heads if any(row.get(head) for row in rows)]
    texts = _texts(rows) - {_TARGET}  # which begins with its sign
    rule = ["---" if head in texts else "---:" for head in heads]
    return [
        f"| | {' | '.join(heads)} |",
        f"|---|{'|'.join(rule)}|",
        *(
            f"| {line.name} | {' | '.join(row.get(head, '') for head in heads)} |"
            for line, row in zip(lines, rows, strict=True)
        ),
    ]


def _cells(line: Line) -> dict[str, str]:
    cells = dict.fromkeys((_MEASURED, _QUARTILES, _RANGE, _TARGET, _MET), "")
    if line.value is not None:
        cells[_MEASURED] = number(line.value)
    cells[_QUARTILES] = _between(line.lower, line.upper)
    cells[_RANGE] = _between(line.low, line.high)
    cells[_TARGET] = _target(line)
    if line.met is not None:
        cells[_MET] = "yes" if line.met else "**no**"
    beside = {
        head: text if isinstance(text, str) else number(text) for head, text in line.beside.items()
    }
    return cells | beside


def _between(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{number(low)} – {number(high)}"


def _target(line: Line) -> str:
    if line.at_least is not None and line.at_most is not None:
        return f"{line.at_least:g} – {line.at_most:g}"
    if line.at_least is not None:
        return f"≥ {line.at_least:g}"
    return "" if line.at_most is None else f"≤ {line.at_most:g}"


def _texts(rows: Sequence[dict[str, str]]) -> set[str]:
    """Heads of columns without a single number."""
    heads = {head for row in rows for head in row}
    return {head for head in heads if not any(row.get(head, "")[:1].isdigit() for row in rows)}


def _fact(name: str, value: str) -> str:
    return f"- {name}: {value}"


def _section(document: dict[str, Any]) -> Section:
    lines = []
    for line in document["lines"]:
        del line["met"]
        lines.append(Line(**line))
    curves = [
        Curve(**curve | {"x": tuple(curve["x"]), "y": tuple(curve["y"])})
        for curve in document["curves"]
    ]
    return Section(document["name"], document["facts"], lines, curves)

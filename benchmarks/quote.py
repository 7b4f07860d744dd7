"""The numbers that pages quote, from the worse end of what was measured.

`python -m benchmarks.quote` writes the blocks between `<!-- bench: name -->` and `<!-- /bench -->`
anew; `make bench` does so at its end. A block whose lines are not in results/ stays as it is.
"""

from __future__ import annotations

import math
import re
import textwrap
import unicodedata
from collections.abc import Callable, Mapping

from benchmarks.cases import AUTHORS_RATIO, AUTHORS_SHAPE, LONG, WIDE, WIDEST, shape_name
from benchmarks.machine import ROOT
from benchmarks.ratios import AUTHORS, COVS, UNITS
from benchmarks.report import Line, Section, number, read

PAGES = ("docs/index.md", "docs/benchmarks.md", "docs/evidence.md")
_BLOCK = re.compile(r"(<!-- bench: (.+?) -->\n)(.*?)(<!-- /bench -->)", re.DOTALL)

#: What a reader may want to know, and the tables that tell it, by how their headings begin.
_QUESTIONS = {
    "How long does a test take?": {
        "in units of X.T @ X": "edge_test in units of",
        "small data": "Small data, microseconds",
    },
    "… and other programs?": {"peers": "Peers, seconds"},
    "… and of ranks?": {"`kendall` and normal scores": "Ranks, in units of"},
    "… with all cores?": {"times faster": "Times faster with all cores"},
    "How does it grow?": {
        "with rows": "Time against n",
        "with columns": "Time against p",
        "thousands of columns": "Many columns",
    },
    "How much memory?": {
        "arrays": "Peak memory beyond the data, MB",
        "files": "Files, peak resident MB",
    },
    "How long for files?": {"in units of Arrow's scan": "Files, in units of Arrow's scan"},
    "How soon does it start?": {"fresh processes": "Fresh processes"},
    "What do clusters gain?": {"Dask": "Dask, 2 processes", "Spark": "Spark, local"},
}


class _NotMeasuredError(LookupError):
    """A line that a block quotes is not in results/."""


Sections = Mapping[str, Section]


def main() -> None:
    sections = read()
    for page in PAGES:
        path = ROOT / page
        text = path.read_text(encoding="utf-8")
        path.write_text(quoted(text, sections), encoding="utf-8")


def quoted(text: str, sections: Sections) -> str:
    """The page with its blocks written anew."""

    def block(match: re.Match[str]) -> str:
        start, name, old, end = match.groups()
        try:
            return start + _BLOCKS[name](sections) + "\n" + end
        except _NotMeasuredError:
            return start + old + end

    return _BLOCK.sub(block, text)


def worst(sections: Sections, section: str, group: str, name: str) -> float:
    """The upper quartile of a line, or its only number."""
    line = _line(sections, section, group, name)
    value = line.value if line.upper is None else line.upper
    if value is None:
        raise _NotMeasuredError(name)
    return value


def up(value: float) -> str:
    """Two digits, never rounded to the better side."""
    places = 1 - math.floor(math.log10(value))
    return number(math.ceil(round(value * 10**places, 6)) / 10**places)


def anchor(heading: str) -> str:
    """As Sphinx makes it."""
    plain = unicodedata.normalize("NFKD", heading.lower()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def _line(sections: Sections, section: str, group: str, name: str) -> Line:
    lines = sections[section].lines if section in sections else ()
    for line in lines:
        if line.group.startswith(group) and line.name.startswith(name):
            return line
    raise _NotMeasuredError(f"{section}: {group}: {name}")


def _timings(sections: Sections) -> str:
    long, wide, widest = (
        up(worst(sections, "timings", UNITS, f"score, {shape_name(shape)}"))
        for shape in (LONG, WIDE, WIDEST)
    )
    scan = up(worst(sections, "files", "Files, in units", "score, "))
    peak = up(worst(sections, "files", "Files, peak", "score, "))
    return _paragraphs(
        f"On one core, `score` takes up to {long} times as long as the product `X.T @ X` on a "
        f"million rows of 14 columns, {wide} times on 100,000 of 200 and {widest} times on 20,000 "
        f"of 500. It tests 2.2 GB of Parquet in {peak} MB of memory, and takes up to {scan} times "
        "as long as Arrow takes to read them (upper quartiles)."
    )


def _authors(sections: Sections) -> str:
    shape = shape_name(AUTHORS_SHAPE)
    ratio = up(worst(sections, "timings", COVS, f"eig + trace, {shape}"))
    faster = _line(sections, "timings", AUTHORS, "eig + trace")
    if faster.lower is None or faster.upper is None:
        raise _NotMeasuredError(AUTHORS)
    about = math.floor(faster.lower / 50) * 50
    return _paragraphs(
        f"**The paper's answer, about {about:,} times as fast**",
        f"Both thresholds of the paper take up to {ratio} times as long as `numpy.cov` ({shape}). "
        "They agree with the authors' program to ten digits on the six small data sets for which "
        "we have its numbers.",
        f"*[Benchmarks](benchmarks.md): {number(faster.lower)} to {number(faster.upper)} times as "
        f"fast (quartiles). The authors' program takes {AUTHORS_RATIO:,} times as long as "
        "`numpy.cov`; we were given that figure with their numbers, and cannot run their program "
        "here.*",
    )


def _files(sections: Sections) -> str:
    """A card of the first page, for readers who know none of the words of this package."""
    peak = up(worst(sections, "files", "Files, peak", "batch, "))
    return _paragraphs(
        "**Large tables, little memory**",
        f"A file of 20 million rows (2.2 GB) is tested in {peak} MB of memory. Data frames, "
        "databases, streams and clusters work as well.",
        "*[Benchmarks](benchmarks.md), with the test `batch`*",
    )


def _paragraphs(*texts: str) -> str:
    wrapped = (
        textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False) for text in texts
    )
    return "\n\n".join(wrapped)


def _questions(sections: Sections) -> str:
    groups = {line.group: None for section in sections.values() for line in section.lines}
    rows = ["| Question | Table |", "|---|---|"]
    for question, tables in _QUESTIONS.items():
        links = [
            f"[{words}](#{anchor(group)})"
            for words, start in tables.items()
            if (group := next((one for one in groups if one.startswith(start)), None))
        ]
        if links:
            rows.append(f"| {question} | {', '.join(links)} |")
    return "\n".join(rows)


_BLOCKS: dict[str, Callable[[Sections], str]] = {
    "timings": _timings,
    "authors": _authors,
    "files": _files,
    "questions": _questions,
}

if __name__ == "__main__":
    main()

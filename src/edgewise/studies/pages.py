"""The files of a study that was run: a table, pictures, and a page of what was found."""

from __future__ import annotations

import csv
import platform
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from edgewise._base.atomic import atomic_path
from edgewise._version import __version__
from edgewise.studies.claims import Claim, counted
from edgewise.studies.run import Reproduction
from edgewise.studies.study import Deviation, Findings


def write_study(done: Reproduction, findings: Findings, crew: str) -> None:
    """The table, the pictures and the page of one study; `crew` says who made the draws."""
    folder, name = done.folder, done.study.name
    with (
        atomic_path(folder / f"{name}.csv") as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        writer = csv.writer(file)
        writer.writerow(findings.table.columns)
        writer.writerows([_cell(value) for value in row] for row in findings.table.rows)
    _write_pictures(findings, folder, name)
    _write_text(folder / "README.md", _page(done, findings, crew))


def write_overview(folder: Path, done: Sequence[Reproduction], crew: str) -> None:
    """A page of all studies: their claims, and where they differ from the paper."""
    _write_text(folder / "README.md", _overview(done, crew))


def _cell(value: Any) -> Any:
    """Six digits are more than the accuracy of any of these numbers."""
    return f"{value:.6g}" if isinstance(value, float | np.floating) else value


def _write_pictures(findings: Findings, folder: Path, name: str) -> None:
    from matplotlib import rc_context

    # A fixed salt and no date, so that the same picture is always the same file.
    with rc_context({"svg.hashsalt": name, "font.size": 9.5}):
        figure = findings.draw()
        for kind, metadata in (("png", {}), ("svg", {"Date": None})):
            with atomic_path(folder / f"{name}.{kind}") as temporary:
                figure.savefig(temporary, format=kind, dpi=110, metadata=metadata)
                if kind == "svg":
                    text = temporary.read_text(encoding="utf-8")
                    temporary.write_text(_hundredths(text), encoding="utf-8")


def _hundredths(svg: str) -> str:
    """The outlines in hundredths of a point, which no eye can tell apart, in half the bytes."""
    return re.sub(r' d="[^"]*"', lambda path: re.sub(r"(\.\d\d)\d+", r"\1", path.group()), svg)


def _write_text(path: Path, text: str) -> None:
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _page(done: Reproduction, findings: Findings, crew: str) -> str:
    study = done.study
    deviations = _deviations(done)
    lines = [
        f"# {study.title}",
        "",
        f"**In the paper.** {study.paper}",
        "",
        f"**Here, at the scale `{done.scale}`.** {study.design(done.cells)}",
        "",
        f"![{study.title}]({study.name}.svg)",
        "",
        f"*{findings.caption}*",
        "",
        *_claim_table(findings.claims),
        "",
        f"{counted(findings.claims)}. {_RULE}",
        "",
        *[line for note in findings.notes for line in (note, "")],
    ]
    if deviations:
        lines += ["## Where this differs from the paper", ""]
        lines += [*_deviation_table([(None, row) for row in deviations]), ""]
    lines += [
        f"Made by `{done.command}` with edgewise {__version__}: {done.n_draws:,} draws, "
        f"{_time_taken(done, crew)} "
        f"(NumPy {np.__version__}, Python {platform.python_version()}). "
        f"The numbers are in [{study.name}.csv]({study.name}.csv), the picture also as "
        f"[{study.name}.png]({study.name}.png).",
        "",
    ]
    return "\n".join(lines)


_RULE = (
    "A claim is **refuted** or **supported** where the measurement lies beyond its own error, so "
    "that either verdict is wrong with probability 0.001 at most; otherwise it is **not refuted**. "
    "In brackets: how far the worst comparison lies on the wrong side, in standard errors (s.e.; "
    "negative on the right side). A single comparison needs 3.1 of them; the limit for a "
    "refutation grows with the number of comparisons (Bonferroni). A mean over n draws counts for "
    "no more than n equal signs: 11.5 standard errors for 100 draws."
)


def _claim_table(claims: Sequence[Claim]) -> list[str]:
    return [
        "| claim | measured | verdict |",
        "|---|---|---|",
        *[
            f"| {_in_table(claim.says)} | {_in_table(claim.measured)} | {_in_bold(claim)} |"
            for claim in claims
        ],
    ]


def _in_bold(claim: Claim) -> str:
    return str(claim).replace(claim.verdict, f"**{claim.verdict}**", 1)


def _deviations(done: Reproduction) -> list[Deviation]:
    """Those of this run: what a study lists may be as in the paper at the largest scale."""
    return [row for row in done.study.deviations(done.cells) if row.here != row.paper]


def _deviation_table(rows: Sequence[tuple[str | None, Deviation]]) -> list[str]:
    """With a first column for the study where it is named."""
    named = any(name for name, _ in rows)
    first, rule = ("| study ", "|---") if named else ("", "")
    lines = [f"{first}| what | in the paper | here | why |", f"{rule}|---|---|---|---|"]
    for name, row in rows:
        cells = ([name] if name else []) + [_in_table(cell) for cell in row]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _in_table(text: str) -> str:
    return text.replace("|", "\\|")


def _overview(done: Sequence[Reproduction], crew: str) -> str:
    scale = done[0].scale
    lines = [
        "# The paper's simulation studies, reproduced",
        "",
        "Bounliphone & Blaschko, *A U-statistic Approach to Hypothesis Testing for Structure "
        f"Discovery in Undirected Graphical Models* (2016), at the scale `{scale}`. Claims marked "
        f"(ours) are not the paper's. Made by `edgewise reproduce all --scale {scale}`; each "
        "study's page has its own command.",
        "",
        f"In all: {counted(claim for one in done for claim in one.claims)}. {_RULE}",
        "",
    ]
    for one in done:
        page = f"{one.study.name}/README.md"
        lines += [
            f"## [{one.study.title}]({page})",
            "",
            f"![{one.study.title}]({one.study.name}/{one.study.name}.svg)",
            "",
            *_claim_table(one.claims),
            "",
            f"{one.n_draws:,} draws, {_time_taken(one, crew)}.",
            "",
        ]
    rows = [
        (f"[{one.study.name}]({one.study.name}/README.md)", row)
        for one in done
        for row in _deviations(one)
    ]
    lines += ["## Where the studies differ from the paper", "", *_deviation_table(rows), ""]
    seconds = [one.seconds for one in done if one.seconds is not None]
    if len(seconds) == len(done):
        lines += [f"In all {_duration(sum(seconds))} {crew}.", ""]
    else:
        total = sum(one.core_seconds for one in done)
        lines += [f"In all {_duration(total)} of computing on one core.", ""]
    return "\n".join(lines)


def _time_taken(done: Reproduction, crew: str) -> str:
    text = f"{_duration(done.core_seconds)} of computing on one core"
    if done.seconds is not None:
        text += f", {_duration(done.seconds)} {crew}"
    return text


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.1f} min"

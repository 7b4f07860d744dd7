"""`reproduce`: run a study and write a table, pictures and a page of what it found."""

from __future__ import annotations

import csv
import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from edgewise._base.atomic import atomic_path
from edgewise._base.checks import check_choice, check_count
from edgewise._version import __version__
from edgewise.errors import DataError
from edgewise.studies.draws import SECONDS, make_draws
from edgewise.studies.eigenvalues import EigenvalueStudy
from edgewise.studies.false_positives import FalsePositiveStudy
from edgewise.studies.lemma1 import LemmaStudy
from edgewise.studies.power import PowerStudy
from edgewise.studies.study import SCALES, Claim, Findings, Study
from edgewise.studies.theorem8 import BudgetStudy
from edgewise.studies.thresholds import ThresholdStudy
from edgewise.studies.workers import check_workers

STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        ThresholdStudy(),
        EigenvalueStudy(),
        FalsePositiveStudy(),
        PowerStudy(),
        LemmaStudy(),
        BudgetStudy(),
    )
}
SEED = 2016


@dataclass(frozen=True)
class Reproduction:
    """A study that was run: what it found, how long it took, and where its files are.

    Attributes
    ----------
    study : Study
        Its `name` is that of the figure, and its `title` says what it is about.
    scale : str
        "smoke", "quick" or "paper".
    claims : list of Claim
        What the paper or we claim (`says`), what came out (`measured`), and whether it `holds`.
    n_draws : int
        How many data sets were drawn.
    seconds : float or None
        The time of this run; None if an earlier run had already made some of the draws.
    core_seconds : float
        The time of all draws, including those that an earlier run made.
    folder : path
        The folder with the table, the pictures and the page.

    Examples
    --------
    The claims that a run could not confirm:

    >>> from edgewise.studies import Reproduction
    >>> def doubtful(done: Reproduction) -> list[str]:
    ...     return [claim.says for claim in done.claims if not claim.holds]
    """

    study: Study
    scale: str
    claims: list[Claim]
    n_draws: int
    seconds: float | None
    core_seconds: float
    folder: Path


def reproduce(
    names: str | Sequence[str] = "all",
    *,
    scale: str = "quick",
    output: str | os.PathLike[str] = "reproduction",
    seed: int = SEED,
    n_jobs: int | None = None,
    client: Any = None,
    tell: Callable[[int], None] = lambda draws: None,
) -> list[Reproduction]:
    """Run the paper's simulation studies again.

    Parameters
    ----------
    names : {"fig1", "fig2", "fig3", "fig4", "lemma1", "theorem8", "all"} or a list of them
        The paper's figures, and the studies of its Lemma 1 and its Theorem 8.
    scale : {"smoke", "quick", "paper"}
        How many draws, and of how many rows: under a minute, a few minutes, or as in the paper.
    output : path
        A folder. Each study gets a folder in it with a CSV table, a PNG, an SVG and a README.md.
        Finished draws are kept in its folder `draws`, so that a run that was interrupted continues
        where it stopped.
    seed : int
        Determines all random numbers; the number of workers does not change them.
    n_jobs : int, optional
        Worker processes; by default one per core.
    client : distributed.Client, optional
        A Dask cluster that makes the draws instead of processes on this machine. Its workers need
        edgewise, but not the output folder, to which only this process writes. The numbers are the
        same, to the last bit on machines with the same kind of processor, NumPy and SciPy.
    tell : callable
        Called with the number of draws that were just finished, for progress bars.

    Returns
    -------
    list of Reproduction
        One for each study, in the paper's order.

    Examples
    --------
    >>> import tempfile
    >>> from edgewise import studies
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     (done,) = studies.reproduce("fig2", scale="smoke", output=folder, n_jobs=1)
    >>> all(claim.holds for claim in done.claims)
    True
    """
    chosen = chosen_studies(names)
    check_choice("scale", scale, SCALES)
    seed = check_count("seed", seed, at_least=0)
    workers = check_workers(n_jobs, client)
    crew = f"with {workers} workers" if client is None else "on a Dask cluster"
    target = Path(output)
    # Checked before the work, so that a long run does not end with a file it cannot write.
    for name in ("", "draws", *(study.name for study in chosen)):
        _make_folder(target / name)
    done = []
    for study in chosen:
        began = time.perf_counter()
        results, kept = make_draws(
            study,
            study.cells(scale),
            target / "draws",
            seed=seed,
            n_jobs=workers,
            client=client,
            tell=tell,
        )
        findings = study.findings(results)
        core_seconds = float(sum(measured[SECONDS].sum() for _, measured in results))
        reproduction = Reproduction(
            study=study,
            scale=scale,
            claims=findings.claims,
            n_draws=sum(cell.n_draws for cell, _ in results),
            seconds=None if kept else time.perf_counter() - began,
            core_seconds=core_seconds,
            folder=target / study.name,
        )
        _write(reproduction, findings, crew, seed)
        done.append(reproduction)
    if len(done) == len(STUDIES):
        _write_text(target / "README.md", _overview(done, scale, crew))
    return done


def total_draws(names: str | Sequence[str], scale: str) -> int:
    """How many draws a run makes in all."""
    check_choice("scale", scale, SCALES)
    return sum(cell.n_draws for study in chosen_studies(names) for cell in study.cells(scale))


def chosen_studies(names: str | Sequence[str]) -> list[Study]:
    listed = [names] if isinstance(names, str) else list(names)
    for name in listed:
        check_choice("names", name, (*STUDIES, "all"))
    return [study for name, study in STUDIES.items() if name in listed or "all" in listed]


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
        writable = os.access(path, os.W_OK)
    except OSError as error:
        raise DataError(
            f"output: cannot make the folder '{path}': {error.strerror}; choose another place."
        ) from error
    if not writable:
        raise DataError(f"output: the folder '{path}' cannot be written to; choose another place.")


def _write(done: Reproduction, findings: Findings, crew: str, seed: int) -> None:
    folder, name = done.folder, done.study.name
    with (
        atomic_path(folder / f"{name}.csv") as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        writer = csv.writer(file)
        writer.writerow(findings.table.columns)
        writer.writerows([_cell(value) for value in row] for row in findings.table.rows)
    _write_pictures(findings, folder, name)
    _write_text(folder / "README.md", _page(done, findings, crew, seed))


def _cell(value: Any) -> Any:
    """Six digits are more than the accuracy of any of these numbers."""
    return f"{value:.6g}" if isinstance(value, float | np.floating) else value


def _write_pictures(findings: Findings, folder: Path, name: str) -> None:
    from matplotlib import rc_context

    # A fixed salt and no date, so that the same picture is always the same file.
    with rc_context({"svg.hashsalt": name}):
        figure = findings.draw()
        for kind, metadata in (("png", {}), ("svg", {"Date": None})):
            with atomic_path(folder / f"{name}.{kind}") as temporary:
                figure.savefig(temporary, format=kind, dpi=110, metadata=metadata)


def _write_text(path: Path, text: str) -> None:
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _page(done: Reproduction, findings: Findings, crew: str, seed: int) -> str:
    study = done.study
    command = f"edgewise reproduce {study.name} --scale {done.scale}"
    if seed != SEED:
        command += f" --seed {seed}"
    smaller = (
        ""
        if done.scale == "paper"
        else (f" This is the scale `{done.scale}`: fewer draws, or fewer rows, than stated.")
    )
    lines = [
        f"# {study.title}",
        "",
        f"**In the paper.** {study.paper}",
        "",
        f"**Here.** {study.design}{smaller}",
        "",
        f"![{study.title}]({study.name}.png)",
        "",
        *_claim_table(findings.claims),
        "",
        *[line for note in findings.notes for line in (note, "")],
        f"Made by `{command}` with edgewise {__version__}: {done.n_draws:,} draws, "
        f"{_time_taken(done, crew)} "
        f"(NumPy {np.__version__}, Python {platform.python_version()}). "
        f"The numbers are in [{study.name}.csv]({study.name}.csv), the picture also as "
        f"[{study.name}.svg]({study.name}.svg).",
        "",
    ]
    return "\n".join(lines)


def _claim_table(claims: Sequence[Claim]) -> list[str]:
    return [
        "| claim | measured | holds |",
        "|---|---|---|",
        *[
            f"| {_in_table(claim.says)} | {_in_table(claim.measured)} | "
            f"{'yes' if claim.holds else '**no**'} |"
            for claim in claims
        ],
    ]


def _in_table(text: str) -> str:
    return text.replace("|", "\\|")


def _overview(done: Sequence[Reproduction], scale: str, crew: str) -> str:
    lines = [
        "# The paper's simulation studies, reproduced",
        "",
        "Bounliphone & Blaschko, *A U-statistic Approach to Hypothesis Testing for Structure "
        f"Discovery in Undirected Graphical Models* (2016), at the scale `{scale}`. Claims marked "
        f"(ours) are not the paper's. Made by `edgewise reproduce all --scale {scale}`; each "
        "study's page has its own command.",
        "",
    ]
    for one in done:
        page = f"{one.study.name}/README.md"
        lines += [
            f"## [{one.study.title}]({page})",
            "",
            *_claim_table(one.claims),
            "",
            f"{one.n_draws:,} draws, {_time_taken(one, crew)}.",
            "",
        ]
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

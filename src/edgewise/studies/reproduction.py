"""`reproduce`: run a study and write a table, pictures and a page of what it found."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from edgewise._base.atomic import check_folder
from edgewise._base.checks import check_choice, check_count
from edgewise._base.parts import check_part
from edgewise.errors import DataError
from edgewise.studies.draws import SECONDS, make_draws
from edgewise.studies.eigenvalues import EigenvalueStudy
from edgewise.studies.false_positives import FalsePositiveStudy
from edgewise.studies.lemma1 import LemmaStudy
from edgewise.studies.pages import write_overview, write_study
from edgewise.studies.power import PowerStudy
from edgewise.studies.run import SEED, Reproduction
from edgewise.studies.study import SCALES, Study
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
    >>> {claim.verdict for claim in done.claims}  # ten draws are too few to tell
    {'not refuted'}
    """
    chosen = chosen_studies(names)
    check_choice("scale", scale, SCALES)
    seed = check_count("seed", seed, at_least=0)
    workers = check_workers(n_jobs, client)
    check_part("matplotlib", "plot", "A simulation study")
    crew = f"with {workers} worker{'s' * (workers > 1)}" if client is None else "on a Dask cluster"
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
            seed=seed,
            claims=findings.claims,
            cells=[cell for cell, _ in results],
            seconds=None if kept else time.perf_counter() - began,
            core_seconds=core_seconds,
            folder=target / study.name,
        )
        write_study(reproduction, findings, crew)
        done.append(reproduction)
    if len(done) == len(STUDIES):
        write_overview(target, done, crew)
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
    except OSError as error:
        raise DataError(
            f"output: cannot make the folder '{path}': {error.strerror}; choose another place."
        ) from error
    check_folder(path, path)

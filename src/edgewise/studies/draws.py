"""Making many draws: in parallel, resumable, and the same whoever makes them."""

from __future__ import annotations

import time
import zipfile
import zlib
from collections.abc import Callable, Sequence
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from edgewise._atomic import atomic_path
from edgewise._types import AnyArray
from edgewise._version import __version__
from edgewise.errors import ParameterError
from edgewise.studies.study import Cell, Measured, generator

if TYPE_CHECKING:
    from edgewise.studies.study import Study

SECONDS = "seconds"


def make_draws(
    study: Study,
    cells: Sequence[Cell],
    folder: Path,
    *,
    seed: int,
    n_jobs: int,
    tell: Callable[[int], None] = lambda draws: None,
) -> tuple[list[tuple[Cell, dict[str, AnyArray]]], bool]:
    """Every draw of every cell, and whether any was there already and not made again.

    A draw has a generator of random numbers of its own and one BLAS thread, so that the numbers do
    not depend on the number of workers, on the order, or on where a run was broken off.
    """
    from joblib import Parallel, delayed

    folder.mkdir(parents=True, exist_ok=True)
    units = [
        (cell, start, min(start + cell.together, cell.n_draws))
        for cell in cells
        for start in range(0, cell.n_draws, cell.together)
    ]
    missing = []
    for cell, start, stop in units:
        if _read(_place(folder, study, cell, seed, start, stop)) is None:
            missing.append((cell, start, stop))
        else:
            tell(stop - start)
    work = Parallel(n_jobs=n_jobs, backend="loky", return_as="generator_unordered", batch_size=1)
    for draws in work(
        delayed(_make_unit)(study, cell, folder, seed, start, stop) for cell, start, stop in missing
    ):
        tell(draws)
    collected = [(cell, _collected(study, cell, folder, seed)) for cell in cells]
    return collected, len(missing) < len(units)


def worker_count(n_jobs: int | None) -> int:
    """Processes to use; one for each core where none are asked for."""
    if n_jobs is None or n_jobs == -1:
        from joblib import cpu_count

        return int(cpu_count())
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs < 1:
        raise ParameterError(
            f"n_jobs: expected a number of processes from 1 on, or -1 for one a core, got "
            f"{n_jobs!r}."
        )
    return int(n_jobs)


def _make_unit(study: Study, cell: Cell, folder: Path, seed: int, start: int, stop: int) -> int:
    from threadpoolctl import threadpool_limits

    key = cell.key(study.name)
    made: list[Measured] = []
    with threadpool_limits(limits=1):
        for draw in range(start, stop):
            began = time.perf_counter()
            measured = study.measure(cell.parameters, generator(seed, key, draw))
            spent = np.asarray(time.perf_counter() - began)
            made.append({**measured, SECONDS: spent})
    stacked = {name: np.stack([one[name] for one in made]) for name in made[0]}
    place = _place(folder, study, cell, seed, start, stop)
    with atomic_path(place) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, **stacked)  # type: ignore[arg-type]
    return stop - start


def _place(folder: Path, study: Study, cell: Cell, seed: int, start: int, stop: int) -> Path:
    # Another version or revision may measure something else; its draws are not these.
    kind = f"{study.name}-{cell.key(study.name)}-{__version__}.{study.revision}"
    return folder / f"{kind}-{seed}-{start:05d}-{stop:05d}.npz"


def _collected(study: Study, cell: Cell, folder: Path, seed: int) -> dict[str, AnyArray]:
    parts = []
    for start in range(0, cell.n_draws, cell.together):
        stop = min(start + cell.together, cell.n_draws)
        part = _read(_place(folder, study, cell, seed, start, stop))
        if part is None:
            raise FileNotFoundError(f"the draws {start} to {stop} were removed from '{folder}'")
        parts.append(part)
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _read(path: Path) -> dict[str, AnyArray] | None:
    """The draws that a file holds; none where it is missing or cannot be read."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return dict(arrays)
    except (OSError, EOFError, ValueError, TypeError, KeyError, zipfile.BadZipFile, zlib.error):
        return None

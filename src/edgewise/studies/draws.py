"""Making many draws in parallel, so that a run can be resumed and gives the same numbers."""

from __future__ import annotations

import reprlib
import time
import zipfile
import zlib
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from edgewise._base.atomic import atomic_path
from edgewise._base.types import AnyArray
from edgewise._version import __version__
from edgewise.studies.study import Cell, Measured, generator
from edgewise.studies.workers import make_units

if TYPE_CHECKING:
    from edgewise.studies.study import Study

SECONDS = "seconds"


def make_draws(
    study: Study,
    cells: Sequence[Cell],
    folder: Path,
    *,
    seed: int,
    n_jobs: int = 1,
    client: Any = None,
    tell: Callable[[int], None] = lambda draws: None,
) -> tuple[list[tuple[Cell, dict[str, AnyArray]]], bool]:
    """Every draw of every cell, and whether any of them was already there.

    Each draw has its own generator of random numbers and one BLAS thread. So the numbers do not
    depend on the number of workers, on the order, or on where an earlier run was interrupted. The
    workers (processes here, or those of the cluster `client`) only measure. This process writes
    what they send as soon as it comes, because they may not see its files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    plan = [
        [
            _Unit(study, cell, seed, start, min(start + cell.together, cell.n_draws))
            for start in range(0, cell.n_draws, cell.together)
        ]
        for cell in cells
    ]
    units = [unit for of_cell in plan for unit in of_cell]
    missing = []
    for unit in units:
        if _read(unit.place(folder)) is None:
            missing.append(unit)
        else:
            tell(unit.stop - unit.start)
    with closing(make_units(missing, n_jobs, client)) as made:
        for number, draws in made:
            unit = missing[number]
            _write(unit.place(folder), draws)
            tell(unit.stop - unit.start)
    collected = [
        (cell, _collected(of_cell, folder)) for cell, of_cell in zip(cells, plan, strict=True)
    ]
    return collected, len(missing) < len(units)


@dataclass(frozen=True, eq=False)
class _Unit:
    """The draws of a cell that are made together and kept in one file."""

    study: Study
    cell: Cell
    seed: int
    start: int
    stop: int

    def __call__(self) -> dict[str, AnyArray]:
        key = self.cell.key(self.study.name)
        made: list[Measured] = []
        for draw in range(self.start, self.stop):
            # The time of this thread on a core, which a busy machine does not stretch.
            began = time.thread_time()
            try:
                measured = self.study.measure(self.cell.parameters, generator(self.seed, key, draw))
            except Exception as error:
                error.add_note(f"in draw {draw} of {self._setting()}")
                raise
            spent = np.asarray(time.thread_time() - began)
            made.append({**measured, SECONDS: spent})
        return {name: np.stack([one[name] for one in made]) for name in made[0]}

    def __str__(self) -> str:
        return f"draws {self.start} to {self.stop - 1} of {self._setting()}"

    def _setting(self) -> str:
        parameters = [f"{name} = {reprlib.repr(v)}" for name, v in self.cell.parameters.items()]
        return ", ".join([self.study.name, *parameters, f"seed {self.seed}"])

    def place(self, folder: Path) -> Path:
        # Another version or revision may measure something else, so its draws have other names.
        name = self.study.name
        kind = f"{name}-{self.cell.key(name)}-{__version__}.{self.study.revision}"
        return folder / f"{kind}-{self.seed}-{self.start:05d}-{self.stop:05d}.npz"


def _write(place: Path, draws: dict[str, AnyArray]) -> None:
    with atomic_path(place) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, **draws)  # type: ignore[arg-type]


def _collected(units: Sequence[_Unit], folder: Path) -> dict[str, AnyArray]:
    parts = []
    for unit in units:
        part = _read(unit.place(folder))
        if part is None:
            raise FileNotFoundError(f"the {unit} were removed from '{folder}'")
        parts.append(part)
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _read(path: Path) -> dict[str, AnyArray] | None:
    """The draws in a file; None if it is missing or cannot be read."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return dict(arrays)
    except (OSError, EOFError, ValueError, TypeError, KeyError, zipfile.BadZipFile, zlib.error):
        return None

"""Accumulating files so that a crash loses no work.

A checkpoint is a state, the position in the files, and the sizes and times of the files. It is
replaced atomically, so there is a complete one even if the process is killed. Reading continues
from that position: it reads no row twice and leaves none out. Files are cut into blocks that depend
on their rows alone, so the resumed state equals the uninterrupted one to the last bit.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

from edgewise._base.lock import locked
from edgewise._base.warn import warn
from edgewise.errors import CheckpointWarning, DataError, StateFileError
from edgewise.rows.opening import open_table
from edgewise.rows.readers.files import FileTable, Position
from edgewise.rows.table import Part
from edgewise.states.accumulate import read_into
from edgewise.states.file_format import read_state, write_state
from edgewise.states.row_state import RowState

S = TypeVar("S", bound=RowState)

# What older checkpoints say nothing about, because there was no other way.
_BEFORE = {"missing": ("raise", "drop"), "weights": (None,), "weight_kind": ("sampling",)}


def read_with_checkpoints(
    files: FileTable,
    state: S,
    checkpoint: str | os.PathLike[str],
    *,
    every: float = 60.0,
    resume: bool = False,
    missing: str = "raise",
    weights: str | None = None,
    weight_kind: str = "sampling",
    progress: Callable[[int], None] | None = None,
) -> tuple[S, int]:
    """Read all rows of files into a state; return it and how many rows were dropped.

    Parameters
    ----------
    files : FileTable
        The files.
    state : Moments, BatchMoments or ConcordanceMoments
        An empty state of the kind wanted.
    checkpoint : path
        Where to keep checkpoints.
    every : float
        Seconds between checkpoints.
    resume : bool
        Continue from the checkpoint if there is one. Without it, a checkpoint is never replaced.
    missing, weights, weight_kind : str
        What to do with missing values, and the column of weights, if any.
    progress : callable, optional
        Called with the number of rows of every block after it is read; the first call counts the
        rows that the checkpoint already has.
    """
    if not files.rescannable:
        raise DataError(
            "data: expected files with --checkpoint-every and --resume (checkpoint= in Python), "
            "got standard input, which cannot be read again."
        )
    # One process at a time: two would write over each other's rows.
    with locked(checkpoint):
        if not resume and Path(checkpoint).exists():
            raise DataError(
                f"checkpoint: '{os.fspath(checkpoint)}' is there already; continue it with "
                "--resume (resume=True in Python), or delete it to start anew."
            )
        how = {"missing": missing, "weights": weights, "weight_kind": weight_kind}
        return _read_on(files, state, checkpoint, every, how, progress)


def _read_on(
    files: FileTable,
    state: S,
    checkpoint: str | os.PathLike[str],
    every: float,
    how: dict[str, Any],
    progress: Callable[[int], None] | None,
) -> tuple[S, int]:
    """Read what the checkpoint does not have, or all rows if there is none."""
    start, dropped_before, rows = Position(0, 0), 0, 0
    facts = _facts(files, state, how)
    if Path(checkpoint).exists():
        state, start, dropped_before, rows = _restore(checkpoint, facts, files, type(state))
        if progress is not None:
            progress(rows)
    saved, warned = time.monotonic(), False

    def keep(so_far: S, part: Part) -> None:
        nonlocal saved, warned
        if time.monotonic() - saved >= every and part.so_far.position is not None:
            position = Position(*part.so_far.position)
            try:
                _save(checkpoint, so_far, position, dropped_before + part.n_dropped, facts)
            except DataError as error:
                if not warned:
                    _warn(checkpoint, every, error)
                warned = True
            saved = time.monotonic()

    left = open_table(files.starting_at(start), progress=progress, **how)
    state, n_dropped = read_into(state, left, after=keep)
    return state, dropped_before + n_dropped


def _warn(checkpoint: str | os.PathLike[str], every: float, error: DataError) -> None:
    """The rows that were read are not lost yet: a disk that is full now may have room later."""
    reason = getattr(error.__cause__, "strerror", None) or str(error)
    kept = "the one before it is kept" if Path(checkpoint).exists() else "there is none yet"
    warn(
        f"checkpoint: cannot write '{os.fspath(checkpoint)}': {reason}; {kept}. Reading goes on, "
        f"and the next one is tried in {every:g} s.",
        CheckpointWarning,
    )


def _facts(files: FileTable, state: RowState, how: dict[str, Any]) -> dict[str, Any]:
    """What must be the same when reading continues: the files, the columns, the kind of state."""
    stats = [os.stat(path) for path in files.paths]
    return {
        "files": [
            [os.path.abspath(path), stat.st_size, stat.st_mtime_ns]
            for path, stat in zip(files.paths, stats, strict=True)
        ],
        "columns": list(files.feature_names),
        "ways of reading": _ways(files),
        # As it was said before there were weights, so that checkpoints of then still fit.
        "drop_missing": how["missing"] == "drop",
        **{name: how[name] for name in how if how[name] not in _BEFORE[name]},
        "kind": state._contents().kind,
        "options": {
            key: value for key, value in state._contents().meta.items() if key != "batch_rows"
        },
    }


def _ways(files: FileTable) -> list[Any]:
    """How the files are read, as far as it decides what their rows are."""
    forms = [
        None
        if form is None
        else [form.encoding, form.sep, form.quote, form.decimal, form.skip, form.layout.n_cells]
        for form in files.forms()
    ]
    said = [str(getattr(files.reading, name)) for name in ("na_values", "header", "sheet")]
    return [said, forms]


def _save(
    path: str | os.PathLike[str],
    state: RowState,
    position: Position,
    n_dropped: int,
    facts: dict[str, Any],
) -> None:
    contents = state._contents()
    progress = {"position": list(position), "n_dropped": n_dropped, "facts": facts}
    write_state(
        path,
        replace(contents, kind="checkpoint", meta={**contents.meta, "progress": progress}),
    )


def _restore(
    path: str | os.PathLike[str], facts: dict[str, Any], files: FileTable, kind: type[S]
) -> tuple[S, Position, int, int]:
    contents = read_state(path, "checkpoint")
    progress: Any = contents.meta.get("progress")
    try:
        then = progress["facts"]
        if not isinstance(then.get("files"), list):
            raise TypeError(then)
        file, rows_of_file = progress["position"]
        n_dropped = progress["n_dropped"]
        if not all(type(n) is int and n >= 0 for n in (file, rows_of_file, n_dropped)):
            raise ValueError(progress)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise StateFileError(f"checkpoint '{os.fspath(path)}' is damaged; delete it.") from error
    if then != facts:
        raise StateFileError(
            f"checkpoint '{os.fspath(path)}' does not fit: {_difference(then, facts)}. Undo that, "
            "or delete the checkpoint to start again."
        )
    state = cast(S, kind._from_contents(contents))
    position, rows = Position(file, rows_of_file), state.n_samples + n_dropped
    # With weights, rows are there several times, or not at all.
    if not files.reaches(position, rows if facts.get("weights") is None else None):
        raise StateFileError(
            f"checkpoint '{os.fspath(path)}' is damaged: its {rows} rows do not end where it says; "
            "delete it."
        )
    return state, position, n_dropped, rows


def _difference(then: dict[str, Any], now: dict[str, Any]) -> str:
    """The first difference, in words."""
    was = {
        str(file[0]): file for file in then.get("files") or () if isinstance(file, list) and file
    }
    is_now = {str(file[0]): file for file in now["files"]}
    if list(was) != list(is_now):
        return "it was made for other files"
    for name, file in is_now.items():
        if was[name] != file:
            return f"file '{name}' has changed since (its size or time of modification)"
    changed = next((key for key in now if then.get(key) != now[key]), "options")
    return f"it was made with other {changed}"

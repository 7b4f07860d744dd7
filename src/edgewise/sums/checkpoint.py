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
from typing import Any, TypeVar

from edgewise._files import locked
from edgewise.errors import CheckpointWarning, DataError, StateFileError, warn
from edgewise.sums.accumulate import read_into
from edgewise.sums.moments import RowState
from edgewise.sums.save import read_state, write_state
from edgewise.tables.files import FileTable, Position
from edgewise.tables.formats import fingerprint
from edgewise.tables.open import as_table
from edgewise.tables.table import Partition

S = TypeVar("S", bound=RowState)


def read_with_checkpoints(
    files: FileTable,
    state: S,
    checkpoint: str | os.PathLike[str],
    *,
    every: float = 60.0,
    resume: bool = False,
    progress: Callable[[int], None] | None = None,
    missing: str = "auto",
    weights: str | None = None,
    weight_kind: str = "sampling",
) -> tuple[S, int]:
    """Read all rows of files into a state; return it and how many rows were dropped.

    `every` is in seconds; without `resume`, a checkpoint that is there is never replaced. `progress`
    is called with the rows of every block, first with those that the checkpoint has.
    """
    if not files.rescannable:
        raise DataError(
            "data: expected files with --checkpoint-every and --resume (checkpoint= in Python), "
            "got standard input, which cannot be read again."
        )
    # One process at a time: two would write over each other's rows.
    with locked(checkpoint):
        start, dropped_before = Position(0, 0), 0
        how: dict[str, Any] = {"missing": missing, "weights": weights, "weight_kind": weight_kind}
        facts = _facts(files, state, how)
        if Path(checkpoint).exists():
            if not resume:
                raise DataError(
                    f"checkpoint: '{os.fspath(checkpoint)}' is there already; continue it with "
                    "--resume (resume=True in Python), or delete it to start anew."
                )
            state, start, dropped_before = _restore(checkpoint, facts, files, type(state))
            if progress is not None:
                progress(state.n_samples + dropped_before)
        saved, warned = time.monotonic(), False

        def save_now_and_then(so_far: S, part: Partition) -> None:
            nonlocal saved, warned
            position = part.counts.position
            if position is None or time.monotonic() - saved < every:
                return
            contents = so_far._contents()
            now = {"position": list(position), "n_dropped": dropped_before + part.counts.n_dropped}
            meta = {**contents.meta, "progress": {**now, "facts": facts}}
            try:
                write_state(checkpoint, replace(contents, kind="checkpoint", meta=meta))
            except DataError as error:
                # No row is lost yet: a disk that is full now may have room later.
                if not warned:
                    reason = getattr(error.__cause__, "strerror", None) or str(error)
                    there = Path(checkpoint).exists()
                    warn(
                        f"checkpoint: cannot write '{os.fspath(checkpoint)}': {reason}; "
                        f"{'the one before it is kept' if there else 'there is none yet'}. "
                        f"Reading goes on, and the next one is tried in {every:g} s.",
                        CheckpointWarning,
                    )
                warned = True
            saved = time.monotonic()

        left = as_table(files.starting_at(start), progress=progress, **how)
        state, n_dropped = read_into(state, left, after=save_now_and_then)
    return state, dropped_before + n_dropped


def _facts(files: FileTable, state: RowState, how: dict[str, Any]) -> dict[str, Any]:
    """What must be the same when reading continues: the files, the columns, the kind of state."""
    forms = [
        form and [form.encoding, form.sep, form.quote, form.decimal, form.skip, form.n_cells]
        for form in files.forms()
    ]
    said = [str(getattr(files.reading, name)) for name in ("na_values", "header", "sheet")]
    contents = state._contents()
    return {
        "files": [
            [path if "://" in path else os.path.abspath(path), *fingerprint(path)]
            for path in files.paths
        ],
        "columns": list(files.feature_names),
        "ways of reading": [said, forms],
        **how,
        "kind": contents.kind,
        "options": {key: value for key, value in contents.meta.items() if key != "batch_rows"},
    }


def _restore(
    path: str | os.PathLike[str], facts: dict[str, Any], files: FileTable, kind: type[S]
) -> tuple[S, Position, int]:
    contents = read_state(path, "checkpoint")
    damaged = StateFileError(f"checkpoint '{os.fspath(path)}' is damaged; delete it.")
    progress: Any = contents.meta.get("progress")
    try:
        difference = _difference(progress["facts"], facts)
        (file, row), n_dropped = progress["position"], progress["n_dropped"]
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise damaged from error
    if not all(type(n) is int and n >= 0 for n in (file, row, n_dropped)):
        raise damaged
    if difference:
        raise StateFileError(
            f"checkpoint '{os.fspath(path)}' does not fit: {difference}. Undo that, or delete the "
            "checkpoint to start again."
        )
    state, position = kind._from_contents(contents), Position(file, row)
    rows = state.n_samples + n_dropped
    # With weights, rows are there several times, or not at all.
    if not files.reaches(position, rows if facts.get("weights") is None else None):
        raise damaged
    return state, position, n_dropped


def _difference(then: dict[str, Any], now: dict[str, Any]) -> str:
    """The first difference, in words; empty if there is none."""
    if [file[0] for file in then["files"]] != [file[0] for file in now["files"]]:
        return "it was made for other files"
    for before, file in zip(then["files"], now["files"], strict=True):
        if before != file:
            return (
                f"file '{file[0]}' has changed since (its size, time of modification or last bytes)"
            )
    changed = [key for key in (*now, *then) if then.get(key) != now.get(key)]
    return f"it was made with other {changed[0]}" if changed else ""

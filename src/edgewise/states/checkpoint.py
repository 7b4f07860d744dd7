"""Accumulating files so that nothing is lost when the machine is.

A checkpoint is a state together with how far reading has come and what the files looked like. It
is replaced atomically, so after a kill at any moment there is a whole one, and reading goes on from
just there: no row twice, none left out. Files are cut into blocks that depend on their rows alone,
so the resumed state equals the uninterrupted one to the last bit.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from edgewise.errors import NonFiniteError, StateFileError
from edgewise.rows.readers.files import FileSource, Position
from edgewise.rows.views import FiniteRows
from edgewise.states.batches import BatchMoments
from edgewise.states.file_format import read_state, write_state
from edgewise.states.first_pass import describe_nonfinite
from edgewise.states.moments import Moments

_KINDS: dict[str, type[Moments] | type[BatchMoments]] = {
    "moments": Moments,
    "batches": BatchMoments,
}


def accumulate_files(
    source: FileSource,
    state: Moments | BatchMoments,
    *,
    drop_missing: bool = False,
    checkpoint: str | os.PathLike[str] | None = None,
    every: float = 60.0,
    resume: bool = False,
    tell: Callable[[int], None] = lambda rows: None,
) -> tuple[Moments | BatchMoments, int]:
    """Read all rows of `source` into `state`; return it and how many rows were dropped.

    Parameters
    ----------
    source : FileSource
        The files.
    state : Moments or BatchMoments
        An empty state of the kind wanted.
    drop_missing : bool
        Leave out rows with missing values.
    checkpoint : path, optional
        Where to keep checkpoints; without it there are none.
    every : float
        Seconds between checkpoints.
    resume : bool
        Go on from the checkpoint where there is one.
    tell : callable
        Told the number of rows of every batch that was read.
    """
    complete = FiniteRows(source)
    start = Position(0, 0)
    facts = {} if checkpoint is None else _facts(source, state, drop_missing)
    if resume and checkpoint is not None and Path(checkpoint).exists():
        state, start, complete.n_dropped, rows = _restore(checkpoint, facts, source)
        tell(rows)
    saved = time.monotonic()
    try:
        for position, batch in source.positioned_batches(start):
            state.update(complete.keep(batch) if drop_missing else batch)
            tell(batch.shape[0])
            if checkpoint is not None and time.monotonic() - saved >= every:
                _save(checkpoint, state, position, complete.n_dropped, facts)
                saved = time.monotonic()
    except NonFiniteError as error:
        raise describe_nonfinite(error, source) from error
    return state, complete.n_dropped


def _facts(source: FileSource, state: Moments | BatchMoments, drop_missing: bool) -> dict[str, Any]:
    """What must be the same when work goes on: the files, the columns, the kind of state."""
    stats = [os.stat(path) for path in source.paths]
    return {
        "files": [
            [os.path.abspath(path), stat.st_size, stat.st_mtime_ns]
            for path, stat in zip(source.paths, stats, strict=True)
        ],
        "columns": list(source.feature_names),
        "drop_missing": drop_missing,
        "kind": state._contents().kind,
        "options": {
            key: value for key, value in state._contents().meta.items() if key != "batch_rows"
        },
    }


def _save(
    path: str | os.PathLike[str],
    state: Moments | BatchMoments,
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
    path: str | os.PathLike[str], facts: dict[str, Any], source: FileSource
) -> tuple[Moments | BatchMoments, Position, int, int]:
    contents = read_state(path, "checkpoint")
    progress: Any = contents.meta.get("progress")
    try:
        then = progress["facts"]
        if not isinstance(then.get("files"), list):
            raise TypeError(then)
        position = Position(*progress["position"])
        n_dropped = progress["n_dropped"]
        kind = _KINDS[then["kind"]]
        if not all(type(n) is int and n >= 0 for n in (*position, n_dropped)):
            raise ValueError(position)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise StateFileError(f"checkpoint '{os.fspath(path)}' is damaged; delete it.") from error
    if then != facts:
        raise StateFileError(
            f"checkpoint '{os.fspath(path)}' does not fit: {_difference(then, facts)}. Undo that, "
            "or delete the checkpoint to begin anew."
        )
    state = kind._from_contents(contents)
    rows = state.n_samples + n_dropped
    if not source.reaches(position, rows):
        raise StateFileError(
            f"checkpoint '{os.fspath(path)}' is damaged: its {rows} rows do not end where it says; "
            "delete it."
        )
    return state, position, n_dropped, rows


def _difference(then: dict[str, Any], now: dict[str, Any]) -> str:
    """The first thing that changed, in words."""
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

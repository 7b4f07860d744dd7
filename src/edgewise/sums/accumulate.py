"""The first pass: add all rows of a table to a state; of files with checkpoints.

A checkpoint is a state, the position in the files, and their sizes and times. Blocks depend on the
rows of the files alone, so the resumed state equals the uninterrupted one to the last bit.
"""

from __future__ import annotations

import operator
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from edgewise._files import locked
from edgewise._linalg import AnyArray, FloatArray
from edgewise._text import listed
from edgewise.errors import CheckpointWarning, DataError, NonFiniteError, StateFileError, warn
from edgewise.sums.batches import BatchedState, batch_length
from edgewise.sums.save import RowState, RowSums, read_state, write_state
from edgewise.tables.arrays import as_rows
from edgewise.tables.files import FileTable, Position
from edgewise.tables.first_look import FirstLook, FirstLookBuilder
from edgewise.tables.formats import fingerprint
from edgewise.tables.open import as_table
from edgewise.tables.table import (
    ColumnBlock,
    Partition,
    Table,
    nonfinite_counts,
    nonfinite_message,
)

S = TypeVar("S", bound=RowSums)
R = TypeVar("R", bound=RowState)
# More batches than any table has, so that a part never merges its own.
_NEVER_DOUBLE = 1 << 62


def read_into(
    state: S, table: Table, *, after: Callable[[S, Partition], None] | None = None
) -> tuple[S, int]:
    """Add all rows of a table to what a state has seen, in one pass; count those left out."""
    return first_pass(state, table, after=after, look=False)[:2]


def first_pass(
    state: S,
    table: Table,
    *,
    after: Callable[[S, Partition], None] | None = None,
    look: bool = True,
    in_order: bool = True,
    describe: bool = True,
) -> tuple[S, int, FirstLook]:
    """The same, with a first look at the rows that is taken in the same pass.

    Batches that need not be `in_order` may end where a part of the table ends. To `describe`
    missing values, all of them are counted.
    """
    state = state.copy()
    names = table.feature_names
    if table.named and state.feature_names is None and not state.n_samples:
        state.feature_names = names
    parts = table.partition_rows()
    several = parts is None or len(parts) > 1
    try:
        if not (several and in_order and isinstance(state, BatchedState)):
            if isinstance(state, BatchedState) and not (state.n_samples or several) and parts:
                state._expect(parts[0] or 0, len(names))
            return table.reduce(partial(_taken, state=state, after=after, look=look), _merged)
        # Batches cross the ends of parts, as they would in a single stream.
        starts = np.concatenate([[0], np.cumsum(_rows_of_parts(table))]).astype(np.int64)
        kind, length = type(state), batch_length(int(starts[-1]), state._batches_of(len(names)))
        one_pass = partial(_segment_of, kind=kind, starts=starts, length=length, look=look)
        segment, n_dropped, first_look = table.reduce(one_pass, _merged)
        later = segment.state(kind, state.requested, length)
        later.feature_names = names if table.named else None
        return cast("tuple[S, int, FirstLook]", (state + later, n_dropped, first_look))
    except NonFiniteError as error:
        if not describe or not table.rescannable:
            raise
        # With column names, and the counts of all rows.
        found = table.reduce(_nonfinite_in, operator.add)
        if not found:
            raise  # the data changed; report what this block showed
        counts = np.sum([part for _, part in found], axis=0)
        where = listed([name for name, _ in found if name])
        message = nonfinite_message(counts, names)
        raise NonFiniteError(f"{where}: {message}" if where else message, counts) from error


def _taken(
    part: Partition, state: S, after: Callable[[S, Partition], None] | None, look: bool
) -> tuple[S, int, FirstLook]:
    """A state of the rows of a part; the first continues from the rows seen before."""
    mine = state.copy() if part.number == 0 else state._empty()
    # The first part of a table that is read here has no number.
    number = part.number if part.where or part.number else None
    builder = FirstLookBuilder(len(part.feature_names), mine._column_scatter, number)
    for block in builder.watch(part) if look else part.blocks():
        if block.shape[0]:
            # A table has one order of columns, whatever names its blocks carry.
            mine.add(block if isinstance(block, ColumnBlock) else as_rows(block))
        if after is not None:
            after(mine, part)
    return mine, part.counts.n_dropped, builder.first_look


def _merged(
    a: tuple[Any, int, FirstLook], b: tuple[Any, int, FirstLook]
) -> tuple[Any, int, FirstLook]:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@dataclass(frozen=True, eq=False, slots=True)
class BatchSegment:
    """Consecutive batches of a part of a table; the first and the last may be incomplete."""

    first: int
    sums: Any

    def __add__(self, later: BatchSegment) -> BatchSegment:
        """The batches of both; a batch that is split between the two is joined."""
        if later.sums is None or self.sums is None:
            return later if self.sums is None else self
        if later.first == self.first + len(self.sums):
            return BatchSegment(self.first, self.sums.then(later.sums))
        shared = self.sums[-1:].then(later.sums[:1]).paired()
        return BatchSegment(self.first, self.sums[:-1].then(shared, later.sums[1:]))

    def state(
        self, kind: type[BatchedState[Any]], n_batches: int | None, length: int
    ) -> BatchedState[Any]:
        """The state of a whole table, as if its rows had come one after the other."""
        state = kind(n_batches, batch_rows=length)
        if self.sums is not None:
            full = int(self.sums.n.sum()) // length
            rest = self.sums[full:] if full < len(self.sums) else None
            state._set(self.sums[:full] if full else None, rest)
        return state


def _segment_of(
    part: Partition, kind: type[BatchedState[Any]], starts: AnyArray, length: int, look: bool
) -> tuple[BatchSegment, int, FirstLook]:
    start, stop = int(starts[part.number]), int(starts[part.number + 1])
    # The rest of a batch that began in the part before, and the batches after it.
    head, body = (kind(_NEVER_DOUBLE, batch_rows=length) for _ in range(2))
    missing = -start % length  # until the next batch begins

    def scatter() -> FloatArray:
        return sum((one._column_scatter() for one in (head, body) if one.n_samples), np.zeros(1))

    # A part on a cluster is searched whole: few rows come before it, to tell what is usual.
    number = part.number if part.where or part.number else None
    builder = FirstLookBuilder(len(part.feature_names), None if part.where else scatter, number)
    for block in builder.watch(part) if look else part.blocks():
        head.update(block[:missing])
        body.update(block[missing:])
        missing = max(0, missing - block.shape[0])
    n = head.n_samples + body.n_samples
    if n != stop - start:
        raise DataError(
            f"{part.where}: expected {stop - start} rows, got {n}; the data changed while they "
            "were read. Pass rows that stay the same: files, or what was persisted or cached."
        )
    sums = [one._closed() for one in (head, body) if one.n_samples]
    segment = BatchSegment(start // length, sums[0].then(*sums[1:]) if sums else None)
    return segment, part.counts.n_dropped, builder.first_look


def _rows_of_parts(table: Table) -> list[int]:
    """Rows of each part, counted in an extra pass if some are unknown."""
    parts = table.partition_rows() or [None]
    known = [rows for rows in parts if rows is not None]
    if len(known) == len(parts):
        return known
    counted = dict(table.reduce(_count, operator.add))
    return [counted.get(number, 0) for number in range(1 + max(counted))]


def _count(part: Partition) -> list[tuple[int, int]]:
    return [(part.number, sum(block.shape[0] for block in part.blocks()))]


def _nonfinite_in(part: Partition) -> list[tuple[str, AnyArray]]:
    """The name of the part and the missing values of its columns; empty if none are missing."""
    counts = np.zeros(len(part.feature_names), dtype=np.int64)
    for block in part.blocks():
        counts += nonfinite_counts(block)
    return [(part.where, counts)] if counts.any() else []


# Checkpoints ----------------------------------------------------------------------------------


def read_with_checkpoints(
    files: FileTable,
    state: R,
    checkpoint: str | os.PathLike[str],
    *,
    every: float = 60.0,
    resume: bool = False,
    progress: Callable[[int], None] | None = None,
    missing: str = "auto",
    weights: str | None = None,
) -> tuple[R, int]:
    """Read all rows of files into a state; return it and how many rows were dropped.

    A checkpoint comes `every` so many seconds; `progress` is called with the rows of every block.
    """
    if not files.rescannable:
        raise DataError(
            "data: expected files with --checkpoint-every and --resume (checkpoint= in Python), "
            "got standard input, which cannot be read again."
        )
    # One process at a time: two would write over each other's rows.
    with locked(checkpoint):
        left, dropped_before = files, 0
        how: dict[str, Any] = {"missing": missing, "weights": weights}
        facts = _facts(files, state, how)
        if Path(checkpoint).exists():
            if not resume:
                raise DataError(
                    f"checkpoint: '{os.fspath(checkpoint)}' is there already; continue it with "
                    "--resume (resume=True in Python), or delete it to start anew."
                )
            state, start, dropped_before = _restore(checkpoint, facts, files, type(state))
            left = files.starting_at(start)
            if progress is not None:
                progress(state.n_samples + dropped_before)
        saved, warned = time.monotonic(), False

        def save_now_and_then(so_far: R, part: Partition) -> None:
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
                    warn(
                        f"checkpoint: cannot write '{os.fspath(checkpoint)}': {reason}; what was "
                        f"written before is kept. Reading goes on, and the next one is tried in "
                        f"{every:g} s.",
                        CheckpointWarning,
                    )
                warned = True
            saved = time.monotonic()

        table = as_table(left, progress=progress, **how)
        state, n_dropped = read_into(state, table, after=save_now_and_then)
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
    path: str | os.PathLike[str], facts: dict[str, Any], files: FileTable, kind: type[R]
) -> tuple[R, Position, int]:
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
    if file >= len(files.paths):
        raise damaged
    return kind._from_contents(contents), Position(file, row), n_dropped


def _difference(then: dict[str, Any], now: dict[str, Any]) -> str:
    if [file[0] for file in then["files"]] != [file[0] for file in now["files"]]:
        return "it was made for other files"
    for before, file in zip(then["files"], now["files"], strict=True):
        if before != file:
            return (
                f"file '{file[0]}' has changed since (its size, time of modification or last bytes)"
            )
    changed = [key for key in (*now, *then) if then.get(key) != now.get(key)]
    return f"it was made with other {changed[0]}" if changed else ""

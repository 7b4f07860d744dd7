"""The first pass: add all rows of a table to a state."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar, cast

import numpy as np

from edgewise._linalg import AnyArray, FloatArray
from edgewise._text import listed
from edgewise.errors import DataError, NonFiniteError
from edgewise.sums.batches import BatchedState, batch_length
from edgewise.sums.clusters import ClusterMoments
from edgewise.sums.moments import RowState
from edgewise.tables.first_look import FirstLook, FirstLookBuilder
from edgewise.tables.table import (
    ColumnBlock,
    Partition,
    Rows,
    Table,
    nonfinite_counts,
    nonfinite_message,
)

B = TypeVar("B", bound=BatchedState[Any])

# More batches than any table has, so that a part never merges its own.
_NEVER_DOUBLE = 1 << 62


@dataclass(frozen=True, eq=False, slots=True)
class BatchSegment:
    """Consecutive batches; the first and the last may be incomplete."""

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


class SegmentMaker:
    """Puts rows into batches of `length` rows."""

    def __init__(self, kind: type[BatchedState[Any]], start: int, length: int) -> None:
        # The rest of a batch that began in the part before, and the batches after it.
        self._head, self._body = (kind(_NEVER_DOUBLE, batch_rows=length) for _ in range(2))
        self._start, self._length = start, length

    def column_scatter(self) -> FloatArray:
        """Σ (x − mean)² of each column, nearly."""
        return sum((state._column_scatter() for state in self._seen()), np.zeros(1))

    def segment(self, rows: Iterator[Rows]) -> BatchSegment:
        """The batches of all these rows."""
        missing = -self._start % self._length  # until the next batch begins
        for block in rows:
            self._head.update(block[:missing])
            self._body.update(block[missing:])
            missing = max(0, missing - block.shape[0])
        parts = [state._closed() for state in self._seen()]
        return BatchSegment(
            self._start // self._length, parts[0].then(*parts[1:]) if parts else None
        )

    def _seen(self) -> list[BatchedState[Any]]:
        return [state for state in (self._head, self._body) if state.n_samples]


def state_of_segment(kind: type[B], segment: BatchSegment, n_batches: int | None, length: int) -> B:
    """The state of a whole table, as if its rows had come one after the other."""
    state = kind(n_batches, batch_rows=length)
    if segment.sums is not None:
        full = int(segment.sums.n.sum()) // length
        state._batches = segment.sums[:full] if full else None
        state._open = segment.sums[full:] if full < len(segment.sums) else None
    return state


S = TypeVar("S", bound=RowState | ClusterMoments)


def read_into(
    state: S, table: Table, *, after: Callable[[S, Partition], None] | None = None
) -> tuple[S, int]:
    """Add all rows of a table to what a state has seen, in one pass."""
    return _read(state, table, after=after)[:2]


def first_pass(
    state: S, table: Table, *, in_order: bool = True, describe: bool = True
) -> tuple[S, int, FirstLook]:
    """The same, with a first look at the rows that is taken in the same pass.

    Batches that need not be `in_order` may end where a part of the table ends, which saves counting
    the rows of each part first. To `describe` missing values, all of them are counted.
    """
    return _read(state, table, look=True, in_order=in_order, describe=describe)


def _read(
    state: S,
    table: Table,
    *,
    after: Callable[[S, Partition], None] | None = None,
    look: bool = False,
    in_order: bool = True,
    describe: bool = True,
) -> tuple[S, int, FirstLook]:
    state = cast(S, state.copy())
    if table.named and state.feature_names is None and not state.n_samples:
        state.feature_names = table.feature_names
    parts = table.partition_rows()
    try:
        if in_order and isinstance(state, BatchedState) and (parts is None or len(parts) > 1):
            return cast(tuple[S, int, FirstLook], _batches_over_parts(table, state, look))
        if isinstance(state, BatchedState) and not state.n_samples and parts and len(parts) == 1:
            state._expect(parts[0] or 0, len(table.feature_names))
        return table.reduce(partial(_taken, state=state, after=after, look=look), _merged)
    except NonFiniteError as error:
        if not describe:
            raise
        raise _described(table, error) from error


def _taken(
    part: Partition, state: S, after: Callable[[S, Partition], None] | None, look: bool
) -> tuple[S, int, FirstLook]:
    """A state of the rows of a part; the first part continues from the rows seen before."""
    mine = cast(S, state.copy() if part.number == 0 else state._empty())
    builder = FirstLookBuilder(len(part.feature_names), mine._column_scatter, _place(part))
    for block in builder.watch(part.blocks()) if look else part.blocks():
        # A table has one order of columns, whatever names its blocks carry.
        mine.update(block if isinstance(block, ColumnBlock) else np.asarray(block))
        if after is not None:
            after(mine, part)
    return mine, part.counts.n_dropped, _first_look(builder, part)


def _first_look(builder: FirstLookBuilder, part: Partition) -> FirstLook:
    """What was seen of a part, and what the rows that were left out lack."""
    missing = part.counts.missing
    if missing is None:
        return builder.first_look
    # Labels and weights that were read along are no variables.
    return replace(builder.first_look, missing=missing[:, : len(part.feature_names)])


def _place(part: Partition) -> int | None:
    """Its number among the parts of a table; None for the first of a table that is read here."""
    return part.number if part.where or part.number else None


def _merged(
    a: tuple[Any, int, FirstLook], b: tuple[Any, int, FirstLook]
) -> tuple[Any, int, FirstLook]:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _batches_over_parts(
    table: Table, state: BatchedState[Any], look: bool
) -> tuple[BatchedState[Any], int, FirstLook]:
    """Batches that cross the ends of parts, as they would in a single stream."""
    starts = np.concatenate([[0], np.cumsum(_rows_of_parts(table))]).astype(np.int64)
    n_batches = state._batches_of(len(table.feature_names))
    length = batch_length(int(starts[-1]), n_batches)
    one_pass = partial(_segment_of, kind=type(state), starts=starts, length=length, look=look)
    segment, n_dropped, first_look = table.reduce(one_pass, _merged)
    later = state_of_segment(type(state), segment, state.requested, length)
    later.feature_names = table.feature_names if table.named else None
    return state + later, n_dropped, first_look


def _rows_of_parts(table: Table) -> list[int]:
    """Rows of each part, counted in an extra pass if some are unknown."""
    parts = table.partition_rows() or [None]
    known = [rows for rows in parts if rows is not None]
    if len(known) == len(parts):
        return known
    counts: list[tuple[int, int]] = table.reduce(_count, operator.add)
    counted = dict(counts)
    return [counted.get(number, 0) for number in range(1 + max(counted))]


def _count(part: Partition) -> list[tuple[int, int]]:
    return [(part.number, sum(block.shape[0] for block in part.blocks()))]


def _segment_of(
    part: Partition, kind: type[BatchedState[Any]], starts: AnyArray, length: int, look: bool
) -> tuple[BatchSegment, int, FirstLook]:
    start, stop = int(starts[part.number]), int(starts[part.number + 1])
    maker = SegmentMaker(kind, start, length)
    # A part on a cluster is searched whole: few rows come before it, to tell what is usual.
    scatter = None if part.where else maker.column_scatter
    builder = FirstLookBuilder(len(part.feature_names), scatter, _place(part))
    segment = maker.segment(builder.watch(part.blocks()) if look else part.blocks())
    n = 0 if segment.sums is None else int(segment.sums.n.sum())
    if n != stop - start:
        raise DataError(
            f"{part.where}: expected {stop - start} rows, got {n}; the data changed while they "
            "were read. Pass rows that stay the same: files, or what was persisted or cached."
        )
    return segment, part.counts.n_dropped, _first_look(builder, part)


def _described(table: Table, error: NonFiniteError) -> NonFiniteError:
    """The error of one block, with column names and, if possible, the counts of all rows."""
    counts, where = error.counts, ""
    if table.rescannable:
        found = table.reduce(_nonfinite_in, operator.add)
        if not found:
            return error  # the data changed; report what this block showed
        counts = np.sum([part for _, part in found], axis=0)
        names = [name for name, _ in found if name]
        where = f"{listed(names)}: " if names else ""
    return NonFiniteError(where + nonfinite_message(counts, table.feature_names), counts)


def _nonfinite_in(part: Partition) -> list[tuple[str, AnyArray]]:
    """The name of the part and the missing values of its columns; empty if none are missing."""
    counts = np.zeros(len(part.feature_names), dtype=np.int64)
    for block in part.blocks():
        counts += nonfinite_counts(block)
    return [(part.where, counts)] if counts.any() else []

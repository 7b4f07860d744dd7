"""Batches cut at row numbers of the whole table, from parts with a known first row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.rows.block import Rows
from edgewise.states.batched import BatchedState

B = TypeVar("B", bound=BatchedState[Any])

# More batches than any table has, so that a part never merges its own.
_NEVER_DOUBLE = 1 << 62


@dataclass(frozen=True, eq=False, slots=True)
class BatchSegment:
    """Consecutive batches; the first and the last may be incomplete.

    Attributes
    ----------
    first : int
        The number of the first batch among those of the whole table.
    sums : stacked sums or None
        One entry for each batch; None where there are no rows.
    """

    first: int
    sums: Any

    def __add__(self, later: BatchSegment) -> BatchSegment:
        """The batches of both; a batch that is split between the two is joined."""
        if later.sums is None or self.sums is None:
            return later if self.sums is None else self
        if later.first == self.first + len(self.sums):
            return BatchSegment(self.first, self.sums.then(later.sums))
        shared = self.sums[-1:].then(later.sums[:1]).paired()
        return BatchSegment(self.first, self.sums[:-1].then(shared).then(later.sums[1:]))


class SegmentMaker:
    """Puts rows into batches of `length` rows.

    Parameters
    ----------
    kind : type
        The kind of the state.
    start : int
        The number of the first row in the whole table.
    length : int
        Rows of a batch.
    """

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


def state_of_segment(kind: type[B], segment: BatchSegment, n_batches: int, length: int) -> B:
    """The state of a whole table, as if its rows had come one after the other."""
    state = kind(n_batches, batch_rows=length)
    if segment.sums is not None:
        full = int(segment.sums.n.sum()) // length
        state._batches = segment.sums[:full] if full else None
        state._open = segment.sums[full:] if full < len(segment.sums) else None
    return state

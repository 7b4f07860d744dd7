"""Rows in partitions on other machines, and what every engine does with them."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self, TypeVar

import numpy as np

from edgewise._base.types import AnyArray
from edgewise.errors import DataError, NonFiniteError
from edgewise.rows.clusters.partition_task import Part, PartWork
from edgewise.rows.passes import DistantRows, Pass, Sums
from edgewise.rows.table import Source
from edgewise.rows.views import FiniteRows, WatchedRows
from edgewise.states.batches import BatchMoments
from edgewise.states.first_pass import describe_nonfinite, take_rows
from edgewise.states.moments import Moments
from edgewise.states.partition_batches import (
    BatchSegment,
    batch_length,
    segment_of,
    state_of_segment,
)

T = TypeVar("T")

_KEEP = "Pass rows that stay the same: files, or what was persisted or cached."


class PartitionedSource(ABC):
    """Named columns of rows that lie in partitions elsewhere.

    Attributes
    ----------
    feature_names : tuple of str
    named : bool
        Whether the names came with the data.
    n_dropped : int
        Rows left out so far for want of a finite number in every column.
    """

    # For whoever wants more than a test: the rows are not here.
    rescannable = False

    def __init__(self, feature_names: Sequence[str], *, named: bool) -> None:
        self.feature_names = tuple(feature_names)
        self.named = named
        self.drop_missing = False
        self.n_dropped = 0

    @abstractmethod
    def reduced(self, work: PartWork[T], merge: Callable[[T, T], T]) -> T:
        """What the work makes of every partition, merged in their order in a fixed shape."""

    def known_rows(self) -> Sequence[int] | None:
        """Rows of every partition, where that is known without reading them."""
        return None

    def without_missing(self) -> Self:
        """The same source, leaving out rows with missing or infinite values."""
        dropping = copy.copy(self)
        dropping.drop_missing = True
        return dropping

    def accumulate(self, *, order: int = 4, n_batches: int | None = None) -> Moments | BatchMoments:
        """A state of all rows, from one of each partition."""
        state: Moments | BatchMoments
        if n_batches is None:
            Moments(order=order)  # a wrong one is refused here, not by a worker
            counted = self._over_parts(partial(_moments_of, order=order), _add_counted)
            state, self.n_dropped = counted.value, counted.n_dropped
        else:
            state = self._batches(n_batches)
        state.feature_names = self.feature_names if self.named else None
        return state

    def added_to(self, state: Moments | BatchMoments) -> Moments | BatchMoments:
        """A state of what another one has seen and of these rows, which follow."""
        if isinstance(state, BatchMoments):
            later = self.accumulate(n_batches=state.n_batches)
        else:
            later = self.accumulate(order=state.order)
        return state + later  # type: ignore[operator]

    def rows(self, n_samples: int) -> DistantRows:
        """The same rows again, for passes after the first, which saw so many."""
        return _PartitionedRows(self, n_samples)

    def _batches(self, n_batches: int) -> BatchMoments:
        """Batches that run over the ends of partitions, as they would in a single stream."""
        checked = BatchMoments(n_batches)
        rows = None if self.drop_missing else self.known_rows()
        if rows is None:
            rows = self._counted_rows()
        starts = np.concatenate([[0], np.cumsum(rows)]).astype(np.int64)
        length = batch_length(int(starts[-1]), checked.n_batches)
        segment = self._over_parts(partial(_segment_of, starts=starts, length=length), _add)
        return state_of_segment(segment, n_batches, length)

    def _counted_rows(self) -> Sequence[int]:
        counted = self._over_parts(_count_rows, _add_counted)
        self.n_dropped = counted.n_dropped
        rows = [0] * (1 + max(number for number, _ in counted.value))
        for number, count in counted.value:
            rows[number] = count
        return rows

    def _over_parts(self, work: Callable[[Part], T], merge: Callable[[T, T], T]) -> T:
        names = self.feature_names if self.named else None
        whole = PartWork(work, len(self.feature_names), names, self.drop_missing)
        return self.reduced(whole, merge)


@dataclass(frozen=True, eq=False)
class _PartitionedRows(DistantRows):
    source: PartitionedSource
    n_samples: int

    def summed(self, one_pass: Pass) -> Sums:
        n, sums = self.source._over_parts(partial(_sums_of, one_pass=one_pass), _add_sums)
        if n != self.n_samples:
            raise DataError(
                f"data: the first pass read {self.n_samples} rows, a later one {n}; the data "
                f"changed in between. {_KEEP}"
            )
        return sums


@dataclass(frozen=True, eq=False)
class _Counted:
    """What was made of the rows, and how many were left out of it."""

    value: Any
    n_dropped: int


def _dropped(source: Source) -> int:
    return source.n_dropped if isinstance(source, FiniteRows) else 0


def _moments_of(part: Part, order: int) -> _Counted:
    state = Moments(order=order)
    take_rows(state, part.source)
    return _Counted(state, _dropped(part.source))


def _add_counted(a: _Counted, b: _Counted) -> _Counted:
    return _Counted(a.value + b.value, a.n_dropped + b.n_dropped)


def _count_rows(part: Part) -> _Counted:
    rows = sum(batch.shape[0] for batch in part.source.batches())
    return _Counted([(part.number, rows)], _dropped(part.source))


def _add(a: Any, b: Any) -> Any:
    return a + b


def _segment_of(part: Part, starts: AnyArray, length: int) -> BatchSegment:
    start, stop = int(starts[part.number]), int(starts[part.number + 1])
    tally = _Tally()
    try:
        segment = segment_of(WatchedRows(part.source, tally).batches(), start, length)
    except NonFiniteError as error:
        raise describe_nonfinite(error, part.source) from error
    if tally.rows != stop - start:
        raise DataError(
            f"{part.where}: expected {stop - start} rows, got {tally.rows}; the data changed while "
            f"they were read. {_KEEP}"
        )
    return segment


def _sums_of(part: Part, one_pass: Pass) -> tuple[int, Sums]:
    tally = _Tally()
    sums = one_pass(WatchedRows(part.source, tally).batches())
    return tally.rows, sums


def _add_sums(a: tuple[int, Sums], b: tuple[int, Sums]) -> tuple[int, Sums]:
    return a[0] + b[0], tuple(left + right for left, right in zip(a[1], b[1], strict=True))


class _Tally:
    """Counts the rows that went by."""

    def __init__(self) -> None:
        self.rows = 0

    def __call__(self, rows: int) -> None:
        self.rows += rows

"""Views of a table: other names, fewer columns or rows, a progress bar.

A view wraps any table, local or on a cluster, and changes each part before a pass reads it. The
change is sent to a cluster with the pass, so it is a function of a module, never the view itself.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, Self, TypeVar

import numpy as np

from edgewise._base.types import AnyArray, BoolArray, FloatArray
from edgewise.tables.block import ColumnBlock, Rows
from edgewise.tables.table import Part, SoFar, Table, known_total

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Through(Generic[T]):
    """A pass that changes a part before it reads it."""

    one_pass: Callable[[Part], T]
    change: Callable[[Part], Part]

    def __call__(self, part: Part) -> T:
        return self.one_pass(self.change(part))


class View:
    """A table that forwards the attributes of another one, and changes its parts."""

    def __init__(self, table: Table, change: Callable[[Part], Part]) -> None:
        self._table, self._change = table, change

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self._table.feature_names

    @property
    def named(self) -> bool:
        return self._table.named

    @property
    def n_rows(self) -> int | None:
        return self._table.n_rows

    @property
    def estimated_rows(self) -> int | None:
        return self._table.estimated_rows

    @property
    def rescannable(self) -> bool:
        return self._table.rescannable

    @property
    def in_memory(self) -> bool:
        return self._table.in_memory

    def part_rows(self) -> Sequence[int | None] | None:
        return self._table.part_rows()

    @property
    def below(self) -> Table:
        """The table that it wraps."""
        return self._table

    def over(self, table: Table) -> Self:
        """The same view of another table with the same columns."""
        changed = copy.copy(self)
        changed._table = table
        return changed

    def reduce(self, one_pass: Callable[[Part], T], merge: Callable[[T, T], T]) -> T:
        return self._table.reduce(_Through(one_pass, self._change), merge)


def is_seen_through(table: object, kind: type[View]) -> bool:
    """Whether a view of this kind is among those that a table is seen through."""
    while isinstance(table, View):
        if isinstance(table, kind):
            return True
        table = table.below
    return False


class RenamedColumns(View):
    """A table with other column names."""

    def __init__(self, table: Table, feature_names: tuple[str, ...]) -> None:
        super().__init__(table, partial(replace, feature_names=feature_names))
        self._names = feature_names

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self._names

    @property
    def named(self) -> bool:
        return True


class ChosenColumns(View):
    """Some columns of a table, in any order."""

    def __init__(self, table: Table, feature_names: tuple[str, ...]) -> None:
        place = {name: i for i, name in enumerate(table.feature_names)}
        places = [place[name] for name in feature_names]
        super().__init__(table, partial(_chosen, places=places, names=feature_names))
        self._names = feature_names

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self._names


def _chosen(part: Part, places: Sequence[int], names: tuple[str, ...]) -> Part:
    changed = part.through(partial(map, partial(columns_of, places=places)))
    return replace(changed, feature_names=names)


def columns_of(block: Rows, places: Sequence[int]) -> Rows:
    """Some columns of a block, in the order of their places."""
    if isinstance(block, ColumnBlock):
        return block.chosen(places)
    return np.asarray(block)[:, places]


class SomeRows(View):
    """Some rows of a table: how many is not known before they are read."""

    @property
    def n_rows(self) -> int | None:
        return None

    def part_rows(self) -> Sequence[int | None] | None:
        parts = self._table.part_rows()
        return None if parts is None else [None] * len(parts)


class FiniteRows(SomeRows):
    """The rows of a table that have a finite number in every column; a pass counts the others.

    The last `but_last` columns may lack values: weights, which are checked elsewhere.
    """

    def __init__(self, table: Table, *, but_last: int = 0) -> None:
        variables = len(table.feature_names) - but_last
        super().__init__(table, keeping(_keep, variables=variables))


def keeping(keep: Callable[..., Rows], **options: Any) -> Callable[[Part], Part]:
    """A change to parts: `keep` is given each block and what is counted, and returns some rows."""
    return partial(_through_keep, keep=partial(keep, **options))


def _through_keep(part: Part, keep: Callable[..., Rows]) -> Part:
    return part.through(partial(map, partial(keep, so_far=part.so_far)))


def _keep(block: Rows, variables: int, so_far: SoFar) -> Rows:
    """The complete rows of a block; the others are counted, with what they lack."""
    rows = np.asarray(block)
    finite = np.isfinite(rows[:, :variables])
    complete = finite.all(axis=1)
    if not complete.all():
        lacks = ~finite[~complete]
        alone = lacks[lacks.sum(axis=1) == 1]
        counts = np.stack([lacks.sum(axis=0), alone.sum(axis=0)])
        so_far.missing = counts if so_far.missing is None else so_far.missing + counts
    return kept(rows, complete, so_far)


def kept(rows: AnyArray, wanted: BoolArray, so_far: SoFar) -> AnyArray:
    """The wanted rows; the others are counted."""
    left_out = len(rows) - int(wanted.sum())
    so_far.n_dropped += left_out
    return rows[wanted] if left_out else rows


class RowsInside(SomeRows):
    """The rows whose values all lie in the intervals of their columns; a pass counts the others.

    `intervals`, of shape (p, 2), has the lowest and the highest value of each column.
    """

    def __init__(self, table: Table, intervals: FloatArray) -> None:
        super().__init__(table, keeping(_keep_inside, intervals=intervals))


def _keep_inside(block: Rows, intervals: FloatArray, so_far: SoFar) -> Rows:
    rows = np.asarray(block)
    inside = (rows >= intervals[:, 0]) & (rows <= intervals[:, 1])
    return kept(rows, np.asarray(inside.all(axis=1)), so_far)


class StridedRows(View):
    """Every `step`-th row of each part: a sample of the whole length, not of the head."""

    def __init__(self, table: Table, step: int) -> None:
        super().__init__(table, partial(_strided, step=step))
        self._step = step

    @property
    def n_rows(self) -> int | None:
        return known_total(self.part_rows())

    @property
    def estimated_rows(self) -> int | None:
        known = self._table.estimated_rows
        return None if known is None else -(-known // self._step)

    def part_rows(self) -> Sequence[int | None] | None:
        parts = self._table.part_rows()
        if parts is None:
            return None
        return [None if rows is None else -(-rows // self._step) for rows in parts]


def _strided(part: Part, step: int) -> Part:
    return part.through(partial(_every, step=step))


def _every(blocks: Iterator[Rows], step: int) -> Iterator[Rows]:
    skip = 0
    for block in blocks:
        yield np.asarray(block)[skip::step]
        skip = (skip - block.shape[0]) % step


class WatchedRows(View):
    """A table that tells a progress bar the rows of each block after it is processed.

    On a cluster it does not, which has its own progress bar.
    """

    def __init__(self, table: Table, tell: Callable[[int], None]) -> None:
        super().__init__(table, partial(_watched, tell=_HereOnly(tell)))


class _HereOnly:
    """A function of this process; sent to another process, it does nothing."""

    def __init__(self, function: Callable[[int], None] | None = None) -> None:
        self._function = function

    def __call__(self, rows: int) -> None:
        if self._function is not None:
            self._function(rows)

    def __reduce__(self) -> tuple[Any, ...]:
        return _HereOnly, ()


def _watched(part: Part, tell: Callable[[int], None]) -> Part:
    return part.through(partial(after_each, then=tell))


def after_each(blocks: Iterator[Rows], then: Callable[[int], None]) -> Iterator[Rows]:
    """The same blocks; `then` gets the rows of each when the reader asks for the next block."""
    for block in blocks:
        yield block
        then(block.shape[0])

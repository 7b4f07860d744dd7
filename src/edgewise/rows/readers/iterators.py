"""Batches that arrive one by one, from generators or queues."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from edgewise.errors import DataError
from edgewise.rows.block import Rows
from edgewise.rows.selection import column_places
from edgewise.rows.table import LocalTable
from edgewise.rows.views import columns_of

_NOTHING: Any = object()


class IteratorTable(LocalTable):
    """A Python iterator of batches: arrays, data frames or Arrow batches of the same columns.

    Parameters
    ----------
    batches : iterable
        The batches.
    opened : callable
        Makes a table of each.
    """

    rescannable = False

    def __init__(self, batches: Iterable[Any], opened: Callable[[Any], LocalTable]) -> None:
        # Once: some objects begin anew whenever they are asked for an iterator.
        left = map(_unpacked, iter(batches))
        first = next(left, _NOTHING)
        if first is _NOTHING:
            raise DataError("data: expected batches of rows, got an empty iterator.")
        first = opened(first)
        self.feature_names = first.feature_names
        self.named = first.named
        self._left: Iterator[LocalTable] | None = chain([first], map(opened, left))

    def blocks(self) -> Iterator[Rows]:
        if self._left is None:
            raise DataError("data: this iterator was read already; make a new one.")
        left, self._left = self._left, None
        for number, batch in enumerate(left):
            yield from self._in_order(batch, number)

    def _in_order(self, batch: LocalTable, number: int) -> Iterator[Rows]:
        """The blocks of a batch, their columns in the order of the first batch."""
        # Columns without names are matched by place, so only their number must be the same.
        by_name = self.named and batch.named
        if not by_name and len(batch.feature_names) == len(self.feature_names):
            return batch.blocks()
        places = column_places(
            self.feature_names,
            batch.feature_names,
            lambda difference: DataError(
                f"data: batch {number} differs from the first one: {difference}; all batches need "
                "the same columns."
            ),
        )
        if places is None:
            return batch.blocks()
        return (columns_of(block, places.tolist()) for block in batch.blocks())


def _unpacked(batch: Any) -> Any:
    """A batch of rows; a loader of PyTorch gives it in a list, alone or with what to predict."""
    if not isinstance(batch, list | tuple) or not batch:
        return batch
    shapes = [getattr(item, "shape", None) for item in batch]
    if shapes[0] is None or len(shapes[0]) != 2:
        return batch
    if len(batch) == 1:
        return batch[0]
    raise DataError(
        f"data: expected batches of rows, got batches of {len(batch)} values, as in (x, y); pass "
        "only the rows, (x for x, *_ in data)."
    )

"""Batches that arrive one by one, from generators or queues."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from edgewise.errors import DataError
from edgewise.rows.block import Rows
from edgewise.rows.selection import column_places
from edgewise.rows.table import LocalTable
from edgewise.rows.views import columns_of


class IteratorTable(LocalTable):
    """A Python iterator of batches: arrays, data frames or Arrow batches of the same columns.

    Parameters
    ----------
    batches : iterator
        The batches.
    opened : callable
        Makes a table of each.
    """

    rescannable = False

    def __init__(self, batches: Iterator[Any], opened: Callable[[Any], LocalTable]) -> None:
        try:
            first = opened(next(batches))
        except StopIteration:
            raise DataError("data: expected batches of rows, got an empty iterator.") from None
        self.feature_names = first.feature_names
        self.named = first.named
        self._left: Iterator[LocalTable] | None = chain([first], map(opened, batches))

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

"""Batches that come one by one: generators, consumers of queues."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import numpy as np

from edgewise._base.text import listed
from edgewise._base.types import AnyArray
from edgewise.errors import DataError
from edgewise.rows.block import Rows
from edgewise.rows.table import Source


class IteratorSource:
    """A Python iterator of batches: arrays, data frames or Arrow batches of the same columns."""

    rescannable = False
    in_memory = False

    def __init__(self, batches: Iterator[Any], as_source: Callable[[Any], Source]) -> None:
        self._as_source = as_source
        try:
            first = next(batches)
        except StopIteration:
            raise DataError("data: expected batches of rows, got an empty iterator.") from None
        opened = as_source(first)
        self.feature_names = opened.feature_names
        self.named = opened.named
        self._left: Iterator[Any] | None = chain([opened], batches)

    @property
    def n_rows(self) -> int | None:
        return None

    @property
    def estimated_rows(self) -> int | None:
        return None

    def batches(self) -> Iterator[Rows]:
        if self._left is None:
            raise DataError("data: this iterator was read already; make it anew.")
        left, self._left = self._left, None
        for number, item in enumerate(left):
            source = item if isinstance(item, Source) else self._as_source(item)
            order = self._order(source, number)
            for batch in source.batches():
                yield batch if order is None else np.asarray(batch)[:, order]

    def _order(self, source: Source, number: int) -> AnyArray | None:
        """How to bring a batch's columns into the order of the first batch."""
        if len(source.feature_names) != len(self.feature_names) or (
            self.named and source.named and set(source.feature_names) != set(self.feature_names)
        ):
            have, want = (listed([*map(repr, s.feature_names)]) for s in (source, self))
            raise DataError(
                f"data: batch {number} has the columns {have}, the first one {want}; all batches "
                "need the same columns."
            )
        if not (self.named and source.named) or source.feature_names == self.feature_names:
            return None
        return np.array([source.feature_names.index(name) for name in self.feature_names])

"""Objects in memory, or opened from a file, whose rows can be read from any place to any other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from edgewise._base.checks import check_known
from edgewise._base.types import FloatArray
from edgewise.rows.block import Rows
from edgewise.rows.labels import label_numbers
from edgewise.rows.selection import selected_names
from edgewise.rows.table import LocalTable, batch_rows


class RowSource(ABC):
    """What a new kind of object has to say of itself; `SlicedTable` makes a table of it."""

    names: tuple[str, ...]  # every column that can be a variable
    n_rows: int
    named: bool = True  # whether the names came with the object
    label_names: tuple[str, ...] = ()  # columns that only `groups` and `by` can name
    in_memory: bool = True  # whether another pass over the rows costs next to nothing

    @abstractmethod
    def choose(self, names: Sequence[str]) -> None:
        """Called once, with the variables that `rows` has to give; refuse those without numbers."""

    @abstractmethod
    def rows(self, start: int, stop: int) -> Rows:
        """Some consecutive rows of the chosen variables."""

    @abstractmethod
    def labels(self, name: str) -> Iterable[Any]:
        """A column of labels, or of numbers that serve as labels, one for each row."""


class SlicedTable(LocalTable):
    """A table of a `RowSource`, read a block of rows at a time."""

    rescannable = True

    def __init__(
        self,
        source: RowSource,
        *,
        columns: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        along: Sequence[str] = (),
    ) -> None:
        check_label_names("groups", along, source)
        # Labels beside the variables are left out anyway.
        names = (*source.names, *(n for n in source.label_names if n not in source.names))
        columns = source.names if columns is None else columns
        check_known("columns", columns, source.names, "X")
        self.feature_names = selected_names(names, columns, exclude, "X", along)
        self._source, self._along = source, tuple(along)
        source.choose(self.feature_names[: len(self.feature_names) - len(along)])
        self.named, self.in_memory = source.named, source.in_memory
        self._labels: list[FloatArray] | None = None

    @property
    def n_rows(self) -> int | None:
        return self._source.n_rows

    def entries(self) -> Sequence[int]:
        return range(max(self._source.n_rows, 1))

    def blocks(self) -> Iterator[Rows]:
        return self.blocks_from(0)

    def blocks_from(self, row: int) -> Iterator[Rows]:
        if self._labels is None:
            self._labels = [label_numbers(self._source.labels(name)) for name in self._along]
        step, n = batch_rows(len(self.feature_names)), self._source.n_rows
        for start in range(row, n, step):
            stop = min(start + step, n)
            block = self._source.rows(start, stop)
            if self._labels:
                labels = [column[start:stop] for column in self._labels]
                block = np.column_stack([np.asarray(block), *labels])
            yield block


def check_label_names(argument: str, names: Sequence[str], source: RowSource) -> None:
    """Refuse the name of a column of labels that a source does not have."""
    check_known(argument, names, tuple(dict.fromkeys((*source.label_names, *source.names))), "X")

"""What gives its rows only once: database cursors (DB-API 2), and iterators of batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from edgewise._checks import check_names
from edgewise.errors import DataError
from edgewise.tables.arrays import check_column, numeric_column
from edgewise.tables.options import columns_of, label_numbers
from edgewise.tables.table import (
    ColumnBlock,
    Rows,
    Table,
    batch_rows,
    column_places,
    select_columns,
)


class CursorTable(Table):
    """The rows of a query that a cursor or a result of SQLAlchemy holds; read only once."""

    named = True
    rescannable = False

    def __init__(self, cursor: Any, along: Sequence[str] = (), **chosen: Any) -> None:
        described = getattr(cursor, "description", None)
        if described is None and not hasattr(cursor, "keys"):
            raise DataError(
                "data: expected a cursor with the rows of a query, got one that has executed none; "
                "call cursor.execute('SELECT …') first."
            )
        # SQLAlchemy has keys.
        names = cursor.keys() if described is None else [column[0] for column in described]
        self.column_names = check_names(names)
        self._cursor, self._along = cursor, along
        # What a column holds shows in its values only.
        self._ahead: list[Any] | None = self._fetched()
        held = {
            name: what
            for name, column in self._columns(self._ahead)
            if isinstance(what := numeric_column(column, name), str)
        }
        self.feature_names, self.left_out = select_columns(
            self.column_names, "the query", along=along, held=held, **chosen
        )

    def _fetched(self) -> list[Any]:
        rows = self._cursor.fetchmany(batch_rows(len(self.column_names)))
        return [tuple(row.values()) if isinstance(row, Mapping) else row for row in rows]

    def _columns(self, rows: list[Any]) -> Iterator[tuple[str, list[Any]]]:
        return zip(self.column_names, map(list, zip(*rows, strict=True)), strict=False)

    def blocks(self, start: int = 0) -> Iterator[Rows]:
        if self._ahead is None:
            raise DataError(
                "data: the rows of this cursor were read already; execute the query again, or use "
                "method='batch', which reads them once."
            )
        rows, self._ahead = self._ahead, None
        while rows:
            found = dict(self._columns(rows))
            columns = [
                label_numbers(found[name])
                if name in self._along
                else check_column(found[name], name)
                for name in self.feature_names
            ]
            yield ColumnBlock(columns)
            rows = self._fetched()


class IteratorTable(Table):
    """A Python iterator of batches: arrays, data frames or Arrow batches of the same columns."""

    rescannable = False

    def __init__(self, batches: Iterable[Any], opened: Callable[[Any], Table]) -> None:
        # Once: some objects begin anew whenever they are asked for an iterator.
        left = map(opened, map(_unpacked, iter(batches)))
        first = next(left, None)
        if first is None:
            raise DataError("data: expected batches of rows, got an empty iterator.")
        self.feature_names = first.feature_names
        self.named, self.left_out = first.named, first.left_out
        self._left: Iterator[Table] | None = chain([first], left)

    def blocks(self, start: int = 0) -> Iterator[Rows]:
        if self._left is None:
            raise DataError("data: this iterator was read already; make a new one.")
        left, self._left = self._left, None
        for number, batch in enumerate(left):
            places = None
            # Columns without names are matched by place, so only their number must be the same.
            by_name = self.named and batch.named
            if by_name or len(batch.feature_names) != len(self.feature_names):
                places = column_places(
                    self.feature_names,
                    batch.feature_names,
                    lambda difference, number=number: DataError(  # type: ignore[misc]
                        f"data: batch {number} differs from the first one: {difference}; all "
                        "batches need the same columns."
                    ),
                )
            for block in batch.blocks():
                yield block if places is None else columns_of(block, places.tolist())


def _unpacked(batch: Any) -> Any:
    """A batch of rows; a loader of PyTorch gives it in a list, alone or with what to predict."""
    if not isinstance(batch, list | tuple) or not batch or np.ndim(batch[0]) != 2:
        return batch
    if len(batch) == 1:
        return batch[0]
    raise DataError(
        f"data: expected batches of rows, got batches of {len(batch)} values, as in (x, y); pass "
        "only the rows, (x for x, *_ in data)."
    )

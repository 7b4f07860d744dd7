"""What gives its rows only once: database cursors (DB-API 2), and iterators of batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from edgewise._checks import check_names
from edgewise.errors import DataError
from edgewise.tables.arrays import check_column, numeric_column
from edgewise.tables.options import columns_of, label_numbers
from edgewise.tables.table import (
    ColumnBlock,
    Piece,
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

    def __init__(
        self,
        cursor: Any,
        *,
        columns: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        along: Sequence[str] = (),
    ) -> None:
        self.column_names = names = check_names(_names(cursor))
        self._cursor, self._along = cursor, tuple(along)
        # What a column holds shows in its values only.
        self._ahead: Sequence[Any] | None = cursor.fetchmany(batch_rows(len(names)))
        values = zip(names, zip(*map(_values, self._ahead or ()), strict=False), strict=False)
        found = {name: numeric_column(list(column), name) for name, column in values}
        held = {name: what for name, what in found.items() if isinstance(what, str)}
        self.feature_names, self.left_out = select_columns(
            names, "the query", columns, exclude, along, held
        )

    def blocks(self, start: int = 0) -> Iterator[Rows]:
        if self._ahead is None:
            raise DataError(
                "data: the rows of this cursor were read already; execute the query again, or use "
                "method='batch', which reads them once."
            )
        rows, self._ahead = self._ahead, None
        while rows:
            yield self._block([*map(_values, rows)])
            rows = self._cursor.fetchmany(batch_rows(len(self.feature_names)))

    def _block(self, rows: Sequence[Any]) -> Rows:
        columns = []
        for name in self.feature_names:
            place = self.column_names.index(name)
            values = [row[place] for row in rows]
            labels = name in self._along
            columns.append(label_numbers(values) if labels else check_column(values, name))
        return ColumnBlock([Piece(columns, 0, len(rows))], len(columns))


def _values(row: Any) -> Any:
    """The values of a row, also of a cursor that was told to make dictionaries."""
    return tuple(row.values()) if isinstance(row, Mapping) else row


def _names(cursor: Any) -> list[str]:
    """The columns of the query."""
    described = getattr(cursor, "description", None)
    if described is not None:
        return [str(column[0]) for column in described]
    if hasattr(cursor, "keys"):  # SQLAlchemy
        return list(map(str, cursor.keys()))
    raise DataError(
        "data: expected a cursor with the rows of a query, got one that has executed none; call "
        "cursor.execute('SELECT …') first."
    )


_NOTHING: Any = object()


class IteratorTable(Table):
    """A Python iterator of batches: arrays, data frames or Arrow batches of the same columns."""

    rescannable = False

    def __init__(self, batches: Iterable[Any], opened: Callable[[Any], Table]) -> None:
        # Once: some objects begin anew whenever they are asked for an iterator.
        left = map(_unpacked, iter(batches))
        first = next(left, _NOTHING)
        if first is _NOTHING:
            raise DataError("data: expected batches of rows, got an empty iterator.")
        first = opened(first)
        self.feature_names = first.feature_names
        self.named, self.left_out = first.named, first.left_out
        self._left: Iterator[Table] | None = chain([first], map(opened, left))

    def blocks(self, start: int = 0) -> Iterator[Rows]:
        if self._left is None:
            raise DataError("data: this iterator was read already; make a new one.")
        left, self._left = self._left, None
        for number, batch in enumerate(left):
            yield from self._in_order(batch, number)

    def _in_order(self, batch: Table, number: int) -> Iterator[Rows]:
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

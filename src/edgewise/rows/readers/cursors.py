"""Database cursors of Python's own interface (DB-API 2), such as those of sqlite3 or psycopg."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from edgewise._base.checks import check_names
from edgewise.errors import DataError
from edgewise.rows.block import ColumnBlock, Piece, Rows
from edgewise.rows.labels import label_numbers
from edgewise.rows.selection import selected_names
from edgewise.rows.table import LocalTable, batch_rows
from edgewise.rows.values import check_column


class CursorTable(LocalTable):
    """The rows of the query that a cursor has executed; they can be fetched only once.

    Also a result of SQLAlchemy, which names its columns in another way.
    """

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
        self._every = check_names(_names(cursor))
        self.feature_names = selected_names(self._every, columns, exclude, "the query", along)
        self._cursor, self._along = cursor, tuple(along)
        self._fetched = False

    def blocks(self) -> Iterator[Rows]:
        if self._fetched:
            raise DataError(
                "data: the rows of this cursor were read already; execute the query again, or use "
                "method='batch', which reads them once."
            )
        self._fetched = True
        size = batch_rows(len(self.feature_names))
        while rows := self._cursor.fetchmany(size):
            yield self._block(rows)

    def _block(self, rows: Sequence[Any]) -> Rows:
        places = [self._every.index(name) for name in self.feature_names]
        if isinstance(rows[0], Mapping):  # a cursor that was told to make dictionaries
            rows = [tuple(row.values()) for row in rows]
        columns = []
        for place, name in zip(places, self.feature_names, strict=True):
            values = [row[place] for row in rows]
            labels = name in self._along
            columns.append(label_numbers(values) if labels else check_column(values, name))
        return ColumnBlock([Piece(columns, 0, len(rows))], len(columns))


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

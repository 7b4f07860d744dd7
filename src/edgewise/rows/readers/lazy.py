"""Lazy frames of polars: queries that run when their rows are read, in pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from edgewise._base.text import one_line
from edgewise.errors import DataError
from edgewise.rows.block import Rows
from edgewise.rows.readers.arrow import check_numeric, fixed_blocks
from edgewise.rows.selection import selected_names
from edgewise.rows.table import LocalTable, batch_rows


class LazyFrameTable(LocalTable):
    """A polars `LazyFrame`; every pass runs the query anew, only for the columns that are read."""

    named = True
    rescannable = True

    def __init__(
        self,
        query: Any,
        *,
        columns: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        along: Sequence[str] = (),
    ) -> None:
        try:
            schema = query.collect_schema()
        except Exception as error:
            raise _failed(error) from error
        names = selected_names(schema.names(), columns, exclude, "X", along)
        self.feature_names, self._along = names, tuple(along)
        self._query = query if names == tuple(schema.names()) else query.select(names)
        # A frame without rows has the types of Arrow, before the query runs.
        empty = _as_arrow(self._query.clear().collect())
        check_numeric((field for field in empty.schema if field.name not in along), "X")

    def blocks(self) -> Iterator[Rows]:
        p = len(self.feature_names)
        return fixed_blocks(self._batches(batch_rows(p)), p, along=self._along)

    def _batches(self, rows: int) -> Iterator[pa.RecordBatch]:
        try:
            if hasattr(self._query, "collect_batches"):
                frames = self._query.collect_batches(chunk_size=rows, maintain_order=True)
            else:  # polars before 1.34
                frames = self._query.collect().iter_slices(rows)
            for frame in frames:
                yield from _as_arrow(frame)
        except Exception as error:
            raise _failed(error) from error


def _as_arrow(frame: Any) -> pa.RecordBatchReader:
    return pa.RecordBatchReader.from_stream(frame)


def _failed(error: Exception) -> DataError:
    return DataError(
        f"data: polars could not run the query of the LazyFrame ({one_line(error)}); correct the "
        "query, or pass what its collect() gives."
    )

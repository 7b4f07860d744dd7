"""Data frames and everything else that exports an Arrow C stream."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from edgewise._base.text import one_line
from edgewise._base.types import AnyArray
from edgewise.errors import DataError, DataTypeError
from edgewise.rows.block import ColumnBlock, Piece, Rows
from edgewise.rows.labels import label_number
from edgewise.rows.readers.pandas_index import pandas_index
from edgewise.rows.selection import selected_names
from edgewise.rows.table import LocalTable, batch_rows
from edgewise.rows.values import HINT, not_numbered


class ArrowTable(LocalTable):
    """Any object that exports an Arrow C stream: Arrow, polars, DuckDB, ADBC, Ibis.

    The stream is read in pieces, never as a whole. A table or a query exports a new stream each
    time, so it can be read again; a reader or a cursor cannot.
    """

    named = True

    def __init__(
        self,
        data: Any,
        *,
        columns: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        along: Sequence[str] = (),
    ) -> None:
        self._data = data = _exporter(data)
        self._along = tuple(along)
        self.rescannable = not _reads_once(data)
        self.in_memory = self.n_rows is not None  # a query is run again for every pass
        # Some streams can be opened only once: the one opened for the names is the first pass.
        self._opened: pa.RecordBatchReader | None = _reader(data)
        schema = self._opened.schema
        # Arrow keeps the index of a pandas frame as one more column.
        asked = {*(columns or ()), *along}
        index = [name for name in pandas_index(schema) if name not in asked]
        self.feature_names = selected_names(schema.names, columns, exclude, "X", along, index)
        self._all = self.feature_names == tuple(schema.names)
        variables = (name for name in self.feature_names if name not in self._along)
        check_numeric((schema.field(name) for name in variables), "X")

    @property
    def n_rows(self) -> int | None:
        for size in ("num_rows", "height"):  # pyarrow, polars
            rows = getattr(self._data, size, None)
            if isinstance(rows, int):
                return rows
        return None

    def blocks(self) -> Iterator[Rows]:
        reader, self._opened = self._opened, None
        if reader is None:
            reader = self._again()
        batches = iter(reader)
        if not self._all:
            batches = (batch.select(list(self.feature_names)) for batch in batches)
        return _told(fixed_blocks(batches, len(self.feature_names), along=self._along))

    def _again(self) -> pa.RecordBatchReader:
        if self.rescannable:
            try:
                return pa.RecordBatchReader.from_stream(self._data)
            except (pa.ArrowException, TypeError, ValueError):
                pass
        raise DataError(
            "data: this stream was read already and cannot be read again; use method='batch', "
            "which reads it once, or make a new one."
        )


def _exporter(data: Any) -> Any:
    """The object that exports a stream of the data."""
    if hasattr(data, "__arrow_c_stream__"):
        return data
    if hasattr(data, "fetch_record_batch"):
        return data.fetch_record_batch()  # a database cursor (ADBC)
    return pa.table(data)  # a record batch of another library


def _told(blocks: Iterator[Rows]) -> Iterator[Rows]:
    """Blocks; a failure in the middle of a stream is reported in one line."""
    try:
        yield from blocks
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"data: the stream failed while it was read: {one_line(error)}.") from error


def _reads_once(data: Any) -> bool:
    """Whether the rows can be read only once, as those of readers and database cursors."""
    return isinstance(data, pa.RecordBatchReader) or "ursor" in type(data).__name__


def _reader(data: Any) -> pa.RecordBatchReader:
    try:
        if isinstance(data, pa.RecordBatchReader):
            return data
        return pa.RecordBatchReader.from_stream(data)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise unreadable(data, error) from error


def unreadable(data: Any, error: Exception) -> DataTypeError:
    return DataTypeError(
        f"X: expected a table of numbers, got a {type(data).__name__} that Arrow cannot read "
        f"({one_line(error)}); convert or drop the columns that are not numbers."
    )


def fixed_blocks(
    batches: Iterator[pa.RecordBatch],
    n_features: int,
    skip: int = 0,
    along: Sequence[str] = (),
) -> Iterator[Rows]:
    """The rows of Arrow batches, from row `skip` on, in blocks of one fixed size.

    The size is fixed so that the blocks, and with them every rounding error, depend only on the
    rows, not on how a file was written or where reading began (as long as `skip` is a whole number
    of blocks). Numbers without gaps are not copied. The columns `along` hold labels, which become
    numbers.
    """
    rows = batch_rows(n_features)
    pieces: list[Piece] = []
    filled = 0
    for batch in batches:
        start = min(skip, batch.num_rows)
        skip -= start
        columns = _columns(batch, n_features, along) if start < batch.num_rows else []
        while start < batch.num_rows:
            size = min(rows - filled, batch.num_rows - start)
            pieces.append(Piece(columns, start, start + size))
            start, filled = start + size, filled + size
            if filled == rows:
                yield ColumnBlock(pieces, n_features)
                pieces, filled = [], 0
    if filled:
        yield ColumnBlock(pieces, n_features)


def _columns(batch: pa.RecordBatch, n_features: int, along: Sequence[str]) -> list[AnyArray]:
    if batch.num_columns != n_features:
        raise DataError(
            f"X: expected {n_features} columns in every batch, got {batch.num_columns}."
        )
    named = zip(batch.columns, batch.schema.names, strict=True)
    return [
        _label_numbers(column, name) if name in along else _to_numpy(column, name)
        for column, name in named
    ]


def _label_numbers(column: pa.Array, name: str) -> AnyArray:
    """Labels as numbers, NaN where they are missing; each different one is looked at once."""
    if pa.types.is_nested(column.type):
        raise DataTypeError(
            f"groups: column {name!r} must hold labels, such as text or whole numbers, got "
            f"{column.type}; name another column."
        )
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    known = [label_number(label) for label in encoded.dictionary.to_pylist()]
    # One more place for the labels that are missing.
    at = _in_place(encoded.indices.cast(pa.int64()).fill_null(len(known)))
    return np.array([*known, np.nan])[at]


def check_numeric(
    schema: Iterable[pa.Field], where: str, detail: Callable[[str], str] = lambda name: ""
) -> None:
    """Refuse a table with a column that does not hold numbers, by name."""
    for field in schema:
        if pa.types.is_dictionary(field.type) and not is_numeric(field.type):
            raise not_numbered(where, field.name, ordered=field.type.ordered)
        if not is_numeric(field.type):
            raise DataTypeError(
                f"{where}: column {field.name!r} must hold numbers, got {field.type}"
                f"{detail(field.name)}; {HINT}."
            )


def texts_of(schema: pa.Schema) -> dict[str, str]:
    """The columns that do not hold numbers, and what they hold."""
    return {field.name: str(field.type) for field in schema if not is_numeric(field.type)}


def is_numeric(kind: pa.DataType) -> bool:
    types = pa.types
    if types.is_dictionary(kind):  # categories; in order, numbers stand for themselves
        return bool(kind.ordered) and is_numeric(kind.value_type)
    return bool(
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_decimal(kind)
        or types.is_null(kind)
    )


def _to_numpy(column: pa.Array, name: str) -> AnyArray:
    if pa.types.is_dictionary(column.type) and is_numeric(column.type):
        column = column.dictionary_decode()
    gaps = column.null_count > 0
    if pa.types.is_integer(column.type) and not gaps:
        return _in_place(column)
    if pa.types.is_floating(column.type) and not (gaps and pa.types.is_float16(column.type)):
        return _in_place(column.fill_null(math.nan) if gaps else column)
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.uint8())
    if not is_numeric(column.type):
        raise DataTypeError(
            f"X: column {name!r} must hold numbers in every batch, got {column.type} in one; "
            f"{HINT}."
        )
    return _in_place(column.cast(pa.float64(), safe=False).fill_null(math.nan))


def _in_place(column: pa.Array) -> AnyArray:
    """A view of the numbers of a column without gaps.

    Arrow's own `to_numpy` imports pandas if it is installed, which takes half a second.
    """
    dtype = np.dtype(column.type.to_pandas_dtype())
    values = column.buffers()[1]
    if values is None:
        return np.empty(0, dtype)
    start = column.offset * dtype.itemsize
    return np.frombuffer(values, dtype, count=len(column), offset=start)

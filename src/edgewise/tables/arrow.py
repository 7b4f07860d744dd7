"""Data frames of pandas and polars, and everything else that exports an Arrow C stream."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from edgewise._checks import check_names
from edgewise._linalg import AnyArray
from edgewise._text import one_line
from edgewise.errors import DataError, DataTypeError
from edgewise.tables.labels import label_number
from edgewise.tables.table import ColumnBlock, LocalTable, Piece, Rows, batch_rows, selected_names
from edgewise.tables.values import HINT, not_numbered


class ArrowTable(LocalTable):
    """Any object that exports an Arrow C stream, a reader or cursor only once; read in pieces."""

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
        # A reader or a database cursor gives its rows once.
        once = isinstance(data, pa.RecordBatchReader) or "ursor" in type(data).__name__
        self.rescannable = not once
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


class PandasTable(LocalTable):
    """A pandas data frame, converted a slice at a time; its index is not a variable."""

    named = True
    rescannable = True
    in_memory = True

    def __init__(
        self,
        frame: Any,
        *,
        columns: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        along: Sequence[str] = (),
    ) -> None:
        names = check_names(frame.columns)
        self.feature_names = selected_names(names, columns, exclude, "X", along)
        self._along = tuple(along)
        self._frame = frame
        if self.feature_names != names:
            self._frame = frame.iloc[:, [names.index(name) for name in self.feature_names]]
        schema = self._slice(0, 1000).schema
        check_numeric((field for field in schema if field.name not in self._along), "X")

    def _slice(self, start: int, rows: int) -> pa.Table:
        part = self._frame.iloc[start : start + rows]
        sparse = {
            name: dtype.subtype
            for name, dtype in part.dtypes.items()
            if type(dtype).__name__ == "SparseDtype"
        }
        part = part.astype(sparse) if sparse else part
        try:
            return pa.Table.from_pandas(part, preserve_index=False)
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise _unreadable(self._frame, error) from error

    @property
    def n_rows(self) -> int | None:
        return len(self._frame)

    def entries(self) -> Sequence[int]:
        return range(max(len(self._frame), 1))

    def blocks(self) -> Iterator[Rows]:
        return self.blocks_from(0)

    def blocks_from(self, row: int) -> Iterator[Rows]:
        p = len(self.feature_names)
        starts = range(row, len(self._frame), batch_rows(p))
        slices = (self._slice(start, batch_rows(p)) for start in starts)
        batches = (batch for table in slices for batch in table.to_batches())
        return fixed_blocks(batches, p, along=self._along)


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
        empty = pa.RecordBatchReader.from_stream(self._query.clear().collect())
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
                yield from pa.RecordBatchReader.from_stream(frame)
        except Exception as error:
            raise _failed(error) from error


def _failed(error: Exception) -> DataError:
    return DataError(
        f"data: polars could not run the query of the LazyFrame ({one_line(error)}); correct the "
        "query, or pass what its collect() gives."
    )


def pandas_index(schema: pa.Schema) -> tuple[str, ...]:
    """The columns of a schema that hold the index of a pandas data frame."""
    try:
        columns = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))["index_columns"]
    except (ValueError, KeyError, TypeError):
        return ()
    return tuple(name for name in columns if isinstance(name, str) and name in schema.names)


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


def _reader(data: Any) -> pa.RecordBatchReader:
    try:
        if isinstance(data, pa.RecordBatchReader):
            return data
        return pa.RecordBatchReader.from_stream(data)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise _unreadable(data, error) from error


def _unreadable(data: Any, error: Exception) -> DataTypeError:
    return DataTypeError(
        f"X: expected a table of numbers, got a {type(data).__name__} that Arrow cannot read "
        f"({one_line(error)}); convert or drop the columns that are not numbers."
    )


def fixed_blocks(
    batches: Iterator[pa.RecordBatch], n_features: int, skip: int = 0, along: Sequence[str] = ()
) -> Iterator[Rows]:
    """The rows of Arrow batches, from row `skip` on, in blocks of one fixed size.

    So the blocks, and with them every rounding error, do not depend on how a file was written or
    where reading began, if `skip` is a whole number of blocks. Columns `along` become labels.
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
            f"clusters: column {name!r} must hold labels, such as text or whole numbers, got "
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
    """A view of the numbers of a column without gaps; Arrow's own imports pandas, which is slow."""
    dtype = np.dtype(column.type.to_pandas_dtype())
    values = column.buffers()[1]
    if values is None:
        return np.empty(0, dtype)
    start = column.offset * dtype.itemsize
    return np.frombuffer(values, dtype, count=len(column), offset=start)

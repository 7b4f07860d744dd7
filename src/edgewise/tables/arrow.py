"""Arrow streams, and the numbers of Arrow columns."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa

from edgewise._linalg import AnyArray
from edgewise._text import one_line
from edgewise.errors import DataError, DataTypeError
from edgewise.tables.options import label_number
from edgewise.tables.table import (
    ROW_NUMBERS,
    ColumnBlock,
    Rows,
    Table,
    batch_rows,
    not_numbers,
    select_columns,
)


class StreamTable(Table):
    """Any object that exports an Arrow C stream, a reader or cursor only once."""

    named = True

    def __init__(self, data: Any, along: Sequence[str] = (), **chosen: Any) -> None:
        if not hasattr(data, "__arrow_c_stream__"):
            data = data.fetch_record_batch()  # a database cursor (ADBC)
        self._data, self._along = data, along
        # A reader or a database cursor gives its rows once.
        once = isinstance(data, pa.RecordBatchReader) or "ursor" in type(data).__name__
        self.rescannable = not once
        # Some streams can be opened only once: the one opened for the names is the first pass.
        self._opened: pa.RecordBatchReader | None
        try:
            reader = pa.RecordBatchReader.from_stream(data)
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise DataTypeError(
                f"X: expected a table of numbers, got a {type(data).__name__} that Arrow cannot "
                f"read ({one_line(error)}); convert or drop the columns that are not numbers."
            ) from error
        self._opened, schema = reader, reader.schema
        self.column_names = tuple(schema.names)
        self.feature_names, self.left_out = select_columns(
            schema.names, "X", along=along, held=held_by(schema), **chosen
        )

    def _again(self) -> pa.RecordBatchReader:
        reader, self._opened = self._opened, None
        if reader is None and self.rescannable:
            with suppress(pa.ArrowException, TypeError, ValueError):
                reader = pa.RecordBatchReader.from_stream(self._data)
        if reader is None:
            raise DataError(
                "data: this stream was read already and cannot be read again; use method='batch', "
                "which reads it once, or make a new one."
            )
        return reader

    def blocks(self, start: int = 0) -> Iterator[Rows]:
        names, reader = list(self.feature_names), self._again()
        batches = (batch.select(names) for batch in reader)
        try:
            yield from fixed_blocks(batches, len(names), start, self._along)
        except (pa.ArrowException, OSError) as error:
            raise DataError(
                f"data: the stream failed while it was read: {one_line(error)}."
            ) from error

    def labels(self, name: str) -> Iterable[Any]:
        labels: list[Any] = self._again().read_all().column(name).to_pylist()
        return labels


def held_by(schema: pa.Schema) -> dict[str, str]:
    """What columns hold that are no variables: text, dates, the index of a pandas data frame."""
    return dict.fromkeys(pandas_index(schema), ROW_NUMBERS) | texts_of(schema)


def pandas_index(schema: pa.Schema) -> tuple[str, ...]:
    """The columns of a schema that hold the index of a pandas data frame."""
    if b"pandas" not in (schema.metadata or {}):
        return ()
    try:
        columns = json.loads(schema.metadata[b"pandas"])["index_columns"]
    except (ValueError, KeyError, TypeError):
        return ()
    return tuple(name for name in columns if isinstance(name, str) and name in schema.names)


def column_block(batches: Iterable[pa.RecordBatch], along: Sequence[str] = ()) -> ColumnBlock:
    """The rows of Arrow batches as one block; columns `along` are labels."""
    parts = [
        [
            _label_numbers(column, name) if name in along else _to_numpy(column, name)
            for column, name in zip(batch.columns, batch.schema.names, strict=True)
        ]
        for batch in batches
    ]
    whole = len(parts) == 1
    return ColumnBlock(parts[0] if whole else [*map(np.concatenate, zip(*parts, strict=True))])


def fixed_blocks(
    batches: Iterator[pa.RecordBatch], n_features: int, skip: int = 0, along: Sequence[str] = ()
) -> Iterator[Rows]:
    """The rows of Arrow batches from row `skip` on, in blocks of one size; columns `along` are labels.

    So no rounding error depends on how a file was written, or where reading began.
    """
    rows = batch_rows(n_features)
    parts: list[pa.RecordBatch] = []
    filled = 0
    for batch in batches:
        if batch.num_columns != n_features:
            raise DataError(
                f"X: expected {n_features} columns in every batch, got {batch.num_columns}."
            )
        start = min(skip, batch.num_rows)
        skip -= start
        while start < batch.num_rows:
            parts.append(batch.slice(start, rows - filled))
            start, filled = start + len(parts[-1]), filled + len(parts[-1])
            if filled == rows:
                yield column_block(parts, along)
                parts, filled = [], 0
    if parts:
        yield column_block(parts, along)


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


def texts_of(schema: pa.Schema) -> dict[str, str]:
    """The columns that do not hold numbers, and what they hold."""
    return {field.name: _holds(field.type) for field in schema if not is_numeric(field.type)}


def _holds(kind: pa.DataType) -> str:
    name = str(kind)
    if name.startswith(("date", "timestamp")):
        return "dates"
    if name in ("string", "large_string", "string_view"):
        return "text"
    return "categories" if name.startswith("dictionary") else name


def is_numeric(kind: pa.DataType) -> bool:
    types = pa.types
    if types.is_dictionary(kind):  # categories; in order, numbers stand for themselves
        return bool(kind.ordered) and is_numeric(kind.value_type)
    able = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_null)
    return any(one(kind) for one in able)


def _to_numpy(column: pa.Array, name: str) -> AnyArray:
    if not is_numeric(column.type):
        raise not_numbers(name, column.type)
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    gaps, kind = column.null_count > 0, str(column.type)
    if kind in ("float", "double"):
        return _in_place(column.fill_null(math.nan) if gaps else column)
    if not gaps and (pa.types.is_integer(column.type) or kind == "halffloat"):
        return _in_place(column)
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.uint8())
    return _in_place(column.cast(pa.float64(), safe=False).fill_null(math.nan))


_FLOATS = {"halffloat": "float16", "float": "float32", "double": "float64"}


def _in_place(column: pa.Array) -> AnyArray:
    """A view of the numbers of a column without gaps; Arrow's own needs pandas before version 26."""
    name = str(column.type)
    dtype = np.dtype(_FLOATS.get(name, name))
    values = column.buffers()[1]
    if values is None:
        return np.empty(0, dtype)
    start = column.offset * dtype.itemsize
    return np.frombuffer(values, dtype, count=len(column), offset=start)

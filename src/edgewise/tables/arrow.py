"""Tables that give Arrow batches, and the numbers of Arrow columns."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from edgewise._checks import check_names
from edgewise._linalg import AnyArray
from edgewise._text import one_line
from edgewise.errors import DataError, DataTypeError, EdgewiseError
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


class BatchTable(Table):
    """A table of Arrow batches; `batches` begins a pass over some columns, `once` the only one."""

    named = True

    def __init__(
        self,
        names: Iterable[object],
        held: Mapping[str, str],
        batches: Callable[[tuple[str, ...]], Iterable[pa.RecordBatch]],
        *,
        what: str = "X",
        n_rows: int | None = None,
        in_memory: bool = False,
        once: bool = False,
        along: Sequence[str] = (),
        **chosen: Any,
    ) -> None:
        self.column_names = check_names(names)
        self.feature_names, self.left_out = select_columns(
            self.column_names, what, along=along, held=held, **chosen
        )
        self._batches, self.n_rows, self._along = batches, n_rows, along
        self.in_memory, self.rescannable, self._what = in_memory, not once, what
        self._passes = 0

    def entries(self) -> Sequence[int]:
        return range(self.n_rows or 1) if self.in_memory else (0,)

    def _read(self, names: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
        self._passes += 1
        if self._passes > 1 and not self.rescannable:
            raise DataError(
                "data: this stream was read already and cannot be read again; use method='batch', "
                "which reads it once, or make a new one."
            )
        try:
            for batch in self._batches(names):
                yield batch.select(names)
        except EdgewiseError:
            raise
        except Exception as error:  # of any library
            raise DataError(
                f"data: {self._what} cannot be read ({one_line(error)}); if its rows "
                "come only once and were read already, use method='batch', which reads them once."
            ) from error

    def blocks(self, start: int = 0) -> Iterator[Rows]:
        names = self.feature_names
        return fixed_blocks(self._read(names), len(names), start, self._along)

    def labels(self, name: str) -> Iterable[Any]:
        for batch in self._read((name,)):
            yield from batch.column(0).to_pylist()


def stream_table(data: Any, **chosen: Any) -> BatchTable:
    """Any object that exports an Arrow C stream; a reader or cursor only once."""
    if not hasattr(data, "__arrow_c_stream__"):
        data = data.fetch_record_batch()  # a database cursor (ADBC)
    try:
        reader = pa.RecordBatchReader.from_stream(data)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise DataTypeError(
            f"X: expected a table of numbers, got a {type(data).__name__} that Arrow cannot "
            f"read ({one_line(error)}); convert or drop the columns that are not numbers."
        ) from error
    # Some streams can be opened only once: the one opened for the names is the first pass.
    opened, schema = [reader], reader.schema

    def batches(names: tuple[str, ...]) -> Any:
        return opened.pop() if opened else pa.RecordBatchReader.from_stream(data)

    once = isinstance(data, pa.RecordBatchReader) or "ursor" in type(data).__name__
    return BatchTable(schema.names, held_by(schema), batches, once=once, **chosen)


def query_table(query: Any, **chosen: Any) -> BatchTable:
    """A lazy frame that narwhals knows: polars, DuckDB, Ibis; every pass runs the query anew."""

    def batches(names: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
        native, rows = query.select(*names).to_native(), batch_rows(len(names))
        if hasattr(native, "collect_batches"):
            frames = native.collect_batches(chunk_size=rows, maintain_order=True)
        else:  # DuckDB, Ibis, and polars before 1.34
            frames = [native.collect() if hasattr(native, "collect") else native]
        for frame in frames:
            yield from pa.RecordBatchReader.from_stream(frame)

    try:
        schema = query.collect_schema()
    except Exception as error:  # of any library
        raise DataError(
            f"data: the query cannot be read ({one_line(error)}); correct it."
        ) from error
    words = {"String": "text", "Enum": "categories", "Categorical": "categories"}
    held = {
        name: "dates" if kind.is_temporal() else words.get(type(kind).__name__, str(kind))
        for name, kind in schema.items()
        # Unknown is a column without values.
        if not (kind.is_numeric() or type(kind).__name__ in ("Boolean", "Unknown"))
    }
    return BatchTable(schema.names(), held, batches, what="the query", **chosen)


def frame_table(frame: Any, **chosen: Any) -> BatchTable:
    """A data frame in memory that narwhals knows: polars, Arrow and others."""

    @lru_cache(maxsize=1)
    def batches(names: tuple[str, ...]) -> Iterable[pa.RecordBatch]:
        found: list[pa.RecordBatch] = frame.select(*names).to_arrow().to_batches()
        return found

    schema = frame[:0].to_arrow().schema
    n, held = len(frame), held_by(schema)
    return BatchTable(schema.names, held, batches, n_rows=n, in_memory=True, **chosen)


def dataset_table(data: Any, **chosen: Any) -> BatchTable:
    """A dataset or scanner of pyarrow, a table of Delta Lake, or a scan of Iceberg."""
    from edgewise.tables.formats import fingerprint, unchanged

    if hasattr(data, "to_pyarrow_dataset"):
        data = data.to_pyarrow_dataset()  # of Delta Lake
    elif type(data).__module__.startswith("pyiceberg") and hasattr(data, "scan"):
        data = data.scan()
    if hasattr(data, "to_arrow_batch_reader"):
        schema = data.to_arrow_batch_reader().schema
    else:
        schema = getattr(data, "projected_schema", None) or data.schema
    files = [path for path in getattr(data, "files", []) if os.path.isfile(path)]
    marks = {path: fingerprint(path) for path in files}

    def batches(names: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
        with ExitStack() as checks:
            for path, then in marks.items():
                checks.enter_context(unchanged(path, then))
            if hasattr(data, "to_arrow_batch_reader"):
                yield from data.to_arrow_batch_reader()
            elif hasattr(data, "projected_schema"):
                yield from data.to_batches()
            else:  # a few batches ahead: by default whole files would wait in memory
                ahead = {"batch_readahead": 2, "fragment_readahead": 1}
                size = batch_rows(len(names))
                yield from data.to_batches(columns=list(names), batch_size=size, **ahead)

    kind = getattr(getattr(data, "format", None), "default_extname", "")
    n = data.count_rows() if kind in ("parquet", "feather", "ipc") else None
    held = held_by(schema)
    return BatchTable(schema.names, held, batches, what="the dataset", n_rows=n, **chosen)


def held_by(schema: pa.Schema) -> dict[str, str]:
    """What columns hold that are no variables: text, dates, the index of a pandas data frame."""
    return dict.fromkeys(pandas_index(schema), ROW_NUMBERS) | texts_of(schema)


def pandas_index(schema: pa.Schema) -> tuple[str, ...]:
    if b"pandas" not in (schema.metadata or {}):
        return ()
    try:
        columns = json.loads(schema.metadata[b"pandas"])["index_columns"]
    except (ValueError, KeyError, TypeError):
        return ()
    return tuple(name for name in columns if isinstance(name, str) and name in schema.names)


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
                yield _block(parts, along)
                parts, filled = [], 0
    if parts:
        yield _block(parts, along)


def _block(batches: Sequence[pa.RecordBatch], along: Sequence[str]) -> ColumnBlock:
    parts = [
        [
            _label_numbers(column, name) if name in along else _to_numpy(column, name)
            for column, name in zip(batch.columns, batch.schema.names, strict=True)
        ]
        for batch in batches
    ]
    whole = len(parts) == 1
    return ColumnBlock(parts[0] if whole else [*map(np.concatenate, zip(*parts, strict=True))])


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
    words = {"string": "text", "large_string": "text", "string_view": "text"}
    found = {}
    for name, kind in zip(schema.names, schema.types, strict=True):
        if not is_numeric(kind):
            what = "categories" if pa.types.is_dictionary(kind) else words.get(str(kind), str(kind))
            found[name] = "dates" if what.startswith(("date", "timestamp")) else what
    return found


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

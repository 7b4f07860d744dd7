"""Data frames of pandas, polars, DuckDB and others, through narwhals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from edgewise._checks import check_names
from edgewise._linalg import AnyArray
from edgewise._optional import require
from edgewise._text import one_line
from edgewise.errors import DataError, EdgewiseError
from edgewise.tables.arrays import SlicedTable, numeric_column
from edgewise.tables.table import (
    ColumnBlock,
    Rows,
    Table,
    batch_rows,
    not_numbers,
    select_columns,
)


class PandasTable(SlicedTable):
    """A pandas data frame; its index is not a variable."""

    def __init__(self, frame: Any, **chosen: Any) -> None:
        names, self._frame = check_names(frame.columns), frame
        held = {
            name: what
            for place, (name, kind) in enumerate(zip(names, frame.dtypes, strict=True))
            if not _is_plain(kind)
            and isinstance(what := _pandas_numbers(frame.iloc[:1000, place], name), str)
        }
        variables = self._choose(names, len(frame), held, **chosen)
        self._variables = frame
        if variables != names:
            self._variables = frame.iloc[:, [names.index(name) for name in variables]]
        self._plain = all(map(_is_plain, self._variables.dtypes))

    def rows(self, start: int, stop: int) -> Rows:
        frame = self._variables.iloc[start:stop]
        if self._plain:
            # Where all columns hold float64, this is a view.
            return np.asarray(frame.to_numpy(dtype=np.float64))
        columns = []
        for place in range(frame.shape[1]):
            numbers = _pandas_numbers(frame.iloc[:, place], self.feature_names[place])
            if isinstance(numbers, str):
                raise not_numbers(self.feature_names[place], numbers)
            columns.append(numbers)
        return ColumnBlock(columns)

    def labels(self, name: str) -> Iterable[Any]:
        column = self._frame.iloc[:, self.column_names.index(name)]
        labels: Iterable[Any] = column.to_numpy() if _is_plain(column.dtype) else column.tolist()
        return labels


def _is_plain(kind: Any) -> bool:
    return isinstance(kind, np.dtype) and kind.kind in "fiub"


def _pandas_numbers(column: Any, name: str) -> AnyArray | str:
    """A series as numbers, NaN where one is missing; or what it holds, if not numbers."""
    kind = column.dtype
    if _is_plain(kind):
        return np.asarray(column.to_numpy())
    if kind.kind in "fiub" or kind.type.__name__ == "Decimal":  # nullable, sparse, or of Arrow
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    if kind.kind == "M":  # also with time zones
        return "dates"
    return numeric_column(column, name)


def frame_table(data: Any, **chosen: Any) -> Table:
    """A data frame that narwhals knows, or an object that exports an Arrow stream."""
    what = f"A {type(data).__name__}"
    pa = require("pyarrow", "tables", what)
    from edgewise.tables.arrow import StreamTable

    if hasattr(data, "__arrow_c_array__") and hasattr(data, "num_columns"):
        data = pa.table(data)  # a record batch
    if isinstance(data, pa.Table):
        check_names(data.column_names)
    nw = require("narwhals", "tables", what)
    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        return QueryTable(frame, **chosen)
    if not isinstance(frame, nw.DataFrame):
        return StreamTable(data, **chosen)
    if frame.implementation.is_pandas():
        return PandasTable(frame.to_native(), **chosen)
    return FrameTable(frame, **chosen)


class FrameTable(SlicedTable):
    """A data frame in memory that narwhals knows: polars, Arrow and others."""

    def __init__(self, frame: Any, **chosen: Any) -> None:
        from edgewise.tables.arrow import held_by

        self._frame = frame
        schema = frame[:0].to_arrow().schema
        variables = self._choose(check_names(schema.names), len(frame), held_by(schema), **chosen)
        self._table = frame.select(*variables).to_arrow()

    def rows(self, start: int, stop: int) -> Rows:
        from edgewise.tables.arrow import column_block

        return column_block(self._table.slice(start, stop - start).to_batches())

    def labels(self, name: str) -> Iterable[Any]:
        labels: list[Any] = self._frame[name].to_list()
        return labels


class QueryTable(Table):
    """A lazy frame that narwhals knows: polars, DuckDB, Ibis; every pass runs the query anew."""

    named = rescannable = True

    def __init__(self, frame: Any, along: Sequence[str] = (), **chosen: Any) -> None:
        self._frame, self._along = frame, along
        with _query_errors():
            schema = frame.collect_schema()
        held = {name: what for name, kind in schema.items() if (what := _holds(kind)) is not None}
        self.column_names = check_names(schema.names())
        self.feature_names, self.left_out = select_columns(
            self.column_names, "X", along=along, held=held, **chosen
        )

    def blocks(self, start: int = 0) -> Iterator[Rows]:
        from edgewise.tables.arrow import fixed_blocks

        p = len(self.feature_names)
        return fixed_blocks(self._batches(batch_rows(p)), p, start, self._along)

    def _batches(self, rows: int) -> Iterator[Any]:
        query = self._frame.select(*self.feature_names).to_native()
        from_stream = require("pyarrow", "tables", "A query").RecordBatchReader.from_stream
        with _query_errors():
            if hasattr(query, "collect_batches"):
                for frame in query.collect_batches(chunk_size=rows, maintain_order=True):
                    yield from from_stream(frame)
            else:  # DuckDB, Ibis, and polars before 1.34
                yield from from_stream(query.collect() if hasattr(query, "collect") else query)

    def labels(self, name: str) -> Iterable[Any]:
        with _query_errors():
            labels: list[Any] = self._frame.select(name).collect()[name].to_list()
        return labels


@contextmanager
def _query_errors() -> Iterator[None]:
    try:
        yield
    except (EdgewiseError, GeneratorExit):
        raise
    except Exception as error:
        raise DataError(
            f"data: the query could not run ({one_line(error)}); correct it, or pass the data "
            "frame that it gives."
        ) from error


def _holds(kind: Any) -> str | None:
    """What a column of a type of narwhals holds, if not numbers."""
    name = type(kind).__name__
    if kind.is_numeric() or name in ("Boolean", "Unknown"):  # unknown is a column without values
        return None
    words = {"String": "text", "Enum": "categories", "Categorical": "categories"}
    return "dates" if kind.is_temporal() else words.get(name, str(kind))

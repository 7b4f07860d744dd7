"""Data frames of pandas, polars, DuckDB and others (through narwhals); xarray and AnnData."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from edgewise._checks import check_names, default_names
from edgewise._linalg import AnyArray
from edgewise._optional import require
from edgewise._text import one_line
from edgewise.errors import DataError, DataTypeError, EdgewiseError
from edgewise.tables.arrays import (
    HINT,
    SlicedTable,
    as_rows,
    dense,
    is_sparse,
    numeric_column,
    warn_about_memory,
)
from edgewise.tables.open import is_a
from edgewise.tables.table import ColumnBlock, Piece, Rows, Table, batch_rows, select_columns


class PandasTable(SlicedTable):
    """A pandas data frame, converted a block at a time; its index is not a variable."""

    def __init__(self, frame: Any, **chosen: Any) -> None:
        names, kinds = check_names(frame.columns), frame.dtypes.tolist()
        self._frame, self._plain = frame, all(map(_is_plain, kinds))
        held: dict[str, str] = {}
        for place in range(0 if self._plain else len(names)):
            some = _pandas_numbers(frame.iloc[:1000, place], names[place])
            if isinstance(some, str):
                held[names[place]] = some
        variables = self._choose(names, len(frame), chosen, held)
        self._places = [names.index(name) for name in variables]
        self._every = variables == names
        self._simple = all(_is_plain(kinds[place]) for place in self._places)

    def rows(self, start: int, stop: int) -> Rows:
        frame = self._frame.iloc[start:stop] if stop - start < self.n_rows else self._frame
        if self._plain:
            # Where all columns hold float64, this is a view, and choosing columns takes no time.
            values = np.asarray(frame.to_numpy(dtype=np.float64))
            return values if self._every else values[:, self._places]
        if self._simple:
            return np.asarray(frame.iloc[:, self._places].to_numpy(dtype=np.float64))
        columns = []
        for place in self._places:
            name = self.column_names[place]
            numbers = _pandas_numbers(frame.iloc[:, place], name)
            if isinstance(numbers, str):
                raise DataTypeError(f"X: column {name!r} must hold numbers, got {numbers}; {HINT}.")
            columns.append(numbers)
        return ColumnBlock([Piece(columns, 0, len(frame))], len(columns))

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
    if is_a(data, "polars", "DataFrame"):
        return FrameTable(data, **chosen)  # as narwhals has it, without its detour
    nw = require("narwhals", "tables", what)
    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        return QueryTable(frame, **chosen)
    if not isinstance(frame, nw.DataFrame):
        return StreamTable(data, **chosen)
    if frame.implementation.is_pandas():
        return PandasTable(frame.to_native(), **chosen)
    return FrameTable(frame, **chosen)


_SMALL = 10_000  # rows of a frame that is converted whole


class FrameTable(SlicedTable):
    """A data frame in memory that narwhals knows: polars, Arrow and others."""

    def __init__(self, frame: Any, **chosen: Any) -> None:
        from edgewise.tables.arrow import held_by

        self._frame, small = frame, len(frame) < _SMALL
        # Of a large frame only the columns that are read are converted.
        table = (frame if small else frame[:0]).to_arrow()
        names = check_names(table.schema.names)
        variables = self._choose(names, len(frame), chosen, held_by(table.schema))
        if not small:
            table = (frame if variables == names else frame.select(*variables)).to_arrow()
        elif variables != names:
            table = table.select(list(variables))
        self._table = table

    def rows(self, start: int, stop: int) -> Rows:
        from edgewise.tables.arrow import column_block

        batches = self._table.slice(start, stop - start).to_batches()
        return column_block(batches, self._table.num_columns)

    def labels(self, name: str) -> Iterable[Any]:
        labels: list[Any] = self._frame[name].to_list()
        return labels


class QueryTable(Table):
    """A lazy frame that narwhals knows: polars, DuckDB, Ibis; every pass runs the query anew."""

    named = rescannable = True

    def __init__(
        self,
        frame: Any,
        columns: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        along: Sequence[str] = (),
    ) -> None:
        self._frame, self._along = frame, tuple(along)
        with _query_errors():
            schema = frame.collect_schema()
        held = {name: what for name, kind in schema.items() if (what := _holds(kind)) is not None}
        self.column_names = check_names(schema.names())
        self.feature_names, self.left_out = select_columns(
            self.column_names, "X", columns, exclude, along, held
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


class DataArrayTable(SlicedTable):
    """A 2-D `DataArray`, computed a block at a time; coordinates along the rows are labels."""

    def __init__(self, data: Any, **chosen: Any) -> None:
        if data.ndim != 2:
            raise DataError(
                "X: expected a DataArray of two dimensions, rows and columns, got dimensions "
                f"{data.dims}; stack those of the rows, data.stack(rows=[...]).transpose('rows', "
                "...), and pass clusters if their rows depend."
            )
        rows, columns = data.dims
        self.named = columns in data.coords
        times = self.named and data[columns].dtype.kind in "mM"
        if times or str(columns).lower() in ("time", "times", "t", "obs", "sample", "trial"):
            raise DataError(
                f"X: expected the rows along the first dimension, got {rows!r} before {columns!r}; "
                f"pass data.transpose({columns!r}, {rows!r}), or rename the dimension."
            )
        names = data[columns].values.tolist() if self.named else default_names(data.shape[1])
        self._coordinates = {str(k): one for k, one in data.coords.items() if one.dims == (rows,)}
        self.in_memory = data.chunks is None
        self._all, names = data.variable, check_names(names)
        labels = tuple(self._coordinates)
        variables = self._choose(names, int(data.shape[0]), chosen, label_names=labels)
        self._chosen = self._all
        if variables != names:
            self._chosen = self._all[:, [names.index(name) for name in variables]]

    def rows(self, start: int, stop: int) -> Rows:
        return as_rows(np.asarray(self._chosen[start:stop]))

    def labels(self, name: str) -> Iterable[Any]:
        found = self._coordinates.get(name)
        return np.asarray(self._all[:, self.column_names.index(name)] if found is None else found)


class AnnDataTable(SlicedTable):
    """The matrix ``X`` of an `AnnData`, also sparse or backed; columns of ``obs`` are labels."""

    def __init__(self, data: Any, **chosen: Any) -> None:
        if data.X is None:
            raise DataError(
                "X: expected an AnnData with a matrix X, got one without; pass data.layers['name'] "
                "and feature_names=data.var_names."
            )
        names = check_names(data.var_names)
        self._obs = {str(name): data.obs[name] for name in data.obs.columns}
        self._all = data.X.tocsr() if is_sparse(data.X) else data.X
        self.in_memory = isinstance(self._all, np.ndarray) or is_sparse(self._all)
        variables = self._choose(names, int(data.n_obs), chosen, label_names=tuple(self._obs))
        self._places: Any = slice(None)
        if variables != names:
            self._places = [names.index(name) for name in variables]
        if not isinstance(self._all, np.ndarray):
            warn_about_memory(self.n_rows, len(variables))

    def rows(self, start: int, stop: int) -> Rows:
        return as_rows(dense(self._all[start:stop])[:, self._places])

    def labels(self, name: str) -> Iterable[Any]:
        if name in self._obs:
            return np.asarray(self._obs[name])
        return np.asarray(dense(self._all[:, [self.column_names.index(name)]])[:, 0])

"""Data frames of pandas, polars, DuckDB and others, through narwhals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from edgewise._checks import check_names
from edgewise._linalg import AnyArray
from edgewise._optional import require
from edgewise.tables.arrays import SlicedTable, numeric_column
from edgewise.tables.table import ColumnBlock, Rows, Table, not_numbers


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
    pa = require("pyarrow", "tables", f"A {type(data).__name__}")
    nw = require("narwhals", "tables", f"A {type(data).__name__}")
    from edgewise.tables import arrow

    if hasattr(data, "__arrow_c_array__") and hasattr(data, "num_columns"):
        data = pa.table(data)  # a record batch
    if isinstance(data, pa.Table):
        check_names(data.column_names)
    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        return arrow.query_table(frame, **chosen)
    if not isinstance(frame, nw.DataFrame):
        return arrow.stream_table(data, **chosen)
    if frame.implementation.is_pandas():
        return PandasTable(frame.to_native(), **chosen)
    return arrow.frame_table(frame, **chosen)


def dataset_table(data: Any, **chosen: Any) -> Table:
    require("pyarrow", "tables", f"A {type(data).__name__}")
    from edgewise.tables import arrow

    return arrow.dataset_table(data, **chosen)

"""From whatever the user passed to a source."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import Any

from edgewise.errors import DataTypeError, ParameterError
from edgewise.rows.readers.arrays import ArraySource
from edgewise.rows.table import Source

# What people have in hand one step before they have rows.
_NOT_YET_ROWS = {
    "LazyFrame": "what its collect() gives",
    "DuckDBPyConnection": "a query, as in connection.sql(...)",
    "Connection": "an ADBC cursor that has executed a query, or the data frame of one",
}


def as_source(
    data: Any,
    *,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
) -> Source:
    """A source of the rows in an array, a frame, an Arrow stream, a path, paths or an iterator.

    Of its columns it has those in `columns` (all where None) that are not in `exclude`.
    """
    chosen: dict[str, Any] = {"columns": columns, "exclude": exclude}
    if isinstance(data, Source):
        if columns is not None or exclude is not None:
            raise ParameterError(
                "columns, exclude: expected with a table, an array or files, got a source; choose "
                "the columns where it is made."
            )
        return data
    if is_path_like(data):
        from edgewise.rows.readers.files import FileSource

        return FileSource([data] if isinstance(data, str | os.PathLike) else data, **chosen)
    if _is_pandas(data):
        from edgewise.rows.readers.frames import PandasSource

        return PandasSource(data, **chosen)
    if hasattr(data, "__arrow_c_stream__"):
        from edgewise.rows.readers.arrow import ArrowSource

        return ArrowSource(data, **chosen)
    if hasattr(data, "__arrow_c_array__") and hasattr(data, "num_columns"):
        import pyarrow as pa

        from edgewise.rows.readers.arrow import ArrowSource

        return ArrowSource(pa.table(data), **chosen)
    if hasattr(data, "fetch_record_batch"):
        from edgewise.rows.readers.arrow import ArrowSource

        return ArrowSource(data.fetch_record_batch(), **chosen)  # a database cursor (ADBC)
    if hasattr(data, "read") and hasattr(data, "__next__"):
        raise DataTypeError(
            f"data: expected a path, got an open file ({type(data).__name__}); pass its name."
        )
    if hasattr(data, "__next__"):
        from edgewise.rows.readers.iterators import IteratorSource

        return IteratorSource(data, partial(as_source, **chosen))
    for kind, remedy in _NOT_YET_ROWS.items():
        if type(data).__name__ == kind:
            raise DataTypeError(f"data: expected rows, got a {kind}; pass {remedy}.")
    return ArraySource(data, **chosen)


def is_path_like(data: Any) -> bool:
    """A path, or a non-empty list of paths."""
    items = data if isinstance(data, list | tuple) and data else [data]
    return all(isinstance(item, str | os.PathLike) for item in items)


def _is_pandas(data: Any) -> bool:
    return (
        type(data).__module__.partition(".")[0] == "pandas"
        and hasattr(data, "iloc")
        and (hasattr(data, "columns"))
    )

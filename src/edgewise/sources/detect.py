"""From whatever the user passed to a source."""

from __future__ import annotations

import os
from typing import Any

from edgewise.sources.arrays import ArraySource
from edgewise.sources.source import Source


def as_source(data: Any) -> Source:
    """A source of the rows in an array, a data frame, an Arrow stream, a path or paths."""
    if isinstance(data, Source):
        return data
    if is_path_like(data):
        from edgewise.sources.files import read_files

        return read_files([data] if isinstance(data, str | os.PathLike) else data)
    # __dataframe__ alone (very old frames) is left to NumPy's own conversion.
    if hasattr(data, "__arrow_c_stream__") or _is_frame(data):
        from edgewise.sources.tables import TableSource, arrow_table

        return TableSource(arrow_table(data))
    return ArraySource(data)


def is_path_like(data: Any) -> bool:
    """A path, or a non-empty list of paths."""
    items = data if isinstance(data, list | tuple) and data else [data]
    return all(isinstance(item, str | os.PathLike) for item in items)


def _is_frame(data: Any) -> bool:
    return type(data).__module__.startswith("pandas") and hasattr(data, "columns")

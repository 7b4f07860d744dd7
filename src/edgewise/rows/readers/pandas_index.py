"""The row labels that pandas writes as a column of an Arrow schema."""

from __future__ import annotations

import json
from typing import Any


def pandas_index(schema: Any) -> tuple[str, ...]:
    """The columns of a schema that hold the index of a pandas data frame.

    Examples
    --------
    >>> import pyarrow as pa
    >>> told = {"pandas": '{"index_columns": ["day"]}'}
    >>> pandas_index(pa.schema([("a", pa.float64()), ("day", pa.int64())], metadata=told))
    ('day',)
    """
    try:
        told = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))
        columns = told["index_columns"]
    except (ValueError, KeyError, TypeError):
        return ()
    return tuple(name for name in columns if isinstance(name, str) and name in schema.names)


def index_notes(index: tuple[str, ...]) -> tuple[str, ...]:
    """What to tell about them."""
    return tuple(
        f"its column {name!r} is the index of a pandas data frame and is left out (columns=..., "
        "--columns, names it to keep it)"
        for name in index
    )

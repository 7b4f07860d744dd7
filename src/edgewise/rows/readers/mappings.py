"""Columns in a mapping, records, and structured arrays: all become a mapping of columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from edgewise._base.checks import check_names
from edgewise._base.text import listed
from edgewise._base.types import AnyArray
from edgewise.errors import DataError
from edgewise.rows.block import ColumnBlock, Piece, Rows
from edgewise.rows.readers.sliced import RowSource
from edgewise.rows.values import check_column


class MappingRows(RowSource):
    """A mapping of names to columns of equal length."""

    def __init__(self, data: Mapping[Any, Any]) -> None:
        self.names = check_names(data)
        if not self.names:
            raise DataError("X: expected columns, got an empty mapping; give it two or more.")
        self._values = dict(zip(self.names, data.values(), strict=True))
        for name, values in self._values.items():
            _check_is_column(name, values)
        lengths = {name: len(values) for name, values in self._values.items()}
        self.n_rows = lengths[self.names[0]]
        other = [f"{name!r} with {n}" for name, n in lengths.items() if n != self.n_rows]
        if other:
            raise DataError(
                f"X: expected columns of equal length, got {self.names[0]!r} with {self.n_rows} "
                f"values and {listed(other)}; give every column one value for each row."
            )
        _check_aligned(self._values)

    def choose(self, names: Sequence[str]) -> None:
        self._columns = [check_column(self._values[name], name) for name in names]

    def rows(self, start: int, stop: int) -> Rows:
        return ColumnBlock([Piece(self._columns, start, stop)], len(self._columns))

    def labels(self, name: str) -> Iterable[Any]:
        values = self._values[name]
        return values if isinstance(values, list | tuple) else np.asarray(values)


def _check_is_column(name: str, values: Any) -> None:
    shape = getattr(values, "shape", None)
    plain = isinstance(values, str | bytes | Mapping) or not hasattr(values, "__len__")
    if plain or (shape is not None and len(shape) != 1):
        what = type(values).__name__ if not shape else f"a table of shape {tuple(shape)}"
        raise DataError(
            f"X: expected a mapping of columns, got {what} under {name!r}; give each name an array "
            f"of one value for each row, or pass that one alone, data[{name!r}]."
        )


def _check_aligned(columns: Mapping[str, Any]) -> None:
    """Refuse series of pandas whose rows are not the same: only pandas can put them in order."""
    indexed = [
        (name, values.index)
        for name, values in columns.items()
        if type(values).__module__.partition(".")[0] == "pandas" and hasattr(values, "iloc")
    ]
    for name, index in indexed[1:]:
        if not index.equals(indexed[0][1]):
            raise DataError(
                f"X: expected series with the same index, got {indexed[0][0]!r} and {name!r} with "
                "different ones; pass pandas.DataFrame(data), which puts their rows in order."
            )


class RecordRows(MappingRows):
    """Records, each a mapping; a key that a record lacks is a missing value."""

    def __init__(self, data: Sequence[Mapping[Any, Any]]) -> None:
        other = next((one for one in data if not isinstance(one, Mapping)), None)
        if other is not None:
            raise DataError(
                f"X: expected only records, each a mapping, got a list that also holds "
                f"{type(other).__name__}; make it one, or leave it out."
            )
        keys = dict.fromkeys(key for record in data for key in record)
        super().__init__({key: [record.get(key) for record in data] for key in keys})


class NamedTupleRows(RecordRows):
    """Named tuples, or rows that a database gave."""

    def __init__(self, data: Sequence[Any]) -> None:
        names = check_names(fields_of(data[0]) or ())
        super().__init__([dict(zip(names, row, strict=False)) for row in data])


def fields_of(row: Any) -> tuple[str, ...] | None:
    """The names of the values of a named tuple or of a row of a database; None without names."""
    kind = type(row)
    if hasattr(kind, "_fields"):  # a named tuple, or a row of SQLAlchemy
        return tuple(map(str, row._fields))
    return tuple(row.keys()) if kind.__module__ == "sqlite3" else None


class StructuredRows(MappingRows):
    """A one-dimensional structured or record array: its fields are the columns."""

    def __init__(self, data: AnyArray) -> None:
        fields = data.dtype.names or ()
        if data.ndim != 1:
            raise DataError(
                f"X: expected a structured array of one dimension, got shape {data.shape}; pass "
                "data.ravel()."
            )
        super().__init__({name: data[name] for name in fields})

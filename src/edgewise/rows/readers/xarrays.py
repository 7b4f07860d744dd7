"""Labelled arrays of xarray: a 2-D `DataArray`, or a `Dataset` of 1-D variables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from edgewise._base.checks import check_names, default_names
from edgewise._base.text import listed
from edgewise.errors import DataError
from edgewise.rows.block import ColumnBlock, Piece, Rows
from edgewise.rows.readers.sliced import RowSource
from edgewise.rows.values import check_column, check_rows

# Dimensions along which people repeat measurements.
_OF_ROWS = frozenset(
    {"time", "t", "times", "date", "obs", "observation", "observations", "sample", "samples"}
    | {"row", "rows", "case", "cases", "trial", "trials", "epoch", "subject", "replicate"}
)


def _is_of_rows(dimension: Any) -> bool:
    return str(dimension).lower() in _OF_ROWS


class DataArrayRows(RowSource):
    """A 2-D `DataArray`: the first dimension are the rows, the second one the columns.

    The coordinate of the second dimension has the names of the columns. Coordinates along the
    first one are labels. An array on disk, or one of Dask, is computed a block at a time.
    """

    def __init__(self, data: Any) -> None:
        if data.ndim != 2:
            raise DataError(
                "X: expected a DataArray of two dimensions, rows and columns, got "
                f"{data.ndim} ({listed([*map(repr, data.dims)])}); {_remedy(data)}."
            )
        self._array = data
        along_rows, along_columns = data.dims
        self.named = along_columns in data.coords
        self.names = default_names(data.shape[1])
        if self.named:
            self.names = check_names(_names_along(data, along_rows, along_columns))
        if _is_of_rows(along_columns) and not _is_of_rows(along_rows):
            raise DataError(
                f"X: expected the rows along the first dimension, got {along_rows!r} before "
                f"{along_columns!r}, whose points would be the variables; pass "
                f"data.transpose({along_columns!r}, {along_rows!r})."
            )
        self.label_names = _labels_along(data, along_rows)
        self.in_memory = data.chunks is None

    @property
    def n_rows(self) -> int:
        return int(self._array.shape[0])

    def choose(self, names: Sequence[str]) -> None:
        self._chosen = self._array.variable
        if tuple(names) != self.names:
            place = {name: i for i, name in enumerate(self.names)}
            self._chosen = self._chosen[:, [place[name] for name in names]]

    def rows(self, start: int, stop: int) -> Rows:
        return check_rows(np.asarray(self._chosen[start:stop]))

    def labels(self, name: str) -> Iterable[Any]:
        if name in self.label_names:
            return np.asarray(_coordinate(self._array, name))
        return np.asarray(self._array.variable[:, self.names.index(name)])


class DatasetRows(RowSource):
    """A `Dataset` whose variables all have the same single dimension: they are the columns."""

    def __init__(self, data: Any) -> None:
        self._data = data
        self._variables = {str(name): data[name] for name in data.data_vars}
        self.names = check_names(data.data_vars)
        if not self.names:
            raise DataError("X: expected a Dataset with variables, got one without; add some.")
        # The rows lie along one dimension; other coordinates say nothing about them.
        first = next((one for one in self._variables.values() if one.ndim == 1), None)
        self._dim = None if first is None else first.dims[0]
        self.label_names = () if first is None else _labels_along(data, self._dim)
        self.in_memory = not data.chunks

    @property
    def n_rows(self) -> int:
        return len(next(iter(self._chosen.values())))

    def choose(self, names: Sequence[str]) -> None:
        chosen = {name: self._variables[name] for name in names}
        dims = {one.dims for one in chosen.values()}
        if len(dims) > 1 or any(len(dim) != 1 for dim in dims):
            found = [f"{name!r} over {one.dims}" for name, one in chosen.items()]
            raise DataError(
                "X: expected a Dataset whose variables share one dimension, the rows, got "
                f"{listed(found)}; pass one 2-D variable, data['name'], or choose some with "
                "columns."
            )
        self._chosen = {name: one.variable for name, one in chosen.items()}

    def rows(self, start: int, stop: int) -> Rows:
        columns = [
            check_column(np.asarray(one[start:stop]), name) for name, one in self._chosen.items()
        ]
        return ColumnBlock([Piece(columns, 0, stop - start)], len(columns))

    def labels(self, name: str) -> Iterable[Any]:
        if name in self._variables:
            return np.asarray(self._variables[name])
        return np.asarray(_coordinate(self._data, name))


def _remedy(data: Any) -> str:
    """What to pass in place of an array of one or three dimensions."""
    if data.ndim < 2:
        return "pass an array of several columns"
    last = data.dims[-1]
    return (
        f"stack the others, data.stack(rows={[*data.dims[:-1]]}).transpose('rows', {last!r}), and "
        "pass groups if their rows depend"
    )


def _names_along(data: Any, rows: Any, columns: Any) -> list[Any]:
    values = np.asarray(data[columns])
    # Numbers of time along the columns mean that the array lies on its side.
    if values.dtype.kind in "mM":
        raise DataError(
            f"X: expected rows first and columns second, got times along {columns!r}, the second "
            f"dimension; pass data.transpose({columns!r}, {rows!r})."
        )
    return list(values.tolist())


def _labels_along(data: Any, dim: Any) -> tuple[str, ...]:
    return tuple(str(name) for name, values in data.coords.items() if values.dims == (dim,))


def _coordinate(data: Any, name: str) -> Any:
    return next(values for key, values in data.coords.items() if str(key) == name)

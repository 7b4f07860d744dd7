"""Labelled arrays: a 2-D `DataArray` of xarray, and the matrix of an AnnData."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from edgewise._base.checks import check_names, default_names
from edgewise.errors import DataError
from edgewise.rows.block import Rows
from edgewise.rows.readers.sliced import RowSource
from edgewise.rows.readers.sparse import dense, is_sparse, warn_about_memory
from edgewise.rows.values import check_rows


class DataArrayRows(RowSource):
    """A 2-D `DataArray`: rows and columns; coordinates along the rows are labels.

    What is on disk, or in chunks of Dask, is computed a block at a time.
    """

    def __init__(self, data: Any) -> None:
        if data.ndim != 2:
            raise DataError(
                "X: expected a DataArray of two dimensions, rows and columns, got dimensions "
                f"{data.dims}; stack those of the rows, data.stack(rows=[...]).transpose('rows', "
                "...), and pass groups if their rows depend."
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
        self.names = check_names(names)
        self._along = {str(name): one for name, one in data.coords.items() if one.dims == (rows,)}
        self.label_names = tuple(self._along)
        self.in_memory = data.chunks is None
        self._all, self.n_rows = data.variable, int(data.shape[0])

    def choose(self, names: Sequence[str]) -> None:
        every = tuple(names) == self.names
        self._chosen = self._all if every else self._all[:, list(map(self.names.index, names))]

    def rows(self, start: int, stop: int) -> Rows:
        return check_rows(np.asarray(self._chosen[start:stop]))

    def labels(self, name: str) -> Iterable[Any]:
        found = self._along.get(name)
        return np.asarray(self._all[:, self.names.index(name)] if found is None else found)


class AnnDataRows(RowSource):
    """The matrix ``X`` of an `AnnData`, also sparse or backed; columns of ``obs`` are labels."""

    def __init__(self, data: Any) -> None:
        if data.X is None:
            raise DataError(
                "X: expected an AnnData with a matrix X, got one without; pass data.layers['name'] "
                "and feature_names=data.var_names."
            )
        self.names = check_names(data.var_names)
        self._labels = {str(name): data.obs[name] for name in data.obs.columns}
        self.label_names = tuple(self._labels)
        self.n_rows = int(data.n_obs)
        self._all = data.X.tocsr() if is_sparse(data.X) else data.X
        self.in_memory = isinstance(self._all, np.ndarray) or is_sparse(self._all)

    def choose(self, names: Sequence[str]) -> None:
        every = tuple(names) == self.names
        self._places = slice(None) if every else list(map(self.names.index, names))
        if not isinstance(self._all, np.ndarray):
            warn_about_memory(self.n_rows, len(names))

    def rows(self, start: int, stop: int) -> Rows:
        return check_rows(dense(self._all[start:stop])[:, self._places])

    def labels(self, name: str) -> Iterable[Any]:
        if name in self._labels:
            return np.asarray(self._labels[name])
        return np.asarray(dense(self._all[:, [self.names.index(name)]])[:, 0])

"""Annotated data of single cells: observations are the rows, variables (genes) the columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from edgewise._base.checks import check_choice
from edgewise._base.text import listed
from edgewise.errors import DataError
from edgewise.rows.block import Rows
from edgewise.rows.readers.sliced import RowSource, SlicedTable
from edgewise.rows.readers.sparse import chosen_columns, dense, is_sparse, tell_memory
from edgewise.rows.values import check_rows


class AnnDataRows(RowSource):
    """The matrix ``X`` of an `AnnData`, or one of its layers, dense or sparse.

    The columns are called by ``var_names``. The columns of ``obs`` are labels. In backed mode the
    file is read a block of rows at a time.

    Parameters
    ----------
    data : anndata.AnnData
        The cells and their genes.
    layer : str, optional
        The layer to read in place of ``X``.
    """

    def __init__(self, data: Any, layer: str | None = None) -> None:
        self._data = data
        self._matrix = _rows_first(_matrix(data, layer))
        if not data.var_names.is_unique:
            twice = data.var_names[data.var_names.duplicated()].unique()
            raise DataError(
                f"X: expected every variable once, got {listed([repr(name) for name in twice])} "
                "more than once; call data.var_names_make_unique() first."
            )
        self.names = tuple(str(name) for name in data.var_names)
        self.label_names = tuple(str(name) for name in data.obs.columns)
        self._in_file = not (isinstance(self._matrix, np.ndarray) or is_sparse(self._matrix))
        self.in_memory = not self._in_file

    @property
    def n_rows(self) -> int:
        return int(self._matrix.shape[0])

    def choose(self, names: Sequence[str]) -> None:
        self._chosen = tuple(names)
        if not self._in_file:  # once, and not in every block
            self._matrix = chosen_columns(self._matrix, self.names, self._chosen)
        if not isinstance(self._matrix, np.ndarray):
            tell_memory(self.n_rows, len(names))

    def rows(self, start: int, stop: int) -> Rows:
        block = self._matrix[start:stop]
        if self._in_file:
            block = chosen_columns(block, self.names, self._chosen)
        return check_rows(dense(block))

    def labels(self, name: str) -> Iterable[Any]:
        if name in self.label_names:
            return np.asarray(self._data.obs.iloc[:, self.label_names.index(name)])
        return np.asarray(dense(self._data[:, [name]].X)[:, 0])


def anndata_table(data: Any, layer: str | None = None, **chosen: Any) -> SlicedTable:
    """A table of ``X``, or of a layer; `chosen` says which columns, as for every table."""
    return SlicedTable(AnnDataRows(data, layer), **chosen)


def _matrix(data: Any, layer: str | None) -> Any:
    layers = sorted(data.layers)
    if layer is not None:
        check_choice("layer", layer, layers)
        return data.layers[layer]
    if data.X is None:
        has = f"its layers: {listed([*map(repr, layers)])}" if layers else "no layers either"
        raise DataError(
            f"X: expected an AnnData with a matrix X, got one without ({has}); set it, as in "
            "data.X = data.layers['name']."
        )
    return data.X


def _rows_first(matrix: Any) -> Any:
    """A matrix that gives rows without a search; one that is stored by column is turned."""
    kind = type(matrix).__name__
    if "CSC" in kind and hasattr(matrix, "to_memory"):  # in a file
        return matrix.to_memory().tocsr()
    return matrix.tocsr() if is_sparse(matrix) else matrix

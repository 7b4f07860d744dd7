"""Annotated data of single cells: observations are the rows, variables (genes) the columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from edgewise._base.checks import check_choice
from edgewise._base.text import listed
from edgewise.errors import DataError
from edgewise.rows.block import Rows
from edgewise.rows.readers.sliced import RowSource
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
        if layer is not None:
            check_choice("layer", layer, sorted(data.layers))
        if not data.var_names.is_unique:
            twice = data.var_names[data.var_names.duplicated()].unique()
            raise DataError(
                f"X: expected every variable once, got {listed([repr(name) for name in twice])} "
                "more than once; call data.var_names_make_unique() first."
            )
        self._data, self._layer = data, layer
        self.names = tuple(str(name) for name in data.var_names)
        self.label_names = tuple(str(name) for name in data.obs.columns)

    @property
    def n_rows(self) -> int:
        return int(self._data.n_obs)

    def choose(self, names: Sequence[str]) -> None:
        matrix = _rows_first(_matrix(self._data, self._layer))
        self.in_memory = isinstance(matrix, np.ndarray) or is_sparse(matrix)
        if self.in_memory:  # once, and not in every block
            matrix = chosen_columns(matrix, self.names, names)
        if is_sparse(matrix) or hasattr(matrix, "to_memory"):  # in memory, or in a file
            tell_memory(self.n_rows, len(names))
        self._matrix, self._chosen = matrix, tuple(names)

    def rows(self, start: int, stop: int) -> Rows:
        block = self._matrix[start:stop]
        if not self.in_memory:
            block = chosen_columns(block, self.names, self._chosen)
        return check_rows(dense(block))

    def labels(self, name: str) -> Iterable[Any]:
        if name in self.label_names:
            return np.asarray(self._data.obs.iloc[:, self.label_names.index(name)])
        return dense(_matrix(self._data[:, [name]], self._layer))[:, 0]


def _matrix(data: Any, layer: str | None) -> Any:
    if layer is not None:
        return data.layers[layer]
    if data.X is None:
        layers = sorted(data.layers)
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

"""Sparse matrices and arrays of SciPy, made dense a block of rows at a time.

The sums over them are dense: a covariance matrix takes 8 p² bytes, and a test holds several.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from edgewise._base.checks import default_names
from edgewise._base.types import AnyArray
from edgewise._base.warn import warn
from edgewise.errors import DataError, DataTypeError, EdgewiseWarning
from edgewise.rows.block import Rows
from edgewise.rows.readers.sliced import RowSource


class SparseRows(RowSource):
    """A sparse matrix or array of any format, of two dimensions."""

    named = False

    def __init__(self, data: Any) -> None:
        if len(data.shape) != 2:
            raise DataError(
                f"X: expected a sparse matrix of rows and columns, got {len(data.shape)}D of shape "
                f"{data.shape}; reshape it first."
            )
        if data.dtype.kind not in "fiub":
            raise DataTypeError(
                f"X: expected a sparse matrix of real numbers, got dtype {data.dtype}; convert it "
                "first."
            )
        self.names = default_names(data.shape[1])
        self._rows = data.tocsr()  # only this format gives rows without a search
        self.n_rows = int(data.shape[0])

    def choose(self, names: Sequence[str]) -> None:
        every = tuple(names) == self.names
        places = None if every else list(map(self.names.index, names))
        self._chosen = self._rows if places is None else self._rows[:, places]
        warn_about_memory(self.n_rows, len(names))

    def rows(self, start: int, stop: int) -> Rows:
        return dense(self._chosen[start:stop])

    def labels(self, name: str) -> Iterable[Any]:
        return dense(self._rows[:, [self.names.index(name)]])[:, 0]


def warn_about_memory(n_rows: int, n_features: int) -> None:
    """Warn that sums over sparse rows are dense, if they take a gigabyte or more.

    With fewer rows than columns nothing is summed, since such data cannot be tested.
    """
    gigabytes = 8 * n_features**2 / 1e9
    if gigabytes >= 1 and n_rows > n_features:
        warn(
            f"X: {n_features:,} sparse columns have a dense covariance matrix of {gigabytes:.1f} "
            "GB, and a test holds several such matrices; choose fewer columns (columns=... of "
            "edge_test) if that does not fit in memory.",
            EdgewiseWarning,
        )


def dense(rows: Any) -> AnyArray:
    """A block of rows as an array, whether it is sparse or not."""
    return np.asarray(rows.toarray() if is_sparse(rows) else rows)


def is_sparse(data: Any) -> bool:
    """Whether `data` is sparse in the way of SciPy."""
    return hasattr(data, "toarray") and hasattr(data, "tocsr")

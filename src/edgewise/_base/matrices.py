"""Symmetric matrices: their pairs, and the units of a precision matrix."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from edgewise._base.types import AnyArray, FloatArray

#: If other columns leave less than this share of a column's variance, the rest is rounding.
COLLINEAR = 1e-13
# Rows and columns that are turned at once.
_TILE = 512


@lru_cache(maxsize=4)  # a small test asks for them several times
def upper_pairs(p: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Rows and columns of the entries above the diagonal, row by row: each pair once."""
    rows, columns = np.triu_indices(p, k=1)
    rows.flags.writeable = columns.flags.writeable = False
    return rows, columns


def pairs_of(matrix: AnyArray) -> AnyArray:
    """The entries above the diagonal, row by row; of a stack of matrices, those of each."""
    rows, columns = upper_pairs(matrix.shape[-1])
    return np.asarray(matrix[..., rows, columns])


def symmetric(values: AnyArray, p: int, diagonal: AnyArray | float | None = None) -> AnyArray:
    """The symmetric p × p matrix with these values above its diagonal, row by row.

    Without a `diagonal` the values include it: there are p(p+1)/2 of them, not p(p−1)/2.
    """
    rows, columns = np.triu_indices(p) if diagonal is None else upper_pairs(p)
    kind = values.dtype if diagonal is None else np.result_type(values, diagonal)
    matrix = np.empty((p, p), kind)
    matrix[rows, columns] = matrix[columns, rows] = values
    if diagonal is not None:
        np.fill_diagonal(matrix, diagonal)
    return matrix


def root_outer(matrix: FloatArray) -> FloatArray:
    """√(M_iiM_jj) for all pairs: the units of the entries of a precision or covariance matrix."""
    root = np.sqrt(matrix.diagonal())
    return np.outer(root, root)


def population_covariance(covariance: FloatArray, n_samples: int) -> FloatArray:
    """The unbiased covariance with divisor n in place of n − 1: the mean of ccᵀ."""
    return np.asarray(covariance * ((n_samples - 1) / n_samples))


def mirror_lower(matrix: FloatArray) -> None:
    """Copy the lower triangle to the upper one, in place."""
    for start in range(0, len(matrix), _TILE):
        rows = slice(start, start + _TILE)
        matrix[:start, rows] = matrix[rows, :start].T
        square = matrix[rows, rows]
        square[...] = np.where(np.tri(len(square), dtype=np.bool_), square, square.T)


def add_transpose(matrix: FloatArray) -> FloatArray:
    """M + Mᵀ, in the memory of M: a few rows and columns at a time."""
    p = len(matrix)
    for i in range(0, p, _TILE):
        for j in range(i, p, _TILE):
            rows, columns = slice(i, i + _TILE), slice(j, j + _TILE)
            both = matrix[rows, columns] + matrix[columns, rows].T
            matrix[rows, columns], matrix[columns, rows] = both, both.T
    return matrix


def off_diagonal(p: int) -> npt.NDArray[np.bool_]:
    """True everywhere but on the diagonal."""
    return ~np.eye(p, dtype=bool)

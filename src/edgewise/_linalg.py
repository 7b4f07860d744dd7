"""Arrays, symmetric matrices and their inverses."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
IndexArray: TypeAlias = npt.NDArray[np.integer[Any]]
AnyArray: TypeAlias = npt.NDArray[Any]


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


@lru_cache(maxsize=4)
def _above_diagonal(p: int) -> BoolArray:
    return ~np.tri(p, dtype=np.bool_)


def mirror_lower(matrix: FloatArray) -> None:
    """Copy the lower triangle to the upper one, in place."""
    for start in range(0, len(matrix), _TILE):
        rows = slice(start, start + _TILE)
        matrix[:start, rows] = matrix[rows, :start].T
        square = matrix[rows, rows]
        np.copyto(square, square.T, where=_above_diagonal(len(square)))


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


# From so many columns on, Cholesky's factors are worth a call for each matrix.
_MANY_COLUMNS = 48


def symmetric_inverses(matrices: FloatArray) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """The inverse of each matrix of a stack, and whether it is positive definite.

    The inverse of one that is not means nothing. Cholesky's factors take a third of the operations
    of NumPy's inverse, which knows nothing of symmetry.
    """
    k, p, _ = matrices.shape
    if p < _MANY_COLUMNS:
        try:
            found: FloatArray = np.linalg.inv(matrices).astype(np.float64, copy=False)
        except np.linalg.LinAlgError:
            return np.empty_like(matrices), np.zeros(k, dtype=bool)
        return found, np.asarray((np.diagonal(found, axis1=1, axis2=2) > 0).all(axis=1))
    from scipy.linalg.lapack import dpotrf, dpotri

    inverse, definite = np.empty_like(matrices), np.zeros(k, dtype=bool)
    for number, matrix in enumerate(matrices):
        # The transpose is in the order of memory that LAPACK wants, and the same matrix.
        factor, failed = dpotrf(matrix.T, lower=0, clean=0)
        if not failed:
            made, failed = dpotri(factor, lower=0, overwrite_c=1)
            inverse[number] = made.T
            mirror_lower(inverse[number])
        definite[number] = not failed
    return inverse, definite

"""Symmetric matrices over pairs of variables: their entries above the diagonal, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from edgewise._base.types import AnyArray, FloatArray


def pairs_above(p: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Rows and columns of the entries above the diagonal, row by row: each pair once."""
    return np.triu_indices(p, k=1)


def entries_above(matrix: AnyArray) -> AnyArray:
    """The entries above the diagonal of a symmetric matrix: each pair once.

    Examples
    --------
    >>> import numpy as np
    >>> entries_above(np.array([[1, 2, 3], [2, 4, 5], [3, 5, 6]]))
    array([2, 3, 5])
    """
    return matrix[pairs_above(len(matrix))]


def symmetric(above: Any, p: int, diagonal: float = np.nan) -> FloatArray:
    """A p × p matrix from the values above its diagonal.

    Examples
    --------
    >>> symmetric([2.0, 3.0, 5.0], 3, diagonal=1.0)
    array([[1., 2., 3.],
           [2., 1., 5.],
           [3., 5., 1.]])
    """
    full = np.full((p, p), diagonal)
    rows, columns = pairs_above(p)
    full[rows, columns] = full[columns, rows] = above
    return full


def off_diagonal(p: int) -> npt.NDArray[np.bool_]:
    """True everywhere but on the diagonal."""
    return ~np.eye(p, dtype=bool)


def root_products(precision: FloatArray) -> FloatArray:
    """√(Θ_iiΘ_jj): what a partial correlation of one is as an entry of Θ."""
    root = np.sqrt(precision.diagonal())
    return np.outer(root, root)

"""Inverses of many symmetric matrices."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from edgewise._base.types import FloatArray

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
    lower = _lower_places(p)
    for number, matrix in enumerate(matrices):
        # The transpose is in the order of memory that LAPACK wants, and the same matrix.
        factor, failed = dpotrf(matrix.T, lower=0, clean=0)
        if not failed:
            made, failed = dpotri(factor, lower=0, overwrite_c=1)
            made.T.take(lower, out=inverse[number], mode="clip")
        definite[number] = not failed
    return inverse, definite


@lru_cache(maxsize=1)
def _lower_places(p: int) -> npt.NDArray[np.intp]:
    """For each entry of a p × p matrix, the place of its equal in the lower triangle."""
    row, column = np.indices((p, p))
    places: npt.NDArray[np.intp] = np.maximum(row, column) * p + np.minimum(row, column)
    places.flags.writeable = False
    return places

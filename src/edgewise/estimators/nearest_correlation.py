"""The nearest correlation matrix that is positive definite."""

from __future__ import annotations

import numpy as np

from edgewise._base.types import FloatArray

_MOST_STEPS, _CLOSE = 1000, 1e-10


def nearest_correlation(matrix: FloatArray, smallest: float = 0.0) -> FloatArray:
    """The nearest matrix with ones on the diagonal and no eigenvalue below `smallest`.

    Nearest in the Frobenius norm, by alternating projections on the two sets with Dykstra's
    correction (Higham, IMA J. Numer. Anal. 2002).

    Parameters
    ----------
    matrix : ndarray of shape (p, p)
        A symmetric matrix.
    smallest : float
        The least eigenvalue, between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> R = np.array([[1.0, 0.9, 0.2], [0.9, 1.0, 0.9], [0.2, 0.9, 1.0]])
    >>> nearest_correlation(R).round(3).tolist()[0]
    [1.0, 0.796, 0.266]
    """
    nearest, correction = matrix.copy(), np.zeros_like(matrix)
    for _ in range(_MOST_STEPS):
        before = nearest
        moved = nearest - correction
        values, vectors = np.linalg.eigh(moved)
        definite = (vectors * np.maximum(values, smallest)) @ vectors.T
        correction = definite - moved
        nearest = (definite + definite.T) / 2
        np.fill_diagonal(nearest, 1.0)
        if np.abs(nearest - before).max() < _CLOSE:
            break
    # The last step set the diagonal, which can lower eigenvalues by as much as it changed it.
    lowest = float(np.linalg.eigvalsh(nearest)[0])
    if lowest < smallest:
        share = (smallest - lowest) / (1 - lowest)
        nearest = (1 - share) * nearest
        np.fill_diagonal(nearest, 1.0)
    return nearest

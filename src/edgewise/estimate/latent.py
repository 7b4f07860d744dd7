"""The precision matrix of latent variables, from the order of rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from edgewise._linalg import FloatArray
from edgewise.errors import DataError
from edgewise.estimate.inverse import PrecisionEstimate, estimate_precision
from edgewise.sums.concordance import Concordance, kendall_tau
from edgewise.sums.moments import Moments

_MOST_STEPS, _CLOSE = 1000, 1e-10


def nearest_correlation(matrix: FloatArray, smallest: float = 0.0) -> FloatArray:
    """The nearest correlation matrix, no eigenvalue below `smallest` (Higham 2002)."""
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


# The least eigenvalue of what replaces a matrix that is not positive definite.
_SMALLEST = 0.01
# τ of columns of which one is an increasing or decreasing function of the other.
_SAME_ORDER = 1 - 1e-12


def latent_estimate(
    concordance: Concordance, names: Sequence[str]
) -> tuple[PrecisionEstimate, bool]:
    """Invert sin(πτ/2), or replace it first by the nearest positive definite correlation matrix."""
    constant = np.flatnonzero(concordance.total.diagonal() == 0)
    if constant.size:
        more = f" (and {constant.size - 1} more)" if constant.size > 1 else ""
        raise DataError(
            f"X: expected columns that vary, got the constant column {names[constant[0]]!r}{more}; "
            "drop it."
        )
    tau = np.triu(kendall_tau(concordance.total), k=1)
    alike = np.argwhere(np.abs(tau) >= _SAME_ORDER)
    if len(alike):
        i, j = alike[0]
        order = "the same order" if tau[i, j] > 0 else "opposite orders"
        raise DataError(
            f"X: columns {names[i]!r} and {names[j]!r} put the rows in {order}, so each is a "
            "function of the other; drop one of them."
        )
    correlation = concordance.correlation()
    replaced = not definite(correlation)
    if replaced:
        correlation = nearest_correlation(correlation, _SMALLEST)
    moments = Moments.from_covariance(concordance.n_samples, correlation)
    return estimate_precision(moments, names), replaced


def definite(matrices: FloatArray) -> bool:
    try:
        np.linalg.cholesky(matrices)
    except np.linalg.LinAlgError:
        return False
    return True

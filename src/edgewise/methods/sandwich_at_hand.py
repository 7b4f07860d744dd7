"""The sandwich of few rows in memory, quickly: permutations need it thousands times.

The same numbers as `sandwich.py` gives from any table with `own_scale`, to rounding.
"""

from __future__ import annotations

import numpy as np

from edgewise._base.matrices import pairs_of
from edgewise._base.types import FloatArray
from edgewise.kernels.pairs import strong_pairs
from edgewise.kernels.score_weight import row_tau, score_weight
from edgewise.methods.sandwich import NEARLY_ONE

_LEAST = 1e-10  # of 1 − h, as in kernels/leverage.py


def fisher_z_of_rows(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Fisher's z of every pair above the diagonal, and its variance, never below the Gaussian one.

    Without an inverse of the covariance, such as with a constant column, they are NaN.
    """
    n, p = X.shape
    centred = X - X.mean(axis=0)
    scale = np.sqrt(np.einsum("ki,ki->i", centred, centred) / (n - 1))
    pairs = p * (p - 1) // 2
    with np.errstate(all="ignore"):
        centred /= scale
        try:
            inverse = np.linalg.inv(centred.T @ centred / (n - 1))
        except np.linalg.LinAlgError:
            return np.full(pairs, np.nan), np.full(pairs, np.nan)
        root = np.sqrt(inverse.diagonal())
        rho = pairs_of(-inverse / np.outer(root, root))
        v = centred @ (inverse / root)
        second = _influence(v, np.einsum("ki,ki->k", centred, v * root), n, p, rho)
        z, variance = np.arctanh(rho), second / (n * (1 - rho) * (1 + rho)) ** 2
    return z, np.maximum(variance, 1 / max(n - p - 1, 1))


def _influence(v: FloatArray, quadratic: FloatArray, n: int, p: int, rho: FloatArray) -> FloatArray:
    """Σ w (v_iv_j + (ρ/2)(v_i² + v_j²))² of every pair; h = 1/n + cᵀΘc/(n − 1)."""
    complement = np.maximum(1 - 1 / n - quadratic / (n - 1), _LEAST)
    weight = score_weight(complement, row_tau((v * v).T, complement, n))
    factor = np.sqrt(weight)[:, np.newaxis]
    square = v * v * factor
    fourth = square.T @ square
    cube = (square * v).T @ (v * factor)
    ends = fourth.diagonal()
    both, sum_of_ends = pairs_of(fourth), pairs_of(np.add.outer(ends, ends))
    second = both + rho * pairs_of(cube + cube.T) + rho**2 / 4 * (sum_of_ends + 2 * both)
    if (np.abs(rho) > NEARLY_ONE).any():
        full = np.zeros((p, p))
        full[np.triu_indices(p, k=1)] = rho
        i, j = strong_pairs(full, NEARLY_ONE)
        r = full[i, j]
        a, b = v[:, i], v[:, j]
        # Written without terms that cancel.
        exact = (r / 2 * (a + np.sign(r) * b) ** 2 + (1 - np.abs(r)) * a * b) * factor
        second[np.abs(rho) > NEARLY_ONE] = np.einsum("ki,ki->i", exact, exact)
    return np.asarray(np.maximum(second, 0.0))

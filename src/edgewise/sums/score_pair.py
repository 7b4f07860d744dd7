"""The sums of the score test for a single pair of columns, from rows that are kept in memory."""

from __future__ import annotations

import numpy as np

from edgewise._linalg import AnyArray, FloatArray
from edgewise.sums.exact_score import weight_and_residuals
from edgewise.sums.leverage import Leverage
from edgewise.sums.score_sums import row_tau

# Rows worked on at once: vectors of them stay in a core's caches, and cost no new memory.
_ROWS = 8192


def one_pair_exactly(
    rows: FloatArray, columns: AnyArray, leverage: Leverage, r: float
) -> tuple[float, float, float]:
    """Σa², Σa⁴ and Σa⁶ of the terms a² = w e_i²e_j² of the first two of the chosen columns.

    What `all_pairs_exactly` sums for all pairs of these columns. `rows` are centred, all columns
    first; `leverage` is that of the chosen ones, and r the partial correlation.
    """
    n = rows.shape[1]
    if n <= _ROWS:
        return _sums(rows.take(columns, axis=0), leverage, r)
    second = fourth = sixth = 0.0
    for start in range(0, n, _ROWS):
        part = _sums(rows[columns, start : start + _ROWS], leverage, r)
        second += part[0]
        fourth += part[1]
        sixth += part[2]
    return second, fourth, sixth


def _sums(rows: FloatArray, leverage: Leverage, r: float) -> tuple[float, float, float]:
    n = leverage.n_samples
    v = leverage.B.T @ rows
    complement = leverage.complement(v, rows, rows)
    tau = row_tau(np.multiply(v, v, out=rows), complement, n)
    w, x, y, scale = weight_and_residuals(v[0], v[1], r, complement, tau, n)
    x *= y
    x *= x
    x *= w
    square = scale * scale
    second, fourth, sixth = float(np.add.reduce(x)), float(x @ x), float((x * x) @ x)
    return square * second, square**2 * fourth, square**3 * sixth

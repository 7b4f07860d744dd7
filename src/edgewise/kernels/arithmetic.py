"""Products and sums of a block of rows, in the memory order that is fast for it."""

from __future__ import annotations

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.rows.block import Rows

# From so many columns on, turning rows into columns costs more than it saves.
_ROWS_FIRST_FROM = 300


# Up to so many, two products are faster than one SYRK.
_FEW_FEATURES = 16


def scratch(rows: Rows, length: int, count: int, *, below: int = 0) -> FloatArray:
    """Memory for `count` × (p + below) × length numbers, features first.

    In memory, though, it is in the order of the rows where these are wide: copying them is then a
    matter of a stream.
    """
    p = rows.shape[1] + below
    in_rows = isinstance(rows, np.ndarray) and rows.strides[1] == rows.itemsize
    if in_rows and p >= _ROWS_FIRST_FROM:
        return np.empty((count, length, p)).transpose(0, 2, 1)
    return np.empty((count, p, length))


def mapped(B: FloatArray, z: FloatArray, out: FloatArray) -> FloatArray:
    """Bᵀz in the front columns of `out`, both from `scratch`."""
    front = out[:, : z.shape[1]]
    if front.strides[0] < front.strides[1]:  # in the order of the rows
        np.matmul(z.T, B, out=front.T)
    else:
        np.matmul(B.T, z, out=front)
    return front


def row_products(a: FloatArray, b: FloatArray) -> FloatArray:
    """Σ a_i b_i along each row of a and b, both from `scratch`."""
    # In the order of the rows a sum along that order would jump; `einsum` walks through memory.
    in_rows = a.strides[0] < a.strides[1]
    return np.asarray(np.einsum("ij,ij->i", a, b) if in_rows else np.vecdot(a, b))


def add_gram(total: FloatArray, z: FloatArray) -> None:
    """Add the lower triangle of z zᵀ to `total`; what is above it is not to be relied on."""
    half = z.shape[0] // 2
    if z.shape[0] <= _FEW_FEATURES:
        # OpenBLAS has a fast way for small products but not for small SYRKs, which NumPy would use.
        total[:half] += z[:half] @ z.T
        total[half:] += z[half:] @ z.T
    else:
        total += z @ z.T


def upper_products(c: FloatArray, out: FloatArray) -> FloatArray:
    """Products c_i c_j for i ≤ j in row-major order, one row of `out` each."""
    start = 0
    for i in range(c.shape[0]):
        stop = start + c.shape[0] - i
        np.multiply(c[i], c[i:], out=out[start:stop])
        start = stop
    return out


def mirrored(total: FloatArray) -> FloatArray:
    """The symmetric matrix of which `add_gram` made the lower triangle."""
    return np.asarray(np.tril(total) + np.tril(total, -1).T)

"""Products of the columns of a block and their sums; features run along the first axis."""

from __future__ import annotations

import numpy as np

from edgewise._linalg import FloatArray, mirror_lower

# Up to this size, two products are faster than one SYRK.
_FEW_FEATURES = 16


def row_products(a: FloatArray, b: FloatArray) -> FloatArray:
    """Σ a_i b_i along each row of a and b, summed in memory order."""
    # A sum along the rows could jump through memory; `einsum` reads it in order.
    in_rows = a.strides[0] < a.strides[1]
    return np.asarray(np.einsum("ij,ij->i", a, b) if in_rows else np.vecdot(a, b))


def add_gram(total: FloatArray, z: FloatArray) -> None:
    """Add the lower triangle of z zᵀ to `total`; the upper triangle is undefined."""
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
    """The symmetric matrix whose lower triangle `add_gram` made, in the same memory."""
    mirror_lower(total)
    return total

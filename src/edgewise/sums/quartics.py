"""Second pass: fourth-order moments of linearly transformed rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from edgewise._linalg import FloatArray
from edgewise.sums.centre import Centre
from edgewise.sums.leverage import left_out_factor
from edgewise.sums.loop import BlockMemory, mapped_blocks
from edgewise.sums.products import add_gram, row_products
from edgewise.tables.table import Rows, Summable, Sums, block_rows


@dataclass(frozen=True, eq=False, slots=True)
class CentralQuartics:
    """Fourth-order central moments: mean cᵢ⁴ of each column, and mean ‖c‖⁴."""

    columns: FloatArray
    norm: float


def transformed_quartics(
    rows: Summable, centre: Centre, A: FloatArray, *, whitened_by: int | None = None
) -> CentralQuartics:
    """mean w_i⁴ and mean ‖w‖⁴ of w = A(x − mean).

    With A = L⁻¹, Σ̂ = LLᵀ, ‖w‖² = (x−x̄)ᵀΘ̂(x−x̄), and mean ‖w‖⁴ is Mardia's multivariate kurtosis.
    Such rows can each be taken in units of Σ̂ without themselves (`left_out_factor`): `whitened_by`
    then is the number of rows.
    """
    one_pass = partial(_quartic_sums, centre=centre, A=A, whitened_by=whitened_by)
    n, columns, norm = rows.sums(one_pass)
    return CentralQuartics(columns / n, float(norm / n))


def square_products(batches: Iterator[Rows], centre: Centre, scale: FloatArray) -> Sums:
    """Σ z_i²z_j² of all pairs of columns, z = (x − mean) · scale; only its lower triangle."""
    p = len(scale)
    total = np.zeros((p, p))
    for block in mapped_blocks(batches, centre, scale, memory=BlockMemory(p, block_rows(p))):
        add_gram(total, np.multiply(block.z, block.z, out=block.z))
    return (total,)


def _quartic_sums(
    batches: Iterator[Rows], centre: Centre, A: FloatArray, whitened_by: int | None
) -> Sums:
    p = A.shape[0]
    n, columns, norm = 0, np.zeros(p), 0.0
    ones = np.ones(p)
    memory = BlockMemory(p, block_rows(p))
    for block in mapped_blocks(batches, centre, A.T, memory=memory):
        w2 = np.multiply(block.z, block.z, out=block.z)
        norm2 = ones @ w2
        if whitened_by is not None:
            factor = left_out_factor(norm2, whitened_by)
            w2 *= factor
            norm2 *= factor
        columns += row_products(w2, w2)
        norm += float(norm2 @ norm2)
        n += block.n
    return np.array(n), columns, np.array(norm)

"""Second pass of the sandwich: fourth-order sums of the residuals of all pairs of columns.

The product of two residuals of a row is divided by 1 − h, h the row's leverage: that is what the
residuals lack of the errors they stand for. (`Leverage.divisor` may say otherwise.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from edgewise._linalg import AnyArray, FloatArray
from edgewise.sums.centre import Centre
from edgewise.sums.leverage import Leverage
from edgewise.sums.loop import BlockMemory, mapped_blocks
from edgewise.sums.products import add_gram, mirrored
from edgewise.tables.table import Rows, Summable, Sums, block_rows


@dataclass(frozen=True, eq=False, slots=True)
class PairSums:
    """Sums over rows of the unit-variance residuals v, with weights w, by default 1/(1 − h)².

    `square_square` is Σ w v_i²v_j² and `cube_linear` is Σ w v_i³v_j; the diagonal of either is
    Σ w v_i⁴. `eighth` is Σ w²v_i⁴v_j⁴; it is NaN where only sums of the fourth order are known, and
    the weights are one there.
    """

    square_square: FloatArray
    cube_linear: FloatArray
    eighth: FloatArray


def pair_sums(rows: Summable, centre: Centre, leverage: Leverage) -> PairSums:
    """One pass over the rows: four matrix products per block, O(np²) in all."""
    square_square, cube_linear, eighth = rows.sums(
        partial(_pair_sums, centre=centre, leverage=leverage)
    )
    return PairSums(mirrored(square_square), cube_linear, mirrored(eighth))


def _pair_sums(batches: Iterator[Rows], centre: Centre, leverage: Leverage) -> Sums:
    """Σ w v_i²v_j² and Σ w²v_i⁴v_j⁴ (lower triangles), and Σ w v_i³v_j."""
    p = len(leverage.root)
    memory = BlockMemory(p, block_rows(p), spare=(p, p))
    square_square, cube_linear, eighth = np.zeros((3, p, p))
    for block in mapped_blocks(batches, centre, leverage.B, memory=memory):
        v, (square, other) = block.z, block.spare
        complement = leverage.complement(v, block.centred, square)
        np.multiply(v, v, out=square)
        divisor = leverage.divisor(complement, square)
        square /= divisor
        add_gram(square_square, square)
        np.multiply(square, v, out=other)
        v /= divisor
        cube_linear += other @ v.T
        square *= square
        add_gram(eighth, square)
    return square_square, cube_linear, eighth


@dataclass(frozen=True, eq=False, slots=True)
class ExactPairs:
    """Sums for a few pairs whose ρ is close to ±1, where the expansions in `PairSums` cancel.

    `influence` is Σ w (v_iv_j + (ρ/2)(v_i² + v_j²))², and `eighth` the sum of the squared terms.
    """

    rows: AnyArray
    columns: AnyArray
    influence: FloatArray
    eighth: FloatArray


def exact_pairs(
    rows: Summable, centre: Centre, leverage: Leverage, rho: FloatArray, nearly_one: float
) -> ExactPairs | None:
    """One more pass for the pairs with |ρ| above `nearly_one`; no pass if there are none."""
    i, j = strong_pairs(rho, nearly_one)
    if not i.size:
        return None
    one_pass = partial(
        _exact_sums, centre=centre, leverage=leverage, i=i, j=j, r=rho[i, j][:, np.newaxis]
    )
    return ExactPairs(i, j, *rows.sums(one_pass))


def strong_pairs(rho: FloatArray, nearly_one: float) -> tuple[AnyArray, AnyArray]:
    """The pairs i < j with |ρ| above `nearly_one`."""
    i, j = np.nonzero(np.abs(rho) > nearly_one)
    once = i < j
    return i[once], j[once]


def _exact_sums(
    batches: Iterator[Rows],
    centre: Centre,
    leverage: Leverage,
    i: AnyArray,
    j: AnyArray,
    r: FloatArray,
) -> Sums:
    half, sign, gap = r / 2, np.sign(r), 1 - np.abs(r)
    influence, eighth = np.zeros((2, i.size))
    p = len(leverage.root)
    memory = BlockMemory(p, block_rows(p), spare=(p,))
    for block in mapped_blocks(batches, centre, leverage.B, memory=memory):
        v, square = block.z, block.spare[0]
        complement = leverage.complement(v, block.centred, square)
        divisor = leverage.divisor(complement, np.multiply(v, v, out=square))
        a, b = v[i], v[j]
        # Written without terms that cancel.
        squares = ((half * (a + sign * b) ** 2 + gap * a * b) / divisor) ** 2
        influence += squares.sum(axis=1)
        eighth += np.vecdot(squares, squares)
    return influence, eighth

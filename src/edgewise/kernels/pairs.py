"""Second pass: fourth-order sums of all pairs of transformed columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from edgewise._base.types import AnyArray, FloatArray
from edgewise.kernels.centre import Centre
from edgewise.kernels.loop import BlockMemory, mapped_blocks
from edgewise.kernels.products import add_gram, mirrored
from edgewise.rows.block import Rows, block_rows
from edgewise.rows.passes import Summable, Sums

# Rows from which the kurtosis of products is estimated.
_KURTOSIS_ROWS = 1 << 12


@dataclass(frozen=True, eq=False, slots=True)
class PairSums:
    """Sums over rows of v = Bᵀ(x − mean), for every pair of columns at once.

    `square_square` is Σ v_i²v_j² and `cube_linear` is Σ v_i³v_j; the diagonal of either is Σ v_i⁴.
    `kurtosis` is that of the products v_i v_j about zero. For long data it is computed from blocks
    spread over their length, because nothing is very sensitive to it.
    """

    square_square: FloatArray
    cube_linear: FloatArray
    kurtosis: FloatArray


def pair_sums(rows: Summable, centre: Centre, B: FloatArray, n_samples: int) -> PairSums:
    """One pass over the `n_samples` rows: three matrix products per block, O(np²) in all."""
    every = max(1, n_samples // _KURTOSIS_ROWS)
    sums = rows.sums(partial(_pair_sums, centre=centre, B=B, every=every))
    square_square, cube_linear, fourth_fourth, sampled = sums
    square_square = mirrored(square_square)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        kurtosis = (mirrored(fourth_fourth) / sampled) / (square_square / n_samples) ** 2
    return PairSums(square_square, cube_linear, kurtosis)


def _pair_sums(batches: Iterator[Rows], centre: Centre, B: FloatArray, every: int) -> Sums:
    """Σ v_i²v_j², and Σ v_i⁴v_j⁴ of one block in `every` (lower triangles); Σ v_i³v_j."""
    p = B.shape[0]
    memory = BlockMemory(p, block_rows(p), spare=(p, p))
    sampled = 0
    square_square, cube_linear, fourth_fourth = np.zeros((3, p, p))
    for number, block in enumerate(mapped_blocks(batches, centre, B, memory=memory)):
        v, (v2, v3) = block.z, block.spare
        np.multiply(v, v, out=v2)
        np.multiply(v2, v, out=v3)
        add_gram(square_square, v2)
        cube_linear += v3 @ v.T
        if number % every == 0:
            add_gram(fourth_fourth, np.multiply(v2, v2, out=v3))
            sampled += block.n
    return square_square, cube_linear, fourth_fourth, np.array(sampled)


@dataclass(frozen=True, eq=False, slots=True)
class ExactPairs:
    """Sums for a few pairs whose ρ is close to ±1, where the expansions of `PairSums` cancel.

    `score` is Σ ((v_i + ρv_j)(v_j + ρv_i))² and `influence` is Σ (v_iv_j + (ρ/2)(v_i² + v_j²))².
    """

    rows: AnyArray
    columns: AnyArray
    score: FloatArray
    influence: FloatArray


def exact_pairs(
    rows: Summable, centre: Centre, B: FloatArray, rho: FloatArray, nearly_one: float
) -> ExactPairs | None:
    """One more pass for the pairs with |ρ| above `nearly_one`; no pass if there are none."""
    i, j = np.nonzero(np.abs(rho) > nearly_one)
    once = i < j
    i, j = i[once], j[once]
    if not i.size:
        return None
    score, influence = rows.sums(
        partial(_exact_sums, centre=centre, B=B, i=i, j=j, r=rho[i, j][:, np.newaxis])
    )
    return ExactPairs(i, j, score, influence)


def _exact_sums(
    batches: Iterator[Rows],
    centre: Centre,
    B: FloatArray,
    i: AnyArray,
    j: AnyArray,
    r: FloatArray,
) -> Sums:
    half, sign, gap = r / 2, np.sign(r), 1 - np.abs(r)
    score, influence = np.zeros((2, i.size))
    p = B.shape[0]
    memory = BlockMemory(p, block_rows(p))
    for block in mapped_blocks(batches, centre, B, memory=memory):
        a, b = block.z[i], block.z[j]
        product = (a + r * b) * (b + r * a)
        score += np.vecdot(product, product)
        # The same influence, written without terms that cancel.
        moved = half * (a + sign * b) ** 2 + gap * a * b
        influence += np.vecdot(moved, moved)
    return score, influence

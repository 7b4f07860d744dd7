"""Second pass of the nodewise test: the sums of the score test, each pair given a set of its own.

The same sums as in `sums/score.py`, where all pairs are given all other columns. Here the
residuals and the leverages of a pair come from regressions on the few columns of S_ij, so there may
be more columns than rows.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from edgewise._linalg import FloatArray
from edgewise._parallel import n_cores, on_each, one_blas_thread, steps
from edgewise.sums.centre import Centre
from edgewise.sums.exact_score import Room
from edgewise.sums.loop import BlockMemory, mapped_blocks
from edgewise.sums.pair_sets import (
    IntArray,
    Pairs,
    PairSets,
    Portion,
    regressed,
    stable_inverses,
)
from edgewise.sums.score_sums import believed_tau, score_terms, score_weight
from edgewise.tables.table import Rows, Sums, block_rows

_LEAST = 1e-10  # of 1 − h: a row that others determine has residuals of zero


def selected_score_sums(
    batches: Iterator[Rows],
    centre: Centre,
    scale: FloatArray,
    correlation: FloatArray,
    sets: PairSets,
    n_samples: int,
) -> Sums:
    """The six sums of `score_terms` for all pairs above the diagonal, and their ρ̂, seventh.

    ρ̂ needs no rows, but its regressions are made here: every block brings its share. Second,
    Σ v_i⁴/(1 − h)² of each column. `scale` are the roots of the mean squares of the centred
    columns.
    """
    p = sets.n_features
    total, fourth = np.zeros((7, p * (p - 1) // 2)), np.zeros(p)
    memory, room = BlockMemory(p, block_rows(p)), Room()
    with steps(total.shape[1], "testing", "pairs") as tell, one_blas_thread():
        for block in mapped_blocks(batches, centre, 1 / scale, memory=memory):
            z = np.ascontiguousarray(block.z)
            tau, own = _rows_own_scale(z, correlation, sets.neighbours, n_samples)
            fourth += own

            def add(portion: Portion, z: FloatArray = z, tau: FloatArray = tau) -> int:
                pairs = sets.pairs(portion)
                total[:, portion.places] += _pair_sums(z, tau, correlation, pairs, n_samples, room)
                return len(portion.places)

            for done in on_each(add, sets.portions(block.n), n_cores()):
                tell(done * block.n / n_samples)
    return total, fourth


def _pair_sums(
    z: FloatArray, tau: FloatArray, correlation: FloatArray, pairs: Pairs, n: int, room: Room
) -> FloatArray:
    """The seven numbers of some pairs, from the standardised rows of a block (features first)."""
    fit = regressed(correlation, pairs)
    (count, size), rows = pairs.given.shape, z.shape[1]
    given = np.take(z, pairs.given, axis=0, out=room.array("given", (count, size, rows)))
    # 1 − h, of the leverage in the regressions on the given columns
    projected = np.matmul(fit.inverse, given, out=room.array("projected", given.shape))
    projected *= given
    left = projected.sum(axis=1, out=room.array("left", (count, rows)))
    left *= -1 / n
    left += 1 - 1 / n
    np.maximum(left, _LEAST, out=left)
    e = np.matmul(fit.coefficients, given, out=room.array("e", (count, 2, rows)))
    both = np.stack([pairs.i, pairs.j], axis=1)
    np.subtract(np.take(z, both, axis=0, out=room.array("both", e.shape)), e, out=e)
    e /= np.sqrt(np.maximum(fit.variance, _LEAST))[:, :, np.newaxis]
    product = np.multiply(e[:, 0], e[:, 1], out=room.array("product", left.shape))
    e *= e
    mean_square = np.add(e[:, 0], e[:, 1], out=room.array("mean square", left.shape))
    mean_square /= 2
    # The residuals given also each other, and what the pair itself adds to the leverage.
    r = fit.correlation[:, np.newaxis]
    across = np.multiply(product, 1 + r * r, out=room.array("across", left.shape))
    across -= 2 * r * mean_square
    across *= (n - 1) / n / ((1 - r) * (1 + r))
    of_pair = np.multiply(product, -r, out=room.array("of pair", left.shape))
    of_pair += mean_square
    of_pair *= 2 / (n * (1 - r) * (1 + r))
    np.subtract(left, of_pair, out=of_pair)
    across /= np.maximum(of_pair, _LEAST, out=of_pair)
    terms = score_terms(
        score_weight(left, tau),
        product,
        mean_square,
        across,
        out=room.array("terms", (6, count, rows)),
    )
    sums = np.empty((7, count))
    terms.sum(axis=2, out=sums[:6])
    sums[6] = fit.correlation * (rows / n)
    return sums


def _rows_own_scale(
    z: FloatArray, correlation: FloatArray, neighbours: IntArray, n: int
) -> tuple[FloatArray, FloatArray]:
    """τ of each row (see `score_weight`), and Σ v_i⁴/(1 − h)² of each column.

    As `row_tau` has it, but every column has its own leverage, with its neighbours only. The mean
    over all columns tells the scale of a row, however few neighbours each of them has.
    """
    p = len(z)
    variance, fourth = np.zeros(z.shape[1]), np.empty(p)
    for i, row in enumerate(neighbours):
        own = np.append(row[row < p], i)
        (inverse,) = stable_inverses(correlation[np.newaxis, own[:, np.newaxis], own])
        scores = inverse @ z[own]
        complement = np.maximum(1 - 1 / n - np.einsum("kn,kn->n", scores, z[own]) / n, _LEAST)
        # v², of which the mean over all rows is one with the divisor n − 1.
        square = scores[-1] ** 2 * ((n - 1) / n / inverse[-1, -1])
        g = square * ((n - len(own)) / (n - 1))
        variance += ((g / complement - 1) / complement + 1) / p
        fourth[i] = np.sum((square / complement) ** 2)
    return believed_tau(variance, p), fourth

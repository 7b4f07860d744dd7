"""Fourth-order sums of the residuals of pairs, given all other columns or a few chosen ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from edgewise._linalg import COLLINEAR, AnyArray, FloatArray, upper_pairs
from edgewise._parallel import n_cores, on_each, one_blas_thread, steps
from edgewise.sums.blocks import Centre, mapped_blocks
from edgewise.sums.score import (
    Leverage,
    ScratchArrays,
    believed_tau,
    residuals_of_pairs,
    score_terms,
    score_weight,
)
from edgewise.tables.table import Rows, Summable, Sums


class PairSums(NamedTuple):
    """Σ w v_i²v_j², Σ w v_i³v_j and Σ w²v_i⁴v_j⁴ of the unit-variance residuals v of all pairs."""

    square_square: FloatArray
    cube_linear: FloatArray
    eighth: FloatArray


def pair_sums(rows: Summable, centre: Centre, leverage: Leverage) -> PairSums:
    """One pass over the rows: four matrix products per block, O(np²) in all."""
    return PairSums(*rows.sums(partial(_pair_sums, centre=centre, leverage=leverage)))


def _pair_sums(batches: Iterator[Rows], centre: Centre, leverage: Leverage) -> Sums:
    p = len(leverage.root)
    square_square, cube_linear, eighth = np.zeros((3, p, p))
    for block in mapped_blocks(batches, centre, leverage.B, spare=(p, p)):
        v, (square, other) = block.z, block.spare
        complement = leverage.complement(v, block.centred, square)
        np.multiply(v, v, out=square)
        divisor = leverage.divisor(complement, square)
        square /= divisor
        square_square += square @ square.T
        np.multiply(square, v, out=other)
        v /= divisor
        cube_linear += other @ v.T
        square *= square
        eighth += square @ square.T
    return square_square, cube_linear, eighth


def exact_pairs(
    rows: Summable, centre: Centre, leverage: Leverage, i: AnyArray, j: AnyArray, r: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Powers of the influence on some ρ close to ±1, where expansions in `PairSums` cancel."""
    one_pass = partial(_exact_sums, centre=centre, leverage=leverage, i=i, j=j, r=r[:, np.newaxis])
    influence, eighth = rows.sums(one_pass)
    return influence, eighth


def _exact_sums(
    batches: Iterator[Rows], centre: Centre, leverage: Leverage, i: AnyArray, j: AnyArray, r: Any
) -> Sums:
    half, sign, gap = r / 2, np.sign(r), 1 - np.abs(r)
    influence, eighth = np.zeros((2, i.size))
    for a, b, complement, square in residuals_of_pairs(batches, centre, leverage, i, j):
        # Written without terms that cancel.
        products = half * (a + sign * b) ** 2 + gap * a * b
        squares = (products / leverage.divisor(complement, square)) ** 2
        influence += squares.sum(axis=1)
        eighth += np.vecdot(squares, squares)
    return influence, eighth


IntArray: TypeAlias = npt.NDArray[np.intp]

# Numbers of pairs × rows worked on at once: of shorter portions, threads wait for each other's turn
# in Python; longer ones leave the cache.
_CHUNK = 1 << 15
# A regression costs at least as much as this many rows, even where none are read.
_FEWEST_ROWS = 64


class Pairs(NamedTuple):
    """Some pairs that are adjusted for equally many columns; `given` has a row for each pair."""

    i: IntArray
    j: IntArray
    given: IntArray


class Regression(NamedTuple):
    """x_i and x_j of some pairs on the columns they are adjusted for, in standard units."""

    inverse: FloatArray  # of the correlation matrix of these columns
    coefficients: FloatArray  # a row for i and one for j
    variance: FloatArray  # what is left of either
    correlation: FloatArray  # of the residuals; NaN where nothing is left


@dataclass(frozen=True, eq=False, slots=True)
class PairSets:
    """S_ij = (A_i ∪ A_j) ∖ {i, j} for all pairs of p columns with neighbours A_i."""

    neighbours: IntArray  # a row for each column: its neighbours, filled up with p

    @classmethod
    def of(cls, neighbours: Sequence[Sequence[int] | IntArray]) -> PairSets:
        p = len(neighbours)
        rows = np.full((p, max(map(len, neighbours), default=0)), p, dtype=np.intp)
        for row, own in zip(rows, neighbours, strict=True):
            row[: len(own)] = own
        return cls(rows)

    @property
    def n_features(self) -> int:
        return len(self.neighbours)

    def sizes(self) -> IntArray:
        """|S_ij| of all pairs, those above the diagonal row by row."""
        p = self.n_features
        member = np.zeros((p, p + 1), dtype=np.float32)
        np.put_along_axis(member, self.neighbours, 1.0, axis=1)
        member = member[:, :p]
        count = member.sum(axis=1)
        # i and j themselves are not in S_ij.
        union = count[:, np.newaxis] + count - member @ member.T - member - member.T
        return np.asarray(union[upper_pairs(p)], dtype=np.intp)

    def portions(self, n_rows: int = _FEWEST_ROWS) -> Iterator[tuple[IntArray, int]]:
        """All pairs by place, in portions of equal |S_ij|, of each of which there are `n_rows`."""
        sizes = self.sizes()
        order = np.argsort(sizes, kind="stable")
        ends = np.searchsorted(sizes[order], np.arange(sizes.max(initial=0) + 2))
        step = max(1, _CHUNK // max(n_rows, _FEWEST_ROWS))
        for size, (start, stop) in enumerate(pairwise(ends.tolist())):
            for first in range(start, stop, step):
                yield order[first : min(first + step, stop)], size

    def pairs(self, places: IntArray, size: int) -> Pairs:
        """What the pairs at these places, of equal |S_ij|, are adjusted for."""
        p = self.n_features
        rows, columns = upper_pairs(p)
        i, j = rows[places], columns[places]
        union = np.concatenate([self.neighbours[i], self.neighbours[j]], axis=1)
        union[(union == i[:, np.newaxis]) | (union == j[:, np.newaxis])] = p
        # What is there twice, and what fills the rows, comes last.
        union.sort(axis=1)
        union[:, 1:][union[:, 1:] == union[:, :-1]] = p
        union.sort(axis=1)
        return Pairs(i, j, union[:, :size])


def regressed(correlation: FloatArray, pairs: Pairs) -> Regression:
    i, j, given = pairs.i, pairs.j, pairs.given
    among = correlation[given[:, :, np.newaxis], given[:, np.newaxis, :]]
    both = np.stack([i, j], axis=1)
    with_pair = correlation[both[:, :, np.newaxis], given[:, np.newaxis, :]]
    inverse = stable_inverses(among)
    coefficients = with_pair @ inverse
    # What is left of (1, r; r, 1)
    left = -(coefficients @ with_pair.transpose(0, 2, 1))
    variance = np.stack([1 + left[:, 0, 0], 1 + left[:, 1, 1]], axis=1)
    covariance = correlation[i, j] + (left[:, 0, 1] + left[:, 1, 0]) / 2
    # A column that the given ones determine has nothing left to be correlated.
    known = (variance > COLLINEAR * (given.shape[1] + 1)).all(axis=1)
    unit = np.sqrt(np.where(known[:, np.newaxis], variance, 1.0)).prod(axis=1)
    residual = np.where(known, covariance / unit, np.nan)
    return Regression(inverse, coefficients, variance, residual)


def stable_inverses(matrices: FloatArray) -> FloatArray:
    """Of a stack of correlation matrices; columns that determine each other share their part."""
    try:
        found = np.linalg.inv(matrices)
    except np.linalg.LinAlgError:
        found = np.full_like(matrices, np.inf)
    # Where others leave less than a ten-billionth of a column, its own coefficient is rounding.
    size = np.abs(found).max(axis=(1, 2), initial=0.0)
    for place in np.flatnonzero(~(size < 1e10)):
        found[place] = np.linalg.pinv(matrices[place], rcond=1e-10, hermitian=True)
    return np.asarray(found, dtype=np.float64)


_LEAST = 1e-10  # of 1 − h: a row that others determine has residuals of zero


def selected_score_sums(
    batches: Iterator[Rows],
    centre: Centre,
    scale: FloatArray,
    correlation: FloatArray,
    sets: PairSets,
    n_samples: int,
) -> Sums:
    """The six sums of `score_terms` for all pairs, and their ρ̂; and Σ v_i⁴/(1 − h)² of each
    column.
    """
    p = sets.n_features
    total, fourth = np.zeros((7, p * (p - 1) // 2)), np.zeros(p)
    scratch = ScratchArrays()
    with steps(total.shape[1], "testing", "pairs") as tell, one_blas_thread():
        for block in mapped_blocks(batches, centre, 1 / scale):
            z = np.ascontiguousarray(block.z)
            tau, own = _rows_own_scale(z, correlation, sets.neighbours, n_samples)
            fourth += own

            def add(portion: tuple[IntArray, int], z: FloatArray = z, tau: FloatArray = tau) -> int:
                places, pairs = portion[0], sets.pairs(*portion)
                total[:, places] += _selected_sums(z, tau, correlation, pairs, n_samples, scratch)
                return len(places)

            for done in on_each(add, sets.portions(block.n), n_cores()):
                tell(done * block.n / n_samples)
    return total, fourth


def _selected_sums(
    z: FloatArray,
    tau: FloatArray,
    correlation: FloatArray,
    pairs: Pairs,
    n: int,
    scratch: ScratchArrays,
) -> FloatArray:
    """The seven numbers of some pairs, from the standardised rows of a block (features first)."""
    fit = regressed(correlation, pairs)
    (count, size), rows = pairs.given.shape, z.shape[1]
    given = np.take(z, pairs.given, axis=0, out=scratch.array("given", (count, size, rows)))
    # 1 − h, of the leverage in the regressions on the given columns
    projected = np.matmul(fit.inverse, given, out=scratch.array("projected", given.shape))
    projected *= given
    left = projected.sum(axis=1, out=scratch.array("left", (count, rows)))
    left *= -1 / n
    left += 1 - 1 / n
    np.maximum(left, _LEAST, out=left)
    e = np.matmul(fit.coefficients, given, out=scratch.array("e", (count, 2, rows)))
    both = np.stack([pairs.i, pairs.j], axis=1)
    np.subtract(np.take(z, both, axis=0, out=scratch.array("both", e.shape)), e, out=e)
    e /= np.sqrt(np.maximum(fit.variance, _LEAST))[:, :, np.newaxis]
    product = np.multiply(e[:, 0], e[:, 1], out=scratch.array("product", left.shape))
    e *= e
    mean_square = np.add(e[:, 0], e[:, 1], out=scratch.array("mean square", left.shape))
    mean_square /= 2
    # The residuals given also each other, and what the pair itself adds to the leverage.
    r = fit.correlation[:, np.newaxis]
    across = np.multiply(product, 1 + r * r, out=scratch.array("across", left.shape))
    across -= 2 * r * mean_square
    across *= (n - 1) / n / ((1 - r) * (1 + r))
    of_pair = np.multiply(product, -r, out=scratch.array("of pair", left.shape))
    of_pair += mean_square
    of_pair *= 2 / (n * (1 - r) * (1 + r))
    np.subtract(left, of_pair, out=of_pair)
    across /= np.maximum(of_pair, _LEAST, out=of_pair)
    terms = score_terms(
        score_weight(left, tau),
        product,
        mean_square,
        across,
        out=scratch.array("terms", (6, count, rows)),
    )
    sums = np.empty((7, count))
    terms.sum(axis=2, out=sums[:6])
    sums[6] = fit.correlation * (rows / n)
    return sums


def _rows_own_scale(
    z: FloatArray, correlation: FloatArray, neighbours: IntArray, n: int
) -> tuple[FloatArray, FloatArray]:
    """τ of each row (as `row_tau`, by its neighbours only), and Σ v_i⁴/(1 − h)² of each column."""
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

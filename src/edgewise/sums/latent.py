"""Kendall's τ and latent correlations, from sums over pairs of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edgewise._linalg import FloatArray

# Differences of the ranks of this many rows fit in one byte.
_ONE_BYTE = 128
# Signs are made and multiplied in portions of about this many.
_SIGNS = 1 << 20
# Bits are counted faster than products are made of up to so many columns and at least so many signs
# of a unit; so many words of 64 bits are counted at once.
_FEW_COLUMNS, _MANY_SIGNS, _WORDS = 48, 1 << 16, 1 << 15


@dataclass(frozen=True, eq=False, slots=True)
class UnitSums:
    """Sums over the pairs of rows that meet each unit of rows.

    Attributes
    ----------
    met : ndarray of shape (units, p, p)
        Σ s_kl s_klᵀ over the rows k of the unit and all rows l of their blocks: a pair within the
        unit counts twice. These sums add up when units are joined.
    within : ndarray of shape (units, p, p), or None
        Σ s_kl s_klᵀ over the pairs within the unit; None where there are none.
    rows : ndarray of shape (units,)
        Rows of each unit.
    pairs_met, pairs_within : ndarray of shape (units,)
        How many pairs these are, those within a unit counted twice in the first.
    """

    met: FloatArray
    within: FloatArray | None
    rows: npt.NDArray[np.int64]
    pairs_met: FloatArray
    pairs_within: FloatArray

    def touching(self) -> FloatArray:
        """Σ s_kl s_klᵀ over the pairs that touch each unit."""
        return self.met if self.within is None else self.met - self.within


def unit_sums(rows: FloatArray, n_blocks: int, per_block: int = 1) -> UnitSums:
    """Compare the rows of a window within its blocks, unit by unit.

    The rows, at least two for each block, are dealt out to the blocks; a unit has `per_block` rows
    in each block, the last perhaps fewer.
    """
    p = rows.shape[1]
    ranks, lengths = _dealt_ranks(rows, n_blocks)
    longest = ranks.shape[2]
    full = int((lengths == longest).sum())  # the other blocks have no row at the last place
    starts = range(0, longest, per_block)
    by_bits = (
        p <= _FEW_COLUMNS
        and rows.size * per_block >= _MANY_SIGNS
        and full == n_blocks
        and bool((ranks.max(axis=2) == longest - 1).all())  # no two are tied
    )
    met = np.empty((len(starts), p, p))
    within = None if per_block == 1 else np.empty_like(met)
    counts = np.empty((len(starts), n_blocks))
    for unit, start in enumerate(starts):
        own = ranks[:, :, start : start + per_block]
        last = start + per_block >= longest
        counts[unit] = own.shape[2] - (last & (np.arange(n_blocks) >= full))
        met[unit] = _counts(ranks, own) if by_bits else _products(ranks, own, full, last)
        if within is not None:
            # Every pair twice, from both of its rows.
            within[unit] = _products(own, own, full, last, also_others=last) / 2
    return UnitSums(
        met,
        within,
        counts.sum(axis=1).astype(np.int64),
        counts @ (lengths - 1.0),
        (counts * (counts - 1) / 2).sum(axis=1),
    )


def _counts(
    others: npt.NDArray[np.signedinteger], own: npt.NDArray[np.signedinteger]
) -> FloatArray:
    """Σ s sᵀ over each row of `own` and all `others` of its block, where no two are tied."""
    p, blocks, length = own.shape
    higher = others[:, :, np.newaxis, :] > own[:, :, :, np.newaxis]
    bits = np.packbits(higher.reshape(p, -1), axis=1)
    words = np.zeros((p, -(-bits.shape[1] // 8)), dtype=np.uint64)
    words.view(np.uint8)[:, : bits.shape[1]] = bits
    i, j = np.triu_indices(p, 1)
    step = max(1, _WORDS // words.shape[1])
    differ = np.zeros(len(i))
    for first in range(0, len(i), step):
        some = slice(first, first + step)
        differ[some] = np.bitwise_count(words[i[some]] ^ words[j[some]]).sum(axis=1)
    # A row is not compared with itself.
    count = blocks * length * (others.shape[2] - 1)
    total = np.full((p, p), float(count))
    total[i, j] = total[j, i] = count - 2 * differ
    return total


def _products(
    others: npt.NDArray[np.signedinteger],
    own: npt.NDArray[np.signedinteger],
    full: int,
    last: bool,
    *,
    also_others: bool = True,
) -> FloatArray:
    """Σ s sᵀ over each row of `own` and all `others` of its block; ranks, columns first.

    From block `full` on there is no row at the last place of `others` (with `also_others`), and
    none at the last of `own` (with `last`).
    """
    p, blocks, length = own.shape
    total = np.zeros((p, p))
    step = max(1, _SIGNS // (p * blocks * others.shape[2]))
    for first in range(0, length, step):
        some = own[:, :, first : first + step]
        difference = others[:, :, np.newaxis, :] - some[:, :, :, np.newaxis]
        np.clip(difference, -1, 1, out=difference)
        if full < blocks:
            if also_others:
                difference[:, full:, :, -1] = 0
            if last and first + step >= length:
                difference[:, full:, -1] = 0
        signs = difference.reshape(p, -1).astype(np.float32)
        total += signs @ signs.T  # whole numbers, exact below 2²⁴
    return total


def _dealt_ranks(
    rows: FloatArray, n_blocks: int
) -> tuple[npt.NDArray[np.signedinteger], npt.NDArray[np.int64]]:
    """Ranks within each block, from 0, equal for equal values: columns × blocks × places.

    Blocks are of one length or shorter by one row; the place of the missing row is last.
    """
    n, p = rows.shape
    longest = -(-n // n_blocks)
    values = np.full((longest * n_blocks, p), np.inf)
    values[:n] = rows
    values = np.ascontiguousarray(values.reshape(longest, n_blocks, p).transpose(2, 1, 0))
    small = np.int8 if longest <= _ONE_BYTE else np.int16 if longest <= 1 << 15 else np.int32
    order = np.argsort(values, axis=2)
    ordered = np.take_along_axis(values, order, axis=2)
    higher = ordered[:, :, 1:] != ordered[:, :, :-1]
    place = np.zeros(values.shape, dtype=small)
    if higher.all():
        place[:] = np.arange(longest, dtype=small)
    else:
        np.cumsum(higher, axis=2, dtype=small, out=place[:, :, 1:])
    ranks = np.empty_like(place)
    np.put_along_axis(ranks, order, place, axis=2)
    lengths = np.full(n_blocks, longest, dtype=np.int64)
    lengths[n - (longest - 1) * n_blocks :] -= 1
    return ranks, lengths


# Rows in memory are compared within blocks of at most this many rows, or of as many as this many
# multiplications allow, but of at least as many as a state compares.
_LONGEST, _PRODUCTS, _SHORTEST = 1024, 5e10, 128
# The most units of rows that are left out in turn, and the numbers that their sums may take.
_MOST_UNITS, _FEWEST_UNITS, _NUMBERS = 1024, 64, 1 << 24


@dataclass(frozen=True, eq=False, slots=True)
class Concordance:
    """What is known of the order of rows, column by column: sums over pairs of rows.

    Attributes
    ----------
    n_samples : int
        Rows.
    total : ndarray of shape (p, p)
        Σ s_kl s_klᵀ over the pairs of rows that were compared.
    n_pairs : float
        How many pairs these are.
    touching : ndarray of shape (units, p, p)
        The same over the pairs that touch each unit of rows: the total minus these is the sum
        without the rows of the unit.
    pairs_touching : ndarray of shape (units,)
        How many pairs these are.
    independent_pairs : float
        N of Hoeffding's inequality: the mean over the pairs is no more uncertain than that over
        N pairs of which none has a row in common.
    order_matters : bool
        Whether rows that are far apart show other coefficients than those that were compared.
    """

    n_samples: int
    total: FloatArray
    n_pairs: float
    touching: FloatArray
    pairs_touching: FloatArray
    independent_pairs: float
    order_matters: bool = False

    def tied(self) -> FloatArray:
        """For each column, the share of the pairs whose values are equal."""
        return np.asarray(1 - self.total.diagonal() / self.n_pairs)

    def correlation(self) -> FloatArray:
        """The latent correlations."""
        return latent_correlation(self.total, self.n_pairs)

    def correlations_without(self, units: slice) -> FloatArray:
        """The latent correlations without each of some units.

        A column may be constant without a unit, and then has nothing in common with the others.
        """
        left = self.n_pairs - self.pairs_touching[units]
        return np.nan_to_num(latent_correlation(self.total - self.touching[units], left))


def kendall_tau(sums: FloatArray) -> FloatArray:
    """Kendall's τ_b from sums of s_kl s_klᵀ; NaN where all rows are tied."""
    root = np.sqrt(sums.diagonal())
    with np.errstate(invalid="ignore", divide="ignore"):
        tau: FloatArray = np.clip(sums / np.outer(root, root), -1.0, 1.0)
    return tau


def latent_tau(sums: FloatArray, n_pairs: float | FloatArray) -> FloatArray:
    """τ of the continuous variables behind the columns, from sums that may be stacked.

    Without ties it is Kendall's τ. See `left_by_ties` for what ties do.
    """
    tied = 1 - np.diagonal(sums, axis1=-2, axis2=-1) / np.expand_dims(n_pairs, -1)
    root = np.sqrt(left_by_ties(tied) * np.expand_dims(n_pairs, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        tau: FloatArray = sums / root[..., :, np.newaxis] / root[..., np.newaxis, :]
    return np.clip(tau, -1.0, 1.0, out=tau)


def left_by_ties(tied: FloatArray) -> FloatArray:
    """f(t) by which the share t of tied pairs lowers τ_a: 1 − 2t² up to one half, then 1 − t.

    Rounding ties pairs that are close, and these say little about τ: the loss is of the order t².
    Dividing by 1 − t, as τ_b does, would make τ too large by the order t, and false edges. A column
    cut at its median has t = ½ and lowers τ by one half exactly, as both forms have it.
    """
    return np.where(tied <= 0.5, 1 - 2 * tied**2, 1 - tied)


def latent_correlation(sums: FloatArray, n_pairs: float | FloatArray) -> FloatArray:
    """sin(πτ/2), the correlation of every elliptical copula with this τ; ones on the diagonal."""
    tau = latent_tau(sums, n_pairs)
    tau *= np.pi / 2
    correlation = np.sin(tau, out=tau)
    np.einsum("...ii->...i", correlation)[...] = 1.0
    return correlation


def independent_pairs(lengths: Sequence[int], counts: Sequence[int]) -> float:
    """N of Hoeffding's inequality for the mean over all pairs within blocks.

    A mean over the pairs of b rows is one over ways to make ⌊b/2⌋ pairs of them, so it is as
    certain as ⌊b/2⌋ independent pairs (Hoeffding 1963, §5b). Blocks are independent, and each
    weighs as much as the pairs it has: 1/N = Σ w²/⌊b/2⌋. `counts` says how many blocks have each of
    the `lengths`.
    """
    b, count = np.asarray(lengths, dtype=np.float64), np.asarray(counts, dtype=np.float64)
    weight = b * (b - 1) / 2
    weight = weight / (count @ weight)
    return float(1 / (count @ (weight**2 / np.maximum(np.floor(b / 2), 0.5))))


def block_lengths(n: int, n_blocks: int) -> tuple[list[int], list[int]]:
    """The lengths of the blocks that n rows are dealt out to, and how many have each."""
    longer = n % n_blocks
    return [n // n_blocks, n // n_blocks + 1], [n_blocks - longer, longer]


def concordance_of_rows(rows: FloatArray, n_batches: int | None = None) -> Concordance:
    """From rows in memory: all pairs if they are few, else the pairs within long blocks.

    `n_batches` to twice as many batches are left out in turn; by default single rows, or as few as
    are affordable.
    """
    n, p = rows.shape
    longest = int(np.clip(_PRODUCTS / (n * p * p), _SHORTEST, _LONGEST))
    blocks, per_block = -(-n // longest), 1
    most = _most_units(p)
    if n_batches is not None:
        most = 2 * n_batches - 1
        # A unit has rows in every block, so that blocks are no more than a batch has rows.
        blocks = max(1, min(blocks, n // n_batches))
    while -(-n // (blocks * per_block)) > most:
        per_block *= 2
    sums = unit_sums(rows, blocks, per_block)
    lengths, counts = block_lengths(n, blocks)
    return Concordance(
        n,
        sums.met.sum(axis=0) / 2,  # all pairs were met twice
        float(sums.pairs_met.sum()) / 2,
        sums.touching(),
        sums.pairs_met - sums.pairs_within,
        independent_pairs(lengths, counts),
    )


def likely_units(n: float, p: int, n_batches: int | None, window: int) -> float:
    """About how many units of this many rows would be left out in turn."""
    if n_batches is None and n < window:
        return min(n, 0.75 * _most_units(p))
    batches = 100 if n_batches is None else n_batches
    return min(n, 1.4 * batches)


def _most_units(p: int) -> int:
    return max(min(_MOST_UNITS, _NUMBERS // (p * p)), _FEWEST_UNITS)

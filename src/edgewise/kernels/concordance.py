"""Concordance of pairs of rows: which columns go up together from one row to another.

With s_kl = sign(x_k − x_l), entry by entry, everything here is a sum of s_kl s_klᵀ over pairs of
rows: off the diagonal concordant minus discordant pairs, on it the pairs that are not tied.

Only pairs within a block of rows are compared, which is linear in the number of rows. The rows of a
window are dealt out to its blocks in turn, row k to block k mod B: rows that were next to each
other, which may be alike, are in different blocks, and each block is a sample of the whole window.
A unit is a run of consecutive rows, which has rows in every block.

Signs are made from ranks within the block: whole numbers of one or two bytes, which are compared
several times faster than floating-point numbers. Then one product of matrices does all pairs of
columns. Of few columns without ties, signs are single bits: counting where those of two columns
differ is three times as fast as the product.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edgewise._base.types import FloatArray

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

    Parameters
    ----------
    rows : ndarray of shape (n, p)
        The rows, at least two for each block.
    n_blocks : int
        Blocks that the rows are dealt out to.
    per_block : int
        Rows that a unit has in each block: it has `per_block` times `n_blocks` rows in all, the
        last unit perhaps fewer.
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

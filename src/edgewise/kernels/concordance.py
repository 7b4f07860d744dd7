"""Concordance of pairs of rows: which columns go up together from one row to another.

With s_kl = sign(x_k − x_l), entry by entry, everything here is a sum of s_kl s_klᵀ over pairs of
rows: off the diagonal concordant minus discordant pairs, on it the pairs that are not tied.

Only pairs within a block of rows are compared, which is linear in the number of rows. Signs are
made from ranks within the block: whole numbers of one or two bytes, which are compared several
times faster than floating-point numbers. Then one product of matrices does all pairs of columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from edgewise._base.types import AnyArray, FloatArray

# Signs are made and multiplied in portions of about this many, which stay in the cache.
_SIGNS = 1 << 18
# Differences of the ranks of this many rows fit in one byte.
_ONE_BYTE = 128


# Rows in memory are compared within blocks of at most this many, or of as many as this many
# multiplications allow, but at least as many as a state compares.
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
    independent_pairs : float
        N of Hoeffding's inequality: the mean over the pairs is no more uncertain than that over
        N pairs of which none has a row in common.
    """

    n_samples: int
    total: FloatArray
    n_pairs: float
    touching: FloatArray
    independent_pairs: float

    def untied(self) -> FloatArray:
        """For each column, the share of the pairs whose values differ."""
        return np.asarray(self.total.diagonal() / self.n_pairs)


def kendall_tau(sums: FloatArray) -> FloatArray:
    """Kendall's τ_b from sums of s_kl s_klᵀ, which may be stacked; NaN where all rows are tied."""
    root = np.sqrt(np.diagonal(sums, axis1=-2, axis2=-1))
    with np.errstate(invalid="ignore", divide="ignore"):
        tau = sums / root[..., :, np.newaxis] / root[..., np.newaxis, :]
    return np.clip(tau, -1.0, 1.0, out=tau)


def latent_correlation(sums: FloatArray) -> FloatArray:
    """sin(πτ/2), the correlation of every elliptical copula with this τ; ones on the diagonal."""
    tau = kendall_tau(sums)
    tau *= np.pi / 2
    correlation = np.sin(tau, out=tau)
    np.einsum("...ii->...i", correlation)[...] = 1.0
    return correlation


def independent_pairs(lengths: Sequence[int], counts: Sequence[int]) -> float:
    """N of Hoeffding's inequality for the mean over all pairs within blocks.

    A mean over the pairs of b rows is one over ways to make ⌊b/2⌋ pairs of them, so it is as
    certain as ⌊b/2⌋ independent pairs (Hoeffding 1963, §5b). Blocks are independent, and each
    weighs as much as the pairs it has: 1/N = Σ w²/⌊b/2⌋.

    Parameters
    ----------
    lengths : sequence of int
        Rows of the blocks, at least two.
    counts : sequence of int
        How many blocks have this length.
    """
    b, count = np.asarray(lengths, dtype=np.float64), np.asarray(counts, dtype=np.float64)
    weight = pairs_of_rows(b)
    weight = weight / (count @ weight)
    return float(1 / (count @ (weight**2 / np.floor(b / 2))))


def pairs_of_rows(n: FloatArray) -> FloatArray:
    """How many pairs n rows make."""
    return n * (n - 1) / 2


def concordance_of_rows(rows: FloatArray, n_batches: int | None = None) -> Concordance:
    """From rows in memory: all pairs if they are few, else the pairs within long blocks.

    Parameters
    ----------
    rows : ndarray of shape (n, p)
        The rows, at least two.
    n_batches : int, optional
        Leave out that many batches of rows in turn, up to twice as many; by default single rows,
        or as few as are affordable.
    """
    n, p = rows.shape
    most = max(min(_MOST_UNITS, _NUMBERS // (p * p)), _FEWEST_UNITS)
    if n_batches is not None:
        most = 2 * n_batches - 1
    unit = 1
    while n > most * unit:
        unit *= 2
    longest = int(np.clip(_PRODUCTS / (n * p * p), _SHORTEST, _LONGEST))
    units = -(-n // unit)
    blocks = -(-n // max(longest, unit))
    # Blocks of whole units, and of nearly the same length.
    cuts = np.unique(np.minimum(np.linspace(0, units, blocks + 1).astype(int) * unit, n))
    if n - cuts[-2] < 2 < len(cuts):  # a last row by itself has no pair
        cuts = np.delete(cuts, -2)
    parts = [touching(rows[a:b], unit) for a, b in pairwise(cuts.tolist())]
    lengths = np.diff(cuts)
    return Concordance(
        n,
        np.sum([total for total, _ in parts], axis=0),
        float(pairs_of_rows(lengths.astype(np.float64)).sum()),
        np.concatenate([sums for _, sums in parts]),
        independent_pairs(lengths.tolist(), [1] * len(lengths)),
    )


def within_blocks(rows: AnyArray, length: int) -> FloatArray:
    """Σ s_kl s_klᵀ over the pairs within each block of `length` consecutive rows.

    Parameters
    ----------
    rows : ndarray of shape (blocks * length, p)
        The rows of whole blocks.
    length : int
        Rows of a block.

    Returns
    -------
    ndarray of shape (blocks, p, p)
        The sums, exactly: they are whole numbers.
    """
    ranks = _ranks(rows, length)
    blocks, p, _ = ranks.shape
    half = length // 2
    sums = np.empty((blocks, p, p))
    if not half:
        sums[:] = 0.0
        return sums
    # Row k with the next `half` rows, in a circle: every pair once, and with an even length those
    # that are opposite twice.
    ring = np.concatenate([ranks, ranks[:, :, :half]], axis=2)
    later = np.lib.stride_tricks.sliding_window_view(ring, half, axis=2)[:, :, 1:]
    for block in range(blocks):
        difference = later[block] - ranks[block][:, :, np.newaxis]
        if length % 2 == 0:
            difference[:, half:, -1] = 0
        sums[block] = _products(difference)
    return sums


def likely_units(n: float, p: int, n_batches: int) -> float:
    """About how many units of this many rows would be left out in turn."""
    if n >= _SHORTEST * n_batches:
        return 1.5 * n_batches
    return min(n, max(min(_MOST_UNITS, _NUMBERS // (p * p)), _FEWEST_UNITS) * 0.75)


def touching(rows: AnyArray, length: int) -> tuple[FloatArray, FloatArray]:
    """Sums over the pairs of one block that touch a unit of `length` consecutive rows.

    Without these pairs, the sums are those of the block without the rows of the unit.

    Parameters
    ----------
    rows : ndarray of shape (n, p)
        The rows of the block.
    length : int
        Rows of a unit; the last one may be shorter.

    Returns
    -------
    total : ndarray of shape (p, p)
        Σ s_kl s_klᵀ over all pairs.
    sums : ndarray of shape (units, p, p)
        The same over the pairs that touch each unit.
    """
    n, p = rows.shape
    (ranks,) = _ranks(rows, n)
    units, full = -(-n // length), n // length
    sums, within = np.zeros((2, units, p, p))
    # Units of the same length are worked on together, as many as the cache holds.
    together = max(1, _SIGNS // (n * p * length))
    chunks = [(unit, min(unit + together, full)) for unit in range(0, full, together)]
    if full < units:
        chunks.append((full, units))
    for first, last in chunks:
        own = ranks[:, first * length : last * length]
        own = own.reshape(p, last - first, -1).transpose(1, 0, 2)
        sums[first:last] = _all_products(own, ranks[np.newaxis])
        if own.shape[2] > 1:
            within[first:last] = _all_products(own, own)
    # All pairs were met twice, and those within a unit both times by that unit.
    return sums.sum(axis=0) / 2, sums - within / 2


def _all_products(
    own: npt.NDArray[np.signedinteger], others: npt.NDArray[np.signedinteger]
) -> FloatArray:
    """Σ s sᵀ over each row of each unit with all others: stacks of ranks, columns before rows."""
    units, p, length = own.shape
    sums = np.zeros((units, p, p))
    # A long unit in portions of rows, whose signs the cache holds.
    step = max(1, _SIGNS // (units * p * others.shape[2]))
    for start in range(0, length, step):
        some = own[:, :, start : start + step, np.newaxis]
        sums += _products(others[:, :, np.newaxis, :] - some)
    return sums


def _ranks(rows: AnyArray, length: int) -> npt.NDArray[np.signedinteger]:
    """Ranks within each block, from 0, equal for equal values: of shape (blocks, p, length)."""
    blocks, p = len(rows) // length, rows.shape[1]
    small = np.int8 if length <= _ONE_BYTE else np.int16 if length <= 1 << 15 else np.int32
    values = np.ascontiguousarray(rows.reshape(blocks, length, p).transpose(0, 2, 1))
    order = np.argsort(values, axis=2)
    ordered = np.take_along_axis(values, order, axis=2)
    higher = ordered[:, :, 1:] != ordered[:, :, :-1]
    place = np.zeros(values.shape, dtype=small)
    if higher.all():
        place[:] = np.arange(length, dtype=small)
    else:
        np.cumsum(higher, axis=2, dtype=small, out=place[:, :, 1:])
    ranks = np.empty_like(place)
    np.put_along_axis(ranks, order, place, axis=2)
    return ranks


def _products(difference: npt.NDArray[np.signedinteger]) -> npt.NDArray[np.float32]:
    """S Sᵀ of the signs S of differences of pairs of rows, for each of a stack or for one.

    The last two axes are the pairs, the one before them the columns. The products are whole
    numbers, exact below 2²⁴.
    """
    np.clip(difference, -1, 1, out=difference)
    signs = difference.reshape(*difference.shape[:-2], -1).astype(np.float32)
    return np.asarray(signs @ np.swapaxes(signs, -1, -2))

"""Units of consecutive rows, and the pairs of rows that meet them: what a state of τ is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from edgewise._base.types import AnyArray, FloatArray
from edgewise.errors import StateFileError
from edgewise.kernels.concordance import unit_sums
from edgewise.kernels.latent import Concordance, block_lengths, independent_pairs, latent_tau
from edgewise.states.file_format import StateContents

#: The rows of a window are dealt out to so many blocks, and only rows of a block are compared.
N_BLOCKS = 100
#: Rows that are compared with each other, those of a block. Kendall's τ is then more variable than
#: with all pairs, for independent columns by the factor 1 + 3.5/127 = 1.028.
BLOCK_ROWS = 128
# The window of a unit that has rows of several.
_SEVERAL = -1
# At least so many sample rows must show that the order of rows matters, by so many standard errors.
_FEWEST_SAMPLED, _ERRORS = 400, 3.0


@dataclass(frozen=True, eq=False, slots=True)
class Unit:
    """Consecutive rows of a window, or of several: sums that add up when units are joined.

    Attributes
    ----------
    rows : int
        Its rows.
    window : int
        The number of its window, or −1 if it has rows of several.
    pairs_met, pairs_within : float
        Pairs of its rows with all rows of their blocks (those within the unit counted twice), and
        those within the unit.
    met : ndarray of shape (p, p)
        Σ s sᵀ over the pairs that it meets.
    """

    rows: int
    window: int
    pairs_met: float
    pairs_within: float
    met: FloatArray

    def __add__(self, later: Unit) -> Unit:
        within = self.pairs_within + later.pairs_within
        same = self.window == later.window != _SEVERAL
        if same:  # both have rows in every block
            within += self.rows * later.rows / N_BLOCKS
        return Unit(
            self.rows + later.rows,
            self.window if same else _SEVERAL,
            self.pairs_met + later.pairs_met,
            within,
            self.met + later.met,
        )


def units_of_window(rows: FloatArray, window: int, length: int) -> list[Unit]:
    """The units of a whole window, of about `length` rows each, in the order of the rows."""
    sums = unit_sums(rows, N_BLOCKS)
    joined = max(1, min(length // N_BLOCKS, len(sums.rows)))
    starts = np.arange(0, len(sums.rows), joined)
    met = np.add.reduceat(sums.met, starts, axis=0)
    counts, pairs_met = (np.add.reduceat(x, starts) for x in (sums.rows, sums.pairs_met))
    within = counts * (counts / N_BLOCKS - 1) / 2
    return [
        Unit(int(n), window, float(pairs), float(inside), own)
        for n, pairs, inside, own in zip(counts, pairs_met, within, met, strict=True)
    ]


def touching(units: Sequence[Unit]) -> tuple[FloatArray, FloatArray]:
    """Σ s sᵀ over the pairs that touch each unit, and how many they are.

    They are the pairs met, less one of the two counts of those within the unit. Of these the sum is
    not kept: it would not add up. With the projection g of the rows on their sums, a pair of rows k
    and l has the mean τ + g_k + g_l. So the pairs met by a unit have τ + g_unit + g_window, those
    within it τ + 2g_unit, and all of the window τ + 2g_window: the second is twice the first less
    the third. For single rows of a block, and for whole windows, this is exact.
    """
    met, pairs = np.stack([one.met for one in units]), np.array([one.pairs_met for one in units])
    inside = np.array([one.pairs_within for one in units])
    windows = np.array([one.window for one in units])
    mean = met / pairs[:, np.newaxis, np.newaxis]
    of_window = mean.copy()
    for window in np.unique(windows[windows != _SEVERAL]):
        own = windows == window
        of_window[own] = met[own].sum(axis=0) / pairs[own].sum()
    within = inside[:, np.newaxis, np.newaxis] * (2 * mean - of_window)
    return met - within, pairs - inside


def concordance_of_units(
    units: Sequence[Unit], n_windows: int, rows: FloatArray, length: int
) -> Concordance:
    """All that is known: the units of whole windows, and the rows after them.

    Parameters
    ----------
    units : sequence of Unit
        The units.
    n_windows : int
        The windows that they are of.
    rows : ndarray of shape (n, p)
        The rows that fill no window; they are compared within blocks of the same length.
    length : int
        Rows of a unit.
    """
    total = np.sum([one.met for one in units], axis=0)
    pairs = sum(one.pairs_met for one in units)
    sums, counts = touching(units)
    lengths, blocks = [BLOCK_ROWS], [N_BLOCKS * n_windows]
    if len(rows) > 1:  # a single row has no pair
        own = -(-len(rows) // BLOCK_ROWS)
        rest = unit_sums(rows, own, max(1, length // own))
        total, pairs = total + rest.met.sum(axis=0), pairs + float(rest.pairs_met.sum())
        sums = np.concatenate([sums, rest.touching()])
        counts = np.concatenate([counts, rest.pairs_met - rest.pairs_within])
        more = block_lengths(len(rows), own)
        lengths, blocks = lengths + more[0], blocks + more[1]
    n_samples = sum(one.rows for one in units) + len(rows)
    # All pairs were met twice.
    found = independent_pairs(lengths, blocks)
    return Concordance(n_samples, total / 2, pairs / 2, sums, counts, found)


def order_matters(found: Concordance, sample: FloatArray) -> bool:
    """Whether sample rows of the whole stream show other τ than rows of the same windows.

    They do where the rows are sorted, or drift. An error of τ is at most √(2(1 − τ²)/n).
    """
    if len(sample) < _FEWEST_SAMPLED:
        return False
    apart = unit_sums(sample, 1, len(sample))
    tau = latent_tau(found.total, found.n_pairs)
    other = latent_tau(apart.met[0] / 2, float(apart.pairs_met[0]) / 2)
    error = np.sqrt(2 * (1 - np.minimum(np.nan_to_num(tau) ** 2, 0.99)) / len(sample))
    return bool((np.abs(np.nan_to_num(other - tau)) > _ERRORS * error).any())


def paired(units: Sequence[Unit]) -> list[Unit]:
    """Neighbours joined; an odd one at the end stays as it is."""
    even = len(units) // 2 * 2
    return [a + b for a, b in zip(units[:even:2], units[1:even:2], strict=True)] + list(
        units[even:]
    )


def renumbered(units: Sequence[Unit], by: int) -> Iterator[Unit]:
    """The same units, whose windows follow as many others."""
    for one in units:
        yield one if one.window == _SEVERAL else replace(one, window=one.window + by)


def arrays_of(units: Sequence[Unit]) -> dict[str, AnyArray]:
    """The units by name, for a state file."""
    if not units:
        return {}
    return {
        "n": np.array([one.rows for one in units], dtype=np.int64),
        "window": np.array([one.window for one in units], dtype=np.int64),
        "pairs_met": np.array([one.pairs_met for one in units]),
        "pairs_within": np.array([one.pairs_within for one in units]),
        "met": np.stack([one.met for one in units]),
    }


def units_in(contents: StateContents) -> tuple[Unit, ...]:
    """The units of a state file, after checking that their parts fit each other."""
    if "met" not in contents.arrays:
        return ()
    n, p = contents.arrays.get("n"), contents.width("met")
    if n is None or n.ndim != 1 or n.dtype != np.int64 or not n.size or n.min() < 1:
        raise StateFileError("state: expected units of at least one row.")
    windows = contents.array("window", n.shape)
    if windows.dtype != np.int64 or windows.min() < _SEVERAL:
        raise StateFileError("state: expected the numbers of windows.")
    met = contents.floats("met", (n.size, p, p))
    pairs_met, within = (contents.floats(name, n.shape) for name in ("pairs_met", "pairs_within"))
    if not (pairs_met >= 2 * within).all() or not (within >= 0).all():
        raise StateFileError("state: expected no more pairs within a unit than it meets.")
    return tuple(
        Unit(int(rows), int(window), float(pairs), float(inside), own)
        for rows, window, pairs, inside, own in zip(n, windows, pairs_met, within, met, strict=True)
    )

"""Concordance of rows: the state of Kendall's tau, which needs no moments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from edgewise._checks import check_count, check_names
from edgewise._linalg import AnyArray, FloatArray, symmetric, upper_pairs
from edgewise.errors import DataError, ParameterError, StateFileError
from edgewise.sums.batches import DEFAULT_BATCHES
from edgewise.sums.save import RowState, StateContents
from edgewise.tables.table import Rows, raise_for_nonfinite

# Differences of the ranks of this many rows fit in one byte.
_ONE_BYTE = 128
# Signs are made and multiplied in portions of about this many.
_SIGNS = 1 << 20
# Bits are counted faster than products are made of up to so many columns and at least so many signs
# of a unit; so many words of 64 bits are counted at once.
_FEW_COLUMNS, _MANY_SIGNS, _WORDS = 48, 1 << 16, 1 << 15
# The window of a unit that has rows of several.
_SEVERAL = -1


@dataclass(frozen=True, eq=False, slots=True)
class Units:
    """Sums over the pairs of rows that meet each unit of rows, a pair kl being sₖₗ, signs of
    columns.

    `met` is Σ s sᵀ over the rows of the unit and all rows of their blocks, a pair within the unit
    twice; `within` over the pairs within, where known. `window` is −1 for rows of several.
    """

    n: npt.NDArray[np.int64]
    window: npt.NDArray[np.int64]
    pairs_met: FloatArray
    pairs_within: FloatArray
    met: FloatArray
    within: FloatArray | None = None

    def then(self, later: Units) -> Units:
        both = ([getattr(one, name) for one in (self, later)] for name in _NAMES)
        return Units(*map(np.concatenate, both))

    def joined(self, starts: Sequence[int]) -> Units:
        """Neighbours of windows added up, from each of the starts to the next."""
        n, pairs_met, within, met = (
            np.add.reduceat(array, starts, axis=0)
            for array in (self.n, self.pairs_met, self.pairs_within, self.met)
        )
        window = np.minimum.reduceat(self.window, starts)
        same = window == np.maximum.reduceat(self.window, starts)
        # Units of one window have as many rows in every block.
        between = (n**2 - np.add.reduceat(self.n**2, starts)) / (2 * N_BLOCKS)
        within += np.where(same & (window != _SEVERAL), between, 0.0)
        return Units(n, np.where(same, window, _SEVERAL), pairs_met, within, met)

    def touching(self) -> FloatArray:
        """Σ s sᵀ over the pairs that touch each unit: those met, less one count of those within.

        The latter is not known of joined units: the pairs met have the mean τ + g_unit + g_window,
        those within τ + 2g_unit, and all of the window τ + 2g_window.
        """
        if self.within is not None:
            return self.met - self.within
        if not self.pairs_within.any():
            return self.met
        mean = self.met / self.pairs_met[:, np.newaxis, np.newaxis]
        of_window = mean.copy()
        for window in np.unique(self.window[self.window != _SEVERAL]):
            own = self.window == window
            of_window[own] = self.met[own].sum(axis=0) / self.pairs_met[own].sum()
        return self.met - self.pairs_within[:, np.newaxis, np.newaxis] * (2 * mean - of_window)


_NAMES = Units.__match_args__[:-1]


def unit_sums(rows: FloatArray, n_blocks: int, per_block: int = 1, window: int = 0) -> Units:
    """Compare the rows of a window within its blocks, unit by unit: `per_block` rows of each block."""
    n, p = rows.shape
    ranks = _dealt_ranks(rows, n_blocks)
    longest = ranks.shape[2]
    missing = longest * n_blocks - n  # so many blocks lack a row at the last place
    by_bits = p <= _FEW_COLUMNS and rows.size * per_block >= _MANY_SIGNS
    by_bits = by_bits and bool((ranks.max(axis=2) == longest - 1).all())  # no two are tied
    starts = np.arange(0, longest, per_block)
    met = np.empty((len(starts), p, p))
    within = None if per_block == 1 else np.empty_like(met)
    for unit, start in enumerate(starts):
        own = ranks[:, :, start : start + per_block]
        met[unit] = _counts(ranks, own) if by_bits else _products(ranks, own)
        if within is not None:
            # Every pair twice, from both of its rows.
            within[unit] = _products(own, own) / 2
    count = np.minimum(longest - starts, per_block).astype(np.float64)
    pairs_met = n_blocks * count * (longest - 1)
    pairs_within = n_blocks * count * (count - 1) / 2
    # A missing row is above all others, so that a pair with it adds one to every entry.
    missed = missing * count
    missed[-1] += missing * (longest - 2)
    met -= missed[:, np.newaxis, np.newaxis]
    if within is not None:
        within[-1] -= missing * (count[-1] - 1)
    pairs_met -= missed
    pairs_within[-1] -= missing * (count[-1] - 1)
    size = (n_blocks * count).astype(np.int64)
    size[-1] -= missing
    return Units(size, np.full(len(starts), window), pairs_met, pairs_within, met, within)


def _counts(
    others: npt.NDArray[np.signedinteger], own: npt.NDArray[np.signedinteger]
) -> FloatArray:
    """Σ s sᵀ over each row of `own` and all `others` of its block, where no two are tied."""
    p, blocks, length = own.shape
    higher = others[:, :, np.newaxis, :] > own[:, :, :, np.newaxis]
    bits = np.packbits(higher.reshape(p, -1), axis=1)
    words = np.zeros((p, -(-bits.shape[1] // 8)), dtype=np.uint64)
    words.view(np.uint8)[:, : bits.shape[1]] = bits
    i, j = upper_pairs(p)
    step = max(1, _WORDS // words.shape[1])
    differ = np.zeros(len(i))
    for first in range(0, len(i), step):
        some = slice(first, first + step)
        differ[some] = np.bitwise_count(words[i[some]] ^ words[j[some]]).sum(axis=1)
    # A row is not compared with itself.
    count = float(blocks * length * (others.shape[2] - 1))
    return np.asarray(symmetric(count - 2 * differ, p, diagonal=count))


def _products(
    others: npt.NDArray[np.signedinteger], own: npt.NDArray[np.signedinteger]
) -> FloatArray:
    """Σ s sᵀ over each row of `own` and all `others` of its block; ranks, columns first."""
    p, blocks, length = own.shape
    total = np.zeros((p, p))
    step = max(1, _SIGNS // (p * blocks * others.shape[2]))
    for first in range(0, length, step):
        some = own[:, :, first : first + step]
        difference = others[:, :, np.newaxis, :] - some[:, :, :, np.newaxis]
        np.clip(difference, -1, 1, out=difference)
        signs = difference.reshape(p, -1).astype(np.float32)
        total += signs @ signs.T  # whole numbers, exact below 2²⁴
    return total


def _dealt_ranks(rows: FloatArray, n_blocks: int) -> npt.NDArray[np.signedinteger]:
    """Ranks within each block, equal for equal values; a missing row is last, and above all others."""
    n, p = rows.shape
    longest = -(-n // n_blocks)
    values = np.full((longest * n_blocks, p), np.inf)
    values[:n] = rows
    values = np.ascontiguousarray(values.reshape(longest, n_blocks, p).transpose(2, 1, 0))
    small = np.int8 if longest <= _ONE_BYTE else np.int16 if longest <= 1 << 15 else np.int32
    order = np.argsort(values, axis=2)
    ordered = np.take_along_axis(values, order, axis=2)
    place = np.zeros(values.shape, dtype=small)
    higher = ordered[:, :, 1:] != ordered[:, :, :-1]
    np.cumsum(higher, axis=2, dtype=small, out=place[:, :, 1:])
    ranks = np.empty_like(place)
    np.put_along_axis(ranks, order, place, axis=2)
    return ranks


# Rows in memory are compared within blocks of at most this many rows, or of as many as this many
# multiplications allow, but of at least as many as a state compares.
_LONGEST, _PRODUCTS, _SHORTEST = 1024, 5e10, 128
# The most units of rows that are left out in turn, and the numbers that their sums may take.
_MOST_UNITS, _FEWEST_UNITS, _NUMBERS = 1024, 64, 1 << 24


@dataclass(frozen=True, eq=False, slots=True)
class Concordance:
    """Sums over pairs of rows, s_kl s_klᵀ: in `total`, and over those `touching` each unit.

    `independent_pairs` is N of Hoeffding's inequality; `order_matters` says whether rows that are
    far apart show other coefficients than those that were compared.
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
        return latent_correlation(self.total, self.n_pairs)

    def correlations_without(self, units: slice) -> FloatArray:
        left = self.n_pairs - self.pairs_touching[units]
        return np.nan_to_num(latent_correlation(self.total - self.touching[units], left))


def kendall_tau(sums: FloatArray) -> FloatArray:
    """Kendall's τ_b from sums of s_kl s_klᵀ; NaN where all rows are tied."""
    root = np.sqrt(sums.diagonal())
    with np.errstate(invalid="ignore", divide="ignore"):
        tau: FloatArray = np.clip(sums / np.outer(root, root), -1.0, 1.0)
    return tau


def latent_tau(sums: FloatArray, n_pairs: float | FloatArray) -> FloatArray:
    """τ of the continuous variables behind the columns; without ties Kendall's. See `left_by_ties`."""
    tied = 1 - np.diagonal(sums, axis1=-2, axis2=-1) / np.expand_dims(n_pairs, -1)
    root = np.sqrt(left_by_ties(tied) * np.expand_dims(n_pairs, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        tau: FloatArray = sums / root[..., :, np.newaxis] / root[..., np.newaxis, :]
    return np.clip(tau, -1.0, 1.0, out=tau)


def left_by_ties(tied: FloatArray) -> FloatArray:
    """f(t) by which the share t of tied pairs lowers τ_a: 1 − 2t² up to one half, then 1 − t.

    Rounding ties pairs that are close, and loses of the order t² only; τ_b would make false edges.
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
    """N of Hoeffding's inequality for the mean over all pairs within blocks: 1/N = Σ w²/⌊b/2⌋."""
    b, count = np.asarray(lengths, dtype=np.float64), np.asarray(counts, dtype=np.float64)
    weight = b * (b - 1) / 2
    weight = weight / (count @ weight)
    return float(1 / (count @ (weight**2 / np.maximum(np.floor(b / 2), 0.5))))


def block_lengths(n: int, n_blocks: int) -> tuple[list[int], list[int]]:
    """The lengths of the blocks that n rows are dealt out to, and how many have each."""
    longer = n % n_blocks
    return [n // n_blocks, n // n_blocks + 1], [n_blocks - longer, longer]


def concordance_of_rows(rows: FloatArray, n_batches: int | None = None) -> Concordance:
    """From rows in memory: all pairs if they are few, else the pairs within long blocks."""
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
    return _of_units([unit_sums(rows, blocks, per_block)], *block_lengths(n, blocks))


def _of_units(parts: Sequence[Units], lengths: Sequence[int], blocks: Sequence[int]) -> Concordance:
    return Concordance(
        sum(int(units.n.sum()) for units in parts),
        np.sum([units.met.sum(axis=0) for units in parts], axis=0) / 2,  # all pairs were met twice
        sum(float(units.pairs_met.sum()) for units in parts) / 2,
        np.concatenate([units.touching() for units in parts]),
        np.concatenate([units.pairs_met - units.pairs_within for units in parts]),
        independent_pairs(lengths, blocks),
    )


def likely_units(n: float, p: int, n_batches: int | None) -> float:
    """About how many units of this many rows would be left out in turn."""
    if n_batches is None and n < WINDOW_ROWS:
        return min(n, 0.75 * _most_units(p))
    return min(n, 1.4 * (n_batches or DEFAULT_BATCHES))


def _most_units(p: int) -> int:
    return max(min(_MOST_UNITS, _NUMBERS // (p * p)), _FEWEST_UNITS)


#: The rows of a window are dealt out to so many blocks, and only rows of a block are compared.
N_BLOCKS = 100
#: Rows that are compared with each other, those of a block. Kendall's τ is then more variable than
#: with all pairs, for independent columns by the factor 1 + 3.5/127 = 1.028.
BLOCK_ROWS = 128
# At first every 25th row is sampled; with more samples than this, every other one goes.
_FIRST_STEP, _MOST_SAMPLED = 25, 1024
# At least so many sample rows must show that the order of rows matters, by so many standard errors.
_FEWEST_SAMPLED, _ERRORS = 400, 3.0


def _order_matters(found: Concordance, sample: FloatArray) -> bool:
    """Whether sample rows of the whole stream show other τ than rows of the same windows."""
    if len(sample) < _FEWEST_SAMPLED:
        return False
    apart = unit_sums(sample, 1, len(sample))
    tau = latent_tau(found.total, found.n_pairs)
    other = latent_tau(apart.met[0] / 2, float(apart.pairs_met[0]) / 2)
    error = np.sqrt(2 * (1 - np.minimum(np.nan_to_num(tau) ** 2, 0.99)) / len(sample))
    return bool((np.abs(np.nan_to_num(other - tau)) > _ERRORS * error).any())


#: Rows that are kept, until they become sums: those of all blocks of a window.
WINDOW_ROWS = N_BLOCKS * BLOCK_ROWS
# Numbers that are converted at once. This limits the scratch memory.
_CHUNK_ELEMENTS = 1 << 20


class ConcordanceMoments(RowState):
    """Which columns go up together between rows: enough for Kendall's τ and its standard error.

    Rows are kept until there are 12 800 of them (100 n_batches, if that is more), are then dealt
    out to 100 blocks and compared within these. Memory is O(p (n_batches p + 12 800)). A saved
    state has the rows that are kept, and up to 1024 sample rows of the whole stream.

    Parameters
    ----------
    n_batches : int
        Batches of rows that are left out in turn, at least 2.
    feature_names : sequence of str, optional
        Names of the columns; states with names are matched by them when they are merged.

    Examples
    --------
    >>> import numpy as np
    >>> from edgewise.states import ConcordanceMoments
    >>> X = np.random.default_rng(0).standard_cauchy((1000, 3))
    >>> X[:, 1] += X[:, 0]
    >>> state = ConcordanceMoments().update(X[:300]).update(X[300:])
    >>> state.kendall().round(2).tolist()[0]
    [1.0, 0.5, -0.02]
    >>> state.covariance().round(2).tolist()[0]  # sin(πτ/2)
    [1.0, 0.71, -0.02]
    """

    kind: ClassVar[str] = "concordance"
    default_method: str = "kendall"
    _shown: ClassVar[tuple[str, ...]] = ("n_batches",)

    def __init__(
        self, n_batches: int = DEFAULT_BATCHES, *, feature_names: Sequence[str] | None = None
    ) -> None:
        self.n_batches = check_count("n_batches", n_batches, at_least=2)
        self.batch_rows = N_BLOCKS
        self.feature_names = None if feature_names is None else check_names(feature_names)
        # Rows that are in no window yet, in pieces; units of those before, of which the last takes
        # further rows until it has `batch_rows`; how many windows there were; every so-many-th row
        # of them, of which every other one goes when they are too many. None of these is ever
        # changed, only replaced.
        self._pieces: tuple[FloatArray, ...] = ()
        self._units: Units | None = None
        self._windows = 0
        self._sample: FloatArray | None = None
        self._sample_step = _FIRST_STEP

    def _take(self, rows: Rows) -> None:
        most = max(WINDOW_ROWS, _CHUNK_ELEMENTS // max(rows.shape[1], 1))
        for start in range(0, rows.shape[0], most):
            # A copy, because the caller may change the rows later.
            taken = np.array(rows[start : start + most], dtype=np.float64)
            if not np.isfinite(taken).all():
                raise_for_nonfinite(rows)
            self._collect(taken)

    def _collect(self, rows: FloatArray) -> None:
        self._pieces = (*self._pieces, rows)
        loose = sum(map(len, self._pieces))
        # The first windows must make as many units as are wanted.
        if loose < (WINDOW_ROWS if self._windows else max(WINDOW_ROWS, N_BLOCKS * self.n_batches)):
            return
        rows = self._loose()
        full = loose // WINDOW_ROWS * WINDOW_ROWS
        for start in range(0, full, WINDOW_ROWS):
            window = rows[start : start + WINDOW_ROWS]
            units = unit_sums(window, N_BLOCKS, window=self._windows)
            # As long as a batch, or as a window where batches are longer.
            self._append(units.joined(range(0, len(units.n), max(1, self.batch_rows // N_BLOCKS))))
            step = min(self._sample_step, WINDOW_ROWS)
            if self._windows % (self._sample_step // step) == 0:
                self._keep_sample(window[::step])
            self._windows += 1
        # A copy, so that the other rows are not kept in memory.
        self._pieces = (rows[full:].copy(),) if full < loose else ()

    def _loose(self) -> FloatArray:
        if len(self._pieces) > 1:
            self._pieces = (np.concatenate(self._pieces),)
        return self._pieces[0] if self._pieces else np.empty((0, self.n_features or 0))

    def _append(self, units: Units) -> None:
        """Add units that follow; neighbours are joined where they are too many."""
        units = units if self._units is None else self._units.then(units)
        starts, length = [0], int(units.n[0])
        for place, n in enumerate(units.n[1:].tolist(), start=1):
            length += n
            if length > self.batch_rows:
                starts.append(place)
                length = n
        units = units.joined(starts)
        while len(units.n) >= 2 * self.n_batches:
            units = units.joined(range(0, len(units.n), 2))
            self.batch_rows *= 2
        self._units = units

    def _keep_sample(self, more: FloatArray) -> None:
        every = more.copy() if self._sample is None else np.concatenate([self._sample, more])
        while len(every) > _MOST_SAMPLED:
            every, self._sample_step = every[::2].copy(), 2 * self._sample_step
        self._sample = every

    def _joined(self, other: Self, order: npt.NDArray[np.intp] | None) -> Self:
        if self.n_batches != other.n_batches:
            raise ParameterError(
                f"other: expected a state of {self.n_batches} batches, got one of "
                f"{other.n_batches}; accumulate both with the same n_batches."
            )
        total = self._empty()
        total.batch_rows = max(self.batch_rows, other.batch_rows)
        total._sample_step = max(self._sample_step, other._sample_step)
        states = (self, slice(None)), (other, slice(None) if order is None else order)
        for state, own in states:
            if (units := state._units) is not None:
                window = np.where(units.window == _SEVERAL, _SEVERAL, units.window + total._windows)
                total._append(replace(units, window=window, met=units.met[:, own][:, :, own]))
                total._windows += state._windows
            if state._sample is not None:
                skip = max(1, total._sample_step // state._sample_step)
                total._keep_sample(state._sample[::skip, own])
        for state, own in states:
            for rows in state._pieces:
                total._collect(rows[:, own])
        return total

    def _column_scatter(self) -> FloatArray:
        """The same after every block: the order of rows does not depend on how far out they are."""
        return np.ones(self.n_features or 0)

    def _empty(self) -> Self:
        return type(self)(self.n_batches, feature_names=self.feature_names)

    def concordance(self, n_batches: int | None = None) -> Concordance:
        """The sums over pairs of rows, and those that touch each unit of rows.

        The units are at least `n_batches` batches of rows; by default they are single rows while
        these are few, and the batches of the state later.
        """
        rows, units = self._loose(), self._units
        if units is None:
            if len(rows) < 2:
                raise DataError(
                    f"state: expected at least 2 rows, got {len(rows)}; call update with data "
                    "first."
                )
            return concordance_of_rows(rows, n_batches)
        parts, lengths, blocks = [units], [BLOCK_ROWS], [N_BLOCKS * self._windows]
        if len(rows) > 1:  # a single row has no pair
            own = -(-len(rows) // BLOCK_ROWS)
            parts.append(unit_sums(rows, own, max(1, self.batch_rows // own)))
            more = block_lengths(len(rows), own)
            lengths, blocks = lengths + more[0], blocks + more[1]
        found, far = _of_units(parts, lengths, blocks), rows[:: self._sample_step]
        if self._sample is not None:
            far = np.concatenate([self._sample, far])
        return replace(found, n_samples=self.n_samples, order_matters=_order_matters(found, far))

    def kendall(self) -> FloatArray:
        """Kendall's τ_b of all pairs of columns."""
        return kendall_tau(self.concordance().total)

    def mean(self) -> FloatArray:
        return np.zeros(self.n_features or 0)

    def covariance(self) -> FloatArray:
        # Of the latent variables, whose variances are one: sin(πτ/2).
        return self.concordance().correlation()

    def _contents(self) -> StateContents:
        arrays: dict[str, AnyArray] = {}
        if self._pieces:
            arrays["rows"] = self._loose()
        if self._sample is not None:
            arrays["sample"] = self._sample
        if self._units is not None:
            arrays |= {name: getattr(self._units, name) for name in _NAMES}
        meta = {
            "n_batches": self.n_batches,
            "batch_rows": self.batch_rows,
            "windows": self._windows,
            "sample_step": self._sample_step,
        }
        return StateContents(self.kind, self.feature_names, self.n_samples, meta, arrays)

    @classmethod
    def _restored(cls, contents: StateContents) -> Self:
        state = cls(contents.whole("n_batches", 2), feature_names=contents.columns)
        state.batch_rows = contents.whole("batch_rows", N_BLOCKS)
        state._windows = contents.whole("windows", 0)
        state._sample_step = contents.whole("sample_step", _FIRST_STEP)
        arrays, widths = contents.arrays, set()
        for name in ("rows", "sample", "met"):
            if name in arrays:
                widths.add(contents.width(name))
                if arrays[name].ndim != 2 + (name == "met") or not np.isfinite(arrays[name]).all():
                    raise StateFileError(f"state: expected {name!r} of finite numbers.")
        if len(widths) > 1:
            raise StateFileError("state: expected rows and units of the same columns.")
        state.n_features = next(iter(widths), None)
        if "rows" in arrays:
            state._pieces = (arrays["rows"],)
            state.n_samples = len(arrays["rows"])
        state._sample = arrays.get("sample")
        if "met" in arrays:
            n, (p,) = contents.counts("n"), widths
            state.n_samples += int(n.sum())
            window, met, within = (contents.array(name, n.shape) for name in _NAMES[1:4])
            sums = contents.array("met", (n.size, p, p))
            state._units = Units(n, window, met, within, sums)
            if window.dtype != np.int64 or window.min() < _SEVERAL:
                raise StateFileError("state: expected the numbers of windows.")
            if not ((met >= 2 * within) & (within >= 0)).all():
                raise StateFileError("state: expected no more pairs within a unit than it meets.")
        return state

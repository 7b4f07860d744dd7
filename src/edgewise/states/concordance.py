"""Concordance of rows: the state of Kendall's τ, which needs no moments."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import ClassVar, Self, TypeVar

import numpy as np

from edgewise._base.checks import check_count, check_names
from edgewise._base.types import AnyArray, FloatArray
from edgewise.errors import DataError, ParameterError, StateFileError
from edgewise.kernels.concordance import (
    Concordance,
    concordance_of_rows,
    independent_pairs,
    kendall_tau,
    latent_correlation,
    pairs_of_rows,
    within_blocks,
)
from edgewise.rows.block import Rows
from edgewise.rows.values import raise_for_nonfinite
from edgewise.states.columns import merge_order, merged_names, rows_by_name
from edgewise.states.file_format import StateContents
from edgewise.states.state import State

T = TypeVar("T", int, FloatArray)

DEFAULT_BATCHES = 100
#: Rows that are compared with each other once they are too many to keep. Kendall's τ is then more
#: variable than with all pairs, for independent columns by the factor 1 + 3.5/127 = 1.028.
BLOCK_ROWS = 128
# Numbers that are converted, ranked and compared at once. This limits the scratch memory.
_CHUNK_ELEMENTS = 1 << 20


class ConcordanceMoments(State):
    """Which columns go up together between rows: enough for Kendall's τ and its standard error.

    Rows are kept as they are until there are ``128 * n_batches``, so that all pairs of few rows can
    be compared. From then on only rows of the same block of 128 are, and a block becomes a p × p
    sum. There are between n_batches and twice as many sums: when there are 2 n_batches, neighbours
    are added up. Memory is O(n_batches p (p + 128)), whatever the number of rows.

    States add in any order. Rows that did not yet fill a block are then compared with those of the
    other state.

    Parameters
    ----------
    n_batches : int
        Batches of rows that are left out in turn, at least 2.
    feature_names : sequence of str, optional
        Names of the columns; states with names are matched by them when they are merged.

    Attributes
    ----------
    n_samples : int
        Rows seen.
    n_features : int or None
        Columns, once rows have been seen.

    Examples
    --------
    >>> import numpy as np
    >>> from edgewise import ConcordanceMoments
    >>> X = np.random.default_rng(0).standard_cauchy((1000, 3))
    >>> X[:, 1] += X[:, 0]
    >>> state = ConcordanceMoments().update(X[:300]).update(X[300:])
    >>> state.n_samples, state.kendall().round(2).tolist()[0]
    (1000, [1.0, 0.5, -0.02])

    The correlation of the Gaussian variables that would have such a τ is sin(πτ/2):

    >>> state.covariance().round(2).tolist()[0], state.mean().tolist()
    ([1.0, 0.71, -0.02], [0.0, 0.0, 0.0])

    States add; and a state knows how many pairs of rows it has compared:

    >>> state.copy().merge(state).n_samples, state.concordance().n_pairs
    (2000, 499500.0)

    A state can be kept:

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     state.save(f"{folder}/rows.state")
    ...     ConcordanceMoments.load(f"{folder}/rows.state")
    ConcordanceMoments(n_samples=1000, n_features=3, n_batches=100)
    """

    kind: ClassVar[str] = "concordance"
    default_method: ClassVar[str] = "kendall"

    def __init__(
        self, n_batches: int = DEFAULT_BATCHES, *, feature_names: Sequence[str] | None = None
    ) -> None:
        self.n_batches = check_count("n_batches", n_batches, at_least=2)
        self.batch_rows = BLOCK_ROWS
        self.feature_names = None if feature_names is None else check_names(feature_names)
        # Rows that are in no block yet, in pieces; and for each batch its rows and its sum. The
        # last batch takes further blocks until it has `batch_rows` rows. Arrays never change.
        self._pieces: tuple[FloatArray, ...] = ()
        self._counts: tuple[int, ...] = ()
        self._sums: tuple[FloatArray, ...] = ()

    @property
    def n_samples(self) -> int:
        """Rows seen."""
        return sum(self._counts) + sum(map(len, self._pieces))

    @property
    def n_features(self) -> int | None:
        """Columns, once rows have been seen."""
        return next((int(part.shape[1]) for part in (*self._sums, *self._pieces)), None)

    def update(self, X: Rows) -> Self:
        """Add more rows; after an error the state is as it was before.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows. Columns of a data frame are matched by name.

        Returns
        -------
        ConcordanceMoments
            The state itself.
        """
        rows, names = rows_by_name(self, X)
        before = dict(self.__dict__)
        most = max(BLOCK_ROWS, _CHUNK_ELEMENTS // max(rows.shape[1], 1))
        try:
            for start in range(0, rows.shape[0], most):
                # A copy, because the caller may change the rows later.
                taken = np.array(rows[start : start + most], dtype=np.float64)
                if not np.isfinite(taken).all():
                    raise_for_nonfinite(rows, names)
                self._take(taken)
        except BaseException:
            self.__dict__.update(before)
            raise
        if rows.shape[0]:
            self.feature_names = names
        return self

    def _take(self, rows: FloatArray) -> None:
        """Keep rows, and turn those into sums that need not be kept."""
        self._pieces = (*self._pieces, rows)
        loose = sum(map(len, self._pieces))
        if loose < (BLOCK_ROWS if self._sums else BLOCK_ROWS * self.n_batches):
            return
        rows = self._loose()
        full = loose // BLOCK_ROWS * BLOCK_ROWS
        most = max(1, _CHUNK_ELEMENTS // (BLOCK_ROWS * rows.shape[1])) * BLOCK_ROWS
        for start in range(0, full, most):
            sums = within_blocks(rows[start : min(start + most, full)], BLOCK_ROWS)
            self._append([BLOCK_ROWS] * len(sums), list(sums))
        # A copy, so that the other rows are not kept in memory.
        self._pieces = (rows[full:].copy(),) if full < loose else ()

    def _loose(self) -> FloatArray:
        """The rows that are in no block, in one piece."""
        if len(self._pieces) > 1:
            self._pieces = (np.concatenate(self._pieces),)
        return self._pieces[0] if self._pieces else np.empty((0, self.n_features or 0))

    def _append(self, counts: Sequence[int], sums: Sequence[FloatArray]) -> None:
        """Add blocks, or batches, to the batches; neighbours merge where these are too many."""
        known, kept = list(self._counts), list(self._sums)
        for count, one in zip(counts, sums, strict=True):
            if known and known[-1] + count <= self.batch_rows:
                known[-1], kept[-1] = known[-1] + count, kept[-1] + one
            else:
                known.append(count)
                kept.append(one)
            if len(known) >= 2 * self.n_batches:
                known, kept = _paired(known), _paired(kept)
                self.batch_rows *= 2
        self._counts, self._sums = tuple(known), tuple(kept)

    def __add__(self, other: ConcordanceMoments) -> ConcordanceMoments:
        if not isinstance(other, ConcordanceMoments):
            return NotImplemented
        self._check_other(other)
        if self.n_samples and other.n_samples:
            if self.n_batches != other.n_batches:
                raise ParameterError(
                    f"other: expected a state of {self.n_batches} batches, got one of "
                    f"{other.n_batches}; accumulate both with the same n_batches."
                )
            if self.n_features != other.n_features:
                raise ParameterError(
                    f"other: expected a state of {self.n_features} columns, "
                    f"got one of {other.n_features}; only states of the same columns add up."
                )
        known = self if self.n_samples or not other.n_samples else other
        merged = ConcordanceMoments(known.n_batches)
        merged.feature_names = merged_names(self, other)
        order = merge_order(self.feature_names, other.feature_names) if other.n_samples else None
        merged.batch_rows = max(self.batch_rows, other.batch_rows)
        for state in (self, other):
            places = order if state is other and self.n_samples else None
            sums = [one if places is None else one[np.ix_(places, places)] for one in state._sums]
            merged._append(state._counts, sums)
        for state in (self, other):
            places = order if state is other and self.n_samples else None
            for rows in state._pieces:
                merged._take(rows if places is None else rows[:, places])
        return merged

    def _column_scatter(self) -> FloatArray:
        """The same after every block: the order of rows does not depend on how far out they are."""
        return np.ones(self.n_features or 0)

    def _empty(self) -> ConcordanceMoments:
        """A state of the same kind that has seen no rows."""
        return ConcordanceMoments(self.n_batches, feature_names=self.feature_names)

    def copy(self) -> ConcordanceMoments:
        """An independent state of the same rows.

        Returns
        -------
        ConcordanceMoments
            The copy.
        """
        copied = self._empty()
        copied.__dict__.update(self.__dict__)
        return copied

    def concordance(self, n_batches: int | None = None) -> Concordance:
        """The sums over pairs of rows, and those that touch each unit of rows.

        Parameters
        ----------
        n_batches : int, optional
            The units are at least so many batches of rows. By default they are single rows while
            these are few, and the batches of the state later.

        Returns
        -------
        Concordance
            The sums.
        """
        rows = self._loose()
        if not self._sums:
            if len(rows) < 2:
                raise DataError(
                    f"state: expected at least 2 rows, got {len(rows)}; call update with data "
                    "first."
                )
            return concordance_of_rows(rows, n_batches)
        sums, lengths, blocks = list(self._sums), [BLOCK_ROWS], [sum(self._counts) // BLOCK_ROWS]
        if len(rows) > 1:  # a single row has no pair
            sums.append(within_blocks(rows, len(rows))[0])
            lengths.append(len(rows))
            blocks.append(1)
        touching = np.stack(sums)
        pairs = pairs_of_rows(np.array(lengths, dtype=np.float64))
        return Concordance(
            self.n_samples,
            touching.sum(axis=0),
            float(pairs @ np.array(blocks)),
            touching,
            independent_pairs(lengths, blocks),
        )

    def kendall(self) -> FloatArray:
        """Kendall's τ_b of all pairs of columns.

        Returns
        -------
        ndarray of shape (p, p)
            The coefficients; NaN for constant columns.
        """
        return kendall_tau(self.concordance().total)

    def mean(self) -> FloatArray:
        """Mean of the latent variables, which have the same order as the columns: zero.

        Returns
        -------
        ndarray of shape (p,)
            Zeros.
        """
        return np.zeros(self.n_features or 0)

    def covariance(self) -> FloatArray:
        """Covariance of the latent variables, whose variances are one: sin(πτ/2).

        Returns
        -------
        ndarray of shape (p, p)
            The latent correlations, which need not be positive definite.
        """
        return latent_correlation(self.concordance().total)

    def _contents(self) -> StateContents:
        arrays: dict[str, AnyArray] = {}
        if self._pieces:
            arrays["rows"] = self._loose()
        if self._sums:
            arrays |= {"n": np.array(self._counts, dtype=np.int64), "sums": np.stack(self._sums)}
        meta = {"n_batches": self.n_batches, "batch_rows": self.batch_rows, "block": BLOCK_ROWS}
        return StateContents(self.kind, self.feature_names, self.n_samples, meta, arrays)

    @classmethod
    def _from_contents(cls, contents: StateContents) -> ConcordanceMoments:
        state = cls(contents.whole("n_batches", 2), feature_names=contents.columns)
        state.batch_rows = contents.whole("batch_rows", BLOCK_ROWS)
        if contents.whole("block", 2) != BLOCK_ROWS:
            raise StateFileError(
                f"state: expected blocks of {BLOCK_ROWS} rows, got {contents.meta['block']}; "
                "accumulate again."
            )
        if "rows" in contents.arrays:
            rows = contents.arrays["rows"]
            state._pieces = (contents.floats("rows", (len(rows), contents.width("rows"))),)
            if not np.isfinite(state._pieces[0]).all():
                raise StateFileError("state: expected rows of finite numbers.")
        if "sums" in contents.arrays:
            n, p = contents.arrays.get("n"), contents.width("sums")
            if n is None or n.ndim != 1 or n.dtype != np.int64 or not n.size or n.min() < 1:
                raise StateFileError("state: expected batches of at least one row.")
            state._sums = tuple(contents.floats("sums", (n.size, p, p)))
            state._counts = tuple(n.tolist())
        widths = {part.shape[1] for part in (*state._pieces, *state._sums)}
        if len(widths) > 1:
            raise StateFileError("state: expected rows and batches of the same columns.")
        if state.n_samples != contents.n_samples:
            raise StateFileError(
                f"state: expected {contents.n_samples} rows in all, got {state.n_samples}."
            )
        return state

    def __repr__(self) -> str:
        return (
            f"ConcordanceMoments(n_samples={self.n_samples}, n_features={self.n_features}, "
            f"n_batches={self.n_batches})"
        )


def _paired(items: list[T]) -> list[T]:
    """The sums of neighbours; an odd one at the end stays as it is."""
    merged: list[T] = [operator.add(a, b) for a, b in zip(items[0::2], items[1::2], strict=False)]
    return merged + items[2 * len(merged) :]

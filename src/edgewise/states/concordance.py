"""Concordance of rows: the state of Kendall's τ, which needs no moments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np

from edgewise._base.checks import check_count, check_names
from edgewise._base.types import AnyArray, FloatArray
from edgewise.errors import DataError, ParameterError, StateFileError
from edgewise.kernels.latent import Concordance, concordance_of_rows, kendall_tau
from edgewise.rows.block import Rows
from edgewise.rows.values import raise_for_nonfinite
from edgewise.states.batch_length import DEFAULT_BATCHES
from edgewise.states.columns import merge_order, merged_names, rows_by_name
from edgewise.states.concordance_units import (
    BLOCK_ROWS,
    N_BLOCKS,
    Unit,
    arrays_of,
    concordance_of_units,
    order_matters,
    paired,
    renumbered,
    units_in,
    units_of_window,
)
from edgewise.states.file_format import StateContents
from edgewise.states.row_sample import RowSample
from edgewise.states.state import State

#: Rows that are kept, until they become sums: those of all blocks of a window.
WINDOW_ROWS = N_BLOCKS * BLOCK_ROWS
# Numbers that are converted at once. This limits the scratch memory.
_CHUNK_ELEMENTS = 1 << 20


class ConcordanceMoments(State):
    """Which columns go up together between rows: enough for Kendall's τ and its standard error.

    Rows are kept as they are until there are 12 800 of them, a window (100 n_batches, if that is
    more). They are then dealt out to 100 blocks, the rows of a block are compared with each other,
    and sums of p × p numbers are left, for between n_batches and twice as many units of consecutive
    rows: when there are 2 n_batches, neighbours are added up. Memory is O(p (n_batches p +
    12 800)), whatever the number of rows. A saved state has the rows that are kept, up to 12 800,
    and up to 1024 sample rows of the whole stream as they are.

    States add in any order. Rows that did not yet fill a window are then compared with those of the
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
        self.batch_rows = N_BLOCKS
        self.feature_names = None if feature_names is None else check_names(feature_names)
        # Rows that are in no window yet, in pieces; units of those before, of which the last takes
        # further rows until it has `batch_rows`; how many windows there were; every so-many-th row
        # of them. None of these is ever changed, only replaced.
        self._pieces: tuple[FloatArray, ...] = ()
        self._units: tuple[Unit, ...] = ()
        self._windows = 0
        self._sample = RowSample()

    @property
    def n_samples(self) -> int:
        """Rows seen."""
        return sum(one.rows for one in self._units) + sum(map(len, self._pieces))

    @property
    def n_features(self) -> int | None:
        """Columns, once rows have been seen."""
        parts = (*(one.met for one in self._units[:1]), *self._pieces[:1])
        return next((int(part.shape[1]) for part in parts), None)

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
        most = max(WINDOW_ROWS, _CHUNK_ELEMENTS // max(rows.shape[1], 1))
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
        """Keep rows, and turn whole windows of them into sums."""
        self._pieces = (*self._pieces, rows)
        loose = sum(map(len, self._pieces))
        # The first windows must make as many units as are wanted.
        if loose < (WINDOW_ROWS if self._units else max(WINDOW_ROWS, N_BLOCKS * self.n_batches)):
            return
        rows = self._loose()
        full = loose // WINDOW_ROWS * WINDOW_ROWS
        for start in range(0, full, WINDOW_ROWS):
            window = rows[start : start + WINDOW_ROWS]
            self._append(units_of_window(window, self._windows, self.batch_rows))
            self._sample = self._sample.after(window, self._windows)
            self._windows += 1
        # A copy, so that the other rows are not kept in memory.
        self._pieces = (rows[full:].copy(),) if full < loose else ()

    def _loose(self) -> FloatArray:
        """The rows that are in no window, in one piece."""
        if len(self._pieces) > 1:
            self._pieces = (np.concatenate(self._pieces),)
        return self._pieces[0] if self._pieces else np.empty((0, self.n_features or 0))

    def _append(self, units: Sequence[Unit]) -> None:
        """Add units that follow; neighbours are joined where they are too many."""
        known = list(self._units)
        for one in units:
            if known and known[-1].rows + one.rows <= self.batch_rows:
                known[-1] += one
            else:
                known.append(one)
            while len(known) >= 2 * self.n_batches:
                known = paired(known)
                self.batch_rows *= 2
        self._units = tuple(known)

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
        # Of the columns of the other state.
        places = slice(None) if order is None or not self.n_samples else order
        for state, own in ((self, slice(None)), (other, places)):
            units = [replace(one, met=one.met[own][:, own]) for one in state._units]
            merged._append(list(renumbered(units, merged._windows)))
            merged._windows += state._windows
            merged._sample = merged._sample.followed_by(state._sample.columns(own))
        for state, own in ((self, slice(None)), (other, places)):
            for rows in state._pieces:
                merged._take(rows[:, own])
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
        if not self._units:
            if len(rows) < 2:
                raise DataError(
                    f"state: expected at least 2 rows, got {len(rows)}; call update with data "
                    "first."
                )
            return concordance_of_rows(rows, n_batches)
        found = concordance_of_units(self._units, self._windows, rows, self.batch_rows)
        far = rows[:: self._sample.step]
        if self._sample.rows is not None:
            far = np.concatenate([self._sample.rows, far])
        return replace(found, order_matters=order_matters(found, far))

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
        return self.concordance().correlation()

    def _contents(self) -> StateContents:
        arrays: dict[str, AnyArray] = {}
        if self._pieces:
            arrays["rows"] = self._loose()
        if self._sample.rows is not None:
            arrays["sample"] = self._sample.rows
        meta = {
            "n_batches": self.n_batches,
            "batch_rows": self.batch_rows,
            "windows": self._windows,
            "sample_step": self._sample.step,
        }
        arrays |= arrays_of(self._units)
        return StateContents(self.kind, self.feature_names, self.n_samples, meta, arrays)

    @classmethod
    def _from_contents(cls, contents: StateContents) -> ConcordanceMoments:
        state = cls(contents.whole("n_batches", 2), feature_names=contents.columns)
        state.batch_rows = contents.whole("batch_rows", N_BLOCKS)
        state._sample = RowSample.of_contents(contents)
        state._windows = contents.whole("windows", 0)
        if "rows" in contents.arrays:
            count = len(contents.arrays["rows"])
            state._pieces = (contents.floats("rows", (count, contents.width("rows"))),)
            if not np.isfinite(state._pieces[0]).all():
                raise StateFileError("state: expected rows of finite numbers.")
        state._units = units_in(contents)
        parts = [*state._pieces, *(one.met for one in state._units)]
        if state._sample.rows is not None:
            parts.append(state._sample.rows)
        widths = {part.shape[1] for part in parts}
        if len(widths) > 1:
            raise StateFileError("state: expected rows and units of the same columns.")
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

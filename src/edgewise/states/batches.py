"""Moments of consecutive batches of rows: one pass, valid for serially dependent rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from edgewise._base.checks import check_count, check_names
from edgewise._base.types import AnyArray, FloatArray
from edgewise.errors import DataError, NonFiniteError, ParameterError, StateFileError
from edgewise.kernels.centre import Centre
from edgewise.kernels.power_sums import PowerSums, power_sums
from edgewise.rows.block import Rows
from edgewise.rows.values import raise_for_nonfinite
from edgewise.states.batch_sums import BatchSums, stacked, sum_of_squares, sums_of_batches
from edgewise.states.columns import merge_order, merged_names, rows_by_name
from edgewise.states.file_format import StateContents
from edgewise.states.moments import Moments
from edgewise.states.state import State

# Rows summed at once while batches are made. This limits the scratch memory.
_CHUNK_ELEMENTS = 1 << 20


class BatchMoments(State):
    """Moments of between K and 2K consecutive batches of rows, in O(Kp²) memory.

    A stream starts with batches of one row; whenever there are 2K, neighbours merge pairwise and
    batches are twice as long from then on. Their spread estimates the variance of any smooth
    function of the covariance without a second pass, and stays right when rows depend on the rows
    before them, as long as batches are longer than the dependence.

    Parameters
    ----------
    n_batches : int
        K, at least 2.
    batch_rows : int
        Rows of the first batches. With n/K, a table of n rows makes exactly K batches.
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
    >>> from edgewise import BatchMoments
    >>> X = np.random.default_rng(0).standard_normal((1000, 3))
    >>> state = BatchMoments(n_batches=50).update(X[:300]).update(X[300:])
    >>> state.n_samples, state.batch_counts().tolist()[:3]
    (1000, [16, 16, 16])
    >>> bool(np.allclose(state.covariance(), np.cov(X, rowvar=False)))
    True
    >>> bool(np.allclose(state.mean(), X.mean(axis=0)))
    True
    >>> state.scatters_about(state.pooled().centre()).shape
    (63, 3, 3)
    >>> state.coarsened(rows=100, batches=5).batch_counts().tolist()
    [128, 128, 128, 128, 128, 128, 128, 104]
    >>> state.copy().merge(state).n_samples
    2000

    A state can be kept:

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     state.save(f"{folder}/rows.state")
    ...     BatchMoments.load(f"{folder}/rows.state")
    BatchMoments(n_samples=1000, n_features=3, n_batches=50, batch_rows=16)
    """

    kind: ClassVar[str] = "batches"
    default_method: ClassVar[str] = "batch"

    def __init__(
        self,
        n_batches: int = 100,
        *,
        batch_rows: int = 1,
        feature_names: Sequence[str] | None = None,
    ) -> None:
        self.n_batches = check_count("n_batches", n_batches, at_least=2)
        self.batch_rows = check_count("batch_rows", batch_rows, at_least=1)
        self.feature_names = None if feature_names is None else check_names(feature_names)
        self._batches: BatchSums | None = None
        self._open: BatchSums | None = None  # a single batch that is not yet full

    @property
    def n_samples(self) -> int:
        """Rows seen."""
        return sum(int(part.n.sum()) for part in (self._batches, self._open) if part is not None)

    @property
    def n_features(self) -> int | None:
        """Columns, once rows have been seen."""
        for part in (self._batches, self._open):
            if part is not None:
                return int(part.origin.shape[1])
        return None

    def update(self, X: Rows) -> Self:
        """Add more rows, which follow the earlier ones in time.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows. Columns of a data frame are matched by name.

        Returns
        -------
        BatchMoments
            The state itself.
        """
        rows, names = rows_by_name(self, X)
        before = self._batches, self._open, self.batch_rows
        start = 0
        try:
            while start < rows.shape[0]:
                start += self._take(rows[start:])
        except NonFiniteError:
            self._batches, self._open, self.batch_rows = before
            # The piece counted only its own rows; the message counts all rows.
            raise_for_nonfinite(rows, names)
        except BaseException:
            self._batches, self._open, self.batch_rows = before
            raise
        if rows.shape[0]:
            self.feature_names = names
        return self

    def _take(self, rows: Rows) -> int:
        """Put rows from the front into batches of the present length; return how many."""
        length = self.batch_rows
        most = max(1, _CHUNK_ELEMENTS // max(rows.shape[1], 1))
        started = 0 if self._open is None else int(self._open.n[0])
        full = min(rows.shape[0], most) // length
        if started or not full:
            # Rows of a batch that is not full, or that is too long for one piece.
            taken = rows[: min(most, length - started)]
            part = stacked([power_sums(taken, quartic=False)])
            self._open = part if self._open is None else self._open.then(part).paired()
            if int(self._open.n[0]) == length:
                closed, self._open = self._open, None
                self._append(closed)
            return int(taken.shape[0])
        # Only as many as fit before batches double in length.
        full = min(full, 2 * self.n_batches - (0 if self._batches is None else len(self._batches)))
        taken = rows[: full * length]
        self._append(sums_of_batches(taken, length))
        return int(taken.shape[0])

    def _append(self, batches: BatchSums) -> None:
        self._batches = batches if self._batches is None else self._batches.then(batches)
        while len(self._batches) >= 2 * self.n_batches:
            self._batches = self._batches.paired()
            self.batch_rows *= 2

    def _closed(self) -> BatchSums:
        """All batches; the last one may be shorter because it is not full."""
        if self._open is not None:
            return self._open if self._batches is None else self._batches.then(self._open)
        if self._batches is None:
            raise DataError("state: expected at least 1 row, got 0; call update with data first.")
        return self._batches

    def __add__(self, other: BatchMoments) -> BatchMoments:
        if not isinstance(other, BatchMoments):
            return NotImplemented
        self._check_other(other)
        if self.n_batches != other.n_batches and self.n_samples and other.n_samples:
            raise ParameterError(
                f"other: expected a state of {self.n_batches} batches, got one of "
                f"{other.n_batches}; accumulate both with the same n_batches."
            )
        if None is not self.n_features != other.n_features is not None:
            raise ParameterError(
                f"other: expected a state of {self.n_features} columns, "
                f"got one of {other.n_features}; only states of the same columns add up."
            )
        if not other.n_samples or not self.n_samples:
            known = (self if self.n_samples else other).copy()
            known.feature_names = merged_names(self, other)
            return known
        merged = BatchMoments(self.n_batches, batch_rows=max(self.batch_rows, other.batch_rows))
        merged.feature_names = merged_names(self, other)
        order = merge_order(self.feature_names, other.feature_names)
        for state in (self, other):
            batches, length = state._closed(), state.batch_rows
            if state is other and order is not None:
                batches = batches.permuted(order)
            # Bring the finer state to the coarser one's length, so that batches stay comparable.
            while length < merged.batch_rows:
                batches, length = batches.paired(), 2 * length
            merged._append(batches)
        return merged

    def _column_scatter(self) -> FloatArray:
        """Σ (x − mean)² of each column, quickly; in the presence of huge values nearly."""
        return sum_of_squares([part for part in (self._batches, self._open) if part is not None])

    def _empty(self) -> BatchMoments:
        """A state of the same kind that has seen no rows."""
        return BatchMoments(self.n_batches, feature_names=self.feature_names)

    def copy(self) -> BatchMoments:
        """An independent state of the same rows.

        Returns
        -------
        BatchMoments
            The copy.
        """
        copied = BatchMoments(
            self.n_batches, batch_rows=self.batch_rows, feature_names=self.feature_names
        )
        copied._batches, copied._open = self._batches, self._open
        return copied

    def coarsened(self, *, rows: int, batches: int) -> BatchMoments:
        """Merge neighbours until batches have `rows` rows, but keep at least `batches` of them.

        Parameters
        ----------
        rows : int
            Rows that a batch should have.
        batches : int
            The fewest batches to keep.

        Returns
        -------
        BatchMoments
            Another state of the same rows.
        """
        coarse = self.copy()
        while self.n_samples and coarse.batch_rows < rows and len(coarse._closed()) >= 2 * batches:
            coarse._batches, coarse._open = coarse._closed().paired(), None
            coarse.batch_rows *= 2
        return coarse

    def pooled(self) -> Moments:
        """The moments of all rows together.

        Returns
        -------
        Moments
            A state of order 2.
        """
        batches = self._closed()
        while len(batches) > 1:
            batches = batches.paired()
        moments = Moments(order=2, feature_names=self.feature_names)
        moments._sums = PowerSums(
            int(batches.n[0]), batches.origin[0], batches.first[0], batches.second[0], None
        )
        return moments

    def _contents(self) -> StateContents:
        arrays: dict[str, AnyArray] = {}
        for prefix, part in (("", self._batches), ("open_", self._open)):
            if part is not None:
                arrays |= {prefix + name: array for name, array in part.arrays().items()}
        meta = {"n_batches": self.n_batches, "batch_rows": self.batch_rows}
        return StateContents(self.kind, self.feature_names, self.n_samples, meta, arrays)

    @classmethod
    def _from_contents(cls, contents: StateContents) -> BatchMoments:
        state = cls(
            contents.whole("n_batches", 2),
            batch_rows=contents.whole("batch_rows", 1),
            feature_names=contents.columns,
        )
        state._batches = BatchSums.from_arrays(contents, "")
        state._open = BatchSums.from_arrays(contents, "open_")
        widths = {
            part.origin.shape[1] for part in (state._batches, state._open) if part is not None
        }
        if len(widths) > 1:
            raise StateFileError("state: expected batches of the same columns.")
        if state.n_samples != contents.n_samples:
            raise StateFileError(
                f"state: expected batches of {contents.n_samples} rows in all, got "
                f"{state.n_samples}."
            )
        return state

    def mean(self) -> FloatArray:
        """Mean of each column.

        Returns
        -------
        ndarray of shape (p,)
            The means.
        """
        return self.pooled().mean()

    def covariance(self) -> FloatArray:
        """Unbiased covariance matrix Σ̂ (divisor n − 1).

        Returns
        -------
        ndarray of shape (p, p)
            Σ̂.
        """
        return self.pooled().covariance()

    def batch_counts(self) -> npt.NDArray[np.int64]:
        """Rows of each batch.

        Returns
        -------
        ndarray of int
            In the order of the rows; the last batch may be shorter.
        """
        return self._closed().n.copy()

    def scatters_about(self, centre: Centre) -> FloatArray:
        """Σ (x − centre)(x − centre)ᵀ over the rows of each batch, stacked.

        Parameters
        ----------
        centre : Centre
            As `Moments.centre` gives it.

        Returns
        -------
        ndarray of shape (batches, p, p)
            The sums.
        """
        return self._sums_about(centre).second

    def _sums_about(self, centre: Centre) -> BatchSums:
        """The sums of each batch about a centre."""
        offset = 0.0 if centre.offset is None else centre.offset
        return self._closed().moved(centre.origin, offset)

    def __repr__(self) -> str:
        return (
            f"BatchMoments(n_samples={self.n_samples}, n_features={self.n_features}, "
            f"n_batches={self.n_batches}, batch_rows={self.batch_rows})"
        )

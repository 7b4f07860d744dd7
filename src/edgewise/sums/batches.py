"""States of consecutive batches of rows: one pass, valid for serially dependent rows."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from edgewise._checks import check_count, check_names
from edgewise._linalg import FloatArray
from edgewise.errors import DataError, ParameterError
from edgewise.sums.blocks import Centre
from edgewise.sums.moments import Moments, UnitState
from edgewise.sums.power import (
    MANY_COLUMNS,
    PowerSums,
    UnitSums,
    power_sums,
    sum_of_squares,
    sums_of_batches,
    together,
)
from edgewise.sums.save import StateContents
from edgewise.tables.table import Rows

# How many batches there are unless the user says so: with p columns at most 16,000/p, because a
# batch takes p² numbers to keep and p³ operations to leave out, but never fewer than 16.
DEFAULT_BATCHES, _FEWEST_DEFAULT = 100, 16
_DEFAULT_TIMES_COLUMNS = 16_000


def default_batches(n_features: int) -> int:
    """How many batches rows of so many columns are cut into by default."""
    affordable = _DEFAULT_TIMES_COLUMNS // max(n_features, 1)
    return max(_FEWEST_DEFAULT, min(DEFAULT_BATCHES, affordable))


def batch_length(n_rows: int, n_batches: int, length: int = 1) -> int:
    """Rows of a batch, `length` at first, after a state of `n_batches` has seen this many rows."""
    while n_rows // length >= 2 * n_batches:
        length *= 2
    return length


# Numbers summed at once while batches are made.
_CHUNK_ELEMENTS = 1 << 20


S = TypeVar("S", bound=UnitSums)


class BatchedState(UnitState, Generic[S]):
    """Sums of K to 2K consecutive batches: of single rows first, merged pairwise when there are 2K.

    Rows that come together are summed in batches of the length that they will have.
    """

    default_method: str = "batch"

    def __init__(
        self,
        n_batches: int | None = None,
        *,
        batch_rows: int = 1,
        feature_names: Sequence[str] | None = None,
    ) -> None:
        #: The number of batches that the user wants; None for the usual one.
        self.requested = (
            None if n_batches is None else check_count("n_batches", n_batches, at_least=2)
        )
        self.batch_rows = check_count("batch_rows", batch_rows, at_least=1)
        self.feature_names = None if feature_names is None else check_names(feature_names)
        # Full batches, in pieces as they came: to join them after each block would copy them often.
        self._pieces: list[S] = []
        self._open: S | None = None  # a single batch that is not yet full

    @property
    def n_batches(self) -> int:
        """K: at least that many batches, once there are so many rows, and less than 2K."""
        return self._batches_of(self.n_features or 0)

    def _batches_of(self, n_features: int) -> int:
        """K for rows of so many columns: what the user asked for, or what is usual for them."""
        return default_batches(n_features) if self.requested is None else self.requested

    @classmethod
    @abstractmethod
    def _sums_type(cls) -> type[S]:
        """The sums of batches."""

    @abstractmethod
    def _sums_of(self, rows: Rows) -> S:
        """The sums of some rows, as one batch."""

    @abstractmethod
    def _sums_of_batches(self, rows: Rows, length: int) -> S:
        """The sums of consecutive batches with this many rows each."""

    @abstractmethod
    def pooled(self) -> Any:
        """The mean and the covariance of all rows."""

    @property
    def _batches(self) -> S | None:
        """The full batches."""
        if len(self._pieces) > 1:
            self._pieces = [self._pieces[0].then(*self._pieces[1:])]
        return self._pieces[0] if self._pieces else None

    @_batches.setter
    def _batches(self, batches: S | None) -> None:
        self._pieces = [] if batches is None else [batches]

    def __getstate__(self) -> dict[str, Any]:
        # In one piece: states travel between the workers of a cluster.
        joined = self._batches
        return super().__getstate__() | {"_pieces": [] if joined is None else [joined]}

    def _parts(self) -> list[S]:
        return [*self._pieces, *([] if self._open is None else [self._open])]

    def _take(self, rows: Rows) -> None:
        self._expect(self.n_samples + rows.shape[0], rows.shape[1])
        start = 0
        while start < rows.shape[0]:
            start += self._fill(rows[start:])

    def _expect(self, n_rows: int, n_features: int) -> None:
        """Make batches as long as they will be after so many rows: sums of short ones are dear."""
        length = batch_length(n_rows, self._batches_of(n_features), self.batch_rows)
        while self.batch_rows < length:
            batches = self._batches
            if batches is not None:
                full = len(batches) // 2 * 2
                self._batches = batches.paired()
                if full < len(batches) and (batches.n == self.batch_rows).all():
                    self._batches = batches[:full].paired() if full else None
                    # The last batch waits for its second half.
                    odd, rest = batches[full:], self._open
                    self._open = odd if rest is None else odd.then(rest).paired()
            self.batch_rows *= 2

    def _fill(self, rows: Rows) -> int:
        """Put rows from the front into batches of the present length; return how many."""
        length = self.batch_rows
        most = self._most_rows(rows.shape[1])
        started = 0 if self._open is None else int(self._open.n[0])
        full = min(rows.shape[0], most) // length
        if started or not full:
            # Rows of a batch that is not full, or that is too long for one piece.
            taken = rows[: min(most, length - started)]
            part = self._sums_of(taken)
            self._open = part if self._open is None else self._open.then(part).paired()
            if int(self._open.n[0]) == length:
                closed, self._open = self._open, None
                self._append(closed)
            return int(taken.shape[0])
        # Only as many as fit before batches double in length.
        full = min(full, 2 * self._batches_of(rows.shape[1]) - sum(map(len, self._pieces)))
        taken = rows[: full * length]
        self._append(self._sums_of_batches(taken, length))
        return int(taken.shape[0])

    def _append(self, batches: S) -> None:
        self._pieces = [*self._pieces, batches]
        while sum(map(len, self._pieces)) >= 2 * self._batches_of(batches.origin.shape[1]):
            kept = self._batches
            self._batches = None if kept is None else kept.paired()
            self.batch_rows *= 2

    def _most_rows(self, n_features: int) -> int:
        """Rows summed at once while batches are made: it limits the memory that this takes."""
        return max(1, _CHUNK_ELEMENTS // max(n_features, 1))

    def _seen(self) -> list[S]:
        """The parts of a state that has seen rows; to join them would copy all."""
        if not self.n_samples:
            raise DataError("state: expected at least 1 row, got 0; call update with data first.")
        return self._parts()

    def _closed(self) -> S:
        """All batches; the last one may be shorter because it is not full."""
        first, *others = self._seen()
        return first.then(*others) if others else first

    def _joined(self, other: Self, order: npt.NDArray[np.intp] | None) -> Self:
        requested = {self.requested, other.requested} - {None}
        if len(requested) > 1:
            raise ParameterError(
                f"other: expected a state of {self.requested} batches, got one of "
                f"{other.requested}; accumulate both with the same n_batches."
            )
        total = self._empty()
        total.requested = requested.pop() if requested else None
        total.batch_rows = max(self.batch_rows, other.batch_rows)
        for state in (self, other):
            batches, length = state._closed(), state.batch_rows
            if state is other and order is not None:
                batches = batches.permuted(order)
            # Bring the finer state to the coarser one's length, so that batches stay comparable.
            while length < total.batch_rows:
                batches, length = batches.paired(), 2 * length
            total._append(batches)
        return total

    def _empty(self) -> Self:
        return type(self)(self.requested, feature_names=self.feature_names)

    def mean(self) -> FloatArray:
        """Mean of each column, from the rows that have it.

        Returns
        -------
        ndarray of shape (p,)
            The means.
        """
        return np.asarray(self.pooled().mean())

    def covariance(self) -> FloatArray:
        """Unbiased covariances, each from the rows that have both columns.

        Returns
        -------
        ndarray of shape (p, p)
            Σ̂; with missing values it need not be positive definite.
        """
        return np.asarray(self.pooled().covariance())

    def sums_about(self, centre: Centre) -> S:
        """The sums of each batch about a centre.

        Parameters
        ----------
        centre : Centre
            As `Moments.centre` gives it.

        Returns
        -------
        UnitSums
            `second` is Σ (x − centre)(x − centre)ᵀ over the rows of each batch, stacked.
        """
        return self._closed().about(centre)

    def coarsened(self, *, rows: int, batches: int) -> Self:
        """Merge neighbours until batches have `rows` rows, but keep at least `batches` of them.

        Parameters
        ----------
        rows : int
            Rows that a batch should have.
        batches : int
            The fewest batches to keep.

        Returns
        -------
        state
            Another state of the same rows.
        """
        coarse = self.copy()
        while coarse.batch_rows < rows and sum(map(len, coarse._parts())) >= 2 * batches:
            coarse._batches, coarse._open = coarse._closed().paired(), None
            coarse.batch_rows *= 2
        return coarse

    def batch_counts(self) -> npt.NDArray[np.int64]:
        """Rows of each batch.

        Returns
        -------
        ndarray of int
            In the order of the rows; the last batch may be shorter.
        """
        return np.concatenate([part.n for part in self._seen()])

    def _options(self) -> dict[str, Any]:
        return {"n_batches": self.requested or 0, "batch_rows": self.batch_rows}

    def _stored(self) -> Mapping[str, UnitSums | None]:
        return {"": self._batches, "open_": self._open}

    @classmethod
    def _restored(cls, contents: StateContents) -> Self:
        state = cls(
            contents.whole("n_batches", 0) or None,
            batch_rows=contents.whole("batch_rows", 1),
            feature_names=contents.columns,
        )
        state._batches = cls._sums_type().of_contents(contents)
        state._open = cls._sums_type().of_contents(contents, "open_")
        return state

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(n_samples={self.n_samples}, n_features={self.n_features}, "
            f"n_batches={self.n_batches}, batch_rows={self.batch_rows})"
        )


class BatchMoments(BatchedState[PowerSums]):
    """Moments of between K and 2K consecutive batches of rows, in O(Kp²) memory.

    A stream starts with batches of one row; whenever there are 2K, neighbours merge pairwise and
    batches are twice as long from then on. Their spread estimates the variance of any smooth
    function of the covariance without a second pass, and stays right when rows depend on the rows
    before them, as long as batches are longer than the dependence.

    Parameters
    ----------
    n_batches : int, optional
        K, at least 2. By default 100; with p > 160 columns 16,000/p, but at least 16.
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
    >>> from edgewise.states import BatchMoments
    >>> X = np.random.default_rng(0).standard_normal((1000, 3))
    >>> state = BatchMoments(n_batches=50).update(X[:300]).update(X[300:])
    >>> state.n_samples, state.batch_counts().tolist()[:3]
    (1000, [16, 16, 16])
    >>> bool(np.allclose(state.covariance(), np.cov(X, rowvar=False)))
    True
    >>> bool(np.allclose(state.mean(), X.mean(axis=0)))
    True
    >>> state.pooled()
    Moments(n_samples=1000, n_features=3, order=2)
    >>> state.coarsened(rows=100, batches=5).batch_counts().tolist()
    [128, 128, 128, 128, 128, 128, 128, 104]
    >>> state.copy().merge(state).n_samples
    2000

    A state can be saved:

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     state.save(f"{folder}/rows.state")
    ...     BatchMoments.load(f"{folder}/rows.state")
    BatchMoments(n_samples=1000, n_features=3, n_batches=50, batch_rows=16)
    """

    kind: ClassVar[str] = "batches"

    @classmethod
    def _sums_type(cls) -> type[PowerSums]:
        return PowerSums

    def _sums_of(self, rows: Rows) -> PowerSums:
        return power_sums(rows)

    def _sums_of_batches(self, rows: Rows, length: int) -> PowerSums:
        return sums_of_batches(rows, length)

    def _most_rows(self, n_features: int) -> int:
        # Batches of many columns are summed one by one.
        return sys.maxsize if n_features >= MANY_COLUMNS else super()._most_rows(n_features)

    def _column_scatter(self) -> FloatArray:
        return sum_of_squares(self._parts())

    def pooled(self) -> Moments:
        """The moments of all rows together.

        Returns
        -------
        Moments
            A state of order 2.
        """
        moments = Moments(order=2, feature_names=self.feature_names)
        moments._sums = together(self._seen())
        return moments

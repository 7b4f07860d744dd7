"""States of consecutive batches of rows: how batches fill, double in length, merge and are kept."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from edgewise._checks import check_count, check_names
from edgewise._linalg import AnyArray, FloatArray
from edgewise.errors import DataError, NonFiniteError, ParameterError, StateFileError
from edgewise.sums.blocks import Centre
from edgewise.sums.moments import ColumnState, merge_order, merged_names, rows_by_name
from edgewise.sums.save import StateContents
from edgewise.tables.table import Rows
from edgewise.tables.values import raise_for_nonfinite

# How many batches there are unless the user says so: with p columns at most 16,000/p, because a
# batch takes p² numbers to keep and p³ operations to leave out, but never fewer than 16.
DEFAULT_BATCHES, _FEWEST_DEFAULT = 100, 16
_DEFAULT_TIMES_COLUMNS = 16_000


def default_batches(n_features: int) -> int:
    """How many batches rows of so many columns are cut into by default."""
    affordable = _DEFAULT_TIMES_COLUMNS // max(n_features, 1)
    return max(_FEWEST_DEFAULT, min(DEFAULT_BATCHES, affordable))


def batch_length(n_rows: int, n_batches: int, length: int = 1) -> int:
    """Rows of a batch after a state of so many batches has seen this many rows.

    `length` is that of its first batches.
    """
    while n_rows // length >= 2 * n_batches:
        length *= 2
    return length


class Sums(Protocol):
    """Sums of many batches, stacked: those of moments, or of all pairs of columns."""

    @property
    def n(self) -> npt.NDArray[np.int64]:
        """Rows of each batch."""
        ...

    @property
    def origin(self) -> FloatArray:
        """What the sums are about, of shape (batches, p)."""
        ...

    def __len__(self) -> int: ...

    def __getitem__(self, which: slice) -> Self: ...

    def then(self, *later: Self) -> Self: ...

    def moved(self, origin: FloatArray, offset: FloatArray | float) -> Self: ...

    def paired(self) -> Self: ...

    def permuted(self, order: npt.NDArray[np.intp]) -> Self: ...

    def arrays(self) -> dict[str, AnyArray]: ...


# Numbers summed at once while batches are made.
_CHUNK_ELEMENTS = 1 << 20


S = TypeVar("S", bound=Sums)


class BatchedState(ColumnState, Generic[S]):
    """Sums of between K and 2K consecutive batches of rows.

    A stream starts with batches of one row; whenever there are 2K, neighbours merge pairwise and
    batches are twice as long from then on. Rows that come together are summed in batches of the
    length that they will have, so a table that is passed whole is summed once.
    """

    default_method: ClassVar[str] = "batch"

    def __init__(
        self,
        n_batches: int | None = None,
        *,
        batch_rows: int = 1,
        feature_names: Sequence[str] | None = None,
    ) -> None:
        #: The number of batches that the user wants; None for the usual one.
        self.asked = None if n_batches is None else check_count("n_batches", n_batches, at_least=2)
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
        return default_batches(n_features) if self.asked is None else self.asked

    @abstractmethod
    def _sums_of(self, rows: Rows) -> S:
        """The sums of some rows, as one batch."""

    @abstractmethod
    def _sums_of_batches(self, rows: Rows, length: int) -> S:
        """The sums of consecutive batches with this many rows each."""

    @classmethod
    @abstractmethod
    def _sums_in(cls, contents: StateContents, prefix: str) -> S | None:
        """The sums from a state file, after checking that they fit each other."""

    @abstractmethod
    def pooled(self) -> Any:
        """The mean and the covariance of all rows."""

    def _check_same(self, other: Self) -> None:
        """Refuse sums of another kind of rows."""

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
        return self.__dict__ | {"_pieces": [] if joined is None else [joined]}

    def _parts(self) -> list[S]:
        return [*self._pieces, *([] if self._open is None else [self._open])]

    @property
    def n_samples(self) -> int:
        """Rows seen."""
        return sum(int(part.n.sum()) for part in self._parts())

    @property
    def n_features(self) -> int | None:
        """Columns, once rows have been seen."""
        return next((int(part.origin.shape[1]) for part in self._parts()), None)

    def update(self, X: Rows) -> Self:
        """Add more rows, which follow the earlier ones in time.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows. Columns of a data frame are matched by name.

        Returns
        -------
        state
            The state itself.
        """
        rows, names = rows_by_name(self, X)
        before = self._pieces, self._open, self.batch_rows
        start = 0
        try:
            self._expect(self.n_samples + rows.shape[0], rows.shape[1])
            while start < rows.shape[0]:
                start += self._take(rows[start:])
        except NonFiniteError:
            self._pieces, self._open, self.batch_rows = before
            # The piece counted only its own rows; the message counts all rows.
            raise_for_nonfinite(rows, names)
        except BaseException:
            self._pieces, self._open, self.batch_rows = before
            raise
        if rows.shape[0]:
            self.feature_names = names
        return self

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

    def _take(self, rows: Rows) -> int:
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

    def __add__(self, other: Self) -> Self:
        if not isinstance(other, type(self)):
            return NotImplemented
        self._check_other(other)
        asked = {state.asked for state in (self, other) if state.n_samples} - {None}
        if len(asked) > 1:
            raise ParameterError(
                f"other: expected a state of {self.asked} batches, got one of {other.asked}; "
                "accumulate both with the same n_batches."
            )
        if not other.n_samples or not self.n_samples:
            known = (self if self.n_samples else other).copy()
            known.feature_names = merged_names(self, other)
            return known
        self._check_same(other)
        merged = self._empty()
        merged.asked = asked.pop() if asked else None
        merged.batch_rows = max(self.batch_rows, other.batch_rows)
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

    def _empty(self) -> Self:
        return type(self)(self.asked, feature_names=self.feature_names)

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

    def _sums_about(self, centre: Centre) -> S:
        """The sums of each batch about a centre."""
        offset = 0.0 if centre.offset is None else centre.offset
        return self._closed().moved(centre.origin, offset)

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

    def _contents(self) -> StateContents:
        arrays: dict[str, AnyArray] = {}
        for prefix, part in (("", self._batches), ("open_", self._open)):
            if part is not None:
                arrays |= {prefix + name: array for name, array in part.arrays().items()}
        meta = {"n_batches_asked": self.asked or 0, "batch_rows": self.batch_rows}
        return StateContents(self.kind, self.feature_names, self.n_samples, meta, arrays)

    @classmethod
    def _from_contents(cls, contents: StateContents) -> Self:
        state = cls(
            contents.whole("n_batches_asked", 0) or None,
            batch_rows=contents.whole("batch_rows", 1),
            feature_names=contents.columns,
        )
        state._batches = cls._sums_in(contents, "")
        state._open = cls._sums_in(contents, "open_")
        if len({part.origin.shape[1] for part in state._parts()}) > 1:
            raise StateFileError("state: expected batches of the same columns.")
        if state.n_samples != contents.n_samples:
            raise StateFileError(
                f"state: expected batches of {contents.n_samples} rows in all, got "
                f"{state.n_samples}."
            )
        return state

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(n_samples={self.n_samples}, n_features={self.n_features}, "
            f"n_batches={self.n_batches}, batch_rows={self.batch_rows})"
        )

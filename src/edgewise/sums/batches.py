"""States of units of rows: consecutive batches, valid for dependent rows, and clusters."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from edgewise._checks import check_count, check_names
from edgewise._linalg import FloatArray
from edgewise.errors import DataError, ParameterError, StateFileError
from edgewise.sums.blocks import Centre, quiet
from edgewise.sums.moments import Moments
from edgewise.sums.power import IntArray, PowerSums, UnitSums, sum_of_squares, together
from edgewise.sums.save import RowState, RowSums, StateContents
from edgewise.tables.table import ColumnBlock, Rows

# How many batches there are unless the user says so: with p columns at most 16,000/p, because a
# batch takes p² numbers to keep and p³ operations to leave out, but never fewer than 16.
DEFAULT_BATCHES, _FEWEST_DEFAULT = 100, 16
_DEFAULT_TIMES_COLUMNS = 16_000
# Numbers summed at once while batches are made: it limits the memory that this takes.
_CHUNK_ELEMENTS = 1 << 20


def default_batches(n_features: int) -> int:
    """How many batches rows of so many columns are cut into by default."""
    affordable = _DEFAULT_TIMES_COLUMNS // max(n_features, 1)
    return max(_FEWEST_DEFAULT, min(DEFAULT_BATCHES, affordable))


def batch_length(n_rows: int, n_batches: int, length: int = 1) -> int:
    """Rows of a batch, `length` at first, after a state of `n_batches` has seen this many rows."""
    while n_rows // length >= 2 * n_batches:
        length *= 2
    return length


S = TypeVar("S", bound=UnitSums)


class BatchedState(RowState, Generic[S]):
    """Sums of K to 2K consecutive batches: of single rows first, merged pairwise when there are 2K."""

    default_method: str = "batch"
    _shown: ClassVar[tuple[str, ...]] = ("n_batches", "batch_rows")
    _sums_type: type[S]

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
        self._full: tuple[S, ...] = ()
        self._open: S | None = None  # a single batch that is not yet full

    @abstractmethod
    def pooled(self) -> Any:
        """The mean and the covariance of all rows."""

    def _parts(self) -> tuple[S, ...]:
        """The full batches, in pieces, and the open one: to join them would copy all."""
        if not self._full and self._open is None:
            raise DataError("state: expected at least 1 row, got 0; call update with data first.")
        return self._full if self._open is None else (*self._full, self._open)

    @property
    def n_batches(self) -> int:
        """K: at least that many batches, once there are so many rows, and less than 2K."""
        return self._batches_of(self.n_features or 0)

    def _batches_of(self, n_features: int) -> int:
        return default_batches(n_features) if self.requested is None else self.requested

    def _closed(self) -> S:
        """All batches; the last one may be shorter because it is not full."""
        first, *others = self._parts()
        return first.then(*others) if others else first

    def __getstate__(self) -> dict[str, Any]:
        # In one piece: states travel between the workers of a cluster.
        state = super().__getstate__()
        if len(self._full) > 1:
            state["_full"] = (self._full[0].then(*self._full[1:]),)
        return state

    def _expect(self, n_rows: int, n_features: int) -> None:
        """Make batches as long as they will be after so many rows: sums of short ones are dear."""
        length = batch_length(n_rows, self._batches_of(n_features), self.batch_rows)
        while self.batch_rows < length:
            if self._full:
                batches = self._full[0].then(*self._full[1:])
                even = len(batches) // 2 * 2
                if even < len(batches) and (batches.n == self.batch_rows).all():
                    # The last batch waits for its second half.
                    odd, rest = batches[even:], self._open
                    self._open = odd if rest is None else odd.then(rest).paired()
                    batches = batches[:even]
                self._full = (batches.paired(),) if len(batches) else ()
            self.batch_rows *= 2

    def _take(self, rows: Rows) -> None:
        n, p = rows.shape
        self._expect(self.n_samples + n, p)
        most, start = max(1, _CHUNK_ELEMENTS // max(p, 1)), 0
        while start < n:
            length = self.batch_rows
            full = min(n - start, most) // length
            begun = 0 if self._open is None else int(self._open.n[0])
            if begun or not full:
                # Rows of a batch that is not full, or that is too long for one piece.
                stop = min(start + min(most, length - begun), n)
                part = self._sums_type.of_rows(rows[start:stop], stop - start)
                self._open = part if self._open is None else self._open.then(part).paired()
                if begun + stop - start == length:
                    closed, self._open = self._open, None
                    self._append(closed)
            else:
                # Only as many as fit before batches double in length.
                full = min(full, 2 * self._batches_of(p) - sum(map(len, self._full)))
                stop = start + full * length
                self._append(self._sums_type.of_rows(rows[start:stop], length))
            start = stop

    def _append(self, batches: S) -> None:
        self._full = (*self._full, batches)
        while sum(map(len, self._full)) >= 2 * self._batches_of(batches.origin.shape[1]):
            self._full = (self._full[0].then(*self._full[1:]).paired(),)
            self.batch_rows *= 2

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
        return np.asarray(self.pooled().mean())

    def covariance(self) -> FloatArray:
        return np.asarray(self.pooled().covariance())

    def sums_about(self, centre: Centre) -> S:
        """The sums of each batch about a centre, as `Moments.centre` gives it."""
        return self._closed().about(centre)

    def coarsened(self, *, rows: int, batches: int) -> Self:
        """Merge neighbours until batches have `rows` rows, but keep at least `batches` of them."""
        coarse = self.copy()
        while coarse.batch_rows < rows and sum(map(len, coarse._parts())) >= 2 * batches:
            coarse._full, coarse._open = (coarse._closed().paired(),), None
            coarse.batch_rows *= 2
        return coarse

    def batch_counts(self) -> npt.NDArray[np.int64]:
        """Rows of each batch; the last one may be shorter."""
        return np.concatenate([part.n for part in self._parts()])

    def _contents(self) -> StateContents:
        arrays = (
            {}
            if self._open is None
            else {f"open_{name}": array for name, array in self._open.named().items()}
        )
        if self._full:
            arrays |= self._full[0].then(*self._full[1:]).named()
        meta = {"n_batches": self.requested or 0, "batch_rows": self.batch_rows}
        return StateContents(self.kind, self.feature_names, self.n_samples, meta, arrays)

    @classmethod
    def _restored(cls, contents: StateContents) -> Self:
        state = cls(
            contents.whole("n_batches", 0) or None,
            batch_rows=contents.whole("batch_rows", 1),
            feature_names=contents.columns,
        )
        kind = cls._sums_type
        state._set(kind.of_contents(contents), kind.of_contents(contents, "open_"))
        if (
            state.n_samples
            and len({(one.origin.shape[1], *one.named()) for one in state._parts()}) > 1
        ):
            raise StateFileError("state: expected the same sums of the same columns in all units.")
        return state

    def _set(self, full: S | None, rest: S | None) -> None:
        self._full, self._open = () if full is None else (full,), rest
        for part in (full, rest):
            if part is not None:
                self.n_samples += int(part.n.sum())
                self.n_features = part.origin.shape[1]


class BatchMoments(BatchedState[PowerSums]):
    """Moments of between K and 2K consecutive batches of rows, in O(Kp²) memory.

    Whenever there are 2K batches, neighbours merge pairwise. Their spread estimates the variance of
    any smooth function of the covariance, also for dependent rows, if batches are longer than that.

    Parameters
    ----------
    n_batches : int, optional
        K, at least 2. By default 100; with p > 160 columns 16,000/p, but at least 16.
    batch_rows : int
        Rows of the first batches. With n/K, a table of n rows makes exactly K batches.
    feature_names : sequence of str, optional
        Names of the columns; states with names are matched by them when they are merged.

    Examples
    --------
    >>> import numpy as np
    >>> from edgewise.states import BatchMoments
    >>> X = np.random.default_rng(0).standard_normal((1000, 3))
    >>> state = BatchMoments(n_batches=50).update(X[:300]).update(X[300:])
    >>> state
    BatchMoments(n_samples=1000, n_features=3, n_batches=50, batch_rows=16)
    >>> state.coarsened(rows=100, batches=5).batch_counts().tolist()
    [128, 128, 128, 128, 128, 128, 128, 104]
    """

    kind: ClassVar[str] = "batches"
    _sums_type = PowerSums

    def _column_scatter(self) -> FloatArray:
        return sum_of_squares(self._parts())

    def pooled(self) -> Moments:
        return Moments._of(together(self._parts()), 2, self.feature_names)


# Bytes of the p × p sums of all clusters together; merging needs about as much again.
_MOST_BYTES = 4 << 30
# Clusters that a sum is taken of at once, in numbers.
_AT_ONCE = 1 << 20


class ClusterMoments(RowSums):
    """Moments of every cluster, in O(Gp²) memory for G clusters; rows come with their labels."""

    def __init__(self, feature_names: tuple[str, ...] | None = None) -> None:
        self.feature_names = feature_names
        # Labels in order and the sums of each; and what came since, with each label any number of
        # times. It is merged when it has grown as long as all before, so that a cluster is copied
        # only a few times in all.
        self._before: tuple[tuple[FloatArray, PowerSums], ...] = ()
        self._later: tuple[tuple[FloatArray, PowerSums], ...] = ()

    @property
    def n_clusters(self) -> int:
        return len(self.labels()) if self.n_samples else 0

    @property
    def step(self) -> int:
        return max(1, _AT_ONCE // max(self.n_features or 1, 1) ** 2)

    def _empty(self) -> Self:
        return type(self)(self.feature_names)

    def _take(self, rows: Rows) -> None:
        if not isinstance(rows, ColumnBlock) or rows.clusters is None:
            raise TypeError(f"rows: expected with their clusters, got {type(rows).__name__}")
        order = np.argsort(rows.clusters, kind="stable")
        labels, counts = np.unique(rows.clusters, return_counts=True)
        ends, every = np.cumsum(counts), np.asarray(rows, dtype=np.float64)
        sums, places = [], []
        # Clusters of the same number of rows are summed together: there may be as many as rows.
        for length in np.unique(counts):
            which = np.flatnonzero(counts == length)
            starts = ends[which] - length
            mine = order[(starts[:, np.newaxis] + np.arange(length)).ravel()]
            sums.append(PowerSums.of_rows(every[mine], int(length)))
            places.append(which)
        found = sums[0].then(*sums[1:])[np.argsort(np.concatenate(places))]
        self._later = (*self._later, (labels, found))
        self._merge_if_long()

    def _joined(self, other: Self, order: npt.NDArray[np.intp] | None) -> Self:
        total = self.copy()
        theirs = other._before + other._later
        if order is not None:
            theirs = tuple((labels, sums.permuted(order)) for labels, sums in theirs)
        total._later += theirs
        total._merge_if_long()
        return total

    def _merge_if_long(self) -> None:
        new, p = sum(len(labels) for labels, _ in self._later), self._later[0][1].origin.shape[1]
        known = sum(len(labels) for labels, _ in self._before)
        if new >= known or 8 * p * p * (new + known) > _MOST_BYTES:
            count = len(self._merged()[0])
            if 8 * p * p * count > _MOST_BYTES:
                raise DataError(
                    f"clusters: expected at most {_MOST_BYTES // (8 * p * p):,} clusters for {p} "
                    f"columns, whose sums then take 4 GB, got {count:,} or more; test fewer "
                    "columns, or make larger clusters."
                )

    def _merged(self) -> tuple[FloatArray, PowerSums]:
        """The labels in order, and the sums of each."""
        parts, self._later = self._before + self._later, ()
        if not parts:
            raise DataError("clusters: expected rows, got none; the table is empty.")
        if len(parts) == 1:
            self._before = parts
            return parts[0]
        every = np.concatenate([part for part, _ in parts])
        labels, place = np.unique(every, return_inverse=True)
        p = parts[0][1].origin.shape[1]
        n: IntArray = np.zeros(len(labels), dtype=np.int64)
        origin, first = np.zeros((2, len(labels), p))
        second = np.zeros((len(labels), p, p))
        # Every label is at most once in a part, so that it can be added at its place.
        places = np.split(place, np.cumsum([len(part) for part, _ in parts])[:-1])
        with quiet():
            for (_, sums), at in zip(parts, places, strict=True):
                n[at] += sums.n
            for (_, sums), at in zip(parts, places, strict=True):
                origin[at] += sums.mean() * (sums.n / n[at])[:, np.newaxis]
            for (_, sums), at in zip(parts, places, strict=True):
                moved = sums.about(Centre(origin[at], None))
                first[at] += moved.first
                second[at] += moved.second
        self._before = ((labels, PowerSums(n, origin, first, second)),)
        return self._before[0]

    def _column_scatter(self) -> FloatArray:
        parts = [sums for _, sums in self._before + self._later]
        return sum_of_squares(parts) if parts else np.zeros(0)

    def labels(self) -> FloatArray:
        return self._merged()[0].copy()

    def counts(self) -> npt.NDArray[np.int64]:
        return self._merged()[1].n.copy()

    def pooled(self) -> Moments:
        return Moments._of(together([self._merged()[1]]), 2, self.feature_names)

    def sums_of(self, some: slice) -> PowerSums:
        """The sums of some of the clusters, each about an origin of its own, in a fixed order."""
        return self._merged()[1][some]

"""Moments of clusters of rows that belong together, in any order of rows: one pass, mergeable."""

from __future__ import annotations

from typing import Self

import numpy as np
import numpy.typing as npt

from edgewise._linalg import FloatArray
from edgewise.errors import DataError, NonFiniteError, ParameterError
from edgewise.sums.batches import BatchSums, sum_of_squares, sums_of_batches
from edgewise.sums.blocks import Centre
from edgewise.sums.moments import Moments
from edgewise.sums.power import PowerSums, quiet
from edgewise.tables.table import ColumnBlock, Rows
from edgewise.tables.values import raise_for_nonfinite

# Bytes of all p × p sums together; merging needs about as much again.
_MOST_BYTES = 4 << 30
# Groups that a sum is taken of at once, in numbers.
_AT_ONCE = 1 << 20


class ClusterMoments:
    """Moments of every cluster, in O(Gp²) memory for G clusters.

    States add, whatever rows of a cluster each has seen: ``a + b`` is the state of all rows. An empty
    state is the neutral element.
    """

    def __init__(self, feature_names: tuple[str, ...] | None = None) -> None:
        self.feature_names = feature_names
        self._labels: FloatArray = np.empty(0)
        self._sums: BatchSums | None = None
        # What came since, with each label any number of times. It is merged when it has grown as
        # long as all before, so that a cluster is copied only a few times in all.
        self._later: list[tuple[FloatArray, BatchSums]] = []

    @property
    def n_samples(self) -> int:
        """Rows seen."""
        return sum(int(sums.n.sum()) for _, sums in self._parts())

    @property
    def n_features(self) -> int | None:
        """Columns, once rows have been seen."""
        return next((int(sums.origin.shape[1]) for _, sums in self._parts()), None)

    @property
    def n_clusters(self) -> int:
        """Groups seen."""
        return len(self._merged()[0])

    def update(self, rows: Rows) -> Self:
        """Add more rows, each with the number of its cluster."""
        if not isinstance(rows, ColumnBlock) or rows.clusters is None:
            raise TypeError(f"rows: expected with their clusters, got {type(rows).__name__}")
        if rows.shape[0]:
            try:
                self._later.append(
                    _sums_of_clusters(np.asarray(rows, dtype=np.float64), rows.clusters)
                )
            except NonFiniteError:
                raise_for_nonfinite(rows, self.feature_names)
            self._merge_if_long()
        return self

    def __add__(self, other: ClusterMoments) -> ClusterMoments:
        if not isinstance(other, ClusterMoments):
            return NotImplemented
        widths = {state.n_features for state in (self, other)} - {None}
        if len(widths) > 1:
            raise ParameterError(
                f"other: expected a state of {self.n_features} columns, got one of "
                f"{other.n_features}; only states of the same columns add up."
            )
        total = self.copy()
        total.feature_names = self.feature_names or other.feature_names
        total._later += other._parts()
        total._merge_if_long()
        return total

    def copy(self) -> ClusterMoments:
        """An independent state of the same rows."""
        copied = self._empty()
        copied._labels, copied._sums, copied._later = self._labels, self._sums, [*self._later]
        return copied

    def labels(self) -> FloatArray:
        """The numbers that stand for the clusters, in order."""
        return self._merged()[0].copy()

    def counts(self) -> npt.NDArray[np.int64]:
        """Rows of each cluster."""
        return self._merged()[1].n.copy()

    def pooled(self) -> Moments:
        """The state of all rows, without their clusters."""
        sums = self._merged()[1]
        n = sums.n[:, np.newaxis]
        with quiet():
            origin = (sums.mean() * (n / n.sum())).sum(axis=0)
            first, second = np.zeros_like(origin), np.zeros((len(origin),) * 2)
            step = self.step
            for start in range(0, len(sums), step):
                part = sums[start : start + step].moved(origin)
                first += part.first.sum(axis=0)
                second += part.second.sum(axis=0)
        moments = Moments(order=2, feature_names=self.feature_names)
        moments._sums = PowerSums(self.n_samples, origin, first, second, None)
        return moments

    @property
    def step(self) -> int:
        """How many clusters to work on at once."""
        return max(1, _AT_ONCE // max(self.n_features or 1, 1) ** 2)

    def sums_about(self, centre: Centre, some: slice) -> BatchSums:
        """The sums of some of the clusters about a centre; the clusters are in a fixed order."""
        offset = 0.0 if centre.offset is None else centre.offset
        return self.sums_of(some).moved(centre.origin, offset)

    def sums_of(self, some: slice) -> BatchSums:
        """The sums of some of the clusters, each about an origin of its own."""
        return self._merged()[1][some]

    def _empty(self) -> ClusterMoments:
        """A state of the same kind that has seen no rows."""
        return ClusterMoments(self.feature_names)

    def _column_scatter(self) -> FloatArray:
        """Σ (x − mean)² of each column."""
        return sum_of_squares([sums for _, sums in self._parts()])

    def _parts(self) -> list[tuple[FloatArray, BatchSums]]:
        before = [] if self._sums is None else [(self._labels, self._sums)]
        return before + self._later

    def _merged(self) -> tuple[FloatArray, BatchSums]:
        """The labels in order, and the sums of each."""
        if self._later:
            self._labels, self._sums = _joined(self._parts())
            self._later = []
        if self._sums is None:
            raise DataError("clusters: expected rows, got none; the table is empty.")
        return self._labels, self._sums

    def _merge_if_long(self) -> None:
        new = sum(len(labels) for labels, _ in self._later)
        p = self.n_features or 1
        long = new >= len(self._labels) or 8 * p * p * (new + len(self._labels)) > _MOST_BYTES
        if new and long:
            clusters = len(self._merged()[0])
            if 8 * p * p * clusters > _MOST_BYTES:
                raise DataError(
                    f"clusters: expected at most {_MOST_BYTES // (8 * p * p):,} clusters for {p} "
                    f"columns, whose sums then take 4 GB, got {clusters:,} or more; test fewer "
                    "columns, or make larger clusters."
                )

    def __repr__(self) -> str:
        clusters = self.n_clusters if self._parts() else 0
        return f"ClusterMoments(n_samples={self.n_samples}, n_clusters={clusters})"


def _sums_of_clusters(rows: FloatArray, clusters: FloatArray) -> tuple[FloatArray, BatchSums]:
    """The different clusters among some rows, and the sums of each."""
    order = np.argsort(clusters, kind="stable")
    labels, counts = np.unique(clusters, return_counts=True)
    ends = np.cumsum(counts)
    sums = []
    places = []
    # Groups of the same number of rows are summed together: there may be as many as rows.
    for length in np.unique(counts):
        which = np.flatnonzero(counts == length)
        starts = ends[which] - length
        mine = order[(starts[:, np.newaxis] + np.arange(length)).ravel()]
        sums.append(sums_of_batches(rows[mine], int(length)))
        places.append(which)
    stacked = sums[0]
    for more in sums[1:]:
        stacked = stacked.then(more)
    return labels, stacked.rearranged(np.argsort(np.concatenate(places)))


def _joined(parts: list[tuple[FloatArray, BatchSums]]) -> tuple[FloatArray, BatchSums]:
    """The sums of each label, from several parts that may have some labels in common."""
    if len(parts) == 1:
        return parts[0]
    labels, place = np.unique(np.concatenate([part for part, _ in parts]), return_inverse=True)
    p = parts[0][1].origin.shape[1]
    n: npt.NDArray[np.int64] = np.zeros(len(labels), dtype=np.int64)
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
            moved = sums.moved(origin[at])
            first[at] += moved.first
            second[at] += moved.second
    return labels, BatchSums(n, origin, first, second)

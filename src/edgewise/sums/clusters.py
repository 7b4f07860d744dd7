"""Moments of clusters of rows that belong together, in any order of rows: one pass, mergeable."""

from __future__ import annotations

from typing import Self

import numpy as np
import numpy.typing as npt

from edgewise._linalg import FloatArray
from edgewise.errors import DataError
from edgewise.sums.blocks import Centre
from edgewise.sums.moments import Moments, RowSums
from edgewise.sums.power import PowerSums, quiet, sum_of_squares, sums_of_batches, together
from edgewise.tables.table import ColumnBlock, Rows

# Bytes of all p × p sums together; merging needs about as much again.
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

    def _parts(self) -> list[PowerSums]:
        return [sums for _, sums in self._before + self._later]

    def _empty(self) -> Self:
        return type(self)(self.feature_names)

    @property
    def n_clusters(self) -> int:
        """Clusters seen."""
        return len(self.labels()) if self.n_samples else 0

    def _take(self, rows: Rows) -> None:
        if not isinstance(rows, ColumnBlock) or rows.clusters is None:
            raise TypeError(f"rows: expected with their clusters, got {type(rows).__name__}")
        found = _sums_of_clusters(np.asarray(rows, dtype=np.float64), rows.clusters)
        self._later = (*self._later, found)
        self._merge_if_long()

    def _joined(self, other: Self, order: npt.NDArray[np.intp] | None) -> Self:
        total = self.copy()
        theirs = other._before + other._later
        if order is not None:
            theirs = tuple((labels, sums.permuted(order)) for labels, sums in theirs)
        total._later += theirs
        total._merge_if_long()
        return total

    def _column_scatter(self) -> FloatArray:
        return sum_of_squares(self._parts()) if self.n_samples else np.zeros(0)

    def labels(self) -> FloatArray:
        """The numbers that stand for the clusters, in order."""
        return self._merged()[0].copy()

    def counts(self) -> npt.NDArray[np.int64]:
        """Rows of each cluster."""
        return self._merged()[1].n.copy()

    def pooled(self) -> Moments:
        """The state of all rows, without their clusters."""
        moments = Moments(order=2, feature_names=self.feature_names)
        moments._sums = together([self._merged()[1]])
        return moments

    @property
    def step(self) -> int:
        """How many clusters to work on at once."""
        return max(1, _AT_ONCE // max(self.n_features or 1, 1) ** 2)

    def sums_about(self, centre: Centre, some: slice) -> PowerSums:
        """The sums of some of the clusters about a centre; the clusters are in a fixed order."""
        return self.sums_of(some).about(centre)

    def sums_of(self, some: slice) -> PowerSums:
        """The sums of some of the clusters, each about an origin of its own."""
        return self._merged()[1][some]

    def _merged(self) -> tuple[FloatArray, PowerSums]:
        """The labels in order, and the sums of each."""
        if self._later:
            self._before, self._later = (_joined(self._before + self._later),), ()
        if not self._before:
            raise DataError("clusters: expected rows, got none; the table is empty.")
        return self._before[0]

    def _merge_if_long(self) -> None:
        new, p = sum(len(labels) for labels, _ in self._later), self.n_features or 1
        known = sum(len(labels) for labels, _ in self._before)
        if new >= known or 8 * p * p * (new + known) > _MOST_BYTES:
            count = len(self._merged()[0])
            if 8 * p * p * count > _MOST_BYTES:
                raise DataError(
                    f"clusters: expected at most {_MOST_BYTES // (8 * p * p):,} clusters for {p} "
                    f"columns, whose sums then take 4 GB, got {count:,} or more; test fewer "
                    "columns, or make larger clusters."
                )

    def __repr__(self) -> str:
        return f"ClusterMoments(n_samples={self.n_samples}, n_clusters={self.n_clusters})"


def _sums_of_clusters(rows: FloatArray, clusters: FloatArray) -> tuple[FloatArray, PowerSums]:
    """The different clusters among some rows, and the sums of each."""
    order = np.argsort(clusters, kind="stable")
    labels, counts = np.unique(clusters, return_counts=True)
    ends = np.cumsum(counts)
    sums, places = [], []
    # Clusters of the same number of rows are summed together: there may be as many as rows.
    for length in np.unique(counts):
        which = np.flatnonzero(counts == length)
        starts = ends[which] - length
        mine = order[(starts[:, np.newaxis] + np.arange(length)).ravel()]
        sums.append(sums_of_batches(rows[mine], int(length)))
        places.append(which)
    return labels, sums[0].then(*sums[1:])[np.argsort(np.concatenate(places))]


def _joined(parts: tuple[tuple[FloatArray, PowerSums], ...]) -> tuple[FloatArray, PowerSums]:
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
    return labels, PowerSums(n, origin, first, second)

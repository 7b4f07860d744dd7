"""Moments of consecutive batches of rows: one pass, valid for serially dependent rows."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from edgewise._linalg import AnyArray, FloatArray
from edgewise.errors import StateFileError
from edgewise.sums.batched import BatchedState
from edgewise.sums.blocks import Centre
from edgewise.sums.moments import Moments
from edgewise.sums.power import PowerSums, power_sums, quiet
from edgewise.sums.save import StateContents
from edgewise.tables.table import Rows
from edgewise.tables.values import raise_for_nonfinite

# Longer batches are summed in blocks.
_LONG = 4096
# With so many columns, batches are summed one by one.
MANY_COLUMNS = 50


@dataclass(frozen=True, eq=False, slots=True)
class BatchSums:
    """`PowerSums` up to the second order of many batches, stacked along the first axis."""

    n: npt.NDArray[np.int64]
    origin: FloatArray
    first: FloatArray
    second: FloatArray

    def __len__(self) -> int:
        return int(self.n.shape[0])

    def __getitem__(self, which: slice) -> BatchSums:
        return BatchSums(self.n[which], self.origin[which], self.first[which], self.second[which])

    def then(self, *later: BatchSums) -> BatchSums:
        """These batches followed by others."""
        every = (self, *later)
        return BatchSums(
            np.concatenate([sums.n for sums in every]),
            np.concatenate([sums.origin for sums in every]),
            np.concatenate([sums.first for sums in every]),
            np.concatenate([sums.second for sums in every]),
        )

    def rearranged(self, order: npt.NDArray[np.intp]) -> BatchSums:
        """The batches in another order."""
        return BatchSums(self.n[order], self.origin[order], self.first[order], self.second[order])

    def permuted(self, order: npt.NDArray[np.intp]) -> BatchSums:
        """The sums with the columns in another order."""
        second = self.second[:, order][:, :, order]
        return BatchSums(self.n, self.origin[:, order], self.first[:, order], second)

    def arrays(self) -> dict[str, AnyArray]:
        """The sums by name, for a state file."""
        return {"n": self.n, "origin": self.origin, "first": self.first, "second": self.second}

    @staticmethod
    def from_arrays(contents: StateContents, prefix: str) -> BatchSums | None:
        """The sums from a state file, after checking that they fit each other."""
        if prefix + "n" not in contents.arrays:
            return None
        n, p = contents.arrays[prefix + "n"], contents.width(prefix + "origin")
        if n.ndim != 1 or n.dtype != np.int64 or not n.size or n.min() < 1:
            raise StateFileError("state: expected batches of at least one row.")
        k = n.size
        return BatchSums(
            n,
            contents.floats(prefix + "origin", (k, p)),
            contents.floats(prefix + "first", (k, p)),
            contents.floats(prefix + "second", (k, p, p)),
        )

    def mean(self) -> FloatArray:
        return self.origin + self.first / self.n[:, np.newaxis]

    def moved(self, origin: FloatArray, offset: FloatArray | float = 0.0) -> BatchSums:
        """The same sums about origin + offset; see `PowerSums.moved`."""
        with quiet():
            a = (origin - self.origin) + offset
            n = self.n[:, np.newaxis]
            u = self.first - (n / 2) * a
            cross = a[:, :, np.newaxis] * u[:, np.newaxis, :]
            second = self.second - cross
            second -= cross.transpose(0, 2, 1)
            return BatchSums(self.n, origin, self.first - n * a, second)

    def paired(self) -> BatchSums:
        """Merge neighbours in pairs; an odd one at the end stays as it is."""
        even = len(self) // 2 * 2
        left, right = self[0:even:2], self[1:even:2]
        n = left.n + right.n
        share = (left.n / n)[:, np.newaxis]
        origin = left.mean() * share + right.mean() * (1 - share)
        a, b = left.moved(origin), right.moved(origin)
        with quiet():
            merged = BatchSums(n, origin, a.first + b.first, a.second + b.second)
        return merged if even == len(self) else merged.then(self[even:])


def sums_of_batches(rows: Rows, length: int) -> BatchSums:
    """Sums of consecutive batches with this many rows each."""
    n, p = rows.shape
    if length > _LONG:
        return stacked(
            [power_sums(rows[i : i + length], quartic=False) for i in range(0, n, length)]
        )
    batches = np.asarray(rows, dtype=np.float64).reshape(n // length, length, p)
    with quiet():
        sums = (_one_by_one if p >= MANY_COLUMNS else _together)(batches)
    if not np.isfinite(sums.first).all():
        raise_for_nonfinite(rows)
    return sums


def _together(batches: FloatArray) -> BatchSums:
    """Batches of few columns are small: there are too many for one call each."""
    k, length, _ = batches.shape
    origin = batches.mean(axis=1)
    z = batches - origin[:, np.newaxis, :]
    counts = np.full(k, length, dtype=np.int64)
    return BatchSums(counts, origin, z.sum(axis=1), z.transpose(0, 2, 1) @ z)


def _one_by_one(batches: FloatArray) -> BatchSums:
    """With many columns, a batch at a time stays in the cache."""
    k, length, p = batches.shape
    sums = BatchSums(
        np.full(k, length, dtype=np.int64),
        np.empty((k, p)),
        np.empty((k, p)),
        np.empty((k, p, p)),
    )
    ones, z = np.ones(length), np.empty((length, p))
    for batch, origin, first, second in zip(
        batches, sums.origin, sums.first, sums.second, strict=True
    ):
        np.divide(ones @ batch, length, out=origin)
        np.subtract(batch, origin, out=z)
        np.matmul(ones, z, out=first)
        np.matmul(z.T, z, out=second)
    return sums


def together(parts: Sequence[BatchSums]) -> PowerSums:
    """The sums of all batches about one origin, their mean."""
    n, origins, first = (
        np.concatenate(arrays)
        for arrays in zip(*((part.n, part.origin, part.first) for part in parts), strict=True)
    )
    count, total = n[:, np.newaxis], int(n.sum())
    origin = ((origins + first / count) * (count / total)).sum(axis=0)
    with quiet():
        # As in `BatchSums.moved`, with the products of all batches at once.
        a = origin - origins
        cross = a.T @ (first - (count / 2) * a)
        second = sum((part.second.sum(axis=0) for part in parts), -cross)
        second -= cross.T
        return PowerSums(total, origin, (first - count * a).sum(axis=0), second, None)


def sum_of_squares(parts: Sequence[BatchSums]) -> FloatArray:
    """Σ (x − mean)² of each column over all batches."""
    n = np.concatenate([part.n for part in parts])[:, np.newaxis]
    origin, first, second = (
        np.concatenate(arrays)
        for arrays in zip(
            *((part.origin, part.first, part.second.diagonal(axis1=1, axis2=2)) for part in parts),
            strict=True,
        )
    )
    with quiet():
        mean = origin + first / n
        between = mean - (n * mean).sum(axis=0) / n.sum()
        squares: FloatArray = (second - first**2 / n + n * between**2).sum(axis=0)
    return squares


def stacked(sums: Sequence[PowerSums]) -> BatchSums:
    return BatchSums(
        np.array([part.n for part in sums], dtype=np.int64),
        np.stack([part.origin for part in sums]),
        np.stack([part.first for part in sums]),
        np.stack([part.second for part in sums]),
    )


class BatchMoments(BatchedState[BatchSums]):
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

    def _sums_of(self, rows: Rows) -> BatchSums:
        return stacked([power_sums(rows, quartic=False)])

    def _sums_of_batches(self, rows: Rows, length: int) -> BatchSums:
        return sums_of_batches(rows, length)

    def _most_rows(self, n_features: int) -> int:
        # Batches of many columns are summed one by one.
        return sys.maxsize if n_features >= MANY_COLUMNS else super()._most_rows(n_features)

    @classmethod
    def _sums_in(cls, contents: StateContents, prefix: str) -> BatchSums | None:
        return BatchSums.from_arrays(contents, prefix)

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

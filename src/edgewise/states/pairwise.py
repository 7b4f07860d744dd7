"""Sums over the rows that each pair of columns has: for missing values, and for weighted rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.errors import ParameterError, StateFileError
from edgewise.kernels.centre import Centre
from edgewise.rows.block import Rows
from edgewise.rows.weighting import WeightedRows, checked_weights, weights_of
from edgewise.states.batched import BatchedState
from edgewise.states.columns import rows_by_name
from edgewise.states.file_format import StateContents
from edgewise.states.pairwise_sums import IntArray, PairwiseSums, pairwise_sums

# Weights vary if the square of their relative spread is above this.
_NO_SPREAD = 1e-13


@dataclass(frozen=True, eq=False, slots=True)
class PooledPairs:
    """Mean and covariance, each entry from the rows that have both of its columns.

    Attributes
    ----------
    n_samples : int
        Rows, whatever they lack.
    sums : PairwiseSums
        The sums of all rows as one batch.
    """

    n_samples: int
    sums: PairwiseSums

    @property
    def n_features(self) -> int:
        return int(self.sums.origin.shape[1])

    @property
    def weighted(self) -> bool:
        """Whether rows count differently."""
        if self.sums.weight is None:
            return False
        worth = self.worth
        spread = np.divide(self.pair_rows, worth, out=np.ones_like(worth), where=worth > 0) - 1
        return bool((spread > _NO_SPREAD).any())

    @property
    def pair_rows(self) -> IntArray:
        """The rows that have both columns."""
        return np.asarray(self.sums.rows[0])

    @property
    def n_missing(self) -> IntArray:
        """The values that each column lacks."""
        return np.asarray(self.n_samples - self.pair_rows.diagonal())

    @property
    def incomplete(self) -> bool:
        """Whether a value is missing."""
        return bool(self.n_missing.any())

    @property
    def worth(self) -> FloatArray:
        """As many rows of equal weight would say as much of each pair: (Σw)²/Σw² (Kish)."""
        total, square = self.sums.total[0], self.sums.total_square[0]
        root = np.sqrt(square)
        return np.asarray(np.divide(total, root, out=np.zeros_like(total), where=root > 0) ** 2)

    def mean(self) -> FloatArray:
        """The mean of each column, from the rows that have it."""
        return np.asarray(self.sums._middle()[0])

    def covariance(self) -> FloatArray:
        """Σ̂_ij from the rows that have both, with the divisor n_ij − 1."""
        found = self.sums.covariances()[0]
        return np.asarray((found + found.T) / 2)

    def centre(self) -> Centre:
        """The mean, as exactly as it is known."""
        total = np.maximum(self.sums.total[0].diagonal(), np.finfo(float).tiny)
        return Centre(self.sums.origin[0], self.sums.first[0].diagonal() / total)


class PairwiseMoments(BatchedState[PairwiseSums]):
    """Moments of between K and 2K batches of rows that may lack values or count differently.

    For every pair of columns it has the sums over the rows that have both. NaN or infinity stands
    for a missing value. The memory is O(Kp²), three times that of `BatchMoments`, with weights five
    times.

    Parameters
    ----------
    n_batches : int, optional
        K, at least 2. By default 100; with p > 160 columns 16,000/p, but at least 16.
    batch_rows : int
        Rows of the first batches.
    feature_names : sequence of str, optional
        Names of the columns; states with names are matched by them when they are merged.

    Attributes
    ----------
    n_samples : int
        Rows seen, whatever they lack.
    n_features : int or None
        Columns, once rows have been seen.
    weighted : bool
        Whether the rows came with weights.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((1000, 3))
    >>> X[rng.random(X.shape) < 0.1] = np.nan
    >>> state = ew.PairwiseMoments(50).update(X[:300]).update(X[300:])
    >>> state.n_samples, state.pair_rows()[0].tolist()
    (1000, [901, 802, 797])
    >>> ew.edge_test(state, method="batch").n_edges
    0
    >>> state.batch_counts().tolist()[:3], state.mean().shape, state.covariance().shape
    ([16, 16, 16], (3,), (3, 3))
    >>> state.coarsened(rows=100, batches=5).batch_counts().tolist()
    [128, 128, 128, 128, 128, 128, 128, 104]
    >>> state.copy().merge(state).n_samples
    2000
    >>> state.pooled().n_missing.tolist()
    [99, 110, 109]

    A state can be kept:

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     state.save(f"{folder}/rows.state")
    ...     ew.PairwiseMoments.load(f"{folder}/rows.state")
    PairwiseMoments(n_samples=1000, n_features=3, n_batches=50, batch_rows=16)
    """

    kind: ClassVar[str] = "pairwise"

    @property
    def weighted(self) -> bool:
        """Whether the rows came with weights."""
        return any(part.weight is not None for part in self._parts())

    def update(self, X: Rows, *, weights: Any = None) -> Self:
        """Add more rows, which follow the earlier ones in time.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows. Columns of a data frame are matched by name.
        weights : array-like of shape (n_samples,), optional
            How much each row counts; rows of weight zero are left out.

        Returns
        -------
        PairwiseMoments
            The state itself.
        """
        if weights is None:
            self._check_weighted(weights_of(X) is not None)
            return super().update(X)
        rows, names = rows_by_name(self, X)
        own = checked_weights(weights)
        if len(own) != rows.shape[0]:
            raise ParameterError(
                f"weights: expected one weight for each of {rows.shape[0]} rows, got {len(own)} "
                "weights."
            )
        used = own > 0
        if not used.any():
            return self
        self._check_weighted(True)
        super().update(WeightedRows(np.asarray(rows)[used], own[used]))
        self.feature_names = names
        return self

    def _check_weighted(self, weighted: bool) -> None:
        if self.n_samples and weighted != self.weighted:
            raise ParameterError(
                "weights: expected for all rows or for none, got rows "
                f"{'with' if weighted else 'without'} them after rows "
                f"{'without' if weighted else 'with'} them."
            )

    def _check_same(self, other: PairwiseMoments) -> None:
        self._check_weighted(other.weighted)

    def _sums_of(self, rows: Rows) -> PairwiseSums:
        return pairwise_sums(np.asarray(rows, dtype=np.float64), weights_of(rows))

    def _sums_of_batches(self, rows: Rows, length: int) -> PairwiseSums:
        return pairwise_sums(np.asarray(rows, dtype=np.float64), weights_of(rows), length)

    @classmethod
    def _sums_in(cls, contents: StateContents, prefix: str) -> PairwiseSums | None:
        return PairwiseSums.from_arrays(contents, prefix)

    @classmethod
    def _from_contents(cls, contents: StateContents) -> Self:
        state = super()._from_contents(contents)
        if len({part.weight is None for part in state._parts()}) > 1:
            raise StateFileError("state: expected weights in all batches or in none.")
        return state

    def _column_scatter(self) -> FloatArray:
        """Σ (x − mean)² of each column, quickly."""
        whole = _in_one(self._closed())
        return np.asarray((whole.covariances() * whole.rows)[0].diagonal())

    def pooled(self) -> PooledPairs:
        """Mean and covariance of all rows together.

        Returns
        -------
        PooledPairs
            Each entry from the rows that have both of its columns.
        """
        return PooledPairs(self.n_samples, _in_one(self._closed()))

    def pair_rows(self) -> IntArray:
        """The rows that have both columns of each pair.

        Returns
        -------
        ndarray of int of shape (p, p)
            On the diagonal, the rows that have the column.
        """
        return self.pooled().pair_rows.copy()

    def mean(self) -> FloatArray:
        """Mean of each column, from the rows that have it.

        Returns
        -------
        ndarray of shape (p,)
            The means.
        """
        return self.pooled().mean()

    def covariance(self) -> FloatArray:
        """Covariances, each from the rows that have both columns (divisor n_ij − 1).

        Returns
        -------
        ndarray of shape (p, p)
            Σ̂, which need not be positive definite.
        """
        return self.pooled().covariance()

    def _sums_about(self, centre: Centre) -> PairwiseSums:
        """The sums of each batch about a centre."""
        offset = 0.0 if centre.offset is None else centre.offset
        return self._closed().moved(centre.origin, offset)


def _in_one(batches: PairwiseSums) -> PairwiseSums:
    """All rows as a single batch."""
    while len(batches) > 1:
        batches = batches.paired()
    return batches

"""Moments of consecutive batches of rows: one pass, valid for serially dependent rows."""

from __future__ import annotations

import sys
from typing import ClassVar

from edgewise._base.types import FloatArray
from edgewise.kernels.centre import Centre
from edgewise.kernels.power_sums import power_sums
from edgewise.rows.block import Rows
from edgewise.states.batch_sums import (
    MANY_COLUMNS,
    BatchSums,
    stacked,
    sum_of_squares,
    sums_of_batches,
)
from edgewise.states.batched import BatchedState
from edgewise.states.file_format import StateContents
from edgewise.states.moments import Moments


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
        """Σ (x − mean)² of each column, quickly; in the presence of huge values nearly."""
        return sum_of_squares(self._parts())

    def pooled(self) -> Moments:
        """The moments of all rows together.

        Returns
        -------
        Moments
            A state of order 2.
        """
        moments = Moments(order=2, feature_names=self.feature_names)
        moments._sums = self._closed().together()
        return moments

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

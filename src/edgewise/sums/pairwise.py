"""Sums over the rows that each pair of columns has: for missing values, and for weighted rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from edgewise._linalg import AnyArray, FloatArray
from edgewise.errors import DataError, ParameterError, StateFileError
from edgewise.sums.batches import BatchedState
from edgewise.sums.blocks import Centre, quiet
from edgewise.sums.power import IntArray, UnitSums
from edgewise.tables.table import Rows, weights_of

# Weights vary if the square of their relative spread is above this.
_NO_SPREAD = 1e-13


@dataclass(frozen=True, eq=False, slots=True)
class PairwiseSums(UnitSums):
    """Sums of z = x − origin over the rows of each unit that have both columns i and j.

    `first` is Σ w z_i, `second` Σ w z_i z_j; `weight` and `square` are None where w is one.
    """

    rows: IntArray
    first: FloatArray
    second: FloatArray
    weight: FloatArray | None = None
    square: FloatArray | None = None

    @classmethod
    def of_rows(cls, rows: Rows, length: int) -> PairwiseSums:
        return pairwise_sums(np.asarray(rows, dtype=np.float64), weights_of(rows), length)

    @property
    def total(self) -> FloatArray:
        return self.rows.astype(np.float64) if self.weight is None else self.weight

    @property
    def total_square(self) -> FloatArray:
        return self.rows.astype(np.float64) if self.square is None else self.square

    def _column_rows(self) -> AnyArray:
        # A column without values has an origin that says nothing.
        return np.maximum(np.diagonal(self.rows, axis1=1, axis2=2), 1e-300)

    def mean(self) -> FloatArray:
        total = np.diagonal(self.total, axis1=1, axis2=2)
        first = np.diagonal(self.first, axis1=1, axis2=2)
        return np.asarray(self.origin + first / np.where(total > 0, total, 1.0))

    @quiet()
    def about(self, centre: Centre) -> PairwiseSums:
        offset = 0.0 if centre.offset is None else centre.offset
        a = ((centre.origin - self.origin) + offset)[:, :, np.newaxis]
        total = self.total
        # Σ(z_i−a_i)(z_j−a_j) = Σz_iz_j − a_iΣz_j − a_jΣz_i + a_ia_jΣ1
        cross = a * (np.matrix_transpose(self.first) - (total / 2) * np.matrix_transpose(a))
        second = self.second - cross
        second -= np.matrix_transpose(cross)
        first = self.first - total * a
        origins = np.broadcast_to(centre.origin, self.origin.shape)
        return PairwiseSums(self.n, origins, self.rows, first, second, self.weight, self.square)

    def _check_contents(self) -> None:
        n, rows = self.n[:, np.newaxis, np.newaxis], self.rows
        if rows.dtype != np.int64 or rows.min() < 0 or (rows > n).any():
            raise StateFileError("state: expected no more rows of a pair than the batch has.")
        if (rows != np.matrix_transpose(rows)).any():
            raise StateFileError("state: expected as many rows of a pair in either order.")
        if (self.weight is None) != (self.square is None):
            raise StateFileError("state: expected the sums of weights and of their squares.")
        for sums in (self.weight, self.square):
            sound = sums is None or (np.isfinite(sums) & (sums >= 0) & ((sums > 0) == (rows > 0)))
            if not np.all(sound):
                raise StateFileError("state: expected positive weights where there are rows.")


def covariances_of(
    rows: AnyArray, total: FloatArray, first: FloatArray, second: FloatArray
) -> FloatArray:
    """Covariances from sums over the rows that have both columns, with the divisor n_ij − 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        covariance = second - first * (np.matrix_transpose(first) / total)
        covariance /= total
        covariance *= rows / (rows - 1.0)
    return np.where(rows > 1, covariance, np.nan)


def pairwise_sums(
    rows: FloatArray, weights: FloatArray | None, length: int | None = None
) -> PairwiseSums:
    """Sums of consecutive batches with this many rows each; of all rows as one batch by default."""
    n, p = rows.shape
    size = n if length is None else length
    batches = rows.reshape(n // size, size, p)
    known = np.isfinite(batches)
    count = known.sum(axis=1)
    with quiet():
        z = np.where(known, batches, 0.0)
        origin = z.sum(axis=1) / np.maximum(count, 1)
        z = np.where(known, batches - origin[:, np.newaxis, :], 0.0)
    if not np.isfinite(origin).all():
        raise DataError("X: the sum of a column overflows; divide the columns by a constant first.")
    have = known.astype(np.float64)
    transposed = np.matrix_transpose(have)
    w: FloatArray | float = 1.0
    weight = square = None
    if weights is not None:
        w = weights.reshape(n // size, size, 1)
        with quiet():
            weight, square = (np.matrix_transpose(have * own) @ have for own in (w, w**2))
        if not np.isfinite(square).all() or ((weight > 0) & (square == 0)).any():
            raise DataError(
                "weights: their squares are too large or too small for a number; divide them by a "
                "constant."
            )
    with quiet():
        left = np.matrix_transpose(z * w)
        pairs = np.rint(transposed @ have).astype(np.int64)
        return PairwiseSums(
            np.full(n // size, size), origin, pairs, left @ have, left @ z, weight, square
        )


@dataclass(frozen=True, eq=False, slots=True)
class PooledPairs:
    """Mean and covariance, each entry from the `pair_rows` that have both of its columns."""

    n_samples: int
    sums: PairwiseSums
    pair_rows: IntArray
    n_missing: IntArray
    #: Whether a value is missing.
    incomplete: bool
    #: Whether rows count differently.
    weighted: bool
    #: The effective sample size of each pair: (Σw)²/Σw² (Kish).
    effective_rows: FloatArray

    @classmethod
    def of(cls, sums: PairwiseSums) -> PooledPairs:
        while len(sums) > 1:
            sums = sums.paired()
        n, rows = int(sums.n[0]), sums.rows[0]
        missing = np.asarray(n - rows.diagonal())
        total, root = sums.total[0], np.sqrt(sums.total_square[0])
        some = root > 0
        effective = np.divide(total, root, out=np.zeros_like(total), where=some) ** 2
        spread = np.divide(rows, effective, out=np.ones_like(total), where=some) - 1
        weighted = sums.weight is not None and bool((spread > _NO_SPREAD).any())
        return cls(n, sums, rows, missing, bool(missing.any()), weighted, effective)

    @property
    def n_features(self) -> int:
        return len(self.pair_rows)

    def mean(self) -> FloatArray:
        return np.asarray(self.sums.mean()[0])

    def covariance(self) -> FloatArray:
        """Σ̂_ij from the rows that have both, with the divisor n_ij − 1."""
        sums = self.sums
        found = covariances_of(self.pair_rows, sums.total[0], sums.first[0], sums.second[0])
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

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((1000, 3))
    >>> X[rng.random(X.shape) < 0.1] = np.nan
    >>> state = ew.states.PairwiseMoments(50).update(X[:300]).update(X[300:])
    >>> state.pooled().pair_rows[0].tolist(), state.pooled().n_missing.tolist()
    ([901, 802, 797], [99, 110, 109])
    >>> ew.edge_test(state, method="batch").n_edges
    0
    """

    kind: ClassVar[str] = "pairwise"
    _sums_type = PairwiseSums

    @property
    def weighted(self) -> bool:
        """Whether the rows came with weights."""
        return self.n_samples > 0 and any(part.weight is not None for part in self._parts())

    def _take(self, rows: Rows) -> None:
        self._check_weighted(weights_of(rows) is not None)
        super()._take(rows)

    def _joined(self, other: Self, order: npt.NDArray[np.intp] | None) -> Self:
        self._check_weighted(other.weighted)
        return super()._joined(other, order)

    def _check_weighted(self, weighted: bool) -> None:
        if self.n_samples and weighted != self.weighted:
            raise ParameterError(
                "weights: expected for all rows or for none, got rows "
                f"{'with' if weighted else 'without'} them after rows "
                f"{'without' if weighted else 'with'} them."
            )

    def _column_scatter(self) -> FloatArray:
        sums = self.pooled().sums
        scatter = covariances_of(sums.rows, sums.total, sums.first, sums.second) * sums.rows
        return np.asarray(scatter[0].diagonal())

    def pooled(self) -> PooledPairs:
        return PooledPairs.of(self._closed())

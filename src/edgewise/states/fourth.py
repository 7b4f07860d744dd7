"""All moments up to the fourth order, mergeable, for a growing sample of a few columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edgewise._base.matrices import symmetric
from edgewise._base.types import FloatArray
from edgewise.kernels.centre import Centre
from edgewise.kernels.loop import BlockMemory, mapped_blocks
from edgewise.kernels.pairs import PairSums
from edgewise.kernels.products import add_gram, mirrored, upper_products
from edgewise.rows.block import Rows, block_rows


@dataclass(frozen=True, eq=False, slots=True)
class FourthMoments:
    """Sums of all products of up to four columns about a fixed origin, in O(p⁴) memory.

    With z = (1, x − origin) and w the D = (p+1)(p+2)/2 products z_a z_b, a ≤ b, the one matrix
    Σ wwᵀ holds every such sum; states about the same origin add. Any quartic statistic of any
    linear map of the centred rows then follows without the rows: c = (x − origin) − (mean −
    origin) is linear in z, so products of two are linear in w.

    The origin must be near the mean, in units of the spread: nothing is shifted later.
    """

    origin: FloatArray
    gram: FloatArray

    @classmethod
    def of(cls, X: Rows, origin: FloatArray) -> FourthMoments:
        """The state of some rows."""
        p = len(origin)
        size = (p + 1) * (p + 2) // 2
        memory = BlockMemory(p, block_rows(size), spare=(size,), ones=True)
        gram = np.zeros((size, size))
        for block in mapped_blocks([X], Centre(origin, None), memory=memory):
            add_gram(gram, upper_products(block.stack, block.spare[0]))
        return cls(origin, mirrored(gram))

    def __add__(self, other: FourthMoments) -> FourthMoments:
        return FourthMoments(self.origin, self.gram + other.gram)

    @property
    def n_samples(self) -> int:
        return round(float(self.gram[0, 0]))

    @property
    def n_features(self) -> int:
        return len(self.origin)

    def _offset(self) -> FloatArray:
        offset: FloatArray = self.gram[0, 1 : self.n_features + 1] / self.gram[0, 0]
        return offset

    def mean(self) -> FloatArray:
        return self.origin + self._offset()

    def centre(self) -> Centre:
        return Centre(self.origin, self._offset())

    def covariance(self) -> FloatArray:
        """Unbiased covariance matrix Σ̂ (divisor n − 1)."""
        n, p = self.n_samples, self.n_features
        raw = symmetric(self.gram[0, p + 1 :], p)
        offset = self._offset()
        return (raw - n * np.outer(offset, offset)) / (n - 1)

    def products(self, A: FloatArray | None = None) -> FloatArray:
        """mean(u_i u_j u_k u_l) of u = A c, a d × d matrix over pairs i ≤ j and k ≤ l."""
        p = self.n_features
        A = np.eye(p) if A is None else A
        # u = M z with z = (1, x − origin).
        M = np.column_stack([-(A @ self._offset()), A])
        i, j = np.triu_indices(len(A))
        a, b = np.triu_indices(p + 1)
        T = M[i][:, a] * M[j][:, b]
        T += M[i][:, b] * M[j][:, a]
        T[:, a == b] /= 2
        return np.asarray(T @ self.gram @ T.T / self.gram[0, 0])

    def pair_sums(self, B: FloatArray) -> PairSums:
        """What `kernels.pairs.pair_sums` finds in rows, without their leverages and `eighth`."""
        p = self.n_features
        quartic = self.n_samples * self.products(B.T)
        place = symmetric(np.arange(p * (p + 1) // 2), p)
        squares = place.diagonal()
        return PairSums(
            square_square=quartic[np.ix_(squares, squares)],
            cube_linear=quartic[squares[:, np.newaxis], place],
            eighth=np.full((p, p), np.nan),
        )

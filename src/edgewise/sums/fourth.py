"""All moments up to the fourth order, mergeable, for a growing sample of a few columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from edgewise._linalg import FloatArray, symmetric
from edgewise.sums.blocks import (
    BlockMemory,
    Centre,
    add_gram,
    mapped_blocks,
    mirrored,
    upper_products,
)
from edgewise.sums.pairs import PairSums
from edgewise.sums.power import CentralQuartics, quiet
from edgewise.tables.table import Rows, block_rows


@dataclass(frozen=True, eq=False, slots=True)
class FourthMoments:
    """Sums of all products of up to four columns about a fixed origin, in O(p⁴) memory.

    With z = (1, x − origin) and w the D = (p+1)(p+2)/2 products z_a z_b, a ≤ b, they are Σ wwᵀ.
    Every quartic statistic of a linear map of the centred rows follows from it without the rows.
    The origin must be near the mean, in units of the spread: nothing is shifted later.
    """

    origin: FloatArray
    gram: FloatArray
    default_method: ClassVar[str] = "score"

    @classmethod
    def of(cls, X: Rows, origin: FloatArray) -> FourthMoments:
        """The state of some rows."""
        (gram,) = product_sums([X], Centre(origin, None))
        return cls(origin, gram)

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
        with quiet():
            return np.asarray((raw - n * np.outer(offset, offset)) / (n - 1))

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

    def quartics(self, A: FloatArray | None = None) -> CentralQuartics:
        """Fourth moments of the columns and of the norm of A c."""
        products = self.products(A)
        squares = np.flatnonzero(
            np.equal(*np.triu_indices(len(self.origin) if A is None else len(A)))
        )
        among = products[np.ix_(squares, squares)]
        return CentralQuartics(among.diagonal(), float(among.sum()))

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


def product_sums(batches: Iterable[Rows], centre: Centre) -> tuple[FloatArray]:
    """Σ wwᵀ of z = (1, x − centre)."""
    p = len(centre.origin)
    size = (p + 1) * (p + 2) // 2
    memory = BlockMemory(p, block_rows(size), spare=(size,), ones=True)
    gram = np.zeros((size, size))
    with quiet():
        for block in mapped_blocks(batches, centre, None, memory=memory):
            add_gram(gram, upper_products(block.stack, block.spare[0]))
    return (mirrored(gram),)

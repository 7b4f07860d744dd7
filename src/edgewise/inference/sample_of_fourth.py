"""Evidence from all fourth moments of a few columns: for all methods, without rows."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from edgewise._linalg import FloatArray
from edgewise.inference.sample import Evidence
from edgewise.paper.covcov import covcov_of_moments
from edgewise.sums.fourth import FourthMoments
from edgewise.sums.pairs import ExactPairs, PairSums
from edgewise.sums.power import CentralQuartics
from edgewise.sums.score import Leverage, ScoreSums, score_weight, sums_of_moments


@dataclass(frozen=True, eq=False, kw_only=True)
class FourthEvidence(Evidence):
    """What a `FourthMoments` state knows: all sums up to the fourth order, of any linear map."""

    fourth: FourthMoments
    _plain: dict[bool, FloatArray] = field(default_factory=dict)

    def moments(self) -> FourthMoments:
        return self.fourth

    def quartics(self, A: FloatArray | None = None, *, left_out: bool = False) -> CentralQuartics:
        p = len(self.feature_names)
        products = self._left_out_weight(left_out) * self.fourth.products(A)
        squares = np.flatnonzero(np.equal(*np.triu_indices(p)))
        among_squares = products[np.ix_(squares, squares)]
        return CentralQuartics(among_squares.diagonal(), float(among_squares.sum()))

    def pair_sums(self, leverage: Leverage) -> PairSums:
        return self.fourth.pair_sums(leverage.B)

    def exact_pairs(
        self, leverage: Leverage, partial: FloatArray, nearly_one: float
    ) -> ExactPairs | None:
        return None  # the sums that would be exact need the rows

    def score_sums(self, leverage: Leverage, partial: FloatArray, nearly_one: float) -> ScoreSums:
        # Without rows all leverages are taken as their mean, (p − 1)/n, the scale of each row as
        # its own, and the tail as normal.
        n, p = leverage.n_samples, len(leverage.root)
        weight = score_weight(1 - (p - 1) / n, 0.0)
        sums = self.fourth.pair_sums(leverage.B)
        m22, m31 = weight * sums.square_square, weight * sums.cube_linear
        return sums_of_moments(m22, m31, np.zeros_like(m22), n, partial)

    def covcov_matrix(
        self, A: FloatArray | None = None, *, frobenius: bool = False, left_out: bool = False
    ) -> FloatArray:
        if A is not None:
            weight = self._left_out_weight(left_out)
            return covcov_of_moments(self.fourth, A=A, frobenius=frobenius, weight=weight)
        if frobenius not in self._plain:
            self._plain[frobenius] = covcov_of_moments(self.fourth, frobenius=frobenius)
        return self._plain[frobenius]

    def _left_out_weight(self, left_out: bool) -> float:
        """What (1 − h)⁻² is at the mean leverage of (p + 1)/n, since the rows are gone."""
        n, p = self.fourth.n_samples, len(self.feature_names)
        return 1 / max(1 - (p + 1) / n, 1 / n) ** 2 if left_out else 1.0

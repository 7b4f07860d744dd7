"""The radius of latent correlations from Kendall's τ, for every number of rows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.kernels.latent import Concordance, latent_tau, left_by_ties


@dataclass(frozen=True, slots=True)
class ConcordanceRadius:
    """ε = offset + unit · √(2 log(2d/α)/N): Hoeffding's inequality for τ̂ of all d pairs of columns.

    The kernel of τ̂ is a sign, between −1 and 1, so P(|τ̂_ij − τ_ij| > e) ≤ 2exp(−Ne²/2) whatever
    the distribution, N the number of independent pairs of rows. `unit` is what an error of one in
    every τ_ij does to the latent correlations in the coordinates of the transfer; `offset` is what
    ties leave open.
    """

    unit: float
    independent_pairs: float
    n_entries: int
    offset: float = 0.0

    def epsilon(self, alpha: float) -> float:
        log_term = math.log(2 * self.n_entries / alpha)
        return self.offset + self.unit * math.sqrt(2 * log_term / self.independent_pairs)

    def log_level(self, epsilon: FloatArray) -> FloatArray:
        error = np.maximum(epsilon - self.offset, 0.0) / self.unit
        exponent = self.independent_pairs * error**2 / 2
        return np.minimum(math.log(2 * self.n_entries) - exponent, 0.0)

    def rows_for(self, alpha: float, wanted: FloatArray) -> FloatArray:
        """After how many rows like these it is as small as wanted; ties stay as they are."""
        left = np.asarray(wanted - self.offset)
        with np.errstate(divide="ignore"):
            pairs = 2 * math.log(2 * self.n_entries / alpha) * (self.unit / left) ** 2
        return np.where(left > 0, 2 * pairs, np.inf)


def concordance_radius(
    concordance: Concordance, whitening: FloatArray, replaced: bool
) -> ConcordanceRadius:
    """The radius of ‖L⁻¹(Σ − Σ̂)L⁻ᵀ‖₂, with Σ̂ = LLᵀ and L⁻¹ the `whitening`.

    Entry by entry |Σ̂_ij − Σ_ij| ≤ (π/2)|τ̂_ij − τ_ij|, since |sin a − sin b| ≤ |a − b|. With ties
    the τ̂ of the continuous variables behind the columns is unknown for the tied pairs only: it is
    within the share of these from τ_a, of which τ̂ is a multiple. So ties add to the error, but do
    not break the bound. If Σ̂ was replaced by another matrix, nothing is known, and the radius is
    too large for any threshold.
    """
    tau, tied = latent_tau(concordance.total, concordance.n_pairs), concordance.tied()
    p, left = len(tau), left_by_ties(tied)
    either = np.minimum(np.add.outer(tied, tied), 1.0)
    open_to_ties = either + np.abs(tau) * (1 - np.sqrt(np.outer(left, left)))
    np.fill_diagonal(open_to_ties, 0.0)
    unit = np.pi / 2 * _largest(np.ones((p, p)) - np.eye(p), whitening)
    offset = np.pi / 2 * _largest(open_to_ties, whitening)
    if replaced:
        offset = max(offset, 1.0)
    return ConcordanceRadius(unit, concordance.independent_pairs, p * (p - 1) // 2, offset)


def _largest(errors: FloatArray, whitening: FloatArray) -> float:
    """The largest ‖AEAᵀ‖₂ of symmetric matrices E whose entries are at most `errors` in size.

    No more than ‖ |A| errors |A|ᵀ ‖₂, and no more than ‖errors‖₂ ‖A‖₂²: the smaller of the two.
    """
    size = np.abs(whitening)
    within = float(np.linalg.norm(size @ errors @ size.T, 2))
    return min(within, float(np.linalg.norm(errors, 2) * np.linalg.norm(whitening, 2) ** 2))

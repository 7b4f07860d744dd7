"""From a radius on the covariance to a threshold on the precision: |Θ̂_ij − Θ_ij| ≤ τ u_ij.

`tau` is ∞ if the radius ε is at least `limit`; `radius_for` is its inverse.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from edgewise import _special as special
from edgewise._linalg import FloatArray

_STEP = 1 / 128  # of the table of the paper's inverse, in log w


class Transfer(Protocol):
    """|Θ̂_ij − Θ_ij| ≤ τ(ε) u_ij; from the radius `limit` on, the threshold is infinite."""

    @property
    def units(self) -> FloatArray: ...

    @property
    def limit(self) -> float: ...

    def tau(self, epsilon: float) -> float: ...

    def radius_for(self, tau: FloatArray) -> FloatArray: ...


@dataclass(frozen=True, eq=False, slots=True)
class FrobeniusTransfer:
    """The paper's Theorem 6: τ = μ √Σ_k (ε/(α̂_k(α̂_k − ε)))², in units of one."""

    eigenvalues: FloatArray
    mu: float = 1.0

    @property
    def units(self) -> FloatArray:
        return np.ones((self.eigenvalues.size, self.eigenvalues.size))

    @property
    def limit(self) -> float:
        return float(self.eigenvalues.min())

    def tau(self, epsilon: float) -> float:
        if not epsilon < self.limit:
            return math.inf
        terms = epsilon / (self.eigenvalues * (self.eigenvalues - epsilon))
        return self.mu * float(np.linalg.norm(terms))

    def radius_for(self, tau: FloatArray) -> FloatArray:
        """The inverse, interpolated to about 1e-12 from a table of log w, w = ε/(α̂_p − ε).

        On logarithmic scales the threshold is almost a straight line in w, with known slopes.
        """
        from scipy.interpolate import CubicHermiteSpline  # slow to import, and seldom needed

        smallest = self.limit
        log_w = self._nodes(tau)
        ratio = self.eigenvalues / smallest
        # In pieces, so that each table of nodes × eigenvalues stays in the cache.
        pieces = [_log_shape(piece, ratio) for piece in np.array_split(log_w, 32)]
        log_t = math.log(self.mu / smallest) + np.concatenate([shape for shape, _ in pieces])
        slope = np.concatenate([slope for _, slope in pieces])
        inverse = CubicHermiteSpline(log_t, log_w, 1 / slope)
        with np.errstate(divide="ignore"):
            wanted = np.log(tau)
        inside = np.clip(wanted, log_t[0], log_t[-1])
        radius: FloatArray = smallest * special.expit(inverse(inside) + (wanted - inside))
        return radius

    def _nodes(self, tau: FloatArray) -> FloatArray:
        """The range of the table: α̂_pτ/(μ√p) ≤ w ≤ α̂_pτ/μ, since one term ≤ sum ≤ p terms."""
        positive = tau[tau > 0]
        if not positive.size:
            return np.linspace(-1.0, 1.0, 257)
        unit = self.limit / self.mu
        low = math.log(float(positive.min())) + math.log(unit)
        low -= 0.5 * math.log(self.eigenvalues.size)
        high = math.log(float(positive.max())) + math.log(unit)
        low, high = max(min(low, 31.0), -32.0) - 0.1, min(max(high, -31.0), 32.0) + 0.1
        return np.linspace(low, high, max(257, math.ceil((high - low) / _STEP)))


def _log_shape(log_w: FloatArray, ratio: FloatArray) -> tuple[FloatArray, FloatArray]:
    """log(α̂_p τ/μ) and its derivative, as functions of log w; ratio r = α̂_k/α̂_p."""
    w = np.exp(log_w)[:, np.newaxis]
    slopes = 1 / (1 + w * (1 - 1 / ratio))
    squares = (w * slopes / ratio**2) ** 2
    total = squares.sum(axis=1)
    return 0.5 * np.log(total), np.vecdot(squares, slopes) / total


@dataclass(frozen=True, eq=False, slots=True)
class SpectralTransfer:
    """τ = ε/(a(a − ε)) with a = `limit`, in units of √(d_id_j), d = `diagonal`.

    With ‖Σ̂ − Σ‖₂ ≤ ε < α̂_p, ‖Θ̂ − Θ‖₂ = ‖Θ̂(Σ − Σ̂)Θ‖₂ ≤ ε/(α̂_p(α̂_p − ε)): a = α̂_p, d = 1, never
    above the paper's. With Σ̂ = LLᵀ and ‖L⁻¹(Σ − Σ̂)L⁻ᵀ‖₂ ≤ ε < 1 the same has a = 1 and d_i = Θ̂_ii.
    """

    diagonal: FloatArray
    limit: float = 1.0

    @property
    def units(self) -> FloatArray:
        root = np.sqrt(self.diagonal)
        return np.outer(root, root)

    def tau(self, epsilon: float) -> float:
        limit = self.limit
        return epsilon / (limit * (limit - epsilon)) if epsilon < limit else math.inf

    def radius_for(self, tau: FloatArray) -> FloatArray:
        scaled = self.limit * tau
        return self.limit * (scaled / (1 + scaled))


@dataclass(frozen=True, eq=False, slots=True)
class EntryTransfer:
    """τ = ε, of max |Θ̂_ij − Θ_ij|/se_ij over all entries, in units of each entry's own error."""

    errors: FloatArray
    limit: ClassVar[float] = math.inf

    @property
    def units(self) -> FloatArray:
        return self.errors

    def tau(self, epsilon: float) -> float:
        return epsilon

    def radius_for(self, tau: FloatArray) -> FloatArray:
        return tau


@dataclass(frozen=True, eq=False, slots=True)
class RelativeTransfer:
    """τ = ε, in units of √(Θ̂_iiΘ̂_jj), where ε bounds the error relative to Σ, not to Σ̂.

    With ‖Σ^{−1/2}Σ̂Σ^{−1/2} − I‖₂ ≤ ε the eigenvalues of Σ̂Θ, and so those of LᵀΘL with Σ̂ = LLᵀ,
    are within ε of one. Θ̂ − Θ = L⁻ᵀ(I − LᵀΘL)L⁻¹, so |Θ̂_ij − Θ_ij| ≤ √(Θ̂_iiΘ̂_jj) ε for every ε. From
    `limit` on no entry can be that large: then it is infinite.
    """

    diagonal: FloatArray
    limit: float = math.inf

    def tau(self, epsilon: float) -> float:
        return epsilon if epsilon < self.limit else math.inf

    def radius_for(self, tau: FloatArray) -> FloatArray:
        return np.minimum(tau, self.limit)

    @property
    def units(self) -> FloatArray:
        root = np.sqrt(self.diagonal)
        return np.outer(root, root)

"""Radii ε: with probability 1 − α the covariance estimate is within ε of the truth.

Each radius is a frozen value with two methods: `epsilon(alpha)`, and its inverse `log_level(eps)`,
the logarithm of the smallest level whose radius is at most eps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from edgewise._base import special
from edgewise._base.types import FloatArray
from edgewise.bounds.chi2 import log_lower_tail, log_tail, upper_quantile
from edgewise.errors import ParameterError

# Székely & Bakirov (2003): P(Σ wᵢZᵢ² > x) ≤ P(Z² > x) holds for x ≥ 1.5364, that is, for
# levels up to P(Z² > 1.5364) = 0.2152. Above it the trace radius is not proven.
TRACE_MAX_ALPHA = math.erfc(math.sqrt(1.5364 / 2))

_EXACT_POINTS = 300
_CHECKED_LEVELS = (0.001, 0.05, 0.5)


class Radius(Protocol):
    """How far the estimate may be from the truth, as a function of the level α."""

    def epsilon(self, alpha: float) -> float: ...

    def log_level(self, epsilon: FloatArray) -> FloatArray: ...


@dataclass(frozen=True, slots=True)
class NormalRadius:
    """ε = √v z_{1−α/2}.

    With v = 2λ_max or 2 Tr of Cov(U(Σ̂)) this is the paper's Lemma 1 or Corollary 1. With the trace
    in Frobenius weights it is the same bound, without losing a factor 2 on the diagonal. The bound
    is proven up to the level `max_alpha`; above it `epsilon` raises, and `log_level` is 0.
    """

    variance: float
    max_alpha: float = 1.0

    def epsilon(self, alpha: float) -> float:
        if alpha > self.max_alpha:
            raise ParameterError(
                f"alpha: expected at most {math.floor(self.max_alpha * 1e4) / 1e4} with the trace "
                f"radius, got {alpha!r}; its bound is not proven above that. Use method='whitened' "
                "or 'spectral' with radius='chi2', or a smaller alpha."
            )
        return math.sqrt(self.variance) * float(-special.ndtri(alpha / 2))

    def log_level(self, epsilon: FloatArray) -> FloatArray:
        if self.variance <= 0:
            return np.where(epsilon > 0, -np.inf, 0.0)
        log_p = math.log(2) + special.log_ndtr(-epsilon / math.sqrt(self.variance))
        return np.where(log_p > math.log(self.max_alpha), 0.0, np.minimum(log_p, 0.0))


@dataclass(frozen=True, eq=False, slots=True)
class ChiSquareRadius:
    """ε² is the 1 − α quantile of Σ λ_k χ²₁, λ the spectrum of Cov(Σ̂) in Frobenius weights.

    The squared Frobenius norm of a Gaussian matrix with that covariance has exactly this
    distribution, so the radius is exact in the limit, at every level. If the spectrum is only
    estimated, `counts` says how many eigenvalues each value stands for, and `slack` by what share
    the radius is widened to make up for that.
    """

    spectrum: FloatArray
    counts: FloatArray | None = None
    slack: float = 0.0

    @classmethod
    def estimated(cls, values: FloatArray, counts: FloatArray) -> ChiSquareRadius:
        """The mean of several estimates of the spectrum, one per row, widened by its error.

        The error is three standard errors between the rows, at the worst of a few levels.
        """
        rows = len(values)
        epsilon = np.sqrt(
            [
                [upper_quantile(alpha, *row) for row in zip(values, counts, strict=True)]
                for alpha in _CHECKED_LEVELS
            ]
        )
        error = epsilon.std(axis=1, ddof=1) / math.sqrt(rows) / epsilon.mean(axis=1)
        return cls(values.ravel(), counts.ravel() / rows, 3 * float(error.max()))

    def epsilon(self, alpha: float) -> float:
        return (1 + self.slack) * math.sqrt(upper_quantile(alpha, self.spectrum, self.counts))

    def log_level(self, epsilon: FloatArray) -> FloatArray:
        """Exact for up to a few hundred values, and interpolated (to about 1e-8) for more.

        Above the mean, the nodes are evenly spaced in asinh((ε² − mean)/deviation): dense where the
        distribution is, and sparse in the tail, where the logarithm is nearly a straight line.
        """
        points, inverse = np.unique(epsilon / (1 + self.slack), return_inverse=True)
        if points.size > _EXACT_POINTS:
            levels = self._interpolated(points**2)
        else:
            levels = np.array([self._log_tail(float(e) ** 2) for e in points])
        return np.asarray(levels[inverse])

    def _log_tail(self, x: float) -> float:
        return log_tail(x, self.spectrum, self.counts)

    def _interpolated(self, x: FloatArray) -> FloatArray:
        from scipy.interpolate import make_interp_spline  # slow to import, and seldom needed

        counts = np.ones(self.spectrum.shape) if self.counts is None else self.counts
        mean = float(counts @ self.spectrum)
        deviation = math.sqrt(2 * float(counts @ self.spectrum**2))
        levels = np.zeros(x.shape)
        above, below = x >= mean, (x > 0) & (x < mean)
        if above.any():
            place = np.arcsinh((x[above] - mean) / deviation)
            nodes = np.linspace(0.0, max(float(place.max()), 1e-6), _EXACT_POINTS)
            at = [self._log_tail(mean + deviation * math.sinh(u)) for u in nodes]
            levels[above] = make_interp_spline(nodes, at, k=5)(place)
        if below.any():
            # On logarithmic scales the lower tail is smooth: near zero it is a power of x.
            place = np.log(x[below])
            nodes = np.linspace(float(place.min()) - 1e-6, math.log(mean), _EXACT_POINTS)
            at = [log_lower_tail(math.exp(u), self.spectrum, counts) for u in nodes[:-1]]
            at.append(math.log1p(-math.exp(self._log_tail(mean))))
            lower = np.exp(np.minimum(make_interp_spline(nodes, at, k=5)(place), 0.0))
            levels[below] = np.log1p(-np.minimum(lower, 1 - 1e-16))
        return np.minimum(levels, 0.0)


@dataclass(frozen=True, slots=True)
class HoeffdingRadius:
    """ε = unit · √(log(2d/α) / (2⌊n/2⌋)): Hoeffding's inequality for U-statistics, all d entries.

    It holds for every n and every distribution within the declared supports, without a limit
    theorem. `unit` is the spectral norm of the matrix of kernel ranges, in the coordinates of the
    transfer.
    """

    unit: float
    n_samples: int
    n_entries: int

    def epsilon(self, alpha: float) -> float:
        return self.unit * math.sqrt(
            math.log(2 * self.n_entries / alpha) / (2 * (self.n_samples // 2))
        )

    def log_level(self, epsilon: FloatArray) -> FloatArray:
        exponent = 2 * (self.n_samples // 2) * (epsilon / self.unit) ** 2
        return np.minimum(math.log(2 * self.n_entries) - exponent, 0.0)


@dataclass(frozen=True, slots=True)
class ChebyshevRadius:
    """ε = √(v/α), v at least the mean of ‖Σ^{−1/2}Σ̂Σ^{−1/2} − I‖²_F: Chebyshev's inequality."""

    variance: float

    def epsilon(self, alpha: float) -> float:
        return math.sqrt(self.variance / alpha)

    def log_level(self, epsilon: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            log_p = math.log(self.variance) - 2 * np.log(epsilon)
        return np.minimum(log_p, 0.0)


def relative_variance(n_samples: int, n_features: int, kurtosis: float) -> float:
    """The mean of ‖Σ^{−1/2}Σ̂Σ^{−1/2} − I‖²_F, exactly, for every n.

    Parameters
    ----------
    n_samples : int
        Rows.
    n_features : int
        Columns.
    kurtosis : float
        Mardia's multivariate kurtosis E(yᵀΣ⁻¹y)² over the Gaussian's p(p + 2).
    """
    n, p = n_samples, n_features
    # The sum over i, j of Var Σ̂_ij = (m_iijj − σ_ij²)/n + (σ_iiσ_jj + σ_ij²)/(n(n − 1)), Σ = I.
    return (kurtosis * p * (p + 2) - p) / n + p * (p + 1) / (n * (n - 1))


def kernel_ranges(lengths: FloatArray) -> FloatArray:
    """Length of the interval that holds ½(x_i − x_i′)(x_j − x_j′), given the columns' supports.

    The product of two differences lies in ±Δ_iΔ_j, and a square in [0, Δ_i²]. The kernel is half of
    that.
    """
    ranges = np.outer(lengths, lengths)
    np.fill_diagonal(ranges, lengths**2 / 2)
    return ranges

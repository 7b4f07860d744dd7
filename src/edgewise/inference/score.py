"""The score test inverted: p-values, effects and intervals from one quadratic in ρ₀.

T(ρ₀) = n(ρ̂ − ρ₀)/√max(A − Bρ₀ + Cρ₀², (n²/m)(1 − ρ₀²)²) tests ρ = ρ₀. The variance in the root is
the rows' own, but never below the Gaussian one: where two rare events never meet in the sample, the
rows' own variance collapses, and a test that trusts it sees an association that is not there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from edgewise._linalg import FloatArray, pairs_of, root_outer
from edgewise.inference.effect import MinEffect
from edgewise.inference.intervals import ConfidenceInterval, on_precision_scale
from edgewise.inference.measurement import Estimated
from edgewise.inference.reference import critical_of_all
from edgewise.inference.sign_flip import SignFlip


@dataclass(frozen=True, eq=False, slots=True)
class ScoreTest:
    """The quadratic of the variance, the Gaussian floor, and the reference, for each pair.

    Attributes
    ----------
    n_samples : int
        n.
    degrees : int or ndarray of shape (p, p)
        m = n − p + 1; for rows in clusters less, and a number of its own for each pair.
    second, cross, ends : ndarray of shape (p, p)
        A, B and C.
    reference : SignFlip
        What T is compared with.
    precision_error : ndarray of shape (p, p)
        Standard errors of the entries of Θ̂.
    """

    n_samples: int
    degrees: int | FloatArray
    second: FloatArray
    cross: FloatArray
    ends: FloatArray
    reference: SignFlip
    precision_error: FloatArray
    simultaneous: ClassVar[bool] = False

    def spread_at(self, rho: FloatArray | float) -> FloatArray:
        """√(variance of n(ρ̂ − ρ₀)) at ρ₀ = rho."""
        own = self.second - self.cross * rho + self.ends * np.square(rho)
        gaussian = self.n_samples / np.sqrt(self.degrees) * (1 - np.square(rho))
        return np.asarray(np.sqrt(np.maximum(own, np.square(gaussian))))

    def statistic(self, estimate: FloatArray, rho: FloatArray | float = 0.0) -> FloatArray:
        """T(ρ₀)."""
        return np.asarray(self.n_samples * (estimate - rho) / self.spread_at(rho))

    def errors(self, estimated: Estimated) -> tuple[FloatArray, FloatArray]:
        """Of Θ̂; and of ρ̂, from the variance at ρ₀ = ρ̂."""
        partial = self.spread_at(estimated.partial_correlation) / self.n_samples
        return self.precision_error, partial

    def log_pvalues(self, estimated: Estimated, effect: MinEffect) -> FloatArray:
        size = np.abs(estimated.statistic)
        if effect.value and effect.scale == "precision":
            beyond = np.maximum(np.abs(estimated.precision) - effect.value, 0.0)
            size = np.minimum(size, beyond / self.precision_error)
        elif effect.value:
            size = self._least_within(estimated.partial_correlation, effect.value)
        return self.reference.of_pairs().log_two_sided(pairs_of(size))

    def _least_within(self, rho: FloatArray, value: float) -> FloatArray:
        """The smallest |T(ρ₀)| of all |ρ₀| ≤ value: that of an end, or zero where ρ̂ lies within.

        On either side of ρ̂ the statistic grows, and may then fall again where tails are heavy.
        """
        ends = np.abs([self.statistic(rho, value), self.statistic(rho, -value)])
        return np.where(np.abs(rho) > value, ends.min(axis=0), 0.0)

    def interval(
        self, estimated: Estimated, *, level: float, scale: str, simultaneous: bool
    ) -> ConfidenceInterval:
        miss = math.log1p(-level) - math.log(estimated.n_pairs) * simultaneous
        interval = self._between(estimated.partial_correlation, self.reference.critical(miss))
        if scale == "precision":
            half = self.reference.critical(miss) * self.precision_error
            return on_precision_scale(estimated.precision, interval, half)
        return interval

    def threshold(self, estimated: Estimated, effect: MinEffect, log_level: float) -> FloatArray:
        """The |Θ̂_ij| that would just be declared an edge at a per-edge level."""
        unit, value = root_outer(estimated.precision), effect.value
        critical = critical_of_all(self.reference, log_level, len(unit))
        if effect.scale == "precision" or not value:
            plain = unit * critical * self.spread_at(0.0) / self.n_samples
            beyond = value + critical * self.precision_error
            return np.asarray(np.maximum(plain, beyond) if value else plain)
        near = np.where(estimated.partial_correlation < 0, -value, value)
        per_row = critical / self.n_samples
        size = np.maximum(
            value + per_row * self.spread_at(near), per_row * self.spread_at(-near) - value
        )
        return np.asarray(unit * size)

    def _between(self, rho: FloatArray, critical: FloatArray) -> ConfidenceInterval:
        """The hull of {ρ₀: |T(ρ₀)| ≤ c}: of two intervals in closed form."""
        own = self._quadratic_ends(rho, critical)
        gaussian = _gaussian_ends(rho, critical / np.sqrt(self.degrees))
        low = np.minimum(own.low, gaussian.low)
        high = np.maximum(own.high, gaussian.high)
        np.fill_diagonal(low, 1.0)
        np.fill_diagonal(high, 1.0)
        return ConfidenceInterval(low, high)

    def _quadratic_ends(self, rho: FloatArray, critical: FloatArray) -> ConfidenceInterval:
        """{ρ₀: n²(ρ̂ − ρ₀)² ≤ c²(A − Bρ₀ + Cρ₀²)} within ±1.

        With heavy tails the set may be all but a gap. Where zero lies in the gap, the interval is
        on the side of ρ̂, and no nearer to zero than either end of the gap: it leaves [−v, v] where
        T rejects all of that. Elsewhere it is everything.
        """
        n2, c2 = float(self.n_samples) ** 2, np.square(critical)
        # aρ₀² − 2bρ₀ + d ≤ 0
        a = n2 - c2 * self.ends
        b = n2 * rho - c2 * self.cross / 2
        d = n2 * np.square(rho) - c2 * self.second
        # Written so that the end next to zero has the sign of d, whatever is rounded.
        far = b + np.copysign(np.sqrt(np.maximum(b * b - a * d, 0.0)), b)
        with np.errstate(invalid="ignore", divide="ignore"):
            roots = np.array([far / a, np.where(far == 0, 0.0, d / far)])
        low, high = roots.min(axis=0), roots.max(axis=0)
        gap, none = (a <= 0) & (d > 0), (a <= 0) & (d <= 0)
        nearer = np.minimum(-low, high)
        low = np.where(gap, np.where(rho > 0, nearer, -1.0), np.where(none, -1.0, low))
        high = np.where(gap, np.where(rho > 0, 1.0, -nearer), np.where(none, 1.0, high))
        return ConfidenceInterval(np.clip(low, -1, 1), np.clip(high, -1, 1))


def _gaussian_ends(rho: FloatArray, k: FloatArray) -> ConfidenceInterval:
    """{ρ₀: |ρ̂ − ρ₀| ≤ k(1 − ρ₀²)}: the roots of kx² ± (x − ρ̂) − k = 0 that lie within ±1."""
    # Written so that nothing cancels for small k.
    high = 2 * (rho + k) / (1 + np.sqrt(np.maximum(1 + 4 * k * (rho + k), 0.0)))
    low = 2 * (rho - k) / (1 + np.sqrt(np.maximum(1 - 4 * k * (rho - k), 0.0)))
    return ConfidenceInterval(low, high)

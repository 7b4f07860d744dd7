"""How certain the estimates of all pairs are: p-values, thresholds and intervals at any level.

An interval leaves [−v, v] exactly where the test of a minimal effect v rejects at that level.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol, cast

import numpy as np

from edgewise import _special as special
from edgewise._linalg import BoolArray, FloatArray, pairs_of, root_outer
from edgewise.errors import ParameterError
from edgewise.estimate.inverse import PrecisionEstimate
from edgewise.inference.corrections import level_of_maxima
from edgewise.inference.intervals import (
    ConfidenceInterval,
    around_fisher_z,
    on_precision_scale,
    with_unit_diagonal,
    within_precision_bounds,
)
from edgewise.inference.references import CERTAIN, Reference, Student
from edgewise.inference.sign_flip import SignFlip
from edgewise.paper.radii import Radius
from edgewise.paper.transfers import Transfer

PARTIAL_CORRELATION, PRECISION = "partial_correlation", "precision"
ALL_AT_ONCE = "all entries at once"


class Estimated(Protocol):
    """Estimates and statistics of all pairs: a measurement, or a result."""

    @property
    def precision(self) -> FloatArray: ...

    @property
    def partial_correlation(self) -> FloatArray: ...

    @property
    def statistic(self) -> FloatArray: ...

    @property
    def n_pairs(self) -> int: ...


class Uncertainty(ABC):
    """The source of p-values, thresholds and intervals; a result keeps it, and writes it to JSON.

    Effects are partial correlations; those of bounds may be entries of Θ ("precision"). If it is
    `simultaneous`, for all entries at once, no correction applies.
    """

    __slots__ = ()
    simultaneous: ClassVar[bool] = False

    # Where every pair has its own: the |Θ̂_ij| that is just an edge at a per-edge (log) level;
    # standard errors of Θ̂ and ρ̂, and of z = atanh ρ̂; the degrees of freedom of the last as
    # estimates, and those that Rubin's rules start from, of complete rows.
    threshold: ClassVar[Callable[..., FloatArray]]
    errors: ClassVar[Callable[..., tuple[FloatArray, FloatArray]]]
    fisher_z_error: ClassVar[Callable[..., FloatArray]]
    degrees_of_freedom: ClassVar[Callable[..., float | FloatArray]]
    complete_degrees: ClassVar[Callable[..., float | FloatArray]]
    # Where a bound holds for all entries at once: the rows at which it is as small as an effect.
    rows_for_effect: ClassVar[Callable[..., FloatArray]]

    @abstractmethod
    def log_pvalues(
        self, estimated: Estimated, effect: float = 0.0, scale: str = PARTIAL_CORRELATION
    ) -> FloatArray:
        """Log p-values of H₀: |effect| ≤ the minimal one, for the pairs above the diagonal."""

    @abstractmethod
    def interval(
        self, estimated: Estimated, *, level: float, scale: str, simultaneous: bool
    ) -> ConfidenceInterval:
        """Intervals of all entries, on the scale of Θ or of partial correlations."""

    @property
    def anytime(self) -> bool:
        return False

    def promise(self, alpha: float) -> str:
        """For what a bound holds at this level; nothing where each pair is by itself."""
        return ""


# Standard errors ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, slots=True)
class Spread:
    """Standard errors of Θ̂_ij, and of Fisher's z = atanh ρ̂_ij."""

    precision: FloatArray
    fisher_z: FloatArray


def floored_spread(
    estimate: PrecisionEstimate,
    precision: FloatArray,
    fisher_z: FloatArray,
    rows: FloatArray | None = None,
) -> Spread:
    """Standard errors from variances, never below those of Gaussian rows.

    `precision` is in units of Θ_iiΘ_jj, `rows` the effective sample size of each pair.
    """
    # Of Gaussian rows, Var z = 1/(n − p − 1) and Var Θ̂_ij = (1 + ρ²)/(n − p − 1).
    left = (estimate.n_samples if rows is None else rows) - len(estimate.precision) - 1
    left = np.maximum(left, 1.0)
    least = (1 + estimate.partial_correlation**2) / left / estimate.live_share
    variance_z = np.maximum(fisher_z, 1 / left / estimate.live_share)
    np.fill_diagonal(variance_z, np.nan)  # a variable has no association with itself
    return Spread(
        root_outer(estimate.precision) * np.sqrt(np.maximum(precision, least)),
        np.sqrt(variance_z),
    )


def degrees_of_freedom(terms: int, kurtosis: FloatArray) -> FloatArray:
    """Degrees of a variance: its relative variance (κ − 1)/m is that of χ²_ν/ν, 2/ν
    (Satterthwaite).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        degrees = 2 * terms / (kurtosis - 1)
    # Without any spread the variance is certain; the largest number stands for that.
    return np.where(kurtosis > 1, np.clip(degrees, 1.0, CERTAIN), CERTAIN)


@dataclass(frozen=True, eq=False, slots=True)
class PerEdge(Uncertainty):
    """Fisher's z with standard errors and a reference; `exact`: Student's t of Gaussian rows.

    Simultaneous intervals are Bonferroni's, or by draws of the largest statistic (`maxima`).
    """

    spread: Spread
    reference: Reference
    maxima: FloatArray | None = None
    exact: bool = False

    @property
    def anytime(self) -> bool:
        return self.reference.anytime

    def statistic(self, partial: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.exact:
                return partial * np.sqrt(self._degrees / ((1 - partial) * (1 + partial)))
            return np.asarray(np.arctanh(partial) / self.spread.fisher_z)

    def errors(self, estimated: Estimated) -> tuple[FloatArray, FloatArray]:
        rho = estimated.partial_correlation  # dρ = (1 − ρ²) dz
        return self.spread.precision, self.spread.fisher_z * (1 - rho) * (1 + rho)

    def fisher_z_error(self, rho: FloatArray) -> FloatArray:
        return self.spread.fisher_z

    @property
    def _degrees(self) -> float:
        return float(cast("float", self.reference.degrees_of_freedom))

    def degrees_of_freedom(self) -> float | FloatArray:
        # An exact test knows the variance of its z, which is that of Gaussian rows.
        degrees = None if self.exact else self.reference.degrees_of_freedom
        return CERTAIN if degrees is None else degrees

    def complete_degrees(
        self, n_samples: int, n_features: int, n_clusters: int | None = None
    ) -> float | FloatArray:
        """Those of its reference; a normal one says nothing of them, and n − p is what is left."""
        degrees = self.reference.degrees_of_freedom
        return float(max(n_samples - n_features, 1)) if degrees is None else degrees

    def log_pvalues(
        self, estimated: Estimated, effect: float = 0.0, scale: str = PARTIAL_CORRELATION
    ) -> FloatArray:
        size = np.abs(estimated.statistic)
        if effect:
            with np.errstate(divide="ignore"):
                z = np.arctanh(np.abs(estimated.partial_correlation)) - math.atanh(effect)
            size = self.statistic(np.tanh(np.maximum(z, 0.0)))
        return self.reference.of_pairs().log_two_sided(pairs_of(size))

    def threshold(self, estimated: Estimated, log_level: float, effect: float) -> FloatArray:
        half = self._half(self.reference.critical(log_level))
        return np.asarray(root_outer(estimated.precision) * np.tanh(math.atanh(effect) + half))

    def interval(
        self, estimated: Estimated, *, level: float, scale: str, simultaneous: bool
    ) -> ConfidenceInterval:
        log_level = math.log1p(-level)
        if simultaneous and self.maxima is not None:
            log_level = level_of_maxima(self.maxima, log_level)
        elif simultaneous:
            log_level -= math.log(estimated.n_pairs)
        critical = self.reference.critical(log_level)
        interval = around_fisher_z(estimated.partial_correlation, self._half(critical))
        if scale == PRECISION:
            half = critical * self.spread.precision
            return on_precision_scale(estimated.precision, interval, half)
        return interval

    def _half(self, critical: float | FloatArray) -> FloatArray:
        """The distance on the z scale at which the statistic is critical."""
        if self.exact:
            half = np.arcsinh(np.asarray(critical) / math.sqrt(self._degrees))
            return np.full(self.spread.fisher_z.shape, half)
        return np.asarray(critical * self.spread.fisher_z)


# The score test -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, slots=True)
class ScoreTest(Uncertainty):
    """The score test inverted: p-values, effects and intervals from one quadratic in ρ₀.

    T(ρ₀) = n(ρ̂ − ρ₀)/√max(A − Bρ₀ + Cρ₀², (n²/m)(1 − ρ₀²)²) tests ρ = ρ₀: `second`, `cross` and
    `ends` are A, B and C, `degrees` m.
    """

    n_samples: int
    degrees: int | FloatArray
    second: FloatArray
    cross: FloatArray
    ends: FloatArray
    reference: SignFlip
    precision_error: FloatArray

    def spread_at(self, rho: FloatArray | float) -> FloatArray:
        """√(variance of n(ρ̂ − ρ₀)) at ρ₀ = rho."""
        own = self.second - self.cross * rho + self.ends * np.square(rho)
        gaussian = self.n_samples / np.sqrt(self.degrees) * (1 - np.square(rho))
        return np.asarray(np.sqrt(np.maximum(own, np.square(gaussian))))

    def statistic(self, estimate: FloatArray, rho: FloatArray | float = 0.0) -> FloatArray:
        return np.asarray(self.n_samples * (estimate - rho) / self.spread_at(rho))

    def errors(self, estimated: Estimated) -> tuple[FloatArray, FloatArray]:
        # Of ρ̂ from the variance at ρ₀ = ρ̂.
        partial = self.spread_at(estimated.partial_correlation) / self.n_samples
        return self.precision_error, partial

    def fisher_z_error(self, rho: FloatArray) -> FloatArray:
        """The error of ρ̂, at ρ̂, over dρ/dz = 1 − ρ̂²."""
        return self.spread_at(rho) / self.n_samples / ((1 - rho) * (1 + rho))

    def degrees_of_freedom(self) -> float | FloatArray:
        return CERTAIN

    def complete_degrees(
        self, n_samples: int, n_features: int, n_clusters: int | None = None
    ) -> float | FloatArray:
        """m: on Gaussian rows the error of z is 1/√m; at most the number of clusters less one."""
        most = np.inf if n_clusters is None else max(n_clusters - 1, 1)
        return np.minimum(np.asarray(self.degrees, dtype=np.float64), most)

    def log_pvalues(
        self, estimated: Estimated, effect: float = 0.0, scale: str = PARTIAL_CORRELATION
    ) -> FloatArray:
        size = np.abs(estimated.statistic)
        if effect:
            # The smallest |T(ρ₀)| of all |ρ₀| ≤ effect is that of an end: on either side of ρ̂ the
            # statistic grows, and may then fall again where tails are heavy.
            rho = estimated.partial_correlation
            ends = np.abs([self.statistic(rho, effect), self.statistic(rho, -effect)])
            size = np.where(np.abs(rho) > effect, ends.min(axis=0), 0.0)
        return self.reference.of_pairs().log_two_sided(pairs_of(size))

    def threshold(self, estimated: Estimated, log_level: float, effect: float) -> FloatArray:
        per_row = self.reference.critical(log_level) / self.n_samples
        near = np.where(estimated.partial_correlation < 0, -effect, effect)
        size = np.maximum(
            effect + per_row * self.spread_at(near), per_row * self.spread_at(-near) - effect
        )
        return np.asarray(root_outer(estimated.precision) * size)

    def interval(
        self, estimated: Estimated, *, level: float, scale: str, simultaneous: bool
    ) -> ConfidenceInterval:
        """The hull of {ρ₀: |T(ρ₀)| ≤ c}: of two intervals in closed form."""
        miss = math.log1p(-level) - math.log(estimated.n_pairs) * simultaneous
        critical, rho = self.reference.critical(miss), estimated.partial_correlation
        low, high = self._quadratic_ends(rho, critical)
        # {ρ₀: |ρ̂ − ρ₀| ≤ k(1 − ρ₀²)}: the roots of kx² ± (x − ρ̂) − k = 0 that lie within ±1,
        # written so that nothing cancels for small k.
        k = critical / np.sqrt(self.degrees)
        above = 2 * (rho + k) / (1 + np.sqrt(np.maximum(1 + 4 * k * (rho + k), 0.0)))
        below = 2 * (rho - k) / (1 + np.sqrt(np.maximum(1 - 4 * k * (rho - k), 0.0)))
        interval = with_unit_diagonal(np.minimum(low, below), np.maximum(high, above))
        if scale == PRECISION:
            half = critical * self.precision_error
            return on_precision_scale(estimated.precision, interval, half)
        return interval

    def _quadratic_ends(
        self, rho: FloatArray, critical: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """{ρ₀: n²(ρ̂ − ρ₀)² ≤ c²(A − Bρ₀ + Cρ₀²)} within ±1.

        With heavy tails it may be all but a gap: then the side of ρ̂, no nearer to zero than the
        gap.
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
        return np.clip(low, -1, 1), np.clip(high, -1, 1)


# Bounds ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, slots=True)
class Bound(Uncertainty):
    """Θ̂_ij − Θ_ij| ≤ τu_ij for all i, j with probability 1 − α; τ follows from the radius at α."""

    radius: Radius
    transfer: Transfer
    simultaneous: ClassVar[bool] = True

    def half_width(self, alpha: float) -> FloatArray:
        """τu_ij: how far Θ̂_ij may be from Θ_ij, infinite where the rows are too few."""
        tau = self.transfer.tau(self.radius.epsilon(alpha))
        return np.asarray(tau * self.transfer.units)

    def decide(
        self, estimated: Estimated, n_samples: int, alpha: float, effect: float, scale: str
    ) -> tuple[float, BoolArray, float | FloatArray, int | None]:
        """ε at a level, the edges, the |Θ̂_ij| that is just one, and rows until that is finite."""
        epsilon, units, rows_needed = self.radius.epsilon(alpha), self.transfer.units, None
        tau = self.transfer.tau(epsilon)
        threshold: float | FloatArray = tau * units + effect
        if math.isinf(tau):
            threshold = math.inf
            rows = float(self.rows_for(n_samples, alpha, np.array(self.transfer.limit)))
            rows_needed = math.floor(rows) + 1 if math.isfinite(rows) else None
        elif effect and scale != PRECISION:
            a, g = _relative_units(estimated.precision, units)
            most = np.sqrt(1 + g * tau)
            least = a * tau + effect * np.outer(most, most)
            threshold = root_outer(estimated.precision) * least
        elif (units == 1).all():  # all entries share it
            threshold = tau + effect
        reject = pairs_of(self._critical_tau(estimated, effect, scale) >= tau)
        return epsilon, reject, threshold, rows_needed

    def promise(self, alpha: float) -> str:
        for_all = getattr(self.radius, "for_all", None)
        if for_all is None or alpha <= for_all:
            return ALL_AT_ONCE
        return "each entry; for all at once a heuristic"

    def rows_for(self, n_samples: int, alpha: float, wanted: FloatArray) -> FloatArray:
        """Rows like these after which the radius, ∝ n^{−1/2} unless it knows better, is as wanted."""
        own = getattr(self.radius, "rows_for", None)
        if own is not None:
            return np.asarray(own(alpha, wanted))
        with np.errstate(divide="ignore"):
            rows = n_samples * (self.radius.epsilon(alpha) / wanted) ** 2
        return np.asarray(np.where(wanted > 0, rows, np.inf))

    def rows_for_effect(
        self, precision: FloatArray, n_samples: int, alpha: float, effect: float
    ) -> FloatArray:
        """Rows like these at which the bound is as small as an effect·√(Θ̂_iiΘ̂_jj)."""
        tau = effect * root_outer(precision) / self.transfer.units
        wanted = self.transfer.radius_for(tau.ravel()).reshape(tau.shape)
        return self.rows_for(n_samples, alpha, wanted)

    def log_pvalues(
        self, estimated: Estimated, effect: float = 0.0, scale: str = PARTIAL_CORRELATION
    ) -> FloatArray:
        return self.log_level(pairs_of(self._critical_tau(estimated, effect, scale)))

    def log_level(self, tau: FloatArray) -> FloatArray:
        """Logarithm of the smallest level at which the bound is at most this τ."""
        log_p = np.zeros(tau.shape)
        positive = tau > 0
        if self.transfer.limit > 0:
            log_p[positive] = self.radius.log_level(self.transfer.radius_for(tau[positive]))
        return log_p

    def interval(
        self, estimated: Estimated, *, level: float, scale: str, simultaneous: bool
    ) -> ConfidenceInterval:
        each = getattr(self.radius, "for_all", None) is not None
        largest = 1.0 if each else getattr(self.radius, "max_alpha", 1.0)
        if level < 1 - largest:
            raise ParameterError(
                f"level: expected at least {1 - largest:.4f} with the trace radius, got {level:g}; "
                "its bound is not proven below that. Use radius='chi2'."
            )
        # At the lowest level 1 − level may be rounded to above the largest alpha.
        half = self.half_width(min(1 - level, largest))
        if scale == PRECISION:
            return ConfidenceInterval(estimated.precision - half, estimated.precision + half)
        return within_precision_bounds(estimated.precision, estimated.partial_correlation, half)

    def _critical_tau(self, estimated: Estimated, effect: float, scale: str) -> FloatArray:
        """The largest τ at which the bound still excludes every effect up to the minimal one."""
        if effect == 0 or scale == PRECISION:
            return (np.abs(estimated.precision) - effect) / self.transfer.units
        # |ρ| is at least (r − aτ)/√((1 + g_iτ)(1 + g_jτ)); equal to v at the smaller root of
        # (a² − v²g_ig_j)τ² − (2ra + v²(g_i + g_j))τ + r² − v² = 0.
        a, g = _relative_units(estimated.precision, self.transfer.units)
        r, v2 = np.abs(estimated.partial_correlation), effect**2
        quadratic = a**2 - v2 * np.outer(g, g)
        linear = 2 * r * a + v2 * (g[:, np.newaxis] + g)
        constant = r**2 - v2
        discriminant = np.sqrt(np.maximum(linear**2 - 4 * quadratic * constant, 0.0))
        return np.where(constant > 0, 2 * constant / (linear + discriminant), -1.0)


def _relative_units(precision: FloatArray, units: FloatArray) -> tuple[FloatArray, FloatArray]:
    """a = u_ij/√(Θ̂_iiΘ̂_jj) and g = u_ii/Θ̂_ii: how τ changes a partial correlation."""
    root = np.sqrt(precision.diagonal())
    return units / root / root[:, np.newaxis], units.diagonal() / precision.diagonal()


@dataclass(frozen=True, eq=False, slots=True)
class LargestRadius:
    """ε: max |Θ̂_ij − Θ_ij|/se_ij over all entries stays below it with probability 1 − α.

    The smaller of the quantile of draws of the maximum, and Student's at α over the entries.
    """

    maxima: FloatArray
    student: Student
    n_entries: int

    def epsilon(self, alpha: float) -> float:
        union = self.of_union(alpha)
        # The share of draws above it counts the data themselves too: none of them may be left.
        if alpha * (1 + len(self.maxima)) < 1:
            return union
        level = level_of_maxima(self.maxima, math.log(alpha))
        return min(float(self.student.critical(level)), union)

    def of_union(self, alpha: float) -> float:
        return float(self.student.critical(math.log(alpha) - math.log(self.n_entries)))

    def log_level(self, epsilon: FloatArray) -> FloatArray:
        log_tail = self.student.log_two_sided(epsilon)
        z = -special.ndtri_exp(log_tail - math.log(2))
        # As many as are at least as large; the draws run from the largest to the smallest.
        exceeding = np.searchsorted(-self.maxima, -z, side="right")
        drawn = np.log((1 + exceeding) / (1 + len(self.maxima)))
        return np.minimum(np.minimum(drawn, math.log(self.n_entries) + log_tail), 0.0)

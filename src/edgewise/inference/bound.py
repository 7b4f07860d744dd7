"""A bound on all entries at once: a radius around Σ̂, and its transfer to Θ̂."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from edgewise._linalg import FloatArray, pairs_of, root_outer
from edgewise.errors import ParameterError
from edgewise.inference.effect import MinEffect
from edgewise.inference.intervals import (
    ConfidenceInterval,
    around_precision,
    within_precision_bounds,
)
from edgewise.inference.measurement import Estimated
from edgewise.paper.radii import Radius
from edgewise.paper.transfers import Transfer


@dataclass(frozen=True, eq=False, slots=True)
class Bound:
    """|Θ̂_ij − Θ_ij| ≤ τu_ij for all i, j with probability 1 − α; τ follows from the radius at α.

    The p-value of an entry is the smallest level that declares it an edge: the level of the radius
    at which τ is the largest error that leaves that entry an edge.
    """

    radius: Radius
    transfer: Transfer
    simultaneous: ClassVar[bool] = True

    def tau(self, alpha: float) -> float:
        return self.transfer.tau(self.radius.epsilon(alpha))

    def half_width(self, alpha: float) -> FloatArray:
        """τu_ij: how far Θ̂_ij may be from Θ_ij, infinite where the rows are too few."""
        return np.asarray(self.tau(alpha) * self.transfer.units)

    def rows_for(self, n_samples: int, alpha: float, wanted: FloatArray) -> FloatArray:
        """After how many rows like these the radius is as small as wanted.

        ε falls as n^{−1/2}, so after n (ε/wanted)² rows, unless the radius knows better.
        """
        own = getattr(self.radius, "rows_for", None)
        if own is not None:
            return np.asarray(own(alpha, wanted))
        with np.errstate(divide="ignore"):
            rows = n_samples * (self.radius.epsilon(alpha) / wanted) ** 2
        return np.asarray(np.where(wanted > 0, rows, np.inf))

    def rows_for_effect(
        self, precision: FloatArray, n_samples: int, alpha: float, effect: float
    ) -> FloatArray:
        """Rows at which τu_ij comes down to effect·√(Θ̂_iiΘ̂_jj)."""
        tau = effect * root_outer(precision) / self.transfer.units
        wanted = self.transfer.radius_for(tau.ravel()).reshape(tau.shape)
        return self.rows_for(n_samples, alpha, wanted)

    def rows_until_finite(self, n_samples: int, alpha: float) -> int | None:
        """After how many rows the threshold is finite; None if it never is."""
        rows = float(self.rows_for(n_samples, alpha, np.array(self.transfer.limit)))
        return math.floor(rows) + 1 if math.isfinite(rows) else None

    def rejects(self, estimated: Estimated, effect: MinEffect, tau: float) -> FloatArray:
        """Whether the bound leaves no room for an effect up to the minimal one, for all entries."""
        return np.asarray(self._bearable(estimated, effect) >= tau)

    def log_pvalues(self, estimated: Estimated, effect: MinEffect) -> FloatArray:
        return self.log_level(pairs_of(self._bearable(estimated, effect)))

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
        largest = getattr(self.radius, "max_alpha", 1.0)
        lowest = 1 - largest
        if level < lowest:
            raise ParameterError(
                f"level: expected at least {lowest:.4f} with the trace radius, got {level:g}; its "
                "bound is not proven below that. Use radius='chi2'."
            )
        # At the lowest level 1 − level may be rounded to above the largest alpha.
        half = self.half_width(min(1 - level, largest))
        if scale == "precision":
            return around_precision(estimated.precision, half)
        return within_precision_bounds(estimated.precision, estimated.partial_correlation, half)

    def threshold(self, precision: FloatArray, effect: MinEffect, tau: float) -> float | FloatArray:
        """The |Θ̂_ij| that is just an edge: one number where all entries share it."""
        units = self.transfer.units
        if math.isinf(tau):
            return math.inf
        if effect.value == 0 or effect.scale == "precision":
            if (units == 1).all():
                return tau + effect.value
            return tau * units + effect.value
        a, g = relative_units(precision, units)
        most = np.sqrt(1 + g * tau)
        threshold: FloatArray = root_outer(precision) * (
            a * tau + effect.value * np.outer(most, most)
        )
        return threshold

    def _bearable(self, estimated: Estimated, effect: MinEffect) -> FloatArray:
        return bearable_tau(
            estimated.precision, estimated.partial_correlation, self.transfer.units, effect
        )


def relative_units(precision: FloatArray, units: FloatArray) -> tuple[FloatArray, FloatArray]:
    """a = u_ij/√(Θ̂_iiΘ̂_jj) and g = u_ii/Θ̂_ii: how τ changes a partial correlation."""
    diagonal = precision.diagonal()
    root = np.sqrt(diagonal)
    return units / root / root[:, np.newaxis], units.diagonal() / diagonal


def bearable_tau(
    precision: FloatArray, partial: FloatArray, units: FloatArray, effect: MinEffect
) -> FloatArray:
    """The largest τ at which the bound still excludes every effect up to the minimal one."""
    size = np.abs(precision)
    if effect.value == 0 or effect.scale == "precision":
        return (size - effect.value) / units
    # |ρ| is at least (r − aτ)/√((1 + g_iτ)(1 + g_jτ)); equal to v at the smaller root of
    # (a² − v²g_ig_j)τ² − (2ra + v²(g_i + g_j))τ + r² − v² = 0.
    a, g = relative_units(precision, units)
    r, v2 = np.abs(partial), effect.value**2
    quadratic = a**2 - v2 * np.outer(g, g)
    linear = 2 * r * a + v2 * (g[:, np.newaxis] + g)
    constant = r**2 - v2
    discriminant = np.sqrt(np.maximum(linear**2 - 4 * quadratic * constant, 0.0))
    return np.where(constant > 0, 2 * constant / (linear + discriminant), -1.0)

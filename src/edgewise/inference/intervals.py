"""Confidence intervals for the entries of a precision matrix and for partial correlations."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from scipy import special

from edgewise._base.types import FloatArray
from edgewise.bounds.radius import Radius
from edgewise.bounds.transfer import Transfer
from edgewise.errors import ParameterError
from edgewise.inference.effect import MinEffect, log_effect_pvalue
from edgewise.inference.reference import Reference
from edgewise.inference.spread import Spread
from edgewise.inference.tolerance import bearable_tau


class ConfidenceInterval(NamedTuple):
    """Ends of the intervals of all entries; `low, high = …` unpacks it.

    Attributes
    ----------
    low : ndarray of shape (p, p)
        Lower ends.
    high : ndarray of shape (p, p)
        Upper ends.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> X = np.random.default_rng(0).standard_normal((1000, 3))
    >>> interval = ew.edge_test(X).confidence_interval(level=0.9)
    >>> bool((interval.low < interval.high).all())
    True
    """

    low: FloatArray
    high: FloatArray


class IntervalRule(Protocol):
    """What a method knows about the uncertainty of its estimates."""

    def interval(
        self,
        precision: FloatArray,
        partial: FloatArray,
        *,
        level: float,
        scale: str,
        simultaneous: bool,
    ) -> ConfidenceInterval: ...

    def log_pvalues(
        self,
        precision: FloatArray,
        partial: FloatArray,
        statistic: FloatArray,
        effect: MinEffect,
    ) -> FloatArray:
        """Log p-values of H₀: |effect| ≤ the minimal one, for the pairs above the diagonal."""
        ...


@dataclass(frozen=True, eq=False, slots=True)
class PerEdgeIntervals:
    """Estimate ± critical value × standard error; partial correlations on Fisher's z scale.

    Standard errors of heavy-tailed or skewed products are themselves uncertain, and mostly too
    small; Student's critical values with `Spread.degrees` make up for that, so an interval may
    reach a little further than the threshold of the test.

    Simultaneous intervals divide the level by the number of pairs (Bonferroni), unless the method
    has a sharper critical value for the largest of all statistics (`max_critical`).
    """

    spread: Spread
    reference: Reference
    max_critical: Callable[[float], float] | None = None

    def interval(
        self,
        precision: FloatArray,
        partial: FloatArray,
        *,
        level: float,
        scale: str,
        simultaneous: bool,
    ) -> ConfidenceInterval:
        p = precision.shape[0]
        miss = math.log1p(-level)
        critical: float | FloatArray
        if simultaneous and self.max_critical is not None:
            critical = self.max_critical(miss)
        else:
            critical = self._critical(miss - math.log(p * (p - 1) / 2) * simultaneous)
        if scale == "precision":
            half = critical * self.spread.precision
            return ConfidenceInterval(precision - half, precision + half)
        off_diagonal = np.where(np.eye(p, dtype=bool), 0.0, partial)
        z, half = np.arctanh(off_diagonal), critical * self.spread.fisher_z
        low, high = np.tanh(z - half), np.tanh(z + half)
        np.fill_diagonal(low, 1.0)
        np.fill_diagonal(high, 1.0)
        return ConfidenceInterval(low, high)

    def log_pvalues(
        self,
        precision: FloatArray,
        partial: FloatArray,
        statistic: FloatArray,
        effect: MinEffect,
    ) -> FloatArray:
        upper = np.triu_indices(len(precision), k=1)
        if effect.value == 0:
            return self.reference.log_two_sided(statistic[upper])
        if effect.scale == "precision":
            error = self.spread.precision[upper]
            return log_effect_pvalue(precision[upper], effect.value, error, self.reference)
        z, value = np.arctanh(partial[upper]), float(np.arctanh(effect.value))
        return log_effect_pvalue(z, value, self.spread.fisher_z[upper], self.reference)

    def _critical(self, log_miss: float) -> float | FloatArray:
        degrees = self.spread.degrees
        if degrees is None:
            return self.reference.critical(log_miss)
        return -np.asarray(special.stdtrit(degrees, math.exp(log_miss) / 2), dtype=np.float64)


@dataclass(frozen=True, eq=False, slots=True)
class BoundIntervals:
    """Θ̂_ij ± τu_ij, for all entries at once whether asked for or not."""

    radius: Radius
    transfer: Transfer

    def interval(
        self,
        precision: FloatArray,
        partial: FloatArray,
        *,
        level: float,
        scale: str,
        simultaneous: bool,
    ) -> ConfidenceInterval:
        lowest = 1 - getattr(self.radius, "max_alpha", 1.0)
        if level < lowest:
            raise ParameterError(
                f"level: expected at least {lowest:.4f} with the trace radius, got {level:g}; its "
                "bound is not proven below that. Use radius='chi2'."
            )
        tau = self.transfer.tau(self.radius.epsilon(1 - level))
        half = tau * self.transfer.units
        if scale == "precision":
            return ConfidenceInterval(precision - half, precision + half)
        return _partial_correlation_bounds(precision, partial, half)

    def log_pvalues(
        self,
        precision: FloatArray,
        partial: FloatArray,
        statistic: FloatArray,
        effect: MinEffect,
    ) -> FloatArray:
        upper = np.triu_indices(len(precision), k=1)
        bearable = bearable_tau(precision, partial, self.transfer.units, effect)[upper]
        log_p = np.zeros(bearable.shape)
        positive = bearable > 0
        if self.transfer.limit > 0:
            log_p[positive] = self.radius.log_level(self.transfer.radius_for(bearable[positive]))
        return log_p


def _partial_correlation_bounds(
    precision: FloatArray, partial: FloatArray, half: FloatArray
) -> ConfidenceInterval:
    """What |Θ̂ − Θ| ≤ half says of ρ = −Θ_ij/√(Θ_iiΘ_jj): the extremes of the fraction."""
    root = np.sqrt(precision.diagonal())
    slack = half.diagonal() / precision.diagonal()
    most, least = np.sqrt(1 + slack), np.sqrt(np.maximum(1 - slack, 0.0))
    largest, smallest = np.outer(most, most), np.outer(least, least)
    shift = half / np.outer(root, root)
    bottom, top = partial - shift, partial + shift
    # A diagonal that may be zero bounds nothing: the fraction is then clipped to ±1.
    with np.errstate(divide="ignore", invalid="ignore"):
        low = np.where(bottom >= 0, bottom / largest, bottom / smallest)
        high = np.where(top >= 0, top / smallest, top / largest)
    low, high = (
        np.clip(np.nan_to_num(low, nan=-1.0), -1, 1),
        np.clip(np.nan_to_num(high, nan=1.0), -1, 1),
    )
    np.fill_diagonal(low, 1.0)
    np.fill_diagonal(high, 1.0)
    return ConfidenceInterval(low, high)

"""A statistic for each pair by itself: a reference distribution, and standard errors.

P-values, minimal effects and intervals are all the same test at other points: an interval leaves
[−v, v] exactly where the test of a minimal effect v rejects at that level.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from edgewise._linalg import FloatArray, pairs_of, root_outer
from edgewise.inference.effect import MinEffect
from edgewise.inference.intervals import ConfidenceInterval, around_fisher_z, on_precision_scale
from edgewise.inference.max_statistic import critical_of_maxima
from edgewise.inference.measurement import Estimated
from edgewise.inference.reference import Reference, Student, critical_of_all
from edgewise.inference.spread import Spread


@dataclass(frozen=True, eq=False, slots=True)
class PerEdge:
    """Partial correlations on Fisher's z scale, with standard errors and a reference.

    The statistic is z over its standard error. With `exact`, it is Student's t = ρ̂√(ν/(1 − ρ̂²))
    instead, ν the degrees of freedom of the reference: Gaussian rows have exactly that law. Then
    an interval reaches z ± atanh of the ρ that is just significant.

    Simultaneous intervals divide the level by the number of pairs (Bonferroni), unless draws of
    the largest statistic are known (`maxima`, of the correction "maxt").
    """

    spread: Spread
    reference: Reference
    maxima: FloatArray | None = None
    exact: bool = False
    simultaneous: ClassVar[bool] = False

    def statistic(self, partial: FloatArray) -> FloatArray:
        """The statistic of a partial correlation."""
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.exact:
                return partial * np.sqrt(self._student.df / ((1 - partial) * (1 + partial)))
            return np.asarray(np.arctanh(partial) / self.spread.fisher_z)

    def errors(self, estimated: Estimated) -> tuple[FloatArray, FloatArray]:
        """Standard errors of Θ̂ and of ρ̂."""
        return self.spread.precision, self.spread.partial_correlation(estimated.partial_correlation)

    def log_pvalues(self, estimated: Estimated, effect: MinEffect) -> FloatArray:
        size = np.abs(estimated.statistic)
        if effect.value and effect.scale == "precision":
            beyond = np.maximum(np.abs(estimated.precision) - effect.value, 0.0)
            size = np.minimum(size, beyond / self.spread.precision)
        elif effect.value:
            with np.errstate(divide="ignore"):
                z = np.arctanh(np.abs(estimated.partial_correlation)) - math.atanh(effect.value)
            size = self.statistic(np.tanh(np.maximum(z, 0.0)))
        return self.reference.of_pairs().log_two_sided(pairs_of(size))

    def threshold(self, estimated: Estimated, effect: MinEffect, log_level: float) -> FloatArray:
        """The |Θ̂_ij| that would just be declared an edge at a per-edge level."""
        unit, value = root_outer(estimated.precision), effect.value
        critical = critical_of_all(self.reference, log_level, len(unit))
        half = self._half(critical)
        if value and effect.scale == "precision":
            beyond = value + critical * self.spread.precision
            return np.asarray(np.maximum(unit * np.tanh(half), beyond))
        return np.asarray(unit * np.tanh(math.atanh(value) + half))

    def interval(
        self, estimated: Estimated, *, level: float, scale: str, simultaneous: bool
    ) -> ConfidenceInterval:
        miss = math.log1p(-level)
        critical: float | FloatArray
        if simultaneous and self.maxima is not None:
            critical = critical_of_maxima(self.maxima, miss, self.reference)
        else:
            critical = self.reference.critical(miss - math.log(estimated.n_pairs) * simultaneous)
        interval = around_fisher_z(estimated.partial_correlation, self._half(critical))
        if scale == "precision":
            half = critical * self.spread.precision
            return on_precision_scale(estimated.precision, interval, half)
        return interval

    def _half(self, critical: float | FloatArray) -> FloatArray:
        """The distance on the z scale at which the statistic is critical."""
        if self.exact:
            half = np.arcsinh(np.asarray(critical) / math.sqrt(float(self._student.df)))
            return np.full(self.spread.fisher_z.shape, half)
        return np.asarray(critical * self.spread.fisher_z)

    @property
    def _student(self) -> Student:
        if not isinstance(self.reference, Student):
            raise TypeError("reference: expected Student's where the statistic is exact")
        return self.reference

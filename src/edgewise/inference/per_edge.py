"""A statistic for each pair by itself: a reference distribution, and standard errors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from edgewise._base import special
from edgewise._base.matrices import pairs_of, root_outer
from edgewise._base.types import FloatArray
from edgewise.inference.effect import MinEffect, effect_threshold, log_effect_pvalue
from edgewise.inference.intervals import (
    ConfidenceInterval,
    around_fisher_z,
    around_precision,
)
from edgewise.inference.max_statistic import critical_of_maxima
from edgewise.inference.measurement import Estimated
from edgewise.inference.reference import Reference
from edgewise.inference.spread import Spread


@dataclass(frozen=True, eq=False, slots=True)
class PerEdge:
    """Estimate ± critical value × standard error; partial correlations on Fisher's z scale.

    Standard errors of heavy-tailed or skewed products are themselves uncertain, and mostly too
    small. Student's critical values with `Spread.degrees` make up for that, so an interval may
    reach a little further than the threshold of the test.

    Simultaneous intervals divide the level by the number of pairs (Bonferroni), unless draws of
    the largest statistic are known (`maxima`, of the correction "maxt").
    """

    spread: Spread
    reference: Reference
    maxima: FloatArray | None = None
    simultaneous: ClassVar[bool] = False

    def log_pvalues(self, estimated: Estimated, effect: MinEffect) -> FloatArray:
        if effect.value == 0:
            return self.reference.log_two_sided(pairs_of(estimated.statistic))
        estimate, value, error = estimated.precision, effect.value, self.spread.precision
        if effect.scale != "precision":
            with np.errstate(divide="ignore"):  # on the diagonal, which nobody reads
                estimate = np.arctanh(estimated.partial_correlation)
            value, error = math.atanh(value), self.spread.fisher_z
        return log_effect_pvalue(pairs_of(estimate), value, pairs_of(error), self.reference)

    def effect_threshold(
        self, precision: FloatArray, effect: MinEffect, log_level: float
    ) -> FloatArray:
        """The |Θ̂_ij| whose p-value for a minimal effect is just at the level."""
        if effect.scale == "precision":
            return effect_threshold(effect.value, self.spread.precision, log_level, self.reference)
        # The diagonal has no partial correlation and so no error; any number will do.
        error = np.nan_to_num(self.spread.fisher_z, nan=1.0)
        z = effect_threshold(math.atanh(effect.value), error, log_level, self.reference)
        return root_outer(precision) * np.tanh(z)

    def interval(
        self, estimated: Estimated, *, level: float, scale: str, simultaneous: bool
    ) -> ConfidenceInterval:
        p = len(estimated.precision)
        miss = math.log1p(-level)
        critical: float | FloatArray
        if simultaneous and self.maxima is not None:
            critical = critical_of_maxima(self.maxima, miss, self.reference)
        else:
            critical = self._critical(miss - math.log(p * (p - 1) / 2) * simultaneous)
        if scale == "precision":
            return around_precision(estimated.precision, critical * self.spread.precision)
        return around_fisher_z(estimated.partial_correlation, critical * self.spread.fisher_z)

    def _critical(self, log_miss: float) -> float | FloatArray:
        degrees = self.spread.degrees
        if degrees is None:
            return self.reference.critical(log_miss)
        return -np.asarray(special.stdtrit(degrees, math.exp(log_miss) / 2), dtype=np.float64)

"""The smallest effect that counts as an edge."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np

from edgewise._base.checks import check_choice, check_real
from edgewise._base.types import FloatArray
from edgewise.inference.reference import Reference

SCALES = ("partial_correlation", "precision")


@dataclass(frozen=True, slots=True)
class MinEffect:
    """H₀: |effect| ≤ value, on the scale of partial correlations or of precision entries."""

    value: float = 0.0
    scale: str = "partial_correlation"

    @classmethod
    def checked(cls, value: object, scale: object, default_scale: str) -> MinEffect:
        scale = default_scale if scale is None else scale
        check_choice("effect_scale", scale, SCALES)
        below = 1.0 if scale == "partial_correlation" else np.inf
        if isinstance(value, Real) and value == 0:
            return cls(0.0, str(scale))
        return cls(check_real("min_effect", value, above=0, below=below), str(scale))


def log_effect_pvalue(
    estimate: FloatArray, value: float, error: FloatArray, reference: Reference
) -> FloatArray:
    """Log p-value of H₀: |effect| ≤ value, at its least favourable point |effect| = value.

    There the estimate exceeds |observed| with probability P(T > (|e|−v)/s) + P(T > (|e|+v)/s); with
    v = 0 this is the usual two-sided p-value.
    """
    size = np.abs(estimate)
    return np.minimum(
        np.logaddexp(
            reference.log_upper((size - value) / error), reference.log_upper((size + value) / error)
        ),
        0.0,
    )


def effect_threshold(
    value: float, error: FloatArray, log_level: float, reference: Reference
) -> FloatArray:
    """The |estimate| at which `log_effect_pvalue` equals `log_level`, by bisection."""
    low = np.zeros(error.shape)
    high = value + error * (reference.critical(log_level) + 1.0)
    for _ in range(80):
        middle = (low + high) / 2
        too_small = log_effect_pvalue(middle, value, error, reference) > log_level
        low, high = np.where(too_small, middle, low), np.where(too_small, high, middle)
    return high

"""Radii ε: with probability 1 − α the covariance estimate is that near the truth."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from edgewise._types import FloatArray
from edgewise.errors import ParameterError

# Székely & Bakirov (2003): P(Σ wᵢZᵢ² > x) ≤ P(Z² > x) holds for x ≥ 1.5364, that is, for
# levels up to P(Z² > 1.5364) = 0.2152. Above it the trace radius is not proven.
TRACE_MAX_ALPHA = float(2 * special.ndtr(-math.sqrt(1.5364)))


def normal_radius(variance: float, alpha: float) -> float:
    """ε = √(2v) z_{1−α/2} (the paper's Lemma 1 with v = λ_max, Corollary 1 with v = trace)."""
    return math.sqrt(2 * variance) * float(-special.ndtri(alpha / 2))


def log_level_of_normal_radius(radius: FloatArray, variance: float) -> FloatArray:
    """Log of the level α at which `normal_radius` equals `radius`."""
    z = radius / math.sqrt(2 * variance)
    return np.minimum(math.log(2) + special.log_ndtr(-z), 0.0)


def check_trace_alpha(alpha: float) -> None:
    if alpha > TRACE_MAX_ALPHA:
        raise ParameterError(
            f"alpha: expected at most {TRACE_MAX_ALPHA:.4f} with the trace radius, got {alpha!r}; "
            "its bound is not proven above that. Use method='eig' or method='score', or a "
            "smaller alpha."
        )

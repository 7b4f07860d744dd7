"""The smallest effect that counts as an edge."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np

from edgewise._checks import check_choice, check_real

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

"""Standard errors, and how precisely they are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edgewise._base.types import FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class Spread:
    """Standard errors of Θ̂_ij, and of Fisher's z = atanh ρ̂_ij."""

    precision: FloatArray
    fisher_z: FloatArray
    #: How precisely the errors themselves are known, if the reference does not allow for that.
    degrees: FloatArray | None = None

    def partial_correlation(self, partial: FloatArray) -> FloatArray:
        """Standard errors of ρ̂_ij: dρ = (1 − ρ²) dz."""
        return self.fisher_z * (1 - partial) * (1 + partial)


def degrees_of_freedom(terms: int, kurtosis: FloatArray) -> FloatArray:
    """Degrees of freedom of a variance estimate, by matching its spread to a χ² (Satterthwaite).

    A mean of m squares of terms with kurtosis κ has relative variance (κ − 1)/m, a χ²_ν/ν has 2/ν.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        degrees = 2 * terms / (kurtosis - 1)
    # Without any spread, the estimate is certain.
    return np.where(kurtosis > 1, np.maximum(degrees, 1.0), np.inf)

"""Standard errors, and the least that they can be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edgewise._linalg import FloatArray, root_outer
from edgewise.estimate.inverse import PrecisionEstimate

#: Student's t with so many degrees of freedom is the normal distribution.
CERTAIN = 1e8


@dataclass(frozen=True, eq=False, slots=True)
class Spread:
    """Standard errors of Θ̂_ij, and of Fisher's z = atanh ρ̂_ij."""

    precision: FloatArray
    fisher_z: FloatArray

    def partial_correlation(self, partial: FloatArray) -> FloatArray:
        """Standard errors of ρ̂_ij: dρ = (1 − ρ²) dz."""
        return self.fisher_z * (1 - partial) * (1 + partial)


def floored_spread(
    estimate: PrecisionEstimate,
    precision: FloatArray,
    fisher_z: FloatArray,
    rows: FloatArray | None = None,
) -> Spread:
    """Standard errors from variances, which are never taken below those of Gaussian rows.

    Where two rare events never meet in the sample, the variance that the rows show collapses, and a
    test that trusts it sees an association that is not there. `precision` is in units of Θ_iiΘ_jj.
    `rows` are the independent rows that each pair is worth, if rows depend on each other.
    """
    least, least_z = gaussian_variances(estimate, rows=rows)
    variance_z = np.maximum(fisher_z, least_z)
    np.fill_diagonal(variance_z, np.nan)  # a variable has no association with itself
    return Spread(
        root_outer(estimate.precision) * np.sqrt(np.maximum(precision, least)),
        np.sqrt(variance_z),
    )


def gaussian_variances(
    estimate: PrecisionEstimate, kurtosis_ratio: float = 1.0, rows: FloatArray | None = None
) -> tuple[FloatArray, float | FloatArray]:
    """Var Θ̂_ij in units of Θ_iiΘ_jj, and Var z, of Gaussian or elliptical rows.

    Var z = (1+κ)/(n − p − 1), and Var Θ̂_ij = ((1+κ)(1 + ρ²) + κρ²)/(n − p − 1): the last term is
    the trace part of the fourth moments of elliptical rows.
    """
    spent = len(estimate.precision) + 1
    left: float | FloatArray = max(estimate.n_samples - spent, 1)
    if rows is not None:
        left = np.maximum(rows - spent, 1.0)
    # ρ² is one on the diagonal, as it should be.
    rho2 = estimate.partial_correlation**2
    variance = (kurtosis_ratio * (1 + rho2) + (kurtosis_ratio - 1) * rho2) / left
    return np.maximum(variance, 0.0), kurtosis_ratio / left


def degrees_of_freedom(terms: int, kurtosis: FloatArray) -> FloatArray:
    """Degrees of freedom of a variance estimate, by matching its spread to a χ² (Satterthwaite).

    A mean of m squares of terms with kurtosis κ has relative variance (κ − 1)/m, a χ²_ν/ν has 2/ν.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        degrees = 2 * terms / (kurtosis - 1)
    # Without any spread the variance is certain; the largest number stands for that.
    return np.where(kurtosis > 1, np.clip(degrees, 1.0, CERTAIN), CERTAIN)

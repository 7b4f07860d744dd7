"""The precision matrix, its scale-free form, and the Gaussian distribution that has it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from edgewise._checks import check_testable_shape
from edgewise._linalg import COLLINEAR, FloatArray, symmetric_inverses
from edgewise.estimate.singular import (
    raise_for_scale,
    raise_if_collinear,
    raise_if_not_measurable,
)
from edgewise.sums.blocks import Centre
from edgewise.sums.score import Leverage
from edgewise.tables.first_look import FirstLook

# From so many columns on, the inverse is that of Cholesky's factors.
_MANY_COLUMNS = 400
# With more columns, the leverages themselves cost little beside the products of matrices.
_FEW_COLUMNS = 64
# With fewer rows, no leverage is negligible: each is 1/n or more.
_MANY_ROWS = 1000
_SAFELY_INVERTED = 1e-6


class SampleMoments(Protocol):
    """Mean and covariance of all rows, from any state that has them."""

    @property
    def n_samples(self) -> int: ...

    @property
    def n_features(self) -> int | None: ...

    def mean(self) -> FloatArray: ...

    def covariance(self) -> FloatArray: ...

    def centre(self) -> Centre: ...


@dataclass(frozen=True, eq=False, slots=True)
class PrecisionEstimate:
    """Σ̂, Θ̂ = Σ̂⁻¹ and the partial correlations ρ̂ = −Θ̂_ij/√(Θ̂_iiΘ̂_jj).

    `residual_map` is the p × p matrix B with v = Bᵀ(x − x̄): v_i is the residual of regressing
    x_i on all the others, scaled to unit variance. It is computed without a product of two scales,
    so columns in units from 1e-150 to 1e150 give the same v.
    """

    n_samples: int
    centre: Centre
    covariance: FloatArray
    precision: FloatArray
    partial_correlation: FloatArray
    residual_map: FloatArray

    @property
    def standardization(self) -> FloatArray:
        """D⁻¹, D the standard deviations of the columns."""
        return np.diag(1 / np.sqrt(self.covariance.diagonal()))

    def standardized(self) -> PrecisionEstimate:
        """The estimates for columns divided by their standard deviations.

        The zeros of DΘD are those of Θ, so a test of them stays valid.
        """
        scale = np.sqrt(self.covariance.diagonal())
        correlation = unscaled(self.covariance, scale)
        np.fill_diagonal(correlation, 1.0)
        return replace(
            self,
            covariance=correlation,
            precision=unscaled(self.precision, 1 / scale),
        )

    def leverage(self, *, own_scale: bool = False) -> Leverage:
        """What makes the residuals, the leverage and the weight of a row."""
        theta = self.precision
        root = np.sqrt(theta.diagonal())
        most = math.inf
        if len(theta) <= _FEW_COLUMNS and self.n_samples >= _MANY_ROWS:
            # cᵀΘc = vᵀR⁻¹v, R = Θ scaled to a diagonal of ones.
            least = float(np.linalg.eigvalsh(theta / np.outer(root, root))[0])
            most = 1 / least if least > _SAFELY_INVERTED else math.inf
        return Leverage(self.residual_map, root, self.n_samples, most, own_scale)

    @property
    def whitening(self) -> FloatArray:
        """L⁻¹ with Σ̂ = LLᵀ: rows L⁻¹(x − x̄) have identity covariance."""
        scale = np.sqrt(self.covariance.diagonal())
        correlation = unscaled(self.covariance, scale)
        whitening: FloatArray = np.linalg.inv(np.linalg.cholesky(correlation)) / scale
        return whitening


def estimate_precision(
    moments: SampleMoments, feature_names: Sequence[str], first_look: FirstLook | None = None
) -> PrecisionEstimate:
    """Invert the covariance through the correlation matrix; errors name the columns at fault.

    Where there is a first look at the rows, it tells columns of tiny values from constant ones.
    """
    check_testable_shape(moments.n_samples, moments.n_features or 0)
    covariance = moments.covariance()
    raise_if_not_measurable(covariance, moments.mean(), feature_names, first_look)
    scale = np.sqrt(covariance.diagonal())
    correlation = unscaled(covariance, scale)
    np.fill_diagonal(correlation, 1.0)
    inverse = _inverse(correlation)
    # ‖R⁻¹‖₂ ≤ ‖R⁻¹‖_∞: this is usually enough, without the smallest eigenvalue.
    if inverse is None or not np.linalg.norm(inverse, np.inf) * COLLINEAR * len(scale) < 1:
        raise_if_collinear(correlation, scale, feature_names)
        inverse = np.asarray(np.linalg.inv(correlation))
        inverse = (inverse + inverse.T) / 2
    root = np.sqrt(inverse.diagonal())
    partial = -unscaled(inverse, root)
    np.fill_diagonal(partial, 1.0)
    with np.errstate(over="ignore"):
        precision = unscaled(inverse, scale)
    if not np.isfinite(precision).all():
        raise_for_scale(feature_names[int(np.argmax(precision.diagonal()))], small=True)
    return PrecisionEstimate(
        n_samples=moments.n_samples,
        centre=moments.centre(),
        covariance=covariance,
        precision=precision,
        partial_correlation=partial,
        residual_map=inverse / scale[:, np.newaxis] / root,
    )


def _inverse(correlation: FloatArray) -> FloatArray | None:
    """The inverse; None if there is none to working precision.

    With few columns it uses NumPy, like the rest of this file: SciPy is slow to import and has its
    own BLAS, and the waiting threads of one BLAS take the cores from the other. With many columns,
    a third of the operations is worth more than that.
    """
    if len(correlation) >= _MANY_COLUMNS:
        made, definite = symmetric_inverses(correlation[np.newaxis])
        return made[0] if definite[0] else None
    try:
        inverse = np.linalg.inv(correlation)
    except np.linalg.LinAlgError:
        return None
    return np.asarray((inverse + inverse.T) / 2)


def unscaled(matrix: FloatArray, scale: FloatArray) -> FloatArray:
    """D⁻¹MD⁻¹, symmetric to the last bit, without a product of two scales that could overflow."""
    divided = matrix / scale / scale[:, np.newaxis]
    return divided / 2 + divided.T / 2

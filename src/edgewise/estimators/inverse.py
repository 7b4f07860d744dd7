"""The precision matrix, its scale-free form, and the columns that make it impossible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from edgewise._base.checks import check_testable_shape
from edgewise._base.types import FloatArray
from edgewise.errors import DataError
from edgewise.kernels.centre import Centre

# If the other columns leave less than this share of a column's variance, the rest is rounding.
_COLLINEAR = 1e-13
# A spread of this many units in the last place of the mean is a constant column.
_CONSTANT_ULPS = 16 * np.finfo(float).eps


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
        correlation = _unscaled(self.covariance, scale)
        np.fill_diagonal(correlation, 1.0)
        return replace(
            self,
            covariance=correlation,
            precision=_unscaled(self.precision, 1 / scale),
        )

    @property
    def whitening(self) -> FloatArray:
        """L⁻¹ with Σ̂ = LLᵀ: rows L⁻¹(x − x̄) have identity covariance."""
        scale = np.sqrt(self.covariance.diagonal())
        correlation = _unscaled(self.covariance, scale)
        whitening: FloatArray = np.linalg.inv(np.linalg.cholesky(correlation)) / scale
        return whitening


def estimate_precision(moments: SampleMoments, feature_names: Sequence[str]) -> PrecisionEstimate:
    """Invert the covariance through the correlation matrix; errors name the columns at fault."""
    check_testable_shape(moments.n_samples, moments.n_features or 0)
    mean, covariance = moments.mean(), moments.covariance()
    scale = np.sqrt(covariance.diagonal())
    if not np.isfinite(covariance).all():
        worst = feature_names[int(np.argmax(np.abs(mean) + np.nan_to_num(scale, nan=np.inf)))]
        raise DataError(
            f"X: the variance of column {worst!r} overflows; divide the column by a constant."
        )
    _raise_if_constant(scale, mean, feature_names)
    correlation = _unscaled(covariance, scale)
    np.fill_diagonal(correlation, 1.0)
    inverse = _inverse(correlation)
    # ‖R⁻¹‖₂ ≤ ‖R⁻¹‖_∞: this is usually enough, without the smallest eigenvalue.
    if inverse is None or not np.linalg.norm(inverse, np.inf) * _COLLINEAR * len(scale) < 1:
        _raise_if_collinear(correlation, scale, feature_names)
        inverse = np.asarray(np.linalg.inv(correlation))
        inverse = (inverse + inverse.T) / 2
    root = np.sqrt(inverse.diagonal())
    partial = -_unscaled(inverse, root)
    np.fill_diagonal(partial, 1.0)
    return PrecisionEstimate(
        n_samples=moments.n_samples,
        centre=moments.centre(),
        covariance=covariance,
        precision=_unscaled(inverse, scale),
        partial_correlation=partial,
        residual_map=inverse / scale[:, np.newaxis] / root,
    )


def _inverse(correlation: FloatArray) -> FloatArray | None:
    """The inverse; None if there is none to working precision.

    It uses NumPy, like the rest of this file: SciPy has its own BLAS, and the waiting threads of
    one BLAS take the cores from the other.
    """
    try:
        inverse = np.linalg.inv(correlation)
    except np.linalg.LinAlgError:
        return None
    return np.asarray((inverse + inverse.T) / 2)


def _unscaled(matrix: FloatArray, scale: FloatArray) -> FloatArray:
    """D⁻¹MD⁻¹, symmetric to the last bit, without a product of two scales that could overflow."""
    divided = matrix / scale / scale[:, np.newaxis]
    return divided / 2 + divided.T / 2


def _raise_if_constant(scale: FloatArray, mean: FloatArray, names: Sequence[str]) -> None:
    constant = np.flatnonzero(scale <= _CONSTANT_ULPS * np.abs(mean))
    if constant.size:
        i = int(constant[0])
        more = f" (and {constant.size - 1} more)" if constant.size > 1 else ""
        raise DataError(
            f"X: expected columns that vary, got the constant column {names[i]!r} "
            f"(every value is {mean[i]:.6g}){more}; drop it."
        )


def _raise_if_collinear(correlation: FloatArray, scale: FloatArray, names: Sequence[str]) -> None:
    """Find the first column that is determined by the columns before it, and say how."""
    if np.linalg.eigvalsh(correlation)[0] > _COLLINEAR * len(names):
        return
    residual = correlation.copy()
    kept: list[int] = []
    worst, worst_left = 0, np.inf
    for k in range(len(names)):
        left = residual[k, k]
        if kept and left < worst_left:
            worst, worst_left = k, left
        if kept and left <= 10 * _COLLINEAR * len(names):
            break
        residual -= np.outer(residual[:, k], residual[k]) / left
        kept.append(k)
    before = np.arange(worst)
    weights = np.linalg.lstsq(
        correlation[np.ix_(before, before)], correlation[before, worst], rcond=1e-12
    )[0]
    used = before[np.abs(weights) > 1e-6]
    if used.size == 1:
        raise DataError(
            f"X: column {names[worst]!r} duplicates column {names[int(used[0])]!r} (they are "
            "perfectly correlated); drop one of the two."
        )
    terms = [
        f"{weights[i] * scale[worst] / scale[i]:+.4g}·{names[int(i)]!r}"
        for i in used[np.argsort(-np.abs(weights[used]))]
    ]
    raise DataError(
        f"X: column {names[worst]!r} is a linear combination of others "
        f"({names[worst]!r} = {' '.join(terms).removeprefix('+')} up to a constant), so the "
        "covariance has no inverse; drop one of them."
    )

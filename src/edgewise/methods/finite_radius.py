"""The radii that hold for every number of rows, because something is declared in advance."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.bounds.bernstein import BernsteinRadius
from edgewise.bounds.radius import (
    ChebyshevRadius,
    HoeffdingRadius,
    kernel_ranges,
    relative_variance,
)
from edgewise.errors import ParameterError
from edgewise.evidence.evidence import Evidence
from edgewise.inference.cautions import Caution
from edgewise.inference.diagnosing import diagnosis_of
from edgewise.inference.measurement import Measurement
from edgewise.kernels.products import mirrored
from edgewise.methods.support import check_rows, checked_square_products, intervals_of

_STANDARD_ERRORS = 4


def hoeffding_radius(evidence: Evidence, A: FloatArray | None, support: Any) -> HoeffdingRadius:
    """Hoeffding's radius in the coordinates A c, after a pass that finds no row outside."""
    p = len(evidence.feature_names)
    intervals = intervals_of(support, evidence.feature_names)
    evidence.sums(partial(check_rows, intervals=intervals, names=evidence.feature_names))
    ranges = kernel_ranges(intervals[:, 1] - intervals[:, 0])
    if A is not None:
        ranges = np.abs(A) @ ranges @ np.abs(A).T
    n_samples = evidence.moments().n_samples
    return HoeffdingRadius(float(np.linalg.norm(ranges, 2)), n_samples, p * (p + 1) // 2)


def bernstein_radius(evidence: Evidence, A: FloatArray | None, support: Any) -> BernsteinRadius:
    """The empirical Bernstein radius in the coordinates A c; one pass finds all it needs."""
    intervals = intervals_of(support, evidence.feature_names)
    low, high = intervals.T
    lengths = high - low
    one_pass = partial(
        checked_square_products,
        centre=evidence.centre,
        intervals=intervals,
        names=evidence.feature_names,
    )
    (squares,) = evidence.sums(one_pass)
    moments = evidence.moments()
    n, mean = moments.n_samples, moments.mean()
    covariance = evidence.central_covariance() / lengths / lengths[:, np.newaxis]
    variance = mirrored(squares) / n - covariance**2
    return BernsteinRadius(
        n_samples=n,
        # Rounding may leave a mean a little outside the range.
        reach=np.clip(np.maximum(mean - low, high - mean) / lengths, 0.5, 1.0),
        covariance=covariance,
        deviation=np.sqrt(np.maximum(variance, 0.0)),
        scale=np.diag(lengths) if A is None else np.abs(A) * lengths,
    )


def chebyshev_radius(evidence: Evidence, kurtosis: float) -> ChebyshevRadius:
    """Chebyshev's radius of Σ̂ relative to Σ, from the declared kurtosis alone."""
    p = len(evidence.feature_names)
    least = p / (p + 2)  # (E‖z‖²)² = p² ≤ E‖z‖⁴
    if kurtosis < least:
        raise ParameterError(
            f"kurtosis: expected at least {least:.4g} with {p} columns, below which no "
            f"distribution is, got {kurtosis:g}; 1 is that of Gaussian rows."
        )
    return ChebyshevRadius(relative_variance(evidence.moments().n_samples, p, kurtosis))


def contradicted_kurtosis(
    measurement: Measurement, evidence: Evidence, kurtosis: float
) -> Measurement:
    """The measurement, with a caution if the rows show more than the declared kurtosis."""
    if evidence.glance is None or not len(evidence.glance.leading):
        return measurement
    facts = diagnosis_of(measurement.estimate, evidence.glance, evidence.feature_names)
    # The kurtosis is that of the rows that were kept.
    n, p = len(evidence.glance.leading), facts.n_features
    # Of Gaussian rows, Mardia's kurtosis has the standard error √(8p(p + 2)/n).
    most = kurtosis * (1 + _STANDARD_ERRORS * math.sqrt(8 / (p * (p + 2) * n)))
    if not facts.kurtosis_ratio > most:
        return measurement
    told = Caution(
        f"The first rows have {facts.kurtosis_ratio:.3g} times the kurtosis of Gaussian rows, and "
        f"at most {kurtosis:g} times was declared: some of its edges may be false. Declare a "
        "larger one, from what is known about the rows.",
        "kurtosis",
        True,
    )
    return replace(measurement, cautions=(told, *measurement.cautions))

"""The spectral and the whitened bound: the paper's guarantee with far fewer rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from edgewise._types import FloatArray
from edgewise._validation import check_choice
from edgewise._warn import warn
from edgewise.bounds.radius import (
    TRACE_MAX_ALPHA,
    ChiSquareRadius,
    HoeffdingRadius,
    NormalRadius,
    Radius,
    kernel_ranges,
)
from edgewise.bounds.transfer import SpectralTransfer, WhitenedTransfer
from edgewise.covcov.closed_form import covcov_matrix, frobenius_trace
from edgewise.edges.bound import bound_result
from edgewise.edges.method import Evidence, Method, Question
from edgewise.edges.precision import estimate_precision
from edgewise.edges.result import EdgeTestResult
from edgewise.edges.support import checked_support
from edgewise.errors import CoarserRadiusWarning, ParameterError
from edgewise.moments.moments import Moments
from edgewise.moments.quartics import transformed_quartics

RADII = ("trace", "chi2", "eig", "hoeffding")
# The spectrum of a d × d matrix takes about a second at this size; beyond, the trace radius.
_LARGEST_SPECTRUM = 2016  # d at p = 63


def spectral_test(
    evidence: Evidence,
    question: Question,
    *,
    radius: str = "trace",
    support: Any = None,
    standardize: bool = False,
) -> EdgeTestResult:
    """Edge where |Θ̂_ij| ≥ ε/(α̂_p(α̂_p − ε)): never above the paper's threshold, and without a μ.

    Guarantee: all entries at once. See `whitened_test` for what each radius needs.
    """
    one_pass = radius == "trace" and not standardize
    moments = evidence.first_pass("spectral", order=4 if one_pass else 2)
    estimate = estimate_precision(moments, evidence.feature_names)
    A = estimate.standardization if standardize else None
    chosen = _radius("spectral", radius, evidence, moments, A, support)
    if standardize:
        estimate = estimate.standardized()
    smallest = float(np.linalg.eigvalsh(estimate.covariance)[0])
    return bound_result(
        "spectral",
        evidence.feature_names,
        estimate,
        chosen,
        SpectralTransfer(smallest, len(evidence.feature_names)),
        question,
        {**_radius_options(radius, chosen, support), "standardize": standardize},
    )


def whitened_test(
    evidence: Evidence, question: Question, *, radius: str = "trace", support: Any = None
) -> EdgeTestResult:
    """Edge where |ρ̂_ij| ≥ ε/(1 − ε), ε bounding the error of the whitened covariance.

    Guarantee: all entries at once, whatever the units and the conditioning of the columns. For
    independent rows of any distribution with fourth moments, in the limit: ``radius="trace"``
    (α ≤ 0.2152; ε is a closed form in Mardia's kurtosis) and ``"chi2"`` (sharper, all levels). For
    every n and any distribution within the declared `support`: ``"hoeffding"``. Not a bound for
    many variables, like the paper's Lemma 1: ``"eig"``.
    """
    moments = evidence.first_pass("whitened")
    estimate = estimate_precision(moments, evidence.feature_names)
    chosen = _radius("whitened", radius, evidence, moments, estimate.whitening, support)
    return bound_result(
        "whitened",
        evidence.feature_names,
        estimate,
        chosen,
        WhitenedTransfer(estimate.precision.diagonal()),
        question,
        _radius_options(radius, chosen, support),
    )


def _radius_options(asked: str, used: Radius, support: Any) -> dict[str, Any]:
    """What a result records: the radius that was used, which may be wider than the one asked."""
    coarser = asked == "chi2" and isinstance(used, NormalRadius)
    recorded = {"radius": "trace" if coarser else asked}
    return recorded if support is None else {**recorded, "support": np.asarray(support).tolist()}


def _radius(
    method: str,
    kind: str,
    evidence: Evidence,
    moments: Moments,
    A: FloatArray | None,
    support: Any,
) -> Radius:
    """The radius of Σ̂ in the coordinates A c, in the Frobenius or the spectral norm."""
    check_choice("radius", kind, RADII)
    if (support is not None) != (kind == "hoeffding"):
        raise ParameterError(
            "support: expected with radius='hoeffding' and only there, got "
            f"radius={kind!r} and support={support!r}; declare each column's (lowest, highest) "
            "value for a finite-sample bound."
        )
    p = len(evidence.feature_names)
    d = p * (p + 1) // 2
    if kind == "hoeffding":
        intervals = checked_support(support, evidence.rows(method), evidence.feature_names)
        ranges = kernel_ranges(intervals[:, 1] - intervals[:, 0])
        if A is not None:
            ranges = np.abs(A) @ ranges @ np.abs(A).T
        return HoeffdingRadius(float(np.linalg.norm(ranges, 2)), moments.n_samples, d)
    if kind == "chi2" and d > _LARGEST_SPECTRUM:
        # Székely & Bakirov: the trace radius is never below the χ² one at its levels.
        warn(
            f"radius: the exact 'chi2' radius of {p} columns needs the spectrum of a {d} × {d} "
            "matrix; the wider 'trace' radius was used, which is an upper bound of it for alpha "
            "up to 0.2151.",
            CoarserRadiusWarning,
        )
        kind = "trace"
    if kind == "trace":
        return _trace_radius(method, evidence, moments, A)
    matrix = covcov_matrix(evidence.rows(method), moments, A=A, frobenius=True)
    spectrum: FloatArray = np.linalg.eigvalsh(matrix).astype(np.float64)
    if kind == "eig":
        return NormalRadius(float(spectrum[-1]))
    return ChiSquareRadius(np.maximum(spectrum, 0.0))


def _trace_radius(
    method: str, evidence: Evidence, moments: Moments, A: FloatArray | None
) -> NormalRadius:
    n = moments.n_samples
    s = moments.covariance() * ((n - 1) / n)
    if A is None:
        quartics = moments.quartics()
    else:
        s = A @ s @ A.T
        quartics = transformed_quartics(evidence.rows(method), moments.centre(), A)
    return NormalRadius(max(frobenius_trace(n, s, quartics), 0.0), TRACE_MAX_ALPHA)


SPECTRAL = Method(
    name="spectral",
    guarantee="all edges at once, proven",
    simultaneous=True,
    passes=1,
    order=4,
    run=spectral_test,
    options=frozenset({"radius", "support", "standardize"}),
)
WHITENED = Method(
    name="whitened",
    guarantee="all edges at once, proven",
    simultaneous=True,
    passes=2,
    order=2,
    run=whitened_test,
    options=frozenset({"radius", "support"}),
)

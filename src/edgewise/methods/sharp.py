"""The spectral and the whitened bound: the paper's guarantee with far fewer rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from edgewise._base.checks import check_choice
from edgewise._base.types import FloatArray
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
from edgewise.covcov.solver import SOLVERS, covcov_largest
from edgewise.errors import ParameterError
from edgewise.estimators.inverse import estimate_precision
from edgewise.kernels.quartics import transformed_quartics
from edgewise.methods.bound import bound_result
from edgewise.methods.method import Evidence, Method, Question
from edgewise.methods.support import checked_support
from edgewise.results.result import EdgeTestResult
from edgewise.states.moments import Moments

RADII = ("trace", "chi2", "eig", "hoeffding")
# The spectrum of a d × d matrix takes about a second at this size; beyond, it is estimated.
_LARGEST_SPECTRUM = 2016  # d at p = 63


def spectral_test(
    evidence: Evidence,
    question: Question,
    *,
    radius: str = "trace",
    support: Any = None,
    standardize: bool = False,
    solver: str = "auto",
) -> EdgeTestResult:
    """Edge where |Θ̂_ij| ≥ ε/(α̂_p(α̂_p − ε)): never above the paper's threshold, and without a μ.

    Guarantee: all entries at once. See `whitened_test` for what each radius needs.
    """
    one_pass = radius == "trace" and not standardize
    moments = evidence.first_pass("spectral", order=4 if one_pass else 2)
    estimate = estimate_precision(moments, evidence.feature_names)
    A = estimate.standardization if standardize else None
    chosen, record = _radius("spectral", radius, evidence, moments, A, support, solver)
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
        {**record, "standardize": standardize},
    )


def whitened_test(
    evidence: Evidence,
    question: Question,
    *,
    radius: str = "trace",
    support: Any = None,
    solver: str = "auto",
) -> EdgeTestResult:
    """Edge where |ρ̂_ij| ≥ ε/(1 − ε), ε bounding the error of the whitened covariance.

    Guarantee: all entries at once, whatever the units and the conditioning of the columns. For
    independent rows of any distribution with fourth moments, in the limit: ``radius="trace"``
    (α ≤ 0.2152; ε is a closed form in Mardia's kurtosis) and ``"chi2"`` (sharper, all levels; the
    spectrum it needs is exact up to 63 columns, and beyond them estimated from products, ε being
    widened by three standard errors of that). For every n and any distribution within the declared
    `support`: ``"hoeffding"``. Not a bound for many variables, like the paper's Lemma 1: ``"eig"``.
    """
    moments = evidence.first_pass("whitened")
    estimate = estimate_precision(moments, evidence.feature_names)
    chosen, record = _radius(
        "whitened", radius, evidence, moments, estimate.whitening, support, solver
    )
    return bound_result(
        "whitened",
        evidence.feature_names,
        estimate,
        chosen,
        WhitenedTransfer(estimate.precision.diagonal()),
        question,
        record,
    )


def _radius(
    method: str,
    kind: str,
    evidence: Evidence,
    moments: Moments,
    A: FloatArray | None,
    support: Any,
    solver: str,
) -> tuple[Radius, dict[str, Any]]:
    """The radius of Σ̂ in the coordinates A c, and what a result records of it."""
    check_choice("radius", kind, RADII)
    check_choice("solver", solver, SOLVERS)
    record: dict[str, Any] = {"radius": kind}
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
        unit = float(np.linalg.norm(ranges, 2))
        record["support"] = np.asarray(support).tolist()
        return HoeffdingRadius(unit, moments.n_samples, d), record
    if kind == "trace":
        trace = _frobenius_trace(method, evidence, moments, A)
        return NormalRadius(trace, TRACE_MAX_ALPHA), record
    scan = evidence.rows(method)
    if kind == "eig":
        largest, how = covcov_largest(
            scan, moments, solver=solver, in_memory=evidence.in_memory, A=A, frobenius=True
        )
        return NormalRadius(largest), record | how
    if solver == "full" or (solver == "auto" and d <= _LARGEST_SPECTRUM):
        matrix = covcov_matrix(scan, moments, A=A, frobenius=True)
        spectrum: FloatArray = np.linalg.eigvalsh(matrix).astype(np.float64)
        return ChiSquareRadius(np.maximum(spectrum, 0.0)), record | {"solver": "full"}
    # Here, because SciPy's sparse algebra is slow to import, and seldom needed.
    from edgewise.covcov.operator import CovcovOperator
    from edgewise.covcov.quadrature import estimate_spectrum

    operator = CovcovOperator(scan, moments, A=A, frobenius=True, in_memory=evidence.in_memory)
    trace = _frobenius_trace(method, evidence, moments, A)
    seen = estimate_spectrum(operator, trace)
    radius = ChiSquareRadius.estimated(seen.values, seen.counts)
    record |= {"solver": "matrix-free", "iterations": operator.passes, "width": radius.slack}
    return radius, record | {"products": operator.products}


def _frobenius_trace(
    method: str, evidence: Evidence, moments: Moments, A: FloatArray | None
) -> float:
    n = moments.n_samples
    s = moments.covariance() * ((n - 1) / n)
    if A is None and moments.order == 4:
        quartics = moments.quartics()
    else:
        A = np.eye(len(s)) if A is None else A
        s = A @ s @ A.T
        quartics = transformed_quartics(evidence.rows(method), moments.centre(), A)
    return max(frobenius_trace(n, s, quartics), 0.0)


SPECTRAL = Method(
    name="spectral",
    guarantee="all at once, in the limit",
    condition="independent rows of any distribution with fourth moments",
    simultaneous=True,
    passes=1,
    order=4,
    run=spectral_test,
    options=frozenset({"radius", "support", "standardize", "solver"}),
    variants=(("spectral, chi2", {"radius": "chi2"}), ("spectral, trace", {})),
)
WHITENED = Method(
    name="whitened",
    guarantee="all at once, in the limit",
    condition="independent rows of any distribution with fourth moments",
    simultaneous=True,
    passes=2,
    order=2,
    run=whitened_test,
    options=frozenset({"radius", "support", "solver"}),
    variants=(("whitened, chi2", {"radius": "chi2"}), ("whitened, trace", {})),
)

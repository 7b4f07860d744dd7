"""The radii around Σ̂ that the bounds can use."""

from __future__ import annotations

from typing import Any

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.bounds.radius import (
    TRACE_MAX_ALPHA,
    ChiSquareRadius,
    NormalRadius,
    Radius,
)
from edgewise.covcov.closed_form import frobenius_trace
from edgewise.covcov.solver import chosen_solver, vectors_at_once
from edgewise.errors import ParameterError
from edgewise.evidence.evidence import Evidence
from edgewise.methods.finite_radius import bernstein_radius, hoeffding_radius
from edgewise.methods.options import WITH_SUPPORT

# The spectrum of a d × d matrix takes about a second at this size; above it, it is estimated.
_LARGEST_SPECTRUM = 2016  # d at p = 63


def check_support_goes_with(radius: str, support: Any) -> None:
    """Refuse a finite-sample radius without a support, and a support with another radius."""
    if (support is not None) != (radius in WITH_SUPPORT):
        raise ParameterError(
            "support: expected with radius='hoeffding' or 'bernstein' and only there, got "
            f"radius={radius!r} and support={support!r}; declare each column's (lowest, highest) "
            "value for a finite-sample bound."
        )


def radius_of(
    kind: str,
    evidence: Evidence,
    A: FloatArray | None,
    *,
    support: Any,
    solver: str,
    whitened: bool = False,
) -> tuple[Radius, dict[str, Any]]:
    """The radius of Σ̂ in the coordinates A c, and what a result records about it.

    `whitened` says that A whitens the rows. The chi-square radius, which has no slack, then takes
    each row in units of the covariance without it.
    """
    record: dict[str, Any] = {"radius": kind}
    if kind in WITH_SUPPORT:
        record["support"] = np.asarray(support).tolist()
        bounded = hoeffding_radius if kind == "hoeffding" else bernstein_radius
        return bounded(evidence, A, support), record
    if kind == "trace":
        return NormalRadius(_frobenius_trace(evidence, A), TRACE_MAX_ALPHA), record
    if kind == "eig":
        largest, how = covcov_largest(evidence, A, solver=solver, frobenius=True)
        return NormalRadius(largest), record | how
    radius, how = _chi_square(evidence, A, solver, left_out=whitened)
    return radius, record | how


def covcov_largest(
    evidence: Evidence, A: FloatArray | None, *, solver: str, frobenius: bool = False
) -> tuple[float, dict[str, Any]]:
    """λ_max of Cov(U(Σ̂)), or its upper error bar, and what a result records about the solver."""
    n, p = evidence.moments().n_samples, len(evidence.feature_names)
    if chosen_solver(solver, n, p, in_memory=evidence.in_memory) == "full":
        matrix = evidence.covcov_matrix(A, frobenius=frobenius)
        return float(np.linalg.eigvalsh(matrix)[-1]), {"solver": "full"}
    # Here, because SciPy's sparse algebra is slow to import, and seldom needed.
    from edgewise.covcov.spectrum import largest_eigenvalue

    operator = evidence.covcov_operator(A, frobenius=frobenius)
    found = largest_eigenvalue(operator, block=vectors_at_once(in_memory=evidence.in_memory))
    record = {
        "solver": "matrix-free",
        "iterations": found.passes,
        "products": found.products,
        "width": found.width,
    }
    return found.upper, record


def _chi_square(
    evidence: Evidence, A: FloatArray | None, solver: str, *, left_out: bool
) -> tuple[ChiSquareRadius, dict[str, Any]]:
    p = len(evidence.feature_names)
    if solver == "full" or (solver == "auto" and p * (p + 1) // 2 <= _LARGEST_SPECTRUM):
        matrix = evidence.covcov_matrix(A, frobenius=True, left_out=left_out)
        spectrum: FloatArray = np.linalg.eigvalsh(matrix).astype(np.float64)
        return ChiSquareRadius(np.maximum(spectrum, 0.0)), {"solver": "full"}
    # Here, because SciPy's sparse algebra is slow to import, and seldom needed.
    from edgewise.covcov.quadrature import estimate_spectrum

    operator = evidence.covcov_operator(A, frobenius=True, left_out=left_out)
    seen = estimate_spectrum(operator, _frobenius_trace(evidence, A, left_out=left_out))
    radius = ChiSquareRadius.estimated(seen.values, seen.counts)
    return radius, {
        "solver": "matrix-free",
        "iterations": operator.passes,
        "width": radius.slack,
        "products": operator.products,
    }


def _frobenius_trace(evidence: Evidence, A: FloatArray | None, *, left_out: bool = False) -> float:
    n = evidence.moments().n_samples
    quartics = evidence.quartics(A, left_out=left_out)
    trace = frobenius_trace(n, evidence.central_covariance(A), quartics)
    return max(trace, 0.0)

"""Cov(Σ̂_ij, Σ̂_kl) = (n−2)/(n(n−1)) · (m_ijkl − s_ij s_kl), the paper's seven cases in one.

m_ijkl = mean(c_i c_j c_k c_l) and s = mean(c cᵀ), c a row minus the mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from edgewise._checks import check_choice
from edgewise._linalg import FloatArray, population_covariance
from edgewise.errors import DataError
from edgewise.sums.blocks import Centre, mapped_blocks, upper_products
from edgewise.sums.moments import Moments
from edgewise.sums.power import CentralQuartics, left_out_factor
from edgewise.tables.arrays import check_rows
from edgewise.tables.table import InMemoryRows, Rows, Summable, Sums, block_rows

_GIB = 2.0**30
LARGEST_MATRIX = 4 * _GIB
# With fewer rows in a block, adding d × d sums costs a fifth of computing them.
_FEWEST_ROWS = 4096
# Its square is still a normal number with room for the sums' smaller terms.
_SMALLEST_VARIANCE = 1e-140

SOLVERS = ("auto", "full", "matrix-free")
# Speeds measured on one core, for the choice of a solver; only the order of magnitude matters.
_FLOPS_PER_NS = 35.0
_SPECTRUM_FLOPS_PER_NS = 10.0
_PRODUCTS = 30
_NS_PER_ELEMENT = 2.5
_FLOPS_PER_NS_SINGLE = 130.0
_READING_NS_PER_ELEMENT = 8.0
# From files there are twice as many products, in double precision, in half as many passes.
_DEARER_FROM_FILES, _PASSES_PER_PRODUCT = 4.0, 0.5


def u_statistic_factor(n_samples: int) -> float:
    """(n−2)/(n(n−1)): what the leading term of a U-statistic's covariance is multiplied by."""
    return (n_samples - 2) / (n_samples * (n_samples - 1))


def trace_from_quartics(n_samples: int, s: FloatArray, quartics: CentralQuartics) -> float:
    """Tr Cov(U(Σ̂)) = (n−2)/(n(n−1)) · {½(mean‖c‖⁴ + Σᵢ mean cᵢ⁴) − Σ_{i≤j} s_ij²}."""
    check_range(s)
    with np.errstate(over="ignore", invalid="ignore"):
        fourth = (quartics.norm + quartics.columns.sum()) / 2
        squared = (np.sum(s * s) + np.sum(s.diagonal() ** 2)) / 2
        return finite(u_statistic_factor(n_samples) * float(fourth - squared))


def frobenius_trace(n_samples: int, s: FloatArray, quartics: CentralQuartics) -> float:
    """The same with off-diagonal entries counted twice: E‖Σ̂ − Σ‖² in the Frobenius norm."""
    check_range(s)
    with np.errstate(over="ignore", invalid="ignore"):
        gap = float(quartics.norm - np.sum(s * s))
        return finite(u_statistic_factor(n_samples) * gap)


def covcov_matrix(
    rows: Summable,
    moments: Moments,
    *,
    A: FloatArray | None = None,
    frobenius: bool = False,
    left_out: bool = False,
) -> FloatArray:
    """The d × d matrix Cov(U(Σ̂)), d = p(p+1)/2, in a second pass over the rows."""
    n, centre = moments.n_samples, moments.centre()
    p = centre.origin.shape[0]
    d = p * (p + 1) // 2
    if (needed := 8.0 * d * d) > LARGEST_MATRIX:
        raise DataError(
            f"X: {p} columns make a {d} × {d} covariance matrix of {needed / _GIB:.0f} GiB, more "
            f"than the {LARGEST_MATRIX / _GIB:.0f} GiB allowed; test fewer columns, or use "
            "solver='matrix-free' or the trace, which never build it."
        )
    s = population_covariance(moments.covariance(), n)
    if A is not None:
        s = A @ s @ A.T
    check_range(s)
    (gram,) = rows.sums(
        partial(_product_gram, centre=centre, A=A, whitened_by=n if left_out else None)
    )
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        gram /= n
        return _from_products(n, gram, s, frobenius)


def _product_gram(
    batches: Iterator[Rows], centre: Centre, A: FloatArray | None, whitened_by: int | None
) -> Sums:
    """Σ WWᵀ over the rows, W the products c_i c_j, i ≤ j, of A c."""
    p = centre.origin.shape[0]
    d = p * (p + 1) // 2
    gram, length = np.zeros((d, d)), max(_FEWEST_ROWS, block_rows(d))
    B = None if A is None else A.T
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for block in mapped_blocks(batches, centre, B, length=length, spare=(d,)):
            if whitened_by is not None:
                squares = np.einsum("ir,ir->r", block.z, block.z)
                block.z[:] *= np.sqrt(left_out_factor(squares, whitened_by))
            w = upper_products(block.z, block.spare[0])
            gram += w @ w.T
    return (gram,)


def covcov_of_moments(
    fourth: Moments,
    *,
    A: FloatArray | None = None,
    frobenius: bool = False,
) -> FloatArray:
    n = fourth.n_samples
    s = population_covariance(fourth.covariance(), n)
    if A is not None:
        s = A @ s @ A.T
    check_range(s)
    return _from_products(n, fourth.products(A), s, frobenius)


def _from_products(n: int, m: FloatArray, s: FloatArray, frobenius: bool) -> FloatArray:
    """(n−2)/(n(n−1)) · (m_ijkl − s_ij s_kl), in place of m."""
    upper = np.triu_indices(len(s))
    m -= np.outer(s[upper], s[upper])
    m *= u_statistic_factor(n)
    if frobenius:
        weights = np.where(upper[0] == upper[1], 1.0, np.sqrt(2.0))
        m *= np.outer(weights, weights)
    finite(float(m.sum()))
    return m


def covariance_of_covariance(X: Any) -> FloatArray:
    """Estimated covariance of the entries of the sample covariance matrix.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows.

    Returns
    -------
    ndarray of shape (d, d), d = p(p+1)/2
        Cov(Σ̂_ij, Σ̂_kl); rows and columns run over the upper triangle with the diagonal, row
        by row, as in ``numpy.triu_indices(p)``.

    Notes
    -----
    Cov(Σ̂_ij, Σ̂_kl) = (n−2)/(n(n−1)) (m_ijkl − s_ij s_kl) up to terms of order n⁻², where m and
    s are central moments [1]_. No distribution is assumed; fourth moments must exist.

    References
    ----------
    .. [1] W. Bounliphone and M. Blaschko, "A U-statistic Approach to Hypothesis Testing for
       Structure Discovery in Undirected Graphical Models", 2016.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> X = np.random.default_rng(0).standard_normal((500, 3))
    >>> ew.covariance_of_covariance(X).shape
    (6, 6)
    """
    rows = check_rows(X)
    if rows.shape[0] < 3:
        raise DataError(f"X: expected at least 3 rows, got {rows.shape[0]}; collect more rows.")
    moments = Moments(order=2).update(rows)
    return covcov_matrix(InMemoryRows([rows]), moments)


def check_range(s: FloatArray) -> None:
    """Fourth-order moments are about the squares of variances: these must not vanish."""
    if s.diagonal().min() < _SMALLEST_VARIANCE:
        raise DataError(
            "X: the fourth-order moments underflow; divide the columns by their standard "
            "deviations first (standardize=True)."
        )


def finite(value: float) -> float:
    """The value, where the fourth-order sums did not overflow on the way to it."""
    if not np.isfinite(value):
        raise DataError(
            "X: the fourth-order moments overflow; divide the columns by their standard "
            "deviations first (standardize=True)."
        )
    return value


def solver_seconds(n: int, p: int, *, in_memory: bool) -> dict[str, float]:
    """The approximate cost of λ_max: of the matrix and its spectrum, and of products alone."""
    d = p * (p + 1) / 2
    reading = 0.0 if in_memory else _READING_NS_PER_ELEMENT
    full = n * (d * d / _FLOPS_PER_NS + p * reading) + d**3 / _SPECTRUM_FLOPS_PER_NS
    element = _NS_PER_ELEMENT + 2 * p / _FLOPS_PER_NS_SINGLE
    if not in_memory:
        element = element * _DEARER_FROM_FILES + _PASSES_PER_PRODUCT * reading
    return {"full": 1e-9 * full, "matrix-free": 1e-9 * _PRODUCTS * n * p * element}


def chosen_solver(solver: str, n: int, p: int, *, in_memory: bool) -> str:
    """The solver that was asked for, or the one that should be faster."""
    check_choice("solver", solver, SOLVERS)
    if solver != "auto":
        return solver
    d = p * (p + 1) // 2
    if 8.0 * d * d > LARGEST_MATRIX:
        return "matrix-free"
    seconds = solver_seconds(n, p, in_memory=in_memory)
    return min(seconds, key=seconds.__getitem__)

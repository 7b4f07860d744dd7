"""How to compute λ_max of Cov(U(Σ̂)): from the whole matrix, or from products with it."""

from __future__ import annotations

from edgewise._base.checks import check_choice
from edgewise.covcov.closed_form import LARGEST_MATRIX

SOLVERS = ("auto", "full", "matrix-free")

# Vectors multiplied in one pass: of files, where reading costs as much as a product, and in memory.
_BLOCK_OF_FILES, _BLOCK_IN_MEMORY = 4, 1
# Speeds measured on one core, for the choice of a solver; only the order of magnitude matters.
_FLOPS_PER_NS = 35.0
_SPECTRUM_FLOPS_PER_NS = 10.0
_PRODUCTS = 30
_NS_PER_ELEMENT = 2.5
_FLOPS_PER_NS_SINGLE = 130.0
_READING_NS_PER_ELEMENT = 8.0
# From files there are twice as many products, in double precision, in half as many passes.
_DEARER_FROM_FILES, _PASSES_PER_PRODUCT = 4.0, 0.5


def full_seconds(n: int, p: int, *, in_memory: bool) -> float:
    """The approximate cost of the d × d matrix and its spectrum."""
    d = p * (p + 1) / 2
    reading = 0.0 if in_memory else _READING_NS_PER_ELEMENT
    return 1e-9 * (n * (d * d / _FLOPS_PER_NS + p * reading) + d**3 / _SPECTRUM_FLOPS_PER_NS)


def matrix_free_seconds(n: int, p: int, *, in_memory: bool) -> float:
    """The approximate cost of the products for Gaussian data, which converge most slowly."""
    element = _NS_PER_ELEMENT + 2 * p / _FLOPS_PER_NS_SINGLE
    if not in_memory:
        element *= _DEARER_FROM_FILES
        element += _PASSES_PER_PRODUCT * _READING_NS_PER_ELEMENT
    return 1e-9 * _PRODUCTS * n * p * element


def chosen_solver(solver: str, n: int, p: int, *, in_memory: bool) -> str:
    """The solver that was asked for, or the one that should be faster."""
    check_choice("solver", solver, SOLVERS)
    if solver != "auto":
        return solver
    d = p * (p + 1) // 2
    fits = 8.0 * d * d <= LARGEST_MATRIX
    faster = full_seconds(n, p, in_memory=in_memory) <= matrix_free_seconds(
        n, p, in_memory=in_memory
    )
    return "full" if fits and faster else "matrix-free"


def predicted_seconds(n: int, p: int) -> float:
    """The approximate cost of λ_max with the faster solver and the rows in memory."""
    return min(full_seconds(n, p, in_memory=True), matrix_free_seconds(n, p, in_memory=True))


def vectors_at_once(*, in_memory: bool) -> int:
    """Vectors multiplied in one pass over the rows."""
    return _BLOCK_IN_MEMORY if in_memory else _BLOCK_OF_FILES

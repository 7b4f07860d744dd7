"""Which way to λ_max of Cov(U(Σ̂)) is the shorter one: the whole matrix, or products with it."""

from __future__ import annotations

from edgewise._base.checks import check_choice
from edgewise.covcov.closed_form import LARGEST_MATRIX

SOLVERS = ("auto", "full", "matrix-free")

# Vectors multiplied in one pass, where reading costs as much as a product, and where it is free.
_BLOCK_OF_FILES, _BLOCK_IN_MEMORY = 4, 1
# For the choice between the two ways, measured on one core; only the order of magnitude counts.
_FLOPS_PER_NS = 50.0
_SPECTRUM_FLOPS_PER_NS = 10.0
_PRODUCTS = 30
_NS_PER_ELEMENT = 5.0
_FLOPS_PER_NS_SINGLE = 100.0
_READING_NS_PER_ELEMENT = 8.0


def full_seconds(n: int, p: int, *, in_memory: bool) -> float:
    """About what the d × d matrix and its spectrum cost."""
    d = p * (p + 1) / 2
    reading = 0.0 if in_memory else _READING_NS_PER_ELEMENT
    return 1e-9 * (n * (d * d / _FLOPS_PER_NS + p * reading) + d**3 / _SPECTRUM_FLOPS_PER_NS)


def matrix_free_seconds(n: int, p: int, *, in_memory: bool) -> float:
    """About what as many products cost as Gaussian data, the slowest to converge, take."""
    reading = 0.0 if in_memory else _READING_NS_PER_ELEMENT
    element = _NS_PER_ELEMENT + 3 * p / _FLOPS_PER_NS_SINGLE + reading
    return 1e-9 * _PRODUCTS * n * p * element


def chosen_solver(solver: str, n: int, p: int, *, in_memory: bool) -> str:
    """The solver asked for, or the one of less predicted cost."""
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
    """About what λ_max costs by the shorter way, the rows in memory."""
    return min(full_seconds(n, p, in_memory=True), matrix_free_seconds(n, p, in_memory=True))


def vectors_at_once(*, in_memory: bool) -> int:
    """Vectors multiplied in one pass over the rows."""
    return _BLOCK_IN_MEMORY if in_memory else _BLOCK_OF_FILES

"""Options that several methods have in the same form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from edgewise.errors import ParameterError
from edgewise.methods.method import option
from edgewise.paper.covcov import SOLVERS

#: The radii that hold for every n, because the range of each column is declared.
WITH_SUPPORT = ("hoeffding", "bernstein")
RADII = ("trace", "chi2", "eig", *WITH_SUPPORT)


def radius_option(choices: Sequence[str] = RADII) -> Any:
    return option("trace", "How far Σ̂ may be from Σ, and by which argument.", choices=choices)


def standardize_option() -> Any:
    return option(False, "Divide the columns by their standard deviations first.", kind=bool)


def solver_option() -> Any:
    return option(
        "auto", "How the eigenvalues for the radii eig and chi2 are found.", choices=SOLVERS
    )


def support_option() -> Any:
    return option(
        None,
        "The range of every column's values, for --radius hoeffding and bernstein.",
        parse=interval,
        metavar="LOW,HIGH",
    )


def outside_option() -> Any:
    return option(
        0.0,
        "The share of rows that may lie outside --support; they are left out and counted.",
        kind=float,
    )


def kurtosis_option() -> Any:
    return option(
        None,
        "How many times the kurtosis of Gaussian rows it can be at most, for --radius chebyshev.",
        kind=float,
    )


def interval(text: str) -> tuple[float, float]:
    """Two numbers separated by a comma."""
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError as error:
        raise ParameterError(
            f"support: expected two numbers separated by a comma, as in 0,1; got {text!r}."
        ) from error
    return low, high

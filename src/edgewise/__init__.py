"""edgewise: which variables are really connected?

Distribution-free tests for the edges of undirected graphical models.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from edgewise import datasets, simulate
    from edgewise.covcov.closed_form import covariance_of_covariance
    from edgewise.dispatch import accumulate, edge_test
    from edgewise.edges.result import Edge, EdgeTestResult
    from edgewise.errors import (
        DataError,
        DataTypeError,
        EdgewiseError,
        EdgewiseWarning,
        NonFiniteError,
        ParameterError,
        TooFewRowsWarning,
    )
    from edgewise.estimator import EdgeTest
    from edgewise.moments.moments import Moments

__version__ = "0.1.0"

# Loaded on first use, so that `import edgewise` and `edgewise --help` cost next to nothing.
_HOMES = {
    "covariance_of_covariance": "edgewise.covcov.closed_form",
    "accumulate": "edgewise.dispatch",
    "edge_test": "edgewise.dispatch",
    "Edge": "edgewise.edges.result",
    "EdgeTestResult": "edgewise.edges.result",
    "DataError": "edgewise.errors",
    "DataTypeError": "edgewise.errors",
    "EdgewiseError": "edgewise.errors",
    "EdgewiseWarning": "edgewise.errors",
    "NonFiniteError": "edgewise.errors",
    "ParameterError": "edgewise.errors",
    "TooFewRowsWarning": "edgewise.errors",
    "EdgeTest": "edgewise.estimator",
    "Moments": "edgewise.moments.moments",
}
_MODULES = ("datasets", "simulate")

__all__ = [
    "DataError",
    "DataTypeError",
    "Edge",
    "EdgeTest",
    "EdgeTestResult",
    "EdgewiseError",
    "EdgewiseWarning",
    "Moments",
    "NonFiniteError",
    "ParameterError",
    "TooFewRowsWarning",
    "accumulate",
    "covariance_of_covariance",
    "datasets",
    "edge_test",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"edgewise.{name}")
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'edgewise' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])

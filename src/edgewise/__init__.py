"""edgewise: which variables are really connected?

Distribution-free tests for the edges of undirected graphical models.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from edgewise._version import __version__ as __version__

if TYPE_CHECKING:
    from edgewise import datasets, simulate, studies
    from edgewise.accumulation import accumulate
    from edgewise.covcov.closed_form import covariance_of_covariance
    from edgewise.dispatch import edge_test
    from edgewise.edges.intervals import ConfidenceInterval
    from edgewise.edges.result import Edge, EdgeTestResult
    from edgewise.errors import (
        DataError,
        DataTypeError,
        EdgewiseError,
        EdgewiseWarning,
        NonFiniteError,
        ParameterError,
        ShortBatchesWarning,
        StateFileError,
        TooFewRowsWarning,
    )
    from edgewise.estimator import EdgeTest
    from edgewise.moments.batches import BatchMoments
    from edgewise.moments.moments import Moments
    from edgewise.planning import SamplePlan, plan_sample_size
    from edgewise.sequential import ConfidenceSequence
    from edgewise.states import load_state

# Loaded on first use, so that `import edgewise` and `edgewise --help` cost next to nothing.
_HOMES = {
    "covariance_of_covariance": "edgewise.covcov.closed_form",
    "accumulate": "edgewise.accumulation",
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
    "BatchMoments": "edgewise.moments.batches",
    "ConfidenceInterval": "edgewise.edges.intervals",
    "ConfidenceSequence": "edgewise.sequential",
    "Moments": "edgewise.moments.moments",
    "SamplePlan": "edgewise.planning",
    "ShortBatchesWarning": "edgewise.errors",
    "StateFileError": "edgewise.errors",
    "load_state": "edgewise.states",
    "plan_sample_size": "edgewise.planning",
}
_MODULES = ("datasets", "simulate", "studies")

__all__ = [
    "BatchMoments",
    "ConfidenceInterval",
    "ConfidenceSequence",
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
    "SamplePlan",
    "ShortBatchesWarning",
    "StateFileError",
    "TooFewRowsWarning",
    "accumulate",
    "covariance_of_covariance",
    "datasets",
    "edge_test",
    "load_state",
    "plan_sample_size",
    "simulate",
    "studies",
]


if not TYPE_CHECKING:  # to a type checker it would say that every name exists

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

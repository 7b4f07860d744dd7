"""edgewise: which variables are really connected?

Distribution-free tests for the edges of undirected graphical models.

A name is imported when it is first used, so that `import edgewise` and `edgewise --help` cost next
to nothing. Type checkers read `__init__.pyi`, which a test compares with the table here.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from edgewise._version import __version__ as __version__

#: Where each public name lives.
HOMES = {
    "edge_test": "api.edge_test",
    "EdgeTest": "api.estimator",
    "partial_test": "api.pair",
    "ConditionalTest": "api.pair",
    "compare_groups": "api.compare_groups",
    "compare_methods": "api.compare_methods",
    "check_null": "api.null",
    "diagnose": "api.diagnose",
    "plan_sample_size": "api.plan",
    "detectable_effect": "api.plan",
    "pool": "api.pool",
    "accumulate": "api.accumulate",
    "load_state": "sums.save",
    "ConfidenceSequence": "api.confidence_sequence",
    "edge_test_within": "api.edge_test_within",
    "covariance_of_covariance": "paper.covcov",
    "open_table": "tables.open",
    "EdgeTestResult": "results.result",
}
MODULES = ("calibrate", "datasets", "errors", "integrations", "methods", "simulate", "states")
# Needs a package that may be missing, and says so when it is used. Then it is not offered: `*`,
# `help` and completion would all stumble over it.
_NEEDS = {"EdgeTest": "sklearn"}
__all__ = [
    name for name in sorted((*HOMES, *MODULES)) if name not in _NEEDS or find_spec(_NEEDS[name])
]


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return import_module(f"edgewise.{name}")
    if name not in HOMES:
        raise AttributeError(f"module 'edgewise' has no attribute {name!r}")
    if name in _NEEDS:
        from edgewise._optional import require

        require(_NEEDS[name], "sklearn", name)
    value = getattr(import_module(f"edgewise.{HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]

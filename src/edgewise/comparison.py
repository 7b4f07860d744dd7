"""Former home of `edgewise.compare_methods`; its names still work, with a warning."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from edgewise.methods.method import Method
from edgewise.methods.registry import method_of
from edgewise.questions import compare_methods as _home


def _rung(method: str, label: str = "", options: Mapping[str, Any] | None = None) -> Method:
    """A method with its options, which is the method itself now."""
    return method_of(method, options)


def _compare_methods(
    data: Any,
    alpha: float = 0.05,
    correction: str | None = "holm",
    rungs: Sequence[Method] | None = None,
) -> list[_home.Comparison]:
    """As `edgewise.compare_methods`, whose last parameter is called `methods`."""
    return _home.compare_methods(data, alpha, correction, rungs)


_NAMES = {"Comparison": _home.Comparison, "Rung": _rung, "compare_methods": _compare_methods}


def __getattr__(name: str) -> Any:
    if name != "LADDER" and name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(
        "edgewise.comparison has moved: use edgewise.compare_methods and edgewise.Comparison.",
        DeprecationWarning,
        stacklevel=2,
    )
    if name == "LADDER":
        return tuple(method for _, method in _home.all_variants())
    return _NAMES[name]

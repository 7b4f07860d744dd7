"""Former home of `edgewise.compare_methods`; its names still work, with a warning."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from edgewise.methods.method import Method
from edgewise.methods.registry import method_of
from edgewise.questions import compare_methods as _home
from edgewise.questions.compare_methods import Comparison

__all__ = ["LADDER", "Comparison", "Rung", "compare_methods"]

warnings.warn(
    "edgewise.comparison has moved: use edgewise.compare_methods and edgewise.Comparison.",
    DeprecationWarning,
    stacklevel=2,
)

LADDER = tuple(method for _, method in _home.all_variants())


def Rung(  # noqa: N802  it was a class
    method: str, label: str = "", options: Mapping[str, Any] | None = None
) -> Method:
    """A method with its options, which are the method itself now."""
    return method_of(method, options)


def compare_methods(
    data: Any,
    alpha: float = 0.05,
    correction: str | None = "holm",
    rungs: Sequence[Method] | None = None,
) -> list[Comparison]:
    """As `edgewise.compare_methods`, whose last parameter is called `methods`."""
    return _home.compare_methods(data, alpha, correction, rungs)

"""edgewise's test inside programs for causal discovery: causal-learn, pgmpy and tigramite.

Each adapter is a module of its own, which is imported when it is first used: it imports the
package that it is for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["causal_learn", "pgmpy", "tigramite"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__

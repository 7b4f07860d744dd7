"""Former home of `edgewise.diagnose`; its names still work, with a warning."""

from __future__ import annotations

import warnings
from typing import Any

from edgewise.questions import diagnose as _home


def __getattr__(name: str) -> Any:
    if name not in ("Diagnosis", "diagnose"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(
        "edgewise.diagnostics has moved: use edgewise.diagnose and edgewise.Diagnosis.",
        DeprecationWarning,
        stacklevel=2,
    )
    return getattr(_home, name)

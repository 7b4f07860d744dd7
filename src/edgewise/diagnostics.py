"""Former home of `edgewise.diagnose`; its names still work, with a warning."""

from __future__ import annotations

import warnings

from edgewise.questions.diagnose import Diagnosis, diagnose

__all__ = ["Diagnosis", "diagnose"]

warnings.warn(
    "edgewise.diagnostics has moved: use edgewise.diagnose and edgewise.Diagnosis.",
    DeprecationWarning,
    stacklevel=2,
)

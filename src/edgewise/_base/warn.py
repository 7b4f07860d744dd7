"""Warnings that point at the user's line, not at ours."""

from __future__ import annotations

import sys
import warnings

from edgewise.errors import EdgewiseWarning


def warn(message: str, category: type[EdgewiseWarning]) -> None:
    """Warn as if from the first line outside this package on the way up."""
    level, frame = 1, sys._getframe(1)
    while frame.f_globals.get("__name__", "").partition(".")[0] == "edgewise" and frame.f_back:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level + 1)

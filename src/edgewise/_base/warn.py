"""Warnings that point at the user's line, not at ours, and ways to hide warnings."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from edgewise._base.shared_context import SharedContext
from edgewise.errors import EdgewiseWarning

_silent: ContextVar[bool] = ContextVar("edgewise_silent", default=False)


def warn(message: str, category: type[EdgewiseWarning]) -> None:
    """Warn at the first line of the call stack that is outside this package."""
    if _silent.get():
        return
    level, frame = 1, sys._getframe(1)
    while frame.f_globals.get("__name__", "").partition(".")[0] == "edgewise" and frame.f_back:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level + 1)


@contextmanager
def without_warnings() -> Iterator[None]:
    """Hide our own warnings in this block, in this thread.

    `warnings.catch_warnings` would change the filters of all threads at once.
    """
    token = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(token)


# The filters of warnings belong to the whole process.
_FILTERS = SharedContext(warnings.catch_warnings)


@contextmanager
def quiet(category: type[Warning], message: str = "") -> Iterator[None]:
    """Hide another library's warnings whose text matches `message`, in all threads.

    The last thread to leave restores the filters.
    """
    with _FILTERS:
        warnings.filterwarnings("ignore", message, category)
        yield

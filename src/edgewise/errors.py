"""All errors and warnings of edgewise, and how warnings are given."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class EdgewiseError(Exception):
    """Base of every error that edgewise raises on purpose."""


class DataError(EdgewiseError, ValueError):
    """The data cannot be tested: the message says why and what to do."""


class DataTypeError(DataError, TypeError):
    """The data are of a kind that cannot be tested (text, objects, complex numbers)."""


class ParameterError(EdgewiseError, ValueError):
    """An argument is outside its range: the message names it, the rule and the value."""


class MissingDependencyError(EdgewiseError, ImportError):
    """An optional part is not installed: the message says what needs it and how to get it."""


class StateFileError(DataError):
    """A state file is damaged, of another kind, or from a newer edgewise."""


class EdgewiseWarning(UserWarning):
    """Base of every warning that edgewise gives."""


class TooFewRowsWarning(EdgewiseWarning):
    """The threshold is infinite because there are too few rows for a bound."""


class ShortBatchesWarning(EdgewiseWarning):
    """Batches have so few rows that their spread says little about serial dependence."""


class BrokenAssumptionWarning(EdgewiseWarning):
    """The data contradict what the method assumes, so some of its edges may be false."""


class FormatGuessWarning(EdgewiseWarning):
    """How a file was read was guessed from its first lines; the message says what was guessed."""


class CheckpointWarning(EdgewiseWarning):
    """A checkpoint could not be written; the run goes on, and tries again when the next is due."""


class NonFiniteError(DataError):
    """Some values are NaN or infinite.

    Attributes
    ----------
    counts : ndarray of int
        How many values of each column are NaN or infinite.
    """

    def __init__(self, message: str, counts: npt.NDArray[np.int64]) -> None:
        super().__init__(message)
        self.counts = counts

    def __reduce__(self) -> tuple[Any, ...]:
        # With both arguments, so that the error can be pickled and sent from another process.
        return type(self), (str(self), self.counts)


__all__ = [
    "EdgewiseError",
    "DataError",
    "DataTypeError",
    "ParameterError",
    "MissingDependencyError",
    "StateFileError",
    "EdgewiseWarning",
    "TooFewRowsWarning",
    "ShortBatchesWarning",
    "BrokenAssumptionWarning",
    "FormatGuessWarning",
    "CheckpointWarning",
    "NonFiniteError",
]


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


@contextmanager
def quiet(category: type[Warning], message: str = "") -> Iterator[None]:
    """Hide another library's warnings whose text matches `message`."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message, category)
        yield

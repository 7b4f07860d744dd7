"""Matching the columns of two states by name."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from edgewise.errors import ParameterError


class _Named(Protocol):
    feature_names: tuple[str, ...] | None

    @property
    def n_features(self) -> int | None: ...


def known_width(state: _Named) -> int | None:
    """How many columns a state must have: those of its rows, or else of its names."""
    if state.n_features is None and state.feature_names is not None:
        return len(state.feature_names)
    return state.n_features


def merged_names(ours: _Named, theirs: _Named) -> tuple[str, ...] | None:
    """The names of a sum: of a state that has rows, if it has names, else of the other."""
    states = sorted((ours, theirs), key=lambda state: state.n_features is None)
    width = states[0].n_features
    for state in states:
        if state.feature_names is not None and width in (None, len(state.feature_names)):
            return state.feature_names
    return None


def merge_order(
    ours: tuple[str, ...] | None, theirs: tuple[str, ...] | None
) -> npt.NDArray[np.intp] | None:
    """Where each of our columns stands among theirs; None where nothing has to move.

    States without names are matched by position.
    """
    if ours is None or theirs is None or ours == theirs:
        return None
    missing = [name for name in ours if name not in theirs]
    extra = [name for name in theirs if name not in ours]
    if missing or extra:
        parts = [
            f"{what} {', '.join(map(repr, names))}"
            for what, names in (("it lacks", missing), ("it has in addition", extra))
            if names
        ]
        raise ParameterError(
            f"other: expected a state of the same columns, got one that differs: "
            f"{'; '.join(parts)}. Only states of the same columns add up."
        )
    return np.array([theirs.index(name) for name in ours], dtype=np.intp)

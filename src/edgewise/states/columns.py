"""Matching columns by name: those of two states, those of a state and of more rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from edgewise._base.checks import check_names
from edgewise.errors import DataError, ParameterError
from edgewise.rows.block import ColumnBlock, Rows
from edgewise.rows.selection import column_places
from edgewise.rows.values import check_rows


class _Named(Protocol):
    feature_names: tuple[str, ...] | None

    @property
    def n_features(self) -> int | None: ...


def known_width(state: _Named) -> int | None:
    """How many columns a state must have, from its rows or else from its names."""
    if state.n_features is None and state.feature_names is not None:
        return len(state.feature_names)
    return state.n_features


def merged_names(ours: _Named, theirs: _Named) -> tuple[str, ...] | None:
    """The names of the merged state: from a state that has rows and names, or else the other."""
    states = sorted((ours, theirs), key=lambda state: state.n_features is None)
    width = states[0].n_features
    for state in states:
        if state.feature_names is not None and width in (None, len(state.feature_names)):
            return state.feature_names
    return None


def merge_order(
    ours: tuple[str, ...] | None, theirs: tuple[str, ...] | None
) -> npt.NDArray[np.intp] | None:
    """The place of each of our columns among theirs; None if nothing has to move.

    States without names are matched by position.
    """
    if ours is None or theirs is None:
        return None
    return column_places(ours, theirs, _other_state)


def _other_state(difference: str) -> ParameterError:
    return ParameterError(
        f"other: expected a state of the same columns, got one that differs: {difference}. "
        "Only states of the same columns add up."
    )


def _other_rows(difference: str) -> DataError:
    return DataError(
        f"X: expected the columns of the rows before, got a table that differs: {difference}. "
        "Pass the same columns each time."
    )


def rows_by_name(state: _Named, X: Any) -> tuple[Rows, tuple[str, ...] | None]:
    """More rows for a state, with the columns in its order, and the names of its columns.

    The columns of a data frame are matched by name; a state without rows takes their names. An
    array has no names, so its columns are matched by position.
    """
    ours, theirs = state.feature_names, _names_of(X)
    if theirs is not None and ours is not None and _are_places(theirs):
        # A frame without names has numbers in their place.
        theirs = theirs if set(theirs) == set(ours) else None
    if ours is None or theirs is None or ours == theirs:
        rows = check_rows(X, n_features=known_width(state))
        named = theirs is not None and len(theirs) == rows.shape[1]
        return rows, theirs if named and ours is None and state.n_features is None else ours
    places = column_places(ours, theirs, _other_rows)
    return np.asarray(check_rows(X))[:, places], ours


def _names_of(X: Any) -> tuple[str, ...] | None:
    """The names of the columns of a data frame or an Arrow table, if it is one and has names."""
    if isinstance(X, np.ndarray | ColumnBlock):
        return None
    names = getattr(X, "column_names", None)  # Arrow, whose `columns` are the values
    if names is None:
        names = getattr(X, "columns", None)
    return check_names(names) if isinstance(names, Iterable) else None


def _are_places(names: tuple[str, ...]) -> bool:
    return names == tuple(map(str, range(len(names))))

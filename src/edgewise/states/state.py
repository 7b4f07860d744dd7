"""The base of all states: they can be merged, saved and loaded."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import numpy.typing as npt

from edgewise._base.checks import check_names
from edgewise.errors import DataError, ParameterError
from edgewise.rows.block import ColumnBlock, Rows
from edgewise.rows.selection import column_places
from edgewise.rows.values import check_rows
from edgewise.states.file_format import StateContents, read_state, write_state


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


class State(ABC):
    """Sums of rows that add up, and that a file can hold."""

    #: Its name in a state file.
    kind: ClassVar[str]
    #: The method that tests such a state by default.
    default_method: ClassVar[str]

    @property
    @abstractmethod
    def n_samples(self) -> int:
        """Rows seen."""

    @abstractmethod
    def __add__(self, other: Any) -> Any:
        """The state of the rows that both have seen."""

    @abstractmethod
    def _contents(self) -> StateContents:
        """The content of its state file."""

    @classmethod
    @abstractmethod
    def _from_contents(cls, contents: StateContents) -> Self:
        """The state that a file holds, after checking that its parts fit each other."""

    def merge(self, other: Self) -> Self:
        """Add the rows that `other` has seen, as rows that follow.

        Parameters
        ----------
        other : state of the same kind
            A state of the same columns and options. It is not changed. The state itself is refused,
            because its rows would count twice; merge a copy if you mean it.

        Returns
        -------
        state
            The state itself.
        """
        merged = self + other
        self.__dict__.update(merged.__dict__)
        return self

    def _check_other(self, other: State) -> None:
        """Refuse the state itself, whose rows would count twice; an empty one is neutral."""
        if other is self and self.n_samples:
            raise ParameterError(
                "other: expected another state, got the state itself, whose rows would count "
                "twice; if that is meant, add its copy()."
            )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a file that `load` reads.

        Parameters
        ----------
        path : str or path
            Where to write it; the file appears when it is complete.
        """
        write_state(path, self._contents())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a state that `save` wrote; loading never runs code from the file.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        state
            The state.
        """
        return cls._from_contents(read_state(path, cls.kind))

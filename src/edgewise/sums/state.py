"""The base of all states: they can be merged, saved and loaded."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from edgewise._checks import check_names
from edgewise._linalg import FloatArray
from edgewise.errors import DataError, ParameterError
from edgewise.sums.save import StateContents, read_state, write_state
from edgewise.tables.table import ColumnBlock, Rows, column_places
from edgewise.tables.values import check_rows


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


class ColumnState(State):
    """A state of rows of columns, which have names or places."""

    feature_names: tuple[str, ...] | None

    @property
    @abstractmethod
    def n_features(self) -> int | None:
        """Columns, once rows have been seen."""

    @abstractmethod
    def _empty(self) -> Self:
        """A state of the same kind that has seen no rows."""

    @abstractmethod
    def _column_scatter(self) -> FloatArray:
        """Σ (x − mean)² of each column, quickly; in the presence of huge values nearly."""

    def copy(self) -> Self:
        """An independent state of the same rows.

        Returns
        -------
        state
            The copy.
        """
        copied = self._empty()
        # No value is ever changed in place, only replaced.
        copied.__dict__.update(self.__dict__)
        return copied

    def _check_other(self, other: ColumnState) -> None:
        """Refuse other columns, and the state itself, whose rows would count twice."""
        if other is self and self.n_samples:
            raise ParameterError(
                "other: expected another state, got the state itself, whose rows would count "
                "twice; if that is meant, add its copy()."
            )
        if None is not self.n_features != other.n_features is not None:
            raise ParameterError(
                f"other: expected a state of {self.n_features} columns, got one of "
                f"{other.n_features}; only states of the same columns add up."
            )


def merged_names(ours: ColumnState, theirs: ColumnState) -> tuple[str, ...] | None:
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
    return column_places(
        ours,
        theirs,
        lambda difference: ParameterError(
            f"other: expected a state of the same columns, got one that differs: {difference}. "
            "Only states of the same columns add up."
        ),
    )


def rows_by_name(state: ColumnState, X: Any) -> tuple[Rows, tuple[str, ...] | None]:
    """More rows for a state, with the columns in its order, and the names of its columns.

    The columns of a data frame are matched by name; a state without rows takes their names. An
    array has no names, so its columns are matched by position.
    """
    ours, theirs = state.feature_names, _names_of(X)
    if ours is not None and theirs == tuple(map(str, range(len(theirs or ())))):
        # A frame without names has numbers in their place.
        theirs = theirs if set(theirs or ()) == set(ours) else None
    if ours is None or theirs is None or ours == theirs:
        width = state.n_features
        if width is None and ours is not None:
            width = len(ours)
        rows = check_rows(X, n_features=width)
        named = theirs is not None and len(theirs) == rows.shape[1]
        return rows, theirs if named and ours is None and state.n_features is None else ours
    places = column_places(
        ours,
        theirs,
        lambda difference: DataError(
            f"X: expected the columns of the rows before, got a table that differs: {difference}. "
            "Pass the same columns each time."
        ),
    )
    return np.asarray(check_rows(X))[:, places], ours


def _names_of(X: Any) -> tuple[str, ...] | None:
    """The names of the columns of a data frame or an Arrow table, if it is one and has names."""
    if isinstance(X, np.ndarray | ColumnBlock):
        return None
    names = getattr(X, "column_names", None)  # Arrow, whose `columns` are the values
    if names is None:
        names = getattr(X, "columns", None)
    return check_names(names) if isinstance(names, Iterable) else None

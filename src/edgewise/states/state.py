"""The base of all states: they can be merged, saved and loaded."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

from edgewise.errors import ParameterError
from edgewise.states.file_format import StateContents, read_state, write_state


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

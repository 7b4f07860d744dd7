"""Rows in partitions on other machines, and what all engines do with them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeVar

from edgewise.errors import DataError
from edgewise.rows.clusters.partition_task import PartTask
from edgewise.rows.clusters.sources import Check
from edgewise.rows.table import Part, known_total

T = TypeVar("T")


class PartitionedTable(ABC):
    """A table whose rows are in partitions on other machines.

    Parameters
    ----------
    feature_names : sequence of str
        The columns.
    named : bool
        Whether the names came with the data.
    along : sequence of str
        The last columns, if they hold labels that are read along.
    """

    rescannable = True
    in_memory = False

    def __init__(
        self, feature_names: Sequence[str], *, named: bool, along: Sequence[str] = ()
    ) -> None:
        self.feature_names = tuple(feature_names)
        self.named, self.along = named, tuple(along)
        #: The files that the cluster reads, and the rows of each where they are known.
        self.files: Sequence[tuple[str, int | None]] = ()
        #: Refuses files that have changed since the table was made, where they can be seen.
        self.check_files: Check | None = None
        self._never_read = True

    def rows_read(self) -> Sequence[tuple[str, int | None]]:
        """The files and the rows of each; None where they are not known."""
        return self.files

    @property
    def n_rows(self) -> int | None:
        """Rows of all partitions, if they are known."""
        return known_total(self.part_rows())

    @property
    def estimated_rows(self) -> int | None:
        """The same."""
        return self.n_rows

    def part_rows(self) -> Sequence[int | None] | None:
        """Rows of each partition, None for unknown ones; None if the partitions are unknown."""
        return None

    def reduce(self, one_pass: Callable[[Part], T], merge: Callable[[T, T], T]) -> T:
        """Run the pass on every partition and merge the results, in order, in a fixed tree."""
        names = self.feature_names if self.named else None
        task = PartTask(one_pass, len(self.feature_names), names, self.along)
        self._refuse_changed()
        try:
            made = self._reduced(task, merge)
        except DataError as error:
            try:
                self._refuse_changed()
            except DataError as changed:
                raise changed from error
            raise
        self._refuse_changed()
        self._never_read = False
        return made

    def _refuse_changed(self) -> None:
        if self.check_files is not None:
            self.check_files(self._never_read)

    @abstractmethod
    def _reduced(self, task: PartTask[T], merge: Callable[[T, T], T]) -> T:
        """The same with a task, which is given a function that makes the partition."""

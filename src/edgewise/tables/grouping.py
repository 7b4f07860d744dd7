"""Rows that belong together: a column of group labels that is read along with the variables.

Readers give the column as the last one, in numbers (see `labels`), so that every view keeps each
label beside its row. `GroupedTable` is the last view before a pass: its blocks are the variables,
and carry the groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.errors import DataError, ParameterError
from edgewise.tables.block import ColumnBlock, Piece, Rows
from edgewise.tables.labels import label_numbers, not_a_label
from edgewise.tables.table import LocalTable, Part, Table
from edgewise.tables.views import RenamedColumns, View


class GroupedRows(ColumnBlock):
    """A block of rows with the number of the group of each."""

    def __init__(self, block: Rows) -> None:
        rows = block if isinstance(block, ColumnBlock) else as_columns(np.asarray(block))
        p = rows.shape[1] - 1
        super().__init__(rows.chosen(range(p))._pieces, p)
        self.groups: FloatArray = np.asarray(rows.chosen([p]))[:, 0]


class GroupedTable(View):
    """A table without its last column, which says to which group each row belongs.

    `groups_name` is the name of that column; None if the labels came as an array.
    """

    def __init__(self, table: Table, groups_name: str | None) -> None:
        where = "the labels" if groups_name is None else f"column {groups_name!r}"
        super().__init__(table, partial(_split, where=where))
        self.groups_name = groups_name

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self._table.feature_names[:-1]

    def renamed(self, names: tuple[str, ...]) -> GroupedTable:
        """The same rows and labels, with other names of the variables."""
        every = (*names, *self._table.feature_names[-1:])
        return GroupedTable(RenamedColumns(self._table, every), self.groups_name)


def _split(part: Part, where: str) -> Part:
    changed = part.through(partial(map, partial(_grouped, where=where)))
    return replace(changed, feature_names=part.feature_names[:-1])


def _grouped(block: Rows, where: str) -> GroupedRows:
    rows = GroupedRows(block)
    missing = np.isnan(rows.groups)
    if missing.any():
        raise DataError(
            f"groups: expected a label for every row, got missing ones in {where}; fill them in, "
            "or leave out such rows (missing='drop' of edge_test, --missing drop)."
        )
    wrong = rows.groups[rows.groups != np.floor(rows.groups)]
    if wrong.size:
        raise not_a_label(float(wrong[0]))
    return rows


class WithColumn(View):
    """A table that is read here, with one more column: what the user passes as an array.

    `numbers_of` makes a number for each row of it; `argument` and `what` are for messages.
    """

    def __init__(
        self,
        table: Table,
        values: Any,
        numbers_of: Callable[[Any], FloatArray] = label_numbers,
        *,
        argument: str = "groups",
        what: str = "label",
    ) -> None:
        n = table.n_rows
        if not isinstance(table, LocalTable) or not table.in_memory or n is None:
            raise ParameterError(
                f"{argument}: expected the name of a column, because the rows are not in memory, "
                f"got {type(values).__name__}; write the {what}s into a column of the data."
            )
        numbers = numbers_of(values)
        if len(numbers) != n:
            raise ParameterError(
                f"{argument}: expected one {what} for each of {n} rows, got {len(numbers)} {what}s."
            )
        super().__init__(table, partial(_with_column, numbers=numbers))

    @property
    def feature_names(self) -> tuple[str, ...]:
        return (*self._table.feature_names, "")


def _with_column(part: Part, numbers: FloatArray) -> Part:
    changed = part.through(partial(_longer, numbers=numbers))
    return replace(changed, feature_names=(*part.feature_names, ""))


def _longer(blocks: Iterator[Rows], numbers: FloatArray) -> Iterator[Rows]:
    start = 0
    for block in blocks:
        stop = start + block.shape[0]
        yield as_columns(np.asarray(block), numbers[start:stop])
        start = stop


def as_columns(rows: Any, *more: FloatArray) -> ColumnBlock:
    """Rows of an array, and more columns after them, as a block of columns."""
    columns = [*rows.T, *more]
    return ColumnBlock([Piece(columns, 0, len(rows))], len(columns))

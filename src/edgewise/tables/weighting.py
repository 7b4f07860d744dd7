"""Rows that count for more or less than one: weights, from a column or an array.

The weights are read along as the last column, so that every view keeps each beside its row.
`WeightedTable` is the last view before a pass: its blocks are the variables, and carry the weights.
Weights that count repeated rows (`RepeatedRows`) need no more: a row is there as often as it says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from edgewise._base.types import AnyArray, FloatArray
from edgewise.errors import DataError, ParameterError
from edgewise.tables.block import ColumnBlock, Rows
from edgewise.tables.grouping import as_columns
from edgewise.tables.missing import may_lack_values
from edgewise.tables.table import Part, SoFar, Table, batch_rows
from edgewise.tables.values import raise_for_nonfinite
from edgewise.tables.views import SomeRows, is_seen_through

WEIGHT_KINDS = ("sampling", "frequency")
# Weights whose squares, and sums of these, are ordinary numbers.
_SQUARED = 1e-100, 1e100
# Beyond this a weight is not a number of rows.
_MOST_ROWS = float(1 << 53)


class WeightedRows(ColumnBlock):
    """A block of rows with the weight of each, a positive number."""

    def __init__(self, block: Rows, weights: FloatArray) -> None:
        rows = block if isinstance(block, ColumnBlock) else as_columns(np.asarray(block))
        super().__init__(rows._pieces, rows.shape[1])
        self.weights = weights

    def __getitem__(self, rows: slice) -> WeightedRows:
        return WeightedRows(super().__getitem__(rows), self.weights[rows])


def weights_of(block: Rows) -> FloatArray | None:
    """The weights that a block of rows carries."""
    return block.weights if isinstance(block, WeightedRows) else None


def checked_weights(weights: Any) -> FloatArray:
    """Weights that a user passes as an array, one for each row."""
    try:
        values = np.asarray(weights)
        if values.dtype.kind not in "fiubOUS":
            raise TypeError(f"values of type {values.dtype}")
        if values.dtype.kind not in "fiub":
            values = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"weights: expected the name of a column or one number for each row, got {error}."
        ) from error
    if values.ndim != 1:
        raise ParameterError(
            "weights: expected the name of a column or one number for each row, got "
            f"{type(weights).__name__} of {values.ndim} dimensions."
        )
    values = values.astype(np.float64)
    check_weights(values, "the weights")
    return values


def some_weights(weights: Any) -> FloatArray:
    """The same for all rows at once: some must be positive, and only their proportions matter."""
    values = checked_weights(weights)
    largest = float(values.max(initial=0.0))
    if values.size and not largest:
        raise DataError("weights: expected a positive weight for some row, got zeros only.")
    # The squares of any weights are then ordinary numbers, or those of rows that hardly count.
    unit = largest if largest and not _SQUARED[0] < largest < _SQUARED[1] else 1.0
    return values / unit


def check_weights(weights: FloatArray, where: str) -> None:
    """Refuse weights that are missing, infinite or negative."""
    wrong = weights[~(np.isfinite(weights) & (weights >= 0))]
    if not wrong.size:
        return
    first = float(wrong[0])
    what = "missing ones (NaN)" if np.isnan(first) else f"{first:g}"
    raise DataError(
        f"weights: expected finite numbers of at least 0, got {what} in {where} "
        f"({wrong.size} row{'s' * (wrong.size > 1)}); fix or leave out such rows."
    )


class WeightedTable(SomeRows):
    """A table without its last column, which says how much each row counts.

    Rows of weight zero are left out: they count for nothing. `weights_name` is the name of that
    column; None if the weights came as an array.
    """

    def __init__(self, table: Table, weights_name: str | None) -> None:
        change = partial(_split, where=_where(weights_name), complete=not may_lack_values(table))
        super().__init__(table, change)
        self.weights_name = weights_name

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self._table.feature_names[:-1]


def _where(name: str | None) -> str:
    return "the weights" if name is None else f"column {name!r}"


def _split(part: Part, where: str, complete: bool) -> Part:
    names = part.feature_names[:-1]
    split = partial(_weighted, where=where, complete_names=names if complete else None)
    return replace(part.through(partial(map, split)), feature_names=names)


def _weighted(block: Rows, where: str, complete_names: tuple[str, ...] | None) -> WeightedRows:
    variables, weights = _apart(block, where)
    used = weights > 0
    if not used.all():
        variables, weights = as_columns(np.asarray(variables)[used]), weights[used]
    # The sums of weighted rows allow for missing values, so that nobody else would refuse them.
    if complete_names is not None and not np.isfinite(np.asarray(variables)).all():
        raise_for_nonfinite(variables, complete_names)
    return WeightedRows(variables, weights)


def _apart(block: Rows, where: str) -> tuple[ColumnBlock, FloatArray]:
    """The variables of a block, and its last column."""
    rows = block if isinstance(block, ColumnBlock) else as_columns(np.asarray(block))
    p = rows.shape[1] - 1
    weights: FloatArray = np.asarray(rows.chosen([p]), dtype=np.float64)[:, 0]
    check_weights(weights, where)
    return rows.chosen(range(p)), weights


class RepeatedRows(SomeRows):
    """A table without its last column, which says how often each row is there."""

    def __init__(self, table: Table, weights_name: str | None) -> None:
        super().__init__(table, partial(_repeated, where=_where(weights_name)))

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self._table.feature_names[:-1]

    @property
    def estimated_rows(self) -> int | None:
        return None


def has_copies(table: object) -> bool:
    """Whether it is a table in which rows are there several times, one after the other."""
    return is_seen_through(table, RepeatedRows)


def _repeated(part: Part, where: str) -> Part:
    changed = part.through(partial(_each_repeated, where=where, so_far=part.so_far))
    return replace(changed, feature_names=part.feature_names[:-1])


def _each_repeated(blocks: Iterator[Rows], where: str, so_far: SoFar) -> Iterator[Rows]:
    for block in blocks:
        variables, weights = _apart(block, where)
        wrong = weights[(weights != np.floor(weights)) | (weights > _MOST_ROWS)]
        if wrong.size:
            raise DataError(
                f"weights: expected whole numbers of rows (weight_kind='frequency'), got "
                f"{wrong[0]:g} in {where}; leave weight_kind out if rows were sampled with "
                "different probabilities."
            )
        yield from _copies(np.asarray(variables), weights.astype(np.int64), so_far)


def _copies(rows: AnyArray, times: AnyArray, so_far: SoFar) -> Iterator[AnyArray]:
    """Each row as often as it says, in blocks of limited length."""
    most = batch_rows(rows.shape[1])
    ends = np.cumsum(times)
    total = int(ends[-1]) if len(ends) else 0
    position = so_far.position
    for start in range(0, total, most):
        number = np.arange(start, min(start + most, total))
        # A checkpoint between copies of the same rows would have some of them only.
        so_far.position = position if start + most >= total else None
        yield rows[np.searchsorted(ends, number, side="right")]


def weighted_columns(
    names: Sequence[str] | None,
    exclude: Sequence[str] | None,
    given: str,
) -> tuple[list[str] | None, list[str] | None]:
    """The columns to read so that the column of weights is among them, and those to leave out."""
    if names is not None and given in names:
        raise ParameterError(
            f"weights: expected a column that is not tested, got {given!r}, which is among "
            "`columns` too; leave it out of one of the two."
        )
    columns = None if names is None else [*names, given]
    return columns, None if exclude is None else [name for name in exclude if name != given]

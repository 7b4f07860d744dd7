"""Data frames and everything else that exports an Arrow C stream."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from edgewise._types import AnyArray
from edgewise._validation import check_names
from edgewise.errors import DataError, DataTypeError
from edgewise.sources.source import BATCH_ROWS


class TableSource:
    """An Arrow table whose columns are all numbers."""

    def __init__(self, table: pa.Table) -> None:
        self.feature_names = check_names(table.column_names)
        check_numeric(table, "X", "drop or convert it")
        self._table = table
        self.n_rows: int | None = table.num_rows

    def batches(self) -> Iterator[AnyArray]:
        for batch in self._table.to_batches(max_chunksize=BATCH_ROWS):
            # Column by column into a features-first block: its transpose is what the
            # accumulators want to read.
            block = np.empty((batch.num_columns, batch.num_rows))
            for i, column in enumerate(batch.columns):
                block[i] = _to_numpy(column)
            yield block.T


def arrow_table(data: Any) -> pa.Table:
    """`data` as an Arrow table."""
    import narwhals.stable.v1 as nw

    try:
        if nw.dependencies.is_pandas_dataframe(data):
            # pandas exports its index as a column; an index is not a variable.
            check_names(data.columns)
            return pa.Table.from_pandas(data, preserve_index=False)
        return pa.table(data)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise DataTypeError(
            f"X: expected a table of numbers, got a {type(data).__name__} that Arrow cannot read "
            f"({one_line(error)}); convert or drop the columns that are not numbers."
        ) from error


def one_line(error: Exception) -> str:
    """Another library's message, fit to stand inside a sentence of ours."""
    text = " ".join(str(error).split()).rstrip(".")
    shown = "".join(character if character.isprintable() else "?" for character in text)
    return shown if len(shown) <= 200 else shown[:199] + "…"


def check_numeric(table: pa.Table, where: str, hint: str) -> None:
    """Refuse a table with a column that does not hold numbers, by name."""
    for field in table.schema:
        if not _is_numeric(field.type):
            raise DataTypeError(
                f"{where}: column {field.name!r} must hold numbers, got {field.type}; {hint}."
            )


def select_columns(
    table: pa.Table, columns: Sequence[str] | None, exclude: Sequence[str] | None, where: str
) -> pa.Table:
    """Keep `columns` (all when None) but not those in `exclude`."""
    check_names(table.column_names)
    for argument, names in (("columns", columns), ("exclude", exclude)):
        for name in names or ():
            if name not in table.column_names:
                have = ", ".join(map(repr, table.column_names))
                raise DataError(f"{argument}: {where} has no column {name!r}; it has {have}.")
    wanted = table.column_names if columns is None else check_names(columns)
    kept = [name for name in wanted if name not in (exclude or ())]
    if not kept:
        raise DataError(f"columns: expected at least 2 columns of {where} to test, got none.")
    return table.select(kept)


def _is_numeric(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_decimal(kind)
        or types.is_null(kind)
    )


def _to_numpy(column: pa.Array) -> AnyArray:
    if pa.types.is_floating(column.type) or (
        pa.types.is_integer(column.type) and not column.null_count
    ):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.uint8())
    return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False))

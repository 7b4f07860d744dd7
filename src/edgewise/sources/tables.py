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

    def __init__(self, table: pa.Table, *, hint: str = "drop or convert it") -> None:
        self.feature_names = check_names(table.column_names)
        for field in table.schema:
            if not _is_numeric(field.type):
                raise DataTypeError(
                    f"X: column {field.name!r} must hold numbers, got {field.type}; {hint}."
                )
        self._table = table

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
    except pa.ArrowException as error:
        raise DataTypeError(
            f"X: expected a table of numbers, got one that Arrow cannot read ({error}); convert "
            "or drop the columns that are not numbers."
        ) from error


def select_columns(
    table: pa.Table, columns: Sequence[str] | None, exclude: Sequence[str] | None, where: str
) -> pa.Table:
    """Keep `columns` (all when None) but not those in `exclude`."""
    check_names(table.column_names)
    for name in [*(columns or ()), *(exclude or ())]:
        if name not in table.column_names:
            have = ", ".join(table.column_names)
            raise DataError(f"columns: {where} has no column {name!r}; it has {have}.")
    kept = table.column_names if columns is None else check_names(columns)
    return table.select([name for name in kept if name not in (exclude or ())])


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

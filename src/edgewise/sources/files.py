"""Files of rows: CSV (also compressed), Parquet and .npy, read whole."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from edgewise._validation import check_rows, default_names
from edgewise.errors import DataError
from edgewise.sources.tables import TableSource, check_numeric, one_line, select_columns

_HINT = "leave it out (exclude=..., --exclude) or choose columns (columns=..., --columns)"


def read_files(
    paths: Sequence[str | os.PathLike[str]],
    *,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
) -> TableSource:
    """One source of the rows of all files, which must have the same columns."""
    tables: list[pa.Table] = []
    for path in map(Path, paths):
        table = select_columns(_read(path), columns, exclude, f"file '{path}'")
        check_numeric(table, f"file '{path}'", _HINT)
        if tables:
            table = _same_columns(table, tables[0], path, Path(paths[0]))
        tables.append(table)
    if any(table.schema != tables[0].schema for table in tables):
        # Readers infer types file by file: whole numbers here, fractions there.
        numbers = pa.schema([(name, pa.float64()) for name in tables[0].column_names])
        tables = [_as_numbers(table, numbers) for table in tables]
    return TableSource(pa.concat_tables(tables))


def _as_numbers(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Cast to float64; Arrow takes booleans there only by way of whole numbers."""
    for i, field in enumerate(table.schema):
        if pa.types.is_boolean(field.type):
            table = table.set_column(i, field.name, table.column(i).cast(pa.uint8()))
    return table.cast(schema)


def _read(path: Path) -> pa.Table:
    name = path.name.lower()
    if not path.exists():
        raise DataError(f"data: there is no file '{path}'; check the path.")
    try:
        if name.endswith((".csv", ".csv.gz", ".csv.zst", ".csv.bz2")):
            return _read_csv(path)
        if name.endswith((".parquet", ".pq")):
            from pyarrow import parquet

            return parquet.read_table(path)
        if name.endswith(".npy"):
            return _read_npy(path)
    except pa.ArrowException as error:
        raise DataError(
            f"data: file '{path}' cannot be read: {one_line(error)}. Is it complete, and of the "
            "kind that its name says?"
        ) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataError(f"data: file '{path}' cannot be read: {reason}.") from error
    raise DataError(
        f"data: expected a .csv, .csv.gz, .parquet or .npy file, got '{path}'; convert it first."
    )


def _read_csv(path: Path) -> pa.Table:
    from pyarrow import csv

    try:
        table = csv.read_csv(path)
        # Names are decoded on first use.
        _ = table.column_names
    except UnicodeDecodeError as error:
        raise DataError(
            f"data: file '{path}' is not UTF-8 text ({one_line(error)}); save it as UTF-8."
        ) from error
    return table


def _read_npy(path: Path) -> pa.Table:
    try:
        values = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise DataError(
            f"data: file '{path}' is not a plain .npy array: {one_line(error)}."
        ) from error
    rows = check_rows(values, name=f"file '{path}'")
    names = default_names(rows.shape[1])
    columns = np.ascontiguousarray(rows.T, dtype=np.float64)
    return pa.table(dict(zip(names, columns, strict=True)))


def _same_columns(table: pa.Table, first: pa.Table, path: Path, first_path: Path) -> pa.Table:
    missing = [name for name in first.column_names if name not in table.column_names]
    extra = [name for name in table.column_names if name not in first.column_names]
    if missing or extra:
        what = f"lacks column {missing[0]!r}" if missing else f"has the extra column {extra[0]!r}"
        raise DataError(
            f"data: file '{path}' {what}, unlike '{first_path}'; all files need the same columns."
        )
    return table.select(first.column_names)

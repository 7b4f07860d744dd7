"""A column that says to which group each row belongs: it may hold text, which no test reads."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from edgewise._checks import check_known
from edgewise._linalg import AnyArray
from edgewise._optional import require
from edgewise.errors import DataError, DataTypeError
from edgewise.tables.files import FileTable, expand_paths
from edgewise.tables.formats import is_pipe, open_file, readable
from edgewise.tables.kinds import row_source
from edgewise.tables.not_rows import is_a
from edgewise.tables.reading import Reading, data_and_reading
from edgewise.tables.sliced import check_label_names


def column_of_labels(data: Any, name: str, argument: str = "by") -> AnyArray:
    """The values of a column as objects, in the order of the rows; None where there is none.

    Parameters
    ----------
    data : data frame, Arrow table, array, path or list of paths
        The rows, in memory or in files that can be read again.
    name : str
        The name of the column.
    argument : str
        The argument that names it, for messages.
    """
    data, reading = data_and_reading(data)
    if isinstance(data, FileTable):
        return _of_files(data.paths, name, argument, data.reading)
    paths = data if isinstance(data, list | tuple) else [data]
    if paths and all(isinstance(path, str | os.PathLike) for path in paths):
        return _of_files(paths, name, argument, reading or Reading())
    if (values := _of_object(data, name, argument)) is not None:
        return labels_of(values)
    if isinstance(data, np.ndarray) and data.ndim == 2:
        names = [f"x{i}" for i in range(data.shape[1])]
        return labels_of(data[:, _place(name, names, "the array", argument)].tolist())
    raise DataTypeError(
        f"{argument}: expected the name of a column of a table in memory or of files, got "
        f"{type(data).__name__} as data; split the rows yourself and pass the two groups."
    )


def _of_object(data: Any, name: str, argument: str) -> Any:
    """The values of a column of an object; None if it has no names, or can be read only once."""
    if hasattr(data, "iloc") and hasattr(data, "columns"):
        return data.iloc[:, _place(name, list(data.columns), "the table", argument)]
    if (source := row_source(data)) is not None:
        check_label_names(argument, [name], source)
        return source.labels(name)
    if is_a(data, "polars", "LazyFrame"):
        names = data.collect_schema().names()
        return data.select(names[_place(name, names, "the table", argument)]).collect().to_series()
    if hasattr(data, "__arrow_c_stream__"):
        pa = require("pyarrow", "tables", "A table")
        table = pa.RecordBatchReader.from_stream(data)
        place = _place(name, table.schema.names, "the table", argument)
        return table.read_all().column(place).to_pylist()
    return None


def _of_files(paths: Sequence[Any], name: str, argument: str, reading: Reading) -> AnyArray:
    expanded = expand_paths(paths)
    if expanded == ["-"]:
        raise _read_once(argument, "standard input")
    values: list[Any] = []
    for path in expanded:
        if is_pipe(Path(path)):
            raise _read_once(argument, f"file '{path}'")
        file = open_file(Path(path), reading)
        _place(name, file.names, file.where, argument)
        with readable(file.path):
            values += file.values(name)
    return labels_of(values)


def _read_once(argument: str, where: str) -> DataError:
    return DataError(
        f"{argument}: expected files, got {where}, which can be read only once; write the rows to "
        "a file first."
    )


def labels_of(values: Iterable[Any]) -> AnyArray:
    """Each value as it is, in an array of objects; None for a gap of any library."""
    plain = [value.as_py() if hasattr(value, "as_py") else value for value in values]
    found = np.empty(len(plain), dtype=object)
    found[:] = [None if _is_gap(value) else value for value in plain]
    return found


def _is_gap(value: Any) -> bool:
    # The NA of pandas is neither equal nor unequal to itself.
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def _place(name: str, names: Sequence[Any], where: str, argument: str) -> int:
    texts = [str(one) for one in names]
    check_known(argument, [name], texts, where)
    return texts.index(name)

"""From any data to a table: the only place that decides what kind of data the user passed."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from edgewise._checks import check_choice, check_columns, check_known, check_names
from edgewise.errors import DataError, FormatGuessWarning, ParameterError, warn
from edgewise.tables.arrays import ArrayTable
from edgewise.tables.kinds import gives_batches, kind_of
from edgewise.tables.not_rows import check_is_rows, is_a
from edgewise.tables.options import (
    NORMAL_SCORES,
    TRANSFORMS,
    check_together,
    chosen_columns,
    column_for,
    view,
    weighted_columns,
)
from edgewise.tables.ranks import ScoreMap
from edgewise.tables.reading import Reading, data_and_reading
from edgewise.tables.table import LocalTable, Table, selected_names

if TYPE_CHECKING:
    from edgewise.tables.files import FileTable

_Names = Sequence[str] | None


def as_table(
    data: Any,
    *,
    columns: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    feature_names: Sequence[str] | None = None,
    missing: str = "raise",
    client: Any = None,
    progress: Callable[[int], None] | None = None,
    clusters: Any = None,
    weights: Any = None,
    weight_kind: str = "sampling",
    transform: str | ScoreMap | None = None,
) -> Table:
    """Any data that hold rows as a table; the arguments are those of `edge_test`.

    `progress` is called with the number of rows of each block that was read in this process.
    `transform` may also be the scores of other rows.
    """
    scores = transform if isinstance(transform, ScoreMap) else None
    if scores is not None:
        transform = NORMAL_SCORES
    check_choice("transform", transform, TRANSFORMS)
    check_together(missing, clusters, weights, weight_kind, transform)
    columns, exclude = check_columns("columns", columns), check_columns("exclude", exclude)
    along = clusters if isinstance(clusters, str) else None
    if isinstance(weights, str):
        along = weights
        columns, exclude = weighted_columns(columns, exclude, weights)
    table = open_columns(data, columns, exclude, () if clusters is None else _names(along), client)
    options: dict[str, Any] = {}
    if isinstance(weights, str):
        names = table.feature_names
        check_known("weights", (weights,), names, "the data")
        if names[-1] != weights:
            table = chosen_columns(table, (*(name for name in names if name != weights), weights))
    for argument, values in (("clusters", clusters), ("weights", weights)):
        if values is not None and not isinstance(values, str):
            _check_aligned(
                data, values, argument, "labels" if argument == "clusters" else "weights"
            )
            options["column"] = column_for(table, values, argument)
    if clusters is not None or weights is not None:
        options |= {"clusters": clusters is not None, "along_name": along}
        options["weights"] = None if weights is None else weight_kind
    if feature_names is not None:
        n_along = int(clusters is not None or weights is not None) - ("column" in options)
        options["names"] = check_names(feature_names, len(table.feature_names) - n_along)
    if progress is not None:
        options["progress"] = progress
    if missing in ("drop", "pairwise"):
        options["missing"] = missing
    if transform is not None:
        options |= {"transform": transform, "scores": scores}
    return view(table, **options) if options else table


def _names(name: str | None) -> tuple[str, ...]:
    return () if name is None else (name,)


def _check_aligned(data: Any, values: Any, argument: str, what: str) -> None:
    """Refuse a pandas `Series` with the index of a pandas frame in another order.

    Values go by position. Somebody who thinks in indexes would expect them to follow the index; a
    `Series` whose index only counts from 0, beside a frame with another index, is meant as a list.
    """
    if not (is_a(data, "pandas", "DataFrame") and is_a(values, "pandas", "Series")):
        return
    rows, own = data.index, values.index
    same = len(rows) == len(own) and bool(rows.isin(own).all())
    if own.equals(rows) or (not same and is_a(own, "pandas", "RangeIndex")):
        return
    raise ParameterError(
        f"{argument}: expected {what} in the order of the rows, got a Series whose index differs "
        f"from that of the data; pass {what}.loc[data.index] if the index says which row each "
        f"{what[:-1]} is of, else {what}.to_numpy()."
    )


def open_columns(
    data: Any,
    columns: _Names = None,
    exclude: _Names = None,
    along: Sequence[str] = (),
    client: Any = None,
) -> Table:
    """Some columns of any data, and after them the columns of labels that are read along."""
    chosen: dict[str, Any] = {"columns": columns, "exclude": exclude, "along": along}
    data, reading = data_and_reading(data)
    if client is not None or _is_dask(data) or _is_spark(data):
        return _cluster_table(data, client, reading, **chosen)
    if not isinstance(data, Table):
        return _local_table(data, reading=reading, **chosen)
    _refuse_reading(reading, data)
    if columns is None and exclude is None and not along:
        return data
    names = selected_names(data.feature_names, columns, exclude, "the table", along)
    return data if names == tuple(data.feature_names) else chosen_columns(data, names)


def open_files(
    data: Any,
    *,
    columns: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
) -> FileTable:
    """Open files as a table. Only files can be read from the point where a run stopped."""
    from edgewise.tables.files import FileTable

    columns, exclude = check_columns("columns", columns), check_columns("exclude", exclude)
    data, reading = data_and_reading(data)
    if isinstance(data, FileTable) and columns is None and exclude is None:
        return data
    if isinstance(data, FileTable) or not _is_path_like(data):
        raise DataError(
            f"data: expected a path or a list of paths, got {type(data).__name__}; only files can "
            "be read on from a checkpoint."
        )
    return _told(FileTable(_paths(data), columns=columns, exclude=exclude, reading=reading))


def _told(files: FileTable) -> FileTable:
    """The files; a warning says what was guessed about them, if it is unusual."""
    for note in files.notes:
        warn(note, FormatGuessWarning)
    return files


def _cluster_table(data: Any, client: Any, reading: Reading | None, **chosen: Any) -> Table:
    """A table that a cluster reads."""
    if client is not None:
        from edgewise.tables.dask import check_client

        check_client(client)
    if _is_dask(data):
        from edgewise.tables.dask import dask_table

        _refuse_reading(reading, data)
        return dask_table(data, client=client, **chosen)
    if client is not None:
        if not _is_path_like(data):
            raise ParameterError(
                "client: expected with a dask.array, a dask.dataframe or a list of files, got "
                f"{type(data).__name__}; leave client out."
            )
        from edgewise.tables.dask import dask_file_table
        from edgewise.tables.files import FileTable

        files = _told(FileTable(_paths(data), reading=reading, **chosen))
        return dask_file_table(files, client=client)
    from edgewise.tables.spark import SparkTable

    _refuse_reading(reading, data)
    return SparkTable(data, **chosen)


def _refuse_reading(reading: Reading | None, data: Any) -> None:
    if reading is not None:
        reading.refuse_unless((), f"a {type(data).__name__}")


def _local_table(
    data: Any,
    columns: _Names = None,
    exclude: _Names = None,
    along: Sequence[str] = (),
    reading: Reading | None = None,
) -> LocalTable:
    """A table of rows that are read in this process."""
    if isinstance(data, LocalTable):
        return data
    chosen: dict[str, Any] = {"columns": columns, "exclude": exclude, "along": along}
    if _is_path_like(data):
        from edgewise.tables.files import FileTable

        return _told(FileTable(_paths(data), reading=reading, **chosen))
    if isinstance(data, np.ndarray) and data.dtype.kind in "fiub":
        _refuse_reading(reading, data)
        return ArrayTable(data, **chosen)
    check_is_rows(data)
    kind = kind_of(data)
    _refuse_reading(reading, data)
    if kind is not None:
        return kind.opened(data, **chosen)
    if gives_batches(data):
        from edgewise.tables.streams import IteratorTable

        return IteratorTable(data, partial(_local_table, **chosen))
    return ArrayTable(data, **chosen)


def files_of(data: Any) -> dict[object, str]:
    """The files that data stand for, by what each has in common with its links; none if no files.

    Files that cannot be found are left out; that is told when they are opened.
    """
    from edgewise.tables.files import expand_paths, file_identity

    data, _ = data_and_reading(data)
    paths: list[str] = getattr(data, "paths", []) if isinstance(data, LocalTable) else []
    if _is_path_like(data):
        with suppress(DataError):
            paths = expand_paths(_paths(data))
    found = {file_identity(path): path for path in paths if path != "-"}
    return {identity: path for identity, path in found.items() if identity is not None}


def _is_path_like(data: Any) -> bool:
    """A path, or a non-empty list of paths."""
    items = data if isinstance(data, list | tuple) and data else [data]
    return all(isinstance(item, str | os.PathLike) for item in items)


def _paths(data: Any) -> Sequence[str | os.PathLike[str]]:
    return [data] if isinstance(data, str | os.PathLike) else data


def on_cluster(data: Any, client: Any = None) -> bool:
    """Whether the workers of a cluster would read the rows."""
    data, _ = data_and_reading(data)
    return client is not None or _is_dask(data) or _is_spark(data)


def _is_dask(data: Any) -> bool:
    """Whether `data` is a collection of Dask, without importing it."""
    # The type is checked, because a `Delayed` object seems to have every attribute.
    kind = type(data)
    return kind.__module__.partition(".")[0] == "dask" and hasattr(kind, "__dask_graph__")


def _is_spark(data: Any) -> bool:
    """Whether `data` is a Spark data frame (classic or Connect), without importing pyspark."""
    # The type is checked, because a Spark column seems to have every attribute.
    kind = type(data)
    return kind.__module__.startswith("pyspark.sql") and hasattr(kind, "mapInArrow")

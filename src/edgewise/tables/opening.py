"""`open_table`: the only place that decides what kind of data the user passed."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from edgewise._base.checks import check_choice, check_columns, check_known, check_names
from edgewise._base.warn import warn
from edgewise.errors import DataError, GuessedFormatWarning, ParameterError
from edgewise.tables.arrays import ArrayTable
from edgewise.tables.grouping import GroupedTable, WithColumn
from edgewise.tables.kinds import gives_batches, kind_of
from edgewise.tables.missing import MISSING, PartialTable, refuse_pairwise
from edgewise.tables.normal_scores import TRANSFORMS, NormalScores, ScoreMap
from edgewise.tables.not_rows import check_is_rows, is_a
from edgewise.tables.reading import Reading, data_and_reading
from edgewise.tables.selection import selected_names
from edgewise.tables.table import LocalTable, Table
from edgewise.tables.views import ChosenColumns, FiniteRows, RenamedColumns, WatchedRows
from edgewise.tables.weighting import (
    WEIGHT_KINDS,
    RepeatedRows,
    WeightedTable,
    some_weights,
    weighted_columns,
)

if TYPE_CHECKING:
    from edgewise.tables.files import FileTable
    from edgewise.tables.partitioned import PartitionedTable

_Names = Sequence[str] | None


def open_table(
    data: Any,
    *,
    columns: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    feature_names: Sequence[str] | None = None,
    missing: str = "raise",
    client: Any = None,
    progress: Callable[[int], None] | None = None,
    groups: Any = None,
    weights: Any = None,
    weight_kind: str = "sampling",
    transform: str | ScoreMap | None = None,
) -> Table:
    """Open any data that hold rows as a table; the arguments are those of `edge_test`.

    With `missing="pairwise"` it is a `PartialTable`, with `groups` a `GroupedTable`, with sampling
    weights a `WeightedTable`. `progress` is called with the number of rows of each block that was
    read in this process. `transform` may also be the scores of other rows.
    """
    check_choice("missing", missing, MISSING)
    check_choice("weight_kind", weight_kind, WEIGHT_KINDS)
    if isinstance(data, GroupedTable | WeightedTable):
        asked = (columns, exclude, feature_names, progress, groups, weights, transform)
        if missing != "raise" or any(one is not None for one in asked):
            what = "groups" if isinstance(data, GroupedTable) else "weights"
            raise ParameterError(
                f"data: expected rows whose {what} are not yet known, got a table of {what}; "
                "choose its columns and rows when it is opened."
            )
        return data
    known = transform if isinstance(transform, ScoreMap) else None
    if known is None:
        check_choice("transform", transform, TRANSFORMS)
    sampling = weights is not None and weight_kind == "sampling"
    _check_together(missing, groups, weights, sampling, transform)
    columns, exclude = check_columns("columns", columns), check_columns("exclude", exclude)
    along = (groups,) if isinstance(groups, str) else ()
    if isinstance(weights, str):
        columns, exclude = weighted_columns(columns, exclude, weights)
    table = open_columns(data, columns, exclude, along, client)
    if groups is not None and not along:
        _check_aligned(data, groups, "groups", "labels")
        table = WithColumn(table, groups)
    if weights is not None:
        table = _with_weights(table, data, weights)
    if feature_names is not None:
        read_along = groups is not None or weights is not None
        labels = table.feature_names[-1:] if read_along else ()
        variables = len(table.feature_names) - len(labels)
        table = RenamedColumns(table, check_names(feature_names, variables) + labels)
    if progress is not None:
        table = WatchedRows(table, progress)
    last = int(weights is not None)
    if missing == "drop":
        table = FiniteRows(table, but_last=last)
    elif missing == "pairwise":
        table = PartialTable(table, but_last=last)
    if weights is not None:
        name = weights if isinstance(weights, str) else None
        table = (WeightedTable if sampling else RepeatedRows)(table, name)
    if transform is not None:
        table = NormalScores(table, n_labels=int(groups is not None), known=known)
    return table if groups is None else GroupedTable(table, groups if along else None)


def _check_together(
    missing: str, groups: Any, weights: Any, sampling: bool, transform: object
) -> None:
    """Refuse what has no meaning together, or none that is known."""
    if groups is not None:
        refuse_pairwise(missing, "groups")
        if weights is not None:
            raise ParameterError("weights: expected without groups, got both; leave one out.")
    if transform is not None:
        refuse_pairwise(missing, "transform")
        if sampling:
            raise ParameterError(
                "weights: expected without transform, got both; ranks of weighted rows are not "
                "known to keep the level. Leave one of the two out."
            )


def _with_weights(table: Table, data: Any, weights: Any) -> Table:
    """The table with its weights as the last column."""
    if not isinstance(weights, str):
        _check_aligned(data, weights, "weights", "weights")
        return WithColumn(table, weights, some_weights, argument="weights", what="weight")
    names = table.feature_names
    check_known("weights", (weights,), names, "the data")
    if names[-1] == weights:
        return table
    return ChosenColumns(table, (*(name for name in names if name != weights), weights))


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
    # One attribute is checked first: checking the whole protocol takes as long as a small test.
    if not (hasattr(data, "part_rows") and isinstance(data, Table)):
        return _local_table(data, reading=reading, **chosen)
    _refuse_reading(reading, data)
    if columns is None and exclude is None and not along:
        return data
    names = selected_names(data.feature_names, columns, exclude, "the table", along)
    return data if names == tuple(data.feature_names) else ChosenColumns(data, names)


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
        warn(note, GuessedFormatWarning)
    return files


def _cluster_table(
    data: Any, client: Any, reading: Reading | None, **chosen: Any
) -> PartitionedTable | Table:
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

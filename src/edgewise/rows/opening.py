"""`open_table`: the only place that decides what kind of data the user passed."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from edgewise._base.checks import check_columns, check_flag, check_names
from edgewise.errors import DataError, DataTypeError, ParameterError
from edgewise.rows.grouping import GroupedTable, WithLabels
from edgewise.rows.readers.arrays import ArrayTable
from edgewise.rows.selection import selected_names
from edgewise.rows.table import LocalTable, Table
from edgewise.rows.views import ChosenColumns, FiniteRows, RenamedColumns, WatchedRows

if TYPE_CHECKING:
    from edgewise.rows.clusters.partitioned import PartitionedTable
    from edgewise.rows.readers.files import FileTable

# Common objects that are one step away from rows, and what to pass instead.
_NOT_YET_ROWS = {
    "LazyFrame": "what its collect() gives",
    "DuckDBPyConnection": "a query, as in connection.sql(...)",
    "Connection": "an ADBC cursor that has executed a query, or the data frame of one",
}

_Names = Sequence[str] | None


def open_table(
    data: Any,
    *,
    columns: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    feature_names: Sequence[str] | None = None,
    drop_missing: bool = False,
    client: Any = None,
    progress: Callable[[int], None] | None = None,
    groups: Any = None,
) -> Table:
    """Open any data that hold rows as a table.

    Parameters
    ----------
    data : array-like, data frame, Arrow stream, path, list of paths, iterator, or a table
        The rows. The rows of a `dask.array`, a `dask.dataframe` or a Spark data frame stay on the
        cluster.
    columns : str or sequence of str, optional
        The columns to keep, by name and in this order; all by default.
    exclude : str or sequence of str, optional
        Columns to leave out.
    feature_names : sequence of str, optional
        New names for the columns that are kept.
    drop_missing : bool
        Leave out rows with NaN or infinite values.
    client : distributed.Client, optional
        A Dask cluster that works on data of Dask, or reads files.
    progress : callable, optional
        Called with the number of rows of each block that was read in this process.
    groups : str or array-like, optional
        Which rows belong together: a column of labels, or one label for each row. The table is
        then a `GroupedTable`.

    Returns
    -------
    Table
        The table, over which passes can be run.
    """
    check_flag("drop_missing", drop_missing)
    if isinstance(data, GroupedTable):
        if drop_missing or any(
            given is not None for given in (columns, exclude, feature_names, progress, groups)
        ):
            raise ParameterError(
                "data: expected rows whose groups are not yet known, got a table of groups; choose "
                "its columns and rows when it is opened."
            )
        return data
    columns, exclude = check_columns("columns", columns), check_columns("exclude", exclude)
    along = (groups,) if isinstance(groups, str) else ()
    table = open_columns(data, columns, exclude, along, client)
    if groups is not None and not along:
        table = WithLabels(table, groups)
    if feature_names is not None:
        labels = table.feature_names[-1:] if groups is not None else ()
        variables = len(table.feature_names) - len(labels)
        table = RenamedColumns(table, check_names(feature_names, variables) + labels)
    if progress is not None:
        table = WatchedRows(table, progress)
    if drop_missing:
        table = FiniteRows(table)
    return table if groups is None else GroupedTable(table, groups if along else None)


def open_columns(
    data: Any,
    columns: _Names = None,
    exclude: _Names = None,
    along: Sequence[str] = (),
    client: Any = None,
) -> Table:
    """Some columns of any data, and after them the columns of labels that are read along."""
    chosen: dict[str, Any] = {"columns": columns, "exclude": exclude, "along": along}
    return _cluster_table(data, client, **chosen) or _table(data, **chosen)


def open_files(
    data: Any,
    *,
    columns: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
) -> FileTable:
    """Open files as a table. Only files can be read from the point where a run stopped."""
    from edgewise.rows.readers.files import FileTable

    columns, exclude = check_columns("columns", columns), check_columns("exclude", exclude)
    if isinstance(data, FileTable) and columns is None and exclude is None:
        return data
    if isinstance(data, FileTable) or not _is_path_like(data):
        raise DataError(
            f"data: expected a path or a list of paths, got {type(data).__name__}; only files can "
            "be read on from a checkpoint."
        )
    return FileTable(_paths(data), columns=columns, exclude=exclude)


def _cluster_table(data: Any, client: Any, **chosen: Any) -> PartitionedTable | Table | None:
    """A table that a cluster reads; None if the data are in this process."""
    dask = _is_dask(data)
    if dask and client is None:
        from edgewise.rows.clusters.dask import current_client

        client = current_client()
    if client is not None:
        from edgewise.rows.clusters.connecting import check_client

        check_client(client)
    if dask:
        from edgewise.rows.clusters.dask import dask_table

        return dask_table(data, client=client, **chosen)
    if client is not None:
        if not _is_path_like(data):
            raise ParameterError(
                "client: expected with a dask.array, a dask.dataframe or a list of files, got "
                f"{type(data).__name__}; leave client out."
            )
        from edgewise.rows.clusters.dask import dask_file_table
        from edgewise.rows.readers.files import FileTable

        return dask_file_table(FileTable(_paths(data), **chosen), client=client)
    if _is_spark(data):
        from edgewise.rows.clusters.spark import SparkTable

        return SparkTable(data, **chosen)
    return None


def _table(data: Any, columns: _Names, exclude: _Names, along: Sequence[str]) -> Table:
    """The given table with the chosen columns, or a new table of the data."""
    # One attribute is checked first: checking the whole protocol takes as long as a small test.
    if not (hasattr(data, "part_rows") and isinstance(data, Table)):
        return _local_table(data, columns, exclude, along)
    if columns is None and exclude is None and not along:
        return data
    names = selected_names(data.feature_names, columns, exclude, "the table", along)
    return data if names == tuple(data.feature_names) else ChosenColumns(data, names)


def _local_table(
    data: Any, columns: _Names = None, exclude: _Names = None, along: Sequence[str] = ()
) -> LocalTable:
    """A table of rows that are read in this process."""
    if isinstance(data, LocalTable):
        return data
    chosen: dict[str, Any] = {"columns": columns, "exclude": exclude, "along": along}
    if _is_path_like(data):
        from edgewise.rows.readers.files import FileTable

        return FileTable(_paths(data), **chosen)
    if _is_pandas(data):
        from edgewise.rows.readers.frames import PandasTable

        return PandasTable(data, **chosen)
    if (stream := _arrow_stream(data)) is not None:
        from edgewise.rows.readers.arrow import ArrowTable

        return ArrowTable(stream, **chosen)
    if hasattr(data, "read") and hasattr(data, "__next__"):
        raise DataTypeError(
            f"data: expected a path, got an open file ({type(data).__name__}); pass its name."
        )
    if hasattr(data, "__next__"):
        from edgewise.rows.readers.iterators import IteratorTable

        return IteratorTable(data, partial(_local_table, **chosen))
    for kind, remedy in _NOT_YET_ROWS.items():
        if type(data).__name__ == kind:
            raise DataTypeError(f"data: expected rows, got a {kind}; pass {remedy}.")
    return ArrayTable(data, **chosen)


def _arrow_stream(data: Any) -> Any:
    """The object that exports an Arrow C stream of the data; None if there is none."""
    if hasattr(data, "__arrow_c_stream__"):
        return data
    if hasattr(data, "__arrow_c_array__") and hasattr(data, "num_columns"):
        import pyarrow as pa

        return pa.table(data)
    if hasattr(data, "fetch_record_batch"):
        return data.fetch_record_batch()  # a database cursor (ADBC)
    return None


def _is_path_like(data: Any) -> bool:
    """A path, or a non-empty list of paths."""
    items = data if isinstance(data, list | tuple) and data else [data]
    return all(isinstance(item, str | os.PathLike) for item in items)


def _paths(data: Any) -> Sequence[str | os.PathLike[str]]:
    return [data] if isinstance(data, str | os.PathLike) else data


def _is_pandas(data: Any) -> bool:
    return (
        type(data).__module__.partition(".")[0] == "pandas"
        and hasattr(data, "iloc")
        and hasattr(data, "columns")
    )


def on_cluster(data: Any, client: Any = None) -> bool:
    """Whether the workers of a cluster would read the rows."""
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

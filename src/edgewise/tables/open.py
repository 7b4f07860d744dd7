"""From any data to a table: the only place that decides what kind of data the user passed.

An object is recognised by the names of its classes or by what it can do, so that no package is
imported to find out. Its reader is imported when the first object of its kind arrives.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from edgewise._checks import check_choice, check_columns, check_known, check_names
from edgewise._linalg import AnyArray
from edgewise.errors import DataError, DataTypeError, FormatGuessWarning, ParameterError, warn
from edgewise.tables.arrays import ArrayTable, is_sparse
from edgewise.tables.options import (
    TRANSFORMS,
    check_together,
    chosen_columns,
    column_for,
    options_of,
    view,
    weighted_columns,
)
from edgewise.tables.reading import DataToRead, data_and_reading
from edgewise.tables.table import Table, select_columns

if TYPE_CHECKING:
    from edgewise.tables.files import FileTable

_Names = Sequence[str] | None


def as_table(
    data: Any,
    *,
    columns: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    feature_names: Sequence[str] | None = None,
    missing: str = "auto",
    client: Any = None,
    progress: Callable[[int], None] | None = None,
    clusters: Any = None,
    weights: Any = None,
    weight_kind: str = "sampling",
    transform: str | None = None,
) -> Table:
    """Any data that hold rows as a table; the arguments are those of `edge_test`."""
    if isinstance(data, DataToRead):
        client = data.client if client is None else client
        weight_kind = data.weight_kind if weight_kind == "sampling" else weight_kind
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
        if weights in table.left_out:
            raise DataTypeError(
                f"weights: column {weights!r} must hold numbers, got {table.left_out[weights]}."
            )
        check_known("weights", (weights,), names, "the data")
        if names[-1] != weights:
            table = chosen_columns(table, (*(name for name in names if name != weights), weights))
    for argument, values in (("clusters", clusters), ("weights", weights)):
        if values is not None and not isinstance(values, str):
            _check_aligned(
                data_and_reading(data)[0],
                values,
                argument,
                "labels" if argument == "clusters" else "weights",
            )
            options["column"] = column_for(table, values, argument)
    if clusters is not None or weights is not None:
        options |= {"clusters": clusters is not None, "along_name": along}
        options["weights"] = None if weights is None else weight_kind
    if feature_names is not None:
        n_along = int(clusters is not None or weights is not None) - ("column" in options)
        options["names"] = check_names(feature_names, len(table.feature_names) - n_along)
    elif along is not None and options_of(table).names is not None:
        options["names"] = table.feature_names[:-1]
    if progress is not None:
        options["progress"] = progress
    if transform is not None:
        options["transform"] = transform
    if missing in ("drop", "pairwise") or (missing == "raise" and options):
        options["missing"] = missing
    return view(table, **options) if options else table


def _names(name: str | None) -> tuple[str, ...]:
    return () if name is None else (name,)


def _check_aligned(data: Any, values: Any, argument: str, what: str) -> None:
    """Refuse a pandas `Series` whose index is that of a pandas frame in another order.

    Values go by position; an index that only counts from 0 is meant as a list.
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


def is_a(data: Any, package: str, name: str) -> bool:
    """Whether `data` is an instance of a class, which is not imported to find out."""
    kinds = type(data).__mro__
    return any(one.__name__ == name and _package(one) == package for one in kinds)


def _package(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def _is_dataset(data: Any) -> bool:
    kinds = (("pyarrow", "Dataset"), ("pyarrow", "Scanner"), ("pyiceberg", "Table"))
    known = any(is_a(data, *kind) for kind in kinds)
    return known or hasattr(data, "to_pyarrow_dataset") or hasattr(data, "to_arrow_batch_reader")


def _is_frame(data: Any) -> bool:
    arrow = ("__arrow_c_stream__", "fetch_record_batch", "__arrow_c_array__", "collect_schema")
    return any(hasattr(data, name) for name in arrow) and not isinstance(data, Mapping)


def _has_records(data: Any) -> bool:
    if not isinstance(data, list | tuple) or not data:
        return False
    kind = type(data[0])
    named = hasattr(kind, "_fields") or (kind.__module__, kind.__name__) == ("sqlite3", "Row")
    return named or isinstance(data[0], Mapping)


def _is_cursor(data: Any) -> bool:
    named = hasattr(data, "description") or is_a(data, "sqlalchemy", "Result")
    return named and hasattr(type(data), "fetchmany")


# Which reader reads an object: the first that fits is taken.
_CONTAINERS: tuple[tuple[Callable[[Any], bool], str], ...] = (
    (partial(is_a, package="pandas", name="DataFrame"), "frames:PandasTable"),
    (_is_dataset, "files:DatasetTable"),
    (_is_frame, "frames:frame_table"),
    (is_sparse, "arrays:SparseTable"),
    (
        lambda data: isinstance(data, np.ndarray) and data.dtype.names is not None,
        "arrays:structured_table",
    ),
    (lambda data: isinstance(data, Mapping), "arrays:MappingTable"),
    (_has_records, "arrays:record_table"),
    (_is_cursor, "streams:CursorTable"),
    (
        lambda data: hasattr(type(data), "__dlpack__") and not isinstance(data, np.ndarray),
        "arrays:tensor_table",
    ),
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
    if isinstance(data, np.ndarray) and data.dtype.kind in "fiub" and client is None:
        return ArrayTable(data, **chosen)
    if client is not None:
        from edgewise.tables.dask import check_client

        check_client(client)
    if isinstance(data, DataToRead) and data.feature_names is not None:
        whole = open_columns(replace(data, feature_names=None), client=client)
        names = check_names(data.feature_names, len(whole.feature_names))
        return open_columns(view(whole, names=names), **chosen)
    data, reading = data_and_reading(data)
    if isinstance(data, Table):
        if reading is not None:
            reading.refuse_unless((), "a table that is open")
        if columns is None and exclude is None and not along:
            return data
        names, _ = select_columns(data.feature_names, "the table", **chosen)
        return data if names == tuple(data.feature_names) else chosen_columns(data, names)
    if _is_path_like(data):
        from edgewise.tables.files import DatasetTable, FileTable, opened_lake

        if (lake := opened_lake(_paths(data))) is not None:
            return DatasetTable(lake, **chosen)
        files = FileTable(_paths(data), reading=reading, **chosen)
        _warn_about_guesses(files)
        if client is None:
            return files
        from edgewise.tables.dask import dask_file_table

        return dask_file_table(files, client=client)
    if reading is not None:
        reading.refuse_unless((), f"a {type(data).__name__}")
    if _is_dask(data):
        from edgewise.tables.dask import dask_table

        return dask_table(data, client=client, **chosen)
    if client is not None:
        raise ParameterError(
            "client: expected with a dask.array, a dask.dataframe or a list of files, got "
            f"{type(data).__name__}; leave client out."
        )
    if _is_spark(data):
        from edgewise.tables.spark import SparkTable

        return SparkTable(data, **chosen)
    check_is_rows(data)
    for fits, reader in _CONTAINERS:
        if fits(data):
            module, _, name = reader.partition(":")
            table: Table = getattr(import_module(f"edgewise.tables.{module}"), name)(data, **chosen)
            return table
    if (hasattr(data, "__next__") and hasattr(data, "__iter__")) or is_a(
        data, "torch", "DataLoader"
    ):
        from edgewise.tables.streams import IteratorTable

        return IteratorTable(data, partial(open_columns, **chosen))
    return ArrayTable(data, **chosen)


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
    files = FileTable(_paths(data), columns=columns, exclude=exclude, reading=reading)
    _warn_about_guesses(files)
    return files


def _warn_about_guesses(files: FileTable) -> None:
    for note in files.notes:
        warn(note, FormatGuessWarning)


def files_of(data: Any) -> dict[object, str]:
    """The files that data stand for, without those that cannot be found; none if no files."""
    from edgewise.tables.files import expand_paths, file_identity

    data, _ = data_and_reading(data)
    paths: list[str] = getattr(data, "paths", []) if isinstance(data, Table) else []
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


def on_cluster(data: Any) -> bool:
    """Whether the workers of a cluster would read the rows."""
    if isinstance(data, DataToRead):
        return data.client is not None or on_cluster(data.data)
    return _is_dask(data) or _is_spark(data)


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


def column_of_labels(data: Any, name: str, argument: str = "by") -> AnyArray:
    """The values of a column of any data as objects, in the order of the rows; None for a gap."""
    table = None
    if data not in ("-", ["-"], ("-",)) if _is_path_like(data) else not on_cluster(data):
        try:
            table = open_columns(data, along=(name,))
        except DataError as error:  # which speaks of the labels of clusters
            raise type(error)(str(error).replace("clusters:", f"{argument}:", 1)) from error
    if table is None or not table.column_names or not table.rescannable:
        what = "standard input" if _is_path_like(data) else type(data).__name__
        raise DataTypeError(
            f"{argument}: expected the name of a column of a table in memory or of files, got "
            f"{what} as data; split the rows yourself and pass the two groups."
        )
    return labels_of(table.labels(name))


def labels_of(values: Iterable[Any]) -> AnyArray:
    """Each value as it is, in an array of objects; None for a gap of any library."""
    plain = [value.as_py() if hasattr(value, "as_py") else value for value in values]
    found = np.empty(len(plain), dtype=object)
    # The NA of pandas is neither equal nor unequal to itself.
    found[:] = [
        None
        if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value
        else value
        for value in plain
    ]
    return found


# Objects that are one step away from rows, by package and class, which may be a base class: what
# to pass instead.
_ONE_COLUMN = "a frame of several columns, as in frame[['a', 'b']]"
_QUERY = "what connection.execute(query) gives"

_REMEDIES = {
    ("pandas", "Series"): _ONE_COLUMN,
    ("pandas", "Index"): _ONE_COLUMN,
    ("pandas", "BaseGroupBy"): "the frame itself, and the column as clusters",
    ("polars", "Series"): _ONE_COLUMN,
    ("polars", "GroupBy"): "the frame itself, and the column as clusters",
    ("pyarrow", "Array"): "a table of several columns",
    ("pyarrow", "ChunkedArray"): "a table of several columns",
    ("narwhals", "LazyFrame"): "data.to_native() or data.collect()",
    ("datasets", "Dataset"): "data.with_format('arrow')[:]",
    ("datasets", "DatasetDict"): "one of its splits, data['train'].with_format('arrow')[:]",
    ("datasets", "IterableDataset"): "its batches, data.with_format('arrow').iter(batch_size=1000),"
    " with method='batch'",
    ("torch", "Dataset"): "its values as one tensor, or a DataLoader of it with method='batch'",
    ("xarray", "DataArray"): "data.to_pandas(), with the rows along the first of two dimensions",
    ("xarray", "Dataset"): "data.to_dataarray().T.to_pandas(), or data['name'].to_pandas()",
    ("xarray", "DataTree"): "one of its arrays, as in data['group/name'].to_pandas()",
    ("mudata", "MuData"): "one of its modalities, as in data.mod['rna'].to_df()",
    (
        "anndata",
        "AnnData",
    ): "data.to_df() or data[:, genes].to_df(), with clusters=data.obs['donor']",
    ("anndata", "Raw"): "data.to_adata().to_df()",
    ("mne", "BaseRaw"): "data.get_data().T, with feature_names=data.ch_names, after "
    "data = data.copy().pick('data', exclude='bads')",
    ("mne", "BaseEpochs"): "np.concatenate(data.get_data().transpose(0, 2, 1)), with "
    "feature_names=data.ch_names and clusters=np.repeat(data.selection, len(data.times))",
    ("mne", "Evoked"): "data.data.T, with feature_names=data.ch_names",
    ("mne", "_BaseSourceEstimate"): "its values, data.data.T",
    ("_duckdb", "DuckDBPyConnection"): "a query, as in connection.sql(...)",
    ("duckdb", "DuckDBPyConnection"): "a query, as in connection.sql(...)",
    ("sqlalchemy", "Engine"): _QUERY,
    ("sqlalchemy", "Connection"): _QUERY,
    ("sqlalchemy", "Session"): "what session.execute(query) gives",
    ("sqlalchemy", "Executable"): _QUERY,
}

# How tables of a package are put one below another; NumPy does it for all others.
_STACKED = {
    "pandas": "pandas.concat(data)",
    "polars": "polars.concat(data)",
    "pyarrow": "pyarrow.concat_tables(data)",
    "anndata": "anndata.concat(data).to_df()",
    "scipy": "scipy.sparse.vstack(data)",
    "torch": "torch.cat(data)",
}


def check_is_rows(data: Any) -> None:
    """Refuse objects that hold rows only after one more step, and say which."""
    first = data[0] if isinstance(data, list | tuple) and data else data
    kinds = (*type(data).__mro__, *(one for one in type(first).__mro__ if _package(one) == "mne"))
    for package, name in [(_package(one), one.__name__) for one in kinds]:
        if (remedy := _REMEDIES.get((package, name))) is not None:
            what = f"{package.lstrip('_')} {type(first).__name__}"
            what = what if first is data else f"list of {what}"
            raise DataTypeError(f"data: expected rows, got a {what}; pass {remedy}.")
    if isinstance(data, type):
        raise DataTypeError(f"data: expected rows, got the class {data.__name__}; pass an object.")
    # The type is asked, because the columns of some frames are attributes of them.
    kind = type(data)
    if is_a(data, "pandas", "TextFileReader"):
        return  # frames, one by one
    if hasattr(kind, "read") and hasattr(kind, "__next__"):
        raise DataTypeError(
            f"data: expected a path, got an open file ({kind.__name__}); pass its name."
        )
    if hasattr(kind, "cursor") and hasattr(kind, "commit"):
        raise DataTypeError(
            f"data: expected rows, got a {kind.__name__} to a database; pass a cursor that "
            "has executed a query, or the data frame of one."
        )
    if _holds_tables(data):
        raise _many_tables(data)


def _holds_tables(data: Any) -> bool:
    """Whether the first item of a list is a table of its own."""
    listed = isinstance(data, list | tuple) or (
        isinstance(data, np.ndarray) and data.dtype.kind == "O" and data.ndim == 1
    )
    return listed and len(data) > 0 and _is_table(data[0])


def _is_table(item: Any) -> bool:
    if isinstance(item, list | tuple):
        return False
    shape = getattr(item, "shape", None)
    return isinstance(shape, tuple) and len(shape) == 2


def _many_tables(data: Sequence[Any]) -> DataError:
    if not all(_is_table(item) for item in data):
        return DataError(
            f"data: expected one table, got a {type(data).__name__} of a table and something else, "
            "as in (X, y); pass the table alone, data[0]."
        )
    n = len(data)
    package = type(data[0]).__module__.partition(".")[0]
    stacked = _STACKED.get(package, "np.concatenate(data)")
    if n == 1:
        return DataError("data: expected one table, got it in a list; pass data[0].")
    return DataError(
        f"data: expected one table, got {n}; if they are the rows of {n} subjects, pass {stacked} "
        f"and clusters=np.repeat(range({n}), [one.shape[0] for one in data])."
    )

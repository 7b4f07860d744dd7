"""From any data to a table: `open_table`, and the only place that decides what kind of data it is.

An object is recognised by the names of its classes or by what it can do, so that no package is
imported to find out. Its reader is imported when the first object of its kind arrives.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import partial
from importlib import import_module
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from edgewise._checks import (
    check_choice,
    check_columns,
    check_count,
    check_flag,
    check_known,
    check_names,
)
from edgewise._linalg import AnyArray
from edgewise.errors import DataError, DataTypeError, FormatGuessWarning, ParameterError, warn
from edgewise.tables.arrays import ArrayTable, is_sparse
from edgewise.tables.categories import categories_among, indicator_table
from edgewise.tables.options import (
    MISSING,
    NORMAL_SCORES,
    TRANSFORMS,
    chosen_columns,
    column_for,
    options_of,
    refuse_pairwise,
    view,
    weighted_columns,
)
from edgewise.tables.table import Table, not_numbers, select_columns

if TYPE_CHECKING:
    from edgewise.tables.files import FileTable

# What the user says about how to read data; the rest is worked out from them.

#: Options of text files, and of everything that holds text cells.
TEXT = frozenset({"sep", "decimal", "encoding", "quote", "skip"})
CELLS = frozenset({"na_values", "header", "index_col"})


@dataclass(frozen=True, slots=True)
class Reading:
    """The options of `open_table`, checked; None for what is worked out from the data."""

    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    quote: str | None = None
    skip: int | None = None
    na_values: tuple[str, ...] = ()
    header: bool | None = None
    index_col: str | int | bool | None = None
    sheet: str | int | None = None

    def given(self) -> list[str]:
        return [one.name for one in fields(self) if getattr(self, one.name) not in (None, ())]

    def refuse_unless(self, known: Collection[str], what: str) -> None:
        for name in self.given():
            if name not in known:
                kinds = "a workbook (.xlsx)" if name == "sheet" else "text files such as .csv"
                raise ParameterError(f"{name}: expected {kinds}, got {what}; leave the option out.")


@dataclass(frozen=True, eq=False, slots=True)
class DataToRead:
    """Data and how to read them; every function that takes data takes this too.

    Nothing is read until a function needs it, and then only the columns that it asks for.

    Attributes
    ----------
    data : object
        What `open_table` was given.
    reading : Reading
        How it is read.
    client : distributed.Client or None
        The Dask cluster that reads it.
    feature_names : tuple of str or None
        Names of all columns, in place of those that come with the data.

    Examples
    --------
    >>> import edgewise as ew
    >>> ew.open_table("rows.csv", sep=";", decimal=",")
    open_table('rows.csv', sep=';', decimal=',')
    """

    data: Any
    reading: Reading
    client: Any = None
    feature_names: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        said = "".join(f", {name}={getattr(self.reading, name)!r}" for name in self.reading.given())
        return f"open_table({self.data!r}{said})"


def open_table(
    data: Any,
    *,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    quote: str | None = None,
    skip: int | None = None,
    na_values: str | Sequence[str] = (),
    header: bool | None = None,
    index_col: str | int | bool | None = None,
    sheet: str | int | None = None,
    feature_names: Sequence[str] | None = None,
    client: Any = None,
) -> DataToRead:
    """Say how to read data; what you set is never guessed.

    Parameters
    ----------
    data : path or list of paths
        A file, a folder, a pattern, or several of them; with the last two options any data.
    sep : str, optional
        The character between the cells of a text file; "tab"; or "whitespace" for several blanks.
    decimal : {".", ","}, optional
        The decimal point of a text file.
    encoding : str, optional
        The encoding of a text file, such as "latin-1" or "utf-16".
    quote : {'"', "'"}, optional
        The quotes around cells of a text file.
    skip : int, optional
        How many lines above the names (or the first row) of a text file are a title, say.
    na_values : str or sequence of str
        Further texts that stand for missing values, such as "?" or "-999".
    header : bool, optional
        Whether the first line holds the names of the columns.
    index_col : str, int or False, optional
        The column that numbers or names the rows, by name or by place from 0; False for none.
    sheet : str or int, optional
        The sheet of a workbook (.xlsx), by name or by place; by default the first.
    feature_names : sequence of str, optional
        Names of the columns of numbers, in place of those that come with the data.
    client : distributed.Client, optional
        A Dask cluster that reads the files, or works on the data of Dask.

    Returns
    -------
    DataToRead
        What `edge_test` and all other functions take as data. Nothing is read yet.

    Examples
    --------
    >>> import edgewise as ew
    >>> ew.open_table("rows.csv", sep=";", decimal=",", na_values="-999")
    open_table('rows.csv', sep=';', decimal=',', na_values=('-999',))
    """
    named = {"tab": "\t", "\\t": "\t", " ": "whitespace"}
    text = named.get(sep, sep) if isinstance(sep, str) else ""
    one_character = len(text) == 1 and text.isascii() and text not in '\n\r"'
    if sep is not None and text != "whitespace" and not one_character:
        raise ParameterError(
            f"sep: expected one character, such as ';', or 'tab' or 'whitespace', got {sep!r}."
        )
    for name, value, choices in (("decimal", decimal, ".,"), ("quote", quote, "\"'")):
        if value is not None:
            check_choice(name, value, tuple(choices))
    try:
        known = None if encoding is None else codecs.lookup(encoding).name
    except (LookupError, TypeError, ValueError):
        raise ParameterError(
            f"encoding: expected the name of an encoding, such as 'latin-1', got {encoding!r}."
        ) from None
    places: list[Any] = []
    for name, place in (("index_col", index_col), ("sheet", sheet)):
        number = isinstance(place, Integral) and not isinstance(place, bool) and int(place) >= 0
        off = place is None or (place is False and name == "index_col")
        if not (off or number or isinstance(place, str)):
            raise ParameterError(f"{name}: expected a name or a place from 0 on, got {place!r}.")
        places.append(int(place) if number else place)  # type: ignore[arg-type]
    several = isinstance(na_values, Iterable) and not isinstance(na_values, str | bytes)
    reading = Reading(
        None if sep is None else text,
        decimal,
        known,
        quote,
        None if skip is None else check_count("skip", skip, at_least=0),
        tuple(map(str, na_values if several else [na_values])),
        None if header is None else check_flag("header", header),
        *places,
    )
    names = None if feature_names is None else check_names(feature_names)
    return DataToRead(data, reading, client, names)


def data_and_reading(data: Any) -> tuple[Any, Reading | None]:
    """What `open_table` was given, and its options; other data as they are."""
    return (data.data, data.reading) if isinstance(data, DataToRead) else (data, None)


# Tables.


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
    transform: str | None = None,
    given: str | Sequence[str] | None = None,
) -> Table:
    """Any data that hold rows as a table; the arguments are those of `edge_test`.

    Columns of `given` that hold categories become indicators.
    """
    if client is None and isinstance(data, DataToRead):
        client = data.client
    check_choice("transform", transform, TRANSFORMS)
    check_choice("missing", missing, MISSING)
    if clusters is not None:
        refuse_pairwise(missing, "clusters")
    if transform == NORMAL_SCORES:
        refuse_pairwise(missing, "transform")
    if weights is not None and clusters is not None:
        raise ParameterError("`weights` and `clusters` cannot be combined.")
    if weights is not None and transform is not None:
        raise ParameterError("`weights` and `transform` cannot be combined.")
    columns, exclude = check_columns("columns", columns), check_columns("exclude", exclude)
    # One of the two at most.
    argument, beside = ("clusters", clusters) if weights is None else ("weights", weights)
    labels = (clusters,) if isinstance(clusters, str) else ()
    if isinstance(weights, str):
        columns, exclude = weighted_columns(columns, exclude, weights)
    categories: list[str] = []
    if given and not hasattr(data, "__next__"):
        categories = categories_among(
            check_columns("given", given) or (), partial(open_columns, data, client=client)
        )
    if columns is not None:
        columns = [name for name in columns if name not in categories]
    table = open_columns(data, columns, exclude, (*categories, *labels), client)
    if categories:
        table = indicator_table(table, categories, len(labels))
    options: dict[str, Any] = {} if beside is None else {argument: True}
    if isinstance(weights, str):
        if weights in table.left_out:
            raise not_numbers(weights, table.left_out[weights], "weights")
        check_known("weights", (weights,), table.feature_names, "the data")
        others = (name for name in table.feature_names if name != weights)
        table = chosen_columns(table, (*others, weights))
    if isinstance(beside, str):
        options["along_name"] = beside
    elif beside is not None:
        _check_aligned(data_and_reading(data)[0], beside, argument)
        options["column"] = column_for(table, beside, argument)
    if feature_names is not None:
        n_variables = len(table.feature_names) - isinstance(beside, str)
        options["names"] = check_names(feature_names, n_variables)
    elif isinstance(beside, str) and options_of(table).names is not None:
        options["names"] = table.feature_names[:-1]
    if progress is not None:
        options["progress"] = progress
    if transform is not None:
        options["transform"] = transform
    if missing in ("drop", "pairwise") or (missing == "raise" and options):
        options["missing"] = missing
    return view(table, **options) if options else table


def _check_aligned(data: Any, values: Any, argument: str) -> None:
    """Refuse a pandas `Series` whose index is that of a pandas frame in another order.

    Values go by position; an index that only counts from 0 is meant as a list.
    """
    if not (is_a(data, "pandas", "DataFrame") and is_a(values, "pandas", "Series")):
        return
    rows, own = data.index, values.index
    same = len(rows) == len(own) and bool(rows.isin(own).all())
    if not own.equals(rows) and (same or not is_a(own, "pandas", "RangeIndex")):
        raise ParameterError(
            f"{argument}: expected a Series with the index of the data, got another; pass "
            f"{argument}.loc[data.index] if the index says which row each value is of, else "
            f"{argument}.to_numpy()."
        )


def is_a(data: Any, package: str, name: str) -> bool:
    kinds = type(data).__mro__
    return any(one.__name__ == name and _package(one) == package for one in kinds)


def _package(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def _is_dataset(data: Any) -> bool:
    kinds = (("pyarrow", "Dataset"), ("pyarrow", "Scanner"), ("pyiceberg", "Table"))
    able = any(hasattr(data, name) for name in ("to_pyarrow_dataset", "to_arrow_batch_reader"))
    return able or any(is_a(data, *kind) for kind in kinds)


def _is_frame(data: Any) -> bool:
    arrow = ("__arrow_c_stream__", "fetch_record_batch", "__arrow_c_array__", "collect_schema")
    return any(hasattr(data, name) for name in arrow) and not isinstance(data, Mapping)


def _has_records(data: Any) -> bool:
    if not isinstance(data, list | tuple) or not data:
        return False
    named = hasattr(data[0], "_fields") or is_a(data[0], "sqlite3", "Row")
    return named or isinstance(data[0], Mapping)


def _is_cursor(data: Any) -> bool:
    named = hasattr(data, "description") or is_a(data, "sqlalchemy", "Result")
    return named and hasattr(type(data), "fetchmany")


# Which reader reads an object: the first that fits is taken.
_CONTAINERS: tuple[tuple[Callable[[Any], Any], str], ...] = (
    (partial(is_a, package="pandas", name="DataFrame"), "frames:PandasTable"),
    (_is_dataset, "frames:dataset_table"),
    (_is_frame, "frames:frame_table"),
    (is_sparse, "arrays:SparseTable"),
    (lambda data: is_a(data, "numpy", "ndarray") and data.dtype.names, "arrays:structured_table"),
    (lambda data: isinstance(data, Mapping), "arrays:MappingTable"),
    (_has_records, "arrays:record_table"),
    (_is_cursor, "streams:CursorTable"),
)


def open_columns(
    data: Any,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
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
        table = open_columns(replace(data, feature_names=None), client=client)
        names = check_names(data.feature_names, len(table.feature_names))
        return open_columns(view(table, names=names), **chosen)
    whole, (data, reading) = data, data_and_reading(data)
    if (paths := _paths(data)) is not None:
        from edgewise.tables.files import partitioned_dataset

        if client is None and (dataset := partitioned_dataset(paths)) is not None:
            return open_columns(dataset, **chosen)
        files = open_files(whole, **chosen)
        if client is None:
            return files
        from edgewise.tables.dask import dask_file_table

        return dask_file_table(files, client=client)
    if reading is not None:
        what = "table that is open" if isinstance(data, Table) else type(data).__name__
        reading.refuse_unless((), f"a {what}")
    if isinstance(data, Table):
        if columns is None and exclude is None and not along:
            return data
        names, _ = select_columns(data.feature_names, "the table", **chosen)
        return data if names == tuple(data.feature_names) else chosen_columns(data, names)
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
            made: Table = getattr(import_module(f"edgewise.tables.{module}"), name)(data, **chosen)
            return made
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
    along: Sequence[str] = (),
) -> FileTable:
    """Open files as a table. Only files can be read from the point where a run stopped."""
    from edgewise.tables.files import FileTable

    columns, exclude = check_columns("columns", columns), check_columns("exclude", exclude)
    data, reading = data_and_reading(data)
    if isinstance(data, FileTable) and columns is None and exclude is None:
        return data
    if (paths := _paths(data)) is None:
        raise DataError(
            f"data: expected a path or a list of paths, got {type(data).__name__}; only files can "
            "be read on from a checkpoint."
        )
    files = FileTable(paths, reading=reading, columns=columns, exclude=exclude, along=along)
    for note in files.notes:
        warn(note, FormatGuessWarning)
    return files


def files_of(data: Any) -> dict[object, str]:
    """The files that data stand for, without those that cannot be found; none if no files."""
    from edgewise.tables.files import expand_paths, file_identity

    data, _ = data_and_reading(data)
    found: Any = getattr(data, "paths", []) if isinstance(data, Table) else []
    if (paths := _paths(data)) is not None:
        with suppress(DataError):
            found = expand_paths(paths)
    found = {file_identity(path): path for path in found if path != "-"}
    return {identity: path for identity, path in found.items() if identity is not None}


def _paths(data: Any) -> list[str | os.PathLike[str]] | None:
    items: list[Any] = list(data) if isinstance(data, list | tuple) and data else [data]
    return items if all(isinstance(item, str | os.PathLike) for item in items) else None


def on_cluster(data: Any) -> bool:
    """Whether the workers of a cluster would read the rows."""
    if isinstance(data, DataToRead):
        return data.client is not None or on_cluster(data.data)
    return _is_dask(data) or _is_spark(data)


# The type is checked, because a `Delayed` of Dask and a column of Spark seem to have every attribute.
def _is_dask(data: Any) -> bool:
    return _package(type(data)) == "dask" and hasattr(type(data), "__dask_graph__")


def _is_spark(data: Any) -> bool:
    return _package(type(data)) == "pyspark" and hasattr(type(data), "mapInArrow")


def column_of_labels(data: Any, name: str, argument: str = "by") -> AnyArray:
    """The values of a column of any data as objects, in the order of the rows; None for a gap."""
    table, paths = None, _paths(data)
    if paths != ["-"] and (paths is not None or not on_cluster(data)):
        try:
            table = open_columns(data, along=(name,))
        except DataError as error:  # which speaks of the labels of clusters
            raise type(error)(str(error).replace("clusters:", f"{argument}:", 1)) from error
    if table is None or not table.column_names or not table.rescannable:
        what = type(data).__name__ if paths is None else "standard input"
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


# Objects that are one step away from rows, by a class, which may be a base class: what to pass.

_ONE_COLUMN = "a frame of several columns, as in frame[['a', 'b']]"
_GROUPED = "the frame itself, and the column as clusters"
_QUERY = "what connection.execute(query) gives"
_REMEDIES = {
    "pandas.Series": _ONE_COLUMN,
    "pandas.BaseGroupBy": _GROUPED,
    "polars.Series": _ONE_COLUMN,
    "polars.GroupBy": _GROUPED,
    "pyarrow.Array": "a table of several columns",
    "pyarrow.ChunkedArray": "a table of several columns",
    "datasets.Dataset": "data.with_format('arrow')[:]",
    "datasets.DatasetDict": "one of its splits, data['train'].with_format('arrow')[:]",
    "torch.Dataset": "its values as one tensor, or a DataLoader of it with method='batch'",
    "xarray.DataArray": "data.to_pandas(), with the rows along the first of two dimensions",
    "xarray.Dataset": "data.to_dataarray().T.to_pandas(), or data['name'].to_pandas()",
    "mudata.MuData": "one of its modalities, as in data.mod['rna'].to_df()",
    "anndata.AnnData": "data.to_df() or data[:, genes].to_df(), with clusters=data.obs['donor']",
    "mne.BaseRaw": "data.get_data().T, with feature_names=data.ch_names, after "
    "data = data.copy().pick('data', exclude='bads')",
    "mne.BaseEpochs": "np.concatenate(data.get_data().transpose(0, 2, 1)), with "
    "feature_names=data.ch_names and clusters=np.repeat(data.selection, len(data.times))",
    "_duckdb.DuckDBPyConnection": "a query, as in connection.sql(...)",
    "duckdb.DuckDBPyConnection": "a query, as in connection.sql(...)",
    "sqlalchemy.Engine": _QUERY,
    "sqlalchemy.Connection": _QUERY,
    "sqlalchemy.Executable": _QUERY,
}
# How tables of a package are put one below another; NumPy does it for all others.
_STACKED = {"pandas": "pandas.concat", "polars": "polars.concat", "scipy": "scipy.sparse.vstack"}


def check_is_rows(data: Any) -> None:
    """Refuse objects that hold rows only after one more step, and say which."""
    # The type is asked, because the columns of some frames are attributes of them.
    kind = type(data)
    items: Any = data if isinstance(data, list | tuple) else ()
    if isinstance(data, np.ndarray) and data.dtype.kind == "O" and data.ndim == 1:
        items = data
    first = items[0] if len(items) else data
    mne = [one for one in type(first).__mro__ if _package(one) == "mne"]
    found = [f"{_package(one)}.{one.__name__}" for one in (*kind.__mro__, *mne)]
    remedy = next((_REMEDIES[name] for name in found if name in _REMEDIES), None)
    what = f"{'list of ' if mne and first is not data else ''}{type(first).__name__}"
    if isinstance(data, type):
        what, remedy = f"class {data.__name__}", "an object of it"
    elif hasattr(kind, "read") and hasattr(kind, "__next__") and _package(kind) != "pandas":
        what, remedy = f"open file ({kind.__name__})", "its name"
    elif remedy is None and hasattr(kind, "cursor") and hasattr(kind, "commit"):
        remedy = "a cursor that has executed a query, or the data frame of one"
    if remedy is not None:
        raise DataTypeError(f"data: expected rows, got {what}; pass {remedy}.")
    if not len(items) or not _is_matrix(first):
        return
    n, remedy = len(items), "pass data[0]."
    if n > 1 and all(map(_is_matrix, items)):
        stacked = _STACKED.get(_package(type(first)), "np.concatenate")
        remedy = (
            f"if they are the rows of {n} subjects, pass {stacked}(data) and "
            f"clusters=np.repeat(range({n}), [one.shape[0] for one in data])."
        )
    raise DataError(f"data: expected one table, got {n} in a {kind.__name__}; {remedy}")


def _is_matrix(item: Any) -> bool:
    shape = None if isinstance(item, list | tuple) else getattr(item, "shape", None)
    return isinstance(shape, tuple) and len(shape) == 2

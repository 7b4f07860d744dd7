"""Objects that are one step away from rows, and what to pass in their place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from edgewise.errors import DataError, DataTypeError

_ONE_COLUMN = "a frame of several columns, as in frame[['a', 'b']]"
_QUERY = "what connection.execute(query) gives"

# By package and class, which may be a base class: what to pass instead.
_REMEDIES = {
    ("pandas", "Series"): _ONE_COLUMN,
    ("pandas", "Index"): _ONE_COLUMN,
    ("pandas", "BaseGroupBy"): "the frame itself, and the column as groups",
    ("polars", "Series"): _ONE_COLUMN,
    ("polars", "GroupBy"): "the frame itself, and the column as groups",
    ("pyarrow", "Array"): "a table of several columns",
    ("pyarrow", "ChunkedArray"): "a table of several columns",
    ("pyarrow", "Dataset"): "data.to_table(), or data.scanner().to_reader() with method='batch'",
    ("pyarrow", "Scanner"): "data.to_table(), or data.to_reader() with method='batch'",
    ("narwhals", "LazyFrame"): "data.to_native() or data.collect()",
    ("datasets", "Dataset"): "data.with_format('arrow')[:]",
    ("datasets", "DatasetDict"): "one of its splits, data['train'].with_format('arrow')[:]",
    ("datasets", "IterableDataset"): "its batches, data.with_format('arrow').iter(batch_size=1000),"
    " with method='batch'",
    ("torch", "Dataset"): "its values as one tensor, or a DataLoader of it with method='batch'",
    ("xarray", "Dataset"): "data.to_dataarray().T, or one of its arrays, as in data['name']",
    ("xarray", "DataTree"): "one of its arrays, as in data['group/name']",
    ("mudata", "MuData"): "one of its modalities, as in data.mod['rna']",
    ("anndata", "Raw"): "data.to_adata()",
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
    "anndata": "anndata.concat(data)",
    "scipy": "scipy.sparse.vstack(data)",
    "torch": "torch.cat(data)",
}


def is_a(data: Any, package: str, name: str) -> bool:
    """Whether `data` is an instance of a class, which is not imported to find out.

    Examples
    --------
    >>> from collections import OrderedDict
    >>> is_a(OrderedDict(), "collections", "OrderedDict"), is_a({}, "collections", "OrderedDict")
    (True, False)
    """
    return (package, name) in _classes(data)


def _classes(data: Any) -> list[tuple[str, str]]:
    """The class of an object and its bases, each with the package that it is from."""
    return [(kind.__module__.partition(".")[0], kind.__name__) for kind in type(data).__mro__]


def check_is_rows(data: Any) -> None:
    """Refuse objects that hold rows only after one more step, and say which."""
    first = data[0] if isinstance(data, list | tuple) and data else data
    for package, name in _classes(data) + [one for one in _classes(first) if one[0] == "mne"]:
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

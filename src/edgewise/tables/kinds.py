"""Which reader reads an object: one line for each kind of object; the first that fits is taken.

An object is recognised by the names of its classes or by what it can do, so that no package is
imported to find out. A reader is imported when the first object of its kind arrives.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from edgewise._optional import is_installed, require
from edgewise.tables.not_rows import is_a
from edgewise.tables.sliced import RowSource, SlicedTable, is_plain
from edgewise.tables.table import LocalTable


class Kind(NamedTuple):
    """A kind of object, what it is for messages, and the module and class that read it."""

    what: str
    fits: Callable[[Any], bool]
    reader: str
    of_arrow: bool = False  # whether the reader needs pyarrow

    def opened(self, data: Any, **chosen: Any) -> LocalTable:
        """A table of the chosen columns."""
        reader = self.loaded()
        if issubclass(reader, RowSource):
            return SlicedTable(reader(data), **chosen)
        table: LocalTable = reader(data, **chosen)
        return table

    def loaded(self) -> Any:
        """The class that reads such objects."""
        if self.of_arrow:
            require("pyarrow", "tables", self.what)
        module, _, name = self.reader.partition(":")
        return getattr(import_module(f"edgewise.tables.{module}"), name)


def _instance(package: str, name: str) -> Callable[[Any], bool]:
    return partial(is_a, package=package, name=name)


def _exports_arrow(data: Any) -> bool:
    of_batch = hasattr(data, "__arrow_c_array__") and hasattr(data, "num_columns")
    stream = hasattr(data, "__arrow_c_stream__") or hasattr(data, "fetch_record_batch")
    return stream or of_batch


def _is_sparse(data: Any) -> bool:
    return is_a(data, "scipy", "_spbase") or is_a(data, "scipy", "spmatrix")


def _is_structured(data: Any) -> bool:
    return isinstance(data, np.ndarray) and data.dtype.names is not None


def _has_records(data: Any) -> bool:
    return isinstance(data, list | tuple) and bool(data) and isinstance(data[0], Mapping)


def _has_named_tuples(data: Any) -> bool:
    if not isinstance(data, list | tuple) or not data:
        return False
    kind = type(data[0])
    return hasattr(kind, "_fields") or (kind.__module__, kind.__name__) == ("sqlite3", "Row")


def _is_cursor(data: Any) -> bool:
    named = hasattr(data, "description") or is_a(data, "sqlalchemy", "Result")
    return named and hasattr(type(data), "fetchmany")


def _is_tensor(data: Any) -> bool:
    return hasattr(type(data), "__dlpack__") and not isinstance(data, np.ndarray)


def _is_plain_frame(data: Any) -> bool:
    """Whether NumPy can read a frame, or must because Arrow is not there to do it.

    For a small frame, Arrow takes as long as the test.
    """
    if not is_a(data, "pandas", "DataFrame"):
        return False
    if all(map(is_plain, data.dtypes.tolist())):
        return True
    return "pyarrow" not in sys.modules and not is_installed("pyarrow")


KINDS = (
    Kind("a pandas data frame", _is_plain_frame, "sliced:PlainFrameRows"),
    Kind("a pandas data frame", _instance("pandas", "DataFrame"), "arrow:PandasTable", True),
    Kind("a polars LazyFrame", _instance("polars", "LazyFrame"), "arrow:LazyFrameTable", True),
    Kind("an xarray DataArray", _instance("xarray", "DataArray"), "sliced:DataArrayRows"),
    Kind("an AnnData", _instance("anndata", "AnnData"), "sliced:AnnDataRows"),
    Kind("an Arrow table or stream", _exports_arrow, "arrow:ArrowTable", True),
    Kind("a sparse matrix", _is_sparse, "sliced:SparseRows"),
    Kind("a structured array", _is_structured, "sliced:StructuredRows"),
    Kind("a mapping of columns", lambda data: isinstance(data, Mapping), "sliced:MappingRows"),
    Kind("a list of records", _has_records, "sliced:RecordRows"),
    Kind("a list of named tuples", _has_named_tuples, "sliced:NamedTupleRows"),
    Kind("a database cursor", _is_cursor, "streams:CursorTable"),
    Kind("a tensor", _is_tensor, "arrays:TensorTable"),
)


def kind_of(data: Any) -> Kind | None:
    """The kind of an object in memory; None if it is none of those with a reader of their own."""
    return next((kind for kind in KINDS if kind.fits(data)), None)


def row_source(data: Any) -> RowSource | None:
    """The rows and labels of an object that can be sliced; None for objects of other kinds."""
    kind = kind_of(data)
    if kind is None or kind.of_arrow or not issubclass(reader := kind.loaded(), RowSource):
        return None
    source: RowSource = reader(data)
    return source


def gives_batches(data: Any) -> bool:
    """Whether an object gives batches of rows one by one: an iterator, or a loader of PyTorch."""
    iterator = hasattr(data, "__next__") and hasattr(data, "__iter__")
    return iterator or is_a(data, "torch", "DataLoader")

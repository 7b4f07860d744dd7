"""Objects in memory, or opened from a file, whose rows can be read from any place to any other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from edgewise._checks import check_known, check_names, default_names
from edgewise._linalg import AnyArray, FloatArray
from edgewise._optional import missing_dependency
from edgewise._text import listed
from edgewise.errors import DataError, DataTypeError, EdgewiseWarning, warn
from edgewise.tables.labels import label_numbers
from edgewise.tables.table import ColumnBlock, LocalTable, Piece, Rows, batch_rows, selected_names
from edgewise.tables.values import check_column, check_rows


class RowSource(ABC):
    """What a new kind of object has to say of itself; `SlicedTable` makes a table of it."""

    names: tuple[str, ...]  # every column that can be a variable
    n_rows: int
    named: bool = True  # whether the names came with the object
    label_names: tuple[str, ...] = ()  # columns that only `clusters` and `by` can name
    in_memory: bool = True  # whether another pass over the rows costs next to nothing

    @abstractmethod
    def choose(self, names: Sequence[str]) -> None:
        """Called once, with the variables that `rows` has to give; refuse those without numbers."""

    @abstractmethod
    def rows(self, start: int, stop: int) -> Rows:
        """Some consecutive rows of the chosen variables."""

    @abstractmethod
    def labels(self, name: str) -> Iterable[Any]:
        """A column of labels, or of numbers that serve as labels, one for each row."""


class SlicedTable(LocalTable):
    """A table of a `RowSource`, read a block of rows at a time."""

    rescannable = True

    def __init__(
        self,
        source: RowSource,
        *,
        columns: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        along: Sequence[str] = (),
    ) -> None:
        check_label_names("clusters", along, source)
        # Labels beside the variables are left out anyway.
        names = (*source.names, *(n for n in source.label_names if n not in source.names))
        columns = source.names if columns is None else columns
        check_known("columns", columns, source.names, "X")
        self.feature_names = selected_names(names, columns, exclude, "X", along)
        self._source, self._along = source, tuple(along)
        source.choose(self.feature_names[: len(self.feature_names) - len(along)])
        self.named, self.in_memory = source.named, source.in_memory
        self._labels: list[FloatArray] | None = None

    @property
    def n_rows(self) -> int | None:
        return self._source.n_rows

    def entries(self) -> Sequence[int]:
        return range(max(self._source.n_rows, 1))

    def blocks(self) -> Iterator[Rows]:
        return self.blocks_from(0)

    def blocks_from(self, row: int) -> Iterator[Rows]:
        if self._labels is None:
            self._labels = [label_numbers(self._source.labels(name)) for name in self._along]
        step, n = batch_rows(len(self.feature_names)), self._source.n_rows
        for start in range(row, n, step):
            stop = min(start + step, n)
            block = self._source.rows(start, stop)
            if self._labels:
                labels = [column[start:stop] for column in self._labels]
                block = np.column_stack([np.asarray(block), *labels])
            yield block


def check_label_names(argument: str, names: Sequence[str], source: RowSource) -> None:
    """Refuse the name of a column of labels that a source does not have."""
    check_known(argument, names, tuple(dict.fromkeys((*source.label_names, *source.names))), "X")


def is_plain(kind: Any) -> bool:
    """Whether the type of a column is one of NumPy's numbers, as this machine has them."""
    if not isinstance(kind, np.dtype) or kind.kind not in "fiub":
        return False
    return kind.isnative and kind.itemsize <= 8


class PlainFrameRows(RowSource):
    """A pandas data frame; its index is not a variable. Other types of columns need pyarrow."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.names = check_names(frame.columns)
        self._kinds = frame.dtypes.tolist()
        self._places: list[int] | None = None
        self.n_rows = len(frame)

    def choose(self, names: Sequence[str]) -> None:
        if tuple(names) != self.names:
            self._places = [self.names.index(name) for name in names]
        for name, kind in zip(names, self._chosen(self._kinds), strict=True):
            if not is_plain(kind):
                what = f"Column {name!r} of the data frame, which holds {kind},"
                raise missing_dependency("pyarrow", "tables", what)
        self._all_plain = all(map(is_plain, self._kinds))

    def rows(self, start: int, stop: int) -> Rows:
        part = self._frame.iloc[start:stop] if stop - start < self.n_rows else self._frame
        if not self._all_plain:
            return np.asarray(part.iloc[:, self._places].to_numpy(dtype=np.float64))
        # Where all columns hold float64, this is a view, and choosing columns in it takes no time.
        values = np.asarray(part.to_numpy(dtype=np.float64))
        return values if self._places is None else values[:, self._places]

    def labels(self, name: str) -> Iterable[Any]:
        place = self.names.index(name)
        column = self._frame.iloc[:, place]
        labels: Iterable[Any] = (
            column.to_numpy() if is_plain(self._kinds[place]) else column.tolist()
        )
        return labels

    def _chosen(self, of_columns: list[Any]) -> list[Any]:
        if self._places is None:
            return of_columns
        return [of_columns[place] for place in self._places]


class SparseRows(RowSource):
    """A sparse matrix or array of any format, of two dimensions."""

    named = False

    def __init__(self, data: Any) -> None:
        if len(data.shape) != 2:
            raise DataError(
                f"X: expected a sparse matrix of rows and columns, got {len(data.shape)}D of shape "
                f"{data.shape}; reshape it first."
            )
        if data.dtype.kind not in "fiub":
            raise DataTypeError(
                f"X: expected a sparse matrix of real numbers, got dtype {data.dtype}; convert it "
                "first."
            )
        self.names = default_names(data.shape[1])
        self._rows = data.tocsr()  # only this format gives rows without a search
        self.n_rows = int(data.shape[0])

    def choose(self, names: Sequence[str]) -> None:
        every = tuple(names) == self.names
        places = None if every else list(map(self.names.index, names))
        self._chosen = self._rows if places is None else self._rows[:, places]
        warn_about_memory(self.n_rows, len(names))

    def rows(self, start: int, stop: int) -> Rows:
        return dense(self._chosen[start:stop])

    def labels(self, name: str) -> Iterable[Any]:
        return dense(self._rows[:, [self.names.index(name)]])[:, 0]


def warn_about_memory(n_rows: int, n_features: int) -> None:
    """Warn that sums over sparse rows are dense, if they take a gigabyte or more."""
    gigabytes = 8 * n_features**2 / 1e9
    if gigabytes >= 1 and n_rows > n_features:
        warn(
            f"X: {n_features:,} sparse columns have a dense covariance matrix of {gigabytes:.1f} "
            "GB, and a test holds several such matrices; choose fewer columns (columns=... of "
            "edge_test) if that does not fit in memory.",
            EdgewiseWarning,
        )


def dense(rows: Any) -> AnyArray:
    """A block of rows as an array, whether it is sparse or not."""
    return np.asarray(rows.toarray() if is_sparse(rows) else rows)


def is_sparse(data: Any) -> bool:
    """Whether `data` is sparse in the way of SciPy."""
    return hasattr(data, "toarray") and hasattr(data, "tocsr")


class DataArrayRows(RowSource):
    """A 2-D `DataArray`, computed a block at a time; coordinates along the rows are labels."""

    def __init__(self, data: Any) -> None:
        if data.ndim != 2:
            raise DataError(
                "X: expected a DataArray of two dimensions, rows and columns, got dimensions "
                f"{data.dims}; stack those of the rows, data.stack(rows=[...]).transpose('rows', "
                "...), and pass clusters if their rows depend."
            )
        rows, columns = data.dims
        self.named = columns in data.coords
        times = self.named and data[columns].dtype.kind in "mM"
        if times or str(columns).lower() in ("time", "times", "t", "obs", "sample", "trial"):
            raise DataError(
                f"X: expected the rows along the first dimension, got {rows!r} before {columns!r}; "
                f"pass data.transpose({columns!r}, {rows!r}), or rename the dimension."
            )
        names = data[columns].values.tolist() if self.named else default_names(data.shape[1])
        self.names = check_names(names)
        self._along = {str(name): one for name, one in data.coords.items() if one.dims == (rows,)}
        self.label_names = tuple(self._along)
        self.in_memory = data.chunks is None
        self._all, self.n_rows = data.variable, int(data.shape[0])

    def choose(self, names: Sequence[str]) -> None:
        every = tuple(names) == self.names
        self._chosen = self._all if every else self._all[:, list(map(self.names.index, names))]

    def rows(self, start: int, stop: int) -> Rows:
        return check_rows(np.asarray(self._chosen[start:stop]))

    def labels(self, name: str) -> Iterable[Any]:
        found = self._along.get(name)
        return np.asarray(self._all[:, self.names.index(name)] if found is None else found)


class AnnDataRows(RowSource):
    """The matrix ``X`` of an `AnnData`, also sparse or backed; columns of ``obs`` are labels."""

    def __init__(self, data: Any) -> None:
        if data.X is None:
            raise DataError(
                "X: expected an AnnData with a matrix X, got one without; pass data.layers['name'] "
                "and feature_names=data.var_names."
            )
        self.names = check_names(data.var_names)
        self._labels = {str(name): data.obs[name] for name in data.obs.columns}
        self.label_names = tuple(self._labels)
        self.n_rows = int(data.n_obs)
        self._all = data.X.tocsr() if is_sparse(data.X) else data.X
        self.in_memory = isinstance(self._all, np.ndarray) or is_sparse(self._all)

    def choose(self, names: Sequence[str]) -> None:
        every = tuple(names) == self.names
        self._places = slice(None) if every else list(map(self.names.index, names))
        if not isinstance(self._all, np.ndarray):
            warn_about_memory(self.n_rows, len(names))

    def rows(self, start: int, stop: int) -> Rows:
        return check_rows(dense(self._all[start:stop])[:, self._places])

    def labels(self, name: str) -> Iterable[Any]:
        if name in self._labels:
            return np.asarray(self._labels[name])
        return np.asarray(dense(self._all[:, [self.names.index(name)]])[:, 0])


class MappingRows(RowSource):
    """A mapping of names to columns of equal length."""

    def __init__(self, data: Mapping[Any, Any]) -> None:
        self.names = check_names(data)
        if not self.names:
            raise DataError("X: expected columns, got an empty mapping; give it two or more.")
        self._values = dict(zip(self.names, data.values(), strict=True))
        for name, values in self._values.items():
            _check_is_column(name, values)
        lengths = {name: len(values) for name, values in self._values.items()}
        self.n_rows = lengths[self.names[0]]
        other = [f"{name!r} with {n}" for name, n in lengths.items() if n != self.n_rows]
        if other:
            raise DataError(
                f"X: expected columns of equal length, got {self.names[0]!r} with {self.n_rows} "
                f"values and {listed(other)}; give every column one value for each row."
            )
        _check_aligned(self._values)

    def choose(self, names: Sequence[str]) -> None:
        self._columns = [check_column(self._values[name], name) for name in names]

    def rows(self, start: int, stop: int) -> Rows:
        return ColumnBlock([Piece(self._columns, start, stop)], len(self._columns))

    def labels(self, name: str) -> Iterable[Any]:
        values = self._values[name]
        return values if isinstance(values, list | tuple) else np.asarray(values)


def _check_is_column(name: str, values: Any) -> None:
    shape = getattr(values, "shape", None)
    plain = isinstance(values, str | bytes | Mapping) or not hasattr(values, "__len__")
    if plain or (shape is not None and len(shape) != 1):
        what = type(values).__name__ if not shape else f"a table of shape {tuple(shape)}"
        raise DataError(
            f"X: expected a mapping of columns, got {what} under {name!r}; give each name an array "
            f"of one value for each row, or pass that one alone, data[{name!r}]."
        )


def _check_aligned(columns: Mapping[str, Any]) -> None:
    """Refuse series of pandas whose rows are not the same: only pandas can put them in order."""
    indexed = [
        (name, values.index)
        for name, values in columns.items()
        if type(values).__module__.partition(".")[0] == "pandas" and hasattr(values, "iloc")
    ]
    for name, index in indexed[1:]:
        if not index.equals(indexed[0][1]):
            raise DataError(
                f"X: expected series with the same index, got {indexed[0][0]!r} and {name!r} with "
                "different ones; pass pandas.DataFrame(data), which puts their rows in order."
            )


class RecordRows(MappingRows):
    """Records, each a mapping; a key that a record lacks is a missing value."""

    def __init__(self, data: Sequence[Mapping[Any, Any]]) -> None:
        other = next((one for one in data if not isinstance(one, Mapping)), None)
        if other is not None:
            raise DataError(
                f"X: expected only records, each a mapping, got a list that also holds "
                f"{type(other).__name__}; make it one, or leave it out."
            )
        keys = dict.fromkeys(key for record in data for key in record)
        super().__init__({key: [record.get(key) for record in data] for key in keys})


class NamedTupleRows(RecordRows):
    """Named tuples, or rows that a database gave."""

    def __init__(self, data: Sequence[Any]) -> None:
        names = check_names(fields_of(data[0]) or ())
        super().__init__([dict(zip(names, row, strict=False)) for row in data])


def fields_of(row: Any) -> tuple[str, ...] | None:
    """The names of the values of a named tuple or of a row of a database; None without names."""
    kind = type(row)
    if hasattr(kind, "_fields"):  # a named tuple, or a row of SQLAlchemy
        return tuple(map(str, row._fields))
    return tuple(row.keys()) if kind.__module__ == "sqlite3" else None


class StructuredRows(MappingRows):
    """A one-dimensional structured or record array: its fields are the columns."""

    def __init__(self, data: AnyArray) -> None:
        fields = data.dtype.names or ()
        if data.ndim != 1:
            raise DataError(
                f"X: expected a structured array of one dimension, got shape {data.shape}; pass "
                "data.ravel()."
            )
        super().__init__({name: data[name] for name in fields})

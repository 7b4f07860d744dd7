"""Rows in memory: arrays, tensors, sparse matrices, mappings of columns, and records."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import nan
from typing import Any, TypeVar

import numpy as np

from edgewise._checks import check_names, default_names
from edgewise._linalg import AnyArray, FloatArray
from edgewise._parallel import on_each
from edgewise._text import listed, one_line
from edgewise.errors import DataError, DataTypeError
from edgewise.tables.options import label_numbers
from edgewise.tables.table import (
    BadCells,
    ColumnBlock,
    Partition,
    Rows,
    Table,
    batch_rows,
    block_rows,
    in_tree,
    not_numbers,
    select_columns,
)

T = TypeVar("T")
# Numbers of a view (16 MB of float64).
_VIEW_NUMBERS = 1 << 21
_PROTOCOLS = ("__array__", "__array_interface__", "__array_struct__")


class SlicedTable(Table):
    """A table of any slice of rows; a subclass calls `_choose`, and has `rows` and `labels`."""

    named = rescannable = in_memory = True
    n_rows: int = 0
    _along: Sequence[str] = ()

    def _choose(
        self,
        names: tuple[str, ...],
        n_rows: int,
        held: Mapping[str, str],
        columns: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        along: Sequence[str] = (),
    ) -> tuple[str, ...]:
        self.column_names, self.n_rows, self._along = names, n_rows, along
        self.feature_names, self.left_out = select_columns(
            names, "X", columns, exclude, along, held
        )
        self._step, self._labels = batch_rows(len(self.feature_names)), dict[str, FloatArray]()
        return self.feature_names[: len(self.feature_names) - len(along)]

    def entries(self) -> Sequence[int]:
        return range(max(self.n_rows, 1))

    @abstractmethod
    def rows(self, start: int, stop: int) -> Rows:
        """Some consecutive rows of the variables."""

    def blocks(self, start: int = 0, stop: int | None = None) -> Iterator[Rows]:
        for name in self._along:
            if name not in self._labels:
                self._labels[name] = label_numbers(self.labels(name))
        stop = self.n_rows if stop is None else stop
        for first in range(start, stop, self._step):
            last = min(first + self._step, stop)
            block = self.rows(first, last)
            if self._along:
                block = ColumnBlock.of(block, *(one[first:last] for one in self._labels.values()))
            yield block


# With fewer columns the calls take as long as the work; with more, the sums of every partition take
# too much memory, and a BLAS divides large products well.
_FEWEST_COLUMNS, _MOST_COLUMNS = 50, 1000
# Numbers of a partition (32 MB), and partitions. The rows alone decide how they are cut: on any
# number of cores the sums are the same.
_PARTITION_NUMBERS, _MOST_PARTITIONS = 1 << 22, 16


class ArrayTable(SlicedTable):
    """A two-dimensional array, in memory or mapped from a file; blocks are views of it."""

    named = False
    _cuts: Sequence[tuple[int, int]] = ()

    def __init__(self, X: Any, **chosen: Any) -> None:
        self._values = self._all = as_rows(X)
        self.n_rows, p = self._all.shape
        self.column_names = self.feature_names = names = default_names(p)
        if any(chosen.values()):
            variables = self._choose(names, self.n_rows, {}, **chosen)
            self._values = self._all[:, [names.index(name) for name in variables]]
            p = len(self.feature_names)
        # Views cost nothing, so each holds several blocks: accumulators are set up once for all of
        # them. Their size is fixed, so that reading on from the end of one gives the same views.
        self._step = max(2 * block_rows(p), _VIEW_NUMBERS // p)

    def rows(self, start: int, stop: int) -> Rows:
        return self._values[start:stop]

    def labels(self, name: str) -> Iterable[Any]:
        return self._all[:, self.column_names.index(name)]

    def on_cores(self) -> ArrayTable:
        """The same in partitions that threads read at the same time, if it is large enough."""
        n, p = self.n_rows, len(self.feature_names)
        # A power of two, so that two or four cores have the same to do.
        parts = 1 << (min(_MOST_PARTITIONS, n * p // _PARTITION_NUMBERS) or 1).bit_length() - 1
        if parts == 1 or not _FEWEST_COLUMNS <= p <= _MOST_COLUMNS:
            return self
        table = copy.copy(self)
        table._cuts = [(n * k // parts, n * (k + 1) // parts) for k in range(parts)]
        return table

    def partition_rows(self) -> list[int | None]:
        return [stop - start for start, stop in self._cuts or [(0, self.n_rows)]]

    def reduce(self, one_pass: Callable[[Partition], T], merge: Callable[[T, T], T]) -> T:
        if not self._cuts:
            return one_pass(Partition(0, "", self.feature_names, self.blocks))
        parts = [
            Partition(number, "", self.feature_names, partial(self.blocks, *cut))
            for number, cut in enumerate(self._cuts)
        ]
        return in_tree(list(on_each(one_pass, parts)), merge)


def as_rows(X: Any, name: str = "X") -> AnyArray:
    """`X` as a two-dimensional array of real numbers, without a copy if possible."""
    if type(X) is not np.ndarray:
        X = _as_array(X, name)
    if X.ndim != 2:
        remedy = ". Reshape your data, or pass several columns."
        if X.ndim == 3:
            s, n, p = X.shape
            remedy = (
                f"; if these are {s} series of {n} rows, stack them with X.reshape(-1, {p}) and "
                f"pass clusters=np.repeat(range({s}), {n})."
            )
        raise DataError(
            f"{name}: expected a 2D array of rows and columns, got {X.ndim}D of shape {X.shape}"
            f"{remedy}"
        )
    if not X.shape[1]:
        raise DataError(
            f"{name}: 0 feature(s) (shape={X.shape}) while a minimum of 2 is required: an edge "
            "joins two columns."
        )
    values = X if X.dtype.kind in "fiub" else _numbers(X)
    if isinstance(values, str):
        complex_numbers = "Complex data not supported: " if X.dtype.kind == "c" else ""
        raise DataTypeError(
            f"{name}: {complex_numbers}expected real numbers, got {values} (dtype {X.dtype}); the "
            "argument must be no string but a real number in every cell. Convert or drop those "
            "columns."
        )
    return values


def check_rows(X: Any, name: str = "X") -> Rows:
    """`X` as two-dimensional real rows."""
    return X if isinstance(X, ColumnBlock) else as_rows(X, name)


def _as_array(X: Any, name: str) -> AnyArray:
    """`X` as an array; what only looks like a sequence is refused, not walked item by item."""
    if isinstance(X, np.ma.MaskedArray) and X.dtype.kind in "fiub":
        # NumPy would return the values behind the mask, but they are missing.
        return np.ma.filled(X.astype(np.float64), nan)
    if is_sparse(X):
        raise DataTypeError(
            f"{name}: expected a dense array, got sparse data ({type(X).__name__}); "
            "pass X.toarray() if it fits in memory."
        )
    # The type is asked, because some objects seem to have every attribute.
    kind = type(X)
    readable = issubclass(kind, np.ndarray | Sequence) or any(hasattr(kind, p) for p in _PROTOCOLS)
    try:
        rows = np.asarray(X) if readable else np.empty(())
    except ValueError as error:
        raise DataError(
            f"{name}: expected rows of equal length, got a ragged sequence ({one_line(error)}); "
            "give every row the same number of values."
        ) from error
    except Exception as error:
        # Other libraries raise errors of any kind where they cannot make an array.
        raise DataTypeError(
            f"{name}: expected numbers in memory, got {kind.__name__} that NumPy cannot read "
            f"({one_line(error)}); make it a NumPy array, a tensor by data.detach().cpu().numpy()."
        ) from error
    if rows.ndim == 0:
        iterates = hasattr(kind, "__iter__") and not isinstance(X, str | bytes)
        batches = "pass iter(data) if it gives batches of rows, or " if iterates else ""
        raise DataTypeError(
            f"{name}: expected a 2D array, a data frame or a path, got {kind.__name__}; {batches}"
            "convert it first, for example to a NumPy array or a data frame."
        )
    return rows


def _numbers(values: AnyArray) -> AnyArray | str:
    """Values as real numbers, NaN where one is missing; or what they are, if not numbers."""
    kind = values.dtype.kind
    if kind in "fiub":
        return values
    if kind != "O":
        known = {"U": "text", "S": "text", "M": "dates", "m": "durations", "c": "complex numbers"}
        return known.get(kind, str(values.dtype))
    texts = [value for value in values.flat if isinstance(value, str | bytes)]
    if texts:
        n = sum(isinstance(one, int | float | np.number) and one == one for one in values.flat)
        return BadCells(f"the text {texts[0]!r}") if n > len(texts) else "text"
    # The NA of pandas has no number; None has, for NumPy.
    plain = [nan if type(value).__name__ == "NAType" else value for value in values.flat]
    try:
        return np.array(plain, dtype=object).astype(np.float64).reshape(values.shape)
    except (TypeError, ValueError):
        odd = next(value for value in plain if not isinstance(value, float | int | np.number))
        return type(odd).__name__


def numeric_column(values: Any, name: str) -> AnyArray | str:
    """One column, from an array, a list or a series; or what it holds, if not numbers."""
    dtype: Any = getattr(values, "dtype", None)
    if hasattr(dtype, "categories") and not (  # a Categorical of pandas
        getattr(dtype, "ordered", False) and np.asarray(dtype.categories).dtype.kind in "fiub"
    ):
        return "categories"
    column = _as_array(values, f"X: column {name!r}")
    if column.ndim != 1:
        raise DataError(
            f"X: column {name!r} must have one value for each row, got {column.ndim}D values of "
            f"shape {column.shape}; make each of its parts a column."
        )
    return _numbers(column)


def check_column(values: Any, name: str) -> AnyArray:
    column = numeric_column(values, name)
    if isinstance(column, str):
        raise not_numbers(name, column)
    return column


class MappingTable(SlicedTable):
    """A mapping of names to columns of equal length."""

    def __init__(self, data: Mapping[Any, Any], **chosen: Any) -> None:
        names = check_names(data)
        if not names:
            raise DataError("X: expected columns, got an empty mapping; give it two or more.")
        self._values = dict(zip(names, data.values(), strict=True))
        lengths = [len(one) if hasattr(one, "__len__") else 1 for one in self._values.values()]
        if len(set(lengths)) > 1:
            found = [f"{name!r} with {n}" for name, n in zip(names, lengths, strict=True)]
            raise DataError(
                f"X: expected columns of equal length, got {listed(found)} values; give every "
                "column one value for each row."
            )
        indexed = [values.index for values in self._values.values() if hasattr(values, "iloc")]
        if not all(index.equals(indexed[0]) for index in indexed):
            raise DataError(
                "X: expected series with the same index, got different ones; pass "
                "pandas.DataFrame(data), which puts their rows in order."
            )
        spared = {*(chosen.get("exclude") or ()), *chosen.get("along", ())}
        wanted = {*(chosen.get("columns") or names)} - spared
        columns = {
            name: numeric_column(values, name)
            for name, values in self._values.items()
            if name in wanted
        }
        held = {name: column for name, column in columns.items() if isinstance(column, str)}
        variables = self._choose(names, lengths[0], held, **chosen)
        self._columns = [np.asarray(columns[name]) for name in variables]

    def rows(self, start: int, stop: int) -> Rows:
        return ColumnBlock([column[start:stop] for column in self._columns])

    def labels(self, name: str) -> Iterable[Any]:
        values = self._values[name]
        return values if isinstance(values, list | tuple) else np.asarray(values)


def record_table(data: Sequence[Any], **chosen: Any) -> MappingTable:
    """Records, each a mapping, a named tuple or a row of a database; a missing key is NaN."""
    if not isinstance(data[0], Mapping):
        names = check_names(data[0]._fields if hasattr(data[0], "_fields") else data[0].keys())
        data = [dict(zip(names, row, strict=False)) for row in data]
    other = next((one for one in data if not isinstance(one, Mapping)), None)
    if other is not None:
        raise DataError(
            f"X: expected only records, each a mapping, got a list that also holds "
            f"{type(other).__name__}; make it one, or leave it out."
        )
    keys = dict.fromkeys(key for record in data for key in record)
    return MappingTable({key: [record.get(key) for record in data] for key in keys}, **chosen)


def structured_table(data: AnyArray, **chosen: Any) -> MappingTable:
    return MappingTable({name: data[name] for name in data.dtype.names or ()}, **chosen)


class SparseTable(SlicedTable):
    """A sparse matrix or array of any format, of two dimensions."""

    named = False

    def __init__(self, data: Any, **chosen: Any) -> None:
        if len(data.shape) != 2 or data.dtype.kind not in "fiub":
            raise DataTypeError(
                "X: expected a sparse matrix of real numbers in rows and columns, got shape "
                f"{data.shape} and dtype {data.dtype}; convert it first."
            )
        self._all = data.tocsr()  # only this format gives rows without a search
        every = default_names(data.shape[1])
        names = self._choose(every, int(data.shape[0]), {}, **chosen)
        self._chosen = self._all if names == every else self._all[:, [*map(every.index, names)]]

    def rows(self, start: int, stop: int) -> Rows:
        return np.asarray(self._chosen[start:stop].toarray())

    def labels(self, name: str) -> Iterable[Any]:
        return np.asarray(self._all[:, [self.column_names.index(name)]].toarray())[:, 0]


def is_sparse(data: Any) -> bool:
    """Whether `data` is sparse in the way of SciPy."""
    return hasattr(data, "toarray") and hasattr(data, "tocsr")

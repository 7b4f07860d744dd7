"""The only checks of rows that a user passes: numbers, two-dimensional, finite."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from edgewise._checks import default_names
from edgewise._linalg import AnyArray
from edgewise._text import listed, one_line
from edgewise.errors import DataError, DataTypeError, NonFiniteError
from edgewise.tables.table import ColumnBlock, Rows

#: What to do with a column that does not hold numbers.
HINT = "convert it, or leave it out (exclude=... of edge_test, --exclude)"

_PROTOCOLS = ("__array__", "__array_interface__", "__array_struct__")


def check_rows(X: Any, *, n_features: int | None = None, name: str = "X") -> Rows:
    """`X` as two-dimensional real rows, without a copy if possible."""
    rows = X if isinstance(X, ColumnBlock) else _check_array(X, name)
    if n_features is not None and rows.shape[1] != n_features:
        raise DataError(
            f"{name} has {rows.shape[1]} features, but {n_features} features were seen before; "
            "pass the same columns each time."
        )
    return rows


def _check_array(X: Any, name: str) -> AnyArray:
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise DataTypeError(
            f"{name}: expected a dense array, got sparse data ({type(X).__name__}); "
            "pass X.toarray() if it fits in memory."
        )
    if isinstance(X, np.ma.MaskedArray):
        # NumPy would return the values behind the mask, but they are missing.
        X = np.ma.filled(X.astype(np.float64), np.nan)
    rows = _as_array(X, name)
    if rows.ndim == 3:
        s, n, p = rows.shape
        raise DataError(
            f"{name}: expected a 2D array of rows and columns, got 3D of shape {rows.shape}; if "
            f"these are {s} series of {n} rows, stack them with X.reshape(-1, {p}) and pass "
            f"clusters=np.repeat(range({s}), {n})."
        )
    if rows.ndim != 2:
        raise DataError(
            f"{name}: expected a 2D array of rows and columns, got {rows.ndim}D of shape "
            f"{rows.shape}. Reshape your data, or pass several columns."
        )
    return _numeric(rows, name)


def _as_array(X: Any, name: str) -> AnyArray:
    """`X` as an array; what only looks like a sequence is refused, not walked item by item."""
    # The type is asked, because some objects seem to have every attribute.
    kind = type(X)
    if not issubclass(kind, np.ndarray | Sequence) and not any(
        hasattr(kind, protocol) for protocol in _PROTOCOLS
    ):
        raise _unknown(X, name)
    try:
        rows = np.asarray(X)
    except ValueError as error:
        raise DataError(
            f"{name}: expected rows of equal length, got a ragged sequence ({one_line(error)}); "
            "give every row the same number of values."
        ) from error
    except Exception as error:
        # Other libraries raise errors of any kind where they cannot make an array.
        raise DataTypeError(
            f"{name}: expected numbers in memory, got {kind.__name__} that NumPy cannot read "
            f"({one_line(error)}); convert it to a NumPy array first."
        ) from error
    if rows.ndim == 0:
        raise _unknown(X, name)
    return rows


def _unknown(X: Any, name: str) -> DataTypeError:
    batches = "pass iter(data) if it gives batches of rows, or " if _only_iterates(X) else ""
    return DataTypeError(
        f"{name}: expected a 2D array, a data frame or a path, got {type(X).__name__}; {batches}"
        "convert it first, for example to a NumPy array or a data frame."
    )


def _only_iterates(X: Any) -> bool:
    return hasattr(type(X), "__iter__") and not isinstance(X, str | bytes)


def _numeric(rows: AnyArray, name: str) -> AnyArray:
    kind = rows.dtype.kind
    if kind in "fiub":
        return rows
    if kind == "c":
        raise DataTypeError(
            f"{name}: Complex data not supported: expected real numbers, got {rows.dtype}; "
            "pass the real and imaginary parts as columns."
        )
    if kind == "O":
        # Python numbers in an object array are accepted; the message names anything else.
        try:
            return _from_objects(rows)
        except (TypeError, ValueError) as error:
            raise DataTypeError(
                f"{name}: expected numbers, got dtype object holding something else ({error}); "
                "the argument must be a real number in every cell. Convert or drop those columns."
            ) from error
    raise DataTypeError(
        f"{name}: expected numbers, got dtype {rows.dtype}; convert or drop the columns that "
        "are not numbers."
    )


def _from_objects(values: AnyArray) -> AnyArray:
    """Python numbers as float64, NaN where one is missing; a TypeError for anything else."""
    text = next((value for value in values.flat if isinstance(value, str | bytes)), None)
    if text is not None:
        raise TypeError(f"the text {text!r}")
    try:
        return values.astype(np.float64)
    except TypeError:
        # The NA of pandas has no number; None has, for NumPy.
        plain = [nan if type(value).__name__ == "NAType" else value for value in values.flat]
        return np.array(plain, dtype=object).reshape(values.shape).astype(np.float64)


def check_column(values: Any, name: str, where: str = "X") -> AnyArray:
    """One column, given as an array, a list or a series, as a one-dimensional array of numbers."""
    dtype: Any = getattr(values, "dtype", None)
    if hasattr(dtype, "ordered") and hasattr(dtype, "categories"):  # a Categorical of pandas
        kind = np.asarray(dtype.categories).dtype
        if not dtype.ordered or kind.kind not in "fiub":
            raise not_numbered(where, name, ordered=dtype.ordered)
    if isinstance(values, np.ma.MaskedArray) and values.dtype.kind in "fiub":
        values = np.ma.filled(values.astype(np.float64), np.nan)
    column = _as_array(values, f"{where}: column {name!r}")
    if column.ndim != 1:
        raise DataError(
            f"{where}: column {name!r} must have one value for each row, got {column.ndim}D values "
            f"of shape {column.shape}; make each of its parts a column."
        )
    if column.dtype.kind in "fiub":
        return column
    found = str(column.dtype)
    if column.dtype.kind in "US":
        found = f"the text {column[0].item()!r}" if column.size else "text"
    try:
        if column.dtype.kind == "O":
            return _from_objects(column)
    except (TypeError, ValueError) as error:
        found = one_line(error)
    raise DataTypeError(f"{where}: column {name!r} must hold numbers, got {found}; {HINT}.")


def not_numbered(where: str, name: str, *, ordered: bool) -> DataTypeError:
    """The error for a column of categories that do not stand for numbers."""
    if ordered:
        return DataTypeError(
            f"{where}: column {name!r} must hold numbers, got ordered categories that are not "
            "numbers; replace them by 1, 2, 3, … if equal steps make sense, or leave it out "
            "(exclude=... of edge_test, --exclude)."
        )
    return DataTypeError(
        f"{where}: column {name!r} must hold numbers, got categories without an order; replace it "
        "by a column of 0 and 1 for every category except one, or leave it out (exclude=... of "
        "edge_test, --exclude)."
    )


def raise_for_nonfinite(rows: Rows, names: Sequence[str] | None = None) -> NoReturn:
    """Say which columns hold NaN or infinity, or that the sums overflow."""
    counts = nonfinite_counts(rows)
    if not counts.any():
        raise DataError("X: the sum of a column overflows; divide the columns by a constant first.")
    names = default_names(rows.shape[1]) if names is None else names
    raise NonFiniteError(nonfinite_message(counts, names), counts)


def nonfinite_counts(rows: Rows) -> npt.NDArray[np.int64]:
    counts: npt.NDArray[np.int64] = np.count_nonzero(~np.isfinite(np.asarray(rows)), axis=0)
    return counts


def nonfinite_message(counts: npt.NDArray[np.int64], names: Sequence[str]) -> str:
    found = [f"{name!r} ({counts[i]})" for i, name in enumerate(names) if counts[i]]
    return (
        f"X: expected finite numbers, got NaN or infinity (inf) in column {listed(found)}; "
        "drop those rows (missing='drop' of edge_test, --missing drop), use the values that are "
        "there (missing='pairwise'), or fill them in."
    )

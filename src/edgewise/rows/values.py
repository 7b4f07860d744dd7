"""The only checks of rows that a user passes: numbers, two-dimensional, finite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from edgewise._base.checks import default_names
from edgewise._base.text import listed
from edgewise._base.types import AnyArray
from edgewise.errors import DataError, DataTypeError, NonFiniteError
from edgewise.rows.block import ColumnBlock, Rows


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
    try:
        rows = np.asarray(X)
    except ValueError as error:
        raise DataError(
            f"{name}: expected rows of equal length, got a ragged sequence ({error})."
        ) from error
    if rows.ndim == 0:
        raise DataTypeError(
            f"{name}: expected a 2D array, a data frame or a path, got {type(X).__name__}; convert "
            "it first."
        )
    if rows.ndim != 2:
        raise DataError(
            f"{name}: expected a 2D array of rows and columns, got {rows.ndim}D of shape "
            f"{rows.shape}. Reshape your data, or pass several columns."
        )
    return _numeric(rows, name)


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
            text = next((value for value in rows.flat if isinstance(value, str | bytes)), None)
            if text is not None:
                raise TypeError(f"the text {text!r}")
            return rows.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise DataTypeError(
                f"{name}: expected numbers, got dtype object holding something else ({error}); "
                "the argument must be a real number in every cell. Convert or drop those columns."
            ) from error
    raise DataTypeError(
        f"{name}: expected numbers, got dtype {rows.dtype}; convert or drop the columns that "
        "are not numbers."
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
        "drop those rows (drop_missing=True of edge_test, --drop-missing) or fill them in."
    )

"""The only checks of user input: each names the argument, the rule and what came."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from numbers import Integral, Real
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from edgewise._blocks import ColumnBlock, Rows
from edgewise._types import AnyArray
from edgewise.errors import DataError, DataTypeError, NonFiniteError, ParameterError

_SHOWN = 5  # columns named in a message before it says "and n more"


def check_choice(name: str, value: object, choices: Sequence[object]) -> None:
    # Only plain values are compared: an array has no single truth value.
    plain = value is None or isinstance(value, str | int)
    if not plain or value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise ParameterError(f"{name}: expected one of {listed}; got {value!r}.")


def check_real(
    name: str, value: object, *, above: float, below: float = math.inf, hint: str = ""
) -> float:
    """A finite number strictly between `above` and `below`."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not (is_number and above < float(value) < below):  # type: ignore[arg-type]
        rule = f"above {above:g}" if below == math.inf else f"between {above:g} and {below:g}"
        raise ParameterError(f"{name}: expected a number {rule}, got {value!r}.{hint}")
    return float(value)  # type: ignore[arg-type]


def check_count(name: str, value: object, *, at_least: int) -> int:
    """A whole number, not below `at_least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < at_least:
        raise ParameterError(f"{name}: expected a whole number from {at_least} on, got {value!r}.")
    return int(value)


def check_rng(rng: object) -> np.random.Generator:
    """A generator of random numbers, as it is or from a seed."""
    try:
        return np.random.default_rng(rng)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"rng: expected a numpy.random.Generator or a seed from 0 on, got {rng!r}."
        ) from error


def check_alpha(alpha: object) -> float:
    return check_real("alpha", alpha, above=0, below=1, hint=" 0.05 is usual.")


def check_options(method: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse an option that the method does not have."""
    known = sorted(known)
    for option in given:
        if option not in known:
            has = f"its options are {', '.join(known)}" if known else "it has no options"
            raise ParameterError(f"{option}: method {method!r} does not take it; {has}.")


def check_rows(X: Any, *, n_features: int | None = None, name: str = "X") -> Rows:
    """`X` as two-dimensional real rows, without a copy where it is such already."""
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
        # NumPy would hand out the values behind the mask; they are missing.
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
        # Python numbers in an object array are numbers all the same; anything else is named.
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


def listed(items: Sequence[str]) -> str:
    """Items of a message, of many only the first few."""
    more = f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
    return ", ".join(items[:_SHOWN]) + more


def default_names(n_features: int) -> tuple[str, ...]:
    """Names of columns that came without: x0, x1, … as in scikit-learn."""
    return tuple(f"x{i}" for i in range(n_features))


def check_names(names: Iterable[object], n_features: int | None = None) -> tuple[str, ...]:
    """Column names as text, each once, and as many as there are columns."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ParameterError(f"feature_names: expected a sequence of names, got {names!r}.")
    texts = tuple(str(name) for name in names)
    if n_features is not None and len(texts) != n_features:
        raise ParameterError(
            f"feature_names: expected {n_features} names, one for each column, got {len(texts)}."
        )
    twice = sorted({name for name in texts if texts.count(name) > 1})
    if twice:
        raise DataError(
            f"columns: expected every name once, got {listed([repr(n) for n in twice])} more "
            "than once; rename or drop the repeated columns."
        )
    return texts


def check_columns(argument: str, names: object) -> tuple[str, ...] | None:
    """The names of columns that a user asks for: one, or several in their order."""
    if names is None:
        return None
    if isinstance(names, str):
        return (names,)
    if not isinstance(names, Iterable) or isinstance(names, bytes | Set | Mapping):
        raise ParameterError(
            f"{argument}: expected the name of a column or a sequence of names, got "
            f"{type(names).__name__}."
        )
    return tuple(str(name) for name in names)


def check_testable_shape(n_samples: int, n_features: int) -> None:
    """Enough columns for an edge, enough rows for a precision matrix."""
    if n_samples == 0:
        raise DataError(
            f"X: found 0 sample(s) (shape=(0, {n_features})) while a minimum of 3 is required; "
            "the table is empty, or every row has missing values."
        )
    if n_features < 2:
        raise DataError(
            f"X: {n_features} feature(s) (shape=({n_samples}, {n_features})) while a minimum of "
            "2 is required: an edge joins two columns."
        )
    if n_samples < 3:
        raise DataError(
            f"X: expected at least 3 rows, got n_samples={n_samples}; collect more rows."
        )
    if n_samples <= n_features:
        raise DataError(
            f"X: expected more rows than columns, got {n_samples} rows and {n_features} columns "
            f"(n_samples={n_samples}, n_features={n_features}); the covariance has no inverse. "
            "Collect more rows or test fewer columns."
        )


def one_line(error: Exception) -> str:
    """Another library's message, fit to stand inside a sentence of ours."""
    text = " ".join(str(error).split()).rstrip(".")
    shown = "".join(character if character.isprintable() else "?" for character in text)
    return shown if len(shown) <= 200 else shown[:199] + "…"

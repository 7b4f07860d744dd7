"""The only checks of user input: each names the argument, the rule and what came."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import partial
from numbers import Integral, Real
from typing import TYPE_CHECKING

from edgewise._text import did_you_mean, listed
from edgewise.errors import DataError, ParameterError

if TYPE_CHECKING:
    import numpy as np


def check_choice(name: str, value: object, choices: Sequence[object]) -> None:
    """Refuse a value that is not among the choices; name the nearest that is."""
    # Only plain values are compared: an array has no single truth value.
    plain = value is None or isinstance(value, str | int)
    if not plain or value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        words = [choice for choice in choices if isinstance(choice, str)]
        guess = did_you_mean(value, words) if isinstance(value, str) else ""
        raise ParameterError(f"{name}: expected one of {listed}; got {value!r}{guess}.")


def check_ending(name: str, path: str | os.PathLike[str], kinds: Sequence[str]) -> str:
    """The kind of file that the ending of its name says."""
    kind = os.path.splitext(os.fspath(path))[1].lstrip(".").lower()
    check_choice(f"{name}: the ending of '{path}'", kind, kinds)
    return kind


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


def check_flag(name: str, value: object) -> bool:
    """True or False, of Python or NumPy."""
    if not isinstance(value, bool) and type(value).__name__ not in ("bool", "bool_"):
        raise ParameterError(f"{name}: expected True or False, got {value!r}.")
    return bool(value)


def check_rng(rng: object) -> np.random.Generator:
    """A generator of random numbers, as it is or from a seed."""
    import numpy as np  # here, because the command line checks names before it needs numbers

    try:
        return np.random.default_rng(rng)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"rng: expected a numpy.random.Generator or a seed from 0 on, got {rng!r}."
        ) from error


check_alpha = partial(check_real, "alpha", above=0, below=1, hint=" 0.05 is usual.")


def default_names(n_features: int) -> tuple[str, ...]:
    """Default names of columns: x0, x1, … as in scikit-learn."""
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
    twice = sorted(name for name, count in Counter(texts).items() if count > 1)
    if twice:
        raise DataError(
            f"columns: expected every name once, got {listed([repr(n) for n in twice])} more "
            "than once; rename or drop the repeated columns."
        )
    return texts


def check_columns(argument: str, names: object) -> tuple[str, ...] | None:
    """The names of columns that a user gives: one, or several in order."""
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


def check_known(
    argument: str, wanted: Iterable[str], names: Sequence[str], where: str = "the table"
) -> None:
    """Refuse the name of a column that is not there; name the nearest that is."""
    known = set(names)
    for name in wanted:
        if name not in known:
            guess = did_you_mean(name, names)
            have = listed([*map(repr, names)])
            raise DataError(f"{argument}: {where} has no column {name!r}{guess}; it has {have}.")


#: With fewer rows, or more columns, nothing is chosen among columns.
FEWEST_WIDE_ROWS, MOST_WIDE_COLUMNS = 20, 5000
# Matrices of all pairs that a test of chosen columns holds at once, and the numbers for each pair.
_WIDE_MATRICES = 40


def check_testable_shape(n_samples: int, n_features: int, *, wide: bool = False) -> None:
    """Enough columns for an edge, and enough rows for a precision matrix.

    With `wide`, there may be as many columns as rows, or more: enough rows to choose among them.
    """
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
    if wide:
        if n_samples < FEWEST_WIDE_ROWS:
            raise DataError(
                f"X: expected at least {FEWEST_WIDE_ROWS} rows to choose among {n_features} columns, "
                f"got n_samples={n_samples}; collect more rows."
            )
        check_wide_memory(n_features)
    elif n_samples < 3:
        raise DataError(
            f"X: expected at least 3 rows, got n_samples={n_samples}; collect more rows."
        )
    elif n_samples <= n_features:
        able = n_samples >= FEWEST_WIDE_ROWS and n_features <= MOST_WIDE_COLUMNS
        advice = "If the graph is sparse, use method='nodewise'. " if able else ""
        raise DataError(
            f"X: expected more rows than columns, got {n_samples} rows and {n_features} columns "
            f"(n_samples={n_samples}, n_features={n_features}); the covariance has no inverse. "
            f"{advice}Collect more rows or test fewer columns; if the variables are the rows, "
            "transpose it."
        )


def check_wide_memory(n_features: int) -> None:
    """Refuse so many columns that the numbers of all pairs would not fit into memory."""
    if n_features > MOST_WIDE_COLUMNS:
        gigabytes = _WIDE_MATRICES * 8 * n_features**2 / 1e9
        raise DataError(
            f"X: expected at most {MOST_WIDE_COLUMNS:,} columns, got {n_features:,}: their "
            f"{n_features * (n_features - 1) // 2:,} pairs would need about {gigabytes:,.0f} GB of "
            "memory; choose the columns to test with columns=... (--columns)."
        )

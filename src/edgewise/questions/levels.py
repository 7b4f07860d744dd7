"""Rows in groups that a column tells apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgewise._base.checks import check_columns
from edgewise._base.text import listed
from edgewise._base.types import AnyArray, FloatArray
from edgewise.errors import DataError, ParameterError
from edgewise.rows.collecting import all_rows
from edgewise.rows.labels import column_of_labels, labels_of
from edgewise.rows.opening import on_cluster, open_table
from edgewise.states.registry import as_state

MOST_LEVELS = 12


@dataclass(frozen=True, eq=False, slots=True)
class Levels:
    """Rows in memory, with the level of each.

    Attributes
    ----------
    rows : ndarray of shape (n, p)
        All rows that have a level.
    codes : ndarray of shape (n,)
        The number of the level of each row.
    names : tuple of str
        The levels, sorted.
    feature_names : tuple of str
        The columns.
    n_without : int
        Rows that were left out because they have no level.
    """

    rows: FloatArray
    codes: AnyArray
    names: tuple[str, ...]
    feature_names: tuple[str, ...]
    n_without: int


def read_levels(data: Any, by: Any, rows: Mapping[str, Any]) -> Levels:
    """Read the rows into memory, and the level of each; `rows` says how to read them."""
    if as_state(data) is not None:
        raise ParameterError("by: expected with rows, got a state, which has no rows.")
    if on_cluster(data, rows["client"]):
        raise ParameterError(
            "by: expected with rows in this process, got rows on a cluster; split them there, as "
            "in compare_groups(frame[frame.g == 1], frame[frame.g == 2])."
        )
    if isinstance(by, str):
        labels = column_of_labels(data, by)
        rows = {**rows, "exclude": _without(by, rows)}
    else:
        labels = _given(by)
    table = open_table(data, **{**rows, "drop_missing": False})
    values = all_rows(table)
    if len(labels) != len(values):
        raise DataError(
            f"by: expected a level for each of the {len(values)} rows, got {len(labels)}."
        )
    known = np.array([label is not None for label in labels], dtype=bool)
    if not known.all() and not rows["drop_missing"]:
        raise DataError(
            f"by: {int((~known).sum())} of {len(known)} rows have no level; fill them in, or leave "
            "such rows out (drop_missing=True, --drop-missing)."
        )
    names, codes = _in_order(*np.unique(_texts(labels[known]), return_inverse=True))
    _check_levels(names, by)
    return Levels(values[known], codes, names, table.feature_names, int((~known).sum()))


def _without(by: str, rows: Mapping[str, Any]) -> tuple[str, ...]:
    """The columns to leave out: the levels are no variable."""
    columns = check_columns("columns", rows["columns"])
    if columns is not None and by in columns:
        raise ParameterError(
            f"by: the column {by!r} tells the groups apart, so it is the same in all rows of a "
            "group; leave it out of columns."
        )
    exclude = check_columns("exclude", rows["exclude"]) or ()
    return exclude if by in exclude else (*exclude, by)


def _given(by: Any) -> AnyArray:
    """Levels that are not a column of the data."""
    if not isinstance(by, Iterable) or isinstance(by, bytes | Mapping):
        raise ParameterError(
            f"by: expected the name of a column or a level for each row, got {type(by).__name__}."
        )
    return labels_of(by)


def _texts(labels: AnyArray) -> list[str]:
    """Levels as text: 1.0 as "1"."""
    whole = (
        isinstance(label, float | np.floating) and float(label).is_integer() for label in labels
    )
    return [str(int(label) if one else label) for one, label in zip(whole, labels, strict=True)]


def _in_order(names: AnyArray, codes: AnyArray) -> tuple[tuple[str, ...], AnyArray]:
    """The levels in order, by their numbers if all of them are numbers."""
    try:
        order = np.argsort([float(name) for name in names], kind="stable")
    except ValueError:
        order = np.arange(len(names))
    place = np.empty(len(names), dtype=np.intp)
    place[order] = np.arange(len(names))
    return tuple(str(names[i]) for i in order), place[codes]


def _check_levels(names: tuple[str, ...], by: Any) -> None:
    column = f"column {by!r}" if isinstance(by, str) else "by"
    if len(names) < 2:
        only = f"only {names[0]!r}" if names else "none"
        raise DataError(
            f"by: expected at least 2 levels, got {only} in {column}; there is nothing to compare."
        )
    if len(names) > MOST_LEVELS:
        raise DataError(
            f"by: expected at most {MOST_LEVELS} levels, got {len(names)} in {column} "
            f"({listed([*map(repr, names)])}); is it a number and not a group? Join levels first."
        )

"""Rows in groups that a column tells apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from edgewise._checks import check_columns
from edgewise._linalg import AnyArray, FloatArray
from edgewise._text import listed
from edgewise.errors import DataError, ParameterError
from edgewise.sums.save import as_state
from edgewise.tables.files import FileRead, files_read
from edgewise.tables.formats import all_unchanged
from edgewise.tables.labels import label_numbers
from edgewise.tables.level_column import column_of_labels, labels_of
from edgewise.tables.open import as_table, files_of, on_cluster
from edgewise.tables.table import all_rows
from edgewise.tables.values import raise_for_nonfinite

MOST_LEVELS = 12


@dataclass(frozen=True, eq=False, slots=True)
class Levels:
    """Rows in memory with the level of each, by its number among the sorted names.

    `n_without` rows were left out because they have no level or group; `clusters` says which rows
    belong together, and `clusters_name` which column says so.
    """

    rows: FloatArray
    codes: AnyArray
    names: tuple[str, ...]
    feature_names: tuple[str, ...]
    n_without: int
    clusters: FloatArray | None = None
    clusters_name: str | None = None
    files: tuple[FileRead, ...] = ()

    def labels_of(self, some: AnyArray) -> FloatArray | None:
        """The clusters of some of the rows."""
        return None if self.clusters is None else self.clusters[some]

    def complete(self, *, missing: str) -> Levels:
        """Only rows with all values; an error where a row is not complete and must be."""
        finite = np.asarray(np.isfinite(self.rows).all(axis=1))
        if finite.all():
            return self
        if missing != "drop":
            raise_for_nonfinite(self.rows, self.feature_names)
        clusters = self.labels_of(finite)
        return replace(self, rows=self.rows[finite], codes=self.codes[finite], clusters=clusters)


def read_levels(data: Any, by: Any, rows: Mapping[str, Any]) -> Levels:
    """Read the rows into memory, and the level of each; `rows` says how to read them."""
    if as_state(data) is not None:
        raise ParameterError("by: expected with rows, got a state, which has no rows.")
    if on_cluster(data, rows["client"]):
        raise ParameterError(
            "by: expected with rows in this process, got rows on a cluster; split them there, as "
            "in compare_groups(frame[frame.g == 1], frame[frame.g == 2])."
        )
    # Files are opened once for the levels, and once for the rows.
    with all_unchanged(files_of(data).values()):
        return _read_levels(data, by, rows)


def _read_levels(data: Any, by: Any, rows: Mapping[str, Any]) -> Levels:
    together = rows["clusters"]
    if isinstance(by, str):
        labels = column_of_labels(data, by)
        rows = {**rows, "exclude": _without(by, rows, "by")}
    else:
        labels = _given(by)
    if isinstance(together, str):
        rows = {**rows, "exclude": _without(together, rows, "clusters")}
    table = as_table(data, **{**rows, "missing": "raise", "clusters": None, "transform": None})
    values = all_rows(table)
    if len(labels) != len(values):
        raise DataError(
            f"by: expected a level for each of the {len(values)} rows, got {len(labels)}."
        )
    known = np.array([label is not None for label in labels], dtype=bool)
    _check_known(known, "by", "level", rows)
    clusters = None if together is None else _clusters_of_rows(data, together, len(values))
    if clusters is not None:
        _check_known(~np.isnan(clusters), "clusters", "label", rows)
        known &= ~np.isnan(clusters)
        clusters = clusters[known]
    names, codes = _in_order(*np.unique(_texts(labels[known]), return_inverse=True))
    _check_levels(names, by)
    if clusters is not None:
        _check_apart(clusters, codes)
    named = together if isinstance(together, str) else None
    without = int((~known).sum())
    files = files_read(table)
    return Levels(values[known], codes, names, table.feature_names, without, clusters, named, files)


def _check_known(known: AnyArray, argument: str, what: str, rows: Mapping[str, Any]) -> None:
    if not known.all() and rows["missing"] != "drop":
        raise DataError(
            f"{argument}: {int((~known).sum())} of {len(known)} rows have no {what}; fill them in, "
            "or leave such rows out (missing='drop', --missing drop)."
        )


def _clusters_of_rows(data: Any, together: Any, n: int) -> FloatArray:
    """The numbers of the clusters of rows that belong together, from a column or from labels."""
    labels = together
    if isinstance(together, str):
        labels = column_of_labels(data, together, "clusters")
    numbers = label_numbers(labels)
    if len(numbers) != n:
        raise ParameterError(
            f"clusters: expected one label for each of {n} rows, got {len(numbers)} labels."
        )
    return numbers


def _check_apart(clusters: FloatArray, codes: AnyArray) -> None:
    """Refuse rows that belong together and have different levels: the levels then depend."""
    different = np.unique(np.column_stack([clusters, codes]), axis=0)[:, 0]
    labels, counts = np.unique(different, return_counts=True)
    both = int((counts > 1).sum())
    if both:
        raise DataError(
            f"clusters: expected each label with one level only, got {both} of {len(labels)} with "
            "more than one; the levels must have different subjects. For the same subjects before "
            "and after, test the changes."
        )


def _without(name: str, rows: Mapping[str, Any], argument: str) -> tuple[str, ...]:
    """The columns to leave out: levels and labels are no variables."""
    columns = check_columns("columns", rows["columns"])
    if columns is not None and name in columns:
        raise ParameterError(
            f"{argument}: the column {name!r} tells groups apart and is no variable; leave it out "
            "of columns."
        )
    exclude = check_columns("exclude", rows["exclude"]) or ()
    return exclude if name in exclude else (*exclude, name)


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

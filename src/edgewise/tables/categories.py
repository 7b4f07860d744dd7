"""Columns of 0 and 1 in place of columns of categories that are adjusted for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import numpy as np

from edgewise._linalg import FloatArray
from edgewise.errors import DataError, EdgewiseError
from edgewise.tables.options import View, columns_of, view
from edgewise.tables.table import Partition, Table

#: More are rather names than categories.
MOST_CATEGORIES = 50


def categories_among(given: Iterable[str], open_table: Callable[[], Table]) -> list[str]:
    try:
        left_out = open_table().left_out
    except EdgewiseError:
        return []  # it is opened again, and the error then says more
    return [name for name in given if left_out.get(name) in ("text", "categories")]


def indicator_table(source: Table, categories: Sequence[str], n_labels: int) -> View:
    """A table whose last columns but the labels hold categories, with indicators in their place."""
    q = len(source.feature_names)
    places = range(q - n_labels - len(categories), q - n_labels)
    if not source.rescannable:
        raise DataError(
            f"given: column {categories[0]!r} holds categories, which are read twice, and this "
            "stream can be read only once; write the rows to a Parquet file first."
        )
    found = source.reduce(partial(_levels, places=places), _merged)
    for name, own in zip(categories, found, strict=True):
        if len(own) > MOST_CATEGORIES:
            raise DataError(
                f"given: column {name!r} has more than {MOST_CATEGORIES} categories; group them, "
                "or leave the column out."
            )
    return view(source, levels=dict(zip(places, found, strict=True)))


def _levels(part: Partition, places: Sequence[int]) -> list[FloatArray]:
    found = [np.empty(0)] * len(places)
    for block in part.blocks():
        codes = np.asarray(columns_of(block, places), dtype=np.float64)
        found = _merged(found, [one[~np.isnan(one)] for one in codes.T])
    return found


def _merged(a: list[FloatArray], b: list[FloatArray]) -> list[FloatArray]:
    """The categories of both, no more than are needed to say that they are too many."""
    return [np.union1d(*both)[: MOST_CATEGORIES + 1] for both in zip(a, b, strict=True)]


def indicators_in(names: Sequence[str], given: Iterable[str]) -> dict[str, list[str]]:
    made = {name: [one for one in names if one.startswith(f"{name}[")] for name in given}
    return {name: own for name, own in made.items() if own and name not in names}


def category_note(indicators: Mapping[str, Sequence[str]]) -> str:
    parts = [
        f"{name!r} ({len(own)} indicator{'s' * (len(own) != 1)} of {len(own) + 1} categories)"
        for name, own in indicators.items()
    ]
    return f"Adjusted for as categories: {', '.join(parts)}."

"""Columns of 0 and 1 in place of columns of categories that are adjusted for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from edgewise._linalg import AnyArray, FloatArray
from edgewise.errors import DataError, EdgewiseError
from edgewise.tables.options import Prepared, columns_of
from edgewise.tables.table import ColumnBlock, Partition, Rows, Table

T = TypeVar("T")

#: More are rather names than categories.
MOST_CATEGORIES = 50


def categories_among(given: Iterable[str], open_table: Callable[[], Table]) -> list[str]:
    """The columns to adjust for that hold text or categories."""
    try:
        left_out = open_table().left_out
    except EdgewiseError:
        return []  # it is opened again, and the error then says more
    return [name for name in given if left_out.get(name) in ("text", "categories")]


@dataclass(frozen=True, eq=False)
class _Indicators:
    """Turns the codes of categories, the last columns but the labels, into columns of 0 and 1."""

    levels: Mapping[str, FloatArray]
    n_labels: int

    def applied(self, part: Partition) -> Partition:
        blocks = partial(self._read, part)
        return replace(part, feature_names=self.names(part.feature_names), blocks=blocks)

    def names(self, names: Sequence[str]) -> tuple[str, ...]:
        p = len(names) - len(self.levels) - self.n_labels
        made = (f"{name}[{k}]" for name, own in self.levels.items() for k in range(2, len(own) + 1))
        return (*names[:p], *made, *names[len(names) - self.n_labels :])

    def _read(self, part: Partition) -> Iterator[Rows]:
        q = len(part.feature_names)
        first = q - len(self.levels) - self.n_labels
        for block in part.blocks():
            block = ColumnBlock.of(block)
            made: list[AnyArray] = []
            for place, levels in enumerate(self.levels.values(), first):
                codes = np.asarray(block.chosen([place]))[:, 0]
                missing = np.isnan(codes)
                # The first category has no column: it would be determined by the others.
                made += [np.where(missing, np.nan, codes == level) for level in levels[1:]]
            labels = block.chosen(range(q - self.n_labels, q)) if self.n_labels else None
            rows = ColumnBlock.of(block.chosen(range(first)), *made)
            yield rows if labels is None else ColumnBlock.of(rows, *np.asarray(labels).T)


class IndicatorTable(Table):
    """A table whose last columns but the labels hold categories, with indicators in their place."""

    def __init__(self, source: Table, categories: Sequence[str], n_labels: int) -> None:
        q = len(source.feature_names)
        places = range(q - n_labels - len(categories), q - n_labels)
        if not source.rescannable:
            raise DataError(
                f"given: column {categories[0]!r} holds categories, which are read twice, and this "
                "stream can be read only once; write the rows to a Parquet file first."
            )
        found = source.reduce(partial(_levels, places=places), _merged)
        levels = dict(zip(categories, found, strict=True))
        for name, own in levels.items():
            if len(own) > MOST_CATEGORIES:
                raise DataError(
                    f"given: column {name!r} has more than {MOST_CATEGORIES} categories; group them, "
                    "or leave the column out."
                )
        self.source, self._indicators = source, _Indicators(levels, n_labels)
        self.feature_names = self._indicators.names(source.feature_names)
        self.named, self.left_out, self.rescannable = source.named, source.left_out, True
        self.in_memory, self.local = source.in_memory, source.local

    @property
    def n_rows(self) -> int | None:
        return self.source.n_rows

    def partition_rows(self) -> Sequence[int | None] | None:
        return self.source.partition_rows()

    def labels(self, name: str) -> Iterable[Any]:
        return self.source.labels(name)

    def reduce(self, one_pass: Callable[[Partition], T], merge: Callable[[T, T], T]) -> T:
        return self.source.reduce(Prepared(one_pass, self._indicators), merge)


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
    """The indicators of each given column that is none of these."""
    made = {name: [one for one in names if one.startswith(f"{name}[")] for name in given}
    return {name: own for name, own in made.items() if own and name not in names}


def category_note(indicators: Mapping[str, Sequence[str]]) -> str:
    """How each column of categories is adjusted for."""
    parts = [
        f"{name!r} ({len(own)} indicator{'s' * (len(own) != 1)} of {len(own) + 1} categories)"
        for name, own in indicators.items()
    ]
    return f"Adjusted for as categories: {', '.join(parts)}."

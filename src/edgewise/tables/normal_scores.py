"""Normal scores Φ⁻¹(r/(n + 1)) of columns: r is the rank, the average one of equal values.

The score of a value that the column does not have lies between those of its neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

from edgewise._base import special
from edgewise._base.parts import is_installed
from edgewise._base.steps import in_parallel
from edgewise._base.types import FloatArray
from edgewise.errors import DataError
from edgewise.tables.block import Rows, row_blocks
from edgewise.tables.table import LocalTable, Missing, Part, SoFar, Table, batch_rows
from edgewise.tables.views import View

T = TypeVar("T")

NORMAL_SCORES = "normal-scores"
#: What `transform` can be.
TRANSFORMS = (NORMAL_SCORES, None)
# Bytes of rows that are ranked: of files and the like, and on a cluster, where several times as
# many may be on their way to one machine.
MOST_HERE, MOST_ON_CLUSTER = 1 << 30, 1 << 27
_MANY = 1_000_000


@dataclass(frozen=True, eq=False, slots=True)
class ScoreMap:
    """The normal scores of some columns, of which `values` are sorted, as a function of a value."""

    values: FloatArray

    def scores(self, block: Rows) -> FloatArray:
        """The scores of a block of rows. Further columns, which hold labels, stay as they are.

        What is not finite stays, too: whoever reads the scores says where it is.
        """
        made = np.array(np.asarray(block, dtype=np.float64).T)
        for column, values in zip(made, self.values, strict=False):
            finite = np.isfinite(column)
            below, until = (np.searchsorted(values, column, side) for side in ("left", "right"))
            scores = special.ndtri((below + until + 1) / 2 / (len(values) + 1))
            column[:] = np.where(finite, scores, column)
        return made.T


def normal_scores(values: FloatArray, out: FloatArray | None = None) -> FloatArray:
    """The normal scores of columns of finite numbers, features first; `out` may be the same memory.

    Examples
    --------
    >>> normal_scores(np.array([[3.0, 1.0, 1.0, 8.0]])).round(2)
    array([[ 0.25, -0.52, -0.52,  0.84]])
    """
    n = values.shape[1]
    # Without ties all columns have the same scores, in another order.
    untied = special.ndtri(np.arange(1, n + 1) / (n + 1))
    made = np.empty(values.shape) if out is None else out
    # Of few numbers the scores are there before joblib is imported; without it, one core does it.
    everywhere = values.size > _MANY and is_installed("joblib")
    run = in_parallel if everywhere else map
    for _ in run(partial(_score, untied=untied), zip(values, made, strict=True)):
        pass
    return made


def _score(both: tuple[FloatArray, FloatArray], untied: FloatArray) -> None:
    """Write the scores of a column into the memory for them."""
    (column, scores), n = both, len(untied)
    order = np.argsort(column)
    values = column[order]
    first = np.flatnonzero(np.append(np.ones(min(n, 1), dtype=bool), values[1:] != values[:-1]))
    if len(first) == n:
        scores[order] = untied
        return
    until = np.append(first[1:], n)
    own = special.ndtri((first + until + 1) / 2 / (n + 1))
    scores[order] = np.repeat(own, until - first)


class NormalScores(View):
    """A table of the normal scores of another one.

    The first pass gathers all rows and ranks them. Rows that are read in this process are then
    kept as scores, and not read again. The last `n_labels` columns stay as they are; `known` are
    the scores, where those of other rows are wanted.
    """

    def __init__(self, table: Table, n_labels: int = 0, known: ScoreMap | None = None) -> None:
        if known is None and not table.rescannable:
            raise DataError(
                f"transform: {NORMAL_SCORES!r} reads the rows twice, and this stream can be read "
                "only once; write the rows to a Parquet file first."
            )
        super().__init__(table, _as_they_are if known is None else partial(_scored, known=known))
        self._n_variables = len(table.feature_names) - n_labels
        self._known, self._held = known, None
        self._ready = known is not None

    _known: ScoreMap | None
    _held: _HeldScores | None

    @property
    def in_memory(self) -> bool:
        return self._held is not None or self._table.in_memory

    def over(self, table: Table) -> NormalScores:
        """The same scores of other rows with the same columns."""
        n_labels = len(self._table.feature_names) - self._n_variables
        return NormalScores(table, n_labels, self.known())

    def reduce(self, one_pass: Callable[[Part], T], merge: Callable[[T, T], T]) -> T:
        self._make_ready(keep_map=False)
        if self._held is not None:
            return self._held.reduce(one_pass, merge)
        return super().reduce(one_pass, merge)

    def known(self) -> ScoreMap | None:
        """The map of every column, for other rows; None if a value is missing.

        Ask before the scores are read: afterwards the values may be gone, and are read again.
        """
        self._make_ready(keep_map=True)
        return self._known

    def _make_ready(self, *, keep_map: bool) -> None:
        if self._ready and (self._known is not None or not keep_map):
            return
        below, p, n = self._table, self._n_variables, self._table.n_rows
        while isinstance(below, View):
            below = below.below
        here = isinstance(below, LocalTable)
        most: float = MOST_HERE if here else MOST_ON_CLUSTER
        if self._table.in_memory:
            most = math.inf
        if n is not None and 8 * n * p > most:
            raise _too_many(most)
        one_pass = partial(_gathered, n_variables=p, most=most, whole=here)
        found = self._table.reduce(one_pass, partial(_merged, most=most))
        self._ready = True
        if found.values is None or not found.values.shape[1]:
            return  # the rows stay as they are, and whoever reads them says what is missing
        variables = found.values[:p]
        if keep_map or not here:
            self._known = ScoreMap(np.sort(variables))
            self._change = partial(_scored, known=self._known)
        if here:
            normal_scores(variables, out=variables)
            self._held = _HeldScores(self._table, found)


def scores_under(table: object) -> NormalScores | None:
    """The view of normal scores under the other views of a table; None if there is none."""
    while isinstance(table, View):
        if isinstance(table, NormalScores):
            return table
        table = table.below
    return None


def values_under(table: Table) -> Table:
    """The values that normal scores were made of; the table itself if it has none."""
    scores = scores_under(table)
    return table if scores is None else scores.below


def transform_of(table: object) -> str | None:
    """What `transform` a table was opened with."""
    return None if scores_under(table) is None else NORMAL_SCORES


def _as_they_are(part: Part) -> Part:
    return part


def _scored(part: Part, known: ScoreMap) -> Part:
    return part.through(partial(map, known.scores))


@dataclass(frozen=True, eq=False, slots=True)
class _Gathered:
    """All values, features first, or None if some miss; and what was left out."""

    values: FloatArray | None
    n_dropped: int = 0
    missing: Missing | None = None


class _HeldScores(LocalTable):
    """Scores in memory, of rows that need not be read again."""

    rescannable = True
    in_memory = True

    def __init__(self, table: Table, found: _Gathered) -> None:
        self.feature_names, self.named = table.feature_names, table.named
        self._found = found

    @property
    def n_rows(self) -> int:
        return 0 if self._found.values is None else int(self._found.values.shape[1])

    def blocks(self) -> Iterator[Rows]:
        if self._found.values is not None:
            yield from row_blocks(self._found.values.T, batch_rows(len(self.feature_names)))

    def part(self) -> Part:
        so_far = SoFar()

        def read() -> Iterator[Rows]:
            so_far.n_dropped, so_far.missing = self._found.n_dropped, self._found.missing
            return self.blocks()

        return Part(0, "", self.feature_names, read, so_far)


def _gathered(part: Part, n_variables: int, most: float, whole: bool) -> _Gathered:
    """All values of a part, with its labels if `whole`."""
    width = len(part.feature_names) if whole else n_variables
    kept: list[FloatArray] = [np.empty((width, 0))]
    size = 0
    for block in part.blocks():
        # A copy, because a reader may use the memory of a block again.
        values = np.array(np.asarray(block).T[:width], dtype=np.float64)
        if not np.isfinite(values[:n_variables]).all():
            return _Gathered(None)
        size += 8 * n_variables * values.shape[1]
        if size > most:
            raise _too_many(most)
        kept.append(values)
    return _Gathered(np.concatenate(kept, axis=1), part.n_dropped, part.so_far.missing)


def _merged(a: _Gathered, b: _Gathered, most: float) -> _Gathered:
    if a.values is None or b.values is None:
        return _Gathered(None)
    if a.values.nbytes + b.values.nbytes > most:
        raise _too_many(most)
    missing = [one.missing for one in (a, b) if one.missing is not None]
    return _Gathered(
        np.concatenate([a.values, b.values], axis=1),
        a.n_dropped + b.n_dropped,
        np.sum(missing, axis=0) if missing else None,
    )


def _too_many(most: float) -> DataError:
    return DataError(
        f"transform: expected at most {most / (1 << 20):,.0f} MB of numbers to rank in memory, got "
        "more; use method='kendall' (--method kendall) without transform, which reads any number "
        "of rows once and needs no ranks, or test fewer columns."
    )

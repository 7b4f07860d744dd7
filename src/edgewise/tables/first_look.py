"""What the first pass notes about rows besides their sums: some of them, and values far out.

Methods are made of sums. Whether their assumptions hold shows in single rows: in their order, and
in the few that are far from all others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from edgewise._linalg import FloatArray
from edgewise.tables.options import normal_scores
from edgewise.tables.table import ColumnBlock, Missing, Partition, Rows, add_missing, row_blocks

#: How many leading rows are kept: at most this many, and at most this many numbers (4 MB).
_MOST_ROWS, _MOST_NUMBERS = 8192, 1 << 19
#: And of the first part of a table on a cluster; the second keeps half, the third a third of it.
_MOST_ROWS_OF_PARTS = 1024
_FEWEST_ROWS = 256
# Rows spread over the data: at most this many, and fewer of a part on a cluster.
_MOST_SPREAD, _MOST_SPREAD_OF_PARTS = 3000, 500
_GOLDEN = (math.sqrt(5) - 1) / 2
# A block is searched if it may hold a row with this share of a column's sum of squares (the mean
# of all rows is not yet known, so a row with twice this share is found for certain), and if its
# rows vary more than those before it.
_SHARE, _MORE = 0.14, 1.1


def leading_limit(n_features: int) -> int:
    return min(_MOST_ROWS, max(_FEWEST_ROWS, _MOST_NUMBERS // max(n_features, 1)))


@dataclass(frozen=True, eq=False, slots=True)
class SpreadRows:
    """About one row in `step`, from all over the data."""

    rows: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    step: int = 1

    @classmethod
    def of(cls, block: Rows, start: int, step: int, most: int = _MOST_SPREAD) -> SpreadRows:
        """Those of a block, whose first row has the number `start`."""
        n, p = block.shape
        while (start + n) // step > min(most, leading_limit(p)):
            step *= 2
        if step == 1:
            return cls(np.array(block, dtype=np.float64))
        k = np.arange(start // step, (start + n) // step + 1)
        # At uneven distances, so that no period of the rows is met always at the same place.
        places = ((k + k * _GOLDEN % 1) * step).astype(np.int64) - start
        places = places[(places >= 0) & (places < n)]
        return cls(np.asarray(block[places], dtype=np.float64), step)

    def __add__(self, later: SpreadRows) -> SpreadRows:
        step = max(self.step, later.step)
        both = [one.rows[:: step // one.step] for one in (self, later) if len(one.rows)]
        rows = np.concatenate(both) if both else self.rows
        while len(rows) > min(_MOST_SPREAD, leading_limit(rows.shape[1])):
            rows, step = rows[::2], 2 * step
        return SpreadRows(rows, step)


@dataclass(frozen=True, eq=False, slots=True)
class FirstLook:
    """The first rows, and for each column values far out with the numbers of their rows.

    First looks add, in the order of the rows; that of no rows is the neutral element.

    `far` (2, p): The smallest and the largest value of each column, among the blocks that were
      searched. A row that has 30 % or more of a column's sum of squares about the mean is among
      them.
    `missing` (2, p): How many values each column lacks in rows that were left out, and how many of
      these rows lack nothing else; None where none were left out.
    `spread`: Rows from all over the data, which may be sorted.
    """

    n_samples: int
    far: FloatArray
    far_row: npt.NDArray[np.int64]
    leading: FloatArray
    spread: SpreadRows
    missing: Missing | None = None

    @staticmethod
    def empty(n_features: int) -> FirstLook:
        far = np.empty((2, n_features))
        far[0], far[1] = np.inf, -np.inf
        rows = np.zeros((2, n_features), dtype=np.int64)
        nothing = np.empty((0, n_features))
        return FirstLook(0, far, rows, nothing, SpreadRows(nothing))

    def __add__(self, later: FirstLook) -> FirstLook:
        farther = np.stack([later.far[0] < self.far[0], later.far[1] > self.far[1]])
        leading, more = self.leading, later.leading[:0]
        if len(leading) == self.n_samples:  # else rows are missing between the two
            more = later.leading[: leading_limit(leading.shape[1]) - len(leading)]
        if len(more):
            leading = np.concatenate([leading, more]) if len(leading) else more
        return FirstLook(
            self.n_samples + later.n_samples,
            np.where(farther, later.far, self.far),
            np.where(farther, later.far_row + self.n_samples, self.far_row),
            leading,
            self.spread + later.spread,
            add_missing(self.missing, later.missing),
        )

    def filled(self) -> FirstLook:
        """The same where values are missing: each becomes the median of its column."""
        return replace(
            self,
            leading=_filled(self.leading),
            spread=SpreadRows(_filled(self.spread.rows), self.spread.step),
        )

    def of_ranks(self) -> FirstLook:
        """The first look of normal scores: the order of the first rows, and no value far out."""
        nothing = FirstLook.empty(self.far.shape[1])
        if not len(self.leading):
            return nothing
        scores = self.leading.T.copy()
        normal_scores(scores, out=scores)
        return replace(nothing, n_samples=self.n_samples, leading=scores.T)


def _filled(rows: FloatArray) -> FloatArray:
    known = np.isfinite(rows)
    if known.all():
        return rows
    some = np.where(known, rows, np.nan)
    usual = np.zeros(some.shape[1])
    seen = known.any(axis=0)
    # Of the observed values, one that is there: the lower of two in the middle.
    usual[seen] = np.nanquantile(some[:, seen], 0.5, axis=0, method="lower")
    return np.where(known, rows, usual)


class FirstLookBuilder:
    """Takes a first look at blocks of rows while a pass reads them.

    Blocks in which `scatter`, the sums of squares so far, grows as usual are not searched. Parts after
    the first (`number`) keep fewer leading rows, since they travel over the network.
    """

    def __init__(
        self,
        n_features: int,
        scatter: Callable[[], FloatArray] | None = None,
        number: int | None = None,
    ) -> None:
        self.first_look = FirstLook.empty(n_features)
        self._scatter, self._before = scatter, np.zeros(n_features)
        self._limit = leading_limit(n_features)
        self._most_spread = _MOST_SPREAD
        if number is not None:
            self._most_spread = _MOST_SPREAD_OF_PARTS
            self._limit = min(self._limit, _MOST_ROWS_OF_PARTS // (number + 1))

    def watch(self, part: Partition) -> Iterator[Rows]:
        """The blocks of a part; each is seen after the pass has checked and added it."""
        for block in part.blocks():
            yield block
            if not block.shape[0]:
                continue
            n, columns = self.first_look.n_samples, np.arange(block.shape[1])
            if self._scatter is not None:
                total, before = self._scatter(), self._before
                self._before = total
                if n:
                    # Where sums overflow, the estimate says so later.
                    with np.errstate(over="ignore", invalid="ignore"):
                        grown, more = total - before, _MORE * block.shape[0]
                        usual = (grown < _SHARE * total) | (grown * n <= more * before)
                    # A column may be constant so far, or its squares are too small for float64.
                    columns = np.flatnonzero(~usual | (total == 0))
            for rows in row_blocks(block) if columns.size else (block,):
                seen, found = self.first_look, FirstLook.empty(block.shape[1])
                far, far_row = found.far, found.far_row
                if columns.size:
                    far[:, columns], far_row[:, columns] = _extremes(rows, columns)
                head = np.array(rows[: max(self._limit - seen.n_samples, 0)], dtype=np.float64)
                start = seen.n_samples
                spread = SpreadRows.of(rows, start, seen.spread.step, self._most_spread)
                found = FirstLook(rows.shape[0], far, far_row, head, spread)
                self.first_look = seen + found if seen.n_samples else found
        if (missing := part.counts.missing) is not None:
            # Labels and weights that were read along are no variables.
            missing = missing[:, : len(part.feature_names)]
            self.first_look = replace(self.first_look, missing=missing)


def _extremes(
    block: Rows, columns: npt.NDArray[np.intp]
) -> tuple[FloatArray, npt.NDArray[np.int64]]:
    """The smallest and the largest value of some columns, and their rows in the block."""
    if isinstance(block, ColumnBlock):
        rows = np.asarray(block.chosen(columns.tolist())).T
    else:
        chosen = block if columns.size == block.shape[1] else block[:, columns]
        rows = np.ascontiguousarray(chosen.T)  # that is how extremes are found fast
    places = np.arange(columns.size)
    at = np.stack([rows.argmin(axis=1), rows.argmax(axis=1)])
    value = rows[places, at].astype(np.float64, copy=False)
    if not np.isfinite(value).all():  # rows may lack values, where that is allowed
        known = np.isfinite(rows)
        low, high = np.where(known, rows, np.inf), np.where(known, rows, -np.inf)
        at = np.stack([low.argmin(axis=1), high.argmax(axis=1)])
        value = np.stack([low[places, at[0]], high[places, at[1]]])
    return value, at

"""Blocks of rows, and how many rows are processed at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from edgewise._base.types import AnyArray, FloatArray

# Half a megabyte of float64: a block, its square and a product stay in a core's L2 cache.
_BLOCK_ELEMENTS = 1 << 16
# With fewer rows, adding p × p sums costs as much as computing them.
_MIN_BLOCK_ROWS = 1024


class Piece(NamedTuple):
    """Rows `start` to `stop` of some columns of equal length."""

    columns: Sequence[AnyArray]
    start: int
    stop: int


class ColumnBlock:
    """An n × p block of rows, as pieces of columns; `np.asarray` makes it an array.

    Reading a table is as fast as memory, so one copy less saves a third of the time. Accumulators
    first subtract an origin from every block: `minus` reads the columns where they are.
    """

    def __init__(self, pieces: Sequence[Piece], n_features: int) -> None:
        self._pieces = pieces
        self.shape = (sum(piece.stop - piece.start for piece in pieces), n_features)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice) -> ColumnBlock:
        """The rows of a slice without a step; never a copy."""
        first, last, _ = rows.indices(self.shape[0])
        kept, before = [], 0
        for columns, start, stop in self._pieces:
            begin = max(start, start + first - before)
            end = min(stop, start + last - before)
            if begin < end:
                kept.append(Piece(columns, begin, end))
            before += stop - start
        return ColumnBlock(kept, self.shape[1])

    def chosen(self, places: Sequence[int]) -> ColumnBlock:
        """Some of the columns, in the order of their places; never a copy."""
        pieces = [
            Piece([columns[place] for place in places], start, stop)
            for columns, start, stop in self._pieces
        ]
        return ColumnBlock(pieces, len(places))

    def minus(self, origin: FloatArray, out: FloatArray) -> None:
        """Each column minus its part of `origin`, written to the rows of `out`."""
        done = 0
        for columns, start, stop in self._pieces:
            until = done + stop - start
            for column, constant, row in zip(columns, origin, out, strict=True):
                np.subtract(column[start:stop], constant, out=row[done:until])
            done = until

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> AnyArray:
        rows = np.empty(self.shape[::-1])
        done = 0
        for columns, start, stop in self._pieces:
            until = done + stop - start
            for column, row in zip(columns, rows, strict=True):
                row[done:until] = column[start:stop]
            done = until
        return np.asarray(rows.T, dtype)


#: Numeric n × p rows: an array, or the columns of a table.
Rows: TypeAlias = AnyArray | ColumnBlock


def minus_origin(block: Rows, origin: FloatArray, out: FloatArray) -> FloatArray:
    """The rows of `block` minus `origin`, features first, in the front columns of `out`."""
    front = out[:, : block.shape[0]]
    if isinstance(block, ColumnBlock):
        block.minus(origin, front)
    else:
        np.subtract(block.T, origin[:, np.newaxis], out=front)
    return front


def block_rows(n_features: int) -> int:
    """Rows per block for data of `n_features` columns."""
    return max(_MIN_BLOCK_ROWS, _BLOCK_ELEMENTS // max(n_features, 1))


def row_blocks(X: Rows, rows: int | None = None) -> Iterator[Rows]:
    """Views of consecutive rows of `X`, of even length up to a maximum; never a copy."""
    n = X.shape[0]
    count = -(-n // (rows or block_rows(X.shape[1])))
    # The length is even, because a last block of a few rows costs as much as a full one.
    step = -(-n // max(count, 1))
    for start in range(0, n, max(step, 1)):
        yield X[start : start + step]

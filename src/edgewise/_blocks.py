"""Blocks of rows: what they are, and how many rows are worked on at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from edgewise._types import AnyArray, FloatArray

# Half a megabyte of float64: a block, its square and a product stay in a core's L2 cache.
_BLOCK_ELEMENTS = 1 << 16
# Below this many rows adding p × p sums costs as much as making them.
_MIN_BLOCK_ROWS = 4096
# From so many columns on, turning rows into columns costs more than it saves.
_ROWS_FIRST_FROM = 300
# Up to so many, two products are faster than one SYRK.
_FEW_FEATURES = 16


class Piece(NamedTuple):
    """Rows `start` to `stop` of some columns of equal length."""

    columns: Sequence[AnyArray]
    start: int
    stop: int


class ColumnBlock:
    """An n × p block of rows, as pieces of columns; `np.asarray` makes it an array.

    Reading a table is as fast as memory, so one copy less is a third of the time. The accumulators
    subtract an origin from every block before all else: `minus` reads the columns where they are.
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
#: What a pass over some rows adds up to: arrays that add, piece by piece, to those of more rows.
Sums: TypeAlias = tuple[AnyArray, ...]
#: A pass over rows; it can be sent to where they are.
Pass: TypeAlias = Callable[[Iterator[Rows]], Sums]


class DistantRows(ABC):
    """Rows on other machines: a pass goes to them, and only its sums come back."""

    @abstractmethod
    def summed(self, one_pass: Pass) -> Sums:
        """The sums of all rows, added up in an order that does not depend on who was faster."""


#: Starts a fresh pass over rows that are here, or stands for rows that are elsewhere.
Scan: TypeAlias = Callable[[], Iterator[Rows]] | DistantRows


def summed(scan: Scan, one_pass: Pass) -> Sums:
    """What a pass over all rows adds up to, wherever they are."""
    if isinstance(scan, DistantRows):
        return scan.summed(one_pass)
    return one_pass(scan())


def minus_origin(block: Rows, origin: FloatArray, out: FloatArray) -> FloatArray:
    """The rows of `block` minus `origin`, features first, in the front columns of `out`."""
    front = out[:, : block.shape[0]]
    if isinstance(block, ColumnBlock):
        block.minus(origin, front)
    else:
        np.subtract(block.T, origin[:, np.newaxis], out=front)
    return front


def scratch(rows: Rows, length: int, count: int, *, below: int = 0) -> FloatArray:
    """Memory for `count` × (p + below) × length numbers, features first.

    In memory, though, it is in the order of the rows where these are wide: copying them is then a
    matter of a stream.
    """
    p = rows.shape[1] + below
    in_rows = isinstance(rows, np.ndarray) and rows.strides[1] == rows.itemsize
    if in_rows and p >= _ROWS_FIRST_FROM:
        return np.empty((count, length, p)).transpose(0, 2, 1)
    return np.empty((count, p, length))


def mapped(B: FloatArray, z: FloatArray, out: FloatArray) -> FloatArray:
    """Bᵀz in the front columns of `out`, both from `scratch`."""
    front = out[:, : z.shape[1]]
    if front.strides[0] < front.strides[1]:  # in the order of the rows
        np.matmul(z.T, B, out=front.T)
    else:
        np.matmul(B.T, z, out=front)
    return front


def row_products(a: FloatArray, b: FloatArray) -> FloatArray:
    """Σ a_i b_i along each row of a and b, both from `scratch`."""
    # In the order of the rows a sum along that order would jump; `einsum` walks through memory.
    in_rows = a.strides[0] < a.strides[1]
    return np.asarray(np.einsum("ij,ij->i", a, b) if in_rows else np.vecdot(a, b))


def add_gram(total: FloatArray, z: FloatArray) -> None:
    """Add the lower triangle of z zᵀ to `total`; what is above it is not to be relied on."""
    half = z.shape[0] // 2
    if z.shape[0] <= _FEW_FEATURES:
        # OpenBLAS has a fast way for small products but not for small SYRKs, which NumPy would use.
        total[:half] += z[:half] @ z.T
        total[half:] += z[half:] @ z.T
    else:
        total += z @ z.T


def upper_products(c: FloatArray, out: FloatArray) -> FloatArray:
    """Products c_i c_j for i ≤ j in row-major order, one row of `out` each."""
    start = 0
    for i in range(c.shape[0]):
        stop = start + c.shape[0] - i
        np.multiply(c[i], c[i:], out=out[start:stop])
        start = stop
    return out


def mirrored(total: FloatArray) -> FloatArray:
    """The symmetric matrix of which `add_gram` made the lower triangle."""
    return np.asarray(np.tril(total) + np.tril(total, -1).T)


def block_rows(n_features: int) -> int:
    """Rows per block for data of `n_features` columns."""
    return max(_MIN_BLOCK_ROWS, _BLOCK_ELEMENTS // max(n_features, 1))


def row_blocks(X: Rows, rows: int | None = None) -> Iterator[Rows]:
    """Views of consecutive rows of `X`, no more than so many, of even length; never a copy."""
    n = X.shape[0]
    count = -(-n // (rows or block_rows(X.shape[1])))
    # Even, because a last block of a few rows costs as much as a whole one.
    step = -(-n // max(count, 1))
    for start in range(0, n, max(step, 1)):
        yield X[start : start + step]

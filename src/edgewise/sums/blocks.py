"""Blocks of rows: cut, subtract the centre, map; and sums of products of their columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from edgewise._linalg import AnyArray, FloatArray, mirror_lower
from edgewise.tables.table import Rows, minus_origin, row_blocks


@dataclass(frozen=True, eq=False, slots=True)
class Centre:
    """Mean = origin + offset: at mean/std = 1e10 their rounded sum is off by 1e-6 deviations.

    Subtracting the origin is nearly exact; a negligible offset is left out.
    """

    origin: FloatArray
    offset: FloatArray | None

    def subtract_from(self, block: Rows, out: FloatArray) -> FloatArray:
        """Rows of `block` minus the mean, features first."""
        centred = minus_origin(block, self.origin, out)
        if self.offset is not None:
            centred -= self.offset[:, np.newaxis]
        return centred


# With at least this many columns, turning rows into columns costs more than it saves.
ROWS_FIRST_FROM = 28
# Numbers in a cache line. The start of shorter vectors does not matter.
_LINE = 8
_ALIGN_FROM = 512


class Block(NamedTuple):
    """A few rows, features first, ready to be summed. The next block uses the same memory."""

    n: int
    #: The rows minus the centre, mapped.
    z: AnyArray
    #: `z` with the extra rows that the memory was made with: ones above it, free ones below.
    stack: AnyArray
    #: Scratch arrays for further numbers.
    spare: Sequence[AnyArray]
    #: The rows minus the centre; the same as `z` where nothing is mapped.
    centred: AnyArray
    #: Scratch arrays for as many numbers as `z` has in single precision.
    singles: Sequence[AnyArray]


class BlockMemory:
    """Arrays that hold one block at a time; a kernel that loops several times keeps them.

    `spare`: Heights of further arrays that a kernel needs.
    `singles`: How many arrays of p rows in single precision a kernel needs.
    `ones`: Whether a row of ones stands above the rows in `Block.stack`: products with it are sums.
    `below`: How many rows of numbers, for the kernel to fill, stand below them.
    `rows_first`: Whether the mapped rows lie in memory row by row. They lie column by column
      otherwise, so that sums and products run along contiguous vectors, unless the rows are so wide
      that turning them costs more than that saves.
    `dtype`: Of the mapped rows; the subtraction before is in double precision.
    """

    def __init__(
        self,
        n_features: int,
        length: int,
        *,
        spare: Sequence[int] = (),
        singles: int = 0,
        ones: bool = False,
        below: int = 0,
        rows_first: bool = False,
        dtype: npt.DTypeLike = np.float64,
    ) -> None:
        self.length = length
        self._p, self._ones, self._below, self._spare = n_features, ones, below, spare
        self._rows_first, self._dtype, self._n_singles = rows_first, dtype, singles
        self._keep_order = rows_first or ones + n_features + below >= ROWS_FIRST_FROM
        self._size = 0
        self._layout = (False, False)
        self._arrays: list[AnyArray] = []
        self._singles: list[AnyArray] = []
        self._views: Block | None = None

    def fit(self, batch: Rows, *, mapped: bool) -> None:
        """Allocate memory for the blocks of `batch`, in the order that is fast for them."""
        n = min(batch.shape[0], self.length)
        in_rows = self._keep_order and _in_rows(batch)
        if n <= self._size and (in_rows, mapped) == self._layout:
            return
        # The memory for a single short batch is only as large as the batch.
        self._size = self.length if self._size else n
        self._layout, self._views = (in_rows, mapped), None
        heights = [self._ones + self._p + self._below, *self._spare]
        if in_rows or self._rows_first:
            self._arrays = [_rows_first(height, self._size, self._dtype) for height in heights]
            if mapped and in_rows:
                self._arrays.append(_rows_first(self._p, self._size, np.float64))
            elif mapped:
                self._arrays += _columns_first([self._p], self._size)
        else:
            if mapped:
                heights.append(self._p)
            self._arrays = _columns_first(heights, self._size)
        if self._ones:
            self._arrays[0][0] = 1.0
        singles = (np.empty((self._p, self._size), np.float32) for _ in range(self._n_singles))
        if in_rows:
            singles = (_rows_first(self._p, self._size, np.float32) for _ in range(self._n_singles))
        self._singles = list(singles)

    def views(self, n: int) -> Block:
        """The memory for `n` rows."""
        if self._views is None or self._views.n != n:
            arrays = self._arrays if n == self._size else [array[:, :n] for array in self._arrays]
            stack, *spare = arrays
            z = stack
            if len(stack) > self._p:
                z = stack[self._ones : self._ones + self._p]
            # Rows that are mapped are centred in an array of their own, the last one.
            scratch = spare.pop() if len(spare) > len(self._spare) else z
            singles = [array[:, :n] for array in self._singles]
            self._views = Block(n, z, stack, spare, scratch, singles)
        return self._views


def mapped_blocks(
    batches: Iterable[Rows],
    centre: Centre,
    B: FloatArray | None = None,
    *,
    memory: BlockMemory,
) -> Iterator[Block]:
    """Blocks of z = Bᵀ(x − centre) for the rows x of all batches."""
    for batch in batches:
        if not batch.shape[0]:
            continue
        memory.fit(batch, mapped=B is not None)
        # A batch of a small table is a block already.
        whole = batch.shape[0] <= memory.length
        for rows in (batch,) if whole else row_blocks(batch, memory.length):
            block = memory.views(rows.shape[0])
            centred = centre.subtract_from(rows, block.centred)
            if B is not None:
                _map(B, centred, block.z)
            yield block


def _in_rows(batch: Rows) -> bool:
    """Whether the numbers of a row are neighbours in memory."""
    return isinstance(batch, np.ndarray) and batch.strides[1] == batch.itemsize


def _rows_first(height: int, length: int, dtype: npt.DTypeLike) -> AnyArray:
    return np.empty((length, height), dtype).T


def _columns_first(heights: Sequence[int], length: int) -> list[AnyArray]:
    """An array of each height; long vectors in them begin at odd multiples of a cache line.

    Products of these take half the time; at even multiples vectors compete for places in the cache.
    """
    if length < _ALIGN_FROM:
        return [np.empty((height, length)) for height in heights]
    stride = (-(-length // _LINE) | 1) * _LINE
    memory = np.empty(sum(heights) * stride + _LINE)
    start = -(memory.ctypes.data // memory.itemsize) % _LINE
    arrays = []
    for height in heights:
        stop = start + height * stride
        arrays.append(memory[start:stop].reshape(height, stride)[:, :length])
        start = stop
    return arrays


def _map(B: FloatArray, z: FloatArray, out: AnyArray) -> None:
    """Bᵀz in `out`, written in the memory order of `out`."""
    in_rows = out.strides[0] < out.strides[1]
    if B.ndim == 1:
        if in_rows:
            np.multiply(z.T, B, out=out.T, casting="same_kind")
        else:
            np.multiply(z, B[:, np.newaxis], out=out, casting="same_kind")
    elif in_rows:
        np.matmul(z.T, B, out=out.T)
    else:
        np.matmul(B.T, z, out=out)


def row_products(a: FloatArray, b: FloatArray) -> FloatArray:
    """Σ a_i b_i along each row of a and b, summed in memory order."""
    # A sum along the rows could jump through memory; `einsum` reads it in order.
    in_rows = a.strides[0] < a.strides[1]
    return np.asarray(np.einsum("ij,ij->i", a, b) if in_rows else np.vecdot(a, b))


def add_gram(total: FloatArray, z: FloatArray) -> None:
    """Add the lower triangle of z zᵀ to `total`; the upper triangle is undefined."""
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
    """The symmetric matrix whose lower triangle `add_gram` made, in the same memory."""
    mirror_lower(total)
    return total

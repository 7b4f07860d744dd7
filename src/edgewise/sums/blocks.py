"""Blocks of rows: cut, subtract the centre, map; and products of their columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from edgewise._linalg import AnyArray, FloatArray
from edgewise.tables.table import ColumnBlock, Rows, block_rows, row_blocks

#: Ignore overflow: it shows as a sum that is not finite, which callers check.
quiet = partial(np.errstate, over="ignore", invalid="ignore", under="ignore")


@dataclass(frozen=True, eq=False, slots=True)
class Centre:
    """Mean = origin + offset: at mean/std = 1e10 their rounded sum is off by 1e-6 deviations."""

    origin: FloatArray
    offset: FloatArray | None

    def subtract_from(self, block: Rows, out: FloatArray) -> FloatArray:
        """Rows of `block` minus the mean, features first, in the front columns of `out`."""
        centred = out[:, : block.shape[0]]
        if isinstance(block, ColumnBlock):
            block.minus(self.origin, centred)
        else:
            np.subtract(block.T, self.origin[:, np.newaxis], out=centred)
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
    #: `z` with a row of ones above it, and free rows below, where they were wanted.
    stack: AnyArray
    #: Scratch arrays for further numbers.
    spare: Sequence[AnyArray]
    #: The rows minus the centre; the same as `z` where nothing is mapped.
    centred: AnyArray
    #: Scratch arrays for as many numbers as `z` has in single precision.
    singles: Sequence[AnyArray]


def mapped_blocks(
    batches: Iterable[Rows],
    centre: Centre,
    B: FloatArray | None = None,
    *,
    length: int | None = None,
    spare: Sequence[int] = (),
    singles: int = 0,
    ones: bool = False,
    below: int = 0,
    rows_first: bool = False,
    dtype: npt.DTypeLike = np.float64,
) -> Iterator[Block]:
    """Blocks of z = Bᵀ(x − centre) for the rows x of all batches, at most `length` rows in each.

    `ones` is a row of ones above; `below` and `spare` are heights of what a kernel fills. Rows lie
    column by column, unless `rows_first` or too wide for that to save anything.
    """
    p = len(centre.origin)
    length = block_rows(p) if length is None else length
    heights = [ones + p + below, *spare]
    keep_order = rows_first or heights[0] >= ROWS_FIRST_FROM
    size, layout, block = 0, False, None
    for batch in batches:
        n = batch.shape[0]
        if not n:
            continue
        # Whether the numbers of a row are neighbours in memory.
        in_rows = False
        if isinstance(batch, np.ndarray):
            in_rows = keep_order and batch.strides[1] == batch.itemsize
        if min(n, length) > size or in_rows != layout:
            # The memory for a single short batch is only as large as the batch.
            size, layout, block = length if size else min(n, length), in_rows, None
            make = _rows_first if in_rows else _columns_first
            arrays = (_rows_first if rows_first else make)(heights, size, dtype)
            scratch = arrays[0] if B is None else make([p], size)[0]
            if ones:
                arrays[0][0] = 1.0
            low = make([p] * singles, size, np.float32)
        for rows in (batch,) if n <= length else row_blocks(batch, length):
            if block is None or block.n != rows.shape[0]:
                m = rows.shape[0]
                stack, *others = [array[:, :m] for array in arrays]
                z = stack[ones : ones + p]
                centred = z if B is None else scratch[:, :m]
                block = Block(m, z, stack, others, centred, [array[:, :m] for array in low])
            centred = centre.subtract_from(rows, block.centred)
            if B is not None and B.ndim == 1:
                np.multiply(centred.T, B, out=block.z.T, casting="same_kind")
            elif B is not None and block.z.strides[0] < block.z.strides[1]:
                np.matmul(centred.T, B, out=block.z.T)
            elif B is not None:
                np.matmul(B.T, centred, out=block.z)
            yield block


def _rows_first(
    heights: Sequence[int], length: int, dtype: npt.DTypeLike = np.float64
) -> list[AnyArray]:
    return [np.empty((length, height), dtype).T for height in heights]


def _columns_first(
    heights: Sequence[int], length: int, dtype: npt.DTypeLike = np.float64
) -> list[AnyArray]:
    """An array of each height; long vectors in them begin at odd multiples of a cache line."""
    if length < _ALIGN_FROM or dtype != np.float64:
        return [np.empty((height, length), dtype) for height in heights]
    stride = (-(-length // _LINE) | 1) * _LINE
    memory = np.empty(sum(heights) * stride + _LINE)
    start = -(memory.ctypes.data // memory.itemsize) % _LINE
    arrays = []
    for height in heights:
        stop = start + height * stride
        arrays.append(memory[start:stop].reshape(height, stride)[:, :length])
        start = stop
    return arrays


def row_products(a: FloatArray, b: FloatArray) -> FloatArray:
    """Σ a_i b_i along each row of a and b, summed in memory order."""
    # A sum along the rows could jump through memory; `einsum` reads it in order.
    in_rows = a.strides[0] < a.strides[1]
    return np.asarray(np.einsum("ij,ij->i", a, b) if in_rows else np.vecdot(a, b))


def upper_products(c: FloatArray, out: FloatArray) -> FloatArray:
    """Products c_i c_j for i ≤ j in row-major order, one row of `out` each."""
    start = 0
    for i in range(c.shape[0]):
        stop = start + c.shape[0] - i
        np.multiply(c[i], c[i:], out=out[start:stop])
        start = stop
    return out

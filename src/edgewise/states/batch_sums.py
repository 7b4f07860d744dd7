"""Power sums of many consecutive batches of rows, stacked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edgewise._base.types import AnyArray, FloatArray
from edgewise.errors import StateFileError
from edgewise.kernels.power_sums import PowerSums, power_sums, quiet
from edgewise.rows.block import Rows
from edgewise.rows.values import raise_for_nonfinite
from edgewise.states.file_format import StateContents

# Longer batches are summed in blocks.
_LONG = 4096
# With so many columns, batches are summed one by one.
MANY_COLUMNS = 50


@dataclass(frozen=True, eq=False, slots=True)
class BatchSums:
    """`PowerSums` up to the second order of many batches, stacked along the first axis."""

    n: npt.NDArray[np.int64]
    origin: FloatArray
    first: FloatArray
    second: FloatArray

    def __len__(self) -> int:
        return int(self.n.shape[0])

    def __getitem__(self, which: slice) -> BatchSums:
        return BatchSums(self.n[which], self.origin[which], self.first[which], self.second[which])

    def then(self, *later: BatchSums) -> BatchSums:
        """These batches followed by others."""
        every = (self, *later)
        return BatchSums(
            np.concatenate([sums.n for sums in every]),
            np.concatenate([sums.origin for sums in every]),
            np.concatenate([sums.first for sums in every]),
            np.concatenate([sums.second for sums in every]),
        )

    def rearranged(self, order: npt.NDArray[np.intp]) -> BatchSums:
        """The batches in another order."""
        return BatchSums(self.n[order], self.origin[order], self.first[order], self.second[order])

    def permuted(self, order: npt.NDArray[np.intp]) -> BatchSums:
        """The sums with the columns in another order."""
        second = self.second[:, order][:, :, order]
        return BatchSums(self.n, self.origin[:, order], self.first[:, order], second)

    def arrays(self) -> dict[str, AnyArray]:
        """The sums by name, for a state file."""
        return {"n": self.n, "origin": self.origin, "first": self.first, "second": self.second}

    @staticmethod
    def from_arrays(contents: StateContents, prefix: str) -> BatchSums | None:
        """The sums from a state file, after checking that they fit each other."""
        if prefix + "n" not in contents.arrays:
            return None
        n, p = contents.arrays[prefix + "n"], contents.width(prefix + "origin")
        if n.ndim != 1 or n.dtype != np.int64 or not n.size or n.min() < 1:
            raise StateFileError("state: expected batches of at least one row.")
        k = n.size
        return BatchSums(
            n,
            contents.floats(prefix + "origin", (k, p)),
            contents.floats(prefix + "first", (k, p)),
            contents.floats(prefix + "second", (k, p, p)),
        )

    def mean(self) -> FloatArray:
        return self.origin + self.first / self.n[:, np.newaxis]

    def moved(self, origin: FloatArray, offset: FloatArray | float = 0.0) -> BatchSums:
        """The same sums about origin + offset; see `PowerSums.moved`."""
        with quiet():
            a = (origin - self.origin) + offset
            n = self.n[:, np.newaxis]
            u = self.first - (n / 2) * a
            cross = a[:, :, np.newaxis] * u[:, np.newaxis, :]
            second = self.second - cross
            second -= cross.transpose(0, 2, 1)
            return BatchSums(self.n, origin, self.first - n * a, second)

    def together(self) -> PowerSums:
        """The sums of all batches about one origin, their mean."""
        n = int(self.n.sum())
        share = (self.n / n)[:, np.newaxis]
        origin = (self.mean() * share).sum(axis=0)
        with quiet():
            # As in `moved`, with the products of all batches at once.
            a = origin - self.origin
            u = self.first - (self.n / 2)[:, np.newaxis] * a
            cross = a.T @ u
            second = self.second.sum(axis=0)
            second -= cross
            second -= cross.T
            first = (self.first - self.n[:, np.newaxis] * a).sum(axis=0)
        return PowerSums(n, origin, first, second, None)

    def paired(self) -> BatchSums:
        """Merge neighbours in pairs; an odd one at the end stays as it is."""
        even = len(self) // 2 * 2
        left, right = self[0:even:2], self[1:even:2]
        n = left.n + right.n
        share = (left.n / n)[:, np.newaxis]
        origin = left.mean() * share + right.mean() * (1 - share)
        a, b = left.moved(origin), right.moved(origin)
        with quiet():
            merged = BatchSums(n, origin, a.first + b.first, a.second + b.second)
        return merged if even == len(self) else merged.then(self[even:])


def sums_of_batches(rows: Rows, length: int) -> BatchSums:
    """Sums of consecutive batches with this many rows each."""
    n, p = rows.shape
    if length > _LONG:
        return stacked(
            [power_sums(rows[i : i + length], quartic=False) for i in range(0, n, length)]
        )
    batches = np.asarray(rows, dtype=np.float64).reshape(n // length, length, p)
    with quiet():
        sums = (_one_by_one if p >= MANY_COLUMNS else _together)(batches)
    if not np.isfinite(sums.first).all():
        raise_for_nonfinite(rows)
    return sums


def _together(batches: FloatArray) -> BatchSums:
    """Batches of few columns are small: there are too many for one call each."""
    k, length, _ = batches.shape
    origin = batches.mean(axis=1)
    z = batches - origin[:, np.newaxis, :]
    counts = np.full(k, length, dtype=np.int64)
    return BatchSums(counts, origin, z.sum(axis=1), z.transpose(0, 2, 1) @ z)


def _one_by_one(batches: FloatArray) -> BatchSums:
    """With many columns, a batch at a time stays in the cache."""
    k, length, p = batches.shape
    sums = BatchSums(
        np.full(k, length, dtype=np.int64),
        np.empty((k, p)),
        np.empty((k, p)),
        np.empty((k, p, p)),
    )
    ones, z = np.ones(length), np.empty((length, p))
    for batch, origin, first, second in zip(
        batches, sums.origin, sums.first, sums.second, strict=True
    ):
        np.divide(ones @ batch, length, out=origin)
        np.subtract(batch, origin, out=z)
        np.matmul(ones, z, out=first)
        np.matmul(z.T, z, out=second)
    return sums


def sum_of_squares(parts: Sequence[BatchSums]) -> FloatArray:
    """Σ (x − mean)² of each column over all batches."""
    n = np.concatenate([part.n for part in parts])[:, np.newaxis]
    origin, first, second = (
        np.concatenate(arrays)
        for arrays in zip(
            *((part.origin, part.first, part.second.diagonal(axis1=1, axis2=2)) for part in parts),
            strict=True,
        )
    )
    with quiet():
        mean = origin + first / n
        between = mean - (n * mean).sum(axis=0) / n.sum()
        squares: FloatArray = (second - first**2 / n + n * between**2).sum(axis=0)
    return squares


def stacked(sums: Sequence[PowerSums]) -> BatchSums:
    return BatchSums(
        np.array([part.n for part in sums], dtype=np.int64),
        np.stack([part.origin for part in sums]),
        np.stack([part.first for part in sums]),
        np.stack([part.second for part in sums]),
    )

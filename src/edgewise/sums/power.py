"""Sums of powers of rows about an origin, for each unit of rows, and how they move and add.

The origin is exactly representable and near the mean, and `first` holds what is left: together they
carry the mean in twice the working precision.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import lru_cache, partial
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from edgewise._linalg import AnyArray, FloatArray, symmetric
from edgewise.errors import StateFileError
from edgewise.sums.blocks import (
    ROWS_FIRST_FROM,
    Centre,
    mapped_blocks,
    quiet,
    row_products,
    upper_products,
)
from edgewise.sums.save import StateContents
from edgewise.tables.table import (
    Rows,
    Summable,
    Sums,
    block_rows,
    in_tree,
    raise_for_nonfinite,
    row_blocks,
)

IntArray: TypeAlias = npt.NDArray[np.int64]

# A row that others determine has a leverage of one.
_LEAST = 1e-10
# Squared distance of an origin from the mean, in variances: half a standard deviation costs no
# digit, and the means of short blocks of many columns often lie a tenth apart.
_NEAR = 0.25
# How many blocks are summed about one origin before they are merged with others.
_GROUP = 32
# Longer batches are summed in blocks.
_LONG = 4096
# With so many columns, batches are summed one by one.
_MANY_COLUMNS = 50


@dataclass(frozen=True, eq=False, slots=True)
class UnitSums(ABC):
    """Sums over rows of z = x − origin, for each unit of rows along the first axis."""

    n: IntArray  # rows of each unit
    origin: FloatArray  # near the means of the columns

    @classmethod
    @abstractmethod
    def of_rows(cls, rows: Rows, length: int) -> Self:
        """The sums of consecutive units with this many rows each."""

    @abstractmethod
    def mean(self) -> FloatArray:
        """The mean of each column."""

    @abstractmethod
    def about(self, centre: Centre) -> Self:
        """The same sums about another centre, which may be one for each unit."""

    @abstractmethod
    def _column_rows(self) -> AnyArray:
        """The rows that have each column."""

    @staticmethod
    def _shape(name: str, p: int) -> tuple[int, ...]:
        """The axes of an array of sums after that of units."""
        return (p, p)

    @abstractmethod
    def _check_contents(self) -> None:
        """Refuse sums from a state file that do not fit each other."""

    def __len__(self) -> int:
        return len(self.n)

    def __getitem__(self, which: slice | AnyArray) -> Self:
        return type(self)(**{name: array[which] for name, array in self.named().items()})

    def named(self) -> dict[str, Any]:
        """The sums that there are, by name."""
        every = {name: getattr(self, name) for name in self.__match_args__}
        return {name: array for name, array in every.items() if array is not None}

    def then(self, *later: Self) -> Self:
        every = [sums.named() for sums in (self, *later)]
        return type(self)(**{name: np.concatenate([a[name] for a in every]) for name in every[0]})

    def permuted(self, order: npt.NDArray[np.intp]) -> Self:
        arrays = self.named()
        for name, array in arrays.items():
            places = order
            if name == "products":
                size = len(order) + 1
                both = np.ix_(*2 * [np.append(0, order + 1)])
                places = product_places(size)[both][np.triu_indices(size)]
            for axis in range(1, array.ndim):
                arrays[name] = np.take(arrays[name], places, axis=axis)
        return type(self)(**arrays)

    def plus(self, other: Self) -> Self:
        """Unit by unit, the sums of both: the same to the last bit whichever comes first."""
        a, b = self, other
        with quiet():
            if (self.origin != other.origin).any():
                mine, theirs = self._column_rows(), other._column_rows()
                both = mine + theirs
                origin = self.mean() * (mine / both) + other.mean() * (theirs / both)
                a, b = (sums.about(Centre(origin, None)) for sums in (self, other))
            more = b.named()
            added = {name: array + more[name] for name, array in a.named().items()}
        values: dict[str, Any] = {**added, "origin": a.origin}
        return type(self)(**values)

    def paired(self) -> Self:
        """Merge neighbours in pairs; an odd one at the end stays as it is."""
        even = len(self) // 2 * 2
        merged = self[0:even:2].plus(self[1:even:2])
        return merged if even == len(self) else merged.then(self[even:])

    @classmethod
    def of_contents(cls, contents: StateContents, prefix: str = "") -> Self | None:
        """The sums from a state file, after checking that they fit each other."""
        if prefix + "n" not in contents.arrays:
            return None
        n, p = contents.counts(prefix + "n"), contents.width(prefix + "origin")
        arrays: dict[str, Any] = {"n": n}
        for known in fields(cls)[1:]:
            name = prefix + known.name
            if name in contents.arrays or known.default is MISSING:
                shape = (p,) if known.name == "origin" else cls._shape(known.name, p)
                arrays[known.name] = contents.array(name, (n.size, *shape))
        made = cls(**arrays)
        made._check_contents()
        # Sums of large values may overflow, which a test says.
        if any(np.isnan(array).any() for array in arrays.values()):
            raise StateFileError("state: expected sums that are numbers.")
        second = arrays["second"]
        with quiet():
            skew = np.abs(second - np.swapaxes(second, 1, 2))
            scale = np.abs(second).max(axis=(1, 2), keepdims=True)
        if (skew > 1e-9 * scale).any() or np.diagonal(second, axis1=1, axis2=2).min() < 0:
            raise StateFileError("state: expected a symmetric matrix of sums of products.")
        return made


class CentralQuartics(NamedTuple):
    """Fourth-order central moments: mean cᵢ⁴ of each column, and mean ‖c‖⁴."""

    columns: FloatArray
    norm: float

    @classmethod
    def of_products(cls, products: FloatArray) -> CentralQuartics:
        p = math.isqrt(2 * len(products))
        squares = np.flatnonzero(np.equal(*np.triu_indices(p)))
        among = products[np.ix_(squares, squares)]
        return cls(among.diagonal().copy(), float(among.sum()))


@dataclass(frozen=True, eq=False, slots=True)
class PowerSums(UnitSums):
    """Σz and Σzzᵀ over the rows of each unit and, where kept, Σ zᵢ³, Σ zᵢ⁴, Σ ‖z‖²z and Σ ‖z‖⁴.

    `products` is Σ wwᵀ, w the D = (p+1)(p+2)/2 products of two of (1, z).
    """

    first: FloatArray
    second: FloatArray
    third: FloatArray | None = None
    fourth: FloatArray | None = None
    norm2_row: FloatArray | None = None
    norm4: FloatArray | None = None
    products: FloatArray | None = None

    @staticmethod
    def _shape(name: str, p: int) -> tuple[int, ...]:
        size = (p + 1) * (p + 2) // 2
        return {"second": (p, p), "norm4": (), "products": (size, size)}.get(name, (p,))

    @classmethod
    def of_rows(cls, rows: Rows, length: int) -> PowerSums:
        n, p = rows.shape
        if length > _LONG:
            first, *others = (power_sums(rows[i : i + length]) for i in range(0, n, length))
            return first.then(*others)
        batches = np.asarray(rows, dtype=np.float64).reshape(n // length, length, p)
        k = len(batches)
        counts = np.full(k, length, dtype=np.int64)
        with quiet():
            if p < _MANY_COLUMNS:
                # Batches of few columns are small: there are too many for one call each.
                origin = batches.mean(axis=1)
                z = batches - origin[:, np.newaxis, :]
                sums = PowerSums(counts, origin, z.sum(axis=1), z.transpose(0, 2, 1) @ z)
            else:
                # With many columns, a batch at a time stays in the cache.
                sums = PowerSums(counts, np.empty((k, p)), np.empty((k, p)), np.empty((k, p, p)))
                ones, z = np.ones(length), np.empty((length, p))
                for unit, batch in enumerate(batches):
                    np.divide(ones @ batch, length, out=sums.origin[unit])
                    np.subtract(batch, sums.origin[unit], out=z)
                    np.matmul(ones, z, out=sums.first[unit])
                    np.matmul(z.T, z, out=sums.second[unit])
        if not np.isfinite(sums.first).all():
            raise_for_nonfinite(rows)
        return sums

    def _column_rows(self) -> AnyArray:
        return self.n[:, np.newaxis]

    def mean(self) -> FloatArray:
        return np.asarray(self.origin + self.first / self.n[:, np.newaxis])

    def _check_contents(self) -> None:
        quartics = self.third, self.fourth, self.norm2_row, self.norm4
        if len({one is None for one in quartics}) > 1:
            raise StateFileError("state: expected all fourth-order sums or none.")
        if any(one is not None and one.min() < 0 for one in (self.fourth, self.norm4)):
            raise StateFileError("state: expected sums of fourth powers that are not negative.")
        if not all(np.isfinite(one).all() for one in (self.origin, self.first, self.second)):
            raise StateFileError("state: expected finite sums.")

    def central(self) -> PowerSums:
        return self.about(Centre(self.origin, self.first / self.n[:, np.newaxis]))

    @quiet()
    def about(self, centre: Centre) -> PowerSums:
        origin = centre.origin
        a = (origin - self.origin) + (0.0 if centre.offset is None else centre.offset)
        n, s1, s2 = self.n[:, np.newaxis], self.first, self.second
        # Σ(z−a)(z−a)ᵀ = Σzzᵀ − a uᵀ − u aᵀ with u = Σz − n a/2
        u = s1 - (n / 2) * a
        cross = a[:, :, np.newaxis] * u[:, np.newaxis, :]
        second = s2 - (cross + cross.transpose(0, 2, 1))  # symmetric to the last bit
        if origin.ndim == 1:
            origin = np.broadcast_to(origin, self.origin.shape)
        higher: dict[str, Any] = {}
        if self.fourth is not None:
            third, norm2_row, norm4 = map(np.asarray, (self.third, self.norm2_row, self.norm4))
            diagonal = np.diagonal(s2, axis1=1, axis2=2)
            s2a = np.vecdot(s2, a[:, np.newaxis, :])
            trace, aa = diagonal.sum(axis=1), np.vecdot(a, a)
            a_s1, square = np.vecdot(a, s1), a * a
            row = (2 * a_s1 - trace - self.n * aa)[:, np.newaxis]
            higher = {
                "third": third - 3 * a * diagonal + square * (3 * s1 - n * a),
                "fourth": self.fourth
                - 4 * a * third
                + square * (6 * diagonal - 4 * a * s1 + n * square),
                "norm2_row": norm2_row - 2 * s2a + row * a + aa[:, np.newaxis] * s1,
                "norm4": norm4
                + 4 * np.vecdot(a, s2a - norm2_row)
                + aa * (2 * trace - 4 * a_s1 + self.n * aa),
            }
        if self.products is not None:
            higher["products"] = _moved_products(self.products, a)
        return PowerSums(self.n, origin, s1 - n * a, second, **higher)


def product_map(A: FloatArray) -> FloatArray:
    """The matrix that takes the products c_a c_b, a ≤ b, to those of A c."""
    i, j = np.triu_indices(len(A))
    a, b = np.triu_indices(A.shape[1])
    mapped = A[i][:, a] * A[j][:, b]
    mapped += A[i][:, b] * A[j][:, a]
    mapped[:, a == b] /= 2
    return np.asarray(mapped)


def _moved_products(products: FloatArray, a: FloatArray) -> FloatArray:
    """Σ wwᵀ of the products of two of (1, z − a)."""
    size = a.shape[1] + 1
    i, j = np.triu_indices(size)
    shift = np.zeros((len(a), len(i), size))
    b, pairs = np.pad(a, ((0, 0), (1, 0))), np.arange(len(i))
    shift[:, pairs, i] = -b[:, j]
    shift[:, pairs, j] -= b[:, i]
    shift[:, :, 0] += b[:, i] * b[:, j]
    low = products[:, :size]
    cross = shift @ (low + (low[:, :, :size] @ shift.transpose(0, 2, 1)) / 2)
    moved: FloatArray = products + cross
    moved += cross.transpose(0, 2, 1)
    return moved


@lru_cache(maxsize=4)
def product_places(size: int) -> AnyArray:
    """Where the product of two of so many columns stands among all of them."""
    return symmetric(np.arange(size * (size + 1) // 2), size)


def together(parts: Sequence[PowerSums]) -> PowerSums:
    """The sums of all units about one origin, their mean, up to the second order."""
    n, origins, first = (
        np.concatenate(arrays)
        for arrays in zip(*((part.n, part.origin, part.first) for part in parts), strict=True)
    )
    count, total = n[:, np.newaxis], n.sum(keepdims=True)
    with quiet():
        origin = ((origins + first / count) * (count / total)).sum(axis=0)
        # As in `PowerSums.about`, with the products of all units at once.
        a = origin - origins
        cross = a.T @ (first - (count / 2) * a)
        second = sum((part.second.sum(axis=0) for part in parts), -(cross + cross.T))
        first = (first - count * a).sum(axis=0)
    return PowerSums(total, origin[np.newaxis], first[np.newaxis], second[np.newaxis])


def sum_of_squares(parts: Sequence[PowerSums]) -> FloatArray:
    n, origin, first, second = (
        np.concatenate(arrays)
        for arrays in zip(
            *((p.n, p.origin, p.first, np.diagonal(p.second, axis1=1, axis2=2)) for p in parts),
            strict=True,
        )
    )
    n = n[:, np.newaxis]
    with quiet():
        mean = origin + first / n
        between = mean - (n * mean).sum(axis=0) / n.sum()
        squares: FloatArray = (second - first**2 / n + n * between**2).sum(axis=0)
    return squares


def power_sums(rows: Rows, *, order: int | str = 2) -> PowerSums:
    """The sums of any number of rows as one unit, in blocks that fit the cache."""
    n, p = rows.shape
    size = (p + 1) * (p + 2) // 2
    length = min(block_rows(size if order == "all" else p), n)
    about = _all_about if order == "all" else partial(_sums_about, quartic=order == 4)
    groups = []
    for group in row_blocks(rows, _GROUP * length):
        with quiet():
            head = np.asarray(next(row_blocks(group, length)))
            sums = about(group, np.ones(len(head)) @ head / len(head), length=length)
            # The mean of the head is usually near enough; if not, digits would be lost.
            offset2 = (sums.first[0] / sums.n) ** 2
            if not (offset2 <= _NEAR * (sums.second[0].diagonal() / sums.n - offset2)).all():
                sums = about(group, sums.mean()[0], length=length)
        if not np.isfinite(sums.first).all():
            raise_for_nonfinite(rows)
        groups.append(sums)
    # Rounding errors grow with the logarithm of the number of groups.
    return in_tree(groups, PowerSums.plus)


def _sums_about(rows: Rows, origin: FloatArray, *, length: int, quartic: bool) -> PowerSums:
    """The sums of rows as one unit; with few columns one product of a few more rows gives them all."""
    p, ones = len(origin), np.ones(len(origin))
    stacked = p < ROWS_FIRST_FROM
    height = p + stacked * (1 + quartic)
    gram, norm4 = np.zeros((height, height)), np.zeros(1)
    first, third, fourth, norm2_row = np.zeros((4, p))
    blocks = mapped_blocks(
        [rows],
        Centre(origin, None),
        length=length,
        spare=(p,) * quartic,
        ones=stacked,
        below=stacked and quartic,
    )
    for block in blocks:
        if quartic:
            z, (z2,) = block.z, block.spare
            np.multiply(z, z, out=z2)
            norm2 = ones @ z2
            third += row_products(z2, z)
            fourth += row_products(z2, z2)
            if stacked:
                block.stack[p + 1] = norm2
            else:
                norm2_row += z @ norm2
                norm4 += norm2 @ norm2
        if not stacked:
            first += block.z @ np.ones(block.n)
        gram += block.stack @ block.stack.T
    second = gram
    if stacked:
        first, second = gram[0, 1 : p + 1].copy(), gram[1 : p + 1, 1 : p + 1].copy()
        norm2_row, norm4 = gram[1 : p + 1, -1].copy(), gram[-1:, -1].copy()
    higher = (third[np.newaxis], fourth[np.newaxis], norm2_row[np.newaxis], norm4) * quartic
    n = np.array([rows.shape[0]], dtype=np.int64)
    return PowerSums(n, origin[np.newaxis], first[np.newaxis], second[np.newaxis], *higher)


def _all_about(rows: Rows, origin: FloatArray, *, length: int) -> PowerSums:
    p = len(origin)
    (gram,) = product_sums([rows], Centre(origin, None), length=length)
    second = symmetric(gram[0, p + 1 :], p)[np.newaxis]
    n, first = np.array([rows.shape[0]], dtype=np.int64), gram[np.newaxis, 0, 1 : p + 1].copy()
    return PowerSums(n, origin[np.newaxis], first, second, products=gram[np.newaxis])


def product_sums(
    batches: Iterable[Rows], centre: Centre, length: int | None = None
) -> tuple[FloatArray]:
    """Σ wwᵀ of z = (1, x − centre), w the products z_a z_b with a ≤ b."""
    p = len(centre.origin)
    size = (p + 1) * (p + 2) // 2
    gram = np.zeros((size, size))
    length = block_rows(size) if length is None else length
    with quiet():
        for block in mapped_blocks(batches, centre, length=length, spare=(size,), ones=True):
            w = upper_products(block.stack, block.spare[0])
            gram += w @ w.T
    return (gram,)


def left_out_factor(squares: FloatArray, n_samples: int) -> FloatArray:
    """1/(1 − h) of whitened rows, from ‖w‖² of each: what ‖w‖² grows by without the row's own part."""
    kept = (1 - 1 / n_samples) - squares / (n_samples - 1)
    return np.asarray(1 / np.maximum(kept, _LEAST))


def transformed_quartics(
    rows: Summable, centre: Centre, A: FloatArray, *, whitened_by: int | None = None
) -> CentralQuartics:
    """mean w_i⁴ and mean ‖w‖⁴ of w = A(x − mean); with `whitened_by` n rows, each without itself."""
    one_pass = partial(_quartic_sums, centre=centre, A=A, whitened_by=whitened_by)
    n, columns, norm = rows.sums(one_pass)
    return CentralQuartics(columns / n, float(norm / n))


def _quartic_sums(
    batches: Iterator[Rows], centre: Centre, A: FloatArray, whitened_by: int | None
) -> Sums:
    n, columns, norm, ones = 0, np.zeros(len(A)), 0.0, np.ones(len(A))
    for block in mapped_blocks(batches, centre, A.T):
        w2 = np.multiply(block.z, block.z, out=block.z)
        norm2 = ones @ w2
        if whitened_by is not None:
            factor = left_out_factor(norm2, whitened_by)
            w2 *= factor
            norm2 *= factor
        columns += row_products(w2, w2)
        norm += float(norm2 @ norm2)
        n += block.n
    return np.array(n), columns, np.array(norm)


def square_products(batches: Iterator[Rows], centre: Centre, scale: FloatArray) -> Sums:
    """Σ z_i²z_j² of all pairs of columns, z = (x − mean) · scale."""
    total = np.zeros((len(scale), len(scale)))
    for block in mapped_blocks(batches, centre, scale):
        squares = np.multiply(block.z, block.z, out=block.z)
        total += squares @ squares.T
    return (total,)

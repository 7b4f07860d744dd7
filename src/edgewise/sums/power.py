"""Sums of powers of rows about an origin, for each unit of rows, and how they move and add.

The origin is kept next to the mean but is *not* the mean: it is an exactly representable
constant, and `first` holds what is left. Subtracting a constant near the data is (nearly)
exact in floating point, so the pair (origin, first) carries the mean in twice the working
precision, and data with mean/std = 1e10 lose nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import MISSING, dataclass, fields
from functools import lru_cache, partial
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from edgewise._linalg import AnyArray, FloatArray, symmetric
from edgewise.errors import StateFileError
from edgewise.sums.blocks import (
    ROWS_FIRST_FROM,
    BlockMemory,
    Centre,
    add_gram,
    mapped_blocks,
    mirrored,
    row_products,
    upper_products,
)
from edgewise.sums.save import StateContents
from edgewise.tables.table import Rows, Summable, Sums, block_rows, raise_for_nonfinite, row_blocks

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
#: With so many columns, batches are summed one by one.
MANY_COLUMNS = 50


def quiet() -> AbstractContextManager[object]:
    """Ignore overflow: it shows as a sum that is not finite, which callers check."""
    return np.errstate(over="ignore", invalid="ignore", under="ignore")


@dataclass(frozen=True, eq=False, slots=True)
class UnitSums(ABC):
    """Sums over rows of z = x − origin, for each unit of rows along the first axis.

    A unit is a batch, a cluster, or all rows. The other axes are columns.
    """

    n: IntArray  # rows of each unit
    origin: FloatArray  # near the means of the columns

    @abstractmethod
    def mean(self) -> FloatArray:
        """The mean of each column."""

    @abstractmethod
    def _moved(self, origin: FloatArray, offset: FloatArray | float) -> Self:
        """The same sums about origin + offset."""

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
        return self._of([None if one is None else one[which] for one in self._all()])

    def named(self) -> dict[str, AnyArray]:
        """The sums that there are, by name."""
        every = zip(self.__match_args__, self._all(), strict=True)
        return {name: array for name, array in every if array is not None}

    def _all(self) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in self.__match_args__])

    def _of(self, arrays: list[Any]) -> Self:
        return type(self)(*arrays)

    def _each(self, change: Callable[[str, AnyArray], AnyArray]) -> Self:
        return type(self)(**{name: change(name, array) for name, array in self.named().items()})

    def then(self, *later: Self) -> Self:
        """These units followed by others."""
        every = zip(*(sums._all() for sums in (self, *later)), strict=True)
        return self._of([None if one[0] is None else np.concatenate(one) for one in every])

    def permuted(self, order: npt.NDArray[np.intp]) -> Self:
        """The sums with the columns in another order."""

        def moved(name: str, array: AnyArray) -> AnyArray:
            if name == "products":
                places = _places(len(order) + 1)[np.ix_(*2 * [np.append(0, order + 1)])]
                order_of_products = places[np.triu_indices(len(places))]
                return array[:, order_of_products][:, :, order_of_products]
            array = array[:, order] if array.ndim > 1 else array
            return array[:, :, order] if array.ndim > 2 else array

        return self._each(moved)

    def plus(self, other: Self) -> Self:
        """Unit by unit, the sums of both: the same to the last bit whichever comes first."""
        a, b = self, other
        with quiet():
            if (self.origin != other.origin).any():
                mine, theirs = self._column_rows(), other._column_rows()
                both = mine + theirs
                origin = self.mean() * (mine / both) + other.mean() * (theirs / both)
                a, b = self._moved(origin, 0.0), other._moved(origin, 0.0)
            sums = zip(a._all()[2:], b._all()[2:], strict=True)
            added = [None if one is None else one + more for one, more in sums]
            return self._of([a.n + b.n, a.origin, *added])

    def moved(self, origin: FloatArray, offset: FloatArray | float = 0.0) -> Self:
        """The same sums about origin + offset."""
        with quiet():
            return self._moved(origin, offset)

    def about(self, centre: Centre) -> Self:
        """The same sums about a centre, as `Moments.centre` gives it."""
        return self.moved(centre.origin, 0.0 if centre.offset is None else centre.offset)

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
        n, p = contents.arrays[prefix + "n"], contents.width(prefix + "origin")
        if n.ndim != 1 or n.dtype != np.int64 or not n.size or n.min() < 1:
            raise StateFileError("state: expected units of at least one row.")
        arrays = {"n": n}
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
        if (second := arrays.get("second")) is not None:
            with quiet():
                skew = np.abs(second - np.swapaxes(second, 1, 2))
                scale = np.abs(second).max(axis=(1, 2), keepdims=True)
            if (skew > 1e-9 * scale).any() or np.diagonal(second, axis1=1, axis2=2).min() < 0:
                raise StateFileError("state: expected a symmetric matrix of sums of products.")
        return made


@dataclass(frozen=True, eq=False, slots=True)
class CentralQuartics:
    """Fourth-order central moments: mean cᵢ⁴ of each column, and mean ‖c‖⁴."""

    columns: FloatArray
    norm: float


@dataclass(frozen=True, eq=False, slots=True)
class PowerSums(UnitSums):
    """Σz and Σzzᵀ over the rows of each unit and, where kept, sums of higher order.

    Attributes
    ----------
    first, second : ndarray of shape (units, p) and (units, p, p)
        Σz and Σzzᵀ.
    third, fourth, norm2_row, norm4 : ndarray, or None
        Σ zᵢ³, Σ zᵢ⁴ and Σ ‖z‖²z of each column, and Σ ‖z‖⁴: what Tr Cov(U(Σ̂)) needs.
    products : ndarray of shape (units, D, D), or None
        Σ wwᵀ, w the D = (p+1)(p+2)/2 products of two of (1, z): every sum up to the fourth order.
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
        """The sums about the mean itself."""
        return self.moved(self.origin, self.first / self.n[:, np.newaxis])

    def _moved(self, origin: FloatArray, offset: FloatArray | float) -> PowerSums:
        a = (origin - self.origin) + offset
        n = self.n[:, np.newaxis]
        # Σ(z−a)(z−a)ᵀ = Σzzᵀ − a uᵀ − u aᵀ with u = Σz − n a/2
        u = self.first - (n / 2) * a
        cross = a[:, :, np.newaxis] * u[:, np.newaxis, :]
        second = self.second - cross
        second -= cross.transpose(0, 2, 1)
        if origin.ndim == 1:
            origin = np.broadcast_to(origin, self.origin.shape)
        moved: list[Any] = [self.n, origin, self.first - n * a, second]
        moved += [None] * 4 if self.fourth is None else self._quartics_about(a)
        moved.append(None if self.products is None else _moved_products(self.products, a))
        return self._of(moved)

    def _quartics_about(self, a: FloatArray) -> tuple[Any, ...]:
        """The sums of third and fourth order of z − a."""
        third: Any = self.third
        fourth: Any = self.fourth
        norm2_row: Any = self.norm2_row
        n, s1, s2 = self.n[:, np.newaxis], self.first, self.second
        diagonal = np.diagonal(s2, axis1=1, axis2=2)
        s2a = np.vecdot(s2, a[:, np.newaxis, :])
        trace, aa = diagonal.sum(axis=1), np.vecdot(a, a)
        a_s1, square = np.vecdot(a, s1), a * a
        row = (2 * a_s1 - trace - self.n * aa)[:, np.newaxis]
        return (
            third - 3 * a * diagonal + square * (3 * s1 - n * a),
            fourth - 4 * a * third + square * (6 * diagonal - 4 * a * s1 + n * square),
            norm2_row - 2 * s2a + row * a + aa[:, np.newaxis] * s1,
            self.norm4
            + 4 * np.vecdot(a, s2a - norm2_row)
            + aa * (2 * trace - 4 * a_s1 + self.n * aa),
        )

    def quartics(self) -> CentralQuartics | None:
        """The central fourth moments of all rows, of a single unit; None where they were not kept."""
        (n,), sums = self.n, self.central()
        if sums.fourth is None or sums.norm4 is None:
            return None
        return CentralQuartics(sums.fourth[0] / n, float(sums.norm4[0] / n))

    def central_products(self, A: FloatArray | None) -> FloatArray:
        """The means of u_i u_j u_k u_l over all rows, of a single unit; u = A(x − mean)."""
        p, sums = self.origin.shape[1], self.central()
        products: FloatArray = np.asarray(sums.products)[0, p + 1 :, p + 1 :] / self.n[0]
        if A is None:
            return products
        mapped = product_map(A)
        return np.asarray(mapped @ products @ mapped.T)


def product_map(A: FloatArray) -> FloatArray:
    """The matrix that takes the products c_a c_b, a ≤ b, to those of A c."""
    i, j = np.triu_indices(len(A))
    a, b = np.triu_indices(A.shape[1])
    mapped = A[i][:, a] * A[j][:, b]
    mapped += A[i][:, b] * A[j][:, a]
    mapped[:, a == b] /= 2
    return np.asarray(mapped)


def _moved_products(products: FloatArray, a: FloatArray) -> FloatArray:
    """Σ wwᵀ of the products of two of (1, z − a).

    (z_i − a_i)(z_j − a_j) is z_iz_j less products of a with the first p + 1 of w, which are (1, z).
    """
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
def _places(size: int) -> AnyArray:
    """Where the product of two of (1, z) stands among all of them."""
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
        # As in `PowerSums.moved`, with the products of all units at once.
        a = origin - origins
        cross = a.T @ (first - (count / 2) * a)
        second = sum((part.second.sum(axis=0) for part in parts), -cross)
        second -= cross.T
        first = (first - count * a).sum(axis=0)
    return PowerSums(total, origin[np.newaxis], first[np.newaxis], second[np.newaxis])


def sum_of_squares(parts: Sequence[PowerSums]) -> FloatArray:
    """Σ (x − mean)² of each column over all units."""
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
    summer = (_ProductSummer if order == "all" else _BlockSummer)(p, n, quartic=order == 4)
    # A binary counter: equal-sized neighbours merge, so rounding errors grow with the
    # logarithm of the number of groups, and only that many partial sums are alive.
    pending: list[tuple[int, PowerSums]] = []
    for group in row_blocks(rows, _GROUP * summer.memory.length):
        sums = summer(group)
        if not np.isfinite(sums.first).all():
            raise_for_nonfinite(rows)
        height = 0
        while pending and pending[-1][0] == height:
            sums = pending.pop()[1].plus(sums)
            height += 1
        pending.append((height, sums))
    total = pending.pop()[1]
    while pending:
        total = pending.pop()[1].plus(total)
    return total


class _BlockSummer:
    """Makes the sums of groups of blocks, one after the other; owns their memory."""

    def __init__(self, n_features: int, n_rows: int, *, quartic: bool) -> None:
        self.p, self._quartic = n_features, quartic
        # With few columns, one product of a few more rows costs less than several calls.
        self._stacked = n_features < ROWS_FIRST_FROM
        extra: dict[str, Any] = {"ones": True, "below": int(quartic)} if self._stacked else {}
        length = min(block_rows(n_features), n_rows)
        self.memory = BlockMemory(n_features, length, spare=(n_features,) * quartic, **extra)

    def __call__(self, group: Rows) -> PowerSums:
        """The sums of a group of rows about one origin near their mean."""
        with quiet():
            head = np.asarray(next(row_blocks(group, self.memory.length)))
            sums = self._about(group, np.ones(head.shape[0]) @ head / head.shape[0])
            # The mean of the head is usually near enough; if not, the whole group is summed again.
            return self._about(group, sums.mean()[0]) if _far(sums) else sums

    def _about(self, group: Rows, origin: FloatArray) -> PowerSums:
        """With few columns, a row of ones stands above the p rows z and, for quartics, ‖z‖² below.

        One SYRK of the whole then gives Σz, Σzzᵀ, Σ‖z‖²z and Σ‖z‖⁴ together.
        """
        p, stacked = self.p, self._stacked
        height = p + (1 + self._quartic if stacked else 0)
        gram, norm4 = np.zeros((height, height)), np.zeros(1)
        first, third, fourth, norm2_row = np.zeros((4, p))
        for block in mapped_blocks([group], Centre(origin, None), memory=self.memory):
            if self._quartic:
                z, (z2,) = block.z, block.spare
                np.multiply(z, z, out=z2)
                norm2 = np.ones(p) @ z2
                third += row_products(z2, z)
                fourth += row_products(z2, z2)
                if stacked:
                    block.stack[p + 1] = norm2
                else:
                    norm2_row += z @ norm2
                    norm4 += norm2 @ norm2
            if not stacked:
                first += block.z @ np.ones(block.n)
            add_gram(gram, block.stack)
        second = mirrored(gram)
        if stacked:
            first, second = gram[0, 1 : p + 1].copy(), gram[1 : p + 1, 1 : p + 1].copy()
            norm2_row, norm4 = gram[1 : p + 1, -1].copy(), gram[-1:, -1].copy()
        quartics = {"third": third, "fourth": fourth, "norm2_row": norm2_row}
        higher: dict[str, FloatArray] = {}
        if self._quartic:
            higher = {name: one[np.newaxis] for name, one in quartics.items()} | {"norm4": norm4}
        n = np.array([group.shape[0]], dtype=np.int64)
        return PowerSums(n, *(one[np.newaxis] for one in (origin, first, second)), **higher)


class _ProductSummer(_BlockSummer):
    """The same with all products of up to four columns."""

    def __init__(self, n_features: int, n_rows: int, *, quartic: bool) -> None:
        self.p, self._size = n_features, (n_features + 1) * (n_features + 2) // 2
        length = min(block_rows(self._size), n_rows)
        self.memory = BlockMemory(n_features, length, spare=(self._size,), ones=True)

    def _about(self, group: Rows, origin: FloatArray) -> PowerSums:
        p, gram = self.p, np.zeros((1, self._size, self._size))
        for block in mapped_blocks([group], Centre(origin, None), memory=self.memory):
            add_gram(gram[0], upper_products(block.stack, block.spare[0]))
        mirrored(gram[0])
        second = symmetric(gram[0, 0, p + 1 :], p)[np.newaxis]
        n = np.array([group.shape[0]], dtype=np.int64)
        return PowerSums(n, origin[np.newaxis], gram[:, 0, 1 : p + 1].copy(), second, products=gram)


def _far(sums: PowerSums) -> bool:
    """Whether the origin is too many standard deviations from the mean, so that digits are lost."""
    offset2 = (sums.first[0] / sums.n) ** 2
    return not bool((offset2 <= _NEAR * (sums.second[0].diagonal() / sums.n - offset2)).all())


def sums_of_batches(rows: Rows, length: int) -> PowerSums:
    """Sums of consecutive batches with this many rows each."""
    n, p = rows.shape
    if length > _LONG:
        first, *others = (power_sums(rows[i : i + length]) for i in range(0, n, length))
        return first.then(*others)
    batches = np.asarray(rows, dtype=np.float64).reshape(n // length, length, p)
    with quiet():
        sums = (_one_by_one if p >= MANY_COLUMNS else _at_once)(batches)
    if not np.isfinite(sums.first).all():
        raise_for_nonfinite(rows)
    return sums


def _at_once(batches: FloatArray) -> PowerSums:
    """Batches of few columns are small: there are too many for one call each."""
    k, length, _ = batches.shape
    origin = batches.mean(axis=1)
    z = batches - origin[:, np.newaxis, :]
    counts = np.full(k, length, dtype=np.int64)
    return PowerSums(counts, origin, z.sum(axis=1), z.transpose(0, 2, 1) @ z)


def _one_by_one(batches: FloatArray) -> PowerSums:
    """With many columns, a batch at a time stays in the cache."""
    k, length, p = batches.shape
    counts = np.full(k, length, dtype=np.int64)
    sums = PowerSums(counts, np.empty((k, p)), np.empty((k, p)), np.empty((k, p, p)))
    ones, z = np.ones(length), np.empty((length, p))
    for batch, origin, first, second in zip(
        batches, sums.origin, sums.first, sums.second, strict=True
    ):
        np.divide(ones @ batch, length, out=origin)
        np.subtract(batch, origin, out=z)
        np.matmul(ones, z, out=first)
        np.matmul(z.T, z, out=second)
    return sums


def left_out_factor(squares: FloatArray, n_samples: int) -> FloatArray:
    """1/(1 − h) of whitened rows, from ‖w‖² of each: what ‖w‖² grows by without the row's own part.

    A row is part of the Σ̂ that whitens it, which keeps ‖w‖² below (n−1)²/n, however far out the
    row is. By Sherman and Morrison's formula, ‖w‖² in units of Σ̂ without the row is this factor
    times as large, h = 1/n + ‖w‖²/(n−1) the row's leverage.
    """
    kept = (1 - 1 / n_samples) - squares / (n_samples - 1)
    return np.asarray(1 / np.maximum(kept, _LEAST))


def transformed_quartics(
    rows: Summable, centre: Centre, A: FloatArray, *, whitened_by: int | None = None
) -> CentralQuartics:
    """mean w_i⁴ and mean ‖w‖⁴ of w = A(x − mean).

    With A = L⁻¹, Σ̂ = LLᵀ, ‖w‖² = (x−x̄)ᵀΘ̂(x−x̄), and mean ‖w‖⁴ is Mardia's multivariate kurtosis.
    Such rows can each be taken in units of Σ̂ without themselves (`left_out_factor`): `whitened_by`
    then is the number of rows.
    """
    one_pass = partial(_quartic_sums, centre=centre, A=A, whitened_by=whitened_by)
    n, columns, norm = rows.sums(one_pass)
    return CentralQuartics(columns / n, float(norm / n))


def square_products(batches: Iterator[Rows], centre: Centre, scale: FloatArray) -> Sums:
    """Σ z_i²z_j² of all pairs of columns, z = (x − mean) · scale; only its lower triangle."""
    p = len(scale)
    total = np.zeros((p, p))
    for block in mapped_blocks(batches, centre, scale, memory=BlockMemory(p, block_rows(p))):
        add_gram(total, np.multiply(block.z, block.z, out=block.z))
    return (total,)


def _quartic_sums(
    batches: Iterator[Rows], centre: Centre, A: FloatArray, whitened_by: int | None
) -> Sums:
    p = A.shape[0]
    n, columns, norm = 0, np.zeros(p), 0.0
    ones = np.ones(p)
    memory = BlockMemory(p, block_rows(p))
    for block in mapped_blocks(batches, centre, A.T, memory=memory):
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

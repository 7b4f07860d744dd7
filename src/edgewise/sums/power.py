"""Sums of powers of rows about an origin, and how they move and add."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from edgewise._linalg import FloatArray
from edgewise.sums.blocks import (
    ROWS_FIRST_FROM,
    BlockMemory,
    Centre,
    add_gram,
    mapped_blocks,
    mirrored,
    row_products,
)
from edgewise.tables.table import Rows, Summable, Sums, block_rows, row_blocks
from edgewise.tables.values import raise_for_nonfinite

# A row that others determine has a leverage of one.
_LEAST = 1e-10
# Squared distance of an origin from the mean, in variances: half a standard deviation costs no
# digit, and the means of short blocks of many columns often lie a tenth apart.
_NEAR = 0.25
# How many blocks are summed about one origin before they are merged with others.
_GROUP = 32


def quiet() -> AbstractContextManager[object]:
    """Ignore overflow: it shows as a sum that is not finite, which callers check."""
    return np.errstate(over="ignore", invalid="ignore", under="ignore")


@dataclass(frozen=True, eq=False, slots=True)
class QuarticSums:
    """The sums beyond the second order that Tr Cov(U(Σ̂)) needs; z is a row minus the origin."""

    third: FloatArray  # Σ zᵢ³, one per column
    fourth: FloatArray  # Σ zᵢ⁴, one per column
    norm2_row: FloatArray  # Σ ‖z‖² z
    norm4: float  # Σ ‖z‖⁴

    def moved(self, a: FloatArray, sums: PowerSums) -> QuarticSums:
        """The same sums of z − a; `sums` are the lower-order ones of z."""
        n, s1, s2 = sums.n, sums.first, sums.second
        diagonal = s2.diagonal()
        trace = float(diagonal.sum())
        aa = float(a @ a)
        s2a = s2 @ a
        a_s1 = float(a @ s1)
        return QuarticSums(
            third=self.third - 3 * a * diagonal + 3 * a**2 * s1 - n * a**3,
            fourth=self.fourth
            - 4 * a * self.third
            + 6 * a**2 * diagonal
            - 4 * a**3 * s1
            + n * a**4,
            norm2_row=self.norm2_row - 2 * s2a + (2 * a_s1 - trace - n * aa) * a + aa * s1,
            norm4=self.norm4
            - 4 * float(a @ self.norm2_row)
            + 4 * float(a @ s2a)
            + 2 * aa * trace
            - 4 * aa * a_s1
            + n * aa * aa,
        )

    def __add__(self, other: QuarticSums) -> QuarticSums:
        return QuarticSums(
            self.third + other.third,
            self.fourth + other.fourth,
            self.norm2_row + other.norm2_row,
            self.norm4 + other.norm4,
        )


@dataclass(frozen=True, eq=False, slots=True)
class PowerSums:
    """Sums over n rows of z = x − origin: Σz, Σzzᵀ and, where kept, the quartic ones."""

    n: int
    origin: FloatArray
    first: FloatArray
    second: FloatArray
    quartic: QuarticSums | None

    def permuted(self, order: npt.NDArray[np.intp]) -> PowerSums:
        """The sums with the columns in another order."""
        q = self.quartic
        return PowerSums(
            self.n,
            self.origin[order],
            self.first[order],
            self.second[np.ix_(order, order)],
            None
            if q is None
            else QuarticSums(q.third[order], q.fourth[order], q.norm2_row[order], q.norm4),
        )

    def mean(self) -> FloatArray:
        return self.origin + self.first / self.n

    def moved(self, a: FloatArray, origin: FloatArray) -> PowerSums:
        """The sums about `origin`, which is the present origin plus `a`."""
        with quiet():
            # Σ(z−a)(z−a)ᵀ = Σzzᵀ − a uᵀ − u aᵀ with u = Σz − n a/2
            cross = np.outer(a, self.first - (self.n / 2) * a)
            second = self.second - cross
            second -= cross.T
            return PowerSums(
                n=self.n,
                origin=origin,
                first=self.first - self.n * a,
                second=second,
                quartic=None if self.quartic is None else self.quartic.moved(a, self),
            )

    def central(self) -> PowerSums:
        """The sums about the mean itself."""
        a = self.first / self.n
        return self.moved(a, self.origin + a)

    def __add__(self, other: PowerSums) -> PowerSums:
        n = self.n + other.n
        if np.array_equal(self.origin, other.origin):
            return self._about_the_same(other)
        # Symmetric in the two, so that a + b and b + a agree to the last bit.
        origin = self.mean() * (self.n / n) + other.mean() * (other.n / n)
        left = self.moved(origin - self.origin, origin)
        right = other.moved(origin - other.origin, origin)
        return left._about_the_same(right)

    def _about_the_same(self, other: PowerSums) -> PowerSums:
        quartic = None
        if self.quartic is not None and other.quartic is not None:
            quartic = self.quartic + other.quartic
        return PowerSums(
            self.n + other.n,
            self.origin,
            self.first + other.first,
            self.second + other.second,
            quartic,
        )


def power_sums(rows: Rows, *, quartic: bool) -> PowerSums:
    """The sums of any number of rows, in blocks that fit the cache."""
    n, p = rows.shape
    step = min(block_rows(p), n)
    summer = BlockSummer(p, step, quartic=quartic)
    # A binary counter: equal-sized neighbours merge, so rounding errors grow with the
    # logarithm of the number of groups, and only that many partial sums are alive.
    pending: list[tuple[int, PowerSums]] = []
    for group in row_blocks(rows, _GROUP * step):
        sums = summer(group)
        if not np.isfinite(sums.first).all():
            raise_for_nonfinite(rows)
        height = 0
        while pending and pending[-1][0] == height:
            sums = pending.pop()[1] + sums
            height += 1
        pending.append((height, sums))
    total = pending.pop()[1]
    while pending:
        total = pending.pop()[1] + total
    return total


class BlockSummer:
    """Makes the `PowerSums` of groups of blocks, one after the other; owns their memory."""

    def __init__(self, n_features: int, length: int, *, quartic: bool) -> None:
        self._p, self._quartic = n_features, quartic
        # With few columns, one product of a few more rows costs less than several calls.
        self._stacked = n_features < ROWS_FIRST_FROM
        extra: dict[str, Any] = {"ones": True, "below": int(quartic)} if self._stacked else {}
        self._memory = BlockMemory(n_features, length, spare=(n_features,) * quartic, **extra)

    def __call__(self, group: Rows) -> PowerSums:
        """The sums of a group of rows about one origin near their mean."""
        with quiet():
            head = np.asarray(next(row_blocks(group, self._memory.length)))
            sums = self._about(group, np.ones(head.shape[0]) @ head / head.shape[0])
            # The mean of the head is usually near enough; if not, the whole group is summed again.
            return self._about(group, sums.mean()) if _far(sums) else sums

    def _about(self, group: Rows, origin: FloatArray) -> PowerSums:
        p, total = self._p, _Totals(self._p + (1 + self._quartic if self._stacked else 0), self._p)
        for block in mapped_blocks([group], Centre(origin, None), memory=self._memory):
            if self._quartic:
                z, (z2,) = block.z, block.spare
                np.multiply(z, z, out=z2)
                norm2 = np.ones(p) @ z2
                total.third += row_products(z2, z)
                total.fourth += row_products(z2, z2)
                if self._stacked:
                    block.stack[p + 1] = norm2
                else:
                    total.norm2_row += z @ norm2
                    total.norm4 += float(norm2 @ norm2)
            if not self._stacked:
                total.first += block.z @ np.ones(block.n)
            add_gram(total.gram, block.stack)
        return total.sums(group.shape[0], origin, stacked=self._stacked, quartic=self._quartic)


class _Totals:
    """The sums of blocks.

    With few columns, a row of ones stands above the p rows z and, for the quartic sums, the row
    ‖z‖² below them: one SYRK of the whole then gives Σz, Σzzᵀ, Σ‖z‖²z and Σ‖z‖⁴ together.
    """

    def __init__(self, height: int, p: int) -> None:
        self.gram = np.zeros((height, height))
        self.first, self.third, self.fourth, self.norm2_row = np.zeros((4, p))
        self.norm4 = 0.0

    def sums(self, n: int, origin: FloatArray, *, stacked: bool, quartic: bool) -> PowerSums:
        gram, p = mirrored(self.gram), len(origin)
        if not stacked:
            first, second = self.first, gram
            norm2_row, norm4 = self.norm2_row, self.norm4
        else:
            first, second = gram[0, 1 : p + 1].copy(), gram[1 : p + 1, 1 : p + 1].copy()
            norm2_row, norm4 = gram[1 : p + 1, -1].copy(), float(gram[-1, -1])
        kept = QuarticSums(self.third, self.fourth, norm2_row, norm4) if quartic else None
        return PowerSums(n, origin, first, second, kept)


def _far(sums: PowerSums) -> bool:
    """Whether the origin is too many standard deviations from the mean, so that digits are lost."""
    offset2 = (sums.first / sums.n) ** 2
    return not bool((offset2 <= _NEAR * (sums.second.diagonal() / sums.n - offset2)).all())


@dataclass(frozen=True, eq=False, slots=True)
class CentralQuartics:
    """Fourth-order central moments: mean cᵢ⁴ of each column, and mean ‖c‖⁴."""

    columns: FloatArray
    norm: float


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

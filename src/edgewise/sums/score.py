"""The sums of the score test: leverages, weights, and weighted sums of the residuals of all pairs."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from edgewise._linalg import AnyArray, FloatArray, add_transpose, off_diagonal, upper_pairs
from edgewise.sums.blocks import Centre, mapped_blocks
from edgewise.tables.table import Rows, Summable, Sums

#: Above this partial correlation a pair is summed by itself: the expansions keep about
#: 16 − 2·log10(1/(1−|ρ|)) digits, twelve here, none at 1e-8.
NEARLY_ONE = 1 - 1e-2
# A row that others determine has a leverage of one and residuals of zero: any weight will do.
_LEAST = 1e-10
# How much of a row's scale is believed: half of this with 12 columns, nearly all with hundreds.
_BELIEVED = 0.9
_COLUMNS_FOR_HALF = 12
# A row so many times as large as the average speaks for itself, however few its columns: half of
# the remaining doubt is gone.
_PLAIN_EXCESS = 60
# The smallest variance of a row, relative to that of all rows.
_LEAST_VARIANCE = 0.5
# Up to so many rows, or rows × pairs, every pair is summed by itself: products of matrices are not
# exact with few rows.
_FEW_ROWS = 500
_FEW_PRODUCTS = 1 << 20
# Rows worked on at once: vectors of them stay in a core's caches, and cost no new memory.
_ROWS = 8192
# Numbers worked on at once: of pairs × rows, or columns × entries; and of matrices.
_CHUNK, _CHUNK_OF_MATRICES = 1 << 15, 1 << 17
# A residual's share of the variance, relative to 1 − h: above it, products are not exact enough.
_LARGE_SHARE = 0.008
# With few rows per column, larger squares of residuals than this: one in a hundred is.
_LARGE_SQUARE = 7
# From so many columns on, two of the three products are in single precision, of so many rows at a
# time: T changes by less than 1e-6 of itself, and by that only where ρ is large.
_SINGLE_FROM, _SINGLE_ROWS = 64, 256
# Leverages up to this one change a statistic by less than two in ten thousand, and are left out.
_NEGLIGIBLE = 3e-4
# Up to this one, a row's own leverage is taken for that without the pair.
_LOW = 4e-3


@dataclass(frozen=True, eq=False, slots=True)
class Leverage:
    """What makes v = Bᵀc and the leverage h = 1/n + Σ √Θ_ii v_i c_i/(n−1) of a centred row c.

    cᵀΘc ≤ `most` · Σv²; with `own_scale`, products have the weights of the score test.
    """

    B: FloatArray
    root: FloatArray
    n_samples: int
    most: float = math.inf
    own_scale: bool = False

    def surely_below(self, limit: float, squares: FloatArray) -> bool:
        """Whether no leverage reaches the limit, seen from Σv² of the rows: half the work."""
        n = self.n_samples
        most = (limit - 1 / n) * (n - 1) / self.most
        return most > 0 and bool(squares.max(initial=0.0) < most)

    def complement(self, v: FloatArray, c: FloatArray, scratch: FloatArray) -> FloatArray:
        """1 − h of each row, never quite zero."""
        n = self.n_samples
        h = (self.root / (n - 1)) @ np.multiply(v, c, out=scratch)
        np.subtract(1 - 1 / n, h, out=h)
        return np.maximum(h, _LEAST, out=h)

    def divisor(self, complement: FloatArray, square: FloatArray) -> FloatArray:
        """What the product of two residuals is divided by: 1 − h, or with `own_scale` √(1 − h) to 1
        − h.
        """
        if not self.own_scale:
            return complement
        tau = row_tau(square, complement, self.n_samples)
        return np.asarray(1 / np.sqrt(score_weight(complement, tau)))


def score_weight(complement: Any, tau: Any) -> Any:
    """The weight σ²/E[e²] of e_i²e_j² in a row with 1 − h and τ = 1/σ²: 1/((1−h)(1−h+τh)).

    So 1/(1−h) for rows of one scale, and 1/(1−h)² where the row's own scale dominates.
    """
    return 1 / (complement * (tau + (1 - tau) * complement))


def row_tau(square: FloatArray, complement: FloatArray, n: int) -> FloatArray:
    """τ = 1/σ² of each row, from the mean g of its squared residuals: σ² = (g − h(1−h))/(1−h)²."""
    p = len(square)
    own = np.full(p, (n - p) / (n - 1) / p) @ square
    # ((g/(1−h) − 1)/(1−h) + 1, in place: single pairs are tested by the thousand.
    own /= complement
    own -= 1
    own /= complement
    own += 1
    return believed_tau(own, p)


def believed_tau(variance: FloatArray, p: int) -> FloatArray:
    """1/σ² of a row of p columns: with few, its variance is mostly chance, and τ is drawn to 1."""
    variance = np.maximum(variance, _LEAST_VARIANCE)
    believed = _BELIEVED * (p - 2) / (p - 2 + _COLUMNS_FOR_HALF)
    doubt = np.maximum(variance, 1.0)
    doubt -= 1
    doubt *= doubt
    doubt += _PLAIN_EXCESS**2
    np.divide((1 - believed) * _PLAIN_EXCESS**2, doubt, out=doubt)
    # τ = 1 − (1 − doubt)(1 − 1/σ²)
    np.divide(1.0, variance, out=variance)
    doubt *= 1 - variance
    doubt += variance
    return np.asarray(doubt)


@dataclass(frozen=True, eq=False, slots=True)
class ScoreSums:
    """Weighted sums over rows of the residuals e of each pair, scaled to mean square one.

    `second` is Σ w e_i²e_j², `cross` Σ w e_ie_j(e_i² + e_j²), `ends` ¼Σ w (e_i² + e_j²)²; `fourth`
    and `sixth` are Σ (w e_i²e_j²)^k/second^k, `square_square` Σ v_i²v_j²/(1 − h)².
    """

    second: FloatArray
    cross: FloatArray
    ends: FloatArray
    fourth: FloatArray
    sixth: FloatArray
    square_square: FloatArray


def score_terms(
    w: FloatArray,
    product: FloatArray,
    mean_square: FloatArray,
    residuals: FloatArray,
    out: FloatArray | None = None,
) -> FloatArray:
    """What is summed over rows for each pair; the six numbers of `ScoreSums`, before division."""
    terms = np.empty((6, *product.shape)) if out is None else out
    weighted = w * product
    squares = np.multiply(weighted, product, out=terms[0])
    weighted *= 2
    np.multiply(weighted, mean_square, out=terms[1])
    np.multiply(w, mean_square, out=terms[2])
    terms[2] *= mean_square
    np.multiply(squares, squares, out=terms[3])
    np.multiply(terms[3], squares, out=terms[4])
    np.multiply(residuals, residuals, out=terms[5])
    return terms


def sums_of_pairs(sums: FloatArray, p: int, diagonal: FloatArray) -> ScoreSums:
    """From the sums of these terms for all pairs; `diagonal` is that of `square_square`."""
    second = sums[0]
    matrices = np.empty((6, p, p))
    i, j = upper_pairs(p)
    matrices[:, i, j] = matrices[:, j, i] = (
        *sums[:3],
        share_of(sums[3], second**2),
        share_of(sums[4], second**3),
        sums[5],
    )
    for matrix, own in zip(matrices, (np.nan, np.nan, np.nan, 0.0, 0.0, diagonal), strict=True):
        np.fill_diagonal(matrix, own)
    return ScoreSums(*matrices)


def share_of(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Part over whole; zero where no row has any of it, and where nobody knows."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def sums_of_moments(
    m22: FloatArray,
    m31: FloatArray,
    eighth: FloatArray,
    n: int,
    rho: FloatArray,
    exact: FloatArray | None = None,
    raised: float = 1.0,
) -> ScoreSums:
    """From Σ w v_i²v_j², Σ w v_i³v_j and Σ w²v_i⁴v_j⁴, in their memory: e ∝ v_i + ρv_j, v_j + ρv_i.

    `exact` are the sums of what these leave out; `raised` is Σ v_i²v_j²/(1 − h)² over Σ w v_i²v_j².
    """
    # Each by itself, so that what is not needed later is not kept by what is.
    second, ends, sixth = (np.empty(rho.shape) for _ in range(3))
    fourths = m22.diagonal().copy()
    cubes = add_transpose(m31)
    step = max(1, _CHUNK_OF_MATRICES // len(rho))
    for start in range(0, len(rho), step):
        rows = slice(start, start + step)
        more = np.zeros(6) if exact is None else exact[:, rows]
        r, m, cube = rho[rows], m22[rows], cubes[rows]
        with np.errstate(divide="ignore", invalid="ignore"):
            f2 = (n / ((n - 1) * (1 - r) * (1 + r))) ** 2
            tails = fourths[rows, np.newaxis] + fourths + 2 * m
            plus, square = 1 + r**2, r**2
            ordinary = f2 * (plus**2 * m + 2 * r * plus * cube + square * tails)
            own = second[rows] = more[0] + ordinary
            ends[rows] = more[2] + (f2 / 4) * (
                plus**2 * tails + 8 * r * plus * cube + 16 * square * m
            )
            # The products e_ie_j have about the kurtosis of v_iv_j.
            spread = share_of(eighth[rows], m**2)
            eighth[rows] = share_of(more[3] + spread * ordinary**2, own**2)
            # Σa⁶ from Σa⁴ of n terms with Σa² = 1: (Σa⁴)²κ^{1/2}, κ = nΣa⁴, at most (Σa⁴)^{3/2}.
            largest = np.minimum(spread**2.5 * math.sqrt(n), spread**1.5)
            sixth[rows] = share_of(more[4] + largest * ordinary**3, own**3)
            cubes[rows] = more[1] + f2 * (
                (plus**2 + 4 * square) * cube + 4 * r * plus * m + r * plus * tails
            )
            m22[rows] = raised * m + more[5]
    cross, fourth, square_square = cubes, eighth, m22
    for matrix in (second, cross, ends):
        np.fill_diagonal(matrix, np.nan)
    for matrix in (fourth, sixth):
        np.fill_diagonal(matrix, 0.0)
    return ScoreSums(second, cross, ends, fourth, sixth, square_square)


class ScratchArrays(threading.local):
    """Arrays by name, as large as the largest so far, for each thread: allocating costs more."""

    def __init__(self) -> None:
        self._held: dict[str, FloatArray] = {}

    def array(self, name: str, shape: tuple[int, ...]) -> FloatArray:
        """An array of that shape; what was in one of the same name is gone."""
        size = math.prod(shape)
        held = self._held.get(name)
        if held is None or held.size < size:
            held = self._held[name] = np.empty(size)
        return held[:size].reshape(shape)


_SCRATCH = ScratchArrays()


def few_rows(n_samples: int, n_features: int) -> bool:
    products = n_samples * (n_features * (n_features - 1) // 2)
    return n_samples <= _FEW_ROWS or products <= _FEW_PRODUCTS


def all_pairs_exactly(centred: FloatArray, leverage: Leverage, rho: FloatArray) -> ScoreSums:
    """The sums of all pairs, pair by pair, from all centred rows (features first)."""
    p, n = centred.shape
    v = leverage.B.T @ centred
    complement = leverage.complement(v, centred, np.empty_like(centred))
    tau = row_tau(v * v, complement, n)
    i, j = upper_pairs(p)
    found = np.empty((6, i.size))
    step = min(max(1, _CHUNK // n), i.size)
    shape = 6, step, n
    scratch = _SCRATCH.array("pairs", shape) if n <= _CHUNK else np.empty(shape)
    for start in range(0, i.size, step):
        first, second = i[start : start + step], j[start : start + step]
        here = scratch[:, : first.size]
        a = v.take(first, axis=0, out=here[0], mode="clip")  # without a copy, unlike "raise"
        b = v.take(second, axis=0, out=here[1], mode="clip")
        r = rho[first, second][:, np.newaxis]
        sums = pair_by_pair(a, b, r, complement, tau, n, here[2:])
        found[:5, start : start + step] = sums
    # Σ v_i²v_j²/(1 − h)² needs no weight of a pair's own.
    square = v * v
    square /= complement
    squares = square @ square.T
    found[5] = squares[i, j]
    return sums_of_pairs(found, p, squares.diagonal())


def pair_by_pair(
    a: FloatArray,
    b: FloatArray,
    r: FloatArray,
    complement: FloatArray,
    tau: FloatArray,
    n: int,
    scratch: FloatArray | None = None,
) -> FloatArray:
    """Sums of the first five of `score_terms` over rows, for pairs of partial correlation r."""
    w, x, y, scale = weight_and_residuals(a, b, r, complement, tau, n, scratch)
    product = np.multiply(x, y, out=None if scratch is None else scratch[3])
    x *= x
    y *= y
    x += y  # twice the mean square; the scale is left to the sums
    weighted = np.multiply(w, product, out=y)
    w *= x
    cross, ends = np.vecdot(weighted, x), np.vecdot(w, x) / 4
    weighted *= product
    np.multiply(weighted, weighted, out=w)
    sums = weighted.sum(axis=1), cross, ends, w.sum(axis=1), np.vecdot(w, weighted)
    scale2 = np.square(scale[:, 0])
    return np.asarray(np.stack(sums) * (scale2, scale2, scale2, scale2**2, scale2**3))


def weight_and_residuals(
    a: FloatArray,
    b: FloatArray,
    r: Any,
    complement: FloatArray,
    tau: FloatArray,
    n: int,
    scratch: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray, FloatArray, Any]:
    """The weight of each row, residuals of pairs given all columns but the two, and 1/mean square."""
    made = np.empty((4, *np.broadcast(a, b).shape)) if scratch is None else scratch
    w, x, y, own = made[0], made[1], made[2], made[3]
    left = (1 - r) * (1 + r)
    np.multiply(r, b, out=x)
    np.multiply(r, a, out=y)
    x += a
    y += b
    # (a² + b² + 2rab)/((n−1)(1−r²)) is what the pair itself has of the leverage.
    np.multiply(b, b, out=own)
    own *= left
    own += np.multiply(x, x, out=w)
    own *= 1 / ((n - 1) * left)
    own += complement
    # 1/((1−h)(τ + (1−τ)(1−h))), as `score_weight` has it
    np.multiply(1 - tau, own, out=w)
    w += tau
    w *= own
    np.divide(1.0, w, out=w)
    return w, x, y, n / ((n - 1) * left)


def one_pair_exactly(
    rows: FloatArray, columns: AnyArray, leverage: Leverage, r: float
) -> tuple[float, float, float]:
    """Σa², Σa⁴ and Σa⁶ of the terms a² = w e_i²e_j² of the first two of the chosen columns."""
    n = leverage.n_samples
    second = fourth = sixth = 0.0
    for start in range(0, n, _ROWS):
        some = rows if n <= _ROWS else rows[:, start : start + _ROWS]
        own = some.take(columns, axis=0)
        v = leverage.B.T @ own
        complement = leverage.complement(v, own, own)
        tau = row_tau(np.multiply(v, v, out=own), complement, n)
        w, x, y, scale = weight_and_residuals(v[0], v[1], r, complement, tau, n)
        x *= y
        x *= x
        x *= w
        x *= scale * scale
        second += float(np.add.reduce(x))
        fourth += float(x @ x)
        sixth += float((x * x) @ x)
    return second, fourth, sixth


def all_pairs_at_once(
    rows: Summable, centre: Centre, leverage: Leverage, rho: FloatArray, nearly_one: float
) -> ScoreSums:
    """The same by matrix products, in one pass over the rows.

    The weight of a pair is taken as a product of factors of its columns. The few entries for which
    that is not exact enough are summed exactly, and so are pairs whose ρ is close to ±1.
    """
    one_pass = partial(_product_sums, centre=centre, leverage=leverage, rho=rho)
    m22, m31, eighth, exact, squares = rows.sums(one_pass)
    known = exact if squares[2] else None
    if known is not None:
        for matrix in known:
            add_transpose(matrix)
    raised = float(squares[1] / squares[0])
    sums = sums_of_moments(m22, m31, eighth, leverage.n_samples, rho, known, raised)
    i, j = strong_pairs(rho, nearly_one)
    if i.size:
        one_pass = partial(
            _exact_sums, centre=centre, leverage=leverage, i=i, j=j, r=rho[i, j][:, np.newaxis]
        )
        ((second, cross, ends, fourth, sixth),) = rows.sums(one_pass)
        for matrix, values in (
            (sums.second, second),
            (sums.cross, cross),
            (sums.ends, ends),
            (sums.fourth, share_of(fourth, second**2)),
            (sums.sixth, share_of(sixth, second**3)),
        ):
            matrix[i, j] = matrix[j, i] = values
    return sums


def _product_sums(
    batches: Iterator[Rows], centre: Centre, leverage: Leverage, rho: FloatArray
) -> Sums:
    """Σ w v_i²v_j², Σ w v_i³v_j and Σ w²v_i⁴v_j⁴ with w = q_iq_j; exact sums of a few entries, half
    of a symmetric matrix; Σ w(Σv²)², the same with 1/(1 − h)², and the number of entries.
    """
    p, n, first = len(leverage.root), leverage.n_samples, len(rho)
    single = first >= _SINGLE_FROM
    m22, m31, eighth = (np.zeros((first, first)) for _ in range(3))
    exact, squares = np.zeros((6, first, first)), np.zeros(3)
    # Keeps v⁸ within the range of single precision, whatever n is.
    unit = 2.0 ** -round(math.log2(n) / 4) if single else 1.0
    blocks = mapped_blocks(batches, centre, leverage.B, spare=(p, p), singles=2 * single)
    for block in blocks:
        v, (s, t) = block.z, block.spare
        np.multiply(v, v, out=s)
        of_rows = np.ones(p) @ s
        complement = np.ones(block.n)
        if not leverage.surely_below(_NEGLIGIBLE, of_rows):
            complement = leverage.complement(v, block.centred, t)
        negligible = complement >= 1 - _NEGLIGIBLE
        plain = bool(negligible.all())  # as in most long data
        tau = complement if plain else row_tau(s, complement, n)
        # The other columns decide about the weights of rows only.
        v, s, t = v[:first], s[:first], t[:first]
        weighted = v
        if plain:
            squares[:2] += of_rows @ of_rows
        else:
            weighted = t
            entries = _weigh(v, s, t, complement, tau, n, p)
            _add_entries(exact, v, s, complement, tau, rho, n, *entries)
            of_rows = np.square(np.ones(first) @ s)
            # 1/(1 − h)² over the weight of a row, without a usual pair.
            without_pair = complement + (1 - complement) * (2 / p)
            raised = np.where(negligible, 1.0, complement**-2 / score_weight(without_pair, tau))
            squares += float(of_rows.sum()), float(of_rows @ raised), len(entries[0])
        m22 += s @ s.T
        # The centred rows are not needed any more.
        cubes, other = block.centred[:first], weighted
        if single:
            cubes, other = (scratch[:first] for scratch in block.singles)
            np.copyto(other, weighted, casting="same_kind")
        np.multiply(s, v, out=cubes, casting="same_kind")
        step = _SINGLE_ROWS if single else block.n
        for start in range(0, block.n, step):
            some = slice(start, start + step)
            m31 += cubes[:, some] @ other[:, some].T
        fourths = np.multiply(s, unit, out=cubes, casting="same_kind")
        fourths *= fourths
        eighth += fourths @ fourths.T
    eighth *= unit**-4
    return m22, m31, eighth, exact, squares


def _weigh(
    v: FloatArray,
    s: FloatArray,
    weighted: FloatArray,
    complement: FloatArray,
    tau: FloatArray,
    n: int,
    p: int,
) -> tuple[AnyArray, AnyArray]:
    """Give each v its factor of the weight, and each v² in `s`; entries without one are returned."""
    of_row = np.sqrt(score_weight(complement, tau))
    of_row[complement >= 1 - _NEGLIGIBLE] = 1.0
    high = np.flatnonzero(complement < 1 - _LOW)
    if not high.size:
        np.multiply(v, of_row, out=weighted)
        s *= of_row
        return high, high
    if high.size == len(of_row):
        # A pass over the numbers less: factors of rows and of entries together.
        q, column, row = _own_factors(s, complement, tau, n, p)
        q *= of_row
        np.multiply(v, q, out=weighted)
        s *= q
        return column, row
    np.multiply(v, of_row, out=weighted)
    q, column, row = _own_factors(s[:, high], complement[high], tau[high], n, p)
    weighted[:, high] *= q
    q *= of_row[high]
    s[:, high] *= q
    of_row[high] = 1.0
    s *= of_row
    return column, high[row]


def _own_factors(
    square: FloatArray, complement: FloatArray, tau: FloatArray, n: int, p: int
) -> tuple[FloatArray, AnyArray, AnyArray]:
    """q_i so that q_iq_j times the weight at h is about that at h^{ij}; and the entries without it.

    1 − h^{ij} is (1 − h)(1 + x + y), x = v_i²/((n−1)(1−h)), nearly (1 − h)(1 + x)(1 + y): entries
    with a large x get a factor of zero, to be summed exactly.
    """
    x = square * (1 / (n - 1) / complement)
    large = max(_LARGE_SHARE, _LARGE_SQUARE / (n - p))
    # No v_i²/(n−1) exceeds the leverage, so most rows of long data need not be looked at.
    maybe = np.flatnonzero(1 - complement > large * complement)
    if maybe.size == x.shape[1]:
        column, row = _places(x > large)
    else:
        column, row = _places(x[:, maybe] > large)
        row = maybe[row]
    # The second factor of the weight is τ + (1 − τ)(1 − h)(1 + x + y).
    rest = (1 - tau) * complement
    q = x * (rest / (tau + rest))
    q += 1
    x += 1
    q *= x
    np.divide(1.0, q, out=q)
    q[column, row] = 0.0
    return q, column, row


def _places(marked: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Rows and columns of the few places that are marked, found in the order of memory."""
    in_rows = marked.strides[0] < marked.strides[1]
    flat = np.flatnonzero(marked.T if in_rows else marked)
    first, second = np.divmod(flat, marked.shape[0 if in_rows else 1])
    return (second, first) if in_rows else (first, second)


def _add_entries(
    total: FloatArray,
    v: FloatArray,
    square: FloatArray,
    complement: FloatArray,
    tau: FloatArray,
    rho: FloatArray,
    n: int,
    column: AnyArray,
    row: AnyArray,
) -> None:
    """Add what the given entries of v bring to their pairs, less what the products have already."""
    if not column.size:
        return
    p = len(rho)
    # On the diagonal only Σ w v⁴ is of use, and has the weight of two columns that are not related.
    rho = np.where(off_diagonal(p), rho, 0.0)
    # A pair of two such entries is met twice.
    share = np.ones((p, v.shape[1]))
    share[column, row] = 0.5
    step = max(1, _CHUNK // p)
    for start in range(0, column.size, step):
        i, k = column[start : start + step], row[start : start + step]
        a, b, kept = v[i, k][:, np.newaxis], v[:, k].T, complement[k, np.newaxis]
        w, x, y, scale = weight_and_residuals(a, b, rho[i], kept, tau[k, np.newaxis], n)
        mean_square = (scale / 2) * (x * x + y * y)
        terms = score_terms(w, scale * (x * y), mean_square, a * b / kept)
        known = (n / ((n - 1) * (1 - rho[i]) * (1 + rho[i])) * square[:, k].T) ** 2
        plus = 1 + rho[i] ** 2
        terms[0] -= rho[i] ** 2 * known
        terms[1] -= rho[i] * plus * known
        terms[2] -= plus**2 / 4 * known
        terms *= share[:, k].T
        for place, of_entry in zip(i, np.moveaxis(terms, 1, 0), strict=True):
            total[:, place] += of_entry


def strong_pairs(rho: FloatArray, nearly_one: float) -> tuple[AnyArray, AnyArray]:
    i, j = np.nonzero(np.abs(rho) > nearly_one)
    once = i < j
    return i[once], j[once]


def residuals_of_pairs(
    batches: Iterator[Rows], centre: Centre, leverage: Leverage, i: AnyArray, j: AnyArray
) -> Iterator[tuple[FloatArray, FloatArray, FloatArray, FloatArray]]:
    """v_i and v_j of some pairs, 1 − h, and v² of all columns, block by block."""
    for block in mapped_blocks(batches, centre, leverage.B, spare=(len(leverage.root),)):
        v, square = block.z, block.spare[0]
        complement = leverage.complement(v, block.centred, square)
        yield v[i], v[j], complement, np.multiply(v, v, out=square)


def _exact_sums(
    batches: Iterator[Rows], centre: Centre, leverage: Leverage, i: AnyArray, j: AnyArray, r: Any
) -> Sums:
    n, total = leverage.n_samples, np.zeros((5, i.size))
    for a, b, complement, square in residuals_of_pairs(batches, centre, leverage, i, j):
        total += pair_by_pair(a, b, r, complement, row_tau(square, complement, n), n)
    return (total,)

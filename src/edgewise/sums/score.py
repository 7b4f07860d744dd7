"""Second pass of the score test: weighted fourth-order sums of the residuals of all pairs.

Residuals that were fitted are smaller than the errors they stand for, most of all in rows with a
high leverage; `score_weight` undoes that. The leverage of a row is that in the regressions of the
pair on all other columns.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from edgewise._linalg import AnyArray, FloatArray, add_transpose, off_diagonal
from edgewise.sums.centre import Centre
from edgewise.sums.exact_score import pair_by_pair, weight_and_residuals
from edgewise.sums.leverage import Leverage
from edgewise.sums.loop import BlockMemory, mapped_blocks
from edgewise.sums.pairs import strong_pairs
from edgewise.sums.products import add_gram, mirrored
from edgewise.sums.score_sums import (
    ScoreSums,
    row_tau,
    score_terms,
    score_weight,
    share_of,
    sums_of_moments,
)
from edgewise.tables.table import Rows, Summable, Sums, block_rows

# Numbers of columns × entries worked on at once.
_CHUNK = 1 << 15
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


def _terms(
    a: FloatArray, b: FloatArray, r: FloatArray, complement: FloatArray, tau: FloatArray, n: int
) -> FloatArray:
    """Summed over rows: of w e_i²e_j² the first three powers, cross, ends, v_i²v_j²/(1 − h)²."""
    w, x, y, scale = weight_and_residuals(a, b, r, complement, tau, n)
    product = scale * (x * y)
    mean_square = (scale / 2) * (x * x + y * y)
    return score_terms(w, product, mean_square, a * b / complement)


def all_pairs_at_once(
    rows: Summable, centre: Centre, leverage: Leverage, rho: FloatArray, nearly_one: float
) -> ScoreSums:
    """The same by matrix products, in one pass over the rows.

    If ρ is that of the first few columns only, so are the sums; `square_square` is then unknown.

    The weight of a pair is taken as a product of one factor for each of its columns; the few
    entries for which that is not exact enough are summed exactly. So are pairs whose ρ is close to
    ±1, where the expansions of `sums_of_moments` cancel, in a pass of their own.
    """
    one_pass = partial(_product_sums, centre=centre, leverage=leverage, rho=rho)
    m22, m31, eighth, exact, squares = rows.sums(one_pass)
    known = exact if squares[2] else None
    if known is not None:
        for matrix in known:
            add_transpose(matrix)
    m22, eighth = mirrored(m22), mirrored(eighth)
    raised = float(squares[1] / squares[0])
    made = sums_of_moments(m22, m31, eighth, leverage.n_samples, rho, known, raised)
    _replace_near_one(made, rows, centre, leverage, rho, nearly_one)
    return made


def _product_sums(
    batches: Iterator[Rows], centre: Centre, leverage: Leverage, rho: FloatArray
) -> Sums:
    """Σ w v_i²v_j², Σ w v_i³v_j and Σ w²v_i⁴v_j⁴ with w = q_iq_j; and exact sums of a few entries.

    The exact sums are those of the pairs (i, j) with i among the given entries: half of a symmetric
    matrix, to which the transpose must be added. Last come Σ w(Σv²)², over the rows, the same with
    1/(1 − h)² in place of w, and how many entries were summed exactly.
    """
    p, n, first = len(leverage.root), leverage.n_samples, len(rho)
    single = first >= _SINGLE_FROM
    memory = BlockMemory(p, block_rows(p), spare=(p, p), singles=2 * single)
    m22, m31, eighth = (np.zeros((first, first)) for _ in range(3))
    exact, squares = np.zeros((6, first, first)), np.zeros(3)
    # Keeps v⁸ within the range of single precision, whatever n is.
    unit = 2.0 ** -round(math.log2(n) / 4) if single else 1.0
    for block in mapped_blocks(batches, centre, leverage.B, memory=memory):
        v, (s, t) = block.z, block.spare
        np.multiply(v, v, out=s)
        of_rows = np.ones(p) @ s
        complement = _complement(leverage, v, of_rows, block.centred, t)
        tau = complement if complement is None else row_tau(s, complement, n)
        # The other columns decide about the weights of rows only.
        v, s, t = v[:first], s[:first], t[:first]
        weighted = v
        if complement is not None and tau is not None:
            weighted = t
            entries = _weigh(v, s, t, complement, tau, n, p)
            _add_entries(exact, v, s, complement, tau, rho, n, *entries)
            of_rows = np.square(np.ones(first) @ s)
            raised = float(of_rows @ _raised(complement, tau, p))
            squares += float(of_rows.sum()), raised, len(entries[0])
        else:
            squares[:2] += of_rows @ of_rows
        add_gram(m22, s)
        # The centred rows are not needed any more.
        cubes, other = block.centred[:first], weighted
        if single:
            cubes, other = (room[:first] for room in block.singles)
            np.copyto(other, weighted, casting="same_kind")
        np.multiply(s, v, out=cubes, casting="same_kind")
        for some in _slices(block.n, _SINGLE_ROWS if single else block.n):
            m31 += cubes[:, some] @ other[:, some].T
        fourths = np.multiply(s, unit, out=cubes, casting="same_kind")
        fourths *= fourths
        add_gram(eighth, fourths)
    eighth *= unit**-4
    return m22, m31, eighth, exact, squares


def _slices(n: int, rows: int) -> Iterator[slice]:
    return (slice(start, start + rows) for start in range(0, n, rows))


def _weigh(
    v: FloatArray,
    s: FloatArray,
    weighted: FloatArray,
    complement: FloatArray,
    tau: FloatArray,
    n: int,
    p: int,
) -> tuple[AnyArray, AnyArray]:
    """Give each v its factor of the weight, in `weighted`, and each v² in `s`; and what has none.

    The latter are entries (column, row) whose pairs must be summed exactly.
    """
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


def _raised(complement: FloatArray, tau: FloatArray, p: int) -> FloatArray:
    """1/(1 − h)² over the weight w of a row, without a usual pair."""
    without_pair = complement + (1 - complement) * (2 / p)
    raised = complement**-2 / score_weight(without_pair, tau)
    return np.where(complement < 1 - _NEGLIGIBLE, raised, 1.0)


def _complement(
    leverage: Leverage, v: FloatArray, squares: FloatArray, centred: FloatArray, room: FloatArray
) -> FloatArray | None:
    """1 − h of each row, or None if all leverages are negligible, as in most long data."""
    if leverage.surely_below(_NEGLIGIBLE, squares):
        return None
    complement = leverage.complement(v, centred, room)
    return complement if complement.min() < 1 - _NEGLIGIBLE else None


def _own_factors(
    square: FloatArray, complement: FloatArray, tau: FloatArray, n: int, p: int
) -> tuple[FloatArray, AnyArray, AnyArray]:
    """q_i so that q_iq_j times the weight at h is about that at h^{ij}; and the entries without it.

    With x = v_i²/((n−1)(1−h)) and y = v_j²/((n−1)(1−h)), 1 − h^{ij} is (1 − h)(1 + x + y), but for
    strong edges, and (1 + x)(1 + y) differs from the last factor by xy only. So an entry (column,
    row) with a large x gets a factor of zero, to be summed exactly.
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
    """Add what the given entries of v bring to the sums of their pairs.

    Of such a pair the products have Σ w v_j⁴ of the other column already: that is taken off again.
    """
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
        of_row = complement[k, np.newaxis], tau[k, np.newaxis]
        terms = _terms(v[i, k][:, np.newaxis], v[:, k].T, rho[i], *of_row, n)
        known = (n / ((n - 1) * (1 - rho[i]) * (1 + rho[i])) * square[:, k].T) ** 2
        plus = 1 + rho[i] ** 2
        terms[0] -= rho[i] ** 2 * known
        terms[1] -= rho[i] * plus * known
        terms[2] -= plus**2 / 4 * known
        terms *= share[:, k].T
        for place, of_entry in zip(i, np.moveaxis(terms, 1, 0), strict=True):
            total[:, place] += of_entry


def _replace_near_one(
    sums: ScoreSums,
    rows: Summable,
    centre: Centre,
    leverage: Leverage,
    rho: FloatArray,
    nearly_one: float,
) -> None:
    i, j = strong_pairs(rho, nearly_one)
    if not i.size:
        return
    one_pass = partial(
        _exact_sums, centre=centre, leverage=leverage, i=i, j=j, r=rho[i, j][:, np.newaxis]
    )
    (found,) = rows.sums(one_pass)
    second, cross, ends, fourth, sixth = found
    for matrix, values in (
        (sums.second, second),
        (sums.cross, cross),
        (sums.ends, ends),
        (sums.fourth, share_of(fourth, second**2)),
        (sums.sixth, share_of(sixth, second**3)),
    ):
        matrix[i, j] = matrix[j, i] = values


def _exact_sums(
    batches: Iterator[Rows],
    centre: Centre,
    leverage: Leverage,
    i: AnyArray,
    j: AnyArray,
    r: FloatArray,
) -> Sums:
    p = len(leverage.root)
    memory = BlockMemory(p, block_rows(p), spare=(p,))
    total = np.zeros((5, i.size))
    for block in mapped_blocks(batches, centre, leverage.B, memory=memory):
        v, room = block.z, block.spare[0]
        complement = leverage.complement(v, block.centred, room)
        tau = row_tau(np.multiply(v, v, out=room), complement, leverage.n_samples)
        total += pair_by_pair(v[i], v[j], r, complement, tau, leverage.n_samples)
    return (total,)

"""Second pass of the score test: weighted fourth-order sums of the residuals of all pairs.

Residuals that were fitted are smaller than the errors they stand for, most of all in rows with a
high leverage h. Their products are therefore weighted by (1 − h)^{−5/4}, where h is the leverage of
the row in the regressions of the pair on all other columns. The exponent is 1 for Gaussian rows and
2 where a row's own scale dominates; 5/4 kept single p-values honest in all simulations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from edgewise._base.matrices import off_diagonal, symmetric, upper_pairs
from edgewise._base.types import AnyArray, FloatArray
from edgewise.kernels.centre import Centre
from edgewise.kernels.leverage import Leverage
from edgewise.kernels.loop import BlockMemory, mapped_blocks
from edgewise.kernels.pairs import strong_pairs
from edgewise.kernels.products import add_gram, mirrored
from edgewise.rows.block import Rows, block_rows
from edgewise.rows.passes import Summable, Sums

#: Up to this many rows every pair is summed by itself; products of matrices are not exact there.
FEW_ROWS = 500
# Numbers of pairs × rows worked on at once.
_CHUNK = 1 << 15
# Share of a residual's variance in a single row: above it, products of factors are not exact.
_LARGE_SHARE = 0.01
# Leverages up to this one change a statistic by less than two in ten thousand, and are left out.
_NEGLIGIBLE = 3e-4
_EXPONENT = 5 / 4


@dataclass(frozen=True, eq=False, slots=True)
class ScoreSums:
    """Weighted sums over rows of the residuals e of each pair, scaled to mean square one.

    `second` is Σ w e_i²e_j², `cross` Σ w e_ie_j(e_i² + e_j²) and `ends` ¼Σ w (e_i² + e_j²)²: the
    variance of Σ e_ie_j − ρ₀(e_i² + e_j²)/2 is a quadratic in ρ₀ with these coefficients. `fourth`
    is Σ (w e_i²e_j²)²/second², and `sixth` Σ (w e_i²e_j²)³/second³ or a bound on it.
    `square_square` is Σ w v_i²v_j² of the unit-variance residuals given all others; of the others
    the diagonal means nothing.
    """

    second: FloatArray
    cross: FloatArray
    ends: FloatArray
    fourth: FloatArray
    sixth: FloatArray
    square_square: FloatArray


def score_weight(complement: Any) -> Any:
    """(1 − h)^{−5/4}, from 1 − h."""
    w = 1 / complement
    return w * np.sqrt(np.sqrt(w))


def all_pairs_exactly(centred: FloatArray, leverage: Leverage, rho: FloatArray) -> ScoreSums:
    """The sums of all pairs, pair by pair, from all centred rows (features first)."""
    p, n = centred.shape
    v = leverage.B.T @ centred
    complement = leverage.complement(v, centred, np.empty_like(centred))
    i, j = upper_pairs(p)
    found = np.empty((6, i.size))
    step = max(1, _CHUNK // n)
    for start in range(0, i.size, step):
        part = slice(start, start + step)
        r = rho[i[part], j[part]][:, np.newaxis]
        found[:, part] = _pair_by_pair(v[i[part]], v[j[part]], r, complement, n)
    second, cross, ends, fourth, sixth, square_square = found
    known = [symmetric(values, p, diagonal=np.nan) for values in (second, cross, ends)]
    shares = [_share(fourth, second**2), _share(sixth, second**3)]
    shares = [symmetric(values, p, diagonal=0.0) for values in shares]
    diagonal = _pair_by_pair(v, v, np.zeros((p, 1)), complement, n)[-1]
    whole = symmetric(square_square, p, diagonal=diagonal)
    return ScoreSums(known[0], known[1], known[2], shares[0], shares[1], whole)


def _share(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Part over whole; zero where no row has any of it, and where nobody knows."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def _pair_by_pair(
    a: FloatArray, b: FloatArray, r: FloatArray, complement: FloatArray, n: int
) -> FloatArray:
    """Sums over rows for pairs with unit-variance residuals a and b and partial correlation r."""
    return np.asarray(_terms(a, b, r, complement, n).sum(axis=2))


def _terms(
    a: FloatArray, b: FloatArray, r: FloatArray, complement: FloatArray | float, n: int
) -> FloatArray:
    """What is summed over rows: of w e_i²e_j² the first three powers, cross, ends, w v_i²v_j²."""
    left = (1 - r) * (1 + r)
    own = (a * a + b * b + 2 * r * (a * b)) / ((n - 1) * left)
    w = score_weight(complement + own)
    scale = n / ((n - 1) * left)
    x, y = a + r * b, b + r * a
    product = scale * (x * y)
    mean_square = (scale / 2) * (x * x + y * y)
    squares = w * product * product
    return np.stack(
        [
            squares,
            2 * w * product * mean_square,
            w * mean_square * mean_square,
            squares * squares,
            squares * squares * squares,
            w * (a * b) ** 2,
        ]
    )


def all_pairs_at_once(
    rows: Summable, centre: Centre, leverage: Leverage, rho: FloatArray, nearly_one: float
) -> ScoreSums:
    """The same by matrix products, in one pass over the rows.

    The weight of a pair is taken as a product of one factor for each of its columns. That is exact
    to second order in the share that a row has in a residual's variance; the few rows with a share
    above one in a hundred are summed exactly. So are pairs whose ρ is close to ±1, where the
    expansions of `sums_of_moments` cancel, in a pass of their own.
    """
    one_pass = partial(_product_sums, centre=centre, leverage=leverage, rho=rho)
    m22, m31, eighth, exact = rows.sums(one_pass)
    moments = mirrored(m22), m31, m22.diagonal(), mirrored(eighth)
    made = sums_of_moments(*moments, leverage.n_samples, rho, exact)
    _replace_near_one(made, rows, centre, leverage, rho, nearly_one)
    return made


def sums_of_moments(
    m22: FloatArray,
    m31: FloatArray,
    m40: FloatArray,
    eighth: FloatArray,
    n: int,
    rho: FloatArray,
    exact: FloatArray | None = None,
) -> ScoreSums:
    """From Σ w v_i²v_j², Σ w v_i³v_j, Σ w v_i⁴ and Σ w²v_i⁴v_j⁴: e ∝ v_i + ρv_j, v_j + ρv_i.

    `exact` are the sums of further rows, as `_pair_by_pair` makes them. Of the others Σ(w e²e²)³ is
    not known; it is taken as the largest that it can be.
    """
    more = np.zeros((6, *rho.shape)) if exact is None else exact
    with np.errstate(divide="ignore", invalid="ignore"):
        f2 = (n / ((n - 1) * (1 - rho) * (1 + rho))) ** 2
        cubes, tails = m31 + m31.T, m40[:, np.newaxis] + m40 + 2 * m22
        plus = 1 + rho**2
        second = more[0] + f2 * (plus**2 * m22 + 2 * rho * plus * cubes + rho**2 * tails)
        cross = more[1] + f2 * (
            (plus**2 + 4 * rho**2) * cubes + 4 * rho * plus * m22 + rho * plus * tails
        )
        ends = more[2] + (f2 / 4) * (plus**2 * tails + 8 * rho * plus * cubes + 16 * rho**2 * m22)
        rest = f2**2 * plus**4 * eighth
        fourth = _share(more[3] + rest, second**2)
        sixth = _share(more[4] + rest**1.5, second**3)
    for matrix in (second, cross, ends):
        np.fill_diagonal(matrix, np.nan)
    for matrix in (fourth, sixth):
        np.fill_diagonal(matrix, 0.0)
    return ScoreSums(second, cross, ends, fourth, sixth, m22 + more[5])


def _product_sums(
    batches: Iterator[Rows], centre: Centre, leverage: Leverage, rho: FloatArray
) -> Sums:
    """Σ w v_i²v_j², Σ w v_i³v_j and Σ w²v_i⁴v_j⁴ with w = q_iq_j; and exact sums of a few rows."""
    p, n = len(leverage.root), leverage.n_samples
    memory = BlockMemory(p, block_rows(p), spare=(p, p))
    m22, m31, eighth = np.zeros((3, p, p))
    exact = np.zeros((6, p, p))
    for block in mapped_blocks(batches, centre, leverage.B, memory=memory):
        v, (s, t) = block.z, block.spare
        complement = leverage.complement(v, block.centred, s)
        np.multiply(v, v, out=s)
        high = np.flatnonzero(complement < 1 - _NEGLIGIBLE)
        weighted = v
        if high.size:
            rows = high if high.size < block.n else slice(None)
            # The common case, of all rows, needs no memory beyond that of the block.
            q = t if rows is not high else np.empty((p, high.size))
            few = _factors(s[:, rows], complement[rows], n, out=q)
            if few.size:
                _add_rows(exact, v[:, high[few]], complement[high[few]], rho, n)
            s[:, rows] *= q
            if rows is high:
                np.copyto(t, v)
                t[:, rows] *= q
            else:
                t *= v
            weighted = t
        add_gram(m22, s)
        # The centred rows are not needed any more.
        m31 += np.multiply(s, v, out=block.centred) @ weighted.T
        s *= s
        add_gram(eighth, s)
    return m22, m31, eighth, exact


def _factors(square: FloatArray, complement: FloatArray, n: int, out: FloatArray) -> AnyArray:
    """q = g^{5/8}/(1 + (5/4)g v²/(n−1)), g = 1/(1 − h): q_iq_j is about (1 − h^{ij})^{−5/4}.

    It is zero in the rows in which some residual has a large share of its variance: those rows are
    returned, to be summed exactly.
    """
    np.multiply(square, _EXPONENT / (n - 1) / complement, out=out)
    # No v_i²/(n−1) exceeds the leverage, so most rows need not be looked at.
    maybe = np.flatnonzero((1 - complement) * _EXPONENT > _LARGE_SHARE * complement)
    large: AnyArray = maybe[out[:, maybe].max(axis=0, initial=0.0) > _LARGE_SHARE]
    half = complement ** (-_EXPONENT / 2)
    half[large] = 0.0
    out += 1
    np.divide(half, out, out=out)
    return large


def _add_rows(
    total: FloatArray, v: FloatArray, complement: FloatArray, rho: FloatArray, n: int
) -> None:
    """Add what each of a few rows brings to the sums of all pairs."""
    # On the diagonal only Σ w v⁴ is of use, and has the weight of two columns that are not related.
    rho = np.where(off_diagonal(len(rho)), rho, 0.0)
    for row, left in zip(v.T, complement, strict=True):
        a, b = np.broadcast_to(row[:, np.newaxis], rho.shape), np.broadcast_to(row, rho.shape)
        total += _terms(a, b, rho, left, n)


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
    second, cross, ends, fourth, sixth, _ = found
    for matrix, values in (
        (sums.second, second),
        (sums.cross, cross),
        (sums.ends, ends),
        (sums.fourth, _share(fourth, second**2)),
        (sums.sixth, _share(sixth, second**3)),
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
    total = np.zeros((6, i.size))
    for block in mapped_blocks(batches, centre, leverage.B, memory=memory):
        complement = leverage.complement(block.z, block.centred, block.spare[0])
        total += _pair_by_pair(block.z[i], block.z[j], r, complement, leverage.n_samples)
    return (total,)

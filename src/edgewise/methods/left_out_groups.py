"""Rows that belong together: what every group of rows adds, and estimates without it.

All of it follows from the moments of each group. With M_g = Σ v vᵀ over the rows of a group, v the
unit-variance residuals, the group adds P_g = Σ e_ie_j to the score of a pair. Without the group the
regressions change too: the sum of all residual products falls by D_g = e_iᵀ(I − H)⁻¹e_j, H the
block of the hat matrix that belongs to the group. P_g is too small, because residuals were fitted
to the group. D_g² is too large by the spread of (I − H)⁻¹, unless the errors of the group are far
larger than those of others: then the group has fitted itself, and D_g² is right. So the test uses
P_g + λ_g(D_g − P_g), with λ_g about ½ for groups of the usual scale, and nearer 1 the larger a
group's own scale is. For groups of one row a square has the weight of the plain score test.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from edgewise._base.matrices import off_diagonal
from edgewise._base.types import FloatArray
from edgewise.errors import DataError
from edgewise.estimators.inverse import PrecisionEstimate
from edgewise.inference.spread import Spread, floored_spread
from edgewise.kernels.score_sums import ScoreSums
from edgewise.kernels.score_weight import believed_tau, score_weight
from edgewise.methods.jackknife import ALMOST_ONE, covariances_without, inverses
from edgewise.states.groups import GroupMoments

# A group that fits itself entirely has residuals of zero: any weight will do.
_LEAST = 1e-10


@dataclass(frozen=True, eq=False, slots=True)
class _Some:
    """Some of the groups: their own sums, and the estimate without each.

    `scatter` is M_g; `sums` is Σ v over the rows of each group. `partial` are the partial
    correlations without the group (0 on the diagonal), `ratio` is √(Θ_ii without it / Θ̂_ii), and
    `share` the rows that are left, minus 1, over n − 1.
    """

    scatter: FloatArray
    sums: FloatArray
    partial: FloatArray
    ratio: FloatArray
    share: FloatArray

    def precision(self) -> FloatArray:
        """Θ without each group, in units of √(Θ̂_iiΘ̂_jj)."""
        products = self.ratio[:, :, np.newaxis] * self.ratio[:, np.newaxis, :]
        return np.where(off_diagonal(products.shape[1]), -self.partial, 1.0) * products


def _without_each(groups: GroupMoments, estimate: PrecisionEstimate) -> Iterator[_Some]:
    n, p = estimate.n_samples, len(estimate.precision)
    left = n - groups.counts().astype(np.float64)
    if left.min() <= p:
        raise DataError(
            f"groups: expected more than {p} rows without the largest group, got "
            f"{int(left.min())}; test fewer columns, or collect more groups."
        )
    # In units of the columns' deviations, which may be far apart.
    scale = np.sqrt(estimate.covariance.diagonal())
    whole = estimate.covariance / scale / scale[:, np.newaxis] * (n - 1)
    root = np.sqrt(estimate.precision.diagonal()) * scale
    B = estimate.residual_map
    for start in range(0, len(left), groups.step):
        some = slice(start, start + groups.step)
        mine = groups.sums_about(estimate.centre, some)
        rest = covariances_without(whole, mine.second, mine.first, left[some], scale)
        inverse = inverses(rest)
        deviation = np.sqrt(np.diagonal(inverse, axis1=1, axis2=2))
        partial = inverse / deviation[:, :, np.newaxis] / -deviation[:, np.newaxis, :]
        partial *= off_diagonal(p)
        yield _Some(
            B.T @ mine.second @ B,
            mine.first @ B,
            np.clip(partial, -ALMOST_ONE, ALMOST_ONE),
            deviation / root,
            (left[some] - 1) / (n - 1),
        )


def _partial(estimate: PrecisionEstimate) -> FloatArray:
    """ρ̂ with a diagonal of zeros, off ±1."""
    rho = np.where(off_diagonal(len(estimate.precision)), estimate.partial_correlation, 0.0)
    return np.clip(rho, -ALMOST_ONE, ALMOST_ONE)


@dataclass(frozen=True, eq=False, slots=True)
class GroupScores:
    """The sums of the score test over groups, and what bounds its variance from below.

    `precision` is the variance of Θ̂ by the jackknife, in units of Θ_iiΘ_jj.
    """

    sums: ScoreSums
    rows: FloatArray
    precision: FloatArray


def group_scores(groups: GroupMoments, estimate: PrecisionEstimate) -> GroupScores:
    """Sums over groups of powers of P_g + λ_g(D_g − P_g), of e_ie_j − ρ₀(e_i² + e_j²)/2."""
    rho, n = _partial(estimate), estimate.n_samples
    tau, start = _taus(groups, estimate), 0
    second, cross, ends, fourth, sixth = np.zeros((5, *rho.shape))
    precision, between = _Variance(rho.shape), np.zeros(rho.shape)
    for some in _without_each(groups, estimate):
        stop = start + len(some.share)
        product, squares = _terms(some, rho, n, tau[start:stop])
        start = stop
        power = product**2
        second += power.sum(axis=0)
        fourth += (power**2).sum(axis=0)
        sixth += (power**3).sum(axis=0)
        cross += (product * squares).sum(axis=0)
        ends += (squares**2).sum(axis=0) / 4
        between += some.sums.T @ some.sums
        precision.add(some.precision() - _precision(rho))
    size = np.maximum(second, 1e-300)
    return GroupScores(
        ScoreSums(second, cross, ends, fourth / size**2, sixth / size**3, np.zeros(rho.shape)),
        worth_of(groups.counts().astype(np.float64), rho, between).rows,
        precision.jackknife(),
    )


def _terms(some: _Some, rho: FloatArray, n: int, tau: FloatArray) -> tuple[FloatArray, FloatArray]:
    """P_g + λ_g(D_g − P_g) for the products e_ie_j, and for e_i² + e_j²; e has mean square one."""
    left = (1 - rho) * (1 + rho)
    own = np.diagonal(some.scatter, axis1=1, axis2=2)
    ends = own[:, :, np.newaxis] + own[:, np.newaxis, :]
    unit = n / (n - 1) / left
    plain = unit * ((1 + rho**2) * some.scatter + rho * ends)
    plain_ends = unit * ((1 + rho**2) * ends + 4 * rho * some.scatter)
    # The residual products of two variables are the inverse of their block of Θ.
    without = some.share[:, np.newaxis, np.newaxis] * left
    without = without / ((1 - some.partial) * (1 + some.partial))
    inverse = 1 / some.ratio
    scales = inverse[:, :, np.newaxis] * inverse[:, np.newaxis, :]
    lost = n * (rho - without * some.partial * scales)
    squares = inverse**2
    lost_ends = n * (2 - without * (squares[:, :, np.newaxis] + squares[:, np.newaxis, :]))
    # 1 − h of a single row; of several, as their squared residuals weigh it.
    kept = np.clip(plain_ends / np.maximum(lost_ends, _LEAST * n), _LEAST, 1.0)
    part = _part_lost(kept, tau[:, np.newaxis, np.newaxis])
    return plain + part * (lost - plain), plain_ends + part * (lost_ends - plain_ends)


def _part_lost(kept: FloatArray, tau: FloatArray) -> FloatArray:
    """λ with 1 + λ(1/(1−h) − 1) = √w, the root of a row's weight in the score test, w(1−h, τ).

    It is 1 − τ/2 where h = 0, and 1 where τ = 0.
    """
    root = 1 / np.sqrt(score_weight(kept, tau))
    # (1/root − 1)(1−h)/h, without the difference.
    return np.asarray(kept * (1 + kept - tau * kept) / (root * (1 + root)))


def _taus(groups: GroupMoments, estimate: PrecisionEstimate) -> FloatArray:
    """1/σ² of the errors of each group, relative to those of other groups.

    What matters is their variance where the group decides about its own fit: s = Σ vᵀHv/(p Tr
    H(I − H)), 1 on average where all errors have one scale. Rows that are alike make s larger in
    all groups, so it is taken relative to that of the group of the median row, if that is above 1.
    """
    n, p = estimate.n_samples, len(estimate.precision)
    counts = groups.counts().astype(np.float64)
    root, B = np.sqrt(estimate.precision.diagonal()), estimate.residual_map
    fitted, first, second = np.empty((3, len(counts)))
    for start in range(0, len(counts), groups.step):
        some = slice(start, start + groups.step)
        mine = groups.sums_about(estimate.centre, some)
        mean = counts[some] / n
        sums, right = mine.first @ B, mine.second @ B
        # With C the centred rows of a group, H = CΘCᵀ/(n − 1) + 1/n; this is similar to CᵀCΘ.
        hat = root[:, np.newaxis] * right / (n - 1)
        between = (sums * root * mine.first).sum(axis=1) / (n - 1)
        first[some] = np.trace(hat, axis1=1, axis2=2) + mean
        second[some] = np.einsum("gij,gji->g", hat, hat) + (2 / n) * between + mean**2
        fitted[some] = np.einsum("gij,gji->g", B.T @ right, hat) + (sums**2).sum(axis=1) / n
    free = np.maximum(first - second, _LEAST)
    scale = (n - p) / (n - 1) / p * fitted / free
    usual = max(_median_row(scale, counts), 1.0)
    # The fit has taken some of the group's own scale; of a single row as in `row_tau`.
    return believed_tau((scale / usual - 1) * (first / free) + 1, p)


def _median_row(values: FloatArray, counts: FloatArray) -> float:
    """The value of the group that the median row belongs to, when groups are sorted by value."""
    order = np.argsort(values, kind="stable")
    below = np.cumsum(counts[order])
    return float(values[order[np.searchsorted(below, below[-1] / 2)]])


def group_sandwich(groups: GroupMoments, estimate: PrecisionEstimate) -> tuple[Spread, FloatArray]:
    """Standard errors of Θ̂ and of Fisher's z by the delete-one-group jackknife, and degrees."""
    rho = _partial(estimate)
    z, precision = _Variance(rho.shape), _Variance(rho.shape)
    between, centre = np.zeros(rho.shape), np.arctanh(rho)
    for some in _without_each(groups, estimate):
        z.add(np.arctanh(some.partial) - centre)
        precision.add(some.precision() - _precision(rho))
        between += some.sums.T @ some.sums
    worth = worth_of(groups.counts().astype(np.float64), rho, between)
    spread = floored_spread(estimate, precision.jackknife(), z.jackknife(), rows=worth.rows)
    return spread, worth.degrees


def _precision(rho: FloatArray) -> FloatArray:
    return np.eye(len(rho)) - rho


@dataclass(frozen=True, eq=False, slots=True)
class Worth:
    """What the rows and groups are worth, for each pair.

    `rows` is how many independent rows have a score as uncertain as that of all rows; `degrees` are
    those of freedom of a variance that is estimated from groups of different length.
    """

    rows: FloatArray
    degrees: FloatArray


def worth_of(counts: FloatArray, rho: FloatArray, between: FloatArray) -> Worth:
    """From the rows of each group, and Σ_g (Σ v)(Σ v)ᵀ over the rows of each.

    With unrelated Gaussian residuals of which two in the same group have the correlations r_i and
    r_j, the terms Σ e_ie_j of groups have the variances s_g² = n_g + r_ir_j n_g(n_g − 1), and their
    sum has n²/rows. Where two columns depend on the same other rows, but on some more than on
    others, it is larger: the mean of the products of correlations is then above the product of
    their means. Where traits of subjects are rare, the variance that the groups show is smaller: it
    collapses. The degrees of freedom are (Σ s_g²)²/Σ s_g⁴ (Satterthwaite), at most G − 1.
    """
    n, pairs = float(counts.sum()), counts * (counts - 1)
    own = between.diagonal()
    sums = own[:, np.newaxis] + 2 * rho * between + rho**2 * own
    sums *= n / (n - 1) / ((1 - rho) * (1 + rho))
    within = np.clip((sums - n) / max(float(pairs.sum()), 1.0), 0.0, 1.0)
    alike = within * within.T
    variance = n + alike * pairs.sum()
    squared = counts @ counts + alike * (2 * (counts @ pairs)) + alike**2 * (pairs @ pairs)
    degrees = np.minimum(variance**2 / squared, len(counts) - 1.0)
    return Worth(n * n / variance, np.maximum(degrees, 1.0))


class _Variance:
    """The variance of differences that come in pieces."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._count = 0
        self._first, self._second = np.zeros((2, *shape))

    def add(self, some: FloatArray) -> None:
        self._count += len(some)
        self._first += some.sum(axis=0)
        self._second += np.einsum("gij,gij->ij", some, some)

    def jackknife(self) -> FloatArray:
        """(G − 1)/G Σ (d − mean)²."""
        squares = np.maximum(self._second - self._first**2 / self._count, 0.0)
        return np.asarray(squares * ((self._count - 1) / self._count))

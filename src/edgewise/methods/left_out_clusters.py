"""Rows that belong together: what every cluster of rows adds, and estimates without it (`left_out`).

All of it follows from the moments of each cluster. The sum of residual products that the cluster is
worth is D_g = e_iᵀ(I − H)⁻¹e_j, H the block of the hat matrix that belongs to the cluster; D_g² is
too large by the spread of (I − H)⁻¹.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from edgewise._linalg import FloatArray, off_diagonal
from edgewise.errors import DataError
from edgewise.estimate.inverse import PrecisionEstimate
from edgewise.inference.uncertainty import Spread, floored_spread
from edgewise.methods.jackknife import ALMOST_ONE, AllRows, inverses
from edgewise.sums.clusters import ClusterMoments
from edgewise.sums.score import ScoreSums, believed_tau, score_weight

# A unit that fits itself entirely has residuals of zero: any weight will do.
LEAST = 1e-10


@dataclass(frozen=True, eq=False, slots=True)
class Units:
    """Some of the units: their own sums, and the estimate without each.

    `scatter` is M; `partial` are the partial correlations without the unit (0 on the diagonal),
    `ratio` is √(Θ_ii without it / Θ̂_ii), and `share` the rows that are left, minus 1, over n − 1.
    """

    scatter: FloatArray
    partial: FloatArray
    ratio: FloatArray
    share: FloatArray

    @staticmethod
    def of(scatter: FloatArray, inverse: FloatArray, root: FloatArray, share: FloatArray) -> Units:
        """From Θ without each unit, and the roots of the diagonal of Θ̂."""
        deviation = np.sqrt(np.diagonal(inverse, axis1=1, axis2=2))
        partial = inverse / deviation[:, :, np.newaxis] / -deviation[:, np.newaxis, :]
        partial *= off_diagonal(len(root))
        partial = np.clip(partial, -ALMOST_ONE, ALMOST_ONE)
        return Units(scatter, partial, deviation / root, share)

    def precision(self) -> FloatArray:
        """Θ without each unit, in units of √(Θ̂_iiΘ̂_jj)."""
        products = self.ratio[:, :, np.newaxis] * self.ratio[:, np.newaxis, :]
        return np.where(off_diagonal(products.shape[1]), -self.partial, 1.0) * products

    def terms(self, rho: FloatArray, n: int, tau: FloatArray) -> tuple[FloatArray, FloatArray]:
        """P + λ(D − P) for the products e_ie_j, and for e_i² + e_j²; e has mean square one."""
        left = (1 - rho) * (1 + rho)
        own = np.diagonal(self.scatter, axis1=1, axis2=2)
        ends = own[:, :, np.newaxis] + own[:, np.newaxis, :]
        unit = n / (n - 1) / left
        plain = unit * ((1 + rho**2) * self.scatter + rho * ends)
        plain_ends = unit * ((1 + rho**2) * ends + 4 * rho * self.scatter)
        # The residual products of two variables are the inverse of their block of Θ.
        without = self.share[:, np.newaxis, np.newaxis] * left
        without = without / ((1 - self.partial) * (1 + self.partial))
        inverse = 1 / self.ratio
        scales = inverse[:, :, np.newaxis] * inverse[:, np.newaxis, :]
        lost = n * (rho - without * self.partial * scales)
        squares = inverse**2
        lost_ends = n * (2 - without * (squares[:, :, np.newaxis] + squares[:, np.newaxis, :]))
        # 1 − h of a single row; of several, as their squared residuals weigh it.
        kept = np.clip(plain_ends / np.maximum(lost_ends, LEAST * n), LEAST, 1.0)
        part = _part_lost(kept, tau[:, np.newaxis, np.newaxis])
        return plain + part * (lost - plain), plain_ends + part * (lost_ends - plain_ends)


def _part_lost(kept: FloatArray, tau: FloatArray) -> FloatArray:
    """λ with 1 + λ(1/(1−h) − 1) = √w, the root of a row's weight in the score test, w(1−h, τ).

    It is 1 − τ/2 where h = 0, and 1 where τ = 0.
    """
    root = 1 / np.sqrt(score_weight(kept, tau))
    # (1/root − 1)(1−h)/h, without the difference.
    return np.asarray(kept * (1 + kept - tau * kept) / (root * (1 + root)))


def partial_of(estimate: PrecisionEstimate) -> FloatArray:
    """ρ̂ with a diagonal of zeros, off ±1."""
    rho = np.where(off_diagonal(len(estimate.precision)), estimate.partial_correlation, 0.0)
    return np.clip(rho, -ALMOST_ONE, ALMOST_ONE)


def unit_precision(rho: FloatArray) -> FloatArray:
    """Θ̂ in units of √(Θ̂_iiΘ̂_jj)."""
    return np.eye(len(rho)) - rho


class TermSums:
    """Sums over units of what the score test is made of."""

    #: How many matrices there are.
    COUNT = 5

    def __init__(self, p: int, sums: FloatArray | None = None) -> None:
        #: second, cross, ends, and the fourth and sixth powers of the terms.
        self.sums = np.zeros((self.COUNT, p, p)) if sums is None else sums

    def add(self, product: FloatArray, squares: FloatArray) -> None:
        """More terms, of e_ie_j and of e_i² + e_j²."""
        power = product**2
        self.sums[0] += power.sum(axis=0)
        self.sums[1] += (product * squares).sum(axis=0)
        self.sums[2] += (squares**2).sum(axis=0) / 4
        self.sums[3] += (power**2).sum(axis=0)
        self.sums[4] += (power**3).sum(axis=0)

    def score_sums(self) -> ScoreSums:
        second, cross, ends, fourth, sixth = self.sums
        size = np.maximum(second, 1e-300)
        nothing = np.zeros_like(second)
        return ScoreSums(second, cross, ends, fourth / size**2, sixth / size**3, nothing)


class Powers:
    """Sums of powers of differences that come in pieces: how many, the first, second and fourth."""

    def __init__(self, shape: tuple[int, ...], sums: FloatArray | None = None) -> None:
        self._shape = shape
        self.sums = np.zeros((4, *shape)) if sums is None else sums

    def add(self, some: FloatArray) -> None:
        square = some**2
        self.sums[0] += len(some)
        self.sums[1] += some.sum(axis=0)
        self.sums[2] += square.sum(axis=0)
        self.sums[3] += (square**2).sum(axis=0)

    def jackknife(self) -> FloatArray:
        """(G − 1)/G Σ (d − mean)²."""
        count, first, second, _ = self.sums
        squares = np.maximum(second - first**2 / count, 0.0)
        return np.asarray(squares * ((count - 1) / count))

    def kurtosis(self) -> FloatArray:
        """Of the differences, whose mean is next to zero."""
        count, _, second, fourth = self.sums
        return np.asarray(count * fourth / np.maximum(second**2, 1e-300))


def _without_each(
    clusters: ClusterMoments, estimate: PrecisionEstimate
) -> Iterator[tuple[Units, FloatArray]]:
    """The clusters in turn, and Σ v over the rows of each."""
    n, p = estimate.n_samples, len(estimate.precision)
    left = n - clusters.counts().astype(np.float64)
    if left.min() <= p:
        raise DataError(
            f"clusters: expected more than {p} rows without the largest cluster, got "
            f"{int(left.min())}; test fewer columns, or collect more clusters."
        )
    rows = AllRows.of(estimate)
    root = np.sqrt(estimate.precision.diagonal()) * rows.scale
    B = estimate.residual_map
    for start in range(0, len(left), clusters.step):
        some = slice(start, start + clusters.step)
        mine = clusters.sums_about(estimate.centre, some)
        rest = rows.without(clusters.sums_of(some))
        share = (left[some] - 1) / (n - 1)
        yield Units.of(B.T @ mine.second @ B, inverses(rest), root, share), mine.first @ B


@dataclass(frozen=True, eq=False, slots=True)
class GroupScores:
    """The sums of the score test over clusters, and what bounds its variance from below.

    `precision` is the variance of Θ̂ by the jackknife, in units of Θ_iiΘ_jj.
    """

    sums: ScoreSums
    rows: FloatArray
    precision: FloatArray


def group_scores(clusters: ClusterMoments, estimate: PrecisionEstimate) -> GroupScores:
    """Sums over clusters of powers of P_g + λ_g(D_g − P_g), of e_ie_j − ρ₀(e_i² + e_j²)/2."""
    rho, n = partial_of(estimate), estimate.n_samples
    tau, start = _taus(clusters, estimate), 0
    terms, precision, between = TermSums(len(rho)), Powers(rho.shape), np.zeros(rho.shape)
    for some, sums in _without_each(clusters, estimate):
        stop = start + len(some.share)
        terms.add(*some.terms(rho, n, tau[start:stop]))
        start = stop
        between += sums.T @ sums
        precision.add(some.precision() - unit_precision(rho))
    return GroupScores(
        terms.score_sums(),
        worth_of(clusters.counts().astype(np.float64), rho, between).rows,
        precision.jackknife(),
    )


def _taus(clusters: ClusterMoments, estimate: PrecisionEstimate) -> FloatArray:
    """1/σ² of the errors of each cluster, relative to those of other clusters.

    What matters is their variance where the cluster decides about its own fit: s = Σ vᵀHv/(p Tr
    H(I − H)), 1 on average where all errors have one scale. Rows that are alike make s larger in
    all clusters, so it is taken relative to that of the cluster of the median row, if that is above 1.
    """
    n, p = estimate.n_samples, len(estimate.precision)
    counts = clusters.counts().astype(np.float64)
    root, B = np.sqrt(estimate.precision.diagonal()), estimate.residual_map
    fitted, first, second = np.empty((3, len(counts)))
    for start in range(0, len(counts), clusters.step):
        some = slice(start, start + clusters.step)
        mine = clusters.sums_about(estimate.centre, some)
        mean = counts[some] / n
        sums, right = mine.first @ B, mine.second @ B
        # With C the centred rows of a cluster, H = CΘCᵀ/(n − 1) + 1/n; this is similar to CᵀCΘ.
        hat = root[:, np.newaxis] * right / (n - 1)
        between = (sums * root * mine.first).sum(axis=1) / (n - 1)
        first[some] = np.trace(hat, axis1=1, axis2=2) + mean
        second[some] = np.einsum("gij,gji->g", hat, hat) + (2 / n) * between + mean**2
        fitted[some] = np.einsum("gij,gji->g", B.T @ right, hat) + (sums**2).sum(axis=1) / n
    free = np.maximum(first - second, LEAST)
    scale = (n - p) / (n - 1) / p * fitted / free
    usual = max(_median_row(scale, counts), 1.0)
    # The fit has taken some of the cluster's own scale; of a single row as in `row_tau`.
    return believed_tau((scale / usual - 1) * (first / free) + 1, p)


def _median_row(values: FloatArray, counts: FloatArray) -> float:
    """The value of the cluster that the median row belongs to, when clusters are sorted by value."""
    order = np.argsort(values, kind="stable")
    below = np.cumsum(counts[order])
    return float(values[order[np.searchsorted(below, below[-1] / 2)]])


def group_sandwich(
    clusters: ClusterMoments, estimate: PrecisionEstimate
) -> tuple[Spread, FloatArray]:
    """Standard errors of Θ̂ and of Fisher's z by the delete-one-cluster jackknife, and degrees."""
    rho = partial_of(estimate)
    z, precision = Powers(rho.shape), Powers(rho.shape)
    between, centre = np.zeros(rho.shape), np.arctanh(rho)
    for some, sums in _without_each(clusters, estimate):
        z.add(np.arctanh(some.partial) - centre)
        precision.add(some.precision() - unit_precision(rho))
        between += sums.T @ sums
    worth = worth_of(clusters.counts().astype(np.float64), rho, between)
    spread = floored_spread(estimate, precision.jackknife(), z.jackknife(), rows=worth.rows)
    return spread, worth.degrees


@dataclass(frozen=True, eq=False, slots=True)
class Worth:
    """What the rows and clusters are worth, for each pair.

    `rows` is how many independent rows have a score as uncertain as that of all rows; `degrees` are
    those of freedom of a variance that is estimated from clusters of different length.
    """

    rows: FloatArray
    degrees: FloatArray


def worth_of(counts: FloatArray, rho: FloatArray, between: FloatArray) -> Worth:
    """From the rows of each cluster, and Σ_g (Σ v)(Σ v)ᵀ over the rows of each.

    With unrelated Gaussian residuals of which two in the same cluster have the correlations r_i and
    r_j, the terms Σ e_ie_j of clusters have the variances s_g² = n_g + r_ir_j n_g(n_g − 1), and their
    sum has n²/rows. Where two columns depend on the same other rows, but on some more than on
    others, it is larger: the mean of the products of correlations is then above the product of
    their means. Where traits of subjects are rare, the variance that the clusters show is smaller: it
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

"""Rows that belong together: what every group of rows adds, and estimates without it (`left_out`).

All of it follows from the moments of each group. The sum of residual products that the group is
worth is D_g = e_iᵀ(I − H)⁻¹e_j, H the block of the hat matrix that belongs to the group; D_g² is
too large by the spread of (I − H)⁻¹.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.errors import DataError
from edgewise.estimators.inverse import PrecisionEstimate
from edgewise.inference.spread import Spread, floored_spread
from edgewise.kernels.score_sums import ScoreSums
from edgewise.kernels.score_weight import believed_tau
from edgewise.methods.jackknife import AllRows, inverses
from edgewise.methods.left_out import LEAST, Powers, TermSums, Units, partial_of, unit_precision
from edgewise.states.groups import GroupMoments


def _without_each(
    groups: GroupMoments, estimate: PrecisionEstimate
) -> Iterator[tuple[Units, FloatArray]]:
    """The groups in turn, and Σ v over the rows of each."""
    n, p = estimate.n_samples, len(estimate.precision)
    left = n - groups.counts().astype(np.float64)
    if left.min() <= p:
        raise DataError(
            f"groups: expected more than {p} rows without the largest group, got "
            f"{int(left.min())}; test fewer columns, or collect more groups."
        )
    rows = AllRows.of(estimate)
    root = np.sqrt(estimate.precision.diagonal()) * rows.scale
    B = estimate.residual_map
    for start in range(0, len(left), groups.step):
        some = slice(start, start + groups.step)
        mine = groups.sums_about(estimate.centre, some)
        rest = rows.without(groups.sums_of(some))
        share = (left[some] - 1) / (n - 1)
        yield Units.of(B.T @ mine.second @ B, inverses(rest), root, share), mine.first @ B


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
    rho, n = partial_of(estimate), estimate.n_samples
    tau, start = _taus(groups, estimate), 0
    terms, precision, between = TermSums(len(rho)), Powers(rho.shape), np.zeros(rho.shape)
    for some, sums in _without_each(groups, estimate):
        stop = start + len(some.share)
        terms.add(*some.terms(rho, n, tau[start:stop]))
        start = stop
        between += sums.T @ sums
        precision.add(some.precision() - unit_precision(rho))
    return GroupScores(
        terms.score_sums(),
        worth_of(groups.counts().astype(np.float64), rho, between).rows,
        precision.jackknife(),
    )


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
    free = np.maximum(first - second, LEAST)
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
    rho = partial_of(estimate)
    z, precision = Powers(rho.shape), Powers(rho.shape)
    between, centre = np.zeros(rho.shape), np.arctanh(rho)
    for some, sums in _without_each(groups, estimate):
        z.add(np.arctanh(some.partial) - centre)
        precision.add(some.precision() - unit_precision(rho))
        between += sums.T @ sums
    worth = worth_of(groups.counts().astype(np.float64), rho, between)
    spread = floored_spread(estimate, precision.jackknife(), z.jackknife(), rows=worth.rows)
    return spread, worth.degrees


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

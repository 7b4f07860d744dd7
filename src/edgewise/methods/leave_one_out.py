"""The jackknife: estimates without each unit of rows in turn, be it a batch, a cluster or a row.

Batches give standard errors (`LeftOut`); clusters, and rows that lack values or have weights, give
these (`unit_sandwich`) or the terms of the score test (`unit_scores`). A cluster adds D_g = e_iᵀ(I
− H)⁻¹e_j to Σ e_ie_j, H its block of the hat matrix. A row k adds D_ab = (n/Σw) w (c_ac_b − σ_ab)
to Σ̂_ab if it has both, so Bᵀ(D + wΣ̂)B stands for the products of its residuals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from edgewise._linalg import (
    FloatArray,
    off_diagonal,
    pairs_of,
    symmetric,
    symmetric_inverses,
    upper_pairs,
)
from edgewise._parallel import on_each
from edgewise.errors import DataError
from edgewise.estimate.inverse import PrecisionEstimate, unscaled
from edgewise.estimate.pairwise import NEGATIVE, least_overlap, not_definite
from edgewise.inference.sample import Sample
from edgewise.inference.uncertainty import Spread, degrees_of_freedom, floored_spread
from edgewise.sums.batches import BatchMoments, ClusterMoments
from edgewise.sums.pairwise import (
    PairwiseMoments,
    PairwiseSums,
    PooledPairs,
    covariances_of,
    pairwise_sums,
)
from edgewise.sums.power import PowerSums
from edgewise.sums.score import ScoreSums, believed_tau, score_weight
from edgewise.tables.table import Rows, Sums, weights_of

# Correlation matrices whose smallest eigenvalue may be below this, times p, count as singular.
_SINGULAR = 1e-12
# What is added to the diagonal of those.
_ADDED = 1e-8
# Partial correlations are kept off ±1, where Fisher's z is infinite.
_ALMOST_ONE = 1 - 1e-12
# Numbers worked on at once: they stay in the cache.
_CHUNK = 1 << 17
# From so many columns on, batches are left out on all cores.
_MANY_COLUMNS = 64
# A unit that fits itself entirely has residuals of zero: any weight will do.
_LEAST = 1e-10
# Single rows are left out up to this many, and up to so many products in all; then a few at once.
_MOST_UNITS, _FEWEST_UNITS = 4000, 500
_MOST_PRODUCTS = 2e9
# Numbers of matrices of rows that are worked on at once.
_CHUNK_OF_ROWS = 1 << 16
_LEAST_COMPLEMENT = 0.02

#: Covariances without each unit, in portions of a few units; it can be called again.
Covariances = Callable[[], Iterator[FloatArray]]


def _powers(some: FloatArray) -> FloatArray:
    """How many differences there are along the first axis, and Σd, Σd² and Σd⁴."""
    square = some**2
    count = np.full(some.shape[1:], float(len(some)))
    fourth = np.einsum("k...,k...->...", square, square)
    return np.stack([count, some.sum(axis=0), square.sum(axis=0), fourth])


def jackknife(powers: FloatArray) -> FloatArray:
    """(G − 1)/G Σ (d − mean)², from these sums."""
    count, first, second, _ = powers
    return np.asarray(np.maximum(second - first**2 / count, 0.0) * ((count - 1) / count))


# The covariances without each unit ------------------------------------------------------------


def complete_without(
    estimate: PrecisionEstimate,
) -> tuple[FloatArray, Callable[[PowerSums], FloatArray]]:
    """The columns' deviations, and the covariance without each of some units, in units of these."""
    scale = np.sqrt(estimate.covariance.diagonal())
    unit = 1 / scale / scale[:, np.newaxis]
    scatter = estimate.covariance * unit * (estimate.n_samples - 1)
    centre = estimate.centre

    def without(units: PowerSums) -> FloatArray:
        count = units.n.astype(np.float64)[:, np.newaxis]
        left = estimate.n_samples - count
        a = (centre.origin - units.origin) + (0.0 if centre.offset is None else centre.offset)
        u = (units.first - (count / 2) * a) / scale
        first = (units.first - count * a) / scale
        a /= scale
        # Without the unit the mean moves too.
        shifts = np.stack([a, u, first / -left], axis=2)
        rest: FloatArray = shifts @ np.stack([u, a, first], axis=1)
        rest -= units.second * unit
        rest += scatter
        rest /= (left - 1)[:, :, np.newaxis]
        return rest

    return scale, without


@dataclass(frozen=True, eq=False, slots=True)
class _AllPairs:
    """The same of rows that lack values or have weights, which are divided by their mean."""

    pooled: PooledPairs
    estimate: PrecisionEstimate
    names: Sequence[str]
    scale: FloatArray
    mean_weight: float

    @staticmethod
    def of(pooled: PooledPairs, estimate: PrecisionEstimate, names: Sequence[str]) -> _AllPairs:
        rows, total = pooled.pair_rows.diagonal(), pooled.sums.total[0].diagonal()
        scale = np.sqrt(estimate.covariance.diagonal())
        return _AllPairs(pooled, estimate, names, scale, float(total.sum() / rows.sum()))

    def scaled(self, sums: PairwiseSums) -> PairwiseSums:
        """Sums about the mean of all rows, in units of the deviations and of the mean weight."""
        sums, scale, mean = sums.about(self.estimate.centre), self.scale, self.mean_weight
        return PairwiseSums(
            sums.n,
            sums.origin / scale,
            sums.rows,
            sums.first / scale[:, np.newaxis] / mean,
            sums.second / scale[:, np.newaxis] / scale / mean,
            None if sums.weight is None else sums.weight / mean,
            None if sums.square is None else sums.square / mean**2,
        )

    def without(self, every: PairwiseSums, units: PairwiseSums) -> FloatArray:
        """The covariance without each unit, from scaled sums; these must fit together."""
        rest = covariances_of(
            every.rows - units.rows,
            every.total - units.total,
            every.first - units.first,
            every.second - units.second,
        )
        fit = bool(np.isfinite(rest).all())
        if fit and self.pooled.incomplete:
            try:
                np.linalg.cholesky(rest)
            except np.linalg.LinAlgError:
                # Without the only rows in which it varies, a column is constant: that is no misfit.
                fit = bool((np.linalg.eigvalsh(rest)[:, 0] >= NEGATIVE).all())
        if not fit:
            raise not_definite(self.pooled, self.names, " without some of the rows")
        return rest


def portions(units: int, p: int) -> Iterator[slice]:
    step = max(1, _CHUNK // (p * p))
    for start in range(0, units, step):
        yield slice(start, min(start + step, units))


def _inverses(correlations: FloatArray) -> FloatArray:
    """Inverses of matrices of unit diagonal; a little is added where a column becomes constant."""
    p = correlations.shape[-1]
    inverse, definite = symmetric_inverses(correlations)
    # The largest eigenvalue is at most the trace.
    size = np.where(definite, np.trace(inverse, axis1=1, axis2=2), np.inf)
    singular = ~(size * (_SINGULAR * p) < 1)
    if singular.any():
        inverse[singular] = np.linalg.inv(correlations[singular] + _ADDED * np.eye(p))
    return inverse


# Batches --------------------------------------------------------------------------------------


class LeftOut:
    """How the estimates vary when one batch is left out: jackknife variances of z and of Θ̂."""

    def __init__(
        self,
        covariances: Covariances,
        estimate: PrecisionEstimate,
        scale: FloatArray | float = 1.0,
    ) -> None:
        p = len(estimate.precision)
        self._covariances = covariances
        self._unit = np.sqrt(estimate.precision.diagonal()) * scale
        self._rho = np.clip(pairs_of(estimate.partial_correlation), -_ALMOST_ONE, _ALMOST_ONE)
        sums = np.sum([_powers(np.hstack(changes)) for changes in self._changes()], axis=0)
        self.batches = int(sums[0, 0])
        m, variance = self._rho.size, jackknife(sums)
        self.variance_z = symmetric(variance[:m], p, diagonal=0.0)
        self.variance = symmetric(variance[m : 2 * m], p, diagonal=variance[2 * m :])

    def fisher_z(self) -> FloatArray:
        """z of each pair without each batch, minus their mean; of shape (batches, p(p−1)/2)."""
        return self._about_mean(lambda z, pairs, diagonal: z)

    def precision(self) -> FloatArray:
        return self._about_mean(lambda z, pairs, diagonal: np.hstack([pairs, diagonal]))

    def _about_mean(self, chosen: Callable[..., FloatArray]) -> FloatArray:
        influence = np.concatenate([chosen(*changes) for changes in self._changes()])
        influence -= influence.mean(axis=0)
        return influence

    def _changes(self) -> Iterator[tuple[FloatArray, FloatArray, FloatArray]]:
        """What leaving out each batch changes, a few at a time: z, and the pairs and diagonal of Θ̂."""
        p = len(self._unit)
        i, j = upper_pairs(p)
        unit = self._unit[i] * self._unit[j]

        def change(rest: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
            inverse = _inverses(rest).reshape(len(rest), p * p)
            diagonal = inverse[:, :: p + 1]
            root = np.sqrt(diagonal)
            pairs = inverse.take(i * p + j, axis=1)
            rho = root.take(i, axis=1)
            rho *= root.take(j, axis=1)
            np.divide(pairs, rho, out=rho)
            np.negative(rho, out=rho)
            np.clip(rho, -_ALMOST_ONE, _ALMOST_ONE, out=rho)
            pairs /= unit
            pairs += self._rho
            # atanh ρ − atanh of ρ̂, without digits that cancel.
            ratio = (rho - self._rho) / (1 - rho * self._rho)
            z = np.arctanh(np.clip(ratio, -_ALMOST_ONE, _ALMOST_ONE))
            return z, pairs, diagonal / self._unit**2 - 1

        # Small matrices take less time than handing them to other threads.
        return (on_each if p >= _MANY_COLUMNS else map)(change, self._covariances())


def left_out_batches(state: BatchMoments, estimate: PrecisionEstimate) -> LeftOut:
    counts, n, p = state.batch_counts(), estimate.n_samples, len(estimate.precision)
    left = n - counts.max()
    if left <= p:
        raise DataError(
            f"n_batches: expected more than {p} rows without any one batch, got {left}; use more "
            "batches, or collect more rows."
        )
    scale, without = complete_without(estimate)

    def covariances() -> Iterator[FloatArray]:
        for sums in state._parts():
            for some in portions(len(sums), p):
                yield without(sums[some])

    return LeftOut(covariances, estimate, scale)


def left_out_pairwise_batches(
    state: PairwiseMoments, estimate: PrecisionEstimate, names: Sequence[str]
) -> tuple[LeftOut, FloatArray]:
    """The same of rows that lack values or have weights, and degrees of freedom."""
    pooled, p = state.pooled(), len(estimate.precision)
    whole = _AllPairs.of(pooled, estimate, names)
    every, sums = whole.scaled(pooled.sums), whole.scaled(state._closed())
    left = every.rows - sums.rows
    if left.min() <= p:
        raise DataError(
            f"n_batches: expected more than {p} rows with both columns of a pair without any one "
            f"batch, got {int(left.min())}; use more batches. The pairs with least overlap are "
            f"{least_overlap(pooled, names)}."
        )

    def covariances() -> Iterator[FloatArray]:
        for some in portions(len(sums), p):
            yield whole.without(every, sums[some])

    return LeftOut(covariances, estimate, whole.scale), _degrees(every, sums, whole)


def _degrees(every: PairwiseSums, sums: PairwiseSums, whole: _AllPairs) -> FloatArray:
    """Degrees of freedom, (Σ_b)²/Σ_b² − 1 (Satterthwaite), where some batches have little of a
    pair.

    Batch b adds to Var Θ̂_ij in proportion to Σ_ab θ_ia²θ_jb² v, v = Σ w²/N_ab² over its rows with
    both.
    """
    theta = whole.estimate.precision * whole.scale * whole.scale[:, np.newaxis]
    squares = theta**2
    first, second = np.zeros((2, *theta.shape))
    for some in portions(len(sums), len(theta)):
        share = squares @ (sums[some].total_square / every.total**2) @ squares
        first += share.sum(axis=0)
        second += (share**2).sum(axis=0)
    return np.asarray(np.maximum(first**2 / second - 1, 1.0))


# Clusters, and rows that lack values or have weights ------------------------------------------


class _Units:
    """Some of the units: what they add, and the estimate without each, as upper triangles.

    `scatter` are the products of residuals and `own` their squares; `rho` the partial correlations
    without the unit (0 on the diagonal), `ratio` is √(Θ_ii without it / Θ̂_ii), and `share` the rows
    that are left, minus 1, over n − 1. `tau` is 1/σ² of the errors of each, `between` is Σ v over its rows; `root`
    are the roots of the diagonal of Θ̂, and `rest` the covariances without each unit.
    """

    def __init__(
        self,
        scatter: FloatArray,
        rest: FloatArray,
        root: FloatArray,
        share: FloatArray,
        tau: FloatArray,
        between: FloatArray,
    ) -> None:
        self.share, self.tau, self.between = share[:, np.newaxis], tau[:, np.newaxis], between
        k, p = len(scatter), len(root)
        i, j = np.triu_indices(p)
        inverse = _inverses(rest).reshape(k, p * p)
        deviation = np.sqrt(inverse[:, :: p + 1])
        rho = inverse.take(i * p + j, axis=1)
        rho /= -_products(deviation)
        rho[:, i == j] = 0.0
        self.rho = np.clip(rho, -_ALMOST_ONE, _ALMOST_ONE, out=rho)
        self.ratio = deviation / root
        self.scatter = scatter.reshape(k, p * p).take(i * p + j, axis=1)
        self.own = scatter.reshape(k, p * p)[:, :: p + 1]

    def precision(self) -> FloatArray:
        """Θ without each unit, in units of √(Θ̂_iiΘ̂_jj)."""
        i, j = np.triu_indices(self.ratio.shape[1])
        return np.where(i == j, 1.0, -self.rho) * _products(self.ratio)

    def terms(self, rho: FloatArray, n: int) -> tuple[FloatArray, FloatArray]:
        """P + λ(D − P) for the products e_ie_j, and for e_i² + e_j²; e has mean square one."""
        left = (1 - rho) * (1 + rho)
        ends = _sums(self.own)
        unit = n / (n - 1) / left
        plain = (unit * (1 + rho**2)) * self.scatter + (unit * rho) * ends
        plain_ends = (unit * (1 + rho**2)) * ends + (4 * unit * rho) * self.scatter
        # The residual products of two variables are the inverse of their block of Θ.
        without = self.share * left / ((1 - self.rho) * (1 + self.rho))
        inverse = 1 / self.ratio
        lost = n * (rho - without * self.rho * _products(inverse))
        lost_ends = n * (2 - without * _sums(inverse**2))
        # 1 − h of a single row; of several, as their squared residuals weigh it.
        kept = np.clip(plain_ends / np.maximum(lost_ends, _LEAST * n), _LEAST, 1.0)
        # λ with 1 + λ(1/(1−h) − 1) = √w, the root of a row's weight w(1−h, τ) in the score test:
        # (1/root − 1)(1−h)/h, without the difference.
        root = 1 / np.sqrt(score_weight(kept, self.tau))
        part = kept * (1 + kept - self.tau * kept) / (root * (1 + root))
        return plain + part * (lost - plain), plain_ends + part * (lost_ends - plain_ends)


def _products(values: FloatArray) -> FloatArray:
    """v_iv_j of the upper triangle, for each row of values."""
    i, j = np.triu_indices(values.shape[1])
    return values.take(i, axis=1) * values.take(j, axis=1)


def _sums(values: FloatArray) -> FloatArray:
    i, j = np.triu_indices(values.shape[1])
    return values.take(i, axis=1) + values.take(j, axis=1)


def _rho_of(estimate: PrecisionEstimate) -> FloatArray:
    rho = np.where(off_diagonal(len(estimate.precision)), estimate.partial_correlation, 0.0)
    return np.clip(rho, -_ALMOST_ONE, _ALMOST_ONE)


def _totals(units: Iterator[_Units], estimate: PrecisionEstimate, *, scores: bool) -> Sums:
    """Powers of the terms P of the score test (Σ P², Σ PE, ¼Σ E², Σ P⁴, Σ P⁶; E the ends) or of z;
    those of Θ̂; and Σ (Σ v)(Σ v)ᵀ.
    """
    p = len(estimate.precision)
    i, j = np.triu_indices(p)
    rho = _rho_of(estimate)[i, j]
    whole, centre = (i == j) - rho, np.arctanh(rho)
    terms, between = np.zeros((5, rho.size)), np.zeros((p, p))
    z, precision = np.zeros((2, 4, rho.size))
    sizes = np.zeros(2)
    pairs = p * (p - 1) / 2
    disjoint = pairs * max((p - 2) * (p - 3) / 2, 1.0)
    for some in units:
        precision += _powers(some.precision() - whole)
        between += some.between.T @ some.between
        if not scores:
            change = np.arctanh(some.rho) - centre
            z += _powers(change)
            square = change**2
            table = np.zeros((len(square), p, p))
            table[:, i, j] = square
            total, of_columns = square.sum(axis=1), table.sum(axis=1) + table.sum(axis=2)
            apart = total**2 - (of_columns**2).sum(axis=1) + (square**2).sum(axis=1)
            sizes += total.sum() / pairs, apart.sum() / disjoint
            continue
        product, ends = some.terms(rho, estimate.n_samples)
        power = product**2
        terms[0] += power.sum(axis=0)
        terms[1] += np.einsum("ki,ki->i", product, ends)
        terms[2] += np.einsum("ki,ki->i", ends, ends) / 4
        terms[3] += np.einsum("ki,ki->i", power, power)
        terms[4] += (power**3).sum(axis=0)
    first, second = (
        np.array([symmetric(own, p) for own in sums])
        for sums in (terms if scores else z, precision)
    )
    return first, second, between, sizes


class UnitScores(NamedTuple):
    """Score sums over units, effective `rows`, and the jackknife variance of Θ̂ over Θ_iiΘ_jj."""

    units: int
    sums: ScoreSums
    rows: FloatArray
    precision: FloatArray


def unit_scores(sample: Sample, estimate: PrecisionEstimate) -> UnitScores:
    """The score test of clusters, or of rows that lack values or have weights."""
    terms, precision, rows, _ = _unit_sums(sample, estimate, scores=True)
    second, cross, ends, fourth, sixth = terms
    size, nothing = np.maximum(second, 1e-300), np.zeros_like(second)
    sums = ScoreSums(second, cross, ends, fourth / size**2, sixth / size**3, nothing)
    return UnitScores(int(precision[0].flat[0]), sums, rows, jackknife(precision))


def unit_sandwich(sample: Sample, estimate: PrecisionEstimate) -> tuple[Spread, FloatArray]:
    """Standard errors of Θ̂ and of Fisher's z by the same jackknife, and degrees of freedom."""
    z, precision, rows, degrees = _unit_sums(sample, estimate, scores=False)
    spread = floored_spread(estimate, jackknife(precision), jackknife(z), rows=rows)
    count, _, second, fourth = z  # differences whose mean is next to zero
    kurtosis = count * fourth / np.maximum(second**2, 1e-300)
    found = degrees_of_freedom(int(count.flat[0]), kurtosis)
    if degrees is None:
        return spread, found
    usual, shared = degrees
    return spread, np.minimum(usual, np.maximum(found, shared))


def _unit_sums(
    sample: Sample, estimate: PrecisionEstimate, *, scores: bool
) -> tuple[FloatArray, FloatArray, FloatArray, tuple[FloatArray, float] | None]:
    """Of `_totals` the first two; the effective rows of each pair; and for clusters degrees of
    freedom, where clusters have one scale, and where they have scales of their own.
    """
    if sample.clusters is not None:
        units = _clusters(sample.clusters, estimate, scores)
        terms, precision, between, (first, second) = _totals(units, estimate, scores=scores)
        counts = sample.clusters.counts().astype(np.float64)
        rows, degrees = _effective_rows_of_clusters(counts, _rho_of(estimate), between)
        # A scale of its own makes all terms of a cluster large, also those of pairs that are not
        # related; a term that is large by itself takes no degrees of freedom.
        shared = max(first**2 / second, 1.0) if second > 0 else math.inf
        return terms, precision, rows, (degrees, shared)
    pooled: Any = sample.pairwise
    whole = _AllPairs.of(pooled, estimate, sample.feature_names)
    terms, precision, *_ = sample.scan(partial(_row_totals, whole=whole, scores=scores))
    return terms, precision, pooled.effective_rows, None


def _clusters(
    clusters: ClusterMoments, estimate: PrecisionEstimate, scores: bool
) -> Iterator[_Units]:
    n, p = estimate.n_samples, len(estimate.precision)
    counts = clusters.counts().astype(np.float64)
    left = n - counts
    if left.min() <= p:
        raise DataError(
            f"clusters: expected more than {p} rows without the largest cluster, got "
            f"{int(left.min())}; test fewer columns, or collect more clusters."
        )
    scale, without = complete_without(estimate)
    tau = _taus(clusters, estimate) if scores else counts
    root = np.sqrt(estimate.precision.diagonal()) * scale
    B = estimate.residual_map
    for start in range(0, len(left), clusters.step):
        some = slice(start, start + clusters.step)
        mine = clusters.sums_of(some).about(estimate.centre)
        rest = without(clusters.sums_of(some))
        share = (left[some] - 1) / (n - 1)
        yield _Units(B.T @ mine.second @ B, rest, root, share, tau[some], mine.first @ B)


def _taus(clusters: ClusterMoments, estimate: PrecisionEstimate) -> FloatArray:
    """1/σ² of the errors of each cluster, relative to that of the median row's, if above 1.

    Their variance where the cluster decides about its own fit is s = Σ vᵀHv/(p Tr H(I − H)).
    """
    n, p = estimate.n_samples, len(estimate.precision)
    counts = clusters.counts().astype(np.float64)
    root, B = np.sqrt(estimate.precision.diagonal()), estimate.residual_map
    fitted, first, second = np.empty((3, len(counts)))
    for start in range(0, len(counts), clusters.step):
        some = slice(start, start + clusters.step)
        mine = clusters.sums_of(some).about(estimate.centre)
        mean = counts[some] / n
        sums, right = mine.first @ B, mine.second @ B
        # With C the centred rows of a cluster, H = CΘCᵀ/(n − 1) + 1/n; this is similar to CᵀCΘ.
        hat = root[:, np.newaxis] * right / (n - 1)
        between = (sums * root * mine.first).sum(axis=1) / (n - 1)
        first[some] = np.trace(hat, axis1=1, axis2=2) + mean
        second[some] = np.einsum("gij,gji->g", hat, hat) + (2 / n) * between + mean**2
        fitted[some] = np.einsum("gij,gji->g", B.T @ right, hat) + (sums**2).sum(axis=1) / n
    free = np.maximum(first - second, _LEAST)
    scale = (n - p) / (n - 1) / p * fitted / free
    # The value of the cluster that the median row belongs to, when clusters are sorted by value.
    order = np.argsort(scale, kind="stable")
    below = np.cumsum(counts[order])
    usual = max(float(scale[order[np.searchsorted(below, below[-1] / 2)]]), 1.0)
    # The fit has taken some of the cluster's own scale; of a single row as in `row_tau`.
    return believed_tau((scale / usual - 1) * (first / free) + 1, p)


def _effective_rows_of_clusters(
    counts: FloatArray, rho: FloatArray, between: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """How many independent rows have a score as uncertain as that of all rows, and degrees.

    Two rows of a cluster have residuals with correlations r_i and r_j, found from Σ_g (Σ v)(Σ v)ᵀ:
    the terms of clusters have variances s_g² = n_g + r_ir_j n_g(n_g − 1), and their sum n²/rows.
    Degrees are (Σ s_g²)²/Σ s_g⁴ (Satterthwaite), at most G − 1.
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
    return n * n / variance, np.maximum(degrees, 1.0)


def _row_totals(batches: Iterator[Rows], whole: _AllPairs, scores: bool) -> Sums:
    work = partial(_without_rows, whole=whole, every=whole.scaled(whole.pooled.sums))
    units = on_each(work, _units_of_rows(batches, whole))
    return _totals(units, whole.estimate, scores=scores)


def _units_of_rows(batches: Iterator[Rows], whole: _AllPairs) -> Iterator[PairwiseSums]:
    n, p = whole.pooled.n_samples, len(whole.scale)
    length = -(-n // min(_MOST_UNITS, max(_FEWEST_UNITS, int(_MOST_PRODUCTS / p**3))))
    step = max(1, _CHUNK_OF_ROWS // (p * p)) * length
    for batch in batches:
        for start in range(0, batch.shape[0], step):
            block = batch[start : start + step]
            rows, weights = np.asarray(block, dtype=np.float64), weights_of(block)
            even = len(rows) // length * length
            for part, unit in ((slice(0, even), length), (slice(even, None), len(rows) - even)):
                if len(rows[part]):
                    own = None if weights is None else weights[part]
                    yield whole.scaled(pairwise_sums(rows[part], own, unit))


def _without_rows(some: PairwiseSums, whole: _AllPairs, every: PairwiseSums) -> _Units:
    estimate, n, p = whole.estimate, whole.estimate.n_samples, len(whole.scale)
    correlation = unscaled(estimate.covariance, whole.scale)
    B = estimate.residual_map * whole.scale[:, np.newaxis]
    root = np.sqrt(estimate.precision.diagonal()) * whole.scale
    # Σw of the rows of each unit, also where they lack values: from the columns that they have.
    rows = np.diagonal(some.rows, axis1=1, axis2=2).sum(axis=1)
    total = np.diagonal(some.total, axis1=1, axis2=2).sum(axis=1)
    mean_weight = np.where(rows > 0, total / np.maximum(rows, 1), 1.0)
    weight = np.maximum(some.n * mean_weight, 1e-12)
    mean = every.first / every.total  # of the rows that have both, about the mean of all
    back = np.swapaxes(mean, -1, -2)
    centred = some.second - some.first * back - np.swapaxes(some.first, -1, -2) * mean
    centred += some.total * (mean * back - correlation)
    added = centred * (n / every.total) + weight[:, np.newaxis, np.newaxis] * correlation
    scatter = B.T @ added @ B
    share = np.maximum((n - weight - 1) / (n - 1), 1 / n)
    # The leverage of a row, and its mean square residual, as in the plain score test.
    own = np.diagonal(scatter, axis1=1, axis2=2) / weight[:, np.newaxis]
    hat = np.einsum("ij,kji->k", (B * root).T, added) / (n - 1) + weight / n
    kept = np.clip(1 - hat / some.n, _LEAST_COMPLEMENT, 1.0)
    variance = (n - p) / (n - 1) / p * own.sum(axis=1)
    tau = believed_tau(((variance / kept) - 1) / kept + 1, p)
    rest = whole.without(every, some)
    return _Units(scatter, rest, root, share, tau, np.zeros((0, p)))

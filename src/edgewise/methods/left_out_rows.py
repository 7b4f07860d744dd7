"""Rows that lack values or count differently: what every row adds, and estimates without it.

Each entry of Σ̂ comes from the rows that have both columns. What row k adds to Σ̂_ab is
D_ab = (n/Σw) w (c_ac_b − σ_ab) if it has both, or else nothing; so Bᵀ(D + wΣ̂)B stands for the
products of its residuals. That is O(p³) for a row, as is Θ̂ without it. With many rows, a few that
follow each other are left out together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from edgewise._linalg import FloatArray
from edgewise._parallel import on_each
from edgewise.errors import DataError
from edgewise.estimate.inverse import PrecisionEstimate, unscaled
from edgewise.estimate.pairwise import NEGATIVE, least_overlap, not_definite
from edgewise.inference.references import degrees_of_freedom
from edgewise.inference.sample import Sample
from edgewise.inference.uncertainty import Spread, floored_spread
from edgewise.methods.jackknife import LeftOut, inverses, portions, variation
from edgewise.methods.left_out_clusters import Powers, TermSums, Units, partial_of, unit_precision
from edgewise.sums.pairwise import (
    PairwiseMoments,
    PairwiseSums,
    PooledPairs,
    covariances_of,
    pairwise_sums,
)
from edgewise.sums.score import believed_tau
from edgewise.tables.table import Rows, Sums, weights_of

# Single rows are left out up to this many, and up to so many products in all; then a few at once.
_MOST_UNITS, _FEWEST_UNITS = 4000, 500
_MOST_PRODUCTS = 2e9
# Numbers worked on at once: matrices of p × p.
_CHUNK = 1 << 18
_LEAST_COMPLEMENT = 0.02


@dataclass(frozen=True, eq=False, slots=True)
class LeftOutRows:
    """Sums over units of rows, and how many units there are."""

    terms: TermSums
    fisher_z: Powers
    precision: Powers

    @property
    def units(self) -> int:
        return int(self.precision.sums[0, 0, 0])


def left_out_rows(evidence: Sample, estimate: PrecisionEstimate) -> LeftOutRows:
    """One pass over the rows: what each of them adds, and estimates without it."""
    pooled = evidence.pairwise
    if pooled is None:
        raise TypeError("evidence: expected rows that lack values or count differently")
    p = len(estimate.precision)
    one_pass = partial(_left_out, whole=_Whole.of(pooled, estimate), names=evidence.feature_names)
    terms, fisher_z, precision = evidence.scan(one_pass)
    return LeftOutRows(TermSums(p, terms), Powers((p, p), fisher_z), Powers((p, p), precision))


def row_sandwich(evidence: Sample, estimate: PrecisionEstimate) -> tuple[Spread, FloatArray]:
    """Standard errors of Θ̂ and of Fisher's z by the delete-one-row jackknife, and degrees."""
    found = left_out_rows(evidence, estimate)
    worth = None if evidence.pairwise is None else evidence.pairwise.worth
    spread = floored_spread(
        estimate, found.precision.jackknife(), found.fisher_z.jackknife(), rows=worth
    )
    return spread, degrees_of_freedom(found.units, found.fisher_z.kurtosis())


@dataclass(frozen=True, eq=False, slots=True)
class _Whole:
    """The sums of all rows about the mean, in units of the columns' deviations; weights average 1.

    `pooled` are the sums in their own units, for messages.
    """

    pooled: PooledPairs
    estimate: PrecisionEstimate
    sums: PairwiseSums
    scale: FloatArray
    mean_weight: float

    @staticmethod
    def of(pooled: PooledPairs, estimate: PrecisionEstimate) -> _Whole:
        scale = np.sqrt(estimate.covariance.diagonal())
        rows, total = pooled.pair_rows.diagonal(), pooled.sums.total[0].diagonal()
        mean_weight = float(total.sum() / rows.sum())
        sums = scaled(about(pooled.sums, estimate), scale, mean_weight)
        return _Whole(pooled, estimate, sums, scale, mean_weight)

    @property
    def rows_per_unit(self) -> int:
        n, p = self.pooled.n_samples, len(self.scale)
        most = min(_MOST_UNITS, max(_FEWEST_UNITS, int(_MOST_PRODUCTS / p**3)))
        return -(-n // most)


def about(sums: PairwiseSums, estimate: PrecisionEstimate) -> PairwiseSums:
    """Sums about the mean of all rows."""
    centre = estimate.centre
    return sums.moved(centre.origin, 0.0 if centre.offset is None else centre.offset)


def scaled(sums: PairwiseSums, scale: FloatArray, mean_weight: float = 1.0) -> PairwiseSums:
    """Sums of columns divided by their scale, with weights divided by their mean."""
    weighted = sums.weight is not None and sums.square is not None
    return PairwiseSums(
        sums.n,
        sums.origin / scale,
        sums.rows,
        sums.first / scale[:, np.newaxis] / mean_weight,
        sums.second / scale[:, np.newaxis] / scale / mean_weight,
        sums.total / mean_weight if weighted else None,
        sums.total_square / mean_weight**2 if weighted else None,
    )


def _left_out(batches: Iterator[Rows], whole: _Whole, names: Sequence[str]) -> Sums:
    estimate, p = whole.estimate, len(whole.scale)
    rho = partial_of(estimate)
    z, unit = np.arctanh(rho), unit_precision(rho)
    terms, fisher_z, precision = TermSums(p), Powers((p, p)), Powers((p, p))
    work = partial(_without, whole=whole, names=names)
    for some, tau in on_each(work, _units(batches, whole)):
        terms.add(*some.terms(rho, estimate.n_samples, tau))
        fisher_z.add(np.arctanh(some.partial) - z)
        precision.add(some.precision() - unit)
    return terms.sums, fisher_z.sums, precision.sums


def _units(batches: Iterator[Rows], whole: _Whole) -> Iterator[PairwiseSums]:
    """The sums of units of rows, some at a time."""
    length, p = whole.rows_per_unit, len(whole.scale)
    step = max(1, _CHUNK // (p * p)) * length
    for batch in batches:
        for start in range(0, batch.shape[0], step):
            block = batch[start : start + step]
            rows, weights = np.asarray(block, dtype=np.float64), weights_of(block)
            even = len(rows) // length * length
            for part, unit in ((slice(0, even), length), (slice(even, None), len(rows) - even)):
                if len(rows[part]):
                    own = None if weights is None else weights[part]
                    sums = about(pairwise_sums(rows[part], own, unit), whole.estimate)
                    yield scaled(sums, whole.scale, whole.mean_weight)


def _without(some: PairwiseSums, whole: _Whole, names: Sequence[str]) -> tuple[Units, FloatArray]:
    """What some units add, the estimates without each, and 1/σ² of their errors."""
    estimate, n, p = whole.estimate, whole.estimate.n_samples, len(whole.scale)
    correlation = unscaled(estimate.covariance, whole.scale)
    B = estimate.residual_map * whole.scale[:, np.newaxis]
    root = np.sqrt(estimate.precision.diagonal()) * whole.scale
    every = whole.sums
    weight = _mean_weights(some, whole)
    mean = every.first / every.total  # of the rows that have both, about the mean of all
    back = np.swapaxes(mean, -1, -2)
    centred = some.second - some.first * back - np.swapaxes(some.first, -1, -2) * mean
    centred += some.total * (mean * back - correlation)
    added = centred * (n / every.total) + weight[:, np.newaxis, np.newaxis] * correlation
    rest = _rest(some, whole, names)
    scatter = B.T @ added @ B
    share = np.maximum((n - weight - 1) / (n - 1), 1 / n)
    units = Units.of(scatter, inverses(rest), root, share)
    # The leverage of a row, and its mean square residual, as in the plain score test.
    own = np.diagonal(scatter, axis1=1, axis2=2) / weight[:, np.newaxis]
    hat = np.einsum("ij,kji->k", (B * root).T, added) / (n - 1) + weight / n
    kept = np.clip(1 - hat / some.n, _LEAST_COMPLEMENT, 1.0)
    variance = (n - p) / (n - 1) / p * own.sum(axis=1)
    return units, believed_tau(((variance / kept) - 1) / kept + 1, p)


def _mean_weights(some: PairwiseSums, whole: _Whole) -> FloatArray:
    """Σw of the rows of each unit, also where they lack values: from the columns that they have."""
    rows = np.diagonal(some.rows, axis1=1, axis2=2).sum(axis=1)
    total = np.diagonal(some.total, axis1=1, axis2=2).sum(axis=1)
    mean = np.where(rows > 0, total / np.maximum(rows, 1), 1.0)
    return np.asarray(np.maximum(some.n * mean, 1e-12))


def check_each_definite(
    correlations: FloatArray, pooled: PooledPairs, names: Sequence[str]
) -> None:
    """Refuse rows without some of which the covariances do not fit together."""
    fit = bool(np.isfinite(correlations).all())
    if fit and pooled.incomplete:
        try:
            np.linalg.cholesky(correlations)
        except np.linalg.LinAlgError:
            # Without the only rows in which it varies, a column is constant; that is no misfit.
            fit = bool((np.linalg.eigvalsh(correlations)[:, 0] >= NEGATIVE).all())
    if not fit:
        raise not_definite(pooled, names, " without some of the rows")


def left_out_batches(
    state: PairwiseMoments, estimate: PrecisionEstimate, names: Sequence[str]
) -> tuple[LeftOut, FloatArray]:
    """How the estimates vary when one batch of such rows is left out, and degrees of freedom."""
    pooled, p = state.pooled(), len(estimate.precision)
    whole = _Whole.of(pooled, estimate)
    sums = scaled(state.sums_about(estimate.centre), whole.scale, whole.mean_weight)
    batches = len(sums)
    if batches < 2:
        raise DataError(
            f"n_batches: expected at least 2 batches of rows, got {batches} of "
            f"{estimate.n_samples} rows; collect more rows."
        )
    left = whole.sums.rows - sums.rows
    if left.min() <= p:
        raise DataError(
            f"n_batches: expected more than {p} rows with both columns of a pair without any one "
            f"batch, got {int(left.min())}; use more batches. The pairs with least overlap are "
            f"{least_overlap(pooled, names)}."
        )
    rest = partial(_each_rest, sums, whole, names)
    return variation(rest, estimate, whole.scale), _degrees(sums, whole)


def _each_rest(sums: PairwiseSums, whole: _Whole, names: Sequence[str]) -> Iterator[FloatArray]:
    for some in portions(len(sums), len(whole.scale)):
        yield _rest(sums[some], whole, names)


def _degrees(sums: PairwiseSums, whole: _Whole) -> FloatArray:
    """Degrees of freedom of a variance from batches of which some have little of a pair.

    Batch b adds to the variance of Σ̂_ab in proportion to v = Σ w²/N_ab² over its rows that have
    both, and to that of Θ̂_ij in proportion to Σ_ab θ_ia²θ_jb² v. If all of it comes from a few
    batches, so do the degrees of freedom: (Σ_b)²/Σ_b² − 1 (Satterthwaite), K − 1 for equal batches.
    """
    theta = whole.estimate.precision * whole.scale * whole.scale[:, np.newaxis]
    squares = theta**2
    first, second = np.zeros((2, *theta.shape))
    for some in portions(len(sums), len(theta)):
        share = squares @ (sums[some].total_square / whole.sums.total**2) @ squares
        first += share.sum(axis=0)
        second += (share**2).sum(axis=0)
    return np.asarray(np.maximum(first**2 / second - 1, 1.0))


def _rest(some: PairwiseSums, whole: _Whole, names: Sequence[str]) -> FloatArray:
    """The covariances without each batch, in units of the deviations of all rows."""
    every = whole.sums
    rest = covariances_of(
        every.rows - some.rows,
        every.total - some.total,
        every.first - some.first,
        every.second - some.second,
    )
    check_each_definite(rest, whole.pooled, names)
    return rest

"""Θ̂ and partial correlations from regressions on few columns, also with more columns than rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from edgewise._base.checks import check_wide_shape
from edgewise._base.matrices import symmetric
from edgewise._base.types import FloatArray
from edgewise.estimators.columns_at_fault import (
    COLLINEAR,
    raise_for_scale,
    raise_if_collinear,
    raise_if_duplicated,
    raise_if_not_measurable,
)
from edgewise.estimators.inverse import PrecisionEstimate, SampleMoments, unscaled
from edgewise.estimators.neighbours import Neighbours, chosen_neighbours, universal_penalty
from edgewise.kernels.pair_sets import Pairs, PairSets, regressed
from edgewise.rows.glance import Glance

#: Of all rows, one in so many may be spent on the neighbours of a column.
ROWS_PER_NEIGHBOUR = 8


@dataclass(frozen=True, eq=False, slots=True)
class NodewiseEstimate:
    """The estimate, the chosen neighbours, and what a second pass over the rows needs.

    Attributes
    ----------
    estimate : PrecisionEstimate
        Each ρ̂_ij is that given S_ij; Θ̂_ii is one over the variance that the neighbours leave, and
        Θ̂_ij = −ρ̂_ij√(Θ̂_iiΘ̂_jj). Such a Θ̂ need not be positive definite.
    neighbours : Neighbours
        A_i.
    sets : PairSets
        S_ij.
    correlation : ndarray of shape (p, p)
        Of all columns.
    scale : ndarray of shape (p,)
        The roots of the mean squares of the centred columns.
    """

    estimate: PrecisionEstimate
    neighbours: Neighbours
    sets: PairSets
    correlation: FloatArray
    scale: FloatArray


def nodewise_estimate(
    moments: SampleMoments,
    feature_names: Sequence[str],
    glance: Glance | None = None,
    *,
    penalty: float,
    most: int | None = None,
) -> NodewiseEstimate:
    """Choose the neighbours, then regress each column and each pair on what was chosen.

    Parameters
    ----------
    moments : SampleMoments
        Mean and covariance.
    feature_names : sequence of str
        The columns, for messages.
    glance : Glance, optional
        Tells columns of tiny values from constant ones.
    penalty : float
        λ of the scaled lasso, in units of √(2 log(p/√n)/n).
    most : int, optional
        The most neighbours that a column keeps; by default n/8.
    """
    check_wide_shape(moments.n_samples, moments.n_features or 0)
    n, covariance = moments.n_samples, moments.covariance()
    raise_if_not_measurable(covariance, moments.mean(), feature_names, glance)
    deviation = np.sqrt(covariance.diagonal())
    correlation = unscaled(covariance, deviation)
    np.fill_diagonal(correlation, 1.0)
    raise_if_duplicated(correlation, feature_names)
    p = len(correlation)
    most = max(n // ROWS_PER_NEIGHBOUR, 1) if most is None else most
    neighbours = chosen_neighbours(correlation, penalty * universal_penalty(n, p), most)
    residual_map = _residual_map(correlation, neighbours, n, feature_names)
    sets = PairSets.of(neighbours.of)
    partial = _partial_correlations(correlation, sets, feature_names)
    root = residual_map.diagonal() / deviation
    with np.errstate(over="ignore"):
        precision = -partial * root * root[:, np.newaxis]
        np.fill_diagonal(precision, root**2)
    if not np.isfinite(precision).all():
        raise_for_scale(feature_names[int(np.argmax(root))], small=True)
    estimate = PrecisionEstimate(
        n_samples=n,
        centre=moments.centre(),
        covariance=covariance,
        precision=precision,
        partial_correlation=partial,
        residual_map=residual_map / deviation[:, np.newaxis],
    )
    scale = deviation * np.sqrt((n - 1) / n)
    return NodewiseEstimate(estimate, neighbours, sets, correlation, scale)


def _residual_map(
    correlation: FloatArray, neighbours: Neighbours, n: int, names: Sequence[str]
) -> FloatArray:
    """B with v = Bᵀx for x in standard units: the residuals given A_i, scaled to unit variance."""
    made = np.zeros_like(correlation)
    for i, own in enumerate(neighbours.of):
        weights = np.linalg.lstsq(correlation[np.ix_(own, own)], correlation[own, i])[0]
        left = 1 - float(weights @ correlation[own, i])
        if left <= COLLINEAR * (len(own) + 1):
            _raise_for_dependent(correlation, [*own.tolist(), i], names)
        # Degrees of freedom: the mean, and the neighbours.
        unit = np.sqrt(left * (n - 1) / (n - 1 - len(own)))
        made[i, i], made[own, i] = 1 / unit, -weights / unit
    return made


def _partial_correlations(
    correlation: FloatArray, sets: PairSets, names: Sequence[str]
) -> FloatArray:
    p = len(correlation)
    found = np.empty(p * (p - 1) // 2)
    for portion in sets.portions():
        pairs = sets.pairs(portion)
        fit = regressed(correlation, pairs)
        _refuse_determined(fit.variance, pairs, correlation, names)
        found[portion.places] = fit.correlation
    return symmetric(np.clip(found, -1.0, 1.0), p, diagonal=1.0)


def _refuse_determined(
    variance: FloatArray, pairs: Pairs, correlation: FloatArray, names: Sequence[str]
) -> None:
    """Refuse a column that the chosen ones of a pair determine."""
    least = COLLINEAR * (pairs.given.shape[1] + 1)
    if (variance > least).all():
        return
    row, side = np.argwhere(~(variance > least))[0]
    column = int((pairs.i, pairs.j)[side][row])
    _raise_for_dependent(correlation, [*pairs.given[row].tolist(), column], names)


def _raise_for_dependent(
    correlation: FloatArray, columns: Sequence[int], names: Sequence[str]
) -> None:
    chosen = correlation[np.ix_(columns, columns)]
    raise_if_collinear(chosen, np.ones(len(columns)), [names[column] for column in columns])

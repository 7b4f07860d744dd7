"""Θ̂ and partial correlations from regressions on few columns, also with more columns than rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from edgewise._base.blas import one_blas_thread
from edgewise._base.checks import check_wide_shape
from edgewise._base.matrices import COLLINEAR, symmetric
from edgewise._base.types import FloatArray
from edgewise.errors import ParameterError
from edgewise.estimators.columns_at_fault import (
    raise_for_dependent,
    raise_for_scale,
    raise_if_duplicated,
    raise_if_not_measurable,
)
from edgewise.estimators.inverse import PrecisionEstimate, SampleMoments, unscaled
from edgewise.estimators.neighbours import Neighbours, chosen_neighbours, universal_penalty
from edgewise.kernels.pair_sets import PairSets, Portion, regressed
from edgewise.rows.glance import Glance

_ROWS_PER_NEIGHBOUR = 8


@dataclass(frozen=True, eq=False, slots=True)
class NodewiseFit:
    """The chosen neighbours, the regressions on them, and what those of the pairs need.

    Attributes
    ----------
    moments : SampleMoments
        Mean and covariance.
    neighbours : Neighbours
        A_i.
    sets : PairSets
        S_ij.
    correlation : ndarray of shape (p, p)
        Of all columns.
    deviation : ndarray of shape (p,)
        The standard deviations of the columns.
    residual_map : ndarray of shape (p, p)
        B with v = Bᵀx for x in standard units: the residuals given A_i, scaled to unit variance.
    """

    moments: SampleMoments
    neighbours: Neighbours
    sets: PairSets
    correlation: FloatArray
    deviation: FloatArray
    residual_map: FloatArray

    @property
    def scale(self) -> FloatArray:
        """The roots of the mean squares of the centred columns."""
        n = self.moments.n_samples
        return np.asarray(self.deviation * np.sqrt((n - 1) / n))

    def estimate(
        self, feature_names: Sequence[str], partial: FloatArray | None = None
    ) -> PrecisionEstimate:
        """Θ̂ from the partial correlations of the pairs, if known by place; else they are found.

        Each ρ̂_ij is that given S_ij; Θ̂_ii is one over the variance that the neighbours leave, and
        Θ̂_ij = −ρ̂_ij√(Θ̂_iiΘ̂_jj). Such a Θ̂ need not be positive definite.
        """
        if partial is None:
            partial = _partial_correlations(self.correlation, self.sets)
        p = len(self.correlation)
        if not np.isfinite(partial).all():
            self._raise_for_determined(int(np.argmin(np.isfinite(partial))), feature_names)
        matrix = symmetric(np.clip(partial, -1.0, 1.0), p, diagonal=1.0)
        root = self.residual_map.diagonal() / self.deviation
        with np.errstate(over="ignore"):
            precision = unscaled(-matrix, 1 / root)
            np.fill_diagonal(precision, root**2)
        if not np.isfinite(precision).all():
            raise_for_scale(feature_names[int(np.argmax(root))], small=True)
        return PrecisionEstimate(
            n_samples=self.moments.n_samples,
            centre=self.moments.centre(),
            covariance=self.moments.covariance(),
            precision=precision,
            partial_correlation=matrix,
            residual_map=self.residual_map / self.deviation[:, np.newaxis],
        )

    def _raise_for_determined(self, place: int, names: Sequence[str]) -> NoReturn:
        """Say which column of a pair the columns that it is given determine."""
        pairs = self.sets.pairs(Portion(np.array([place]), int(self.sets.sizes()[place])))
        variance = regressed(self.correlation, pairs).variance[0]
        column = (pairs.i, pairs.j)[int(np.argmin(variance))][0]
        columns = [*pairs.given[0].tolist(), int(column)]
        raise_for_dependent(self.correlation, self.deviation, columns, names)


def nodewise_fit(
    moments: SampleMoments,
    feature_names: Sequence[str],
    glance: Glance | None = None,
    *,
    penalty: float,
    most: int | None = None,
    given: Sequence[int] = (),
) -> NodewiseFit:
    """Choose the neighbours, and regress each column on its own.

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
    given : sequence of int
        The places of columns that are neighbours of all others, without being chosen.
    """
    check_wide_shape(moments.n_samples, moments.n_features or 0)
    n, covariance = moments.n_samples, moments.covariance()
    raise_if_not_measurable(covariance, moments.mean(), feature_names, glance)
    deviation = np.sqrt(covariance.diagonal())
    correlation = unscaled(covariance, deviation)
    np.fill_diagonal(correlation, 1.0)
    raise_if_duplicated(correlation, feature_names)
    p = len(correlation)
    most = max(n // _ROWS_PER_NEIGHBOUR, 1) if most is None else most
    _check_degrees(n, p, most, len(given))
    size = penalty * universal_penalty(n, p)
    neighbours = chosen_neighbours(correlation, size, most, np.array(given, dtype=np.intp))
    residual_map = _residual_map(correlation, deviation, neighbours, feature_names)
    sets = PairSets.of(neighbours.of)
    return NodewiseFit(moments, neighbours, sets, correlation, deviation, residual_map)


def _check_degrees(n: int, p: int, most: int, n_given: int) -> None:
    """Refuse so many neighbours that pairs could be adjusted for more than half as many columns."""
    if min(2 * most + n_given, p - 2) > n // 2:
        raise ParameterError(
            f"max_neighbours: expected at most {max(n // 2 - n_given, 0) // 2} for {n} rows"
            f"{f' and {n_given} given columns' if n_given else ''}, got {most}: a pair may be "
            "adjusted for twice as many columns; choose fewer, or collect more rows."
        )


def _residual_map(
    correlation: FloatArray, deviation: FloatArray, neighbours: Neighbours, names: Sequence[str]
) -> FloatArray:
    made = np.zeros_like(correlation)
    for i, own in enumerate(neighbours.of):
        weights = np.linalg.lstsq(correlation[np.ix_(own, own)], correlation[own, i])[0]
        left = 1 - float(weights @ correlation[own, i])
        if left <= COLLINEAR * (len(own) + 1):
            raise_for_dependent(correlation, deviation, [*own.tolist(), i], names)
        unit = np.sqrt(left)
        made[i, i], made[own, i] = 1 / unit, -weights / unit
    return made


def _partial_correlations(correlation: FloatArray, sets: PairSets) -> FloatArray:
    p = len(correlation)
    found = np.empty(p * (p - 1) // 2)
    with one_blas_thread():
        for portion in sets.portions():
            found[portion.places] = regressed(correlation, sets.pairs(portion)).correlation
    return found

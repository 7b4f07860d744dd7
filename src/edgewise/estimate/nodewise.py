"""Θ̂ and partial correlations from regressions on few columns, also with more columns than rows."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from edgewise._checks import check_testable_shape
from edgewise._linalg import COLLINEAR, FloatArray, symmetric
from edgewise._optional import require
from edgewise._parallel import one_blas_thread, steps
from edgewise.errors import ParameterError
from edgewise.estimate.inverse import (
    PrecisionEstimate,
    SampleMoments,
    lumpy_columns,
    raise_for_dependent,
    raise_for_underflow,
    raise_if_duplicated,
    raise_if_not_measurable,
    share_alive,
    unscaled,
)
from edgewise.sums.pairs import IntArray, Pairs, PairSets, regressed
from edgewise.tables.first_look import FirstLook

# The noise is found to a thousandth: neighbours hardly depend on it.
_NOISE_STEPS, _NOISE_TOLERANCE = 30, 1e-3
_LEAST_NOISE = 1e-6
# Of the coordinate descent, in units of the column's variance.
_TOLERANCE, _MOST_SWEEPS = 1e-6, 10_000
# Where columns are few, log(p/√n) is small or negative: the penalty is then this for p = 2√n.
_FEWEST_COLUMNS_PER_ROOT = 2.0
_NO_COLUMNS: IntArray = np.empty(0, dtype=np.intp)


class Neighbours(NamedTuple):
    """The chosen neighbours of each column, λ, the most allowed, and the columns cut to that."""

    of: tuple[IntArray, ...]
    penalty: float
    most: int
    cut: IntArray


def universal_penalty(n_samples: int, n_features: int) -> float:
    """√(2 log(p/√n)/n): about the largest correlation of p columns with noise, less a margin."""
    ratio = max(n_features / math.sqrt(n_samples), _FEWEST_COLUMNS_PER_ROOT)
    return math.sqrt(2 * math.log(ratio) / n_samples)


def chosen_neighbours(
    correlation: FloatArray, penalty: float, most: int, given: IntArray = _NO_COLUMNS
) -> Neighbours:
    """The columns that the scaled lasso of each column on all others keeps, and the `given` ones."""
    p = len(correlation)
    context = require("sklearn", "sklearn", "Method 'nodewise'").config_context
    # Without its row and column a column cannot explain itself. They are taken out in place and
    # put back: a copy for each column would cost more than the lasso.
    gram = _without(correlation, given) if given.size else np.array(correlation, order="C")
    kept, cut = [], []
    with (
        steps(p, "choosing neighbours", "columns") as tell,
        context(skip_parameter_validation=True),  # which takes longer than the descent
        one_blas_thread(),  # of products this small, a second thread makes only noise
        warnings.catch_warnings(),
    ):
        # Where it does not converge in 10,000 sweeps, what it has is a choice as well.
        warnings.filterwarnings("ignore", "Objective did not converge")
        for i in range(p):
            own = gram[i].copy()
            gram[i] = gram[:, i] = 0.0
            with_others = np.where(np.arange(p) == i, 0.0, own)
            coefficients = _scaled_lasso(gram, with_others, penalty)
            gram[i] = gram[:, i] = own
            found = np.flatnonzero(coefficients)
            if len(found) > most:
                cut.append(i)
                largest = np.argsort(-np.abs(coefficients[found]), kind="stable")[:most]
                found = np.sort(found[largest])
            kept.append(np.union1d(found, given[given != i]) if given.size else found)
            tell(1)
    return Neighbours(tuple(kept), penalty, most, np.array(cut, dtype=np.intp))


def _without(correlation: FloatArray, given: IntArray) -> FloatArray:
    """The correlations that the given columns leave; they themselves have none left."""
    among = correlation[np.ix_(given, given)]
    left = correlation - correlation[:, given] @ np.linalg.lstsq(among, correlation[given])[0]
    scale = np.sqrt(np.maximum(left.diagonal(), 0.0))
    # What is left of a given column, or of one that they determine, is rounding.
    known = scale > _LEAST_NOISE
    known[given] = False
    units = np.where(known, scale, 1.0)
    return np.ascontiguousarray(
        np.where(np.outer(known, known), left / np.outer(units, units), 0.0)
    )


def _scaled_lasso(gram: FloatArray, with_others: FloatArray, penalty: float) -> FloatArray:
    """β and σ that minimise ‖y − Xβ‖²/(2nσ) + σ/2 + λ‖β‖₁: the lasso at λσ and σ in turn."""
    path = require("sklearn.linear_model", "sklearn", "Method 'nodewise'").lasso_path
    # With the products given, it asks the rows only for their number and for the variance of y: one
    # row with a y of one stands for standard units.
    rows, y = np.zeros((1, len(gram)), order="F"), np.ones(1)
    own = {"precompute": gram, "Xy": with_others, "check_input": False, "tol": _TOLERANCE}
    noise, coefficients = 1.0, np.zeros(len(gram))
    for _ in range(_NOISE_STEPS):
        start = {"alphas": [penalty * noise], "coef_init": coefficients}
        coefficients = np.asarray(path(rows, y, max_iter=_MOST_SWEEPS, **own, **start)[1][:, 0])
        used = np.flatnonzero(coefficients)
        fitted = coefficients[used]
        explained = 2 * fitted @ with_others[used] - fitted @ gram[np.ix_(used, used)] @ fitted
        before, noise = noise, math.sqrt(max(1 - float(explained), _LEAST_NOISE**2))
        if abs(noise - before) <= _NOISE_TOLERANCE * before:
            break
    return coefficients


_ROWS_PER_NEIGHBOUR = 8


@dataclass(frozen=True, eq=False, slots=True)
class NodewiseFit:
    """The chosen neighbours, the regressions on them, and what those of the pairs need."""

    moments: SampleMoments
    neighbours: Neighbours
    sets: PairSets
    correlation: FloatArray
    deviation: FloatArray
    residual_map: FloatArray

    @property
    def scale(self) -> FloatArray:
        n = self.moments.n_samples
        return np.asarray(self.deviation * np.sqrt((n - 1) / n))

    def estimate(
        self, feature_names: Sequence[str], partial: FloatArray | None = None
    ) -> PrecisionEstimate:
        """Θ̂ from the partial correlations of the pairs, which need not be positive definite."""
        p = len(self.correlation)
        if partial is None:
            partial = np.empty(p * (p - 1) // 2)
            with one_blas_thread():
                for places, size in self.sets.portions():
                    found = regressed(self.correlation, self.sets.pairs(places, size))
                    partial[places] = found.correlation
        if not np.isfinite(partial).all():
            # Say which column of a pair the columns that it is given determine.
            place = int(np.argmin(np.isfinite(partial)))
            pairs = self.sets.pairs(np.array([place]), int(self.sets.sizes()[place]))
            variance = regressed(self.correlation, pairs).variance[0]
            column = (pairs.i, pairs.j)[int(np.argmin(variance))][0]
            columns = [*pairs.given[0].tolist(), int(column)]
            raise_for_dependent(self.correlation, self.deviation, columns, feature_names)
        matrix = symmetric(np.clip(partial, -1.0, 1.0), p, diagonal=1.0)
        root = self.residual_map.diagonal() / self.deviation
        with np.errstate(over="ignore"):
            precision = unscaled(-matrix, 1 / root)
            np.fill_diagonal(precision, root**2)
        if not np.isfinite(precision).all():
            raise_for_underflow(feature_names[int(np.argmax(root))])
        return PrecisionEstimate(
            n_samples=self.moments.n_samples,
            centre=self.moments.centre(),
            covariance=self.moments.covariance(),
            precision=precision,
            partial_correlation=matrix,
            residual_map=self.residual_map / self.deviation[:, np.newaxis],
        )

    def live_share(self, rows: FloatArray) -> FloatArray | float:
        """As `inverse.live_share`, of the residuals given the columns that a pair is adjusted for."""
        lumpy, z = lumpy_columns((rows - self.moments.mean()) / self.deviation, self.residual_map)
        if lumpy.size < 2:
            return 1.0
        share, z = np.ones_like(self.correlation), np.ascontiguousarray(z.T)
        among = np.isin(np.arange(len(z)), lumpy)
        for places, size in self.sets.portions(z.shape[1]):
            found = self.sets.pairs(places, size)
            both = among[found.i] & among[found.j]
            if not both.any():
                continue
            pairs = Pairs(found.i[both], found.j[both], found.given[both])
            fitted = regressed(self.correlation, pairs).coefficients @ z[pairs.given]
            alive = share_alive(z[pairs.i] - fitted[:, 0], z[pairs.j] - fitted[:, 1])
            share[pairs.i, pairs.j] = share[pairs.j, pairs.i] = alive
        return share


def nodewise_fit(
    moments: SampleMoments,
    feature_names: Sequence[str],
    first_look: FirstLook | None = None,
    *,
    penalty: float,
    most: int | None = None,
    given: Sequence[int] = (),
) -> NodewiseFit:
    """Choose at most `most` neighbours (by default n/8) besides the `given`, and regress on them."""
    check_testable_shape(moments.n_samples, moments.n_features or 0, wide=True)
    n, covariance = moments.n_samples, moments.covariance()
    raise_if_not_measurable(covariance, moments.mean(), feature_names, first_look)
    deviation = np.sqrt(covariance.diagonal())
    correlation = unscaled(covariance, deviation)
    np.fill_diagonal(correlation, 1.0)
    raise_if_duplicated(correlation, feature_names)
    p = len(correlation)
    most = max(n // _ROWS_PER_NEIGHBOUR, 1) if most is None else most
    # A pair could be adjusted for more than half as many columns.
    if min(2 * most + len(given), p - 2) > n // 2:
        raise ParameterError(
            f"max_neighbours: expected at most {max(n // 2 - len(given), 0) // 2} for {n} rows"
            f"{f' and {len(given)} given columns' if given else ''}, got {most}: a pair may be "
            "adjusted for twice as many columns; choose fewer, or collect more rows."
        )
    size = penalty * universal_penalty(n, p)
    neighbours = chosen_neighbours(correlation, size, most, np.array(given, dtype=np.intp))
    residual_map = np.zeros_like(correlation)
    for i, own in enumerate(neighbours.of):
        weights = np.linalg.lstsq(correlation[np.ix_(own, own)], correlation[own, i])[0]
        left = 1 - float(weights @ correlation[own, i])
        if left <= COLLINEAR * (len(own) + 1):
            raise_for_dependent(correlation, deviation, [*own.tolist(), i], feature_names)
        unit = np.sqrt(left)
        residual_map[i, i], residual_map[own, i] = 1 / unit, -weights / unit
    sets = PairSets.of(neighbours.of)
    return NodewiseFit(moments, neighbours, sets, correlation, deviation, residual_map)

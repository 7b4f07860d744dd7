"""The neighbours of each column, chosen by the scaled lasso: few, also where columns are many.

For every column, the lasso on all others whose penalty is in units of the noise that it leaves (Sun
& Zhang, Biometrika 2012). It needs a correlation matrix only.
"""

from __future__ import annotations

import math
import warnings
from contextlib import AbstractContextManager
from dataclasses import dataclass

import numpy as np

from edgewise._base.blas import one_blas_thread
from edgewise._base.parts import part
from edgewise._base.steps import steps
from edgewise._base.types import FloatArray
from edgewise.kernels.pair_sets import IntArray

# The noise is found to a thousandth: neighbours hardly depend on it.
_NOISE_STEPS, _NOISE_TOLERANCE = 30, 1e-3
_LEAST_NOISE = 1e-6
# Of the coordinate descent, in units of the column's variance.
_TOLERANCE, _MOST_SWEEPS = 1e-6, 10_000
# Where columns are few, log(p/√n) is small or negative: the penalty is then this for p = 2√n.
_FEWEST_COLUMNS_PER_ROOT = 2.0
_NO_COLUMNS: IntArray = np.empty(0, dtype=np.intp)


@dataclass(frozen=True, eq=False, slots=True)
class Neighbours:
    """The chosen neighbours A_i of each column, in the order of the columns.

    Attributes
    ----------
    of : tuple of ndarray of int
        A_i, one for each column.
    penalty : float
        λ, of coefficients of columns in standard units, and in units of the noise.
    most : int
        The most that the lasso may choose for a column.
    cut : ndarray of int
        The columns for which it chose more, and the largest were kept.
    """

    of: tuple[IntArray, ...]
    penalty: float
    most: int
    cut: IntArray


def universal_penalty(n_samples: int, n_features: int) -> float:
    """√(2 log(p/√n)/n): about the largest correlation of p columns with noise, less a margin.

    Examples
    --------
    >>> round(universal_penalty(100, 150), 3)
    0.233
    """
    ratio = max(n_features / math.sqrt(n_samples), _FEWEST_COLUMNS_PER_ROOT)
    return math.sqrt(2 * math.log(ratio) / n_samples)


def chosen_neighbours(
    correlation: FloatArray, penalty: float, most: int, given: IntArray = _NO_COLUMNS
) -> Neighbours:
    """The columns that the scaled lasso of each column on all others keeps, at most so many.

    Of more than `most`, those with the largest coefficients are kept. The `given` columns are
    neighbours of all others without a penalty: the lasso sees what they leave of the others.
    """
    p = len(correlation)
    descend = _Descent(p)
    # Without its row and column a column cannot explain itself. They are taken out in place and
    # put back: a copy for each column would cost more than the lasso.
    gram = _without(correlation, given) if given.size else np.array(correlation, order="C")
    kept, cut = [], []
    with (
        steps(p, "choosing neighbours", "columns") as tell,
        descend.unchecked(),
        one_blas_thread(),  # of products this small, a second thread makes only noise
        warnings.catch_warnings(),
    ):
        # Where it does not converge in 10,000 sweeps, what it has is a choice as well.
        warnings.filterwarnings("ignore", "Objective did not converge")
        for i in range(p):
            own = gram[i].copy()
            gram[i] = gram[:, i] = 0.0
            with_others = np.where(np.arange(p) == i, 0.0, own)
            coefficients = _scaled_lasso(descend, gram, with_others, penalty)
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


def _scaled_lasso(
    descend: _Descent, gram: FloatArray, with_others: FloatArray, penalty: float
) -> FloatArray:
    """β and σ that minimise ‖y − Xβ‖²/(2nσ) + σ/2 + λ‖β‖₁: the lasso at λσ and σ in turn."""
    noise, coefficients = 1.0, np.zeros(len(gram))
    for _ in range(_NOISE_STEPS):
        coefficients = descend(gram, with_others, penalty * noise, coefficients)
        used = np.flatnonzero(coefficients)
        fitted = coefficients[used]
        explained = 2 * fitted @ with_others[used] - fitted @ gram[np.ix_(used, used)] @ fitted
        before, noise = noise, math.sqrt(max(1 - float(explained), _LEAST_NOISE**2))
        if abs(noise - before) <= _NOISE_TOLERANCE * before:
            break
    return coefficients


class _Descent:
    """scikit-learn's coordinate descent for given products of columns."""

    def __init__(self, p: int) -> None:
        # With the products given, it asks the rows only for their number and for the variance of y:
        # one row with a y of one stands for standard units.
        self._rows, self._y = np.zeros((1, p), order="F"), np.ones(1)
        what = "Method 'nodewise'"
        self._path = part("sklearn.linear_model", "sklearn", what).lasso_path
        self._context = part("sklearn", "sklearn", what).config_context

    def unchecked(self) -> AbstractContextManager[None]:
        """Inside, scikit-learn does not check arguments, which takes longer than the descent."""
        made: AbstractContextManager[None] = self._context(skip_parameter_validation=True)
        return made

    def __call__(
        self, gram: FloatArray, with_y: FloatArray, penalty: float, start: FloatArray
    ) -> FloatArray:
        """The coefficients for this penalty, from a start nearby."""
        _, coefficients, _ = self._path(
            self._rows,
            self._y,
            alphas=[penalty],
            precompute=gram,
            Xy=with_y,
            coef_init=start,
            check_input=False,
            tol=_TOLERANCE,
            max_iter=_MOST_SWEEPS,
        )
        return np.asarray(coefficients[:, 0])

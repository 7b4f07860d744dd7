"""Which effect would a number of rows find? The question of a plan, the other way round."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from edgewise import _special as special
from edgewise._checks import check_real
from edgewise._linalg import FloatArray, root_outer
from edgewise.inference.corrections import log_critical_level
from edgewise.inference.uncertainty import Uncertainty
from edgewise.results.result import EdgeTestResult

_LARGEST = 0.999  # effect
# A curve goes from an eighth of the rows to 64 times as many; its points are this share apart.
_FEWER, _MORE, _POINTS = 1 / 8, 64, 37
_TRIED = 200  # effects that the curve of a bound is read from


class DetectableCurve(NamedTuple):
    """Which partial correlation would be found, for each number of rows.

    Attributes
    ----------
    rows : ndarray
        Numbers of rows, rising, evenly on a logarithmic scale; the rows of the result are one.
    effects : ndarray
        The partial correlation that a typical pair must have, for each of them; NaN where so few
        rows find none.
    own_effect : float
        The same for the rows of the result.
    """

    rows: FloatArray
    effects: FloatArray
    own_effect: float


def detectable_curve(result: EdgeTestResult, power: float = 0.8) -> DetectableCurve:
    """The partial correlation that rows like those of a result find, for each number of rows.

    It needs no data. For the per-edge methods a typical pair has the median error of the tested
    pairs, which falls as (n − p − 1)^{−1/2} on Fisher's scale ("nodewise" adjusts for fewer than p
    columns); the level is that of the first, strictest step of the correction, as in
    `plan_sample_size`. That plan also allows for tails that are different at the effect, so the two
    differ for strong effects, which few rows need. The bounds have no power: their effect is the
    one that the threshold has come down to. Under a `min_effect` it is what is found to exceed it.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.results.detectable import detectable_curve
    >>> returns = ew.datasets.load_sp500_returns()
    >>> curve = detectable_curve(ew.edge_test(returns, method="score"))
    >>> round(curve.own_effect, 2), int(curve.rows.min()), int(curve.rows.max())
    (0.06, 1039, 531968)
    """
    power = check_real("power", power, above=0, below=1)
    n, spent, least = result.n_samples, _rows_spent(result), _least_effect(result)
    exponents = np.linspace(math.log2(_FEWER), math.log2(_MORE), _POINTS)
    rows = np.unique(np.round(n * 2.0**exponents))
    if result.uncertainty.simultaneous:
        effects = _of_bound(result, result.uncertainty, rows)
        # A partial correlation is scaled by the diagonal of Θ̂, for which the bound allows too.
        scaled = result.question.effect[1] == "partial_correlation"
        effects += least * (1 + effects) if scaled else least
    else:
        z = _typical_z(result, result.uncertainty, power)
        left = np.where(rows > spent, rows - spent, np.nan)
        beyond = z - math.atanh(least)
        with np.errstate(over="ignore"):
            effects = np.tanh(math.atanh(least) + beyond * np.sqrt(max(n - spent, 1) / left))
    effects[effects > _LARGEST] = np.nan
    return DetectableCurve(rows, effects, float(effects[np.searchsorted(rows, n)]))


def _rows_spent(result: EdgeTestResult) -> float:
    """Rows that adjusting a pair uses up: for all other columns, or for its few neighbours."""
    if result.selection is None:
        return result.n_features + 1
    return float(np.median(result.selection.sizes()[result.tested_pairs()])) + 3


def _least_effect(result: EdgeTestResult) -> float:
    """The partial correlation that an edge must exceed in this test; the median pair's."""
    effect, scale = result.question.effect
    if not effect or scale != "precision":
        return effect
    unit = root_outer(result.precision)[result.tested_pairs()]
    return min(float(np.median(effect / unit)), _LARGEST)


def _typical_z(result: EdgeTestResult, uncertainty: Uncertainty, power: float) -> float:
    """atanh of the effect: what is just critical, and more for the power; the median pair's."""
    first_step = "bonferroni" if result.correction else None
    log_level = log_critical_level(result.n_pairs, 0, result.alpha, first_step)
    pairs = result.tested_pairs()
    least = uncertainty.threshold(result, log_level, result.question.min_effect) / root_outer(
        result.precision
    )
    rho, error = result.partial_correlation, uncertainty.errors(result)[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        critical = np.arctanh(np.minimum(least[pairs], 1.0))
        spread = error[pairs] / ((1 - rho[pairs]) * (1 + rho[pairs]))
        z = critical + float(special.ndtri(power)) * spread
    return float(np.nanmedian(np.maximum(z, 0.0)))


def _of_bound(result: EdgeTestResult, bound: Uncertainty, rows: FloatArray) -> FloatArray:
    """Read from the rows that effects on a fine grid need."""
    effects = np.geomspace(1e-4, _LARGEST, _TRIED)
    pairs, n = result.tested_pairs(), result.n_samples
    needed = np.array(
        [
            np.median(bound.rows_for_effect(result.precision, n, result.alpha, effect)[pairs])
            for effect in effects
        ]
    )
    known = np.isfinite(needed) & (needed > 0)
    if not known.any():
        return np.full(rows.shape, np.nan)
    log_needed, log_effects = np.log(needed[known])[::-1], np.log(effects[known])[::-1]
    found = np.exp(np.interp(np.log(rows), log_needed, log_effects, left=np.nan))
    return np.asarray(found)

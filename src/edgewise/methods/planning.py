"""The power of a test, from a measurement: how many rows find an effect, and which effect is found.

docs/theory/planning.md has the formulas, and the simulations that the constants come from.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from edgewise import _special as special
from edgewise._linalg import BoolArray, FloatArray, pairs_of
from edgewise.inference.references import AnytimeReference
from edgewise.inference.sign_flip import SignFlip
from edgewise.inference.uncertainty import Estimated, PerEdge, ScoreTest, Uncertainty

if TYPE_CHECKING:
    from edgewise.methods.method import Method

# How much the spread of a standard error exceeds that of a χ² with its degrees of freedom; and how
# much, relative to it, it grows with the logarithm of the variance over that of Gaussian rows, up to
# one: a larger one comes from dependence.
_SPREAD_OF_ERRORS, _SPREAD_BY_TAILS, _SPREAD_OF_SCORES = 1.0, 0.15, 0.25
# The deviation of the logarithm of degrees of freedom that were estimated: times their root, and
# with the same logarithm.
_SPREAD_OF_DEGREES, _DEGREES_BY_TAILS = 1.2, 0.6
_NODES = 7  # of the law of an error, where power is averaged over it
_LARGEST = 0.999
_HALVINGS = 40
_MOST_ROWS = 1e15

#: From effects to the power to find them, for the pairs above the diagonal.
Power = Callable[[FloatArray], FloatArray]


class Measured(Estimated, Protocol):
    """What power is found from: a measurement, or a result."""

    @property
    def uncertainty(self) -> Uncertainty: ...

    @property
    def selection(self) -> Any: ...


def power_at(
    method: Method,
    measured: Measured,
    n_samples: int,
    rows: FloatArray,
    log_level: float,
    least: float = 0.0,
) -> Power:
    """The power after `rows` rows like the `n_samples` measured ones, to exceed a least effect."""
    uncertainty = measured.uncertainty
    rho = np.clip(pairs_of(measured.partial_correlation), -_LARGEST, _LARGEST)
    if isinstance(uncertainty, ScoreTest):
        return _of_score_test(uncertainty, rho, rows, log_level, least)
    if not isinstance(uncertainty, PerEdge):
        raise TypeError("measured: expected errors of each pair, not a bound")
    spent = len(measured.precision) + 1
    left = np.maximum(rows - spent, 1e-3)
    error = pairs_of(uncertainty.fisher_z_error(measured.partial_correlation))
    error = error * np.sqrt(max(n_samples - spent, 1) / left)
    degrees = np.maximum(method.degrees_at(measured, n_samples, rows), 1.0)
    if isinstance(uncertainty.reference, AnytimeReference):
        log_level = uncertainty.reference.level_of_one_look(rows, log_level)
    if uncertainty.exact:
        half = np.arcsinh(_student(degrees, log_level) / np.sqrt(degrees))
        half = half + math.atanh(least)
        return lambda effect: np.asarray(special.ndtr((np.arctanh(effect) - half) / error))
    # Power is the mean over what the standard error, and its degrees of freedom, may turn out to be.
    tails = np.log(np.clip(error**2 * left, 1.0, math.e))
    of_error = _SPREAD_OF_ERRORS / np.sqrt(2 * degrees) + _SPREAD_BY_TAILS * tails
    nodes = special.ndtri((np.arange(_NODES) + 0.5) / _NODES)
    shown = [np.maximum(error * np.exp(of_error * x), 1 / np.sqrt(left)) for x in nodes]
    if np.ndim(uncertainty.degrees_of_freedom()):  # estimated for each pair
        of_degrees = _SPREAD_OF_DEGREES / np.sqrt(degrees) + _DEGREES_BY_TAILS * tails
        critical = [_student(degrees * np.exp(-of_degrees * x), log_level) for x in nodes]
    else:
        critical = [_student(degrees, log_level)] * _NODES
    needed = [c * s for c, s in zip(critical, shown, strict=True)]

    def power(effect: FloatArray) -> FloatArray:
        beyond = np.arctanh(effect) - math.atanh(least)
        return np.asarray(np.mean([special.ndtr((beyond - one) / error) for one in needed], axis=0))

    return power


def _student(degrees: FloatArray, log_level: FloatArray | float) -> FloatArray:
    with np.errstate(under="ignore"):
        return -np.asarray(special.stdtrit(degrees, np.exp(log_level) / 2), dtype=np.float64)


def _of_score_test(
    test: ScoreTest, rho: FloatArray, rows: FloatArray, log_level: float, least: float
) -> Power:
    """Power of T = n(ρ̂ − ρ₀)/√max(Σ w u(ρ₀)², (n²/m)(1 − ρ₀²)²), ρ₀ the least effect.

    A linear map gives the residuals of a pair the correlation of the effect
    (docs/theory/planning.md).
    """
    n, p = test.n_samples, len(test.second)
    xx, xh, hh = pairs_of(test.second) / n, pairs_of(test.cross) / (2 * n), pairs_of(test.ends) / n
    degrees = pairs_of(np.broadcast_to(np.asarray(test.degrees, dtype=float), (p, p)))
    spent = np.minimum(p - 1, n - degrees)
    left = np.maximum((degrees + spent) * rows / n - spent, 1e-3)
    fourth = pairs_of(test.reference.fourth) * n / rows
    sixth = pairs_of(test.reference.sixth) * (n / rows) ** 2

    def power(effect: FloatArray) -> FloatArray:
        to = np.where(rho < 0, -effect, effect)
        start = np.where(rho < 0, -least, least)
        plus, minus = np.sqrt((1 + to) / (1 + rho)), np.sqrt((1 - to) / (1 - rho))
        c, d = (plus**2 + minus**2) / 2, (plus**2 - minus**2) / 2  # a² + b², and 2ab
        second = c * c * xx + 2 * c * d * xh + d * d * hh
        cross = c * d * xx + (c * c + d * d) * xh + c * d * hh
        ends = d * d * xx + 2 * c * d * xh + c * c * hh

        def variance(at: FloatArray) -> FloatArray:
            own = second - 2 * at * cross + at**2 * ends
            return np.asarray(np.maximum(own, rows / left * (1 - at**2) ** 2))

        unit, deviation = np.sqrt(variance(start)), np.sqrt(variance(to))
        statistic = np.sqrt(rows) * (effect - least) / unit
        # Products have a larger kurtosis where they are correlated, as those of Gaussian rows do.
        law = SignFlip(
            fourth * _gaussian_fourth(to) / _gaussian_fourth(rho),
            sixth * _gaussian_sixth(to) / _gaussian_sixth(rho),
        )
        critical: FloatArray = law.critical(log_level)
        tails = np.log(np.clip((deviation / (1 - to**2)) ** 2, 1.0, math.e))
        # Σ w u² varies with Σ e_ie_j, so the statistic varies less than its root alone would say.
        spread = (1 - to**2) * (deviation / unit) ** 2
        spread = np.sqrt(spread + (_SPREAD_OF_SCORES * critical * tails) ** 2)
        return np.asarray(special.ndtr((statistic - critical) / spread))

    return power


def _gaussian_fourth(rho: FloatArray) -> FloatArray:
    """E(e_ie_j)⁴ over its square root's square, of Gaussian residuals; relative to ρ = 0."""
    r2 = rho**2
    return np.asarray((1 + 8 * r2 + 8 / 3 * r2**2) / (1 + 2 * r2) ** 2)


def _gaussian_sixth(rho: FloatArray) -> FloatArray:
    r2 = rho**2
    return np.asarray((1 + 18 * r2 + 24 * r2**2 + 3.2 * r2**3) / (1 + 2 * r2) ** 3)


def effect_found(
    method: Method,
    measured: Measured,
    n_samples: int,
    rows: FloatArray | float,
    power: float,
    log_level: float,
    least: float = 0.0,
) -> FloatArray:
    """The effect that each pair above the diagonal must have to be found; NaN if none is enough."""
    rows = np.asarray(rows, dtype=float)
    found = power_at(method, measured, n_samples, rows, log_level, least)
    size = np.broadcast_shapes(rows.shape, pairs_of(measured.precision).shape)
    low, high = np.full(size, max(least, 1e-9)), np.full(size, _LARGEST)
    effect = _first(lambda effect: np.asarray(found(effect) >= power), low, high)
    return np.where(effect < 0.99 * _LARGEST, effect, np.nan)


def typical_effect(
    method: Method,
    measured: Measured,
    n_samples: int,
    rows: float,
    tested: BoolArray,
    power: float,
    log_level: float,
    *,
    alpha: float,
    least: float = 0.0,
) -> float:
    """The effect that the median of the tested pairs must have; NaN if none is found."""
    if not measured.uncertainty.simultaneous:
        found = effect_found(method, measured, n_samples, rows, power, log_level, least)
        effect = float(np.median(np.nan_to_num(found[pairs_of(tested)], nan=np.inf)))
        return effect if math.isfinite(effect) else math.nan

    def enough(effect: FloatArray) -> BoolArray:
        needed = measured.uncertainty.rows_for_effect(
            measured.precision, n_samples, alpha, float(effect)
        )
        return np.asarray(np.median(needed[tested]) <= rows)

    effect = float(_first(enough, np.array(1e-9), np.array(_LARGEST)))
    return effect if effect < 0.99 * _LARGEST else math.nan


def rows_found(
    method: Method,
    measured: Measured,
    n_samples: int,
    effect: float,
    power: float,
    log_level: float,
) -> FloatArray:
    """How many rows find the effect in each pair above the diagonal; infinite if none do."""
    wanted = np.full(pairs_of(measured.precision).shape, effect)

    def enough(rows: FloatArray) -> BoolArray:
        return np.asarray(power_at(method, measured, n_samples, rows, log_level)(wanted) >= power)

    rows = _first(enough, np.full(wanted.shape, 4.0), np.full(wanted.shape, _MOST_ROWS))
    return np.where(rows < 0.99 * _MOST_ROWS, rows, np.inf)


def _first(
    enough: Callable[[FloatArray], BoolArray], low: FloatArray, high: FloatArray
) -> FloatArray:
    """The smallest of each that is enough, by halving on a logarithmic scale."""
    for _ in range(_HALVINGS):
        middle = np.sqrt(low * high)
        with np.errstate(invalid="ignore", over="ignore"):
            reached = enough(middle)
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
        if (high < low * 1.0001).all():
            break
    return high

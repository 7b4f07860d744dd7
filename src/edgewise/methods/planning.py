"""How many rows would find an effect: the arithmetic that the methods share.

For the per-edge methods the pilot's residuals of each pair are given the planned correlation by a
linear map, and the variance of the statistic there follows from their fourth moments.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from edgewise import _special as special
from edgewise._linalg import BoolArray, FloatArray
from edgewise.estimate.inverse import PrecisionEstimate
from edgewise.inference.measurement import Measurement
from edgewise.inference.references import Normal
from edgewise.inference.sample import Sample

# Where the effect that a number of rows finds is looked for.
_LARGEST_EFFECT, _SMALLEST_EFFECT = 0.999, 1e-9
_CLOSE = 0.002  # of the logarithm of the rows
_MOST_STEPS = 12
_HALVINGS = 14  # of the logarithm of the rows, where a plan for critical values is looked for


@dataclass(frozen=True, eq=False, slots=True)
class Plan:
    """The partial correlation to be found, with which power, in which pairs, at which levels."""

    effect: float
    power: float
    alpha: float
    log_level: float
    pairs: BoolArray


#: From a plan to the rows that it needs, for each pair.
RowPlanner = Callable[[Plan], FloatArray]


@dataclass(frozen=True, eq=False, slots=True)
class PairMoments:
    """Fourth moments of the two unit-variance residuals of each pair; the pair is (i, j)."""

    m40: FloatArray
    m31: FloatArray
    m22: FloatArray

    @classmethod
    def of(cls, sample: Sample, estimate: PrecisionEstimate) -> PairMoments:
        sums = sample.pair_sums(estimate.leverage())
        n, p = estimate.n_samples, len(estimate.precision)
        fourth = sums.square_square.diagonal() / n
        return cls(
            m40=np.repeat(fourth[:, np.newaxis], p, axis=1),
            m31=sums.cube_linear / n,
            m22=sums.square_square / n,
        )

    def at_correlation(self, rho: FloatArray, wanted: FloatArray) -> PairMoments:
        """The moments after the linear map that gives each pair the partial correlation `wanted`.

        In the basis v_i ± v_j residuals of partial correlation ρ have variances 1 ∓ ρ, so the map
        scales the sum by √((1−ρ′)/(1−ρ)) and the difference by √((1+ρ′)/(1+ρ)).
        """
        plus, minus = np.sqrt((1 - wanted) / (1 - rho)), np.sqrt((1 + wanted) / (1 + rho))
        a, b = (plus + minus) / 2, (plus - minus) / 2
        m40, m31, m22, m13, m04 = self.m40, self.m31, self.m22, self.m31.T, self.m40.T
        return PairMoments(
            m40=a**4 * m40
            + 4 * a**3 * b * m31
            + 6 * a**2 * b**2 * m22
            + 4 * a * b**3 * m13
            + b**4 * m04,
            m31=a**3 * b * m40
            + (a**4 + 3 * a**2 * b**2) * m31
            + 3 * a * b * (a**2 + b**2) * m22
            + (3 * a**2 * b**2 + b**4) * m13
            + a * b**3 * m04,
            m22=a**2 * b**2 * (m40 + m04 + 2 * m22)
            + (a**2 + b**2) ** 2 * m22
            + 2 * a * b * (a**2 + b**2) * (m31 + m13),
        )

    def score_variance(self, rho: FloatArray) -> FloatArray:
        """E[P²]/(1−ρ²)², P = (v_i + ρv_j)(v_j + ρv_i): the score test's T is √n ρ̂ over its root."""
        ends, cubes = self.m40 + self.m40.T, self.m31 + self.m31.T
        square = (
            ((1 + rho**2) ** 2 + 2 * rho**2) * self.m22
            + rho**2 * ends
            + 2 * rho * (1 + rho**2) * cubes
        )
        return square / (1 - rho**2) ** 2

    def estimate_variance(self, rho: FloatArray) -> FloatArray:
        """n Var ρ̂ = E[(v_iv_j + (ρ/2)(v_i² + v_j²))²]."""
        ends, cubes = self.m40 + self.m40.T, self.m31 + self.m31.T
        return self.m22 + rho * cubes + rho**2 / 4 * (ends + 2 * self.m22)


@dataclass(frozen=True, eq=False, slots=True)
class PlannedStatistic:
    """A statistic √n · effect/unit, and how much it varies.

    `unit`: What the statistic is divided by, without √n.
    `slope`: How fast that scale grows with ρ at the effect.
    `inflation`: How much larger errors are than those of independent rows.
    `rows_spent`: Rows added to those needed, because adjusting for the other columns uses them up.
    `critical`: The critical values after this many rows, at a (log) level; by default the normal's.
    """

    effect: float
    unit: FloatArray | float
    slope: float = 1.0
    inflation: float = 1.0
    rows_spent: int = 0
    critical: Callable[[FloatArray, float], FloatArray] | None = None


def planned_fisher_z(
    moments: PairMoments,
    wanted: FloatArray,
    *,
    inflation: float = 1.0,
    critical: Callable[[FloatArray, float], FloatArray] | None = None,
) -> PlannedStatistic:
    """The statistic z/s: n Var z = n Var ρ̂/(1 − ρ²)², never below one, as for Gaussian rows."""
    effect = float(np.abs(wanted).max())
    slope = 1 / (1 - effect**2)
    unit = np.maximum(slope * np.sqrt(moments.estimate_variance(wanted)), 1.0)
    return PlannedStatistic(
        math.atanh(effect),
        unit,
        slope=slope,
        inflation=inflation,
        rows_spent=len(wanted) + 1,
        critical=critical,
    )


def wanted_correlation(estimate: PrecisionEstimate, effect: float) -> tuple[FloatArray, FloatArray]:
    """The pilot's partial correlations (0 on the diagonal), and the planned ones, signs kept."""
    rho = np.where(np.eye(len(estimate.precision), dtype=bool), 0.0, estimate.partial_correlation)
    return rho, np.where(rho < 0, -effect, effect)


def per_edge_rows(plan: Plan, statistic: PlannedStatistic, deviation: FloatArray) -> FloatArray:
    """n with P(|T| > critical) = power, T about √n·effect/unit; ω is the deviation of √n ρ̂ there."""
    p = len(deviation)
    unit = np.asarray(statistic.unit) * statistic.inflation
    above = float(special.ndtri(plan.power)) * statistic.slope * statistic.inflation * deviation

    def rows_at(critical: FloatArray | float) -> FloatArray:
        with np.errstate(over="ignore"):
            needed = np.maximum((critical * unit + above) / statistic.effect, 0.0) ** 2
        return np.asarray(needed + statistic.rows_spent)

    rows = rows_at(Normal().critical(plan.log_level))
    if statistic.critical is None:
        return rows
    # The critical value falls with the number of rows that is sought, with few rows so steeply that
    # repeating the step goes back and forth for ever. But the answer lies between two neighbours.
    few, many = rows, rows_at(statistic.critical(np.maximum(rows, 3.0 * p), plan.log_level))
    for _ in range(_HALVINGS):
        rows = np.sqrt(few) * np.sqrt(many)
        enough = rows_at(statistic.critical(np.maximum(rows, 3.0 * p), plan.log_level)) <= rows
        few, many = np.where(enough, few, rows), np.where(enough, rows, many)
    return many


def bound_planner(measurement: Measurement) -> RowPlanner:
    """Rows at which the bound of a pilot, τu_ij, comes down to effect·√(Θ̂_iiΘ̂_jj)."""
    bound, estimate = measurement.uncertainty, measurement.estimate
    return lambda plan: bound.rows_for_effect(
        estimate.precision, estimate.n_samples, plan.alpha, plan.effect
    )


def effect_for_rows(rows_for: Callable[[float], float], n_samples: int, guess: float) -> float:
    """The effect that needs just `n_samples` rows; NaN if they are too few for any.

    By secants from the guess; steps that leave the interval of the answer are halved.
    """
    target = math.log(n_samples)
    low, high = (math.log(math.atanh(effect)) for effect in (_SMALLEST_EFFECT, _LARGEST_EFFECT))
    x = math.log(math.atanh(min(max(guess, 2 * _SMALLEST_EFFECT), 0.9)))
    slope, before = -2.0, None
    for _ in range(_MOST_STEPS):
        needed = rows_for(math.tanh(math.exp(x)))
        gap = (math.log(needed) if 0 < needed < math.inf else math.inf) - target
        if abs(gap) < _CLOSE:
            break
        low, high = (x, high) if gap > 0 else (low, x)
        if before is not None and math.isfinite(gap - before[1]) and gap != before[1]:
            slope = (gap - before[1]) / (x - before[0])
        before = (x, gap)
        step = x - gap / slope if slope < 0 else math.nan
        x = step if low < step < high else (low + high) / 2
        if high - low < 1e-4:
            break
    effect = math.tanh(math.exp(x))
    return effect if effect < 0.99 * _LARGEST_EFFECT else math.nan


def student_critical(degrees: FloatArray, log_level: float) -> FloatArray:
    """Critical values of Student's t with the given degrees of freedom."""
    return -np.asarray(special.stdtrit(degrees, math.exp(log_level) / 2), dtype=np.float64)

"""How many rows would find an effect of a given size?"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from edgewise._base.checks import check_choice, check_columns, check_options, check_real
from edgewise._base.types import FloatArray
from edgewise.errors import EdgewiseWarning, ParameterError
from edgewise.estimators.inverse import PrecisionEstimate, estimate_precision
from edgewise.inference.corrections import log_critical_level
from edgewise.inference.intervals import BoundIntervals
from edgewise.inference.reference import Normal
from edgewise.kernels.pairs import pair_sums
from edgewise.methods.batch import expected_batches
from edgewise.methods.registry import METHODS
from edgewise.questions.edge_test import edge_test
from edgewise.results.result import EdgeTestResult
from edgewise.rows.opening import as_source
from edgewise.rows.table import Source
from edgewise.rows.views import FiniteRows
from edgewise.states.first_pass import read_once


@dataclass(frozen=True, eq=False, slots=True)
class SamplePlan:
    """Rows needed to find a partial correlation of a given size.

    Attributes
    ----------
    method : str
        The test that was planned for.
    effect : float
        The partial correlation to be found.
    power : float or None
        The probability of finding it. The bounds have no power to choose: their plan is where the
        threshold comes down to the effect, so this is None.
    alpha : float
        Significance level.
    n_samples : int
        Rows for the median pair of variables.
    pairs : ndarray of shape (p, p)
        Rows for each pair; NaN on the diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> pilot = np.random.default_rng(0).standard_normal((2000, 5))
    >>> plan = ew.plan_sample_size(pilot, effect=0.15)
    >>> plan.method, plan.effect, plan.power, plan.pairs.shape
    ('score', 0.15, 0.8, (5, 5))
    """

    method: str
    effect: float
    power: float | None
    alpha: float
    n_samples: int
    pairs: FloatArray


def plan_sample_size(
    pilot: Any,
    *,
    effect: float,
    power: float = 0.8,
    method: str = "score",
    alpha: float = 0.05,
    correction: str | None = "holm",
    columns: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    drop_missing: bool = False,
    **options: Any,
) -> SamplePlan:
    """Plan the number of rows from a pilot sample of the same kind of data.

    Parameters
    ----------
    pilot : array-like, data frame, Arrow stream, path or list of paths
        Rows like those to be collected; their tails decide how many are needed.
    effect : float
        The partial correlation that should be found, between 0 and 1.
    power : float
        The probability of finding it, for the per-edge methods.
    method : str
        The test, as in `edge_test`.
    alpha : float
        Significance level.
    correction : {"holm", "bonferroni", "bh", "by", "maxt", None}
        As in `edge_test`; of the step-wise corrections the first, strictest step is planned for.
    columns : str or sequence of str, optional
        The columns to plan for, by name; all by default.
    exclude : str or sequence of str, optional
        Columns to leave out, such as dates and labels.
    drop_missing : bool
        Leave out rows of the pilot with NaN or infinite values instead of refusing them.
    **options
        Of the method, as in `edge_test`.

    Returns
    -------
    SamplePlan
        Rows for the median pair, and for each one.

    Notes
    -----
    For the per-edge methods the pilot's residuals of each pair are given the planned correlation
    by a linear map, and the variance of the statistic there follows from their fourth moments.
    For the bounds, ε falls as n^{−1/2}.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> pilot = np.random.default_rng(0).standard_normal((2000, 5))
    >>> 500 < ew.plan_sample_size(pilot, effect=0.15).n_samples < 700
    True
    """
    effect = check_real("effect", effect, above=0, below=1)
    power = check_real("power", power, above=0, below=1)
    check_choice("method", method, tuple(METHODS))
    check_options(method, options, METHODS[method].options)
    columns, exclude = check_columns("columns", columns), check_columns("exclude", exclude)
    source = as_source(pilot, columns=columns, exclude=exclude)
    if drop_missing:
        source = FiniteRows(source)
    result = _pilot_result(source, method, alpha, correction, options)
    if isinstance(result.interval_rule, BoundIntervals):
        rows = _bound_rows(result, result.interval_rule, effect)
        planned_power = None
    else:
        rows = _per_edge_rows(source, result, effect, power, correction)
        planned_power = power
    if not np.isfinite(rows[~np.eye(len(rows), dtype=bool)]).all():
        raise ParameterError(
            f"effect: expected one that finitely many rows can show, got {effect:g}; plan for a "
            "larger one."
        )
    rows = np.ceil(rows)
    np.fill_diagonal(rows, np.nan)
    return SamplePlan(method, effect, planned_power, alpha, int(np.nanmedian(rows)), rows)


def _pilot_result(
    source: Source, method: str, alpha: float, correction: str | None, options: dict[str, Any]
) -> EdgeTestResult:
    with warnings.catch_warnings():
        # That the pilot is too small for the test is what the plan is for.
        warnings.simplefilter("ignore", EdgewiseWarning)
        return edge_test(source, method=method, alpha=alpha, correction=correction, **options)


def _bound_rows(result: EdgeTestResult, rule: BoundIntervals, effect: float) -> FloatArray:
    """Rows at which τu_ij comes down to effect·√(Θ̂_iiΘ̂_jj)."""
    root = np.sqrt(result.precision.diagonal())
    tau = effect * np.outer(root, root) / rule.transfer.units
    wanted = rule.transfer.radius_for(tau.ravel()).reshape(tau.shape)
    return result.n_samples * (float(result.radius or 0.0) / wanted) ** 2


@dataclass(frozen=True, eq=False, slots=True)
class _PairMoments:
    """Fourth moments of the two unit-variance residuals of each pair; the pair is (i, j)."""

    m40: FloatArray
    m31: FloatArray
    m22: FloatArray

    def at_correlation(self, rho: FloatArray, wanted: FloatArray) -> _PairMoments:
        """The moments after the linear map that gives each pair the partial correlation `wanted`.

        In the basis v_i ± v_j residuals of partial correlation ρ have variances 1 ∓ ρ, so the map
        scales the sum by √((1−ρ′)/(1−ρ)) and the difference by √((1+ρ′)/(1+ρ)).
        """
        plus, minus = np.sqrt((1 - wanted) / (1 - rho)), np.sqrt((1 + wanted) / (1 + rho))
        a, b = (plus + minus) / 2, (plus - minus) / 2
        m40, m31, m22, m13, m04 = self.m40, self.m31, self.m22, self.m31.T, self.m40.T
        return _PairMoments(
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


def _per_edge_rows(
    source: Source,
    result: EdgeTestResult,
    effect: float,
    power: float,
    correction: str | None,
) -> FloatArray:
    """n with P(|T| > critical) = power, T = √n ρ̂/c about √n ρ′/c with standard deviation ω/c."""
    estimate = estimate_precision(read_once(source, order=2), source.feature_names)
    p = len(source.feature_names)
    rho = np.where(np.eye(p, dtype=bool), 0.0, estimate.partial_correlation)
    wanted = np.where(rho < 0, -effect, effect)
    pilot = _pair_moments(source, estimate)
    moments = pilot.at_correlation(rho, wanted)
    spread = np.sqrt(moments.estimate_variance(wanted))
    size, unit = _statistic_units(result, moments, wanted)
    if result.method == "batch":
        # What dependence between rows does to the spread, the pilot's batches show.
        inflation = _dependence_inflation(estimate, pilot, result)
        spread, unit = spread * inflation, unit * inflation
    slope = 1 / (1 - effect**2) if result.method == "elliptical" else 1.0
    log_level = log_critical_level(
        p * (p - 1) // 2, 0, result.alpha, "bonferroni" if correction else None
    )
    quantile = float(special.ndtri(power)) * slope * spread

    def rows_at(critical: FloatArray | float) -> FloatArray:
        with np.errstate(over="ignore"):
            needed = np.maximum((critical * unit + quantile) / size, 0.0) ** 2
        return needed + (p if result.method in ("fisher", "elliptical") else 0)

    rows = rows_at(Normal().critical(log_level))
    if result.method in ("batch", "fisher"):
        # Student's critical value depends on the rows that are looked for; it settles at once.
        for _ in range(10):
            df = _student_degrees(result.method, np.maximum(rows, 3.0 * p), p)
            rows = rows_at(np.asarray(-special.stdtrit(df, math.exp(log_level) / 2), dtype=float))
    return rows


def _student_degrees(method: str, rows: FloatArray, p: int) -> FloatArray:
    if method == "fisher":
        return np.asarray(rows - p)
    batches = [expected_batches(float(n)) for n in rows.ravel()]
    degrees: FloatArray = np.maximum(np.array(batches).reshape(rows.shape) - 1, 1.0)
    return degrees


def _dependence_inflation(
    estimate: PrecisionEstimate, pilot: _PairMoments, result: EdgeTestResult
) -> FloatArray:
    """Standard errors from batches over those of independent rows; never below one."""
    rho = estimate.partial_correlation
    independent = np.sqrt(np.maximum(pilot.m22 - rho**2, 0.0) / estimate.n_samples)
    root = np.sqrt(estimate.precision.diagonal())
    between = np.asarray(result.standard_error) / np.outer(root, root)
    ratio = np.where(np.eye(len(rho), dtype=bool), 1.0, between / np.maximum(independent, 1e-300))
    # One number for all pairs: a pilot's single ratios are noise about it.
    typical = float(np.median(ratio[np.triu_indices(len(rho), k=1)]))
    return np.full(rho.shape, max(typical, 1.0))


def _statistic_units(
    result: EdgeTestResult, moments: _PairMoments, wanted: FloatArray
) -> tuple[float, FloatArray | float]:
    """What the statistic is √n times, and over: (effect on its scale, its own standard error)."""
    effect = float(np.abs(wanted).max())
    if result.method == "score":
        return effect, np.sqrt(moments.score_variance(wanted))
    if result.method == "fisher":
        return effect, math.sqrt(1 - effect**2)
    if result.method == "elliptical":
        return math.atanh(effect), math.sqrt(result.options["kurtosis_ratio"])
    return effect, np.sqrt(np.maximum(moments.m22 - wanted**2, 0.0))


def _pair_moments(source: Source, estimate: PrecisionEstimate) -> _PairMoments:
    sums = pair_sums(source.batches, estimate.centre, estimate.residual_map, estimate.n_samples)
    n, p = estimate.n_samples, len(estimate.precision)
    fourth = sums.square_square.diagonal() / n
    return _PairMoments(
        m40=np.repeat(fourth[:, np.newaxis], p, axis=1),
        m31=sums.cube_linear / n,
        m22=sums.square_square / n,
    )

"""How many rows would find an effect of a given size, and which effect would these rows find?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from edgewise import _special as special
from edgewise._checks import check_columns, check_real
from edgewise._linalg import BoolArray, FloatArray, off_diagonal
from edgewise._shown import Shown
from edgewise.errors import ParameterError, without_warnings
from edgewise.inference.corrections import log_critical_level
from edgewise.inference.decide import within_family
from edgewise.inference.references import Normal
from edgewise.inference.sample import open_sample
from edgewise.methods.method import Method
from edgewise.methods.planning import Plan, RowPlanner, effect_for_rows
from edgewise.methods.registry import DEFAULT_METHOD, method_of
from edgewise.tables.options import NORMAL_SCORES, options_of, refuse_pairwise


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class SamplePlan(Shown):
    """Rows needed to find a partial correlation of a given size.

    Attributes
    ----------
    method : str
        The test that was planned for.
    effect : float
        The partial correlation to be found.
    power : float or None
        The probability of finding it; None for the bounds, whose threshold falls to the effect.
    alpha : float
        Significance level.
    n_samples : int
        Rows for the median pair of variables.
    pairs : ndarray of shape (p, p)
        Rows for each pair; NaN on the diagonal, and for pairs that are not to be tested.
    simulated : bool
        Whether the numbers come from a simulation of up to 40 pairs; others have their median.
    transform : str or None
        What was planned for in place of the values of the columns.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> pilot = np.random.default_rng(0).standard_normal((2000, 5))
    >>> plan = ew.plan_sample_size(pilot, effect=0.15)
    >>> plan.method, plan.effect, plan.power, plan.pairs.shape
    ('score', 0.15, 0.8, (5, 5))
    >>> print(plan.summary().partition(" rows")[2])
     give 'score' a power of 0.8 to detect a partial correlation of 0.15 (alpha 0.05).
    """

    method: str
    effect: float
    power: float | None
    alpha: float
    n_samples: int
    pairs: FloatArray
    simulated: bool = False
    transform: str | None = None

    def summary(self) -> str:
        """How many rows are needed for what.

        Returns
        -------
        str
            One line.
        """
        rows, what = f"About {self.n_samples:,} rows", f"a partial correlation of {self.effect:g}"
        if self.power is None:
            return f"{rows} let {self.method!r} see {what} (alpha {self.alpha:g})."
        gives = f"give {self.method!r} a power of {self.power:g} to detect {what}"
        return f"{rows} {gives} (alpha {self.alpha:g})."

    def _brief(self) -> dict[str, Any]:
        names = ("method", "effect", "power", "alpha", "n_samples", "simulated", "transform")
        return {name: getattr(self, name) for name in names}

    def _table(self) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
        return [*self._brief()], [[*self._brief().values()]]


def plan_sample_size(
    pilot: Any,
    *,
    effect: float,
    power: float = 0.8,
    method: str | Method = DEFAULT_METHOD,
    alpha: float = 0.05,
    correction: str | None = "holm",
    columns: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    given: str | Sequence[str] | None = None,
    pairs: Iterable[tuple[str, str]] | None = None,
    missing: str = "auto",
    transform: str | None = None,
    **options: Any,
) -> SamplePlan:
    """Plan the number of rows from a pilot sample of the same kind of data.

    For the per-edge methods the pilot's residuals of each pair are given the planned correlation by
    a linear map, and the variance of the statistic there follows from their fourth moments. For the
    bounds, ε falls as n^{−1/2}. For "nodewise" residuals of the pilot are drawn with replacement,
    with the planned correlation, and tested.

    Parameters
    ----------
    pilot : array-like, data frame, Arrow stream, path or list of paths
        Rows like those to be collected; their tails decide how many are needed.
    effect : float
        The partial correlation that should be found, between 0 and 1.
    power : float
        The probability of finding it, for the per-edge methods.
    method, alpha, correction, columns, exclude, given, pairs, transform : optional
        As in `edge_test`. For step-wise corrections, the plan is for the first, strictest step.
    missing : {"auto", "drop", "raise"}
        Refuse rows of the pilot with NaN or infinite values, or leave them out.
    **options
        Options of the method, as in `edge_test`.

    Returns
    -------
    SamplePlan
        Rows for the median pair, and for each pair.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> pilot = np.random.default_rng(0).standard_normal((2000, 5))
    >>> 500 < ew.plan_sample_size(pilot, effect=0.15).n_samples < 700
    True
    """
    effect = check_real("effect", effect, above=0, below=1)
    return pilot_of(
        pilot,
        power=power,
        method=method,
        alpha=alpha,
        correction=correction,
        columns=columns,
        exclude=exclude,
        given=given,
        pairs=pairs,
        missing=missing,
        transform=transform,
        **options,
    ).plan(effect)


def detectable_effect(data: Any, *, power: float = 0.8, **arguments: Any) -> float:
    """The partial correlation that as many rows as these find: the plan, the other way round.

    Parameters
    ----------
    data : array-like, data frame, Arrow stream, path or list of paths
        The rows.
    power : float
        The probability of finding it; for the bounds, the effect that the threshold has come down
        to.
    **arguments
        The other arguments of `plan_sample_size`.

    Returns
    -------
    float
        For the median pair: planning for this effect gives as many rows as there are. NaN if so few
        rows find no effect at all.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> rows = np.random.default_rng(0).standard_normal((2000, 5))
    >>> effect = ew.detectable_effect(rows)
    >>> round(effect, 2), abs(ew.plan_sample_size(rows, effect=effect).n_samples - 2000) < 20
    (0.08, True)
    """
    return pilot_of(data, power=power, **arguments).detectable_effect()


@dataclass(frozen=True, eq=False, slots=True)
class Pilot:
    """A pilot that was measured once, to plan for many effects."""

    method: Method
    power: float
    alpha: float
    log_level: float
    tested: BoolArray
    n_samples: int
    n_dropped: int
    transform: str | None
    row_planner: RowPlanner

    def rows(self, effect: float) -> FloatArray:
        """Rows for each pair; NaN for those that are not tested."""
        plan = Plan(effect, self.power, self.alpha, self.log_level, self.tested)
        # No warning if the pilot is too small for the test: the plan says how many are enough.
        with without_warnings():
            rows = self.row_planner(plan)
        return np.where(self.tested, np.ceil(rows), np.nan)

    def plan(self, effect: float) -> SamplePlan:
        """The plan for an effect."""
        rows = self.rows(effect)
        if not np.isfinite(rows[self.tested]).all():
            raise ParameterError(
                f"effect: expected one that finitely many rows can show, got {effect:g}; plan for "
                "a larger one."
            )
        return SamplePlan(
            self.method.name,
            effect,
            None if self.method.simultaneous else self.power,
            self.alpha,
            int(np.nanmedian(rows)),
            rows,
            self.method.plans_by_simulation,
            self.transform,
        )

    def detectable_effect(self) -> float:
        """The effect for which the plan is as many rows as the pilot has; NaN if there is none."""
        critical = Normal().critical(self.log_level) + float(special.ndtri(self.power))
        guess = math.tanh(max(critical, 1.0) / math.sqrt(self.n_samples))
        return effect_for_rows(
            lambda effect: float(np.nanmedian(self.rows(effect))), self.n_samples, guess
        )


def pilot_of(
    data: Any,
    *,
    power: float = 0.8,
    method: str | Method = DEFAULT_METHOD,
    alpha: float = 0.05,
    correction: str | None = "holm",
    columns: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    given: str | Sequence[str] | None = None,
    pairs: Iterable[tuple[str, str]] | None = None,
    missing: str = "auto",
    transform: str | None = None,
    **options: Any,
) -> Pilot:
    """Measure a pilot; the arguments are those of `plan_sample_size`."""
    power = check_real("power", power, above=0, below=1)
    method = method_of(method, options, plan_sample_size)
    if NORMAL_SCORES in (transform, options_of(data).transform):
        method.check_supports("transform")
    columns, exclude = check_columns("columns", columns), check_columns("exclude", exclude)
    question = method.question(alpha, correction, given=given, pairs=pairs)
    refuse_pairwise(missing, "a plan")
    sample = open_sample(
        data,
        method.needs,
        f"method {method.name!r}",
        missing=missing,
        transform=transform,
        check_names_of=question.tested,
        columns=columns,
        exclude=exclude,
    )
    sample = replace(sample, given=question.given)
    tested = question.tested(sample.feature_names)
    wanted = off_diagonal(len(sample.feature_names)) if tested is None else tested
    first_step = "bonferroni" if question.correction else None
    with without_warnings():
        method, sample = method.resolved(sample)
        measurement = within_family(method.measure(sample), tested)
        row_planner = method.row_planner(sample, measurement)
    return Pilot(
        method,
        power,
        question.alpha,
        log_critical_level(int(wanted.sum()) // 2, 0, question.alpha, first_step),
        wanted,
        measurement.estimate.n_samples,
        sample.n_dropped,
        sample.transform,
        row_planner,
    )

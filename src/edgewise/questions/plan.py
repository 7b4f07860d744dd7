"""How many rows would find an effect of a given size?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from edgewise._base.checks import check_columns, check_real
from edgewise._base.matrices import off_diagonal
from edgewise._base.types import FloatArray
from edgewise._base.warn import without_warnings
from edgewise.errors import ParameterError
from edgewise.evidence.opening import open_evidence
from edgewise.inference.corrections import HOLM, log_critical_level
from edgewise.inference.decide import within_family
from edgewise.inference.family import Family
from edgewise.methods.method import Method
from edgewise.methods.planning import Plan
from edgewise.methods.registry import DEFAULT_METHOD, method_of
from edgewise.rows.missing import missing_of, refuse_pairwise
from edgewise.rows.normal_scores import transform_of


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
        The probability of finding it; None for the bounds. Their plan is the number of rows at
        which the threshold falls to the effect.
    alpha : float
        Significance level.
    n_samples : int
        Rows for the median pair of variables.
    pairs : ndarray of shape (p, p)
        Rows for each pair; NaN on the diagonal, and for pairs that are not to be tested.
    simulated : bool
        Whether the numbers come from a simulation with the pilot's residuals, of up to 40 pairs;
        the others have the median of these.
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
    """

    method: str
    effect: float
    power: float | None
    alpha: float
    n_samples: int
    pairs: FloatArray
    simulated: bool = False
    transform: str | None = None


def plan_sample_size(
    pilot: Any,
    *,
    effect: float,
    power: float = 0.8,
    method: str | Method = DEFAULT_METHOD,
    alpha: float = 0.05,
    correction: str | None = HOLM,
    columns: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    given: str | Sequence[str] | None = None,
    pairs: Iterable[tuple[str, str]] | None = None,
    missing: str = "raise",
    drop_missing: bool = False,
    transform: str | None = None,
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
    method : str or Method
        The test, as in `edge_test`.
    alpha : float
        Significance level.
    correction : {"holm", "bonferroni", "bh", "by", "maxt", None}
        As in `edge_test`. For step-wise corrections, the plan is for the first, strictest step.
    columns : str or sequence of str, optional
        The columns to plan for, by name; all by default.
    exclude : str or sequence of str, optional
        Columns to leave out, such as dates and labels.
    given : str or sequence of str, optional
        Columns to adjust for without testing their pairs, as in `edge_test`. Fewer pairs are
        corrected for, so each needs fewer rows. The typical number is that of the tested pairs
        only, which may be larger than that of all.
    pairs : sequence of pairs of str, optional
        The only pairs to test.
    missing : {"raise", "drop"}
        Refuse rows of the pilot with NaN or infinite values, or leave them out.
    drop_missing : bool
        The former way to say ``missing="drop"``.
    transform : {"normal-scores", None}
        Test the normal scores of the columns in place of their values, as in `edge_test`;
        the effect is then a partial correlation of the scores.
    **options
        Options of the method, as in `edge_test`.

    Returns
    -------
    SamplePlan
        Rows for the median pair, and for each pair.

    Notes
    -----
    For the per-edge methods the pilot's residuals of each pair are given the planned correlation
    by a linear map, and the variance of the statistic there follows from their fourth moments.
    For the bounds, ε falls as n^{−1/2}. For "nodewise" there is no formula: residuals of the pilot
    are drawn with replacement, with the planned correlation, and tested; which columns a lasso
    would choose from more rows is not simulated.

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
    chosen = method_of(method, options, plan_sample_size)
    if transform is not None or transform_of(pilot) is not None:
        chosen.check_transform()
    columns, exclude = check_columns("columns", columns), check_columns("exclude", exclude)
    family = Family.checked(given, pairs, columns=columns, exclude=exclude)
    question = chosen.question(alpha, correction, family=family)
    left_out = missing_of(missing, drop_missing)
    refuse_pairwise(left_out, "a plan")
    evidence = open_evidence(
        pilot,
        chosen.needs,
        f"method {chosen.name!r}",
        columns=columns,
        exclude=exclude,
        missing=left_out,
        transform=transform,
        check_names_of=family.tested,
    )
    evidence = replace(evidence, given=family.given)
    tested = family.tested(evidence.feature_names)
    wanted = off_diagonal(len(evidence.feature_names)) if tested is None else tested
    first_step = "bonferroni" if question.correction else None
    log_level = log_critical_level(int(wanted.sum()) // 2, 0, question.alpha, first_step)
    plan = Plan(effect, power, question.alpha, log_level, wanted)
    with without_warnings():
        # No warning if the pilot is too small for the test: the plan says how many rows are enough.
        measurement = within_family(chosen.measure(evidence), tested)
        rows = chosen.rows_for_effect(plan, evidence, measurement)
    if not np.isfinite(rows[wanted]).all():
        raise ParameterError(
            f"effect: expected one that finitely many rows can show, got {effect:g}; plan for a "
            "larger one."
        )
    rows = np.where(wanted, np.ceil(rows), np.nan)
    planned_power = None if chosen.simultaneous else power
    return SamplePlan(
        chosen.name,
        effect,
        planned_power,
        question.alpha,
        int(np.nanmedian(rows)),
        rows,
        chosen.plans_by_simulation,
        evidence.transform,
    )

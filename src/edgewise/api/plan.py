"""How many rows would find an effect of a given size, and which effect would these rows find?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from edgewise._checks import check_columns, check_real
from edgewise._linalg import BoolArray, FloatArray, off_diagonal, symmetric
from edgewise._shown import Shown
from edgewise.errors import DataError, EdgewiseError, ParameterError, without_warnings
from edgewise.inference.corrections import log_critical_level
from edgewise.inference.decide import within_family
from edgewise.inference.measurement import Measurement
from edgewise.inference.sample import Sample, open_sample
from edgewise.methods.method import Method
from edgewise.methods.planning import rows_found, typical_effect
from edgewise.methods.registry import DEFAULT_METHOD, method_of
from edgewise.tables.options import NORMAL_SCORES, options_of

# Parts of the pilot that stand for fewer rows: of the first rows, so many of each size.
_PARTS, _FEWEST = 4, 20


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
    transform: str | None = None

    def summary(self) -> str:
        """How many rows are needed for what."""
        rows, what = f"About {self.n_samples:,} rows", f"a partial correlation of {self.effect:g}"
        if self.power is None:
            return f"{rows} let {self.method!r} see {what} (alpha {self.alpha:g})."
        gives = f"give {self.method!r} a power of {self.power:g} to detect {what}"
        return f"{rows} {gives} (alpha {self.alpha:g})."

    def _brief(self) -> dict[str, Any]:
        names = ("method", "effect", "power", "alpha", "n_samples", "transform")
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

    The test is made on the pilot, and on parts of it where fewer rows are enough: its standard
    errors and critical values say how often a pair with the effect is found. For the bounds, the
    threshold must come down to the effect.

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
    missing : {"auto", "drop", "pairwise", "raise"}
        As in `edge_test`: the plan is for rows that lack as many values.
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


@dataclass(frozen=True, eq=False)
class Pilot:
    """A pilot that was measured once, to plan for many effects."""

    method: Method
    sample: Sample
    measured: Measurement
    power: float
    alpha: float
    log_level: float
    tested: BoolArray

    @property
    def n_samples(self) -> int:
        return self.measured.estimate.n_samples

    def rows(self, effect: float) -> FloatArray:
        """Rows for each pair; NaN for those that are not tested."""
        if self.method.simultaneous:
            rows = self.measured.uncertainty.rows_for_effect(
                self.measured.precision, self.n_samples, self.alpha, effect
            )
        else:
            rows = symmetric(self._rows_of_pairs(effect), len(self.tested), diagonal=np.nan)
        return np.where(self.tested, np.ceil(rows), np.nan)

    def _rows_of_pairs(self, effect: float) -> FloatArray:
        """Where as many rows are needed as were measured, by interpolation between the sizes."""
        asked = {"effect": effect, "power": self.power, "log_level": self.log_level}
        whole = np.log(rows_found(self.method, self.measured, self.n_samples, **asked))
        before, found = math.log(self.n_samples), whole
        excess = whole - before
        for n, parts in self._smaller if (excess < 0).any() else ():
            logs = [np.log(rows_found(self.method, part, n, **asked)) for part in parts]
            size, needed = math.log(n), np.minimum(np.median(logs, axis=0), 50.0)
            below = excess < 0  # fewer rows are enough than were measured
            with np.errstate(invalid="ignore", divide="ignore"):
                between = size + (before - size) * (needed - size) / (needed - size - excess)
            found = np.where(below, np.where(needed < size, needed, between), found)
            excess, before = np.where(below, needed - size, excess), size
            if not (excess < 0).any():
                break
        return np.exp(found)

    @cached_property
    def _smaller(self) -> list[tuple[int, list[Measurement]]]:
        """Measurements of fewer rows: few rows of heavy tails are not like many, made fewer."""
        found: list[tuple[int, list[Measurement]]] = []
        look = self.sample.first_look
        rows = np.empty((0, len(self.tested))) if look is None else look.leading
        n = min(len(rows), self.n_samples) // 2
        while n >= max(_FEWEST, 3 * rows.shape[1] // 2):
            try:
                parts = [
                    self._part(rows[k * n : (k + 1) * n])
                    for k in range(min(_PARTS, len(rows) // n))
                ]
            except EdgewiseError:
                break
            found.append((n, parts))
            n //= 2
        return found

    def _part(self, rows: FloatArray) -> Measurement:
        names, purpose = self.sample.feature_names, self.sample.purpose
        sample = open_sample(rows, self.method.needs, purpose, feature_names=names)
        with without_warnings():
            return self.method.measure(replace(sample, given=self.sample.given))

    def plan(self, effect: float) -> SamplePlan:
        """The plan for an effect."""
        rows = self.rows(effect)
        if not np.isfinite(rows[self.tested]).all():
            raise ParameterError(
                f"effect: expected one that finitely many rows can show, got {effect:g}; plan for "
                "a larger one, or take a larger pilot."
            )
        return SamplePlan(
            self.method.name,
            effect,
            None if self.method.simultaneous else self.power,
            self.alpha,
            int(np.nanmedian(rows)),
            rows,
            self.sample.transform,
        )

    def detectable_effect(self) -> float:
        """The effect that the median pair must have; NaN if none is found with so few rows."""
        return typical_effect(
            self.method,
            self.measured,
            self.n_samples,
            self.n_samples,
            self.tested,
            self.power,
            self.log_level,
            alpha=self.alpha,
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
    sample = open_sample(
        data,
        method.needs,
        f"method {method.name!r}",
        missing=missing,
        transform=transform,
        check_names_of=question.tested,
        pairwise="missing" in method.supports,
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
    own = measurement.uncertainty
    if not method.simultaneous and np.isinf(own.errors(measurement)[1][wanted]).all():
        n, p = sample.n_samples, len(wanted)
        raise DataError(
            f"pilot: expected enough rows for standard errors, got {n} rows of {p} columns; take a "
            "larger pilot."
        )
    m = int(wanted.sum()) // 2
    log_level = log_critical_level(m, 0, question.alpha, first_step)
    return Pilot(method, sample, measurement, power, question.alpha, log_level, wanted)

"""The base of all methods: what each one declares, and the checks that they share.

A method is a frozen dataclass. Its fields are its options, made with `option`: the command line,
`EdgeTest`, `compare_methods`, the report and the documentation read them from there.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from edgewise._base.checks import check_alpha, check_choice
from edgewise._base.types import FloatArray
from edgewise.errors import ParameterError
from edgewise.estimate.inverse import PrecisionEstimate, SampleMoments, estimate_precision
from edgewise.estimate.pairwise import pairwise_precision
from edgewise.inference.bound import Bound
from edgewise.inference.cautions import Assumes as Assumes
from edgewise.inference.cautions import (
    caution_about_missing,
    cautions_about_groups,
    cautions_of,
)
from edgewise.inference.corrections import CORRECTIONS, HOLM, Unasked
from edgewise.inference.diagnosis import diagnosis_of
from edgewise.inference.effect import MinEffect
from edgewise.inference.family import Family
from edgewise.inference.max_statistic import MaxStatistic
from edgewise.inference.measurement import Measurement, Uncertainty
from edgewise.inference.missingness import missingness
from edgewise.inference.question import Question
from edgewise.inference.sample import Evidence, Needs
from edgewise.methods.planning import (
    PairMoments,
    Plan,
    PlannedStatistic,
    RowPlanner,
    per_edge_rows,
    rows_for_bound,
    wanted_correlation,
)
from edgewise.paper.radii import Radius
from edgewise.paper.transfers import Transfer
from edgewise.sums.pairwise import PooledPairs
from edgewise.tables.first_look import FirstLook

if TYPE_CHECKING:
    from edgewise._base.types import FloatArray
    from edgewise.inference.max_statistic import MaxStatistic
    from edgewise.methods.planning import RowPlanner


def option(
    default: Any,
    help: str,
    *,
    choices: Sequence[str] = (),
    kind: type = str,
    parse: Callable[[str], Any] | None = None,
    metavar: str | None = None,
) -> Any:
    """A field of a method: its default, and its option on the command line.

    `kind` is the type of its value; `parse` turns the text of the command line into another one.
    """
    described = {
        "help": help,
        "choices": tuple(choices),
        "kind": kind,
        "parse": parse,
        "metavar": metavar,
    }
    return dataclasses.field(default=default, kw_only=True, metadata=described)


def _lacking(pooled: PooledPairs) -> dict[str, Any]:
    """What a result says of missing values."""
    if not pooled.incomplete:
        return {}
    return {"n_missing": tuple(pooled.n_missing.tolist()), "pair_rows": pooled.pair_rows}


def _uneven_record(pooled: PooledPairs, weights_name: str | None) -> dict[str, Any]:
    """What a result records about rows that lack values or count differently."""
    record: dict[str, Any] = {"missing": "pairwise"} if pooled.incomplete else {}
    if pooled.weighted:
        # As many rows of equal weight would say as much.
        worth = float(pooled.worth.diagonal().max())
        record |= {"weights": weights_name or "given", "effective_rows": worth}
    return record


@dataclass(frozen=True)
class Method(ABC):
    """A test of all edges, and what a user needs to know to choose it.

    Attributes
    ----------
    name : str
        Its name.
    guarantee : str
        What holds, in about five words.
    condition : str
        What the guarantee assumes about the rows, in words.
    assumes : Assumes
        The same for programs, which compare it with facts about the data.
    simultaneous : bool
        One threshold for all entries at once, so that no correction applies.
    resamples : bool
        Whether it has the correction "maxt".
    effect_scale : str
        The default scale of `min_effect`.
    compares_groups : bool
        Whether it measures a standard error of Fisher's z, which `compare_groups` needs.
    permutable : bool
        Whether it has `fisher_z_of_rows`, which permutations need.
    plans_by_simulation : bool
        Whether rows for an effect are found by simulation from a pilot, not by a formula.
    estimates_rows : bool
        Whether its mean and covariance are those of the rows, not of variables behind them.
    takes_groups : bool
        Whether it allows for rows that belong together, `edge_test(groups=…)`.
    takes_uneven : bool
        Whether it allows for rows that lack values, ``missing="pairwise"``, or count differently,
        ``weights=…``.
    takes_transform : bool
        Whether what it promises is known to hold for normal scores, `edge_test(transform=…)`.
    why_no_transform : str
        Why not, as the end of a sentence.
    """

    name: ClassVar[str]
    guarantee: ClassVar[str]
    condition: ClassVar[str]
    assumes: ClassVar[Assumes]
    simultaneous: ClassVar[bool] = False
    resamples: ClassVar[bool] = False
    compares_groups: ClassVar[bool] = False
    permutable: ClassVar[bool] = False
    plans_by_simulation: ClassVar[bool] = False
    estimates_rows: ClassVar[bool] = True
    takes_groups: ClassVar[bool] = False
    takes_uneven: ClassVar[bool] = False
    takes_transform: ClassVar[bool] = False
    why_no_transform: ClassVar[str] = "whose guarantee is not known for ranks"
    effect_scale: ClassVar[str] = "partial_correlation"
    #: How Θ is estimated; a method with another estimator names it here.
    estimator: ClassVar[
        Callable[[SampleMoments, Sequence[str], FirstLook | None], PrecisionEstimate]
    ] = staticmethod(estimate_precision)

    @property
    def needs(self) -> Needs:
        """What the method works from, with these options."""
        return Needs()

    @property
    def slow_with_many_columns(self) -> bool:
        """Whether it finds eigenvalues of a p²/2 × p²/2 matrix."""
        return False

    @classmethod
    def variants(cls) -> tuple[tuple[str, Method], ...]:
        """The lines that tables of all methods show for it, each with a label."""
        return ((cls.name, cls()),)

    @abstractmethod
    def measure(self, evidence: Evidence) -> Measurement:
        """Estimate, statistic and uncertainty of every pair; nothing is decided."""

    @abstractmethod
    def row_planner(self, evidence: Evidence, measurement: Measurement) -> RowPlanner:
        """How many rows like those of a pilot would find a planned effect, for each pair.

        The pilot is read here, once; the function that comes back is asked about many effects.
        """

    def measure_group(self, evidence: Evidence) -> Measurement:
        """The same of one of two groups, whose difference is then tested."""
        return self.measure(evidence)

    def fisher_z_of_rows(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Fisher's z of every pair and its variance, from independent rows in memory, quickly."""
        raise NotImplementedError

    def estimate(self, evidence: Evidence) -> PrecisionEstimate:
        """The estimate that the method works on."""
        if evidence.uneven is not None:
            return pairwise_precision(evidence.uneven, evidence.feature_names, evidence.first_look)
        return type(self).estimator(evidence.moments(), evidence.feature_names, evidence.first_look)

    @property
    def relies_on(self) -> Assumes:
        """What of `assumes` the guarantee needs with these options."""
        return self.assumes

    def measurement(
        self,
        evidence: Evidence,
        estimate: PrecisionEstimate,
        statistic: FloatArray,
        uncertainty: Uncertainty,
        *,
        maxima: MaxStatistic | None = None,
        record: Mapping[str, Any] | None = None,
    ) -> Measurement:
        """A measurement with all names, and with what the data say against the method."""
        facts = diagnosis_of(estimate, evidence.first_look, evidence.feature_names)
        cautions = cautions_of(facts, self.relies_on)
        if evidence.groups is not None:
            counts = evidence.groups.counts()
            cautions = cautions_about_groups(facts, self.relies_on, counts)
            known = {} if evidence.groups_name is None else {"groups": evidence.groups_name}
            record = {**(record or {}), **known, "n_groups": len(counts)}
        lacking: dict[str, Any] = {}
        if evidence.uneven is not None:
            lacking = _lacking(evidence.uneven)
            record = {**(record or {}), **_uneven_record(evidence.uneven, evidence.weights_name)}
            if evidence.uneven.incomplete:
                rows = None if evidence.first_look is None else evidence.first_look.leading
                found = missingness(evidence.uneven, rows)
                told = caution_about_missing(found, evidence.feature_names, facts.dependent)
                cautions = (*told, *cautions)
        if (
            not lacking
            and evidence.first_look is not None
            and evidence.first_look.missing is not None
        ):
            values, alone = evidence.first_look.missing
            lacking = {
                "n_missing": tuple(values.tolist()),
                "n_dropped_alone": tuple(alone.tolist()),
            }
        if evidence.transform is not None:
            record = {**(record or {}), "transform": evidence.transform}
        return Measurement(
            method=self.name,
            feature_names=evidence.feature_names,
            estimate=estimate,
            statistic=statistic,
            uncertainty=uncertainty,
            maxima=maxima,
            record=record or {},
            n_dropped=evidence.n_dropped,
            files=evidence.files,
            cautions=cautions,
            **lacking,
        )

    def check_groups(self) -> None:
        """Refuse rows that belong together, unless the method allows for that."""
        if not self.takes_groups:
            raise ParameterError(
                f"groups: expected with method 'score' or 'wald', got {self.name!r}, which does "
                "not allow for rows that belong together; use one of the two."
            )

    def check_uneven(self, *, missing: bool, weights: bool) -> None:
        """Refuse rows that lack values or count differently, unless the method allows for that."""
        if self.takes_uneven:
            return
        if weights:
            raise ParameterError(
                "weights: expected none with this method, whose errors are those of rows that "
                "count the same, got some; use method 'score', 'wald' or 'batch', or "
                "weight_kind='frequency' if a weight says how often the row was seen."
            )
        if missing:
            raise ParameterError(
                "missing: expected 'raise' or 'drop' with this method, which needs complete rows, "
                "got 'pairwise'; use method 'score', 'wald' or 'batch'."
            )

    def check_transform(self) -> None:
        """Refuse normal scores, unless what the method promises is known to hold for them."""
        if not self.takes_transform:
            raise ParameterError(
                f"transform: expected None with this method, {self.why_no_transform}, got "
                "'normal-scores'; leave it out, or use method='score'."
            )

    def question(
        self,
        alpha: object,
        correction: object = HOLM,
        min_effect: object = 0.0,
        effect_scale: object = None,
        family: Family | None = None,
    ) -> Question:
        """A checked question to this method."""
        family = Family() if family is None else family
        level = check_alpha(alpha)
        effect = MinEffect.checked(min_effect, effect_scale, self.effect_scale)
        check_choice("correction", correction, (*CORRECTIONS, "none"))
        if self.simultaneous:
            if correction not in (None, "none") and not isinstance(correction, Unasked):
                raise ParameterError(
                    f"correction: method {self.name!r} bounds all entries at once and needs none, "
                    f"got {correction!r}; leave it out."
                )
            return Question(level, None, effect, family)
        if correction == "maxt" and not self.resamples:
            raise ParameterError(
                f"correction: 'maxt' resamples batches of rows, which method {self.name!r} does "
                "not keep; use method='batch', or correction='holm'."
            )
        own = None if correction in (None, "none") else str(correction)
        return Question(level, own, effect, family)

    @classmethod
    def asked(cls, record: Mapping[str, Any]) -> dict[str, Any]:
        """From what a result records, the options that were given and are not the default."""
        return {
            field.name: record[field.name]
            for field in dataclasses.fields(cls)
            if field.name in record and record[field.name] != field.default
        }


@dataclass(frozen=True)
class PerEdgeMethod(Method):
    """A test of each edge by itself, then corrected for their number."""

    takes_transform: ClassVar[bool] = True

    @abstractmethod
    def planned(
        self, pilot: PairMoments, moments: PairMoments, wanted: FloatArray, measured: Measurement
    ) -> PlannedStatistic:
        """The statistic at the planned correlation `wanted`.

        `pilot` are the fourth moments of the pilot's residuals, `moments` those that the residuals
        would have at that correlation, `measured` is what the method measured on the pilot.
        """

    def row_planner(self, evidence: Evidence, measurement: Measurement) -> RowPlanner:
        estimate = measurement.estimate
        pilot = PairMoments.of(evidence, estimate)

        def rows(plan: Plan) -> FloatArray:
            rho, wanted = wanted_correlation(estimate, plan.effect)
            moments = pilot.at_correlation(rho, wanted)
            deviation = np.sqrt(moments.estimate_variance(wanted))
            statistic = self.planned(pilot, moments, wanted, measurement)
            return per_edge_rows(plan, statistic, deviation)

        return rows


@dataclass(frozen=True)
class BoundMethod(Method):
    """One threshold for all entries: a radius around Σ̂, and its transfer to Θ̂."""

    simultaneous: ClassVar[bool] = True
    assumes: ClassVar[Assumes] = Assumes.INDEPENDENT_ROWS | Assumes.FOURTH_MOMENTS
    condition: ClassVar[str] = "independent rows of any distribution with fourth moments"

    def bounded(
        self,
        evidence: Evidence,
        estimate: PrecisionEstimate,
        radius: Radius,
        transfer: Transfer,
        record: Mapping[str, Any],
        maxima: MaxStatistic | None = None,
    ) -> Measurement:
        """The measurement of a bound, whose statistic is Θ̂ itself."""
        bound = Bound(radius, transfer)
        return self.measurement(
            evidence, estimate, estimate.precision, bound, maxima=maxima, record=record
        )

    def row_planner(self, evidence: Evidence, measurement: Measurement) -> RowPlanner:
        return bound_planner(measurement)


def bound_planner(measurement: Measurement) -> RowPlanner:
    """Rows at which the bound of a pilot comes down to the effect."""
    bound = measurement.uncertainty
    if not isinstance(bound, Bound):
        raise TypeError("measurement: expected that of a bound")
    precision, n_samples = measurement.precision, measurement.estimate.n_samples
    return lambda plan: rows_for_bound(bound, precision, n_samples, plan.alpha, plan.effect)

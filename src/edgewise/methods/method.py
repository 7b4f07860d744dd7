"""The base of all methods: what each one declares, and the checks that they share.

A method is a frozen dataclass. Its fields are its options, made with `option`: the command line,
`EdgeTest`, `compare_methods`, the report and the documentation read them from there.
"""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np

from edgewise._checks import check_alpha, check_choice, check_count, check_flag, check_real
from edgewise._linalg import FloatArray, pairs_of
from edgewise._text import joined
from edgewise.errors import ParameterError
from edgewise.estimate.inverse import PrecisionEstimate, estimate_precision
from edgewise.estimate.pairwise import pairwise_precision
from edgewise.inference.cautions import Assumes as Assumes
from edgewise.inference.cautions import (
    caution_about_missing,
    cautions_about_clusters,
    cautions_of,
    missingness,
)
from edgewise.inference.corrections import CORRECTIONS, MaxStatistic
from edgewise.inference.diagnosis import diagnosis_of
from edgewise.inference.measurement import Measurement
from edgewise.inference.question import Question, checked_family
from edgewise.inference.sample import Needs, Sample
from edgewise.inference.uncertainty import Bound, Uncertainty
from edgewise.methods.planning import Measured

#: What a method may support besides complete, independent rows. "two groups" are those that
#: `compare_groups` compares, and "latent variables" are behind the columns: a method with these
#: estimates no mean and covariance of the rows.
Feature = Literal[
    "clusters",
    "missing",
    "weights",
    "transform",
    "maxt",
    "two groups",
    "permutations",
    "latent variables",
    "lags",
]
# The argument that asks for a feature, its value, and what else would do.
_ASKED_BY: dict[Feature, tuple[str, str]] = {
    "clusters": ("clusters: rows in clusters are", ""),
    "missing": ("missing: 'pairwise' is", ", or missing='drop'"),
    "weights": ("weights: sampling weights are", ", or repeat rows that stand for several"),
    "transform": ("transform: 'normal-scores' is", ", or leave it out"),
    "maxt": ("correction: 'maxt' is", ", or correction='holm'"),
    "two groups": ("method: a comparison of two groups is", ""),
    "permutations": ("permutations:", ", or leave them out"),
}


def option(
    default: Any,
    help: str,
    *,
    kind: type = str,
    choices: Sequence[str] = (),
    at_least: int = 0,
    above: float = 0.0,
    below: float = math.inf,
    parse: Callable[[str], Any] | None = None,
    metavar: str | None = None,
    found: bool = False,
) -> Any:
    """A field of a method: its default, the values it may have, and its command-line option.

    An int is from `at_least` on, a float between `above` and `below`; `found`: results record it.
    """
    metadata = {
        "help": help,
        "kind": kind,
        "choices": tuple(choices),
        "at_least": at_least,
        "above": above,
        "below": below,
        "parse": parse,
        "metavar": metavar,
        "found": found,
    }
    return dataclasses.field(default=default, kw_only=True, metadata=metadata)


def batches_option(help: str = "Batches of rows; by default 100, fewer above 160 columns.") -> Any:
    return option(None, help, kind=int, at_least=2, found=True)


def lags_option() -> Any:
    return option(0, "Adjust each row for so many rows before it.", kind=int)


def seed_option(help: str = "Seed of the bootstrap of --correction maxt.") -> Any:
    return option(0, help, kind=int)


@dataclass(frozen=True)
class Method(ABC):
    """A test of all edges, and what a user needs to know to choose it.

    `guarantee`: What holds, in about five words; `condition`: what it assumes about the rows, in
      words, and `assumes` for programs.
    `simultaneous`: One threshold for all entries at once, so that no correction applies.
    `effect_scale`: That of `min_effect`, "partial_correlation" or "precision".
    """

    name: ClassVar[str]
    guarantee: ClassVar[str]
    condition: ClassVar[str]
    assumes: ClassVar[Assumes]
    supports: ClassVar[frozenset[Feature]] = frozenset()
    simultaneous: ClassVar[bool] = False
    effect_scale: ClassVar[str] = "partial_correlation"

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            name, value, known = field.name, getattr(self, field.name), field.metadata
            if value is field.default:
                continue
            if known["choices"]:
                check_choice(name, value, known["choices"])
            elif known["kind"] is bool:
                value = check_flag(name, value)
            elif known["kind"] is int:
                value = check_count(name, value, at_least=known["at_least"])
            elif known["kind"] is float:
                value = check_real(name, value, above=known["above"], below=known["below"])
            object.__setattr__(self, name, value)

    @property
    def needs(self) -> Needs:
        """What the method works from, with these options."""
        return Needs()

    @property
    def relies_on(self) -> Assumes:
        """What of `assumes` the guarantee needs with these options."""
        return self.assumes

    @property
    def slow_with_many_columns(self) -> bool:
        """Whether it finds eigenvalues of a p²/2 × p²/2 matrix."""
        return False

    @classmethod
    def variants(cls) -> tuple[tuple[str, Method], ...]:
        """The lines that tables of all methods show for it, each with a label."""
        return ((cls.name, cls()),)

    @abstractmethod
    def measure(self, sample: Sample) -> Measurement:
        """Estimate, statistic and uncertainty of every pair; nothing is decided."""

    def degrees_at(self, measured: Measured, n_samples: int, rows: FloatArray) -> FloatArray:
        """Degrees of freedom of standard errors after `rows` rows like the measured ones."""
        degrees = measured.uncertainty.degrees_of_freedom()
        if np.ndim(degrees) == 0:
            return np.full(rows.shape, degrees)
        return np.asarray(pairs_of(np.asarray(degrees)) * rows / n_samples)

    def measure_group(self, sample: Sample) -> Measurement:
        return self.measure(sample)

    def fisher_z_of_rows(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Fisher's z and its variance from independent rows in memory; NaN without an inverse."""
        raise NotImplementedError

    def resolved(self, sample: Sample, *features: Feature) -> tuple[Method, Sample]:
        """The method for these rows and features, and the sample that it works from."""
        return self, sample

    def estimate(self, sample: Sample) -> PrecisionEstimate:
        if sample.estimate is not None:
            return sample.estimate
        estimated = estimate_precision if sample.pairwise is None else pairwise_precision
        moments: Any = sample.moments() if sample.pairwise is None else sample.pairwise
        return estimated(moments, sample.feature_names, sample.first_look)

    def measurement(
        self,
        sample: Sample,
        estimate: PrecisionEstimate,
        statistic: FloatArray,
        uncertainty: Uncertainty,
        *,
        maxima: MaxStatistic | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Measurement:
        """A measurement with all names, and with what the data say against the method."""
        if getattr(self, "lags", 0) != sample.lags:
            raise ParameterError("lags: only edge_test and EdgeTest have lags; leave them out.")
        names, look, pairwise = sample.feature_names, sample.first_look, sample.pairwise
        facts = sample.facts or diagnosis_of(
            estimate, look, names, sample.given if sample.lags else ()
        )
        if sample.clusters is None:
            cautions = cautions_of(facts, self.relies_on)
        else:
            n_clusters = sample.clusters.n_clusters
            cautions = cautions_about_clusters(facts, self.relies_on, n_clusters)
        if pairwise is not None and pairwise.incomplete:
            found = missingness(pairwise, None if look is None else look.leading)
            cautions = (*caution_about_missing(found, names, facts.dependent), *cautions)
        return Measurement(
            method=self.name,
            feature_names=names,
            estimate=estimate,
            statistic=statistic,
            uncertainty=uncertainty,
            maxima=maxima,
            options={**({"lags": sample.lags} if sample.lags else {}), **(options or {})},
            provenance=sample.provenance,
            cautions=cautions,
            why=sample.why,
        )

    def check_supports(self, *features: Feature) -> None:
        """Refuse what the method does not support, and name the methods that support all of it."""
        for feature in features:
            if feature not in self.supports:
                from edgewise.methods.registry import supporting  # which imports this file

                argument, or_else = _ASKED_BY[feature]
                able = [repr(name) for name in supporting(*features)]
                use = f"; use method {joined(able, 'or')}{or_else}" if able else or_else
                raise ParameterError(f"{argument} not supported by method {self.name!r}{use}.")

    def question(
        self,
        alpha: object,
        correction: object = "holm",
        min_effect: object = 0.0,
        *,
        given: object = None,
        pairs: object = None,
    ) -> Question:
        """A checked question to this method; the arguments are those of `edge_test`."""
        family = ((), None) if given is None and pairs is None else checked_family(given, pairs)
        level = check_alpha(alpha)
        below = 1.0 if self.effect_scale == "partial_correlation" else math.inf
        least = 0.0
        if not (isinstance(min_effect, Real) and min_effect == 0):
            least = check_real("min_effect", min_effect, above=0, below=below)
        check_choice("correction", correction, (*CORRECTIONS, "none"))
        own = None if correction in (None, "none") else str(correction)
        if self.simultaneous:
            if own not in (None, "holm"):  # the default, which a bound does not need
                raise ParameterError(
                    f"correction: method {self.name!r} bounds all entries at once and needs none, "
                    f"got {correction!r}; leave it out."
                )
            own = None
        elif own == "maxt":
            self.check_supports("maxt")
        return Question(level, own, least, self.effect_scale, *family)

    @classmethod
    def options_in(cls, options: Mapping[str, Any]) -> dict[str, Any]:
        """Of the options of a result, those that were given and are not the default."""
        return {
            field.name: options[field.name]
            for field in dataclasses.fields(cls)
            if not field.metadata["found"]
            and field.name in options
            and options[field.name] != field.default
        }


@dataclass(frozen=True)
class BoundMethod(Method):
    """One threshold for all entries: a radius around Σ̂, and its transfer to Θ̂."""

    simultaneous: ClassVar[bool] = True
    assumes: ClassVar[Assumes] = Assumes.INDEPENDENT_ROWS | Assumes.FOURTH_MOMENTS
    condition: ClassVar[str] = "independent rows of any distribution with fourth moments"

    def bounded(
        self, sample: Sample, estimate: PrecisionEstimate, bound: Bound, options: dict[str, Any]
    ) -> Measurement:
        return self.measurement(sample, estimate, estimate.precision, bound, options=options)

"""What results of a test and of a comparison share: tested pairs, intervals, files and pictures."""

from __future__ import annotations

import math
import os
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from edgewise import _special as special
from edgewise._checks import check_choice, check_ending, check_flag, check_real
from edgewise._linalg import AnyArray, BoolArray, FloatArray, upper_pairs
from edgewise._shown import view
from edgewise.inference.intervals import ConfidenceInterval
from edgewise.inference.measurement import Measurement, Provenance
from edgewise.inference.question import Question
from edgewise.inference.uncertainty import ALL_AT_ONCE
from edgewise.results.serialize import Serialized

IntArray: TypeAlias = npt.NDArray[np.intp]
Scale = Literal["precision", "partial_correlation", "fisher_z"]
_Array = TypeVar("_Array", bound=AnyArray)

#: Corrections for the probability of any false edge: all their decisions hold at once.
_FAMILY_WISE = ("holm", "bonferroni", "maxt")
_TINY = float(np.finfo(float).tiny)


class Result(Serialized):
    """A decision for each of the tested pairs, with intervals that go with it."""

    question: Question
    _scales: ClassVar[tuple[Scale, Scale]]

    @property
    def _measured(self) -> Measurement:
        """The measurement; of several groups, that of the first."""
        raise NotImplementedError

    @property
    def method(self) -> str:
        """The test."""
        return self._measured.method

    @property
    def why(self) -> str:
        """Why method="auto" chose it; empty if the method was named."""
        return self._measured.why

    @property
    def provenance(self) -> Provenance:
        """Which rows the numbers come from, and how they were treated."""
        return self._measured.provenance

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self._measured.feature_names

    @property
    def alpha(self) -> float:
        """The significance level."""
        return self.question.alpha

    @property
    def correction(self) -> str | None:
        """How it accounts for testing many pairs; None if one bound holds for all at once."""
        return self.question.correction

    @property
    def reject(self) -> BoolArray:
        """The pairs that were rejected: edges, or pairs that differ; False on the diagonal."""
        raise NotImplementedError

    @property
    def tested(self) -> BoolArray | None:
        """The tested pairs, with `given` or `pairs`; None if they are all."""
        raise NotImplementedError

    @property
    def n_features(self) -> int:
        """Columns."""
        return len(self.feature_names)

    @property
    def n_edges(self) -> int:
        """How many pairs were rejected: edges, or pairs that differ."""
        return int(np.count_nonzero(self.reject)) // 2

    @property
    def n_pairs(self) -> int:
        """How many pairs were tested, which is what corrections count."""
        return len(self.tested_pairs()[0])

    @property
    def given(self) -> tuple[str, ...]:
        """Columns that were adjusted for: they are in the model, but in no tested pair."""
        inside = set(self.tested_columns().tolist())
        return tuple(name for i, name in enumerate(self.feature_names) if i not in inside)

    def tested_pairs(self) -> tuple[IntArray, IntArray]:
        """The indices of the tested pairs, as in ``result.pvalue[result.tested_pairs()]``."""
        rows, columns = upper_pairs(self.n_features)
        if self.tested is None:
            return rows, columns
        own = self.tested[rows, columns]
        return rows[own], columns[own]

    def tested_columns(self) -> IntArray:
        """The indices of the columns that are in a tested pair: those that graphs show."""
        if self.tested is None:
            return np.arange(self.n_features)
        return np.flatnonzero(self.tested.any(axis=0))

    @property
    def interval_level(self) -> float:
        """The level of the intervals that are shown: 1 − alpha."""
        # Below 1e-16 alpha is lost in the difference, and the level must be below one.
        return min(1 - self.alpha, math.nextafter(1.0, 0.0))

    @property
    def interval_family(self) -> Literal["all pairs", "pointwise"]:
        """Whether the intervals shown hold for "all pairs" at once, or are "pointwise"."""
        bound = self._measured.uncertainty.promise(self.alpha) == ALL_AT_ONCE
        return "all pairs" if bound or self.correction in _FAMILY_WISE else "pointwise"

    @property
    def interval_label(self) -> str:
        """How the intervals are called wherever they are shown."""
        percent = f"{100 * self.interval_level:.4g}"
        if percent == "100":
            percent = f"{100 * self.interval_level:.15g}"
        if self.interval_family == "pointwise":
            return f"{percent} % interval, pointwise"
        return f"{percent} % interval for all {'tested ' * (self.tested is not None)}pairs at once"

    @property
    def interval_note(self) -> str:
        """Why the interval of an edge contains 0, where one does; empty where none does."""
        low, high = self.shown_interval
        if not (self.reject & (low <= 0) & (high >= 0)).any():
            return ""
        return (
            f"An interval may contain 0 though its pair is declared: {self.correction!r} decides "
            "in steps, and intervals that go with its steps would not all hold at once."
        )

    @cached_property
    def shown_interval(self) -> ConfidenceInterval:
        """The intervals of partial correlations that every table and picture shows."""
        # A correlation of ±1, or a number of a damaged file, may have no interval: that is NaN.
        with np.errstate(all="ignore"):
            low, high = self.confidence_interval(
                self.interval_level, "partial_correlation", self.interval_family == "all pairs"
            )
        return ConfidenceInterval(frozen(low), frozen(high))

    def confidence_interval(
        self, level: float = 0.95, scale: Scale | None = None, simultaneous: bool = False
    ) -> ConfidenceInterval:
        """Intervals for every pair, as arrays `low` and `high`.

        The pointwise interval of a pair leaves 0 exactly where its own p-value is at most
        1 − level. A simultaneous one leaves 0 exactly where Bonferroni's correction of that p-value
        is, or, for "maxt" and permutations, where the statistic exceeds the critical value of the
        largest. Holm and max-T, which decide in steps, find the same pairs and sometimes a few
        more; the simultaneous interval of such a further pair still contains 0.

        Parameters
        ----------
        level : float
            Confidence level, between 0 and 1.
        scale : {"precision", "partial_correlation", "fisher_z"}, optional
            Of a test, entries of Θ (by default) or partial correlations, which are better if tails
            are heavy; of a comparison, ρ_A − ρ_B (by default) or atanh ρ_A − atanh ρ_B.
        simultaneous : bool
            Whether all intervals hold at once with this level, for the tested pairs. Those of the
            bounds always do.

        Returns
        -------
        ConfidenceInterval
            The lower and the upper ends, each of shape (p, p).
        """
        level = check_real("level", level, above=0, below=1, hint=" 0.95 is usual.")
        check_flag("simultaneous", simultaneous)
        scale = self._scales[0] if scale is None else scale
        check_choice("scale", scale, self._scales)
        found = self._interval(level, scale, simultaneous)
        if self.tested is None or not (simultaneous or self._measured.uncertainty.simultaneous):
            return found
        # Intervals that hold at once do so for the tested pairs.
        known = self.tested | np.diag(self.tested.any(axis=0))
        return ConfidenceInterval(*(np.where(known, end, np.nan) for end in found))

    def _interval(self, level: float, scale: str, simultaneous: bool) -> ConfidenceInterval:
        raise NotImplementedError

    def pairs(self) -> list[Any]:
        """Every tested pair: an `Edge` by strength, or an `EdgeDifference` by p-value."""
        raise NotImplementedError

    def edges(self) -> list[Any]:
        """The pairs whose `reject` is true, in the order of `pairs`."""
        return [pair for pair in self.pairs() if pair.reject]

    def headline(self) -> str:
        """The first sentence of the summary: what was tested, how, and how much was found."""
        raise NotImplementedError

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file of the kind that its name ends in.

        Parameters
        ----------
        path : str or path
            The pairs as .csv; everything as .json; the page as .html; the picture as .png, .svg or
            .pdf; the graph of an `edge_test` as .graphml, .gexf or .cyjs.
        """
        graphs = ("graphml", "gexf", "cyjs") if hasattr(self, "to_networkx") else ()
        pictures = ("png", "svg", "pdf")
        kind = check_ending("path", path, (*graphs, "csv", "json", "html", *pictures))
        if kind in graphs:
            view("plots.export.write_graph")(self, path)
        elif kind in pictures:
            drawn = self.plot()
            view("plots.export.write_plot")(drawn[0] if isinstance(drawn, tuple) else drawn, path)
        elif kind == "html":
            self.report(path)
        elif kind == "csv":
            self.to_csv(path)
        else:
            self.to_json(path)

    def plot(self) -> Any:
        raise NotImplementedError

    def report(self, path: str | os.PathLike[str]) -> None:
        raise NotImplementedError


def frozen(array: _Array) -> _Array:
    """The array, which nobody can change any more."""
    array.flags.writeable = False
    return array


def probabilities(log_p: FloatArray, draws: int | None = None) -> FloatArray:
    """exp, but never zero: zero would claim a certainty that no test gives."""
    p = np.maximum(np.exp(log_p), _TINY)
    # Of draws, exact multiples of 1/(draws + 1): rounding must not lift one above its level.
    return p if draws is None else np.rint(p * (draws + 1)) / (draws + 1)


def equivalent_z(log_p: FloatArray, estimate: FloatArray) -> FloatArray:
    """The normal z of a two-sided p-value, with the sign of the estimate: larger is surer."""
    z = np.maximum(-special.ndtri_exp(np.minimum(log_p, 0.0) - math.log(2)), 0.0)
    return np.asarray(np.copysign(z, estimate))

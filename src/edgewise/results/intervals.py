"""The intervals of a result, and which of them its tables, files, pictures and report show.

All of them show the same ones: of the partial correlations, at the level 1 − alpha, and for the
family that the correction speaks of.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from edgewise._base.checks import check_choice, check_flag, check_real
from edgewise._base.types import FloatArray
from edgewise.errors import ParameterError
from edgewise.inference.effect import SCALES
from edgewise.inference.intervals import ConfidenceInterval
from edgewise.inference.measurement import Uncertainty
from edgewise.results.tested import Tested

if TYPE_CHECKING:
    from edgewise.results.edge import Edge

IntervalFamily = Literal["all pairs", "pointwise"]

#: Corrections for the probability of any false edge: all their decisions hold at once.
_FAMILY_WISE = ("holm", "bonferroni", "maxt")
_LARGEST_LEVEL = math.nextafter(1.0, 0.0)


class ShownIntervals(Tested):
    """Which intervals a result shows in tables, files, pictures and the report."""

    alpha: float
    correction: str | None

    @property
    def interval_level(self) -> float:
        """The level of the intervals that are shown: 1 − alpha."""
        # Below 1e-16 alpha is lost in the difference, and the level must be below one.
        return min(1 - self.alpha, _LARGEST_LEVEL)

    @property
    def interval_family(self) -> IntervalFamily:
        """Whether the intervals shown hold for "all pairs" at once, or are "pointwise".

        Those of bounds and of the corrections Holm, Bonferroni and max-T hold for all pairs at
        once; under Benjamini–Hochberg, Benjamini–Yekutieli and no correction they are pointwise.
        """
        return "all pairs" if self.correction in _FAMILY_WISE else "pointwise"

    @property
    def interval_label(self) -> str:
        """How the intervals are called wherever they are shown."""
        some = self.tested is not None
        return interval_label(self.interval_level, self.interval_family, some=some)


class Intervals(ShownIntervals):
    """What `EdgeTestResult` says about intervals."""

    radius: float | None
    precision: FloatArray
    partial_correlation: FloatArray
    statistic: FloatArray
    uncertainty: Uncertainty | None

    @property
    def interval_family(self) -> IntervalFamily:
        bound = self.correction is None and self.radius is not None
        return "all pairs" if bound else super().interval_family

    def confidence_interval(
        self,
        level: float = 0.95,
        scale: Literal["precision", "partial_correlation"] = "precision",
        simultaneous: bool = False,
    ) -> ConfidenceInterval:
        """Intervals for every entry, as arrays `low` and `high`.

        The pointwise interval of a pair leaves 0 exactly where its own p-value is at most
        1 − level. A simultaneous one leaves 0 exactly where Bonferroni's correction of that p-value
        is, or, for the correction "maxt", where the statistic exceeds the critical value of the
        largest. Holm, which decides in steps, finds the same edges and sometimes a few more, and
        so does "maxt". The simultaneous interval of such a further edge still contains 0.

        Prefer partial correlations if tails are heavy: entries of Θ also have the scale of their
        columns, which few rows then decide. Per-edge intervals of level 0.95 cover edges of Θ in
        86 to 94 % of the cases on contaminated, t₃, log-normal and Pareto rows.

        With `given` or `pairs`, simultaneous intervals hold for the tested pairs at once, and those
        of other pairs are NaN.

        Parameters
        ----------
        level : float
            Confidence level, between 0 and 1.
        scale : {"precision", "partial_correlation"}
            Entries of Θ, or partial correlations.
        simultaneous : bool
            Whether all intervals hold at once with this level. Those of the bounds always do. The
            others divide 1 − level by the number of tested pairs, or use the largest statistic
            ("maxt").

        Returns
        -------
        ConfidenceInterval
            The lower and the upper ends, each of shape (p, p).
        """
        level = check_real("level", level, above=0, below=1, hint=" 0.95 is usual.")
        check_flag("simultaneous", simultaneous)
        check_choice("scale", scale, SCALES)
        if self.uncertainty is None:
            raise ParameterError(
                "uncertainty: this result was read from a file of an older edgewise, which has no "
                "intervals; test the data again."
            )
        found = self.uncertainty.interval(self, level=level, scale=scale, simultaneous=simultaneous)
        at_once = simultaneous or self.uncertainty.simultaneous
        return self._known_ends(found) if at_once else found

    def shown_interval(self) -> ConfidenceInterval:
        """The intervals of the partial correlations that every table, file and picture shows.

        They are those of `confidence_interval` at `interval_level`, simultaneous where
        `interval_family` is "all pairs".

        Returns
        -------
        ConfidenceInterval
            The lower and the upper ends; computed once.
        """
        return self._shown_interval

    @cached_property
    def _shown_interval(self) -> ConfidenceInterval:
        # A correlation of ±1, or a number of a damaged file, may have no interval: that is NaN.
        with np.errstate(all="ignore"):
            shown = self.confidence_interval(
                self.interval_level, "partial_correlation", self.interval_family == "all pairs"
            )
        for end in shown:
            end.flags.writeable = False
        return shown


def interval_label(level: float, family: IntervalFamily, *, some: bool = False) -> str:
    """A heading for a column of intervals; `some` if only some pairs were tested.

    Examples
    --------
    >>> interval_label(0.95, "all pairs"), interval_label(0.999999, "pointwise")
    ('95 % interval for all pairs at once', '99.9999 % interval, pointwise')
    """
    percent = f"{100 * level:.4g}"
    if percent == "100":
        percent = f"{100 * level:.15g}"
    if family == "pointwise":
        return f"{percent} % interval, pointwise"
    return f"{percent} % interval for all {'tested ' * some}pairs at once"


def interval_text(edge: Edge) -> str:
    """The interval of an edge, for a cell of a table."""
    return f"{edge.interval_low:+.3f} to {edge.interval_high:+.3f}"

"""What results of a test and of a comparison share: tested pairs, intervals, files and pictures."""

from __future__ import annotations

import math
import os
from functools import cached_property
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from edgewise._checks import check_ending
from edgewise._linalg import AnyArray, BoolArray, FloatArray, upper_pairs
from edgewise._shown import Shown
from edgewise._views import view
from edgewise.inference.intervals import ConfidenceInterval

IntArray: TypeAlias = npt.NDArray[np.intp]
IntervalFamily = Literal["all pairs", "pointwise"]
_Array = TypeVar("_Array", bound=AnyArray)

#: Corrections for the probability of any false edge: all their decisions hold at once.
_FAMILY_WISE = ("holm", "bonferroni", "maxt")
_TINY = float(np.finfo(float).tiny)


class Result(Shown):
    """A decision for each of the tested pairs, with intervals that go with it."""

    @property
    def alpha(self) -> float:
        """The significance level."""
        raise NotImplementedError

    @property
    def correction(self) -> str | None:
        """How it accounts for testing many pairs; None if one bound holds for all at once."""
        raise NotImplementedError

    @property
    def _all_at_once(self) -> bool:
        return False

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the columns."""
        raise NotImplementedError

    @property
    def reject(self) -> BoolArray:
        """The pairs that were rejected: edges, or pairs that differ; False on the diagonal."""
        raise NotImplementedError

    @property
    def tested(self) -> BoolArray | None:
        """The tested pairs, with `given` or `pairs`; None if they are all."""
        raise NotImplementedError

    @property
    def radius(self) -> float | None:
        """The bound ε on the error of the covariance, where the method has one."""
        return None

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
        """The indices of the tested pairs above the diagonal, row by row.

        Returns
        -------
        tuple of two ndarray of int
            Rows and columns, to index a matrix of the result with.

        Examples
        --------
        >>> import numpy as np
        >>> import edgewise as ew
        >>> rows = np.random.default_rng(0).standard_normal((100, 4))
        >>> result = ew.edge_test(rows, given=["x1"])
        >>> result.pvalue[result.tested_pairs()].shape
        (3,)
        """
        rows, columns = upper_pairs(self.n_features)
        if self.tested is None:
            return rows, columns
        own = self.tested[rows, columns]
        return rows[own], columns[own]

    def tested_columns(self) -> IntArray:
        """The indices of the columns that are in a tested pair: those that graphs show.

        Returns
        -------
        ndarray of int
            In order.
        """
        if self.tested is None:
            return np.arange(self.n_features)
        return np.flatnonzero(self.tested.any(axis=0))

    @property
    def interval_level(self) -> float:
        """The level of the intervals that are shown: 1 − alpha."""
        # Below 1e-16 alpha is lost in the difference, and the level must be below one.
        return min(1 - self.alpha, math.nextafter(1.0, 0.0))

    @property
    def interval_family(self) -> IntervalFamily:
        """Whether the intervals shown hold for "all pairs" at once, or are "pointwise".

        Those of bounds and of the corrections Holm, Bonferroni and max-T hold for all pairs at
        once; under Benjamini–Hochberg, Benjamini–Yekutieli and no correction they are pointwise, as
        where a bound is proven for each entry only.
        """
        bound = self.correction is None and self._all_at_once
        return "all pairs" if bound or self.correction in _FAMILY_WISE else "pointwise"

    @property
    def interval_label(self) -> str:
        """How the intervals are called wherever they are shown."""
        some = self.tested is not None
        return interval_label(self.interval_level, self.interval_family, some=some)

    def shown_interval(self) -> ConfidenceInterval:
        """The intervals on the scale of partial correlations that every table and picture shows.

        Returns
        -------
        ConfidenceInterval
            Those of `confidence_interval` at `interval_level`, simultaneous where
            `interval_family` is "all pairs".
        """
        return self._shown_interval

    @cached_property
    def _shown_interval(self) -> ConfidenceInterval:
        # A correlation of ±1, or a number of a damaged file, may have no interval: that is NaN.
        with np.errstate(all="ignore"):
            low, high = self.confidence_interval(
                self.interval_level, "partial_correlation", self.interval_family == "all pairs"
            )
        return ConfidenceInterval(frozen(low), frozen(high))

    def confidence_interval(
        self, level: float = 0.95, scale: Any = "partial_correlation", simultaneous: bool = False
    ) -> ConfidenceInterval:
        raise NotImplementedError

    def pairs(self) -> list[Any]:
        """Every tested pair: an `Edge` by strength, or an `EdgeDifference` by p-value."""
        raise NotImplementedError

    def edges(self) -> list[Any]:
        """The pairs whose `reject` is true, in the order of `pairs`.

        Returns
        -------
        list
            One `Edge` or `EdgeDifference` for each.
        """
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
            view("write_graph")(self, path)
        elif kind in pictures:
            drawn = self.plot()
            view("write_plot")(drawn[0] if isinstance(drawn, tuple) else drawn, path)
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

    def _of_tested(self, interval: ConfidenceInterval) -> ConfidenceInterval:
        """Intervals that hold at once do so for the tested pairs; those of others are NaN."""
        if self.tested is None:
            return interval
        known = self.tested | np.diag(self.tested.any(axis=0))
        return ConfidenceInterval(*(np.where(known, end, np.nan) for end in interval))


def frozen(array: _Array) -> _Array:
    """The array, which nobody can change any more."""
    array.flags.writeable = False
    return array


def probabilities(log_p: FloatArray, draws: int | None = None) -> FloatArray:
    """exp, but never zero: zero would claim a certainty that no test gives."""
    p = np.maximum(np.exp(log_p), _TINY)
    # Of draws, exact multiples of 1/(draws + 1): rounding must not lift one above its level.
    return p if draws is None else np.rint(p * (draws + 1)) / (draws + 1)


def interval_label(level: float, family: IntervalFamily, *, some: bool = False) -> str:
    """A heading for a column of intervals; `some` if only some pairs were tested."""
    percent = f"{100 * level:.4g}"
    if percent == "100":
        percent = f"{100 * level:.15g}"
    if family == "pointwise":
        return f"{percent} % interval, pointwise"
    return f"{percent} % interval for all {'tested ' * some}pairs at once"

"""The result of a test of all edges: it holds the measurement, the question and the decision."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from edgewise._checks import check_choice, check_flag, check_real
from edgewise._linalg import AnyArray, BoolArray, FloatArray, off_diagonal, pairs_of, symmetric
from edgewise._optional import is_installed
from edgewise._views import view
from edgewise.errors import ParameterError
from edgewise.inference.corrections import DRAWS
from edgewise.inference.decide import Decision, PerEdgeThreshold, decision
from edgewise.inference.intervals import ConfidenceInterval
from edgewise.inference.measurement import Measurement, Provenance, Selection
from edgewise.inference.question import SCALES, Question
from edgewise.inference.uncertainty import ALL_AT_ONCE, NoUncertainty, Uncertainty
from edgewise.results.base import Result, frozen, probabilities
from edgewise.results.frames import Edge, all_pairs, graph_of
from edgewise.results.serialize import Serialized
from edgewise.results.summary import brief, headline, is_chosen, methods_text, summary
from edgewise.tables.files import FileRead

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import networkx as nx
    from matplotlib.axes import Axes


def decide(
    measurement: Measurement, question: Question, notes: tuple[str, ...] = ()
) -> EdgeTestResult:
    """Levels, families, corrections, effects and thresholds: once, for all methods."""
    return EdgeTestResult(question, *decision(measurement, question), notes)


@dataclass(frozen=True, eq=False, repr=False)
class EdgeTestResult(Result, Serialized):
    """The outcome of testing H₀: Θ_ij = 0 for pairs of variables: all, or some.

    Matrices are of shape (p, p), symmetric and read-only. On the diagonal, and for pairs that were
    not tested, statistics and p-values are NaN.

    Attributes
    ----------
    question : Question
        The level, the correction, the smallest effect, and the pairs to test.
    measurement : Measurement
        What the method measured, and what is known about the rows.
    decision : Decision
        P-values and edges.
    notes : tuple of str
        What was left out, or done to the data, in sentences.

    Examples
    --------
    >>> import edgewise as ew
    >>> result = ew.edge_test(ew.datasets.load_sp500_returns())
    >>> result
    EdgeTestResult(method='batch', alpha=0.05, correction='holm', n_samples=8312, n_features=20,
                   edges=45)
    >>> print(result.why)
    Rows depend on the rows before them (...), so batch was used instead of score.
    >>> print(result.headline())
    45 of 190 possible edges among 20 variables, from 8312 rows (method 'batch', alpha 0.05, holm).
    >>> print(result.pair("KO", "PEP").sentence())
    KO and PEP still move together, 0.33 (0.25 to 0.40), after accounting for the 18 others.
    >>> result.to_frame("pyarrow").num_rows, result.to_networkx().number_of_edges()
    (190, 45)
    >>> int(result.adjacency.loc["CVX", "XOM"]), float(result.partial_correlation[4, 19].round(2))
    (1, 0.69)
    >>> low, high = result.confidence_interval(scale="partial_correlation")
    >>> bool((low <= high).all()), result.interval_label
    (True, '95 % interval for all pairs at once')
    >>> ew.EdgeTestResult.from_json(result.to_json()).n_edges
    45
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result.save(f"{folder}/edges.csv")
    ...     result.report(f"{folder}/report.html")
    """

    question: Question
    measurement: Measurement
    decision: Decision
    notes: tuple[str, ...] = ()

    _format: ClassVar = "edgewise result 2"
    _derived: ClassVar = (
        *(
            "method",
            "why",
            "alpha",
            "correction",
            "n_samples",
            "n_features",
            "feature_names",
            "given",
        ),
        *("interval_level", "interval_family", "edges"),
    )

    def __post_init__(self) -> None:
        own = self.measurement
        for array in (*_arrays(own), *_arrays(own.estimate), *_arrays(self.decision)):
            frozen(array)

    @property
    def method(self) -> str:
        """The test."""
        return self.measurement.method

    @property
    def why(self) -> str:
        """Why method="auto" chose it; empty if the method was named."""
        return self.measurement.why

    @property
    def alpha(self) -> float:
        return self.question.alpha

    @property
    def correction(self) -> str | None:
        return self.question.correction

    @property
    def options(self) -> dict[str, Any]:
        """Further options of the method, and what it recorded."""
        effect, scale = self.question.effect
        least = {"min_effect": effect, "effect_scale": scale} if effect else {}
        return {**self.measurement.options, **self.provenance.options(), **least}

    @property
    def provenance(self) -> Provenance:
        """Which rows the numbers come from, and how they were treated."""
        return self.measurement.provenance

    @property
    def n_samples(self) -> int:
        """Rows."""
        return self.measurement.estimate.n_samples

    @property
    def n_dropped(self) -> int:
        """Rows left out because of missing values."""
        return self.provenance.n_dropped

    @property
    def files(self) -> tuple[FileRead, ...]:
        """The files that were read, and how many rows each has; empty for rows in memory."""
        return self.provenance.files

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self.measurement.feature_names

    @property
    def covariance(self) -> FloatArray:
        """Σ̂; of the standardised columns where the test was asked to standardise."""
        return self.measurement.estimate.covariance

    @property
    def precision(self) -> FloatArray:
        """Θ̂, the inverse of the covariance."""
        return self.measurement.estimate.precision

    @property
    def partial_correlation(self) -> FloatArray:
        """Partial correlations, −Θ̂_ij/√(Θ̂_iiΘ̂_jj)."""
        return self.measurement.estimate.partial_correlation

    @property
    def uncertainty(self) -> Uncertainty:
        """The source of p-values and intervals: standard errors and a reference, or a bound."""
        return self.measurement.uncertainty

    @property
    def _all_at_once(self) -> bool:
        return self.uncertainty.promise(self.alpha) == ALL_AT_ONCE

    @property
    def selection(self) -> Selection | None:
        """The neighbours that "nodewise" chose for each column; None for the other methods."""
        return self.measurement.selection

    @property
    def cautions(self) -> tuple[str, ...]:
        """What the data say against the method, in sentences."""
        return self.measurement.cautions

    @property
    def tested(self) -> BoolArray | None:
        return self.decision.tested

    @property
    def radius(self) -> float | None:
        return self.decision.radius

    @property
    def rows_needed(self) -> int | None:
        """With an infinite threshold, about how many rows would make it finite."""
        return self.decision.rows_needed

    @cached_property
    def statistic(self) -> FloatArray:
        """Θ̂_ij for the bounds, a studentised value for the others."""
        statistic = self.measurement.statistic.copy()
        tested = off_diagonal(self.n_features) if self.tested is None else self.tested
        statistic[~tested] = np.nan
        return frozen(statistic)

    @cached_property
    def log_pvalue(self) -> FloatArray:
        """Natural logarithm of the p-values."""
        return frozen(symmetric(self.decision.log_pvalue, self.n_features, diagonal=np.nan))

    @cached_property
    def pvalue(self) -> FloatArray:
        """Two-sided p-values; never 0: below 2.2e-308 the value is in `log_pvalue`."""
        return frozen(probabilities(self.log_pvalue))

    @cached_property
    def adjusted_pvalue(self) -> FloatArray:
        """The p-values corrected for the number of tested pairs."""
        log_p = symmetric(self.decision.log_adjusted, self.n_features, diagonal=np.nan)
        return frozen(probabilities(log_p, DRAWS if self.correction == "maxt" else None))

    @cached_property
    def reject(self) -> BoolArray:
        return frozen(symmetric(self.decision.reject, self.n_features, diagonal=False))

    @property
    def adjacency(self) -> Any:
        """0 and 1 with the names of the columns: a pandas frame, or an array without pandas."""
        values = self.reject.astype(int)
        if not is_installed("pandas"):
            return values
        names = list(self.feature_names)
        return import_module("pandas").DataFrame(values, index=names, columns=names)

    @cached_property
    def threshold(self) -> float | FloatArray:
        """What the absolute precision was compared with; infinite when the rows are too few."""
        found = self.decision.threshold
        if isinstance(found, PerEdgeThreshold):
            found = found.of(self.uncertainty, self.measurement, self.tested)
        if isinstance(found, np.ndarray):
            found = np.where(off_diagonal(self.n_features), found, np.nan)
            return frozen(found)
        return found

    @property
    def standard_error(self) -> FloatArray | None:
        """Of the entries of `precision`, where the method has them."""
        return None if self._errors is None else self._errors[0]

    @property
    def partial_correlation_standard_error(self) -> FloatArray | None:
        """Of the entries of `partial_correlation`, where the method has them."""
        return None if self._errors is None else self._errors[1]

    @cached_property
    def _errors(self) -> tuple[FloatArray, FloatArray] | None:
        if self.uncertainty.simultaneous:
            return None
        of_precision, of_partial = self.uncertainty.errors(self.measurement)
        return frozen(of_precision), frozen(of_partial)

    def pairs(self) -> list[Edge]:
        return all_pairs(self)

    def edges(self) -> list[Edge]:
        return all_pairs(self, edges_only=True)

    def pair(self, a: str, b: str) -> Edge:
        """What the test says about one pair of variables.

        Parameters
        ----------
        a, b : str
            Their names, in either order.

        Returns
        -------
        Edge
            Whether it is an edge or not.
        """
        found = [pair for pair in self.pairs() if {a, b} == {pair.source, pair.target}]
        if not found:
            raise ParameterError(f"{a!r} and {b!r} are no tested pair of this result.")
        return found[0]

    def to_networkx(self) -> nx.Graph[str]:
        """The edges as a graph: every tested variable a node, the numbers as edge attributes.

        Returns
        -------
        networkx.Graph
            Edges have a `weight`, the size of ρ̂, for measures that need strengths, and a
            `distance`, its inverse, for measures of paths.
        """
        return graph_of(self)

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

        Parameters
        ----------
        level : float
            Confidence level, between 0 and 1.
        scale : {"precision", "partial_correlation"}
            Entries of Θ, or partial correlations, which are better if tails are heavy.
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
        check_choice("scale", scale, SCALES)
        found = self.uncertainty.interval(self, level=level, scale=scale, simultaneous=simultaneous)
        at_once = simultaneous or self.uncertainty.simultaneous
        return self._of_tested(found) if at_once else found

    def plot(
        self,
        kind: str = "network",
        *,
        lines: Sequence[Any] | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Axes:
        """Draw the result.

        Parameters
        ----------
        kind : str
            Which picture: "network", "heatmap", "volcano", "forest", "pvalues" or "centrality"; of
            several methods on the same data "agreement" or "ladder".
        lines : sequence of Comparison, optional
            What `compare_methods` found on the same data, for "agreement" and "ladder".
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        **options
            Further options of that picture; `edgewise.plots.plots` has a function for each.

        Returns
        -------
        matplotlib axes
            Where it was drawn; ``ax.figure`` is the page.
        """
        drawn: Axes = view("plot")(self, kind, lines=lines, ax=ax, **options)
        return drawn

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        data: Any = None,
        compare: bool | None = None,
        title: str | None = None,
        rows: bool = True,
    ) -> None:
        """Write one HTML file to look at, explore and send.

        It needs no network and no Python. The level, the correction and the minimal effect can be
        changed in the browser, which then decides as `edge_test` would.

        Parameters
        ----------
        path : path
            Where to write it.
        data : optional
            The data that were tested, as `edge_test` takes them. With them the report also says
            what they are like (tails, dependence, scales) and shows every method side by side.
        compare : bool, optional
            Whether to run all other methods too; by default those that do not take long.
        title : str, optional
            The title of the page.
        rows : bool
            Whether the page may hold up to 500 sampled rows of `data`, as residuals, for scatter
            plots of single edges. Say False if the rows are confidential.
        """
        view("report")(self, path, data=data, compare=compare, title=title, rows=rows)

    def explore(self, height: int = 800) -> Any:
        """The report inside a cell of a notebook.

        Parameters
        ----------
        height : int
            Of the cell, in pixels.

        Returns
        -------
        object
            What the notebook shows as HTML.
        """
        return view("explore")(self, height)

    def summary(self) -> str:
        return summary(self)

    def methods_text(self) -> str:
        """A paragraph about this analysis for a paper, with versions and citations.

        Returns
        -------
        str
            Sentences to copy and to change.
        """
        return methods_text(self)

    def headline(self) -> str:
        return headline(self)

    def _brief(self) -> dict[str, Any]:
        return brief(self)

    def _table(self) -> tuple[Sequence[str], Sequence[Edge]]:
        return Edge._fields, self.pairs()

    def _repr_html_(self) -> str:
        return str(view("html")(self))

    def with_measured(self, **changes: Any) -> EdgeTestResult:
        """The same result with other values in its measurement, or in the provenance of that.

        Parameters
        ----------
        **changes
            Fields of `Measurement` or of `Provenance`.

        Returns
        -------
        EdgeTestResult
            A new one, with the same question and decision.
        """
        known = {one.name for one in fields(Provenance)}
        rows = {name: changes.pop(name) for name in known & {*changes}}
        provenance = replace(self.provenance, **rows)
        measured = replace(self.measurement, provenance=provenance, **changes)
        return replace(self, measurement=measured)


def _arrays(value: Any) -> list[AnyArray]:
    inside = [getattr(value, name) for name in value.__dataclass_fields__]
    return [one for one in inside if isinstance(one, np.ndarray)]


def tested_part(result: EdgeTestResult) -> EdgeTestResult:
    """The same numbers of the tested columns alone, for pictures of them; it has no intervals."""
    if result.tested is None:
        return result
    columns, p = result.tested_columns(), result.n_features
    at = np.ix_(columns, columns)

    def part(value: Any) -> Any:
        if isinstance(value, np.ndarray) and value.shape == (p, p):
            return value[at]
        if isinstance(value, np.ndarray) and value.shape == (p * (p - 1) // 2,):
            return pairs_of(symmetric(value, p, diagonal=value.dtype.type(0))[at])
        if isinstance(value, tuple) and len(value) == p:
            return tuple(value[i] for i in columns)
        return value

    def parts(value: Any) -> dict[str, Any]:
        return {known.name: part(getattr(value, known.name)) for known in fields(value)}

    measured, decided = result.measurement, parts(result.decision)
    if (decided["tested"] == off_diagonal(len(columns))).all():
        decided["tested"] = None
    estimate = replace(measured.estimate, **parts(measured.estimate))
    without = {"estimate": estimate, "uncertainty": NoUncertainty(), "selection": None}
    without["provenance"] = replace(measured.provenance, **parts(measured.provenance))
    measured = replace(measured, **(parts(measured) | without))
    return replace(result, measurement=measured, decision=replace(result.decision, **decided))


def chosen_pairs(result: Result) -> list[tuple[str, str]] | None:
    """What `pairs` of `edge_test` was; None if all pairs of the tested columns were tested."""
    if not is_chosen(result):
        return None
    names = result.feature_names
    return [(names[i], names[j]) for i, j in zip(*result.tested_pairs(), strict=True)]

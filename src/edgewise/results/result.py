"""The result of a test of all edges: it holds the measurement, the question and the decision."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from edgewise._linalg import AnyArray, BoolArray, FloatArray, off_diagonal, symmetric
from edgewise._optional import is_installed, require
from edgewise._shown import view
from edgewise.errors import ParameterError
from edgewise.inference.corrections import DRAWS
from edgewise.inference.decide import Decision, decision
from edgewise.inference.intervals import ConfidenceInterval
from edgewise.inference.measurement import Measurement, Provenance, Selection
from edgewise.inference.question import Question
from edgewise.inference.uncertainty import Uncertainty
from edgewise.results.base import Result, equivalent_z, frozen, probabilities
from edgewise.results.summary import brief, headline, methods_text, number_text, summary
from edgewise.tables.table import FileRead

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import networkx as nx
    from matplotlib.axes import Axes


class Edge(NamedTuple):
    """One pair of variables and what the test says about it.

    Attributes
    ----------
    source, target : str
        The two variables. An edge has no direction: this is the order of the columns.
    partial_correlation : float
        Their estimated correlation given all other variables; by "nodewise", given chosen ones.
    standard_error : float
        Of the partial correlation; NaN for a bound, which has none.
    interval_low, interval_high : float
        Interval of the partial correlation, of the level and the family that the result's
        `interval_label` says.
    precision : float
        The estimate of Θ_ij.
    statistic : float
        The normal z with this p-value and the sign of the partial correlation, so that a larger one
        is surer, whatever the method; the matrix `statistic` of a result has the method's own.
    pvalue, adjusted_pvalue : float
        Of this pair alone, and corrected for the number of pairs.
    reject : bool
        Whether the pair is an edge.
    n_samples : int
        The rows that it was tested with; with missing="pairwise", those that have both variables.
    n_adjusted_for : int
        How many other columns it was adjusted for: all, unless the method is "nodewise".

    Examples
    --------
    >>> import edgewise as ew
    >>> strongest = ew.edge_test(ew.datasets.load_sp500_returns()).edges()[0]
    >>> strongest.source, strongest.target, round(strongest.partial_correlation, 3)
    ('CVX', 'XOM', 0.693)
    >>> print(strongest.sentence())
    CVX and XOM still move together, 0.69 (0.64 to 0.74), after accounting for the 18 others.
    """

    source: str
    target: str
    partial_correlation: float
    standard_error: float
    interval_low: float
    interval_high: float
    precision: float
    statistic: float
    pvalue: float
    adjusted_pvalue: float
    reject: bool
    n_samples: int
    n_adjusted_for: int

    def sentence(self) -> str:
        """The pair in plain words: what is left of its association, and its interval."""
        rho, low, high = self.partial_correlation, self.interval_low, self.interval_high
        ends = "" if math.isnan(low) else f" ({number_text(low)} to {number_text(high)})"
        n = self.n_adjusted_for
        others = f", after accounting for the {f'{n} others' if n > 1 else 'other one'}" * (n > 0)
        both, size = f"{self.source} and {self.target}", f", {number_text(rho)}{ends}{others}."
        if not self.reject:
            return f"No association of {both} is clear{size}"
        still = "still " * (n > 0)
        return f"{both} {still}move {'together' if rho > 0 else 'in opposite directions'}{size}"


class LaggedEdge(NamedTuple):
    """A column, so many rows before, and another one now: the association given the rest of the past.

    Attributes
    ----------
    source, target : str
        The column in the past, and the one that it leads to.
    lag : int
        How many rows lie between them.
    partial_correlation : float
        Given all other columns of the rows before.
    pvalue, adjusted_pvalue : float
        Of this pair alone, and corrected for all pairs of a column of the past and one of now.
    reject : bool
        Whether it is an edge.

    Examples
    --------
    >>> import edgewise as ew
    >>> returns = ew.datasets.load_sp500_returns()
    >>> found = ew.edge_test(returns, columns=["KO", "PEP", "JPM"], lags=1).lagged
    >>> len(found), found[0].lag
    (9, 1)
    """

    source: str
    target: str
    lag: int
    partial_correlation: float
    pvalue: float
    adjusted_pvalue: float
    reject: bool


def decide(
    measurement: Measurement, question: Question, notes: tuple[str, ...] = ()
) -> EdgeTestResult:
    """Levels, families, corrections, effects and thresholds: once, for all methods."""
    return EdgeTestResult(question, *decision(measurement, question), notes)


@dataclass(frozen=True, eq=False, repr=False)
class EdgeTestResult(Result):
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
    lagged : tuple of LaggedEdge
        With the option `lags`, every pair of a column of the rows before and one of now, the surest
        first.

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
    lagged: tuple[LaggedEdge, ...] = ()

    _format: ClassVar = "edgewise result 3"
    _derived: ClassVar = (
        "method why alpha correction n_samples n_features feature_names given interval_level "
        "interval_family edges"
    )
    _scales: ClassVar = ("precision", "partial_correlation")

    def __post_init__(self) -> None:
        for part in (self.measurement, self.measurement.estimate, self.decision):
            for known in fields(part):
                if isinstance(array := getattr(part, known.name), np.ndarray):
                    array.flags.writeable = False

    @property
    def _measured(self) -> Measurement:
        return self.measurement

    @property
    def options(self) -> dict[str, Any]:
        """Further options of the method, and what it recorded."""
        effect, scale = self.question.effect
        least = {"min_effect": effect, "effect_scale": scale} if effect else {}
        return {**self.measurement.options, **self.provenance.options(), **least}

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
        """The bound ε on the error of the covariance, where the method has one."""
        return self.decision.radius

    @property
    def rows_needed(self) -> int | None:
        """With an infinite threshold, about how many rows would make it finite."""
        return self.decision.rows_needed

    @cached_property
    def statistic(self) -> FloatArray:
        """Θ̂_ij for the bounds, a studentised value for the others."""
        tested = off_diagonal(self.n_features) if self.tested is None else self.tested
        return frozen(np.where(tested, self.measurement.statistic, np.nan))

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
        if found is None:
            least = self.question.min_effect
            found = self.uncertainty.threshold(self.measurement, self.decision.log_level, least)
        if isinstance(found, np.ndarray):
            tested = off_diagonal(self.n_features) if self.tested is None else self.tested
            return frozen(np.where(tested, found, np.nan))
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

    def _interval(self, level: float, scale: str, simultaneous: bool) -> ConfidenceInterval:
        own: Any = self  # pyright finds no cached properties in a protocol
        return self.uncertainty.interval(own, level=level, scale=scale, simultaneous=simultaneous)

    def pairs(self) -> list[Edge]:
        return self._pairs(self.tested_pairs())

    def edges(self) -> list[Edge]:
        rows, columns = self.tested_pairs()
        found = self.reject[rows, columns]
        return self._pairs((rows[found], columns[found]))

    def _pairs(self, at: tuple[AnyArray, AnyArray]) -> list[Edge]:
        """These pairs, the strongest partial correlation first."""
        order = np.argsort(-np.abs(self.partial_correlation[at]), kind="stable")
        at = at[0][order], at[1][order]
        p, errors, rows = self.n_features, self._errors, self.provenance.pair_rows
        low, high = self.shown_interval
        matrices: list[AnyArray] = [
            self.partial_correlation,
            np.full((p, p), np.nan) if errors is None else errors[1],
            low,
            high,
            self.precision,
            equivalent_z(self.log_pvalue, self.partial_correlation),
            self.pvalue,
            self.adjusted_pvalue,
            self.reject,
            np.full((p, p), self.n_samples) if rows is None else rows,
            np.full((p, p), p - 2) if self.selection is None else self.selection.sizes(),
        ]
        names = np.array(self.feature_names, dtype=object)
        columns = [matrix[at].tolist() for matrix in matrices]
        for column in columns[1:4]:  # the same NaN everywhere: such pairs compare as equal
            column[:] = [math.nan if value != value else value for value in column]
        return list(map(Edge, names[at[0]], names[at[1]], *columns))

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
        for pair in self.pairs():
            if {a, b} == {pair.source, pair.target}:
                return pair
        raise ParameterError(f"{a!r} and {b!r} are no tested pair of this result.")

    def to_networkx(self) -> nx.Graph[str]:
        """The edges as a networkx graph: every tested variable a node, numbers as edge attributes.

        Edges have a `weight`, the size of ρ̂, and a `distance`, its inverse, for measures of paths.
        """
        require("networkx", "plot", "A graph of networkx")
        import networkx as nx

        rows = self.provenance
        about: dict[str, Any] = {"adjusted_for": ", ".join(self.given)}
        about |= {"transform": rows.transform, "pooled": rows.n_copies}
        graph: nx.Graph[str] = nx.Graph(
            method=self.method,
            alpha=self.alpha,
            n_samples=self.n_samples,
            intervals=self.interval_label,
            **{name: value for name, value in about.items() if value},
        )
        graph.add_nodes_from(self.feature_names[i] for i in self.tested_columns())
        for edge in self.edges():
            numbers: dict[str, Any] = dict(zip(edge._fields[2:10], edge[2:10], strict=True))
            weight = abs(edge.partial_correlation)
            distance = 1 / weight if weight else math.inf
            graph.add_edge(*edge[:2], weight=weight, distance=distance, **numbers)
        return graph

    def plot(self, kind: str = "network", *, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the result.

        Parameters
        ----------
        kind : str
            Which picture: "network", "heatmap", "volcano", "forest", "pvalues" or "centrality".
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        **options
            Further options of that picture; see `edgewise.plots.plots.plot`.

        Returns
        -------
        matplotlib axes
            Where it was drawn; ``ax.figure`` is the page.
        """
        drawn: Axes = view("plots.plots.plot")(self, kind, ax=ax, **options)
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
        write = view("api.reporting.write_report")
        write(self, path, data=data, compare=compare, title=title, rows=rows)

    def explore(self) -> Any:
        """The report inside a cell of a notebook."""
        return view("api.reporting.Page")(self)

    def summary(self) -> str:
        return summary(self)

    def methods_text(self) -> str:
        """A paragraph about this analysis for a paper, with versions and citations."""
        return methods_text(self)

    def headline(self) -> str:
        return headline(self)

    def _brief(self) -> dict[str, Any]:
        return brief(self)

    def _table(self) -> tuple[Sequence[str], Sequence[Edge]]:
        return Edge._fields, self.pairs()

    def _repr_html_(self) -> str:
        return str(view("plots.notebook.result_html")(self))

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
        return replace(
            self, measurement=replace(self.measurement, provenance=provenance, **changes)
        )


def chosen_pairs(result: Result) -> list[tuple[str, str]] | None:
    """What `pairs` of `edge_test` was; None if all pairs of the tested columns were tested."""
    k, names = len(result.tested_columns()), result.feature_names
    if result.n_pairs == k * (k - 1) // 2:
        return None
    return [(names[i], names[j]) for i, j in zip(*result.tested_pairs(), strict=True)]

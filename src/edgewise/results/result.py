"""The result of a test of all edges: one frozen value, the same for all methods."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from edgewise._checks import check_choice, check_flag, check_real
from edgewise._linalg import AnyArray, BoolArray, FloatArray, off_diagonal
from edgewise.errors import ParameterError
from edgewise.inference.decide import PerEdgeThreshold
from edgewise.inference.intervals import ConfidenceInterval
from edgewise.inference.measurement import Selection
from edgewise.inference.question import SCALES
from edgewise.inference.uncertainty import Uncertainty
from edgewise.results.base import Result
from edgewise.results.edge import (
    Edge,
    FrameKind,
    adjusted_counts,
    all_pairs,
    frame_kind,
    frame_of,
    graph_of,
    new_frame,
)
from edgewise.results.summary import headline, is_chosen, shortest, summary
from edgewise.tables.file_read import FileRead

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import networkx as nx
    from matplotlib.axes import Axes

_MATRICES = (
    *("covariance", "precision", "partial_correlation", "statistic", "pvalue", "adjusted_pvalue"),
    *("log_pvalue", "reject", "threshold"),
    *("standard_error", "partial_correlation_standard_error"),
)
_ENDS = ("interval_low", "interval_high")


@dataclass(frozen=True, eq=False, kw_only=True)
class EdgeTestResult(Result):
    """The outcome of testing H₀: Θ_ij = 0 for pairs of variables: all, or some.

    Attributes
    ----------
    method : str
        The test.
    why : str
        Why method="auto" chose it; empty if the user did.
    alpha : float
        Its significance level.
    correction : str or None
        How it accounts for testing many pairs; None if one threshold holds for all at once.
    options : dict
        Further options of the method.
    n_samples, n_features : int
        Rows and columns of the data.
    feature_names : tuple of str
        The names of the columns.
    n_dropped : int
        Rows left out because of missing values.
    cautions : tuple of str
        What the data say against the method, in sentences.
    covariance, precision, partial_correlation : ndarray of shape (p, p)
        Estimates, of the standardised columns where the test was asked to standardise.
    statistic : ndarray of shape (p, p)
        Θ̂_ij for the bounds, a studentised value for the others.
    pvalue, adjusted_pvalue : ndarray of shape (p, p)
        NaN on the diagonal, as for pairs that were not tested; never 0: below 2.2e-308 the value is
        in `log_pvalue`.
    log_pvalue : ndarray of shape (p, p)
        Natural logarithm of the p-values.
    reject : ndarray of bool of shape (p, p)
        The edges; False on the diagonal.
    threshold : float or ndarray of shape (p, p)
        What the absolute precision was compared with; infinite when the rows are too few.
    radius : float or None
        ε, the bound on the error of the covariance, where the method has one.
    rows_needed : int or None
        With an infinite threshold, about how many rows would make it finite.
    standard_error, partial_correlation_standard_error : ndarray of shape (p, p) or None
        Of the entries of `precision` and of `partial_correlation`, where the method has them.
    uncertainty : object
        What intervals are made from: standard errors and a reference, or a bound on all entries.
    tested : ndarray of bool of shape (p, p), or None
        The tested pairs, with `given` or `pairs`; None if they are all. Others have estimates, but
        no statistic, p-value or threshold.
    files : tuple of FileRead
        The files that were read, and how many rows each has; empty for rows in memory.
    selection : Selection or None
        The neighbours that "nodewise" chose for each column; None for the other methods, which
        adjust every pair for all other columns.
    n_missing : tuple of int
        How many values each column lacks; empty if none does, or nobody knows.
    n_dropped_alone : tuple of int
        How many rows were left out because of this column alone; empty if none was.
    pair_rows : ndarray of int of shape (p, p), or None
        With missing="pairwise", the rows that have both columns; None if all have.
    given : tuple of str
        The columns that were adjusted for and are in no tested pair.
    n_edges, n_pairs : int
        How many edges were found, and in how many tested pairs.
    interval_level, interval_family, interval_label : float, str, str
        Of the intervals shown in tables, files, pictures and the report: 1 − alpha; "all pairs"
        where they hold at once (Holm, Bonferroni, max-T, bounds), or else "pointwise"; and both.

    Examples
    --------
    >>> import edgewise as ew
    >>> result = ew.edge_test(ew.datasets.load_sp500_returns())
    >>> result.n_edges, len(result.pairs())
    (51, 190)
    >>> [(edge.source, edge.target) for edge in result.edges()[:2]]
    [('CVX', 'XOM'), ('BAC', 'JPM')]
    >>> print(result.headline(), result.summary().splitlines()[-1])
    51 of 190 possible edges among 20 variables, from 8312 rows (method 'score', alpha 0.05, holm).
       … and 41 more
    >>> result.to_frame("pyarrow").num_rows, result.to_networkx().number_of_edges()
    (190, 51)
    >>> result.matrix("partial_correlation", "pandas").loc["CVX", "XOM"].round(2)
    np.float64(0.69)
    >>> low, high = result.confidence_interval(scale="partial_correlation")
    >>> bool((low <= high).all())
    True
    >>> result.interval_label, result.shown_interval().low.shape
    ('95 % interval for all pairs at once', (20, 20))
    >>> result.plot("volcano").get_xlabel()
    'partial correlation'
    >>> ew.EdgeTestResult.from_json(result.to_json())
    EdgeTestResult(method='score', alpha=0.05, correction='holm', n_samples=8312,
                   n_features=20, edges=51, cautions=1)
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result.report(f"{folder}/report.html")
    """

    method: str
    alpha: float
    correction: str | None
    options: dict[str, Any]
    n_samples: int
    n_features: int
    feature_names: tuple[str, ...]
    covariance: FloatArray
    precision: FloatArray
    partial_correlation: FloatArray
    statistic: FloatArray
    log_pvalue: FloatArray
    pvalue: FloatArray
    adjusted_pvalue: FloatArray
    reject: BoolArray
    threshold: float | FloatArray
    radius: float | None = None
    rows_needed: int | None = None
    standard_error: FloatArray | None = None
    partial_correlation_standard_error: FloatArray | None = None
    n_dropped: int = 0
    uncertainty: Uncertainty | None = field(default=None, repr=False)
    cautions: tuple[str, ...] = ()
    why: str = ""
    tested: BoolArray | None = None
    files: tuple[FileRead, ...] = ()
    selection: Selection | None = None
    n_missing: tuple[int, ...] = ()
    n_dropped_alone: tuple[int, ...] = ()
    pair_rows: npt.NDArray[np.int64] | None = None

    _format: ClassVar = "edgewise result 1"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.threshold, PerEdgeThreshold):
            # It takes as long as a small test, and few ask for it: `__getattr__` finds it then.
            vars(self)["_threshold"] = vars(self).pop("threshold")

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name != "threshold" or "_threshold" not in vars(self):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            found = vars(self)["_threshold"].of(self.uncertainty, self, self.tested)
            found.flags.writeable = False
            return vars(self).setdefault("threshold", found)

    def pairs(self) -> list[Edge]:
        return all_pairs(self)

    def edges(self) -> list[Edge]:
        return all_pairs(self, edges_only=True)

    def to_frame(self, backend: FrameKind | None = None, *, n_adjusted_for: bool = False) -> Any:
        """Every tested pair as a row of a data frame, strongest first; `reject` marks the edges.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", None}
            The kind of frame; None takes the first of the three that is installed.
        n_adjusted_for : bool
            Add a column of this name: how many other columns each pair was adjusted for. That is
            all of them, unless the method is "nodewise".

        Returns
        -------
        data frame
            Its columns are the attributes of `Edge`; `interval_label` says what its intervals are.
        """
        more = {"n_adjusted_for": adjusted_counts(self)} if n_adjusted_for else {}
        return frame_of(self.pairs(), backend, more=more)

    def to_networkx(self) -> nx.Graph[str]:
        """The edges as a graph: every tested variable a node, the numbers as edge attributes.

        An edge has a `weight`, the absolute partial correlation, and a `distance`, one over it.
        Measures of clustering and communities want ``weight="weight"``: strong edges hold together.
        Measures of paths want lengths: give them ``weight="distance"`` (shortest paths,
        betweenness) or ``distance="distance"`` (closeness), or strong edges are long ones.

        Returns
        -------
        networkx.Graph
            Its own attributes are the method, alpha, n_samples, what the intervals are, and the
            names that were adjusted for.
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
            raise ParameterError("uncertainty: this result has no intervals; test the data again.")
        found = self.uncertainty.interval(self, level=level, scale=scale, simultaneous=simultaneous)
        at_once = simultaneous or self.uncertainty.simultaneous
        return self._of_tested(found) if at_once else found

    def matrix(self, name: str = "partial_correlation", backend: FrameKind | None = None) -> Any:
        """A matrix of the result as a data frame with the names of the variables.

        Parameters
        ----------
        name : str
            The name of a matrix: "partial_correlation", "precision", "covariance", "statistic",
            "pvalue", "adjusted_pvalue", "log_pvalue", "reject", "threshold", "interval_low",
            "interval_high", and where the method has standard errors "standard_error" (of the
            precision) and "partial_correlation_standard_error".
        backend : {"pandas", "polars", "pyarrow", None}
            The kind of frame; None takes the first of the three that is installed.

        Returns
        -------
        data frame
            With pandas, the names are the index and the columns. The other two have no index: the
            names are in a first column, "variable" (with an underscore more where that is the name
            of a variable).
        """
        kind, names = frame_kind(backend), list(self.feature_names)
        columns = dict(zip(names, self._matrix(name).T.tolist(), strict=True))
        if kind == "pandas":
            return new_frame(columns, kind).set_axis(names, axis="index")
        heading = "variable"
        while heading in names:
            heading += "_"
        return new_frame({heading: names, **columns}, kind)

    def _matrix(self, name: str) -> AnyArray:
        known = [one for one in _MATRICES if getattr(self, one) is not None]
        if self.uncertainty is not None:
            known += _ENDS
        check_choice("name", name, known)
        if name in _ENDS:
            return self.shown_interval()[_ENDS.index(name)]
        values = np.asarray(getattr(self, name))
        if values.ndim == 0:  # one threshold for all pairs
            values = np.full((self.n_features, self.n_features), float(values))
            np.fill_diagonal(values, np.nan)
        return values

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
            Where to draw; by default a new figure of pyplot.
        **options
            Further options of that picture; `edgewise.plots.plots` has a function for each.

        Returns
        -------
        matplotlib axes
            Where it was drawn; ``ax.figure`` is the page.
        """
        from edgewise.plots.plots import plot

        return plot(self, kind, lines=lines, ax=ax, **options)

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
            Whether to run all other methods too, which takes as long as `edgewise compare`; by
            default those that do not take long.
        title : str, optional
            The title of the page.
        rows : bool
            Whether the page may hold up to 500 sampled rows of `data`, as residuals, for scatter
            plots of single edges. Say False if the rows are confidential.
        """
        from edgewise.api.reporting import write_report

        write_report(self, path, data=data, compare=compare, title=title, rows=rows)

    def summary(self) -> str:
        return summary(self)

    def headline(self) -> str:
        return headline(self)

    def _repr_html_(self) -> str:
        from edgewise.plots.notebook import result_html

        return result_html(self)

    def __repr__(self) -> str:
        return shortest(self)


def tested_part(result: EdgeTestResult) -> EdgeTestResult:
    """The same numbers of the tested columns alone, for pictures of them; it has no intervals."""
    if result.tested is None:
        return result
    columns = result.tested_columns()
    at = np.ix_(columns, columns)
    parts: dict[str, Any] = {}
    for known in fields(result):
        value = getattr(result, known.name)
        if isinstance(value, np.ndarray):
            parts[known.name] = value[at]
    if (parts["tested"] == off_diagonal(len(columns))).all():
        parts["tested"] = None
    names = tuple(result.feature_names[i] for i in columns)
    parts |= {"n_features": len(columns), "feature_names": names}
    for name in ("n_missing", "n_dropped_alone"):
        counts: tuple[int, ...] = getattr(result, name)
        parts[name] = tuple(counts[i] for i in columns) if counts else ()
    return replace(result, uncertainty=None, selection=None, **parts)


def chosen_pairs(result: Result) -> list[tuple[str, str]] | None:
    """What `pairs` of `edge_test` was; None if all pairs of the tested columns were tested."""
    if not is_chosen(result):
        return None
    names = result.feature_names
    return [(names[i], names[j]) for i, j in zip(*result.tested_pairs(), strict=True)]

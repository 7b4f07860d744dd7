"""The result of a test of all edges: one frozen value, the same for all methods."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from edgewise._base.types import BoolArray, FloatArray
from edgewise.inference.measurement import Uncertainty
from edgewise.inference.selection import Selection
from edgewise.results.edge import (
    Edge,
    FrameKind,
    adjusted_counts,
    all_pairs,
    frame_of,
    graph_of,
)
from edgewise.results.json import from_json, json_schema, to_document
from edgewise.results.json_output import WritesJson
from edgewise.results.matrix import Matrices
from edgewise.results.showing import Shows
from edgewise.results.summary import headline, shortest, summary
from edgewise.results.threshold import found_late
from edgewise.rows.file_read import FileRead

if TYPE_CHECKING:
    import os

    import networkx as nx


@found_late
@dataclass(frozen=True, eq=False, kw_only=True)
class EdgeTestResult(Shows, Matrices, WritesJson):
    """The outcome of testing H₀: Θ_ij = 0 for pairs of variables: all, or some.

    Attributes
    ----------
    method : str
        The test.
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
    >>> ew.EdgeTestResult.json_schema()["$schema"]
    'https://json-schema.org/draft/2020-12/schema'
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
    tested: BoolArray | None = None
    files: tuple[FileRead, ...] = ()
    selection: Selection | None = None
    n_missing: tuple[int, ...] = ()
    n_dropped_alone: tuple[int, ...] = ()
    pair_rows: npt.NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        # The arrays are frozen too.
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    @property
    def n_edges(self) -> int:
        """How many edges were found."""
        return int(np.count_nonzero(self.reject)) // 2

    def pairs(self) -> list[Edge]:
        """Every tested pair of variables, strongest partial correlation first.

        Returns
        -------
        list of Edge
            One for each pair, an edge or not.
        """
        return all_pairs(self)

    def edges(self) -> list[Edge]:
        """The edges found, strongest partial correlation first.

        Returns
        -------
        list of Edge
            The pairs whose `reject` is true.
        """
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

    def _document(self) -> dict[str, Any]:
        return to_document(self)

    @classmethod
    def from_json(cls, source: str | os.PathLike[str]) -> EdgeTestResult:
        """The result that `to_json` wrote, equal in every number.

        Reading runs no part of the text as code.

        Parameters
        ----------
        source : str or path
            The text, if it starts with a brace, or else the path of a file of it.

        Returns
        -------
        EdgeTestResult
            The result.
        """
        return from_json(cls, source)

    @staticmethod
    def json_schema() -> dict[str, Any]:
        """The JSON Schema (draft 2020-12) of what `to_json` writes, for programs that read it.

        Returns
        -------
        dict
            The schema.
        """
        return json_schema()

    def summary(self) -> str:
        """A few lines to read: what was tested, how, and what was found.

        Returns
        -------
        str
            The lines; if there are many edges, only the ten strongest.
        """
        return summary(self)

    def headline(self) -> str:
        """The first sentence of the summary: what was tested, how, and how many edges there are.

        Returns
        -------
        str
            One line.
        """
        return headline(self)

    def _repr_html_(self) -> str:
        from edgewise.view.notebook import result_html

        return result_html(self)

    def __repr__(self) -> str:
        return shortest(self)

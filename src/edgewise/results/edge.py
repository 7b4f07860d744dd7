"""One pair of variables, and all pairs as a list, a data frame or a graph."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from edgewise._checks import check_choice
from edgewise._optional import is_installed, require
from edgewise.results.summary import POOLED

if TYPE_CHECKING:
    import networkx as nx

    from edgewise.results.result import EdgeTestResult

FrameKind = Literal["pandas", "polars", "pyarrow"]
_FRAME_KINDS: tuple[FrameKind, ...] = ("pandas", "polars", "pyarrow")


class Edge(NamedTuple):
    """One pair of variables and what the test says about it.

    Attributes
    ----------
    source : str
        Name of the first variable. An edge has no direction: this is the order of the columns.
    target : str
        Name of the second variable.
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
        The test statistic.
    pvalue : float
        The p-value of this pair alone.
    adjusted_pvalue : float
        The p-value corrected for the number of pairs.
    reject : bool
        Whether the pair is an edge.
    n_samples : int
        The rows that it was tested with; with missing="pairwise", those that have both variables.

    Examples
    --------
    >>> import edgewise as ew
    >>> strongest = ew.edge_test(ew.datasets.load_sp500_returns()).edges()[0]
    >>> strongest.source, strongest.target, round(strongest.partial_correlation, 3)
    ('CVX', 'XOM', 0.693)
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


def _strongest_first(
    result: EdgeTestResult, edges_only: bool = False
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """The places of the tested pairs, or of the edges, in the order in which they are shown."""
    rows, columns = result.tested_pairs()
    if edges_only:
        kept = result.reject[rows, columns]
        rows, columns = rows[kept], columns[kept]
    order = np.argsort(-np.abs(result.partial_correlation[rows, columns]), kind="stable")
    return rows[order], columns[order]


def adjusted_counts(result: EdgeTestResult) -> list[int]:
    """How many columns each pair was adjusted for, in the order of `all_pairs`."""
    at = _strongest_first(result)
    if result.selection is None:
        return [result.n_features - 2] * len(at[0])
    counts: list[int] = result.selection.sizes()[at].tolist()
    return counts


def all_pairs(result: EdgeTestResult, *, edges_only: bool = False) -> list[Edge]:
    """Every tested pair of variables, or the edges only, strongest partial correlation first."""
    at = _strongest_first(result, edges_only)
    # The same NaN everywhere: edges without a number compare as equal.
    unknown = [math.nan] * len(at[0])
    errors = result.partial_correlation_standard_error
    ends = result.shown_interval() if result.uncertainty is not None else ()
    values = (
        result.partial_correlation[at].tolist(),
        unknown if errors is None else errors[at].tolist(),
        *([end[at].tolist() for end in ends] or (unknown, unknown)),
        *(
            matrix[at].tolist()
            for matrix in (
                *(result.precision, result.statistic),
                *(result.pvalue, result.adjusted_pvalue, result.reject),
            )
        ),
        [result.n_samples] * len(at[0])
        if result.pair_rows is None
        else result.pair_rows[at].tolist(),
    )
    names = np.array(result.feature_names, dtype=object)
    return list(map(Edge, names[at[0]], names[at[1]], *values))


def frame_of(
    pairs: Sequence[NamedTuple],
    backend: FrameKind | None,
    fields: Sequence[str] = Edge._fields,
    more: Mapping[str, list[Any]] | None = None,
) -> Any:
    """The pairs as rows of a data frame, by default of the first kind that is installed.

    `more` are further columns.
    """
    columns = dict(zip(fields, map(list, zip(*pairs, strict=True)), strict=True))
    return new_frame({**columns, **(more or {})}, frame_kind(backend))


def frame_kind(backend: FrameKind | None) -> FrameKind:
    """The kind of frame that was asked for, or the first that is installed."""
    if backend is None:
        # Without any of them, the last: the extra "tables" brings it.
        return next(filter(is_installed, _FRAME_KINDS), _FRAME_KINDS[-1])
    check_choice("backend", backend, _FRAME_KINDS)
    return backend


def new_frame(columns: dict[str, list[Any]], kind: FrameKind) -> Any:
    """A data frame of that kind with these columns."""
    if kind == "pyarrow":
        return require(kind, "tables", "A data frame").table(columns)
    return require(kind, None, "A data frame").DataFrame(columns)


def graph_of(result: EdgeTestResult) -> nx.Graph[str]:
    """The edges as a graph: every tested variable a node, the numbers as edge attributes."""
    require("networkx", "plot", "A graph of networkx")
    import networkx as nx

    graph: nx.Graph[str] = nx.Graph(
        method=result.method, alpha=result.alpha, n_samples=result.n_samples
    )
    if result.uncertainty is not None:
        graph.graph["intervals"] = result.interval_label
    if result.given:
        graph.graph["adjusted_for"] = ", ".join(result.given)
    if "transform" in result.options:
        graph.graph["transform"] = result.options["transform"]
    if POOLED in result.options:
        graph.graph[POOLED] = result.options[POOLED]
    graph.add_nodes_from(result.feature_names[i] for i in result.tested_columns())
    for edge in result.edges():
        numbers = edge._asdict()
        for name in ("source", "target", "reject", "n_samples"):
            del numbers[name]
        weight = abs(edge.partial_correlation)
        distance = 1 / weight if weight else math.inf
        graph.add_edge(edge.source, edge.target, weight=weight, distance=distance, **numbers)
    return graph

"""One pair of variables, and all pairs as rows of tables or as a graph."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from edgewise._optional import require
from edgewise.results.summary import number_text

if TYPE_CHECKING:
    import networkx as nx

    from edgewise.results.result import EdgeTestResult


_MATRICES = ("precision", "statistic", "pvalue", "adjusted_pvalue", "reject")


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
        """The pair in plain words: what is left of its association, and its interval.

        Returns
        -------
        str
            One sentence.
        """
        rho, low, high = self.partial_correlation, self.interval_low, self.interval_high
        ends = "" if math.isnan(low) else f" ({number_text(low)} to {number_text(high)})"
        n = self.n_adjusted_for
        others = f", after accounting for the {f'{n} others' if n > 1 else 'other one'}" * (n > 0)
        both, size = f"{self.source} and {self.target}", f", {number_text(rho)}{ends}{others}."
        if not self.reject:
            return f"No association of {both} is clear{size}"
        still = "still " * (n > 0)
        return f"{both} {still}move {'together' if rho > 0 else 'in opposite directions'}{size}"


def all_pairs(result: EdgeTestResult, *, edges_only: bool = False) -> list[Edge]:
    """Every tested pair of variables, or the edges only, strongest partial correlation first."""
    i, j = result.tested_pairs()
    if edges_only:
        found = result.reject[i, j]
        i, j = i[found], j[found]
    order = np.argsort(-np.abs(result.partial_correlation[i, j]), kind="stable")
    at, rows = (i[order], j[order]), result.provenance.pair_rows
    count, errors = len(at[0]), result.partial_correlation_standard_error
    values = (
        result.partial_correlation[at].tolist(),
        # The same NaN everywhere: edges without a number compare as equal.
        [math.nan] * count if errors is None else errors[at].tolist(),
        *([math.nan if x != x else x for x in end[at].tolist()] for end in result.shown_interval()),
        *(getattr(result, name)[at].tolist() for name in _MATRICES),
        [result.n_samples] * count if rows is None else rows[at].tolist(),
        [result.n_features - 2] * count
        if result.selection is None
        else result.selection.sizes()[at].tolist(),
    )
    names = np.array(result.feature_names, dtype=object)
    return list(map(Edge, names[at[0]], names[at[1]], *values))


def graph_of(result: EdgeTestResult) -> nx.Graph[str]:
    """The edges as a graph: every tested variable a node, the numbers as edge attributes."""
    require("networkx", "plot", "A graph of networkx")
    import networkx as nx

    graph: nx.Graph[str] = nx.Graph(
        method=result.method,
        alpha=result.alpha,
        n_samples=result.n_samples,
        intervals=result.interval_label,
    )
    if result.given:
        graph.graph["adjusted_for"] = ", ".join(result.given)
    if result.provenance.transform is not None:
        graph.graph["transform"] = result.provenance.transform
    if result.provenance.n_copies is not None:
        graph.graph["pooled"] = result.provenance.n_copies
    graph.add_nodes_from(result.feature_names[i] for i in result.tested_columns())
    for edge in result.edges():
        numbers = edge._asdict()
        for name in ("source", "target", "reject", "n_samples", "n_adjusted_for"):
            del numbers[name]
        weight = abs(edge.partial_correlation)
        distance = 1 / weight if weight else math.inf
        graph.add_edge(edge.source, edge.target, weight=weight, distance=distance, **numbers)
    return graph

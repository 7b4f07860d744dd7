"""Two groups side by side, and what differs between them, all with the same layout."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from edgewise._linalg import BoolArray, symmetric
from edgewise.errors import ParameterError
from edgewise.inference.corrections import adjust
from edgewise.inference.differences import GroupZ
from edgewise.plots import layout
from edgewise.plots.graph_drawing import draw_graph, laid_out
from edgewise.plots.layout import Graph
from edgewise.plots.safe_names import short_names
from edgewise.results.difference import EdgeDifferenceResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LONGEST_GROUP = 40
_STEPWISE = ("holm", "bonferroni", "bh", "by", None)


def plot_difference(
    result: EdgeDifferenceResult, *, axes: Sequence[Axes] | None = None
) -> tuple[Axes, ...]:
    """The graphs of both groups and the pairs that differ, side by side.

    Every variable stands in the same place in all three. The first two show the edges of each
    group, tested by itself with the same method, level and correction; the third shows only the
    pairs that differ. An edge in one graph and not in the other is no sign of a difference: only
    the third graph is. Of several comparisons each has a row of three axes.

    Parameters
    ----------
    result : EdgeDifferenceResult
        What to draw.
    axes : sequence of three matplotlib axes, optional
        Where to draw a single comparison; by default a new figure of pyplot.

    Returns
    -------
    tuple of matplotlib axes
        Three for each comparison.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.plots.plots import plot_difference
    >>> returns = ew.datasets.load_sp500_returns()
    >>> result = ew.compare_groups(returns[:4000], returns[4000:], method="batch")
    >>> first, second, differing = plot_difference(result)
    """
    several = result.comparisons()
    k = len(several)
    if axes is None or k > 1:
        figure = layout.new_figure(18, 6.6 * k)
        axes = [
            figure.add_axes((0.02 + 0.33 * column, (0.1 + row) / k, 0.3, 0.8 / k))
            for row in reversed(range(k))
            for column in range(3)
        ]
    elif len(axes) != 3:
        raise ParameterError(
            f"axes: expected 3 axes (first group, second group, difference), got {len(axes)}."
        )
    for place, one in enumerate(several):
        own, drawn = axes[3 * place : 3 * place + 3], graphs_of(one)
        laid = laid_out(overlaid(drawn), layout.page_size(own[0]))
        for ax, graph in zip(own, drawn, strict=True):
            draw_graph(ax, graph, laid, communities=False)
            notes = layout.adjusted(one) if graph is drawn[2] else []
            layout.write_title(ax, graph.title, *notes)
    return tuple(axes)


def graphs_of(result: EdgeDifferenceResult) -> tuple[Graph, Graph, Graph]:
    """The first group, the second group, and their difference; of the tested columns only."""
    columns = result.tested_columns()
    at = np.ix_(columns, columns)
    features = tuple(result.feature_names[i] for i in columns)
    names = short_names(result.group_names, _LONGEST_GROUP)
    own = []
    for name, rows, rho, measured in zip(
        names,
        result.n_samples,
        (result.partial_correlation_a, result.partial_correlation_b),
        (result.uncertainty.first, result.uncertainty.second),
        strict=True,
    ):
        edges = group_edges(result, measured)[at]
        count = int(np.count_nonzero(edges)) // 2
        title = f"{name}: {count} edge{'s' * (count != 1)}, {rows:,} rows"
        own.append(Graph(features, rho[at], edges, title))
    pairs, verb = result.n_pairs, "differs" if result.n_edges == 1 else "differ"
    title = f"{result.n_edges} of {pairs} pair{'s' * (pairs != 1)} {verb}"
    signs = f"larger in {names[0]}, by", f"larger in {names[1]}, by"
    difference, reject = result.difference[at], result.reject[at]
    third = Graph(features, difference, reject, title, signs, "|difference of ρ̂|")
    return own[0], own[1], third


def overlaid(drawn: Sequence[Graph]) -> Graph:
    """All in one, for a layout that suits each: the strongest correlation of each pair."""
    rho = np.max(
        [np.abs(one.partial_correlation) for one in drawn if one.quantity == "|ρ̂|"], axis=0
    )
    return Graph(drawn[0].feature_names, rho, np.any([one.reject for one in drawn], axis=0))


def group_edges(result: EdgeDifferenceResult, group: GroupZ) -> BoolArray:
    """The edges of one group by itself, at the same level and correction (or else Holm's)."""
    own = result.correction if result.correction in _STEPWISE else "holm"
    log_p = symmetric(group.log_pvalues(), result.n_features, diagonal=0.0)
    rows, columns = result.tested_pairs()
    found = np.zeros(log_p.shape, dtype=bool)
    edges = adjust(log_p[rows, columns], own) <= math.log(result.alpha)
    found[rows, columns] = found[columns, rows] = edges
    return found

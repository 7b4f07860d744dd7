"""The graph of the edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from edgewise.results.result import EdgeTestResult, tested_part
from edgewise.results.summary import is_chosen
from edgewise.view import layout
from edgewise.view.communities import communities_of
from edgewise.view.graph_drawing import draw_graph, laid_out

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_network(
    result: EdgeTestResult, *, communities: bool = True, ax: Axes | None = None
) -> Axes:
    """The graph of the edges: stronger edges are wider, negative ones are dashed.

    The width of an edge says how strong it is, by the same scale in every picture. The size of a
    node is the total strength of its edges, its fill is its community (Louvain's method on the
    edges), and the area of a community is shaded if no other node lies in it. An edge is bent where
    a straight one would pass through a node.

    Variables with strong partial correlations lie close together. The layout uses partial
    correlations, not decisions, so it does not change with alpha or the method. Names do not cover
    each other. If not all have room, the strongest are named, and the title says how many are not.
    Only tested variables are drawn; the title says what was adjusted for.

    Parameters
    ----------
    result : EdgeTestResult
        The test whose edges to draw.
    communities : bool
        Whether to fill the nodes by community.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure that pyplot does not keep alive.

    Returns
    -------
    matplotlib axes
        The network; ``ax.figure`` is the whole figure.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.view.plots import plot_network
    >>> result = ew.edge_test(ew.datasets.load_sachs())
    >>> plot_network(result).get_title().splitlines()[0]
    '26 edges among 11 variables, 7,466 rows (score, α = 0.05)'
    """
    notes, result = layout.adjusted(result), tested_part(result)
    if ax is None:
        # Fixed margins for the title and the legend; the names are fitted to the page between them.
        ax = layout.new_axes(7, 7.2, box=(0.02, 0.11, 0.96, 0.8))
    laid = laid_out(result, layout.page_size(ax))
    draw_graph(ax, result, laid, communities=communities_of(result) if communities else None)
    layout.write_title(ax, _title(result), *notes, *_told(result, len(laid.named)))
    return ax


def _title(result: EdgeTestResult) -> str:
    count = f"{result.n_edges} edge{'s' * (result.n_edges != 1)}"
    if is_chosen(result):
        count += f" in {result.n_pairs} chosen pair{'s' * (result.n_pairs != 1)}"
    return (
        f"{count} among {result.n_features} variables, {result.n_samples:,} rows "
        f"({result.method}, α = {result.alpha:g})"
    )


def _told(result: EdgeTestResult, named: int) -> list[str]:
    """What else the picture says: what the sizes mean, and how many names have no room."""
    p, told = result.n_features, []
    if result.n_edges:
        told.append("node size: total |ρ̂| of its edges")
    if not named:
        told.append(f"the {p} variables are not named")
    elif named < p:
        told.append(f"named: {named} of {p} variables, those with the strongest edges first")
    return told

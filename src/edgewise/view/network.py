"""The graph of the edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from edgewise.results.result import EdgeTestResult
from edgewise.results.tested import is_chosen, tested_part
from edgewise.view import layout
from edgewise.view.graph_drawing import draw_graph, laid_out

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FEW = 30  # with more variables the page is larger


def plot_network(result: EdgeTestResult, *, ax: Axes | None = None) -> Axes:
    """The graph of the edges: stronger edges are wider, negative ones are dashed.

    Variables with strong partial correlations lie close together. The layout uses all partial
    correlations, not only the significant ones, so it does not change with alpha or the method.
    Names do not cover each other. With more than 60 variables, only those with the strongest edges
    are named. Only tested variables are drawn; the title says what was adjusted for.

    Parameters
    ----------
    result : EdgeTestResult
        The test whose edges to draw.
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
    >>> plot_network(result).get_title()
    '26 edges among 11 variables, 7,466 rows (score, α = 0.05)'
    """
    notes, result = layout.adjusted(result), tested_part(result)
    if ax is None:
        side = 1.0 if result.n_features <= _FEW else 1.25
        # Fixed margins for the title and the legend; the names are fitted to the page between them.
        ax = layout.new_axes(8 * side, 7.2 * side, box=(0.02, 0.06, 0.96, 0.87))
    laid = laid_out(result, layout.page_size(ax))
    draw_graph(ax, result, laid)
    n_named = len(laid.named)
    unnamed = n_named < result.n_features
    count = f"{result.n_edges} edge{'s' * (result.n_edges != 1)}"
    if is_chosen(result):
        count += f" in {result.n_pairs} chosen pair{'s' * (result.n_pairs != 1)}"
    layout.write_title(
        ax,
        f"{count} among {result.n_features} variables, {result.n_samples:,} rows "
        f"({result.method}, α = {result.alpha:g})",
        *notes,
        *([f"named: the {n_named} with the strongest edges"] if unnamed else []),
    )
    return ax

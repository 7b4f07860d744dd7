"""All plots of a result; each takes and returns a matplotlib axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from edgewise._base.checks import check_choice
from edgewise.results.result import EdgeTestResult
from edgewise.view.difference import plot_difference, plot_differences
from edgewise.view.forest import plot_forest
from edgewise.view.heatmap import plot_heatmap
from edgewise.view.ladder import plot_ladder
from edgewise.view.network import plot_network
from edgewise.view.pvalues import plot_pvalues
from edgewise.view.volcano import plot_volcano

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "KINDS",
    "plot",
    "plot_difference",
    "plot_differences",
    "plot_forest",
    "plot_heatmap",
    "plot_ladder",
    "plot_network",
    "plot_pvalues",
    "plot_volcano",
]

_PLOTS = {
    "network": plot_network,
    "heatmap": plot_heatmap,
    "volcano": plot_volcano,
    "forest": plot_forest,
    "pvalues": plot_pvalues,
}
KINDS = tuple(_PLOTS)


def plot(result: EdgeTestResult, kind: str = "network", *, ax: Axes | None = None) -> Axes:
    """A picture of a result.

    Parameters
    ----------
    result : EdgeTestResult
        What to draw.
    kind : {"network", "heatmap", "volcano", "forest", "pvalues"}
        The graph of the edges; the matrix of partial correlations; strength against p-value;
        intervals of the strongest pairs; the distribution of the p-values.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure that pyplot does not keep alive.

    Returns
    -------
    matplotlib axes
        Where it was drawn; ``ax.figure`` is the whole figure.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.view.plots import plot
    >>> result = ew.edge_test(ew.datasets.load_sachs())
    >>> plot(result, "volcano").get_xlabel()
    'partial correlation'
    """
    check_choice("kind", kind, KINDS)
    return _PLOTS[kind](result, ax=ax)

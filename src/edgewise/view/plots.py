"""All plots of a result; each takes and returns a matplotlib axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from edgewise._base.checks import check_choice
from edgewise._base.parts import check_part
from edgewise.errors import ParameterError
from edgewise.results.result import EdgeTestResult
from edgewise.view.agreement import plot_agreement
from edgewise.view.centrality import plot_centrality
from edgewise.view.difference import plot_difference, plot_differences
from edgewise.view.forest import plot_forest
from edgewise.view.heatmap import plot_heatmap
from edgewise.view.ladder import Line, plot_ladder
from edgewise.view.network import plot_network
from edgewise.view.pvalues import plot_pvalues
from edgewise.view.volcano import plot_volcano

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "KINDS",
    "plot",
    "plot_agreement",
    "plot_centrality",
    "plot_difference",
    "plot_differences",
    "plot_forest",
    "plot_heatmap",
    "plot_ladder",
    "plot_network",
    "plot_pvalues",
    "plot_volcano",
]

#: Pictures of one result.
_OF_RESULT: dict[str, Callable[..., Axes]] = {
    "network": plot_network,
    "heatmap": plot_heatmap,
    "volcano": plot_volcano,
    "forest": plot_forest,
    "pvalues": plot_pvalues,
    "centrality": plot_centrality,
}
#: Pictures of several methods on the same data.
_OF_LINES: dict[str, Callable[..., Axes]] = {
    "agreement": plot_agreement,
    "ladder": plot_ladder,
}
RESULT_KINDS = tuple(_OF_RESULT)
KINDS = (*RESULT_KINDS, *_OF_LINES)


def plot(
    result: EdgeTestResult,
    kind: str = "network",
    *,
    lines: Sequence[Line] | None = None,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """A picture of a result.

    Parameters
    ----------
    result : EdgeTestResult
        What to draw.
    kind : str
        "network", the graph of the edges; "heatmap", the matrix of partial correlations; "volcano",
        strength against p-value; "forest", intervals of the strongest pairs; "pvalues", the
        distribution of the p-values; "centrality", the variables with the strongest edges;
        "agreement", which methods call which pairs edges; "ladder", what each method needs. The
        difference of two groups has a picture of its own: `EdgeDifferenceResult.plot`.
    lines : sequence of Comparison, optional
        What `edgewise.compare_methods` found on the same data, for "agreement" and "ladder".
    ax : matplotlib axes, optional
        Where to draw; by default a new figure that pyplot does not keep alive.
    **options
        Further options of the picture's own function, for example ``most`` of `plot_forest`.

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
    check_part("matplotlib", "plot", "A plot")
    if kind in _OF_LINES:
        if lines is None:
            raise ParameterError(
                f"lines: expected what compare_methods found on the same data, which "
                f'kind="{kind}" shows, got None.'
            )
        return _OF_LINES[kind](lines, ax=ax, **options)
    if lines is not None:
        raise ParameterError(
            f'lines: expected None for kind="{kind}", which shows one result; '
            f"{' and '.join(_OF_LINES)} show several methods."
        )
    return _OF_RESULT[kind](result, ax=ax, **options)

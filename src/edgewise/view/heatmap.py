"""The partial correlations as a coloured matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from edgewise._base.matrices import off_diagonal, pairs_of
from edgewise._base.types import AnyArray, FloatArray
from edgewise.results.result import EdgeTestResult, tested_part
from edgewise.view import layout, style
from edgewise.view.communities import communities_of
from edgewise.view.graph_drawing import community_marks
from edgewise.view.layout import IntArray
from edgewise.view.safe_names import short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.image import AxesImage

_ALL_NAMED = 60
# With more variables, finding the best order of the branches takes too long.
_BEST_ORDER = 500
_ROOM = 0.155  # inches, a variable with a name of 8 points
_STRIP = 0.022  # of the side, the colours of the communities


def plot_heatmap(result: EdgeTestResult, *, ax: Axes | None = None) -> Axes:
    """The partial correlations, blue where positive; a + or − marks those that are edges.

    The variables stand by community, the strongest first, and inside of one in the order of a
    hierarchical clustering with the distance 1 − abs(ρ̂_ij). Strips beside the matrix have the
    colours of the communities in `plot_network`. The colours of the cells are those of the bar, for
    edges and others alike; of more than 60 variables the cells of others are blank. Pairs that were
    not tested are grey, and variables without a tested pair are left out.

    Parameters
    ----------
    result : EdgeTestResult
        The test whose partial correlations to draw.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure that pyplot does not keep alive.

    Returns
    -------
    matplotlib axes
        The matrix; ``ax.figure`` also holds its colour bar.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.view.plots import plot_heatmap
    >>> ax = plot_heatmap(ew.edge_test(ew.datasets.load_sachs()))
    >>> [label.get_text() for label in ax.get_yticklabels()][:3]
    ['PKA', 'p44/42', 'pakts473']
    """
    notes, result = [layout.found(result), *layout.adjusted(result)], tested_part(result)
    own, p = ax is None, result.n_features
    if ax is None:
        # As wide as a page, or as high as the names need.
        side = max(6.0, _ROOM * p) if p <= _ALL_NAMED else 6.0
        ax = layout.new_axes(side + 1.0, side + 0.5)
    communities = communities_of(result)
    order = community_order(result, communities)
    image = _draw_cells(ax, result, order)
    _name_axes(ax, result, order)
    _draw_strips(ax, communities[order])
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.6, aspect=30, pad=0.02)
    bar.set_label("partial correlation", fontsize=9)
    bar.ax.tick_params(labelsize=style.SMALLEST_FONT)
    bar.outline.set_visible(False)
    if own and result.n_edges:
        # Outside of the axes, where the names of the variables are not.
        handles = community_marks(result, communities)
        columns = max(int(layout.page_size(ax)[0] / 130), 1)
        legend = ax.figure.legend(
            handles=handles,
            loc="outside lower center",
            ncols=min(columns, len(handles)),
            frameon=False,
            fontsize=style.SMALLEST_FONT,
        )
        for text in legend.get_texts():
            text.set_parse_math(False)
    layout.write_title(ax, *notes, *_told(result))
    return ax


def _told(result: EdgeTestResult) -> list[str]:
    """How edges and others are told apart."""
    if not result.n_edges:
        return ["no pair is an edge: colours alone may be noise"]
    if result.n_features > _ALL_NAMED:
        return ["coloured: the edges; pairs that are no edges are blank"]
    return ["marked + or −: the edges; pairs without a mark are no edges"]


def _draw_cells(ax: Axes, result: EdgeTestResult, order: AnyArray) -> AxesImage:
    p, at = result.n_features, np.ix_(order, order)
    rho, edge = result.partial_correlation[at].copy(), result.reject[at]
    tested = (off_diagonal(p) if result.tested is None else result.tested)[at]
    # The colours span at least ±0.2; otherwise pure noise would look strong.
    reach = max(float(np.abs(rho[tested]).max(initial=0.0)), 0.2)
    if p > _ALL_NAMED and result.n_edges:
        # Marks would be too small to see, and noise would hide the edges.
        rho[~edge] = 0.0
    rho[~tested] = np.nan
    image = ax.imshow(rho, cmap=_colours(), vmin=-reach, vmax=reach, interpolation="nearest")
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)
    if p > _ALL_NAMED:
        return image
    cell = _cell(ax, p)
    for marker, there in (("+", edge & (rho > 0)), ("_", edge & (rho < 0))):
        rows, columns = np.nonzero(there)
        ax.scatter(
            columns,
            rows,
            marker=marker,
            s=float(np.clip(0.45 * cell, 1.5, 9)) ** 2,
            linewidths=float(np.clip(0.08 * cell, 0.3, 1.2)),
            # Dark marks on light cells, light marks on dark cells.
            c=np.where(np.abs(rho[rows, columns]) > 0.4 * reach, style.PAPER, style.INK),
        )
    # Lines between the cells, where there is room for them.
    ax.set_xticks(np.arange(p + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(p + 1) - 0.5, minor=True)
    ax.grid(which="minor", color=style.PAPER, linewidth=0.6)
    return image


def _cell(ax: Axes, p: int) -> float:
    """About how wide a cell will be, in points."""
    return 0.85 * float(layout.page_size(ax).min()) / p


def _draw_strips(ax: Axes, communities: IntArray) -> None:
    """Colour the community of each variable, left of the matrix and above it."""
    from matplotlib.patches import Rectangle

    p = len(communities)
    wide = max(_STRIP * p, 0.12)
    start = -0.5 - 1.4 * wide
    ends = [*(np.flatnonzero(np.diff(communities)) + 1).tolist(), p]
    for first, last in zip([0, *ends[:-1]], ends, strict=True):
        number = int(communities[first])
        if number >= 0:
            colour = style.community_colour(number)
            for corner, size in (
                ((start, first - 0.5), (wide, last - first)),
                ((first - 0.5, start), (last - first, wide)),
            ):
                ax.add_patch(
                    Rectangle(corner, *size, facecolor=colour, edgecolor=style.PAPER, linewidth=0.8)
                )
    ax.set_xlim(start, p - 0.5)
    ax.set_ylim(p - 0.5, start)


def community_order(graph: layout.Graph, communities: IntArray) -> IntArray:
    """The variables by community, clustered inside of each; those without one come last."""
    parts = []
    for number in (*range(int(communities.max(initial=-1)) + 1), -1):
        members = np.flatnonzero(communities == number)
        if len(members) > 1:
            rho = graph.partial_correlation[np.ix_(members, members)]
            members = members[clustered_order(rho)]
        parts.append(members)
    return np.concatenate(parts)


def clustered_order(partial_correlation: FloatArray) -> AnyArray:
    """An order of the variables that puts related ones side by side."""
    from scipy.cluster.hierarchy import leaves_list, linkage

    p = len(partial_correlation)
    # Two methods give the same estimate up to rounding, and should give the same picture.
    distance = 1 - np.abs(np.round(partial_correlation, 9))
    tree = linkage(pairs_of(distance), method="average", optimal_ordering=p <= _BEST_ORDER)
    return np.asarray(leaves_list(tree))


def _colours() -> Colormap:
    """From vermillion through white to blue, the colours of the signs in every plot."""
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("signs", style.SCALE)
    return colours.with_extremes(bad=style.UNTESTED)


def _name_axes(ax: Axes, result: EdgeTestResult, order: AnyArray) -> None:
    p = result.n_features
    size = 0.8 * _cell(ax, p)
    if p > _ALL_NAMED or size < 0.7 * style.SMALLEST_FONT:
        ax.set_xticks([])
        ax.set_yticks([])
        ax.set_xlabel(f"{p} variables by community, too many to name")
        return
    names = short_names(result.feature_names, 16)
    names = [names[i] for i in order]
    places, size = np.arange(p), float(np.clip(size, style.SMALLEST_FONT, 9))
    # parse_math=False: a name with dollar signs is a name, not a formula.
    ax.set_yticks(places, labels=names, fontsize=size, parse_math=False)
    ax.set_xticks(places, labels=names, fontsize=size, parse_math=False, rotation=90)

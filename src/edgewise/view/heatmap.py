"""The partial correlations as a coloured matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from edgewise._base.matrices import off_diagonal, pairs_of
from edgewise._base.types import AnyArray, FloatArray
from edgewise.results.result import EdgeTestResult
from edgewise.results.tested import tested_part
from edgewise.view import layout
from edgewise.view.safe_names import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

_ALL_NAMED = 60
# With more variables, finding the best order of the branches takes too long.
_BEST_ORDER = 500


def plot_heatmap(result: EdgeTestResult, *, ax: Axes | None = None) -> Axes:
    """All partial correlations, blue where positive; a + or − marks those that are edges.

    The order of the variables is that of a hierarchical clustering with the distance 1 − abs(ρ̂_ij),
    so that related variables stand side by side. It depends on the partial correlations only. Pairs
    that were not tested are grey, and variables without a tested pair are left out.

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
    ['PIP3', 'PIP2', 'plcg']
    """
    notes, result = [layout.found(result), *layout.adjusted(result)], tested_part(result)
    p = result.n_features
    if ax is None:
        side = float(np.clip(5 + p / 9, 6, 11))
        ax = layout.new_axes(side + 1.0, side)
    order = clustered_order(result.partial_correlation)
    rho = result.partial_correlation[np.ix_(order, order)].copy()
    edge = result.reject[np.ix_(order, order)]
    tested = off_diagonal(p) if result.tested is None else result.tested
    rho[~tested[np.ix_(order, order)]] = np.nan
    # The colours span at least ±0.2; otherwise pure noise would look strong.
    reach = max(float(np.nanmax(np.abs(rho))), 0.2)
    image = ax.imshow(rho, cmap=_colours(), vmin=-reach, vmax=reach, interpolation="nearest")
    cell = 0.85 * float(layout.page_size(ax).min()) / p
    for marker, there in (("+", edge & (rho > 0)), ("_", edge & (rho < 0))):
        rows, columns = np.nonzero(there)
        ax.scatter(
            columns,
            rows,
            marker=marker,
            s=float(np.clip(0.45 * cell, 1.5, 9)) ** 2,
            linewidths=float(np.clip(0.08 * cell, 0.3, 1.2)),
            # Dark marks on light cells, light marks on dark cells.
            c=np.where(np.abs(rho[rows, columns]) > 0.4 * reach, "#ffffff", "#222222"),
        )
    _name_axes(ax, result, order, cell)
    # Lines between the cells, where there is room for them.
    if p <= _ALL_NAMED:
        ax.set_xticks(np.arange(p + 1) - 0.5, minor=True)
        ax.set_yticks(np.arange(p + 1) - 0.5, minor=True)
        ax.grid(which="minor", color="#ffffff", linewidth=0.6)
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.6, aspect=30, pad=0.02)
    bar.set_label("partial correlation", fontsize=9)
    bar.ax.tick_params(labelsize=8)
    bar.outline.set_visible(False)
    notes[0] += "; marked + or −" if result.n_edges else ""
    layout.write_title(ax, *notes)
    return ax


def clustered_order(partial_correlation: FloatArray) -> AnyArray:
    """An order of the variables that puts related ones side by side.

    Examples
    --------
    >>> import numpy as np
    >>> rho = np.eye(4)
    >>> rho[0, 2] = rho[2, 0] = rho[1, 3] = rho[3, 1] = 0.5
    >>> clustered_order(rho).tolist()
    [0, 2, 3, 1]
    """
    from scipy.cluster.hierarchy import leaves_list, linkage

    p = len(partial_correlation)
    # Two methods give the same estimate up to rounding, and should give the same picture.
    distance = 1 - np.abs(np.round(partial_correlation, 9))
    tree = linkage(pairs_of(distance), method="average", optimal_ordering=p <= _BEST_ORDER)
    return np.asarray(leaves_list(tree))


def _colours() -> Colormap:
    """From vermillion through white to blue, the colours of the signs in every plot."""
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list(
        "signs", ["#8f3f00", layout.NEGATIVE, "#ffffff", layout.POSITIVE, "#004d78"]
    )
    return colours.with_extremes(bad="#d9d9d9")


def _name_axes(ax: Axes, result: EdgeTestResult, order: AnyArray, cell: float) -> None:
    if result.n_features > _ALL_NAMED:
        ax.set_xticks([])
        ax.set_yticks([])
        ax.set_xlabel(f"{result.n_features} variables, in the order of their clustering")
        return
    names = [shortened(result.feature_names[i], 16) for i in order]
    places = np.arange(len(names))
    size = float(np.clip(0.8 * cell, 3, 9))
    # parse_math=False: a name with dollar signs is a name, not a formula.
    ax.set_yticks(places, labels=names, fontsize=size, parse_math=False)
    ax.set_xticks(places, labels=names, fontsize=size, parse_math=False, rotation=90)

"""Plots; each takes and returns a matplotlib axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from edgewise._types import FloatArray
from edgewise.edges.result import EdgeTestResult
from edgewise.view.text import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe & Ito's blue and vermillion: told apart in every common form of colour blindness.
_POSITIVE, _NEGATIVE = "#0072B2", "#D55E00"
_LAYOUT_SEED = 7


def plot_network(result: EdgeTestResult, *, ax: Axes | None = None) -> Axes:
    """The graph of the edges: width by strength, colour by the sign of the partial correlation.

    Nodes that the data tie together lie together: the layout follows all partial correlations,
    not only the significant ones, so it stays put when alpha or the method changes.

    Parameters
    ----------
    result : EdgeTestResult
        What to draw.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure that pyplot does not keep alive.

    Returns
    -------
    matplotlib axes
    """
    from matplotlib.lines import Line2D

    ax = ax if ax is not None else _new_axes()
    graph = result.to_networkx()
    positions = _layout(result)
    names = result.feature_names
    place = dict(zip(names, positions, strict=True))
    edges = result.edges()
    strongest = max((abs(edge.partial_correlation) for edge in edges), default=1.0)
    # Weak edges first, so that strong ones lie on top.
    for edge in reversed(edges):
        strength = abs(edge.partial_correlation) / strongest
        ends = np.array([place[edge.source], place[edge.target]])
        ax.plot(
            *ends.T,
            color=_POSITIVE if edge.partial_correlation > 0 else _NEGATIVE,
            linewidth=0.6 + 7 * strength,
            alpha=0.35 + 0.6 * strength,
            solid_capstyle="round",
            zorder=1,
        )
    degree = [graph.degree[name] for name in names]
    ax.scatter(
        positions[:, 0],
        positions[:, 1],
        s=900,
        c=["#ffffff" if joined else "#eeeeee" for joined in degree],
        edgecolors=["#333333" if joined else "#bbbbbb" for joined in degree],
        linewidths=1.2,
        zorder=2,
    )
    size = 9 if max(map(len, names)) <= 6 else 7
    for name, (x, y) in place.items():
        label = shortened(name, 16)
        # parse_math=False: a name with dollar signs is a name, not a formula.
        ax.text(x, y, label, ha="center", va="center", fontsize=size, zorder=3, parse_math=False)
    ax.set_title(
        f"{result.n_edges} edges among {result.n_features} variables, {result.n_samples:,} rows "
        f"({result.method}, α = {result.alpha:g})",
        fontsize=11,
    )
    signs = {edge.partial_correlation > 0 for edge in edges}
    handles = [
        Line2D([], [], color=color, linewidth=3, label=label)
        for sign, color, label in (
            (True, _POSITIVE, "positive partial correlation"),
            (False, _NEGATIVE, "negative"),
        )
        if sign in signs
    ]
    if handles:
        ax.legend(
            handles=handles,
            loc="lower center",
            bbox_to_anchor=(0.5, -0.06),
            ncols=2,
            frameon=False,
            fontsize=9,
        )
    ax.set_aspect("equal")
    ax.margins(0.08)
    ax.set_axis_off()
    return ax


def _layout(result: EdgeTestResult) -> FloatArray:
    import networkx as nx

    strength = np.abs(result.partial_correlation)
    # Distances by strength: a tight pair about a third as far apart as an unrelated one.
    distance = 1 / (0.35 + np.sqrt(strength))
    np.fill_diagonal(distance, 0)
    index = range(result.n_features)
    complete = nx.complete_graph(result.n_features)
    lengths = {i: {j: float(distance[i, j]) for j in index} for i in index}
    placed = nx.kamada_kawai_layout(complete, dist=lengths, pos=nx.circular_layout(complete))
    return np.array([placed[i] for i in index])


def _new_axes() -> Axes:
    from matplotlib.figure import Figure

    return Figure(figsize=(8, 7.2), layout="constrained").add_subplot()

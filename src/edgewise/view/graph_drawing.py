"""How a graph is drawn: communities, edges by strength, nodes with names."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.view import layout
from edgewise.view.communities import IntArray
from edgewise.view.edge_paths import edge_paths
from edgewise.view.graph_legend import SIGNS, draw_communities, draw_key
from edgewise.view.graph_placing import LaidOut, node_radii
from edgewise.view.style import (
    COMMUNITIES,
    INK,
    NEGATIVE,
    NOTE,
    PAPER,
    POSITIVE,
    QUIET,
    community_colour,
    dashes,
    edge_opacity,
    edge_width,
    tint,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARGIN = 9.0  # points, from a node to the border of the area of its community


def draw_graph(
    ax: Axes,
    graph: layout.Graph,
    laid: LaidOut,
    *,
    communities: IntArray | None = None,
    signs: tuple[str, str] = SIGNS,
    quantity: str = "|ρ̂|",
) -> None:
    """Draw the communities if there are any, the edges, the nodes, the names and what they mean."""
    ax.set_xlim(0, laid.page[0])
    ax.set_ylim(0, laid.page[1])
    ax.set_aspect("equal")
    ax.set_axis_off()
    if communities is not None:
        _draw_areas(ax, graph, laid, communities)
    rho = _draw_edges(ax, graph, laid)
    _draw_nodes(ax, graph, laid, communities)
    _draw_names(ax, graph, laid)
    rows = draw_key(ax, rho, signs, quantity)
    if communities is not None and rho.size:
        draw_communities(ax, graph, communities, rows)


def _draw_areas(ax: Axes, graph: layout.Graph, laid: LaidOut, communities: IntArray) -> None:
    """Shade the triangles between neighbouring nodes of a community, which hold no other node."""
    from matplotlib.collections import PolyCollection

    triangles = _triangles(laid.places)
    shown = [tuple(corners) for corners in triangles]
    sides = {tuple(sorted((int(a), int(b)))) for t in triangles for a, b in combinations(t, 2)}
    # Too few nodes for triangles, or all in a line.
    sides = sides or set(zip(*map(np.ndarray.tolist, np.nonzero(graph.reject)), strict=True))
    for number in range(min(int(communities.max(initial=-1)) + 1, len(COMMUNITIES))):
        areas = [
            laid.places[list(corners)].tolist()
            for corners in (*shown, *sorted(sides))
            if (communities[list(corners)] == number).all()
        ]
        pale = tint(community_colour(number))
        area = PolyCollection(
            areas, facecolors=pale, edgecolors=pale, linewidths=2 * (_MARGIN * laid.scale + 3.0)
        )
        area.set(joinstyle="round", capstyle="round", zorder=0)
        ax.add_collection(area)


def _triangles(places: FloatArray) -> IntArray:
    """Delaunay's triangles between the nodes; none of two nodes, or of nodes in a line."""
    from scipy.spatial import Delaunay

    around = places - places.mean(axis=0)
    if len(places) < 3 or np.linalg.svd(around, compute_uv=False)[1] < 1e-3:
        return np.zeros((0, 3), dtype=np.intp)
    return np.asarray(Delaunay(places).simplices, dtype=np.intp)


def _draw_edges(ax: Axes, graph: layout.Graph, laid: LaidOut) -> FloatArray:
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgba

    rows, columns = np.nonzero(np.triu(graph.reject, k=1))
    rho = graph.partial_correlation[rows, columns]
    # Weak edges first, so that strong edges lie on top.
    order = np.argsort(np.abs(rho), kind="stable")
    rows, columns, rho = rows[order], columns[order], rho[order]
    room = float(node_radii(graph, laid).max(initial=0)) + 1.0
    widths = edge_width(rho)
    ax.add_collection(
        LineCollection(
            [path.tolist() for path in edge_paths(laid.places, rows, columns, room)],
            colors=[
                to_rgba(POSITIVE if r > 0 else NEGATIVE, alpha)
                for r, alpha in zip(rho, edge_opacity(rho), strict=True)
            ],
            linewidths=widths,
            linestyles=[
                "solid" if r > 0 else dashes(width) for r, width in zip(rho, widths, strict=True)
            ],
            zorder=1,
        )
    )
    return np.asarray(rho)


def _draw_nodes(ax: Axes, graph: layout.Graph, laid: LaidOut, communities: IntArray | None) -> None:
    """Circles by strength; those without an edge are hollow and pale."""
    joined = np.asarray(graph.reject.any(axis=0))
    filled = np.full(graph.n_features, QUIET, dtype=object)
    if communities is not None:
        filled = np.array([community_colour(int(k)) for k in communities], dtype=object)
    ax.scatter(
        laid.places[:, 0],
        laid.places[:, 1],
        s=(2 * node_radii(graph, laid)) ** 2,
        c=np.where(joined, filled, PAPER).tolist(),
        edgecolors=np.where(joined, INK, QUIET).tolist(),
        linewidths=0.7,
        zorder=2,
    )


def _draw_names(ax: Axes, graph: layout.Graph, laid: LaidOut) -> None:
    from matplotlib.patheffects import withStroke

    joined = np.asarray(graph.reject.any(axis=0))
    for i, label, (x, y) in zip(laid.named, laid.labels, laid.middles, strict=True):
        ax.text(
            float(x),
            float(y),
            label,
            ha="center",
            va="center",
            fontsize=laid.size,
            zorder=3,
            # A name with dollar signs is a name, not a formula.
            parse_math=False,
            color=INK if joined[i] else NOTE,
            path_effects=[withStroke(linewidth=2.2, foreground=PAPER)],
        )

"""How a graph is drawn: where nodes and names stand, its communities, edges by strength."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from edgewise._linalg import AnyArray, FloatArray, pairs_of
from edgewise.plots import layout, style
from edgewise.plots.layout import Graph, IntArray
from edgewise.plots.safe_names import short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

# With more variables, finding the best order of the branches takes too long.
_BEST_ORDER = 500


def community_order(graph: Graph) -> IntArray:
    """The variables by community, clustered inside of each; those without one come last."""
    from scipy.cluster.hierarchy import leaves_list, linkage

    parts = []
    for number in (*range(int(graph.communities.max(initial=-1)) + 1), -1):
        members = np.flatnonzero(graph.communities == number)
        if len(members) > 1:
            distance = 1 - np.abs(graph.partial_correlation[np.ix_(members, members)].round(9))
            best = len(members) <= _BEST_ORDER
            tree = linkage(pairs_of(distance), method="average", optimal_ordering=best)
            members = members[leaves_list(tree)]
        parts.append(members)
    return np.concatenate(parts)


_MARGIN = 9.0  # points, from a node to the border of the area of its community
_ROW = 13.0  # points, a row of the legend
_HANDLE = 34.0  # points, the mark of an entry with the room around it
_LONGEST = 12  # letters of a variable in the name of a community
_ALL_NAMED = 60  # with more variables only some are named
_SOME_NAMED = 40
# Pairs of longest name and font size; the first pair that fits is used.
_LETTERING = (
    (16, 10.0),
    (16, 9.0),
    (16, style.SMALLEST_FONT),
    (12, style.SMALLEST_FONT),
    (8, style.SMALLEST_FONT),
)
_CROWDED = 0.2  # if names cover more of the page, the next lettering is tried
_LARGEST, _SMALLEST = 9.0, 3.2  # points, radius of a node
_MANY = 60  # with more variables the nodes are smaller
_STRONG = 2.5  # the total strength of the largest nodes
_PUSHES, _PUSH_WORK = 400, 5e7
#: How far the middle of a bent edge may lie to its side, as shares of its length.
_BENDS = (0.08, -0.08, 0.15, -0.15, 0.24, -0.24, 0.35, -0.35)
_POINTS = 17  # of a bent edge
_MOST_BENT = 20_000  # of more edges nobody sees one bend


def draw_graph(ax: Axes, graph: Graph, laid: LaidOut, *, communities: bool = True) -> None:
    """Draw the communities, the edges, the nodes, the names and what they mean."""
    ax.set_xlim(0, laid.page[0])
    ax.set_ylim(0, laid.page[1])
    ax.set_aspect("equal")
    ax.set_axis_off()
    fills = np.full(graph.n_features, style.QUIET, dtype=object)
    if communities:
        fills = np.array([style.community_colour(int(k)) for k in graph.communities], dtype=object)
        _draw_areas(ax, graph, laid)
    rho = _draw_edges(ax, graph, laid)
    _draw_nodes(ax, graph, laid, fills)
    rows = _draw_key(ax, graph, rho) if rho.size else 0
    if communities and rho.size:
        _draw_legend(ax, community_marks(graph), rows)


def _draw_areas(ax: Axes, graph: Graph, laid: LaidOut) -> None:
    """Shade the triangles between neighbouring nodes of a community, which hold no other node."""
    from matplotlib.collections import PolyCollection

    triangles = _triangles(laid.places)
    shown = [tuple(corners) for corners in triangles]
    sides = {tuple(sorted((int(a), int(b)))) for t in triangles for a, b in combinations(t, 2)}
    # Too few nodes for triangles, or all in a line.
    sides = sides or set(zip(*map(np.ndarray.tolist, np.nonzero(graph.reject)), strict=True))
    for number in range(min(int(graph.communities.max(initial=-1)) + 1, len(style.COMMUNITIES))):
        areas = [
            laid.places[list(corners)].tolist()
            for corners in (*shown, *sorted(sides))
            if (graph.communities[list(corners)] == number).all()
        ]
        pale = style.tint(style.community_colour(number))
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


def _draw_edges(ax: Axes, graph: Graph, laid: LaidOut) -> FloatArray:
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgba

    rows, columns = np.nonzero(np.triu(graph.reject, k=1))
    rho = graph.partial_correlation[rows, columns]
    # Weak edges first, so that strong edges lie on top.
    order = np.argsort(np.abs(rho), kind="stable")
    rows, columns, rho = rows[order], columns[order], rho[order]
    room = float(node_radii(graph, laid).max(initial=0)) + 1.0
    look = list(zip(rho.tolist(), style.edge_opacity(rho), style.edge_width(rho), strict=True))
    lines = LineCollection(
        [path.tolist() for path in edge_paths(laid.places, rows, columns, room)],
        colors=[
            to_rgba(style.POSITIVE if r > 0 else style.NEGATIVE, alpha) for r, alpha, _ in look
        ],
        linewidths=style.edge_width(rho),
        linestyles=["solid" if r > 0 else style.dashes(width) for r, _, width in look],
        zorder=1,
    )
    ax.add_collection(lines)
    return np.asarray(rho)


def _draw_nodes(ax: Axes, graph: Graph, laid: LaidOut, fills: AnyArray) -> None:
    """Circles by strength, those without an edge hollow and pale, and the names."""
    from matplotlib.patheffects import withStroke

    joined = np.asarray(graph.reject.any(axis=0))
    ax.scatter(
        laid.places[:, 0],
        laid.places[:, 1],
        s=(2 * node_radii(graph, laid)) ** 2,
        c=np.where(joined, fills, style.PAPER).tolist(),
        edgecolors=np.where(joined, style.INK, style.QUIET).tolist(),
        linewidths=0.7,
        zorder=2,
    )
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
            color=style.INK if joined[i] else style.NOTE,
            path_effects=[withStroke(linewidth=2.2, foreground=style.PAPER)],
        )


def _draw_key(ax: Axes, graph: Graph, rho: FloatArray) -> int:
    """Draw what colours and widths of the edges mean; return the rows that it takes."""
    from matplotlib.lines import Line2D

    handles = []
    looks: list[tuple[int, str, Any]] = [(1, style.POSITIVE, "solid")]
    looks.append((-1, style.NEGATIVE, style.dashes(2.5)))
    for (sign, colour, line), name in zip(looks, graph.signs, strict=True):
        if (most := float((sign * rho).max())) > 0:
            label = f"{name} up to {most:.2f}"
            handles.append(Line2D([], [], color=colour, linewidth=2.5, linestyle=line, label=label))
    widths = [
        Line2D(
            [],
            [],
            color=style.NOTE,
            linewidth=float(style.edge_width(size)),
            solid_capstyle="butt",
            label=f"{graph.quantity} = {size:g}" if size == style.KEY[0] else f"{size:g}",
        )
        for size in style.KEY
    ]
    if _sizes([*handles, *widths]).sum() <= layout.page_size(ax)[0]:
        return _draw_legend(ax, [*handles, *widths], 0)
    rows = _draw_legend(ax, handles, 0)
    return rows + _draw_legend(ax, widths, rows)


def community_marks(graph: Graph) -> list[Line2D]:
    """The entries of a legend of communities."""
    from matplotlib.lines import Line2D

    names = graph.community_names(short_names(graph.feature_names, _LONGEST))
    marks = [
        (style.community_colour(k), name) for k, name in enumerate(names[: len(style.COMMUNITIES)])
    ]
    if len(names) > len(style.COMMUNITIES):
        marks.append(
            (style.NO_COMMUNITY, f"{len(names) - len(style.COMMUNITIES)} further communities")
        )
    if alone := int((graph.communities < 0).sum()):
        marks.append((style.PAPER, f"{alone} without an edge"))
    dot: dict[str, Any] = {"marker": "o", "linestyle": "", "markersize": 7, "markeredgewidth": 0.7}
    return [
        Line2D([], [], color=colour, markeredgecolor=style.NOTE, label=name, **dot)
        for colour, name in marks
    ]


def _draw_legend(ax: Axes, handles: list[Line2D], rows_above: int) -> int:
    """Draw entries below the axes, in as many columns as are not wider than they are."""
    width, height = layout.page_size(ax)
    sizes = _sizes(handles)
    # The widest entry of each column; matplotlib fills them one after the other.
    ncols = next(
        (
            n
            for n in (math.ceil(len(handles) / rows) for rows in range(1, len(handles) + 1))
            if sum(part.max() for part in np.array_split(sizes, n)) <= width
        ),
        1,
    )
    legend: Legend = ax.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=(0.5, -(2 + rows_above * _ROW) / height),
        ncols=ncols,
        frameon=False,
        borderpad=0,
        borderaxespad=0,
        columnspacing=1.4,
        labelspacing=0.4,
        handlelength=2.2,
        handletextpad=0.5,
        fontsize=style.SMALLEST_FONT,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)  # a name may hold dollar signs
    ax.add_artist(legend)
    # What the axes clip is no part of a page that is cut to its contents.
    legend.set_clip_on(False)
    # Otherwise the next legend would take its place.
    ax.legend_ = None
    return math.ceil(len(handles) / ncols)


def _sizes(handles: list[Line2D]) -> FloatArray:
    """The width of each entry in points."""
    labels = [str(handle.get_label()) for handle in handles]
    return np.asarray(layout.text_sizes(labels, style.SMALLEST_FONT)[:, 0] + _HANDLE)


@dataclass(frozen=True, eq=False, slots=True)
class LaidOut:
    """Where nodes stand, `scale` for their radii, and the names of those `named`, in a `size`."""

    page: FloatArray
    places: FloatArray
    scale: float
    named: IntArray
    labels: list[str]
    middles: FloatArray
    size: float


def laid_out(graph: Graph, page: FloatArray) -> LaidOut:
    """A layout for a page of that size, in which no names and no nodes cover each other."""
    p = graph.n_features
    scale = min(1.0, math.sqrt(_MANY / p))
    start = _on_page(layout.node_positions(graph.partial_correlation), page)
    node = np.full((p, 2), 2 * _LARGEST * scale)
    if p <= _ALL_NAMED:
        for longest, size in _LETTERING:
            labels = short_names(graph.feature_names, longest)
            written = layout.text_sizes(labels, size)
            boxes = np.maximum(node, written) + np.array([4.0, 0.0])
            boxes[:, 1] += written[:, 1] + layout.GAP
            if boxes.prod(axis=1).sum() > _CROWDED * page.prod() and size > style.SMALLEST_FONT:
                continue
            places, clear = _apart(start, boxes, page)
            if clear:
                # The node stands in the upper part of its box, the name below it.
                places = places + np.array([0.0, (written[0, 1] + layout.GAP) / 2])
                middles = places - np.array([0.0, 1.0]) * (
                    _LARGEST * scale + layout.GAP + written[:, 1:] / 2
                )
                below = LaidOut(page, places, scale, np.arange(p), labels, middles, size)
                # Names beside their nodes, where they cover few edges, if all fit so.
                beside = _with_names(graph, below, p)
                return beside if len(beside.named) == p else below
    places, _ = _apart(start, node + 2.0, page)
    labels = short_names(graph.feature_names, 12)
    nobody = LaidOut(page, places, scale, np.arange(p), labels, places, style.SMALLEST_FONT)
    return _with_names(graph, nobody, min(p, _SOME_NAMED) if p > _ALL_NAMED else p)


def node_radii(graph: Graph, laid: LaidOut) -> FloatArray:
    """The radius of each node in points, by the total strength of its edges."""
    grown = np.sqrt(np.minimum(graph.strength.sum(axis=0) / _STRONG, 1.0))
    return np.asarray(laid.scale * (_SMALLEST + (_LARGEST - _SMALLEST) * grown))


def _on_page(positions: FloatArray, page: FloatArray) -> FloatArray:
    """The layout in points, stretched to fill the page without distorting it much."""
    span = np.maximum(np.ptp(positions, axis=0), 1e-9)
    # Two or three nodes need not fill the page.
    scale = 0.9 * min(1.0, len(positions) / 5) * page / span
    scale = np.minimum(scale, 1.3 * scale.min())
    middle = (positions.max(axis=0) + positions.min(axis=0)) / 2
    return np.asarray(page / 2 + (positions - middle) * scale)


def _apart(places: FloatArray, boxes: FloatArray, page: FloatArray) -> tuple[FloatArray, bool]:
    """Push nodes away from each other until no boxes overlap; also say whether that worked."""
    p = len(places)
    at = np.arange(p)
    # Nodes exactly above or beside each other move apart in the order of the columns.
    side = np.where(at[:, None] < at, 1.0, -1.0)[..., None]
    gap = 0.15 * math.sqrt(page.prod() / p) if p <= _ALL_NAMED else 1.0
    room = (boxes[:, None] + boxes) / 2 + gap
    low, high = boxes / 2 + 1, page - boxes / 2 - 1
    places = np.clip(places, low, high)
    for _ in range(min(_PUSHES, int(_PUSH_WORK / p**2))):
        between = places - places[:, None]
        overlap = room - np.abs(between)
        touching = np.asarray((overlap > 0.01).all(axis=2))
        np.fill_diagonal(touching, False)
        if not touching.any():
            return places, True
        # In the direction with the shorter way out.
        shorter = overlap == overlap.min(axis=2, keepdims=True)
        away = np.where(between == 0, side, np.sign(between)) * overlap
        push = 0.5 * np.where(touching[..., None] & shorter, away, 0.0).sum(axis=0)
        places = np.clip(places + push, low, high)
    return places, False


def _with_names(graph: Graph, laid: LaidOut, most: int) -> LaidOut:
    """The strongest nodes named, where a name covers no node, no other name, and few edges."""
    wanted = np.argsort(-graph.node_strength, kind="stable")
    if len(wanted) > _ALL_NAMED:
        wanted = wanted[graph.node_strength[wanted] > 0]
    rows, columns = np.nonzero(np.triu(graph.reject, k=1))
    paths = edge_paths(laid.places, rows, columns, laid.scale * _LARGEST)
    sizes, radii = layout.text_sizes(laid.labels, laid.size), node_radii(graph, laid)
    found = layout.label_places(laid.places, radii, sizes, laid.page, wanted, paths, most)
    named = np.array(sorted(found), dtype=np.intp)
    middles = np.array([found[i] for i in named]).reshape(-1, 2)
    return replace(laid, named=named, labels=[laid.labels[i] for i in named], middles=middles)


def edge_paths(
    places: FloatArray, rows: IntArray, columns: IntArray, room: float
) -> list[FloatArray]:
    """The points of each edge: straight, or bent as little as keeps other nodes out of `room`."""
    paths = [places[[i, j]] for i, j in zip(rows, columns, strict=True)]
    for k, ends in enumerate(paths if len(paths) <= _MOST_BENT else []):
        start, end = ends
        near = np.asarray(_distances(places, start, end))
        near[[rows[k], columns[k]]] = np.inf
        if near.min() >= room:
            continue
        # Nodes that no bend can come near to need not be looked at.
        others = places[near <= _BENDS[-2] * float(np.hypot(*(end - start))) + room]
        best = -1.0
        for bend in _BENDS:
            path = _bent(start, end, bend)
            clear = float(np.sqrt(((path[:, None] - others) ** 2).sum(axis=2)).min())
            if clear > best:
                best, paths[k] = clear, path
            if clear >= room:
                break
    return paths


def _distances(points: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    """How far each point is from the line between two others."""
    along, to = end - start, points - start
    share = np.clip(to @ along / max(float(along @ along), 1e-12), 0, 1)
    return np.asarray(np.hypot(*(to - share[:, None] * along).T))


def _bent(start: FloatArray, end: FloatArray, bend: float) -> FloatArray:
    """A parabola whose middle lies beside that of the straight line."""
    along = end - start
    # The control point of a quadratic curve lies twice as far out as its middle.
    control = (start + end) / 2 + 2 * bend * np.array([-along[1], along[0]])
    t = np.linspace(0, 1, _POINTS)[:, None]
    return np.asarray((1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end)

"""How a graph is drawn: where nodes and names stand, its communities, edges by strength."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from edgewise._linalg import AnyArray, FloatArray, pairs_of
from edgewise._optional import require
from edgewise.plots import layout
from edgewise.plots.layout import IntArray
from edgewise.plots.safe_names import short_names
from edgewise.plots.style import (
    COMMUNITIES,
    INK,
    KEY,
    NEGATIVE,
    NO_COMMUNITY,
    NOTE,
    PAPER,
    POSITIVE,
    QUIET,
    SMALLEST_FONT,
    community_colour,
    dashes,
    edge_opacity,
    edge_width,
    tint,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

_SEED = 0
#: What two methods agree on up to rounding must give the same communities.
_DECIMALS = 9
# With more variables, finding the best order of the branches takes too long.
_BEST_ORDER = 500


def communities_of(graph: layout.Graph) -> IntArray:
    """The community (Louvain's, by |ρ̂|) of each variable: 0 for the strongest, −1 without an edge."""
    nx = require("networkx", "plot", "Communities")
    weight = np.round(edge_strengths(graph), _DECIMALS)
    found = nx.Graph()
    for i, j in zip(*np.nonzero(np.triu(weight)), strict=True):
        found.add_edge(int(i), int(j), weight=float(weight[i, j]))
    members = [sorted(one) for one in nx.community.louvain_communities(found, seed=_SEED)]
    strength = np.round(weight.sum(axis=0), _DECIMALS)
    members.sort(key=lambda nodes: (-float(strength[nodes].sum()), nodes[0]))
    communities = np.full(graph.n_features, -1, dtype=np.intp)
    for number, nodes in enumerate(members):
        communities[nodes] = number
    return communities


def community_names(graph: layout.Graph, communities: IntArray, names: Sequence[str]) -> list[str]:
    """What a legend calls each community: by its strongest variables."""
    strength = np.round(edge_strengths(graph).sum(axis=0), _DECIMALS)
    found = []
    for number in range(int(communities.max(initial=-1)) + 1):
        members = np.flatnonzero(communities == number)
        ordered = members[np.argsort(-strength[members], kind="stable")]
        shown = ordered if len(ordered) <= 3 else ordered[:2]
        more = len(ordered) - len(shown)
        found.append(", ".join(names[i] for i in shown) + f" + {more}" * bool(more))
    return found


def edge_strengths(graph: layout.Graph) -> FloatArray:
    """|ρ̂| of the edges; 0 for pairs that are none."""
    strength = np.where(graph.reject, np.abs(graph.partial_correlation), 0.0)
    np.fill_diagonal(strength, 0.0)
    return np.asarray(strength)


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


_MARGIN = 9.0  # points, from a node to the border of the area of its community
#: What the legend calls the edges of either sign.
SIGNS = ("positive,", "negative,")
_ROW = 13.0  # points, a row of the legend
_HANDLE = 34.0  # points, the mark of an entry with the room around it
_LONGEST = 12  # letters of a variable in the name of a community
_ALL_NAMED = 60  # with more variables only some are named
_SOME_NAMED = 40
# Pairs of longest name and font size; the first pair that fits is used.
_LETTERING = ((16, 10.0), (16, 9.0), (16, SMALLEST_FONT), (12, SMALLEST_FONT), (8, SMALLEST_FONT))
_CROWDED = 0.2  # if names cover more of the page, the next lettering is tried
_LARGEST, _SMALLEST = 9.0, 3.2  # points, radius of a node
_MANY = 60  # with more variables the nodes are smaller
_STRONG = 2.5  # the total strength of the largest nodes
_PUSHES, _PUSH_WORK = 400, 5e7
_GAP = 2.0  # points, between a name and its node
#: How far the middle of a bent edge may lie to its side, as shares of its length.
_BENDS = (0.08, -0.08, 0.15, -0.15, 0.24, -0.24, 0.35, -0.35)
_POINTS = 17  # of a bent edge
_BLOCK = 2_000_000  # edges times nodes at a time


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
        _draw(ax, community_marks(graph, communities), rows)


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


def draw_key(
    ax: Axes, rho: FloatArray, signs: tuple[str, str] = SIGNS, quantity: str = "|ρ̂|"
) -> int:
    """Draw what colours and widths of the edges mean; return the rows that it takes."""
    from matplotlib.lines import Line2D

    if not rho.size:
        return 0
    handles = []
    if (rho > 0).any():
        label = f"{signs[0]} up to {rho.max():.2f}"
        handles.append(Line2D([], [], color=POSITIVE, linewidth=2.5, label=label))
    if (rho < 0).any():
        label = f"{signs[1]} up to {-rho.min():.2f}"
        handles.append(
            Line2D([], [], color=NEGATIVE, linewidth=2.5, linestyle=dashes(2.5), label=label)
        )
    widths = [
        Line2D(
            [],
            [],
            color=NOTE,
            linewidth=float(edge_width(size)),
            solid_capstyle="butt",
            label=f"{quantity} = {size:g}" if size == KEY[0] else f"{size:g}",
        )
        for size in KEY
    ]
    if _sizes([*handles, *widths]).sum() <= layout.page_size(ax)[0]:
        return _draw(ax, [*handles, *widths], 0)
    rows = _draw(ax, handles, 0)
    return rows + _draw(ax, widths, rows)


def community_marks(graph: layout.Graph, communities: IntArray) -> list[Line2D]:
    """The entries of a legend of communities."""
    from matplotlib.lines import Line2D

    names = community_names(graph, communities, short_names(graph.feature_names, _LONGEST))
    marks = [(community_colour(k), name) for k, name in enumerate(names[: len(COMMUNITIES)])]
    if len(names) > len(COMMUNITIES):
        marks.append((NO_COMMUNITY, f"{len(names) - len(COMMUNITIES)} further communities"))
    if (communities < 0).any():
        marks.append((PAPER, f"{int((communities < 0).sum())} without an edge"))
    dot: dict[str, Any] = {"marker": "o", "linestyle": "", "markersize": 7, "markeredgewidth": 0.7}
    return [
        Line2D([], [], color=colour, markeredgecolor=NOTE, label=name, **dot)
        for colour, name in marks
    ]


def _draw(ax: Axes, handles: list[Line2D], rows_above: int) -> int:
    """Draw entries below the axes, in as many columns as are not wider than they are."""
    width, height = layout.page_size(ax)
    sizes = _sizes(handles)
    rows = range(1, len(handles) + 1)
    columns = [math.ceil(len(handles) / n) for n in rows]
    ncols = next((n for n in columns if _widths(sizes, n).sum() <= width), 1)
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
        fontsize=SMALLEST_FONT,
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
    return np.asarray(layout.text_sizes(labels, SMALLEST_FONT)[:, 0] + _HANDLE)


def _widths(sizes: FloatArray, columns: int) -> FloatArray:
    """The width of each column; matplotlib fills them one after the other."""
    return np.array([part.max() for part in np.array_split(sizes, columns)])


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


def laid_out(graph: layout.Graph, page: FloatArray) -> LaidOut:
    """A layout for a page of that size, in which no names and no nodes cover each other."""
    p = graph.n_features
    scale = min(1.0, math.sqrt(_MANY / p))
    start = _on_page(layout.node_positions(graph), page)
    node = np.full((p, 2), 2 * _LARGEST * scale)
    if p <= _ALL_NAMED:
        for longest, size in _LETTERING:
            labels = short_names(graph.feature_names, longest)
            written = layout.text_sizes(labels, size)
            boxes = np.maximum(node, written) + np.array([4.0, 0.0])
            boxes[:, 1] += written[:, 1] + _GAP
            if boxes.prod(axis=1).sum() > _CROWDED * page.prod() and size > SMALLEST_FONT:
                continue
            places, clear = _apart(start, boxes, page)
            if clear:
                # The node stands in the upper part of its box, the name below it.
                places = places + np.array([0.0, (written[0, 1] + _GAP) / 2])
                middles = places - np.array([0.0, 1.0]) * (
                    _LARGEST * scale + _GAP + written[:, 1:] / 2
                )
                below = LaidOut(page, places, scale, np.arange(p), labels, middles, size)
                # Names beside their nodes, where they cover few edges, if all fit so.
                beside = _with_names(graph, below, p)
                return beside if len(beside.named) == p else below
    places, _ = _apart(start, node + 2.0, page)
    labels = short_names(graph.feature_names, 12)
    nobody = LaidOut(page, places, scale, np.arange(p), labels, places, SMALLEST_FONT)
    return _with_names(graph, nobody, min(p, _SOME_NAMED) if p > _ALL_NAMED else p)


def node_radii(graph: layout.Graph, laid: LaidOut) -> FloatArray:
    """The radius of each node in points, by the total strength of its edges."""
    strength = edge_strengths(graph).sum(axis=0)
    grown = np.sqrt(np.minimum(strength / _STRONG, 1.0))
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


def _with_names(graph: layout.Graph, laid: LaidOut, most: int) -> LaidOut:
    """The strongest nodes named, where a name covers no node, no other name, and few edges."""
    places, radii = laid.places, node_radii(graph, laid)
    strength = edge_strengths(graph).sum(axis=0)
    wanted = np.argsort(-np.round(strength, 9), kind="stable")
    if len(wanted) > _ALL_NAMED:
        wanted = wanted[strength[wanted] > 0]
    rows, columns = np.nonzero(np.triu(graph.reject, k=1))
    crossed = _points_of_edges(edge_paths(places, rows, columns, laid.scale * _LARGEST))
    sizes = layout.text_sizes(laid.labels, laid.size)
    taken: list[FloatArray] = []
    kept: dict[int, FloatArray] = {}
    for i in wanted:
        if len(kept) == most:
            break
        best, fewest = None, math.inf
        for middle in _around(places[i], sizes[i], float(radii[i]) + _GAP):
            box = np.array([middle - sizes[i] / 2, middle + sizes[i] / 2])
            nearest = np.clip(places, *box)
            covers_node = (np.hypot(*(places - nearest).T) <= radii).any()
            if free_box(box, laid.page, taken, gap=1) and not covers_node:
                covers = int(((crossed > box[0]) & (crossed < box[1])).all(axis=1).sum())
                if covers < fewest:
                    best, fewest = box, covers
        if best is not None:
            taken.append(best)
            kept[int(i)] = best.mean(axis=0)
    named = np.array(sorted(kept), dtype=np.intp)
    middles = np.array([kept[i] for i in named]).reshape(-1, 2)
    labels = [laid.labels[i] for i in named]
    return LaidOut(laid.page, places, laid.scale, named, labels, middles, laid.size)


def _points_of_edges(paths: list[FloatArray]) -> FloatArray:
    """Points along all edges, close enough to tell whether a name covers one."""
    each = 25 if len(paths) <= 500 else 9
    share = np.linspace(0, 1, each)
    points = [
        np.column_stack([np.interp(share, np.linspace(0, 1, len(path)), axis) for axis in path.T])
        for path in paths
    ]
    return np.concatenate(points) if points else np.zeros((0, 2))


def _around(place: FloatArray, size: FloatArray, reach: float) -> Iterator[FloatArray]:
    """Where a name may stand around its node: below, above, beside, and at the corners."""
    half = size / 2
    yield place - np.array([0.0, reach + half[1]])
    yield place + np.array([0.0, reach + half[1]])
    for side in (1.0, -1.0):
        yield place + np.array([side * (reach + half[0] + 1), 0.0])
        for up in (-1.0, 1.0):
            yield place + np.array([side, up]) * (0.7 * reach + half)
    # Half beside and half below, where two nodes are close.
    for up in (-1.0, 1.0):
        for side in (0.6, -0.6):
            yield place + np.array([side * half[0], up * (reach + half[1])])


def free_box(box: FloatArray, page: FloatArray, taken: list[FloatArray], gap: float) -> bool:
    """Whether a box lies on the page and not on another one."""
    low, high = box
    if (low < 0).any() or (high > page).any():
        return False
    return not any((low < b[1] + gap).all() and (high + gap > b[0]).all() for b in taken)


def edge_paths(
    places: FloatArray, rows: IntArray, columns: IntArray, room: float
) -> list[FloatArray]:
    """The points of each edge: straight, or bent as little as keeps other nodes out of `room`."""
    paths = [places[[i, j]] for i, j in zip(rows, columns, strict=True)]
    for k in _in_the_way(places, rows, columns, room):
        i, j = rows[k], columns[k]
        # Nodes that no bend can come near to need not be looked at.
        reach = _BENDS[-2] * float(np.hypot(*(places[j] - places[i]))) + room
        near = distances_to_lines(places, places[[i]], places[[j]])[0] <= reach
        near[[i, j]] = False
        others = places[near]
        best = -1.0
        for bend in _BENDS:
            path = _bent(places[i], places[j], bend)
            clear = float(np.sqrt(((path[:, None] - others) ** 2).sum(axis=2)).min())
            if clear > best:
                best, paths[k] = clear, path
            if clear >= room:
                break
    return paths


def _in_the_way(places: FloatArray, rows: IntArray, columns: IntArray, room: float) -> IntArray:
    """Edges whose straight line passes another node at less than `room`."""
    found = []
    step = max(_BLOCK // len(places), 1)
    for start in range(0, len(rows), step):
        i, j = rows[start : start + step], columns[start : start + step]
        near = distances_to_lines(places, places[i], places[j]) < room
        at = np.arange(len(i))
        near[at, i] = near[at, j] = False
        found.append(start + np.flatnonzero(near.any(axis=1)))
    return np.concatenate(found) if found else np.zeros(0, dtype=np.intp)


def distances_to_lines(points: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    """How far each point is from each line between a start and an end: lines × points."""
    along = end - start
    square = np.maximum(np.sum(along**2, axis=1), 1e-12)
    to = points[None] - start[:, None]
    share = np.clip(np.einsum("lpd,ld->lp", to, along) / square[:, None], 0, 1)
    return np.asarray(np.sqrt(np.sum((to - share[..., None] * along[:, None]) ** 2, axis=2)))


def _bent(start: FloatArray, end: FloatArray, bend: float) -> FloatArray:
    """A parabola whose middle lies beside that of the straight line."""
    along = end - start
    # The control point of a quadratic curve lies twice as far out as its middle.
    control = (start + end) / 2 + 2 * bend * np.array([-along[1], along[0]])
    t = np.linspace(0, 1, _POINTS)[:, None]
    return np.asarray((1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end)

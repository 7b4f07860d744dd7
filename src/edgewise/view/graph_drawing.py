"""How a graph is drawn: nodes with names that do not cover each other, edges by strength."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from edgewise._base.types import BoolArray, FloatArray
from edgewise.view import layout
from edgewise.view.safe_names import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

IntArray: TypeAlias = npt.NDArray[np.intp]

_ALL_NAMED = 60  # with more variables only some are named
_SOME_NAMED = 24
_DASHED = (0.0, (2.2, 1.1))  # marks negative edges in grey prints as well
# Pairs of longest name and font size; the first pair that fits is used.
_LETTERING = ((16, 10), (16, 9), (16, 8), (16, 7), (14, 6), (12, 6), (10, 5.5), (8, 5), (6, 4))
_CROWDED, _SMALL = 0.13, 7  # if names cover more of the page, the font shrinks down to this size
_DOT = 5.0  # points, a node without a name
_PADDING = 0.3  # around a name, in font sizes
_PUSHES = 400
_LEGEND_SIZE, _LEGEND_ROOM = 9, 60  # points; room for the lines of a legend
#: What the legend says before the strongest edge of either sign.
SIGNS = ("positive partial correlation, up to ", "negative partial correlation, down to −")


@dataclass(frozen=True, eq=False, slots=True)
class LaidOut:
    """Where the nodes of a graph stand on a page, which are named, how, and in which font size."""

    page: FloatArray
    places: FloatArray
    named: IntArray
    labels: list[str]
    size: float


def laid_out(graph: layout.Graph, page: FloatArray) -> LaidOut:
    """A layout for a page of that size, with the first lettering with which no names overlap.

    If there is none, it is the last one.
    """
    positions, named = _on_page(layout.node_positions(graph), page), _named(graph)
    for longest, size in _LETTERING:
        labels = [shortened(graph.feature_names[i], longest) for i in named]
        boxes = np.full((graph.n_features, 2), _DOT)
        boxes[named] = layout.text_sizes(labels, size) + 2 * _PADDING * size
        if boxes.prod(axis=1).sum() > _CROWDED * page.prod() and size > _SMALL:
            continue
        places, clear = _apart(positions, boxes, named, page)
        if clear:
            break
    return LaidOut(page, places, named, labels, size)


def draw_graph(
    ax: Axes,
    graph: layout.Graph,
    laid: LaidOut,
    *,
    strongest: float | None = None,
    signs: tuple[str, str] = SIGNS,
) -> None:
    """Draw the edges and the nodes; edges as strong as `strongest` have the full width.

    `signs` is what the legend says before the strongest positive and negative edge.
    """
    _draw_edges(ax, graph, laid.places, strongest, signs)
    joined = np.asarray(graph.reject.any(axis=0))
    unnamed = np.setdiff1d(np.arange(graph.n_features), laid.named)
    _draw_dots(ax, laid.places[unnamed], joined[unnamed])
    for i, label in zip(laid.named, laid.labels, strict=True):
        _draw_name(ax, label, laid.places[i], laid.size, joined=bool(joined[i]))
    ax.set_xlim(0, laid.page[0])
    ax.set_ylim(0, laid.page[1])
    ax.set_aspect("equal")
    ax.set_axis_off()


def _named(graph: layout.Graph) -> IntArray:
    """The nodes to name: all, or those whose edges have the largest total strength."""
    if graph.n_features <= _ALL_NAMED:
        return np.arange(graph.n_features)
    strength = np.sum(np.abs(graph.partial_correlation) * graph.reject, axis=0)
    strongest = np.argsort(-strength, kind="stable")[:_SOME_NAMED]
    return np.sort(strongest[strength[strongest] > 0])


def _on_page(positions: FloatArray, page: FloatArray) -> FloatArray:
    """The layout in points, stretched to fill the page without distorting it much."""
    span = np.maximum(np.ptp(positions, axis=0), 1e-9)
    # Two or three nodes need not fill the page.
    scale = 0.86 * min(1.0, len(positions) / 5) * page / span
    scale = np.minimum(scale, 1.3 * scale.min())
    middle = (positions.max(axis=0) + positions.min(axis=0)) / 2
    return np.asarray(page / 2 + (positions - middle) * scale)


def _apart(
    places: FloatArray, boxes: FloatArray, named: IntArray, page: FloatArray
) -> tuple[FloatArray, bool]:
    """Push nodes away from named ones until no boxes overlap; also say whether that worked."""
    p = len(places)
    itself = named[:, None] == np.arange(p)
    # Two named nodes push each other half of the way each; an unnamed one is pushed all of it.
    share = np.where(np.isin(np.arange(p), named), 0.5, 1.0)[:, None]
    # Nodes exactly above or beside each other move apart in the order of the columns.
    side = np.where(named[:, None] < np.arange(p), 1.0, -1.0)[..., None]
    # The gap between two names is wide enough for their edge to be visible.
    gap = np.where(share == 0.5, 0.15 * np.sqrt(page.prod() / max(named.size, 1)), 1.0)
    room = (boxes[named][:, None] + boxes) / 2 + gap
    low, high = boxes / 2 + 1, page - boxes / 2 - 1
    places = np.clip(places, low, high)
    for _ in range(_PUSHES):
        between = places - places[named][:, None]
        overlap = room - np.abs(between)
        touching = (overlap > 0.01).all(axis=2) & ~itself
        if not touching.any():
            return places, True
        # In the direction with the shorter way out.
        shorter = overlap == overlap.min(axis=2, keepdims=True)
        away = np.where(between == 0, side, np.sign(between)) * overlap
        push = np.where(touching[..., None] & shorter, away, 0.0).sum(axis=0) * share
        places = np.clip(places + push, low, high)
    return places, False


def _draw_dots(ax: Axes, places: FloatArray, joined: BoolArray) -> None:
    """The nodes without a name; those without an edge are paler."""
    ax.scatter(
        places[:, 0],
        places[:, 1],
        s=_DOT**2,
        c=np.where(joined, "#ffffff", "#eeeeee"),
        edgecolors=np.where(joined, "#333333", "#bbbbbb").tolist(),
        linewidths=0.8,
        zorder=2,
    )


def _draw_name(ax: Axes, label: str, place: FloatArray, size: float, *, joined: bool) -> None:
    ax.text(
        float(place[0]),
        float(place[1]),
        label,
        ha="center",
        va="center",
        fontsize=size,
        zorder=3,
        # A name with dollar signs is a name, not a formula.
        parse_math=False,
        color="#000000" if joined else "#777777",
        bbox={
            "boxstyle": f"round,pad={_PADDING},rounding_size=0.6",
            "facecolor": "#ffffff" if joined else "#f2f2f2",
            "edgecolor": "#333333" if joined else "#cccccc",
            "linewidth": 1.0,
        },
    )


def _draw_edges(
    ax: Axes,
    graph: layout.Graph,
    places: FloatArray,
    strongest: float | None,
    signs: tuple[str, str],
) -> None:
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgba

    rows, columns = np.nonzero(np.triu(graph.reject, k=1))
    rho = graph.partial_correlation[rows, columns]
    # Weak edges first, so that strong edges lie on top.
    order = np.argsort(np.abs(rho), kind="stable")
    rows, columns, rho = rows[order], columns[order], rho[order]
    strength = np.abs(rho) / (strongest or np.abs(rho).max(initial=1e-300))
    # With many nodes, each has less room.
    widest = float(np.clip(7 * np.sqrt(20 / graph.n_features), 1.5, 7))
    ax.add_collection(
        LineCollection(
            np.stack([places[rows], places[columns]], axis=1).tolist(),
            colors=[
                to_rgba(layout.POSITIVE if r > 0 else layout.NEGATIVE, 0.35 + 0.6 * s)
                for r, s in zip(rho, strength, strict=True)
            ],
            linewidths=0.6 + widest * strength,
            linestyles=["solid" if r > 0 else _DASHED for r in rho],
            zorder=1,
        )
    )
    _draw_legend(ax, rho, signs)


def _draw_legend(ax: Axes, rho: FloatArray, signs: tuple[str, str]) -> None:
    from matplotlib.lines import Line2D

    handles = []
    if (rho > 0).any():
        label = f"{signs[0]}{rho.max():.2f}"
        handles.append(Line2D([], [], color=layout.POSITIVE, linewidth=3, label=label))
    if (rho < 0).any():
        label = f"{signs[1]}{-rho.min():.2f}"
        handles.append(
            Line2D([], [], color=layout.NEGATIVE, linewidth=3, linestyle=_DASHED, label=label)
        )
    if handles:
        legend = ax.legend(
            handles=handles,
            loc="upper center",
            bbox_to_anchor=(0.5, 0.0),
            ncols=_beside(ax, [str(handle.get_label()) for handle in handles]),
            frameon=False,
            fontsize=_LEGEND_SIZE,
        )
        for text in legend.get_texts():
            text.set_parse_math(False)  # the name of a group may hold dollar signs


def _beside(ax: Axes, labels: list[str]) -> int:
    """How many columns a legend has: one where two would be wider than the axes."""
    width = layout.text_sizes(labels, _LEGEND_SIZE)[:, 0].sum() + _LEGEND_ROOM * len(labels)
    return 1 if width > layout.page_size(ax)[0] else 2

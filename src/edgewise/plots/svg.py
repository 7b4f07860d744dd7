"""A graph as SVG for pages without a script; style sheets may overrule what its attributes say."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import numpy as np

from edgewise._linalg import FloatArray
from edgewise.plots.layout import Graph, label_places, node_positions
from edgewise.plots.safe_names import printable, short_names
from edgewise.plots.style import NEGATIVE, POSITIVE, edge_opacity, edge_width

# The drawing, in units of its own: the page scales it.
WIDTH, HEIGHT = 420, 340
_MARGIN, _FONT, _RADIUS, _LONGEST_LABEL = 34, 12.0, 5.5, 14
_PIXELS_PER_POINT = 4 / 3
#: The width of a letter and the height of a line, in sizes of the font: rather too wide.
_LETTER, _LINE = 0.68, 1.15
_EDGE = 4


class Places(NamedTuple):
    """Where variables stand, and where the text of each is anchored; None where it has no room."""

    nodes: FloatArray
    labels: list[str]
    texts: list[tuple[float, float, str] | None]


def unit_square(positions: FloatArray) -> FloatArray:
    """Places between 0 and 1, y downwards as on a screen."""
    low, high = positions.min(axis=0), positions.max(axis=0)
    scaled: FloatArray = (positions - low) / np.where(high > low, high - low, 1.0)
    # A graph on a line, or of one node, is drawn in the middle.
    scaled[:, high <= low] = 0.5
    return np.column_stack([scaled[:, 0], 1 - scaled[:, 1]])


def places_of(graph: Graph, importance: FloatArray) -> Places:
    """A label beside its node, where it covers few edges and nothing else; important ones first."""
    room = np.array([WIDTH, HEIGHT]) - 2 * _MARGIN
    nodes = np.asarray(_MARGIN + unit_square(node_positions(graph.partial_correlation)) * room)
    labels = short_names(graph.feature_names, _LONGEST_LABEL)
    wide = [_LETTER * _FONT * len(label) for label in labels]
    sizes = np.column_stack([wide, np.full(len(labels), _LINE * _FONT)])
    inside = nodes - _EDGE  # labels stay away from the border
    paths = [inside[[i, j]] for i, j in zip(*np.nonzero(np.triu(graph.reject)), strict=True)]
    order, radii = np.argsort(-importance, kind="stable"), np.full(len(labels), _RADIUS)
    page = np.array([WIDTH, HEIGHT]) - 2 * _EDGE
    found = label_places(inside, radii, sizes, page, order, paths, len(labels))
    texts: list[tuple[float, float, str] | None] = [None] * len(labels)
    for k, (x, y) in found.items():
        x, y = x + _EDGE, y + _EDGE
        # Text is narrower than its box, and lies against its node.
        aside, half = x - nodes[k, 0], wide[k] / 2
        anchor, x = ("start", x - half) if aside > 1 else ("end", x + half)
        if abs(aside) <= 1:
            anchor, x = "middle", nodes[k, 0]
        texts[k] = (float(x), float(y) + 0.35 * _FONT, anchor)
    return Places(nodes, labels, texts)


def line_width(value: float) -> float:
    """The width of an edge in pixels."""
    return round(float(edge_width(value)) * _PIXELS_PER_POINT, 2)


def graph_svg(graph: Graph, places: Places, title: str, fills: Sequence[str]) -> str:
    """The drawing, with a title for each edge and node."""
    names = [escape(printable(name)) for name in graph.feature_names]
    rows, columns = np.nonzero(np.triu(graph.reject, k=1))
    rho, drawn = graph.partial_correlation[rows, columns], []
    for k in np.argsort(np.abs(rho), kind="stable"):  # strong edges lie on top
        value, width = float(rho[k]), line_width(float(rho[k]))
        (x1, y1), (x2, y2) = places.nodes[[rows[k], columns[k]]].round(1).tolist()
        dashes = f' stroke-dasharray="{width + 5:.1f} {0.6 * width + 3:.1f}"' if value < 0 else ""
        shown = f"{value:+.3f}".replace("-", "−")
        drawn.append(
            f'<line class="edge{" negative" * (value < 0)}" x1="{x1}" y1="{y1}" x2="{x2}" '
            f'y2="{y2}" stroke="{POSITIVE if value > 0 else NEGATIVE}" stroke-width="{width}" '
            f'stroke-opacity="{edge_opacity(rho[k]):.2f}"{dashes}>'
            f"<title>{names[rows[k]]} – {names[columns[k]]}: {shown}</title></line>"
        )
    alone = np.asarray(~graph.reject.any(axis=0))
    for k, ((x, y), text) in enumerate(zip(places.nodes.tolist(), places.texts, strict=True)):
        label = ""
        if text is not None:
            label = (
                f'<text x="{text[0]:.1f}" y="{text[1]:.1f}" font-size="{_FONT:g}" '
                f'text-anchor="{text[2]}" fill="currentColor">{escape(places.labels[k])}</text>'
            )
        drawn.append(
            f'<g class="node{" alone" * bool(alone[k])}"><circle cx="{x:.1f}" cy="{y:.1f}" '
            f'r="{_RADIUS}" fill="{fills[k]}" stroke="currentColor"><title>{names[k]}</title>'
            f"</circle>{label}</g>"
        )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(printable(title))}">'
        f"{''.join(drawn)}</svg>"
    )

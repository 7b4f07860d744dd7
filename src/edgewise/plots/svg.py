"""A graph as SVG for pages without a script; style sheets may overrule what its attributes say."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import numpy as np

from edgewise._linalg import FloatArray
from edgewise.plots.layout import Graph, node_positions
from edgewise.plots.safe_names import printable, short_names
from edgewise.plots.style import NEGATIVE, POSITIVE, edge_opacity, edge_width

# The drawing, in units of its own: the page scales it.
WIDTH, HEIGHT = 420, 340
_MARGIN, _FONT, _RADIUS, _LONGEST_LABEL = 34, 12.0, 5.5, 14
_PIXELS_PER_POINT = 4 / 3
#: The width of a letter and the height of a line, in sizes of the font: rather too wide.
_LETTER, _LINE = 0.68, 1.15
#: How far labels stay away from the border.
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
    i, j = np.nonzero(np.triu(graph.reject, k=1))
    share = np.linspace(0, 1, 24)[:, None, None]
    lines = np.asarray(nodes[i] + share * (nodes[j] - nodes[i])).reshape(-1, 2)
    discs = np.column_stack([nodes - _RADIUS, nodes + _RADIUS])
    taken: list[FloatArray] = []
    texts: list[tuple[float, float, str] | None] = [None] * len(labels)
    for k in np.argsort(-importance, kind="stable").tolist():
        others = np.vstack([np.delete(discs, k, axis=0), *taken])
        (x, y), gap, wide = nodes[k].tolist(), _RADIUS + 2.5, _LETTER * _FONT * len(labels[k])
        candidates = (
            ((x, y - gap, "middle"), x - wide / 2),
            ((x, y + gap + 0.675 * _FONT, "middle"), x - wide / 2),
            ((x + gap, y + 0.35 * _FONT, "start"), x + gap),
            ((x - gap, y + 0.35 * _FONT, "end"), x - gap - wide),
        )
        fewest = len(lines) + 1
        for text, left in candidates:
            top = text[1] - 0.8 * _LINE * _FONT
            box = np.array([left, top, left + wide, top + _LINE * _FONT])
            border = np.array([WIDTH, HEIGHT]) - _EDGE
            inside = box[:2].min() >= _EDGE and bool((box[2:] <= border).all())
            covered = int(np.count_nonzero(np.all((lines > box[:2]) & (lines < box[2:]), axis=1)))
            apart = ((others[:, :2] >= box[2:]) | (others[:, 2:] <= box[:2])).any(axis=1)
            if inside and covered < fewest and apart.all():
                fewest, texts[k], own = covered, text, box
        if texts[k] is not None:
            taken.append(own)
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
        value, width = float(rho[k]), line_width(rho[k])
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

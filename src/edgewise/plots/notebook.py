"""A result as a notebook shows it: sentences, a small graph, the strongest edges."""

from __future__ import annotations

from html import escape

import numpy as np

from edgewise._optional import is_installed
from edgewise.plots.layout import graph_of, node_positions
from edgewise.plots.safe_names import printable, short_names
from edgewise.plots.style import (
    NEGATIVE,
    POSITIVE,
    QUIET,
    community_colour,
    edge_opacity,
    edge_width,
)
from edgewise.results.result import EdgeTestResult
from edgewise.results.summary import facts, interval_text

_WIDTH, _HEIGHT, _MARGIN = 460, 320, 34
_SHOWN_EDGES = 8
# A small picture of more nodes is not readable; the report and the plot are.
_MOST_NODES = 60


def result_html(result: EdgeTestResult) -> str:
    """HTML without a script, readable on a light or a dark page."""
    parts = [f"<p>{escape(printable(' '.join(facts(result))))}</p>"]
    parts += [
        f"<p><strong>Caution.</strong> {escape(printable(caution))}</p>"
        for caution in result.cautions
    ]
    if result.n_edges:
        picture = (
            f"<p>A graph of {len(result.tested_columns())} variables has no room here: "
            "result.plot() draws it, and result.report(path) writes a page to explore it.</p>"
        )
        if len(result.tested_columns()) <= _MOST_NODES:
            picture = _network(result)
        parts.append(
            '<div style="display:flex;flex-wrap:wrap;gap:1.5em;align-items:flex-start">'
            f"{picture}{_table(result)}</div>"
        )
    return f'<div style="font-family:sans-serif">{"".join(parts)}</div>'


def _network(result: EdgeTestResult) -> str:
    graph = graph_of(result)
    places = node_positions(graph.partial_correlation) * (1, -1)
    low, span = places.min(axis=0), np.ptp(places, axis=0)
    room = np.array([_WIDTH, _HEIGHT]) - 2 * _MARGIN
    x, y = (_MARGIN + (places - low) / np.where(span > 0, span, 1.0) * room).T
    short, fills, legend = short_names(graph.feature_names, 14), [QUIET] * graph.n_features, ""
    if is_installed("networkx"):  # communities need it, which edgewise does not
        fills = [community_colour(int(k)) if k >= 0 else QUIET for k in graph.communities]
        legend = "; ".join(
            f'<span style="color:{community_colour(number)}">●</span> {escape(name)}'
            for number, name in enumerate(graph.community_names(short)[:8])
        )
    drawn = []
    rows, columns = np.nonzero(np.triu(graph.reject))
    rho = graph.partial_correlation[rows, columns]
    for k in np.argsort(np.abs(rho), kind="stable"):  # strong edges on top
        i, j = rows[k], columns[k]
        colour, dash = (POSITIVE, "") if rho[k] > 0 else (NEGATIVE, ' stroke-dasharray="6 3"')
        drawn.append(
            f'<line x1="{x[i]:.1f}" y1="{y[i]:.1f}" x2="{x[j]:.1f}" y2="{y[j]:.1f}" '
            f'stroke="{colour}" stroke-width="{edge_width(rho[k]):.2f}" '
            f'opacity="{edge_opacity(rho[k]):.2f}"{dash}/>'
        )
    for fill, name, left, top in zip(fills, short, x, y, strict=True):
        drawn.append(
            f'<circle cx="{left:.1f}" cy="{top:.1f}" r="5" fill="{fill}" stroke="currentColor"/>'
            f'<text x="{left:.1f}" y="{top - 7:.1f}" font-size="11" text-anchor="middle" '
            f'fill="currentColor">{escape(name)}</text>'
        )
    return (
        f'<div><svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" '
        f'role="img" aria-label="Graph of {result.n_edges} edges">{"".join(drawn)}</svg>'
        f'<p style="max-width:{_WIDTH}px;font-size:85%">{legend}</p></div>'
    )


def _table(result: EdgeTestResult) -> str:
    edges, rows = result.edges(), ""
    for edge in edges[:_SHOWN_EDGES]:
        cells = (
            f"{edge.partial_correlation:+.3f}",
            interval_text(edge),
            f"{edge.adjusted_pvalue:.2g}",
        )
        rows += (
            f"<tr><td>{escape(printable(edge.source))} – {escape(printable(edge.target))}</td>"
            + "".join(f'<td style="text-align:right">{cell}</td>' for cell in cells)
            + "</tr>"
        )
    headings = ("edge", "partial correlation", result.interval_label, "adjusted p")
    more = len(edges) - _SHOWN_EDGES
    notes = [f"… and {more} more" * (more > 0), escape(result.interval_note)]
    return (
        '<div><table style="color:inherit"><thead><tr>'
        f"{''.join(f'<th>{name}</th>' for name in headings)}</tr></thead>"
        f"<tbody>{rows}</tbody></table>{''.join(f'<p>{note}</p>' for note in notes if note)}</div>"
    )

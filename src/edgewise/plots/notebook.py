"""A result as a notebook shows it: sentences, a small graph, the strongest edges."""

from __future__ import annotations

from html import escape

import numpy as np

from edgewise._optional import is_installed
from edgewise.plots.graph_drawing import communities_of, community_names
from edgewise.plots.layout import node_positions
from edgewise.plots.safe_names import printable, short_names
from edgewise.plots.style import (
    NEGATIVE,
    POSITIVE,
    QUIET,
    community_colour,
    edge_opacity,
    edge_width,
)
from edgewise.results.result import EdgeTestResult, tested_part
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
        part = tested_part(result)
        picture = _network(part) if part.n_features <= _MOST_NODES else _too_many(part)
        parts.append(
            '<div style="display:flex;flex-wrap:wrap;gap:1.5em;align-items:flex-start">'
            f"{picture}{_table(result)}</div>"
        )
    return f'<div style="font-family:sans-serif">{"".join(parts)}</div>'


def _network(result: EdgeTestResult) -> str:
    positions = node_positions(result)
    low, high = positions.min(axis=0), positions.max(axis=0)
    span = (high - low) + (high == low)
    short = dict(zip(result.feature_names, short_names(result.feature_names, 14), strict=True))
    # Communities need networkx, which edgewise does not.
    member = communities_of(result) if is_installed("networkx") else np.full(len(short), -1)
    fills = [community_colour(int(number)) if number >= 0 else QUIET for number in member]
    places = {
        name: (
            _MARGIN + (x - low[0]) / span[0] * (_WIDTH - 2 * _MARGIN),
            _MARGIN + (high[1] - y) / span[1] * (_HEIGHT - 2 * _MARGIN),
        )
        for name, (x, y) in zip(result.feature_names, positions, strict=True)
    }
    edges = result.edges()
    drawn = []
    for edge in reversed(edges):
        (x1, y1), (x2, y2) = places[edge.source], places[edge.target]
        rho = np.array(edge.partial_correlation)
        colour = POSITIVE if edge.partial_correlation > 0 else NEGATIVE
        dash = "" if edge.partial_correlation > 0 else ' stroke-dasharray="6 3"'
        drawn.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
            f'stroke-width="{edge_width(rho):.2f}" opacity="{edge_opacity(rho):.2f}"{dash}/>'
        )
    for fill, (name, (x, y)) in zip(fills, places.items(), strict=True):
        drawn.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{fill}" stroke="currentColor"/>'
            f'<text x="{x:.1f}" y="{y - 7:.1f}" font-size="11" text-anchor="middle" '
            f'fill="currentColor">{escape(short[name])}</text>'
        )
    legend = "; ".join(
        f'<span style="color:{community_colour(number)}">●</span> {escape(name)}'
        for number, name in enumerate(community_names(result, member, [*short.values()])[:8])
    )
    return (
        f'<div><svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" '
        f'role="img" aria-label="Graph of {result.n_edges} edges">{"".join(drawn)}</svg>'
        f'<p style="max-width:{_WIDTH}px;font-size:85%">{legend}</p></div>'
    )


def _too_many(result: EdgeTestResult) -> str:
    return (
        f"<p>A graph of {result.n_features} variables has no room here: "
        "result.plot() draws it, and result.report(path) writes a page to explore it.</p>"
    )


def _table(result: EdgeTestResult) -> str:
    edges = result.edges()
    headings, rows = ["edge", "partial correlation", result.interval_label, "adjusted p"], ""
    for edge in edges[:_SHOWN_EDGES]:
        cells = [
            f"{edge.partial_correlation:+.3f}",
            interval_text(edge),
            f"{edge.adjusted_pvalue:.2g}",
        ]
        rows += (
            f"<tr><td>{escape(printable(edge.source))} – {escape(printable(edge.target))}</td>"
            + "".join(f'<td style="text-align:right">{cell}</td>' for cell in cells)
            + "</tr>"
        )
    heading = "".join(f"<th>{name}</th>" for name in headings)
    more = len(edges) - _SHOWN_EDGES
    note = f"<p>… and {more} more</p>" if more > 0 else ""
    return (
        f'<div><table style="color:inherit"><thead><tr>{heading}</tr></thead>'
        f"<tbody>{rows}</tbody></table>{note}</div>"
    )

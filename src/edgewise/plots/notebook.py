"""A result as a notebook shows it: sentences, a small graph, the strongest edges."""

from __future__ import annotations

from html import escape

from edgewise._optional import is_installed
from edgewise.plots.layout import graph_of
from edgewise.plots.safe_names import printable
from edgewise.plots.style import QUIET, community_colour
from edgewise.plots.svg import WIDTH, graph_svg, places_of
from edgewise.results.result import EdgeTestResult
from edgewise.results.summary import facts, interval_text

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
    graph, legend = graph_of(result), ""
    fills = [QUIET] * graph.n_features
    places = places_of(graph, graph.node_strength)
    if is_installed("networkx"):  # communities need it, which edgewise does not
        fills = [community_colour(int(k)) if k >= 0 else QUIET for k in graph.communities]
        legend = "; ".join(
            f'<span style="color:{community_colour(number)}">●</span> {escape(name)}'
            for number, name in enumerate(graph.community_names(places.labels)[:8])
        )
    drawing = graph_svg(graph, places, f"Graph of {result.n_edges} edges", fills)
    return (
        f'<div style="width:{WIDTH}px;max-width:100%">{drawing}'
        f'<p style="font-size:85%">{legend}</p></div>'
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

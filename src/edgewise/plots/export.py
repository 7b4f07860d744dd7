"""Results as files: graphs for other programs, and pictures.

In files of graphs edges have a `weight` for measures of clustering, and a `distance` for measures
of paths; see `EdgeTestResult.to_networkx`.
"""

from __future__ import annotations

import json
import math
import os
from typing import TYPE_CHECKING, cast

from edgewise._checks import check_ending
from edgewise._files import atomic_path
from edgewise._optional import check_installed, require
from edgewise._text import distinct_texts
from edgewise.plots.layout import lacking_glyphs
from edgewise.results.result import EdgeTestResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["GRAPH_KINDS", "PLOT_KINDS", "write_graph", "write_plot"]

# Gephi and cytoscape.js drop a node without a name, and all its edges.
_UNNAMED = "(unnamed)"

GRAPH_KINDS = ("graphml", "gexf", "cyjs")
PLOT_KINDS = ("png", "svg", "pdf")


def write_graph(result: EdgeTestResult, path: str | os.PathLike[str]) -> None:
    """Write the graph of the edges as .graphml, .gexf or .cyjs; see `EdgeTestResult.save`.

    XML 1.0 cannot hold every name: control characters are written as their pictures (␛), and others
    as the replacement character (�), and two names never become the same. A variable without a name
    is called "(unnamed)". A number that is not finite is left out of its edge, because readers take
    NaN for text, take null for zero, or refuse the file.

    Parameters
    ----------
    result : EdgeTestResult
        Whose edges to write.
    path : path
        The file; its ending names the format.

    Examples
    --------
    >>> import tempfile
    >>> import edgewise as ew
    >>> from edgewise.plots.export import write_graph
    >>> result = ew.edge_test(ew.datasets.load_sachs(), method="batch")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_graph(result, f"{folder}/proteins.graphml")
    """
    kind = graph_kind(path)
    import networkx as nx

    found = result.to_networkx()
    change = (lambda name: name or _UNNAMED) if kind == "cyjs" else _xml_text
    graph = nx.relabel_nodes(found, distinct_texts(found.nodes, change), copy=True)
    for name, value in found.graph.items():
        graph.graph[name] = change(value) if isinstance(value, str) else value
    for _, _, numbers in graph.edges(data=True):
        for name in [name for name, number in numbers.items() if not math.isfinite(number)]:
            del numbers[name]
    with atomic_path(path) as temporary:
        if kind == "graphml":
            nx.write_graphml_xml(graph, temporary)
        elif kind == "gexf":
            nx.write_gexf(graph, temporary)
        else:
            document = nx.cytoscape_data(graph)
            # networkx reads a list of pairs or an object; the other two programs only an object.
            document["data"] = dict(document["data"])
            # ASCII is the same in every encoding that a program may assume.
            text = json.dumps(document, indent=1, allow_nan=False)
            temporary.write_text(text + "\n", encoding="ascii")


def graph_kind(path: str | os.PathLike[str]) -> str:
    """The kind of graph file that a file's name asks for, if it can be written here."""
    kind = check_ending("graph", path, GRAPH_KINDS)
    check_installed("networkx", "plot", "A file of the graph")
    return kind


def _xml_text(name: str) -> str:
    """The name in characters that XML 1.0 has."""
    for character in {*name}:
        if character < " " and character not in "\t\n\r":
            name = name.replace(character, chr(0x2400 + ord(character)))
        elif character in "\ufffe\uffff" or "\ud800" <= character <= "\udfff":
            name = name.replace(character, "\ufffd")
    return name or _UNNAMED


def plot_kind(path: str | os.PathLike[str]) -> str:
    """The kind of picture that a file's name asks for, if pictures can be drawn here."""
    kind = check_ending("plot", path, PLOT_KINDS)
    check_installed("matplotlib", "plot", "A plot")
    return kind


def write_plot(ax: Axes, path: str | os.PathLike[str]) -> None:
    """Write the figure that `ax` is part of as .png, .svg or .pdf, and close it.

    Parameters
    ----------
    ax : matplotlib axes
        Any of the figure's.
    path : path
        The file; its ending names the format.

    Examples
    --------
    >>> import tempfile
    >>> import edgewise as ew
    >>> from edgewise.plots.export import write_plot
    >>> result = ew.edge_test(ew.datasets.load_sachs(), method="batch")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_plot(result.plot("heatmap"), f"{folder}/proteins.svg")
    """
    kind = plot_kind(path)
    figure = cast("Figure", ax.get_figure(root=True))
    with atomic_path(path) as temporary, lacking_glyphs():
        figure.savefig(temporary, format=kind, dpi=150, bbox_inches="tight")
    require("matplotlib.pyplot", "plot", "A plot").close(figure)

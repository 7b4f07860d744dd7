"""The graph of the edges as files for other programs: GraphML, GEXF, Cytoscape's JSON.

Names stay as they are as far as a file can hold them, and two names never become the same: see
`distinct_texts`. Edges have a `weight` for measures of clustering, and a `distance` for measures of
paths; see `EdgeTestResult.to_networkx`. A number that is not finite is left out of its edge,
because readers take NaN for text, take null for zero, or refuse the file.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from edgewise._base.atomic import atomic_path
from edgewise._base.checks import check_ending
from edgewise._base.parts import check_part, part
from edgewise.results.result import EdgeTestResult

if TYPE_CHECKING:
    import networkx as nx

# Gephi and cytoscape.js drop a node without a name, and all its edges.
_UNNAMED = "(unnamed)"
_NEED = "A file of the graph"


def distinct_texts(names: Iterable[str], change: Callable[[str], str]) -> dict[str, str]:
    """What stands for each name in a file: `change(name)`, with primes if that is taken.

    A name that `change` leaves alone stays as it is.

    Examples
    --------
    >>> distinct_texts(["A", "a", "B"], str.lower)
    {'A': 'a′', 'a': 'a', 'B': 'b'}
    """
    texts = {name: change(name) for name in names}
    taken = {name for name, text in texts.items() if text == name}
    for name, text in texts.items():
        if text != name:
            while text in taken:
                text += "\u2032"
            taken.add(text)
            texts[name] = text
    return texts


def write_graphml(result: EdgeTestResult, path: str | os.PathLike[str]) -> None:
    """Write the graph of the edges for Cytoscape, Gephi, igraph, yEd and networkx.

    XML 1.0 cannot hold some characters: control characters are written as their pictures (␛), and
    others as the replacement character (�). A variable without a name is called "(unnamed)".

    Parameters
    ----------
    result : EdgeTestResult
        The test whose edges to write.
    path : str or path
        The name of the file.

    Examples
    --------
    >>> import tempfile
    >>> import edgewise as ew
    >>> from edgewise.view.export import write_graphml
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_graphml(ew.edge_test(ew.datasets.load_sachs()), f"{folder}/edges.graphml")
    """
    _write_xml(part("networkx", "plot", _NEED).write_graphml_xml, result, path)


def write_gexf(result: EdgeTestResult, path: str | os.PathLike[str]) -> None:
    """Write the graph of the edges for Gephi, with names as in `write_graphml`.

    The format cannot hold the method, its level and the number of rows.

    Parameters
    ----------
    result : EdgeTestResult
        The test; only its edges are written.
    path : str or path
        Where to write them.

    Examples
    --------
    >>> import edgewise as ew
    >>> import networkx as nx
    >>> from edgewise.view.export import write_gexf
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_gexf(ew.edge_test(ew.datasets.load_sachs()), f"{folder}/edges.gexf")
    ...     nx.read_gexf(f"{folder}/edges.gexf").number_of_edges()
    26
    """
    _write_xml(part("networkx", "plot", _NEED).write_gexf, result, path)


def write_cytoscape(result: EdgeTestResult, path: str | os.PathLike[str]) -> None:
    """Write the graph for Cytoscape, cytoscape.js and networkx's `cytoscape_graph`.

    JSON holds every name as it is; only a variable without one is called "(unnamed)".

    Parameters
    ----------
    result : EdgeTestResult
        Its edges become those of the graph, with their numbers.
    path : str or path
        A file for the JSON document.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.view.export import write_cytoscape
    >>> result = ew.edge_test(ew.datasets.load_sachs())
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_cytoscape(result, f"{folder}/edges.cyjs")
    """
    nx = part("networkx", "plot", _NEED)
    document = nx.cytoscape_data(_graph(result, lambda name: name or _UNNAMED))
    # networkx reads a list of pairs or an object; the other two programs read only an object.
    document["data"] = dict(document["data"])
    # ASCII is the same in every encoding that a program may assume.
    text = json.dumps(document, indent=1, allow_nan=False)
    with atomic_path(path) as temporary:
        temporary.write_text(text + "\n", encoding="ascii")


GRAPH_KINDS: dict[str, Callable[[EdgeTestResult, str | os.PathLike[str]], None]] = {
    "graphml": write_graphml,
    "gexf": write_gexf,
    "cyjs": write_cytoscape,
}


def graph_kind(path: str | os.PathLike[str]) -> str:
    """The kind of graph file that a file's name asks for, if it can be written here.

    Parameters
    ----------
    path : str or path
        A name that ends in .graphml, .gexf or .cyjs.

    Returns
    -------
    str
        The key of `GRAPH_KINDS`.

    Examples
    --------
    >>> from edgewise.view.export import graph_kind
    >>> graph_kind("edges.GEXF")
    'gexf'
    """
    kind = check_ending("graph", path, tuple(GRAPH_KINDS))
    check_part("networkx", "plot", _NEED)
    return kind


def write_graph(result: EdgeTestResult, path: str | os.PathLike[str]) -> None:
    """Write the graph in the format that the file's name ends in (see `GRAPH_KINDS`).

    Parameters
    ----------
    result : EdgeTestResult
        The test whose graph to write.
    path : str or path
        Where to write it; the name ends in .graphml, .gexf or .cyjs.

    Examples
    --------
    >>> import tempfile
    >>> import networkx as nx
    >>> import edgewise as ew
    >>> from edgewise.view.export import write_graph
    >>> result = ew.edge_test(ew.datasets.load_sp500_returns())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_graph(result, f"{folder}/returns.graphml")
    ...     len(nx.read_graphml(f"{folder}/returns.graphml").edges) == result.n_edges
    True
    """
    GRAPH_KINDS[graph_kind(path)](result, path)


def _write_xml(
    write: Callable[[nx.Graph[str], Path], None],
    result: EdgeTestResult,
    path: str | os.PathLike[str],
) -> None:
    graph = _graph(result, _xml_text)
    with atomic_path(path) as temporary:
        write(graph, temporary)


def _graph(result: EdgeTestResult, change: Callable[[str], str]) -> nx.Graph[str]:
    import networkx as nx

    found = result.to_networkx()
    graph = nx.relabel_nodes(found, distinct_texts(found.nodes, change), copy=True)
    graph.graph = {
        name: change(value) if isinstance(value, str) else value
        for name, value in graph.graph.items()
    }
    for _, _, numbers in graph.edges(data=True):
        for name in [name for name, number in numbers.items() if not math.isfinite(number)]:
            del numbers[name]
    return graph


def _xml_text(name: str) -> str:
    return "".join(map(_xml_character, name)) or _UNNAMED


def _xml_character(character: str) -> str:
    if character < " " and character not in "\t\n\r":
        return chr(0x2400 + ord(character))
    unwritable = character in "\ufffe\uffff" or "\ud800" <= character <= "\udfff"
    return "\ufffd" if unwritable else character

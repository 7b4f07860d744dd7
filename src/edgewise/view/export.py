"""Results as files: CSV, GraphML, JSON, pictures."""

from __future__ import annotations

import csv
import os
import warnings
from typing import TYPE_CHECKING, cast

from edgewise._atomic import atomic_path
from edgewise._validation import check_choice
from edgewise.edges.result import Edge, EdgeTestResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# What spreadsheets take for the start of a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")

PLOT_KINDS = ("png", "svg", "pdf")


def write_csv(result: EdgeTestResult, path: str | os.PathLike[str]) -> None:
    """Every pair of variables as a line, strongest first."""
    with (
        atomic_path(path) as temporary,
        temporary.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file,
    ):
        writer = csv.writer(file)
        writer.writerow(Edge._fields)
        for pair in result.pairs():
            writer.writerow([_safe_cell(pair.source), _safe_cell(pair.target), *pair[2:]])


def _safe_cell(name: str) -> str:
    """Quote names that a spreadsheet would run as a formula."""
    return f"'{name}" if name.startswith(_FORMULA_STARTS) else name


def write_graphml(result: EdgeTestResult, path: str | os.PathLike[str]) -> None:
    """The graph of the edges, for Cytoscape, Gephi and networkx."""
    import networkx as nx

    names: dict[str, str] = {}
    for name in result.feature_names:
        text = _xml_text(name)
        while text in names.values():
            text += "\u2032"
        names[name] = text
    with atomic_path(path) as temporary:
        nx.write_graphml_xml(nx.relabel_nodes(result.to_networkx(), names), temporary)


def _xml_text(name: str) -> str:
    """XML 1.0 has no way to write some characters: control ones are shown by their pictures."""
    return "".join(map(_xml_character, name))


def _xml_character(character: str) -> str:
    if character < " " and character not in "\t\n\r":
        return chr(0x2400 + ord(character))
    unwritable = character in "\ufffe\uffff" or "\ud800" <= character <= "\udfff"
    return "\ufffd" if unwritable else character


def write_json(result: EdgeTestResult, path: str | os.PathLike[str]) -> None:
    """The whole result."""
    with atomic_path(path) as temporary:
        temporary.write_text(result.to_json(indent=2) + "\n", encoding="utf-8")


def plot_kind(path: str | os.PathLike[str]) -> str:
    """The kind of picture that a file's name asks for."""
    kind = os.path.splitext(os.fspath(path))[1].lstrip(".").lower()
    check_choice(f"plot: the ending of '{path}'", kind, PLOT_KINDS)
    return kind


def write_plot(ax: Axes, path: str | os.PathLike[str]) -> None:
    """The picture that `ax` is part of; its kind is that of the file's name."""
    kind = plot_kind(path)
    figure = cast("Figure", ax.get_figure(root=True))
    with atomic_path(path) as temporary, warnings.catch_warnings():
        # Scripts that the font lacks are drawn as boxes; the files hold the names.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(temporary, format=kind, dpi=150, bbox_inches="tight")

"""Results as files: CSV, JSON, pictures; and, by `graph_files`, graphs for other programs."""

from __future__ import annotations

import csv
import os
import warnings
from typing import TYPE_CHECKING, cast

from edgewise._base.atomic import atomic_path
from edgewise._base.checks import check_choice
from edgewise.results.edge import Edge
from edgewise.results.result import EdgeTestResult
from edgewise.view.graph_files import (
    GRAPH_KINDS,
    distinct_texts,
    graph_kind,
    write_cytoscape,
    write_gexf,
    write_graph,
    write_graphml,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "GRAPH_KINDS",
    "PLOT_KINDS",
    "graph_kind",
    "plot_kind",
    "write_csv",
    "write_cytoscape",
    "write_gexf",
    "write_graph",
    "write_graphml",
    "write_json",
    "write_plot",
]

# What spreadsheets take for the start of a formula; some, also in full width.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")

PLOT_KINDS = ("png", "svg", "pdf")


def write_csv(result: EdgeTestResult, path: str | os.PathLike[str]) -> None:
    """Every pair of variables as a line, strongest first.

    A name that a spreadsheet would run as a formula gets an apostrophe in front.

    Parameters
    ----------
    result : EdgeTestResult
        What to write.
    path : str or path
        Where to write it.

    Examples
    --------
    >>> import tempfile
    >>> import edgewise as ew
    >>> from edgewise.view.export import write_csv
    >>> result = ew.edge_test(ew.datasets.load_sachs())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_csv(result, f"{folder}/edges.csv")
    """
    cells = distinct_texts(result.feature_names, _safe_cell)
    with (
        atomic_path(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        writer = csv.writer(file)
        writer.writerow(Edge._fields)
        for pair in result.pairs():
            writer.writerow([cells[pair.source], cells[pair.target], *pair[2:]])


def _safe_cell(name: str) -> str:
    """A name that can be written, and that no spreadsheet runs."""
    text = name.encode("utf-8", "backslashreplace").decode("utf-8")
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def write_json(result: EdgeTestResult, path: str | os.PathLike[str]) -> None:
    """The whole result; `EdgeTestResult.from_json` reads it.

    Parameters
    ----------
    result : EdgeTestResult
        What to write.
    path : str or path
        Where to write it.

    Examples
    --------
    >>> import tempfile
    >>> import edgewise as ew
    >>> from edgewise.view.export import write_json
    >>> result = ew.edge_test(ew.datasets.load_sachs())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_json(result, f"{folder}/edges.json")
    """
    with atomic_path(path) as temporary:
        temporary.write_text(result.to_json(indent=2) + "\n", encoding="utf-8")


def plot_kind(path: str | os.PathLike[str]) -> str:
    """The kind of picture that a file's name asks for.

    Parameters
    ----------
    path : str or path
        The name of a file.

    Returns
    -------
    str
        One of `PLOT_KINDS`.

    Examples
    --------
    >>> from edgewise.view.export import plot_kind
    >>> plot_kind("edges.PNG")
    'png'
    """
    kind = os.path.splitext(os.fspath(path))[1].lstrip(".").lower()
    check_choice(f"plot: the ending of '{path}'", kind, PLOT_KINDS)
    return kind


def write_plot(ax: Axes, path: str | os.PathLike[str]) -> None:
    """The picture that `ax` is part of; its kind is that of the file's name.

    Parameters
    ----------
    ax : matplotlib axes
        As the plots return it.
    path : str or path
        Where to write it; it ends in .png, .svg or .pdf.

    Examples
    --------
    >>> import tempfile
    >>> import edgewise as ew
    >>> from edgewise.view.export import write_plot
    >>> ax = ew.edge_test(ew.datasets.load_sachs()).plot("volcano")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_plot(ax, f"{folder}/edges.svg")
    """
    kind = plot_kind(path)
    figure = cast("Figure", ax.get_figure(root=True))
    with atomic_path(path) as temporary, warnings.catch_warnings():
        # Scripts that the font lacks are drawn as boxes; the files hold the names.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(temporary, format=kind, dpi=150, bbox_inches="tight")

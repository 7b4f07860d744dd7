"""Results as files: CSV, JSON and pictures here, graphs for other programs in `graph_files`."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from edgewise._base.atomic import atomic_path
from edgewise._base.checks import check_ending
from edgewise._base.parts import check_part
from edgewise.results.edge import Edge
from edgewise.results.result import EdgeTestResult
from edgewise.results.transformed import meaning
from edgewise.view.graph_files import (
    GRAPH_KINDS,
    distinct_texts,
    graph_kind,
    write_cytoscape,
    write_gexf,
    write_graph,
    write_graphml,
)
from edgewise.view.layout import lacking_glyphs

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

# What spreadsheets take for the start of a formula; some also in full width.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")

PLOT_KINDS = ("png", "svg", "pdf")


def write_csv(result: EdgeTestResult, path: str | os.PathLike[str]) -> None:
    """Write every tested pair of variables as one line, the strongest first.

    A name that a spreadsheet would run as a formula gets an apostrophe in front. Lines at the head
    that start with "#" say what the intervals are, which names were adjusted for, and each caution
    after "# caution: ";
    ``pandas.read_csv(path, comment="#")`` skips them.

    Parameters
    ----------
    result : EdgeTestResult
        The test to write, edges or not.
    path : str or path
        The file, which is replaced if there is one.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.view.export import write_csv
    >>> result = ew.edge_test(ew.datasets.load_sachs())
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_csv(result, f"{folder}/edges.csv")
    ...     with open(f"{folder}/edges.csv", encoding="utf-8") as file:
    ...         sum(not line.startswith("#") for line in file)  # a heading and 55 pairs
    56
    """
    cells = distinct_texts(result.feature_names, safe_cell)
    with (
        atomic_path(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        file.writelines(map(comment_line, _remarks(result)))
        # Texts are quoted, so that no program takes a name with "#" for a comment.
        writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow(Edge._fields)
        for pair in result.pairs():
            writer.writerow([cells[pair.source], cells[pair.target], *pair[2:]])


def safe_cell(name: str) -> str:
    """A name that can be written and that no spreadsheet runs as a formula."""
    text = name.encode("utf-8", "backslashreplace").decode("utf-8")
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def _remarks(result: EdgeTestResult) -> Iterator[str]:
    """What a reader of the table must know, each on a line of its own."""
    if result.uncertainty is not None:
        yield f"interval_low and interval_high: {result.interval_label}"
    if result.given:
        yield f"adjusted for: {', '.join(result.given)}"
    yield from meaning(result.options)
    yield from (f"caution: {caution}" for caution in result.cautions)


def comment_line(remark: str) -> str:
    """A line that programs skip, and in which a spreadsheet finds no formula."""
    text = remark.encode("utf-8", "backslashreplace").decode("utf-8")
    # A name may hold a separator. What follows a space does not begin a cell that is a formula.
    spaced = re.sub(r"([,;])(?=\S)", r"\1 ", " ".join(text.split()))
    return f"# {spaced}\r\n"


def write_json(result: EdgeTestResult, path: str | os.PathLike[str]) -> None:
    """Write the whole result; `EdgeTestResult.from_json` reads it.

    Parameters
    ----------
    result : EdgeTestResult
        What to write.
    path : str or path
        Where to write it.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import edgewise as ew
    >>> from edgewise.view.export import write_json
    >>> result = ew.edge_test(ew.datasets.load_sachs())
    >>> with TemporaryDirectory() as folder:
    ...     write_json(result, Path(folder, "edges.json"))
    ...     again = ew.EdgeTestResult.from_json(Path(folder, "edges.json").read_text("utf-8"))
    >>> again.n_edges == result.n_edges
    True
    """
    result.to_json(path, indent=2)


def plot_kind(path: str | os.PathLike[str]) -> str:
    """The kind of picture that a file's name asks for, if pictures can be drawn here.

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
    kind = check_ending("plot", path, PLOT_KINDS)
    check_part("matplotlib", "plot", "A plot")
    return kind


def write_plot(ax: Axes, path: str | os.PathLike[str]) -> None:
    """Write the figure that `ax` is part of, in the format that the file's name ends in.

    Parameters
    ----------
    ax : matplotlib axes
        What a plot returned.
    path : str or path
        Where to write it; the name ends in .png, .svg or .pdf.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.view.export import write_plot
    >>> ax = ew.edge_test(ew.datasets.load_sachs()).plot("volcano")
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_plot(ax, f"{folder}/edges.svg")
    """
    kind = plot_kind(path)
    figure = cast("Figure", ax.get_figure(root=True))
    with atomic_path(path) as temporary, lacking_glyphs():
        figure.savefig(temporary, format=kind, dpi=150, bbox_inches="tight")

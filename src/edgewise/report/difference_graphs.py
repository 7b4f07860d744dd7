"""The three graphs of a comparison, as shapes that a page can draw without a script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from edgewise._base.types import BoolArray, FloatArray
from edgewise.report.labels import Place, label_places
from edgewise.report.page import unit_square
from edgewise.results.difference import EdgeDifferenceResult
from edgewise.view import style
from edgewise.view.difference import Panel, overlaid, panels
from edgewise.view.layout import node_positions
from edgewise.view.safe_names import printable
from edgewise.view.short_names import short_names

# The drawing, in units of its own: the page scales it, but not the widths of lines.
_PAGE = (420, 340)
_MARGIN, _FONT, _RADIUS = 34, 12.0, 5.5
_LONGEST_LABEL, LONGEST_GROUP = 14, 14
_PIXELS_PER_POINT = 4 / 3


@dataclass(frozen=True, slots=True)
class Line:
    """An edge of a graph."""

    x1: float
    y1: float
    x2: float
    y2: float
    width: float
    dashes: str
    title: str


@dataclass(frozen=True, slots=True)
class Node:
    """A variable of a graph; its label has no place where it would lie on another."""

    x: float
    y: float
    name: str
    label: str
    place: Place | None
    alone: bool


@dataclass(frozen=True, slots=True)
class Graph:
    """One of the three graphs."""

    title: str
    lines: list[Line]
    nodes: list[Node]
    legend: tuple[str, str]
    width: int = _PAGE[0]
    height: int = _PAGE[1]


@dataclass(frozen=True, eq=False, slots=True)
class Layout:
    """Where variables and their labels stand in all graphs of a page."""

    nodes: FloatArray
    labels: list[str]
    places: list[Place | None]

    @property
    def unnamed(self) -> int:
        """How many labels found no place."""
        return sum(place is None for place in self.places)


def layout_of(results: Sequence[EdgeDifferenceResult]) -> Layout:
    """One layout for all comparisons; variables that differ are the first to get their names."""
    room = np.array(_PAGE) - 2 * _MARGIN
    drawn = [panels(each) for each in results]
    laid = [overlaid(each) for each in drawn]
    strongest = np.max([one.partial_correlation for one in laid], axis=0)
    whole = replace(laid[0], partial_correlation=strongest)
    nodes = np.asarray(_MARGIN + unit_square(node_positions(whole)) * room)
    differs = np.any([each[2].reject.any(axis=0) for each in drawn], axis=0)
    labels = short_names([printable(name) for name in whole.feature_names], _LONGEST_LABEL)
    places = label_places(
        nodes,
        labels,
        np.abs(strongest).sum(axis=0) + 1e3 * differs,
        _points(nodes, np.any([one.reject for one in laid], axis=0)),
        page=_PAGE,
        font=_FONT,
        radius=_RADIUS,
    )
    return Layout(nodes, labels, places)


def _points(nodes: FloatArray, edges: BoolArray) -> FloatArray:
    """Points along all edges."""
    i, j = np.nonzero(np.triu(edges, k=1))
    share = np.linspace(0, 1, 24)[:, None, None]
    return np.asarray(nodes[i] + share * (nodes[j] - nodes[i])).reshape(-1, 2)


def graphs(result: EdgeDifferenceResult, layout: Layout) -> Iterator[Graph]:
    """Both groups and their difference, all on the same scale of widths."""
    names = short_names(result.group_names, 30)
    legends = [("positive", "negative")] * 2
    legends.append((f"larger in {names[0]}", f"larger in {names[1]}"))
    for panel, legend in zip(panels(result), legends, strict=True):
        yield _graph(panel, layout, legend)


def key() -> list[tuple[str, float]]:
    """Strengths, and how wide their lines are drawn."""
    return [(f"{value:g}", _width(value)) for value in style.KEY]


def _width(value: float) -> float:
    return round(float(style.edge_width(value)) * _PIXELS_PER_POINT, 2)


def _graph(panel: Panel, layout: Layout, legend: tuple[str, str]) -> Graph:
    names = [printable(name) for name in panel.feature_names]
    x, y = (column.round(1).tolist() for column in layout.nodes.T)
    lines = []
    for i, j in zip(*np.nonzero(np.triu(panel.reject, k=1)), strict=True):
        value = float(panel.partial_correlation[i, j])
        width = _width(value)
        dashes = f"{width + 5:.1f} {0.6 * width + 3:.1f}" if value < 0 else ""
        title = f"{names[i]} – {names[j]}: {signed(value)}"
        lines.append(Line(x[i], y[i], x[j], y[j], width, dashes, title))
    lines.sort(key=lambda line: line.width)  # strong edges lie on top
    joined = np.asarray(panel.reject.any(axis=0)).tolist()
    nodes = [
        Node(x[k], y[k], name, layout.labels[k], layout.places[k], not joined[k])
        for k, name in enumerate(names)
    ]
    return Graph(printable(panel.title), lines, nodes, legend)


def signed(value: float, digits: int = 3) -> str:
    """A number with its sign, as all pages write it.

    Examples
    --------
    >>> signed(-0.25)
    '−0.250'
    """
    return f"{value:+.{digits}f}".replace("-", "−")

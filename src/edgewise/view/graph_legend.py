"""What the widths, colours and sizes of a drawn graph mean."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from edgewise._base.types import FloatArray
from edgewise.view import layout
from edgewise.view.communities import IntArray, community_names
from edgewise.view.short_names import short_names
from edgewise.view.style import (
    COMMUNITIES,
    KEY,
    NEGATIVE,
    NO_COMMUNITY,
    NOTE,
    PAPER,
    POSITIVE,
    SMALLEST_FONT,
    community_colour,
    dashes,
    edge_width,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

#: What the legend calls the edges of either sign.
SIGNS = ("positive,", "negative,")
_ROW = 13.0  # points, a row of the legend
_HANDLE = 34.0  # points, the mark of an entry with the room around it
_LONGEST = 12  # letters of a variable in the name of a community


def draw_key(
    ax: Axes, rho: FloatArray, signs: tuple[str, str] = SIGNS, quantity: str = "|ρ̂|"
) -> int:
    """Draw what colours and widths of the edges mean; return the rows that it takes."""
    from matplotlib.lines import Line2D

    if not rho.size:
        return 0
    handles = []
    if (rho > 0).any():
        label = f"{signs[0]} up to {rho.max():.2f}"
        handles.append(Line2D([], [], color=POSITIVE, linewidth=2.5, label=label))
    if (rho < 0).any():
        label = f"{signs[1]} up to {-rho.min():.2f}"
        handles.append(
            Line2D([], [], color=NEGATIVE, linewidth=2.5, linestyle=dashes(2.5), label=label)
        )
    widths = [
        Line2D(
            [],
            [],
            color=NOTE,
            linewidth=float(edge_width(size)),
            solid_capstyle="butt",
            label=f"{quantity} = {size:g}" if size == KEY[0] else f"{size:g}",
        )
        for size in KEY
    ]
    if _sizes([*handles, *widths]).sum() <= layout.page_size(ax)[0]:
        return _draw(ax, [*handles, *widths], 0)
    rows = _draw(ax, handles, 0)
    return rows + _draw(ax, widths, rows)


def draw_communities(ax: Axes, graph: layout.Graph, communities: IntArray, rows_above: int) -> None:
    """Draw what the fills of the nodes mean."""
    _draw(ax, community_marks(graph, communities), rows_above)


def community_marks(graph: layout.Graph, communities: IntArray) -> list[Line2D]:
    """The entries of a legend of communities."""
    from matplotlib.lines import Line2D

    names = community_names(graph, communities, short_names(graph.feature_names, _LONGEST))
    marks = [(community_colour(k), name) for k, name in enumerate(names[: len(COMMUNITIES)])]
    if len(names) > len(COMMUNITIES):
        marks.append((NO_COMMUNITY, f"{len(names) - len(COMMUNITIES)} further communities"))
    if (communities < 0).any():
        marks.append((PAPER, f"{int((communities < 0).sum())} without an edge"))
    dot: dict[str, Any] = {"marker": "o", "linestyle": "", "markersize": 7, "markeredgewidth": 0.7}
    return [
        Line2D([], [], color=colour, markeredgecolor=NOTE, label=name, **dot)
        for colour, name in marks
    ]


def _draw(ax: Axes, handles: list[Line2D], rows_above: int) -> int:
    """Draw entries below the axes, in as many columns as are not wider than they are."""
    width, height = layout.page_size(ax)
    sizes = _sizes(handles)
    rows = range(1, len(handles) + 1)
    columns = [math.ceil(len(handles) / n) for n in rows]
    ncols = next((n for n in columns if _widths(sizes, n).sum() <= width), 1)
    legend: Legend = ax.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=(0.5, -(2 + rows_above * _ROW) / height),
        ncols=ncols,
        frameon=False,
        borderpad=0,
        borderaxespad=0,
        columnspacing=1.4,
        labelspacing=0.4,
        handlelength=2.2,
        handletextpad=0.5,
        fontsize=SMALLEST_FONT,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)  # a name may hold dollar signs
    ax.add_artist(legend)
    # What the axes clip is no part of a page that is cut to its contents.
    legend.set_clip_on(False)
    # Otherwise the next legend would take its place.
    ax.legend_ = None
    return math.ceil(len(handles) / ncols)


def _sizes(handles: list[Line2D]) -> FloatArray:
    """The width of each entry in points."""
    labels = [str(handle.get_label()) for handle in handles]
    return np.asarray(layout.text_sizes(labels, SMALLEST_FONT)[:, 0] + _HANDLE)


def _widths(sizes: FloatArray, columns: int) -> FloatArray:
    """The width of each column; matplotlib fills them one after the other."""
    return np.array([part.max() for part in np.array_split(sizes, columns)])

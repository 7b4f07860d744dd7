"""The strength of each pair against its p-value."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import numpy as np

from edgewise._base.types import BoolArray, FloatArray
from edgewise.inference.corrections import log_critical_level
from edgewise.results.result import EdgeTestResult
from edgewise.view import layout
from edgewise.view.safe_names import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HIGHEST = 300.0  # −log10 p; larger values are drawn at the top
_WIDE = 30.0  # if a point is higher, the axis shows √(−log10 p)
_NAMED = 8
_FONT = 8.0
_LEGEND = (110.0, 50.0)  # points


def plot_volcano(result: EdgeTestResult, *, ax: Axes | None = None) -> Axes:
    """Every tested pair of variables: its partial correlation against −log10 of its p-value.

    Edges are coloured by their sign, and the strongest are named where there is room. The dotted
    line is the level that a p-value must reach, if one level decides for all pairs.

    Parameters
    ----------
    result : EdgeTestResult
        The test to draw, with one point for each pair.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure that pyplot does not keep alive.

    Returns
    -------
    matplotlib axes
        The points and the level; ``ax.figure`` is the whole figure.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.view.plots import plot_volcano
    >>> ax = plot_volcano(ew.edge_test(ew.datasets.load_sachs()))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('partial correlation', '−log10 p')
    """
    # Fixed margins, because the names are fitted to the page between them.
    ax = ax if ax is not None else layout.new_axes(8, 6, box=(0.09, 0.1, 0.88, 0.8))
    rows, columns = result.tested_pairs()
    rho = result.partial_correlation[rows, columns]
    edge = result.reject[rows, columns]
    # From the logarithms, because a p-value below 1e-308 is zero. abs() avoids −0 for p = 1.
    sure = np.abs(result.log_pvalue[rows, columns]) / math.log(10)
    beyond = sure > _HIGHEST
    height = np.minimum(sure, _HIGHEST)
    for shown, color, label in (
        (~edge, layout.QUIET, "no edge"),
        (edge & (rho > 0), layout.POSITIVE, "edge, positive"),
        (edge & (rho < 0), layout.NEGATIVE, "edge, negative"),
    ):
        for marker, some in (("o", shown & ~beyond), ("^", shown & beyond)):
            if some.any():
                ax.scatter(
                    rho[some],
                    height[some],
                    s=22 if color != layout.QUIET else 12,
                    marker=marker,
                    color=color,
                    alpha=0.8 if color != layout.QUIET else 0.5,
                    linewidths=0,
                    label=label if marker == "o" or not (shown & ~beyond).any() else None,
                    zorder=2 if color == layout.QUIET else 3,
                    # Thousands of points take less space as pixels than as shapes.
                    rasterized=rho.size > 5000,
                    clip_on=False,
                )
    _set_axes(ax, rho, height)
    # The legend goes to the upper corner with fewer points, the level to the other side.
    corner: Literal["left", "right"] = (
        "left" if np.sum(height[rho < 0]) <= np.sum(height[rho > 0]) else "right"
    )
    _draw_level(ax, result, sure, on_the_right=corner == "left")
    ax.legend(
        loc="upper left" if corner == "left" else "upper right", frameon=False, fontsize=_FONT
    )
    _name_strongest(ax, result, np.column_stack([rho, height]), edge, corner)
    note = f"▲ {beyond.sum()} with p below 1e-{_HIGHEST:.0f}, drawn at the top"
    notes = [*layout.adjusted(result), *[note] * bool(beyond.any())]
    layout.write_title(ax, layout.found(result), *notes)
    return ax


def _set_axes(ax: Axes, rho: FloatArray, height: FloatArray) -> None:
    reach = min(1.12 * float(np.abs(rho).max()), 1.05)
    ax.set_xlim(-reach, reach)
    top = float(height.max(initial=0))
    if top > _WIDE:
        # √(−log10 p) grows like the z-value, so the many weak pairs stay apart.
        ax.set_yscale("function", functions=(lambda y: np.sqrt(np.maximum(y, 0)), np.square))
        steps = np.array([0, 1, 3, 10, 20, 50, 100, 150, 200, 250, 300])
        ax.set_yticks(steps[steps <= top])
    ax.set_ylim(0, max(1.08 * top, 1.0))
    ax.set_xlabel("partial correlation")
    ax.set_ylabel("−log10 p")
    ax.axvline(0, color="#cccccc", linewidth=0.8, zorder=1)
    ax.spines[["top", "right"]].set_visible(False)


def _draw_level(ax: Axes, result: EdgeTestResult, sure: FloatArray, *, on_the_right: bool) -> None:
    if result.correction == "maxt":
        return  # maxt decides by the largest statistic, not by a level of the p-values
    log_level = log_critical_level(sure.size, result.n_edges, result.alpha, result.correction)
    level = -log_level / math.log(10)
    # Leave room for the legend above the line.
    ax.set_ylim(top=max(ax.get_ylim()[1], 1.25 * level))
    ax.axhline(level, color="#333333", linewidth=0.9, linestyle=":", zorder=1)
    ax.annotate(
        f"p = {math.exp(log_level):.2g}",
        (1.0 if on_the_right else 0.0, level),
        xycoords=ax.get_yaxis_transform(),
        xytext=(-3 if on_the_right else 3, 2),
        textcoords="offset points",
        ha="right" if on_the_right else "left",
        fontsize=_FONT,
        color=layout.NOTE,
    )


def _name_strongest(
    ax: Axes, result: EdgeTestResult, points: FloatArray, edge: BoolArray, corner: str
) -> None:
    """Write names beside the strongest edges, except where they would cover names or points."""
    rows, columns = result.tested_pairs()
    chosen = np.flatnonzero(edge)
    chosen = chosen[np.argsort(-np.abs(points[chosen, 0]), kind="stable")][:_NAMED]
    names = [
        " – ".join(shortened(result.feature_names[i], 12) for i in (rows[k], columns[k]))
        for k in chosen
    ]
    page = layout.page_size(ax)
    dots = (ax.transData.transform(points) - ax.get_window_extent().p0) * 72 / ax.figure.dpi
    left = 0.0 if corner == "left" else page[0] - _LEGEND[0]
    taken = [np.array([[left, page[1] - _LEGEND[1]], [left + _LEGEND[0], page[1]]])]
    for k, name, size in zip(chosen, names, layout.text_sizes(names, _FONT), strict=True):
        for offset in _offsets(size, outward=float(np.sign(points[k, 0]))):
            box = np.array([-size / 2, size / 2]) + dots[k] + offset
            if _is_free(box, page, taken, dots):
                taken.append(box)
                _write_name(ax, name, points[k], offset)
                break


def _offsets(size: FloatArray, outward: float) -> Iterator[FloatArray]:
    """Where a name may stand, relative to its point; close and outward places come first."""
    for far in (0, 14, 28, 50):
        for side, up in ((1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1)):
            reach = size[0] / 2 + 6 + far * (1.0 if up == 0 else 0.7)
            yield np.array([side * outward * reach, up * (size[1] / 2 + 3 + 0.5 * far)])


def _is_free(box: FloatArray, page: FloatArray, taken: list[FloatArray], dots: FloatArray) -> bool:
    low, high = box
    if (low < 0).any() or (high > page).any():
        return False
    if any((low < other[1] + 2).all() and (high + 2 > other[0]).all() for other in taken):
        return False
    return not ((dots > low - 2) & (dots < high + 2)).all(axis=1).any()


def _write_name(ax: Axes, name: str, point: FloatArray, offset: FloatArray) -> None:
    ax.annotate(
        name,
        (float(point[0]), float(point[1])),
        xytext=(float(offset[0]), float(offset[1])),
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize=_FONT,
        # A name with dollar signs is a name, not a formula.
        parse_math=False,
        zorder=4,
        arrowprops={
            "arrowstyle": "-",
            "color": layout.QUIET,
            "linewidth": 0.6,
            "shrinkA": 0,
            "shrinkB": 3,
        },
    )

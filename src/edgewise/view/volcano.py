"""The strength of each pair against its p-value."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from edgewise._base.types import BoolArray, FloatArray
from edgewise.inference.corrections import log_critical_level
from edgewise.results.result import EdgeTestResult
from edgewise.view import layout, style
from edgewise.view.safe_names import short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HIGHEST = 300.0  # −log10 p; larger values are drawn at the top
_NAMED = 8
_FONT = style.SMALLEST_FONT
# Of −log10 p; as many as have room are shown.
_TICKS = np.array([0, 1, 2, 3, 5, 10, 20, 30, 50, 70, 100, 150, 200, 250, 300])


def plot_volcano(result: EdgeTestResult, *, ax: Axes | None = None) -> Axes:
    """Every tested pair of variables: its partial correlation against −log10 of its p-value.

    Edges are coloured by their sign, and the strongest are named where there is room. The dotted
    line is the level that a p-value must reach, if one level decides for all pairs. The vertical
    scale is always that of √(−log10 p), which grows like the z-value, so that the many weak pairs
    stay apart.

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
    ('partial correlation', '−log10 p (square-root scale)')
    """
    # Fixed margins, because the names are fitted to the page between them.
    ax = ax if ax is not None else layout.new_axes(7, 5.6, box=(0.1, 0.16, 0.87, 0.74))
    rows, columns = result.tested_pairs()
    rho = result.partial_correlation[rows, columns]
    edge = result.reject[rows, columns]
    # From the logarithms, because a p-value below 1e-308 is zero. abs() avoids −0 for p = 1.
    sure = np.abs(result.log_pvalue[rows, columns]) / math.log(10)
    beyond = sure > _HIGHEST
    height = np.minimum(sure, _HIGHEST)
    for shown, color, label in (
        (~edge, style.QUIET, "no edge"),
        (edge & (rho > 0), style.POSITIVE, "edge, positive"),
        (edge & (rho < 0), style.NEGATIVE, "edge, negative"),
    ):
        for marker, some in (("o", shown & ~beyond), ("^", shown & beyond)):
            if some.any():
                ax.scatter(
                    rho[some],
                    height[some],
                    s=22 if color != style.QUIET else 12,
                    marker=marker,
                    color=color,
                    alpha=0.8 if color != style.QUIET else 0.5,
                    linewidths=0,
                    label=label if marker == "o" or not (shown & ~beyond).any() else None,
                    zorder=2 if color == style.QUIET else 3,
                    # Thousands of points take less space as pixels than as shapes.
                    rasterized=rho.size > 5000,
                    clip_on=False,
                )
    _set_axes(ax, rho, height)
    _draw_level(ax, result, sure)
    # Below the axis, where no point can be.
    ax.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, -46 / float(layout.page_size(ax)[1])),
        borderaxespad=0,
        ncols=3,
        frameon=False,
        fontsize=_FONT,
    )
    _name_strongest(ax, result, np.column_stack([rho, height]), edge)
    note = f"▲ {beyond.sum()} with p below 1e-{_HIGHEST:.0f}, drawn at the top"
    notes = [*layout.adjusted(result), *[note] * bool(beyond.any())]
    layout.write_title(ax, layout.found(result), *notes)
    return ax


def _set_axes(ax: Axes, rho: FloatArray, height: FloatArray) -> None:
    reach = min(1.12 * float(np.abs(rho).max()), 1.05)
    ax.set_xlim(-reach, reach)
    top = float(height.max(initial=0))
    ax.set_yscale("function", functions=(lambda y: np.sqrt(np.maximum(y, 0)), np.square))
    ax.set_ylim(0, max(1.08 * top, 1.0))
    ax.set_xlabel("partial correlation")
    ax.set_ylabel("−log10 p (square-root scale)")
    ax.axvline(0, color=style.GUIDE, linewidth=0.8, zorder=1)
    ax.spines[["top", "right"]].set_visible(False)


def _draw_level(ax: Axes, result: EdgeTestResult, sure: FloatArray) -> None:
    if result.correction == "maxt":
        _set_ticks(ax)
        return  # maxt decides by the largest statistic, not by a level of the p-values
    log_level = log_critical_level(sure.size, result.n_edges, result.alpha, result.correction)
    level = -log_level / math.log(10)
    ax.set_ylim(top=max(ax.get_ylim()[1], 1.25 * level))
    _set_ticks(ax)
    ax.axhline(level, color=style.INK, linewidth=0.9, linestyle=":", zorder=1)
    ax.annotate(
        f"p = {math.exp(log_level):.2g}",
        (1.0, level),
        xycoords=ax.get_yaxis_transform(),
        xytext=(-3, 2),
        textcoords="offset points",
        ha="right",
        fontsize=_FONT,
        color=style.NOTE,
    )


def _set_ticks(ax: Axes) -> None:
    """Ticks that are not closer to each other than their numbers are high."""
    top = ax.get_ylim()[1]
    kept: list[float] = []
    room = 1.6 * _FONT / float(layout.page_size(ax)[1]) * math.sqrt(top)
    for tick in _TICKS[top >= _TICKS].tolist():
        if not kept or math.sqrt(tick) - math.sqrt(kept[-1]) >= room:
            kept.append(tick)
    ax.set_yticks(kept)


def _name_strongest(ax: Axes, result: EdgeTestResult, points: FloatArray, edge: BoolArray) -> None:
    """Write names beside the strongest edges, except where they would cover names or points."""
    rows, columns = result.tested_pairs()
    chosen = np.flatnonzero(edge)
    chosen = chosen[np.argsort(-np.abs(points[chosen, 0]), kind="stable")][:_NAMED]
    short = short_names(result.feature_names, 12)
    names = [f"{short[rows[k]]} – {short[columns[k]]}" for k in chosen]
    page = layout.page_size(ax)
    dots = (ax.transData.transform(points) - ax.get_window_extent().p0) * 72 / ax.figure.dpi
    taken: list[FloatArray] = []
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
            "color": style.QUIET,
            "linewidth": 0.6,
            "shrinkA": 0,
            "shrinkB": 3,
        },
    )

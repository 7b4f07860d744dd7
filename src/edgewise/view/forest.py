"""Intervals of the strongest pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from edgewise._base.checks import check_count
from edgewise.results.base import IntervalFamily, interval_label
from edgewise.results.result import EdgeTestResult
from edgewise.view import layout, style
from edgewise.view.safe_names import short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_forest(
    result: EdgeTestResult,
    *,
    most: int = 30,
    level: float | None = None,
    simultaneous: bool | None = None,
    ax: Axes | None = None,
) -> Axes:
    """The strongest pairs with confidence intervals of their partial correlations.

    Filled marks are edges, hollow ones are not; the title says how many edges are not shown. An
    arrow at ±1 means that the interval is unbounded on that side.

    Parameters
    ----------
    result : EdgeTestResult
        What to draw.
    most : int
        How many pairs at most; fewer if `ax` has no room for so many names.
    level : float, optional
        Confidence level; by default 1 − alpha.
    simultaneous : bool, optional
        Whether the intervals hold for all pairs at once; by default as the result's
        `interval_family` says, so that they are those of every table and file. The pairs shown are
        the strongest of all: an interval for a single pair is too optimistic for them.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure that pyplot does not keep alive.

    Returns
    -------
    matplotlib axes
        The intervals, the strongest pair at the top.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.view.plots import plot_forest
    >>> ax = plot_forest(ew.edge_test(ew.datasets.load_sachs()), most=3)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['praf – pmek', 'plcg – PIP2', 'PKC – P38']
    """
    most = check_count("most", most, at_least=1)
    level = result.interval_level if level is None else level
    family = result.interval_family
    if simultaneous is not None and result.radius is None:  # a bound always holds for all
        family = "all pairs" if simultaneous else "pointwise"
    low, high = result.confidence_interval(
        level=level, scale="partial_correlation", simultaneous=family == "all pairs"
    )
    rows, columns = result.tested_pairs()
    strength = np.abs(result.partial_correlation[rows, columns])
    strongest = np.argsort(-strength, kind="stable")[:most]
    pairs = [(int(rows[k]), int(columns[k])) for k in strongest]
    if ax is None:
        ax = layout.new_axes(7, 1.7 + 0.23 * len(pairs))
    else:
        pairs = pairs[: max(int(layout.page_size(ax)[1] / (1.2 * style.SMALLEST_FONT)), 1)]
    for y, pair in enumerate(pairs):
        interval = (float(low[pair]), float(high[pair]))
        _draw_interval(
            ax, y, float(result.partial_correlation[pair]), interval, edge=bool(result.reject[pair])
        )
    _set_axes(ax, result, pairs)
    layout.write_title(ax, _title(result, pairs), _filled(result, pairs), *layout.adjusted(result))
    label = interval_label(level, family, some=result.tested is not None)
    ax.set_xlabel(f"partial correlation with {label}{_caution(result, pairs, family)}")
    return ax


def _draw_interval(
    ax: Axes, y: int, rho: float, interval: tuple[float, float], *, edge: bool
) -> None:
    color = style.QUIET
    if edge:
        color = style.POSITIVE if rho > 0 else style.NEGATIVE
    low, high = interval
    ends = np.clip(np.nan_to_num([low, high]), -1, 1)
    ax.plot(ends, [y, y], color=color, linewidth=1.6, solid_capstyle="butt", zorder=2)
    for end, unbounded, arrow in ((-1.0, not low > -1, "<"), (1.0, not high < 1, ">")):
        if unbounded:
            ax.plot(end, y, arrow, color=color, markersize=6, clip_on=False, zorder=3)
    filled = color if edge else style.PAPER
    ax.plot(rho, y, "o", markersize=6, color=color, markerfacecolor=filled, zorder=4)


def _title(result: EdgeTestResult, pairs: list[tuple[int, int]]) -> str:
    n_pairs, tested = result.n_pairs, "tested " * (result.tested is not None)
    shown = f"The only {tested}pair" if n_pairs == 1 else f"All {n_pairs} {tested}pairs"
    if len(pairs) < n_pairs:
        strongest = f"{len(pairs)} strongest" if len(pairs) > 1 else "strongest"
        shown = f"The {strongest} of {n_pairs:,} {tested}pairs"
    return f"{shown} ({result.method}, α = {result.alpha:g})"


def _filled(result: EdgeTestResult, pairs: list[tuple[int, int]]) -> str:
    """How many edges are in the picture, and how many are not."""
    shown, all_edges = sum(bool(result.reject[pair]) for pair in pairs), result.n_edges
    if not all_edges:
        return "no edges"
    if shown < all_edges:
        left = all_edges - shown
        weaker = "1 weaker one is" if left == 1 else f"{left:,} weaker ones are"
        return f"filled: {shown} of the {all_edges:,} edges; {weaker} left out"
    return "filled: the only edge" if all_edges == 1 else f"filled: all {all_edges:,} edges"


def _caution(result: EdgeTestResult, pairs: list[tuple[int, int]], family: IntervalFamily) -> str:
    """What to know of pointwise intervals of pairs that were chosen by what the data say."""
    if family != "pointwise" or len(pairs) == result.n_pairs == 1:
        return ""
    return "\n(each for its pair alone: too narrow for pairs chosen as edges or as the strongest)"


def _set_axes(ax: Axes, result: EdgeTestResult, pairs: list[tuple[int, int]]) -> None:
    short = short_names(result.feature_names, 16)
    names = [" – ".join(short[i] for i in pair) for pair in pairs]
    row = 0.9 * float(layout.page_size(ax)[1]) / len(pairs)
    size = float(np.clip(0.7 * row, style.SMALLEST_FONT, 9))
    # parse_math=False: a name with dollar signs is a name, not a formula.
    ax.set_yticks(np.arange(len(pairs)), labels=names, fontsize=size, parse_math=False)
    ax.set_ylim(len(pairs) - 0.4, -0.6)
    left, right = ax.get_xlim()
    ax.set_xlim(max(min(left, -0.02), -1.03), min(max(right, 0.02), 1.03))
    ax.axvline(0, color=style.INK, linewidth=0.9, zorder=1)
    ax.grid(axis="x", color=style.GUIDE, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)

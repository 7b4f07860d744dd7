"""The plots of a result; each takes and returns a matplotlib axes."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from edgewise._checks import check_choice, check_count
from edgewise._linalg import BoolArray, FloatArray, off_diagonal
from edgewise._optional import check_installed
from edgewise.inference.corrections import log_critical_level
from edgewise.plots import layout, style
from edgewise.plots.difference import plot_difference
from edgewise.plots.graph_drawing import (
    community_marks,
    community_order,
    draw_graph,
    laid_out,
)
from edgewise.plots.layout import IntArray, graph_of
from edgewise.plots.safe_names import short_names
from edgewise.results.base import probabilities
from edgewise.results.centrality import centralities
from edgewise.results.result import EdgeTestResult
from edgewise.results.summary import is_chosen

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["KINDS", "plot", "plot_difference"]

_ALL_NAMED = 60  # with more variables, a heat map has neither names nor marks
_SMALL = style.SMALLEST_FONT
# A name with dollar signs is a name, not a formula.
_PLAIN: dict[str, Any] = {"parse_math": False}


def _of_method(result: EdgeTestResult) -> str:
    return f"({result.method}, α = {result.alpha:g})"


def _count(number: int, what: str = "edge") -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _found(result: EdgeTestResult) -> str:
    """A title that says how many edges were found, and how."""
    pairs = _count(result.n_pairs, "chosen " * is_chosen(result) + "pair")
    return f"{_count(result.n_edges)} in {pairs} of variables {_of_method(result)}"


def _legend_below(ax: Axes, columns: int) -> None:
    """A legend below the numbers of the axis, where nothing else is."""
    ax.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, -46 / float(layout.page_size(ax)[1])),
        borderaxespad=0,
        ncols=columns,
        frameon=False,
        fontsize=_SMALL,
    )


def _rows_of_names(ax: Axes, names: Sequence[str], share: float) -> None:
    """A name for each row, the first on top, in letters of a `share` of its height."""
    row = float(layout.page_size(ax)[1]) / max(len(names), 1)
    size = float(np.clip(share * row, _SMALL, 9))
    ax.set_yticks(np.arange(len(names)), labels=names, fontsize=size, **_PLAIN)
    ax.set_ylim(max(len(names), 1) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)


def plot_network(result: EdgeTestResult, *, ax: Axes | None = None) -> Axes:
    """The graph of the edges: wider where stronger, dashed where negative, bent around other nodes.

    The size of a node is the total strength of its edges, its fill is its community (Louvain), and
    the area of a community is shaded if no other node lies in it. The layout uses partial
    correlations, not decisions, so it does not change with alpha or the method. If not all names
    have room, the strongest variables are named.
    """
    notes, graph = layout.adjusted(result), graph_of(result)
    if ax is None:
        # Fixed margins for the title and the legend; the names are fitted to the page between them.
        ax = layout.new_axes(7, 7.2, box=(0.02, 0.11, 0.96, 0.8))
    laid = laid_out(graph, layout.page_size(ax))
    draw_graph(ax, graph, laid)
    count, p = _count(result.n_edges), graph.n_features
    if is_chosen(result):
        count += f" in {_count(result.n_pairs, 'chosen pair')}"
    title = f"{count} among {p} variables, {result.n_samples:,} rows {_of_method(result)}"
    if result.n_edges:
        notes.append("node size: total |ρ̂| of its edges")
    if len(laid.named) < p:
        some = f"named: {len(laid.named)} of {p} variables, those with the strongest edges first"
        notes.append(some if len(laid.named) else f"the {p} variables are not named")
    layout.write_title(ax, title, *notes)
    return ax


def plot_heatmap(result: EdgeTestResult, *, ax: Axes | None = None) -> Axes:
    """The partial correlations by community and cluster; a + or − marks those that are edges.

    Strips beside the matrix have the colours of the communities in `plot_network`. Of more than 60
    variables the cells of pairs that are no edges are blank; pairs that were not tested are grey.
    """
    from matplotlib.colors import LinearSegmentedColormap

    graph, columns = graph_of(result), result.tested_columns()
    own, p = ax is None, graph.n_features
    if ax is None:
        # As wide as a page, or as high as the names need.
        side = max(6.0, 0.155 * p) if p <= _ALL_NAMED else 6.0
        ax = layout.new_axes(side + 1.0, side + 0.5)
    order = community_order(graph)
    at = np.ix_(order, order)
    rho, edge, tested = graph.partial_correlation[at].copy(), graph.reject[at], off_diagonal(p)
    if result.tested is not None:
        tested = result.tested[np.ix_(columns, columns)][at]
    # The colours span at least ±0.2; otherwise pure noise would look strong.
    reach = max(float(np.abs(rho[tested]).max(initial=0.0)), 0.2)
    if p > _ALL_NAMED and result.n_edges:
        rho[~edge] = 0.0  # marks would be too small to see, and noise would hide the edges
    rho[~tested] = np.nan
    signs = LinearSegmentedColormap.from_list("signs", style.SCALE)
    colours = signs.with_extremes(bad=style.UNTESTED)
    image = ax.imshow(rho, cmap=colours, vmin=-reach, vmax=reach, interpolation="nearest")
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)
    cell = 0.85 * float(layout.page_size(ax).min()) / p  # about how wide it will be, in points
    if p <= _ALL_NAMED:
        _mark_edges(ax, rho, edge, cell, reach)
    if p > _ALL_NAMED or cell < 0.875 * _SMALL:
        ax.set_xticks([])
        ax.set_yticks([])
        ax.set_xlabel(f"{p} variables by community, too many to name")
    else:
        names = short_names(graph.feature_names, 16)
        look = {"labels": [names[i] for i in order], **_PLAIN}
        look["fontsize"] = float(np.clip(0.8 * cell, _SMALL, 9))
        ax.set_yticks(np.arange(p), **look)
        ax.set_xticks(np.arange(p), rotation=90, **look)
    _draw_strips(ax, graph.communities[order])
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.6, aspect=30, pad=0.02)
    bar.set_label("partial correlation", fontsize=9)
    bar.ax.tick_params(labelsize=_SMALL)
    bar.outline.set_visible(False)
    if own and result.n_edges:
        # Outside of the axes, where the names of the variables are not.
        handles = community_marks(graph)
        ncols = min(max(int(layout.page_size(ax)[0] / 130), 1), len(handles))
        where: dict[str, Any] = {"loc": "outside lower center", "ncols": ncols}
        legend = ax.figure.legend(handles=handles, frameon=False, fontsize=_SMALL, **where)
        for text in legend.get_texts():
            text.set_parse_math(False)
    note = "marked + or −: the edges; pairs without a mark are no edges"
    if p > _ALL_NAMED:
        note = "coloured: the edges; pairs that are no edges are blank"
    if not result.n_edges:
        note = "no pair is an edge: colours alone may be noise"
    layout.write_title(ax, _found(result), *layout.adjusted(result), note)
    return ax


def _mark_edges(ax: Axes, rho: FloatArray, edge: BoolArray, cell: float, reach: float) -> None:
    """Marks in the cells of edges, and lines between the cells."""
    p = len(rho)
    for marker, there in (("+", edge & (rho > 0)), ("_", edge & (rho < 0))):
        rows, columns = np.nonzero(there)
        ax.scatter(
            columns,
            rows,
            marker=marker,
            s=float(np.clip(0.45 * cell, 1.5, 9)) ** 2,
            linewidths=float(np.clip(0.08 * cell, 0.3, 1.2)),
            # Dark marks on light cells, light marks on dark cells.
            c=np.where(np.abs(rho[rows, columns]) > 0.4 * reach, style.PAPER, style.INK),
        )
    ax.set_xticks(np.arange(p + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(p + 1) - 0.5, minor=True)
    ax.grid(which="minor", color=style.PAPER, linewidth=0.6)


def _draw_strips(ax: Axes, communities: IntArray) -> None:
    """Colour the community of each variable, left of the matrix and above it."""
    p = len(communities)
    wide = max(0.022 * p, 0.12)
    start = -0.5 - 1.4 * wide
    ends = [*(np.flatnonzero(np.diff(communities)) + 1).tolist(), p]
    for first, last in zip([0, *ends[:-1]], ends, strict=True):
        if (number := int(communities[first])) >= 0:
            look: dict[str, Any] = {"color": style.community_colour(number), "align": "edge"}
            look |= {"edgecolor": style.PAPER, "linewidth": 0.8}
            ax.barh(first - 0.5, wide, last - first, left=start, **look)
            ax.bar(first - 0.5, wide, last - first, bottom=start, **look)
    ax.set_xlim(start, p - 0.5)
    ax.set_ylim(p - 0.5, start)


_HIGHEST = 300.0  # −log10 p; larger values are drawn at the top
# Of −log10 p; as many as have room are shown.
_TICKS = np.array([0, 1, 2, 3, 5, 10, 20, 30, 50, 70, 100, 150, 200, 250, 300])


def plot_volcano(result: EdgeTestResult, *, ax: Axes | None = None) -> Axes:
    """Every tested pair: its partial correlation against −log10 of its p-value.

    Edges are coloured by their sign, and the strongest are named where there is room. The dotted
    line is the level that a p-value must reach, if one level decides for all pairs. The vertical
    scale is that of √(−log10 p), which grows like z, so that the many weak pairs stay apart.
    """
    # Fixed margins, because the names are fitted to the page between them.
    ax = ax if ax is not None else layout.new_axes(7, 5.6, box=(0.1, 0.16, 0.87, 0.74))
    pairs = result.tested_pairs()
    rho, edge = result.partial_correlation[pairs], result.reject[pairs]
    # From the logarithms, because a p-value below 1e-308 is zero. abs() avoids −0 for p = 1.
    sure = np.abs(result.log_pvalue[pairs]) / math.log(10)
    beyond, height = sure > _HIGHEST, np.minimum(sure, _HIGHEST)
    for shown, color, label in (
        (~edge, style.QUIET, "no edge"),
        (edge & (rho > 0), style.POSITIVE, "edge, positive"),
        (edge & (rho < 0), style.NEGATIVE, "edge, negative"),
    ):
        quiet = color == style.QUIET
        for marker, some in (("o", shown & ~beyond), ("^", shown & beyond)):
            if some.any():
                ax.scatter(
                    rho[some],
                    height[some],
                    s=12 if quiet else 22,
                    marker=marker,
                    color=color,
                    alpha=0.5 if quiet else 0.8,
                    linewidths=0,
                    label=label if marker == "o" or not (shown & ~beyond).any() else None,
                    zorder=2 if quiet else 3,
                    # Thousands of points take less space as pixels than as shapes.
                    rasterized=rho.size > 5000,
                    clip_on=False,
                )
    reach = min(1.12 * float(np.abs(rho).max()), 1.05)
    ax.set_xlim(-reach, reach)
    ax.set_yscale("function", functions=(lambda y: np.sqrt(np.maximum(y, 0)), np.square))
    ax.set_ylim(0, max(1.08 * float(height.max(initial=0)), 1.0))
    ax.set_xlabel("partial correlation")
    ax.set_ylabel("−log10 p (square-root scale)")
    ax.axvline(0, color=style.GUIDE, linewidth=0.8, zorder=1)
    ax.spines[["top", "right"]].set_visible(False)
    _draw_level(ax, result)
    _legend_below(ax, 3)
    _name_strongest(ax, result, np.column_stack([rho, height]), edge)
    note = f"▲ {beyond.sum()} with p below 1e-{_HIGHEST:.0f}, drawn at the top"
    notes = [*layout.adjusted(result), *[note] * bool(beyond.any())]
    layout.write_title(ax, _found(result), *notes)
    return ax


def _draw_level(ax: Axes, result: EdgeTestResult) -> None:
    """The level, and ticks that are not closer to each other than their numbers are high."""
    # maxt decides by the largest statistic, not by a level of the p-values.
    if result.correction != "maxt":
        log_level = log_critical_level(
            result.n_pairs, result.n_edges, result.alpha, result.correction
        )
        level = -log_level / math.log(10)
        ax.set_ylim(top=max(ax.get_ylim()[1], 1.25 * level))
        ax.axhline(level, color=style.INK, linewidth=0.9, linestyle=":", zorder=1)
        ax.annotate(
            f"p = {math.exp(log_level):.2g}",
            (1.0, level),
            xycoords=ax.get_yaxis_transform(),
            xytext=(-3, 2),
            textcoords="offset points",
            ha="right",
            fontsize=_SMALL,
            color=style.NOTE,
        )
    top, chosen = ax.get_ylim()[1], list[float]()
    room = 1.6 * _SMALL / float(layout.page_size(ax)[1]) * math.sqrt(top)
    for tick in _TICKS[top >= _TICKS].tolist():
        if not chosen or math.sqrt(tick) - math.sqrt(chosen[-1]) >= room:
            chosen.append(tick)
    ax.set_yticks(chosen)


def _name_strongest(ax: Axes, result: EdgeTestResult, points: FloatArray, edge: BoolArray) -> None:
    """Write names beside the strongest edges, except where they would cover names or points."""
    rows, columns = result.tested_pairs()
    chosen = np.flatnonzero(edge)
    chosen = chosen[np.argsort(-np.abs(points[chosen, 0]), kind="stable")][:8]
    short = short_names(result.feature_names, 12)
    names = [f"{short[rows[k]]} – {short[columns[k]]}" for k in chosen]
    page = layout.page_size(ax)
    dots = (ax.transData.transform(points) - ax.get_window_extent().p0) * 72 / ax.figure.dpi
    taken: list[FloatArray] = []
    for k, name, size in zip(chosen, names, layout.text_sizes(names, _SMALL), strict=True):
        for offset in _offsets(size, outward=float(np.sign(points[k, 0]))):
            box = np.array([-size / 2, size / 2]) + dots[k] + offset
            covers = ((dots > box[0] - 2) & (dots < box[1] + 2)).all(axis=1).any()
            if layout.free_box(box, page, taken, gap=2) and not covers:
                taken.append(box)
                line = {"arrowstyle": "-", "color": style.QUIET, "linewidth": 0.6}
                ax.annotate(
                    name,
                    (float(points[k, 0]), float(points[k, 1])),
                    xytext=(float(offset[0]), float(offset[1])),
                    textcoords="offset points",
                    ha="center",
                    va="center",
                    fontsize=_SMALL,
                    zorder=4,
                    arrowprops={**line, "shrinkA": 0, "shrinkB": 3},
                    **_PLAIN,
                )
                break


def _offsets(size: FloatArray, outward: float) -> Iterator[FloatArray]:
    """Where a name may stand, relative to its point; close and outward places come first."""
    for far in (0, 14, 28, 50):
        for side, up in ((1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1)):
            reach = size[0] / 2 + 6 + far * (1.0 if up == 0 else 0.7)
            yield np.array([side * outward * reach, up * (size[1] / 2 + 3 + 0.5 * far)])


def plot_forest(result: EdgeTestResult, *, most: int = 30, ax: Axes | None = None) -> Axes:
    """The `most` strongest pairs with the intervals of all tables; filled marks are edges.

    An arrow at ±1 means that the interval is unbounded on that side.
    """
    most = check_count("most", most, at_least=1)
    low, high = result.shown_interval
    rows, columns = result.tested_pairs()
    strength = np.abs(result.partial_correlation[rows, columns])
    strongest = np.argsort(-strength, kind="stable")[:most]
    pairs = [(int(rows[k]), int(columns[k])) for k in strongest]
    if ax is None:
        ax = layout.new_axes(7, 1.7 + 0.23 * len(pairs))
    else:
        pairs = pairs[: max(int(layout.page_size(ax)[1] / (1.2 * _SMALL)), 1)]
    for y, pair in enumerate(pairs):
        rho, edge = float(result.partial_correlation[pair]), bool(result.reject[pair])
        color = (style.POSITIVE if rho > 0 else style.NEGATIVE) if edge else style.QUIET
        ends = np.clip(np.nan_to_num([low[pair], high[pair]]), -1, 1)
        ax.plot(ends, [y, y], color=color, linewidth=1.6, solid_capstyle="butt", zorder=2)
        if not low[pair] > -1:
            ax.plot(-1.0, y, "<", color=color, markersize=6, clip_on=False, zorder=3)
        if not high[pair] < 1:
            ax.plot(1.0, y, ">", color=color, markersize=6, clip_on=False, zorder=3)
        filled = color if edge else style.PAPER
        ax.plot(rho, y, "o", markersize=6, color=color, markerfacecolor=filled, zorder=4)
    short = short_names(result.feature_names, 16)
    _rows_of_names(ax, [" – ".join(short[i] for i in pair) for pair in pairs], 0.63)
    left, right = ax.get_xlim()
    ax.set_xlim(max(min(left, -0.02), -1.03), min(max(right, 0.02), 1.03))
    ax.axvline(0, color=style.INK, linewidth=0.9, zorder=1)
    ax.grid(axis="x", color=style.GUIDE, linewidth=0.6)
    ax.set_axisbelow(True)
    layout.write_title(ax, *_forest_title(result, pairs), *layout.adjusted(result))
    notes = [f"partial correlation with {result.interval_label}", result.interval_note]
    if result.interval_family == "pointwise" and result.n_pairs > 1:
        notes.append(
            "(each for its pair alone: too narrow for pairs chosen as edges or as the strongest)"
        )
    ax.set_xlabel("\n".join(line for note in notes for line in textwrap.wrap(note, 90)))
    return ax


def _forest_title(result: EdgeTestResult, pairs: list[tuple[int, int]]) -> tuple[str, str]:
    """Which pairs are shown; how many edges are in the picture, and how many are not."""
    tested, n = "tested " * (result.tested is not None), result.n_pairs
    which = f"All {_count(n, f'{tested}pair')}"
    if len(pairs) < n:
        which = f"The {len(pairs)} strongest of {_count(n, f'{tested}pair')}"
    shown = sum(bool(result.reject[pair]) for pair in pairs)
    filled = f"filled: {shown:,} of {_count(result.n_edges)}" if result.n_edges else "no edges"
    return f"{which} {_of_method(result)}", filled


def plot_pvalues(result: EdgeTestResult, *, ax: Axes | None = None) -> Axes:
    """The histogram of the p-values, with the edges in colour and the level of the others.

    The p-values of pairs without an edge are uniform, so their bars are about equally high: at the
    dashed line, and 95 % of them in the band around it (for independent p-values). The line is at
    the share of pairs that are probably no edges, 2·#{p > ½}/m (Storey 2002). Those of bounds, of a
    least effect and for every look are limits and not uniform, so they have no line.
    """
    ax = ax if ax is not None else layout.new_axes(7, 5)
    pairs = result.tested_pairs()
    p, edge = probabilities(result.log_pvalue[pairs]), result.reject[pairs]
    found = f"{_count(result.n_edges, 'of them edge')}" if result.n_edges else "no edges"
    title = f"p-values of {_count(p.size, 'pair')}, {found} {_of_method(result)}"
    ax.set_xlim(0, 1)
    ax.set_xlabel("p-value")
    ax.spines[["top", "right"]].set_visible(False)
    if (p >= 1).all():
        text = "Every p-value is 1, so there is nothing to draw."
        if result.rows_needed is not None:
            text += f"\nThe bound needs about {result.rows_needed:,} rows; there are "
            text += f"{result.n_samples:,}."
        ax.text(0.5, 0.5, text, ha="center", transform=ax.transAxes, color=style.NOTE)
        ax.set_yticks([])
        layout.write_title(ax, title, *layout.adjusted(result))
        return ax
    limits = ""  # whose p-values are larger than uniform ones
    if result.radius is not None:
        limits = "p-values of a bound"
    elif result.question.min_effect:
        limits = "p-values of a least effect"
    elif result.uncertainty.anytime:
        limits = "p-values for every look"
    share = math.nan if limits else null_share(p)
    # At least about five p-values to a bar.
    bars = next((n for n in (20, 10) if p.size >= 5 * n), 5)
    _draw_bars(ax, p, edge, (1.0, bars), share)
    ax.set_ylabel("pairs")
    if p.size >= 400:
        # The smallest p-values by themselves, where edges that are few show.
        ax.set_ylim(top=1.9 * ax.get_ylim()[1])
        inset = ax.inset_axes((0.4, 0.62, 0.58, 0.3))
        _draw_bars(inset, p, edge, (0.05, 20), share)
        inset.set_title("p-values up to 0.05", fontsize=_SMALL)
        inset.set_xlim(0, 0.05)
        inset.tick_params(labelsize=_SMALL)
        inset.spines[["top", "right"]].set_visible(False)
    _legend_below(ax, 4)
    note = f"estimated share of pairs without an edge: {100 * share:.2g} %"
    if limits:
        note = f"{limits} are upper limits: those of other pairs are near 1"
    layout.write_title(ax, title, note, *layout.adjusted(result))
    return ax


def null_share(p: FloatArray) -> float:
    """The share of p-values that look uniform, from those above one half."""
    return min(2 * float(np.mean(p > 0.5)), 1.0)


def _draw_bars(
    ax: Axes, p: FloatArray, edge: BoolArray, bins: tuple[float, int], share: float
) -> None:
    """Bars with the edges on top of the others; the level of pairs without one, with its band."""
    top, bars = bins
    borders = np.linspace(0, top, bars + 1)
    edges, others = (np.histogram(p[some], borders)[0] for some in (edge, ~edge))
    look: dict[str, Any] = {"align": "edge", "width": top / bars}
    look |= {"edgecolor": style.PAPER, "linewidth": 0.5}
    ax.bar(borders[:-1], others, color=style.QUIET, label="no edges", **look)
    if edge.any():
        ax.bar(borders[:-1], edges, bottom=others, color=style.POSITIVE, label="edges", **look)
    if math.isnan(share):
        return
    chance = share * top / bars
    level, half = p.size * chance, 1.96 * math.sqrt(p.size * chance * (1 - chance))
    dashed: dict[str, Any] = {"color": style.INK, "linewidth": 1.1, "linestyle": "--"}
    ax.axhline(level, label="expected without an edge", **dashed)
    band = (max(level - half, 0.0), level + half)
    ax.axhspan(*band, color=style.INK, alpha=0.12, linewidth=0, label="95 % of such bars")
    ax.set_ylim(0, 1.05 * max(float((edges + others).max()), band[1]))


_GAP = 0.05  # between two panels, as a share of the width
_LEADING = 1.35  # a row of names is this much higher than a letter
_NOTE_FONT = 8.5
_WHAT = (
    "Strength: sum of |partial correlation| over the edges found. Bridge: the part of it that goes "
    "to other communities. Same fill: same community."
)


def plot_centrality(result: EdgeTestResult, *, most: int = 30, ax: Axes | None = None) -> Axes:
    """The `most` central variables: degree, strength and bridge strength, with intervals.

    The bridge strength is the part of the strength that goes to other communities: those of the
    network plot. The strength is nearly always an overestimate where edges are just significant;
    the intervals allow for that.
    """
    from matplotlib.ticker import MaxNLocator

    most, columns = check_count("most", most, at_least=1), result.tested_columns()
    member = np.full(result.n_features, -1)
    member[columns] = graph_of(result).communities
    found = centralities(result, member)
    most = min(most, len(columns))
    if ax is None:
        ax = layout.new_axes(8, 1.7 + 0.23 * most)
    else:
        most = min(most, max(int(layout.page_size(ax)[1] / (2 * _LEADING * _SMALL)), 1))
    shown = columns[np.argsort(-found.strength[columns], kind="stable")][:most]
    names = short_names([result.feature_names[i] for i in shown], 20)
    _rows_of_names(ax, names, 1 / _LEADING)
    ax.set_xticks([])
    ax.spines["bottom"].set_visible(False)
    fills = [style.community_colour(int(member[i])) for i in shown]
    width, y = (1 - 2 * _GAP) / 3, np.arange(len(shown))
    none = np.full(result.n_features, np.nan)
    for place, (name, value, low, high) in enumerate(
        (
            ("degree", found.degree.astype(np.float64), none, none),
            ("strength", found.strength, found.strength_low, found.strength_high),
            ("bridge", found.bridge, found.bridge_low, found.bridge_high),
        )
    ):
        panel, whole = ax.inset_axes((place * (width + _GAP), 0.0, width, 1.0)), name == "degree"
        panel.set_title(name, fontsize=10)
        panel.hlines(y, low[shown], high[shown], color=style.INK, linewidth=1.6, zorder=2)
        look: dict[str, Any] = {"edgecolors": style.INK, "linewidths": 0.9, "zorder": 3}
        panel.scatter(value[shown], y, s=34, c=fills, **look)
        panel.set_ylim(ax.get_ylim())
        numbers = int(np.clip(layout.page_size(panel)[0] / 28, 1, 5))
        panel.xaxis.set_major_locator(MaxNLocator(numbers, integer=whole, steps=[1, 2, 5, 10]))
        panel.set_yticks([])
        end = max(panel.get_xlim()[1], 1.0 if whole else 0.1)
        panel.set_xlim(-0.05 * end, 1.05 * end)  # dots at either end are whole
        panel.tick_params(axis="x", labelsize=_SMALL)
        panel.grid(axis="x", color=style.GUIDE, linewidth=0.6)
        panel.set_axisbelow(True)
        panel.spines[["top", "right", "left"]].set_visible(False)
        panel.axvline(0, color=style.INK, linewidth=0.9, zorder=1)
    letters = int(float(layout.page_size(ax)[0]) / (0.5 * _NOTE_FONT))
    notes = textwrap.wrap(_WHAT, letters)
    if not np.isnan(found.strength_low[shown]).all():
        notes += textwrap.wrap(f"Lines: {found.interval_label}.", letters)
    # Below the numbers of the panels.
    ax.set_xlabel("\n".join(notes), fontsize=_NOTE_FONT, labelpad=22, color=style.NOTE)
    n, left = len(columns), len(columns) - len(shown)
    which = f"All {n:,} variables by strength"
    if left:
        which = f"The {len(shown)} strongest of {n:,} variables ({left:,} left out)"
    edges = _count(result.n_edges) if result.n_edges else "no edges"
    layout.write_title(ax, f"{which}: {edges} {_of_method(result)}", *layout.adjusted(result))
    # Again, above the names of the panels.
    ax.set_title(ax.get_title(), fontsize=11, pad=24, **_PLAIN)
    return ax


_OF_RESULT: dict[str, Callable[..., Axes]] = {
    "network": plot_network,
    "heatmap": plot_heatmap,
    "volcano": plot_volcano,
    "forest": plot_forest,
    "pvalues": plot_pvalues,
    "centrality": plot_centrality,
}
KINDS = tuple(_OF_RESULT)


def plot(
    result: EdgeTestResult, kind: str = "network", *, ax: Axes | None = None, **options: Any
) -> Axes:
    """A picture of a result.

    Parameters
    ----------
    result : EdgeTestResult
        What to draw.
    kind : str
        The "network"; a "heatmap" of the partial correlations; a "volcano" of these against
        p-values; a "forest" of the strongest pairs with their intervals; a histogram of the
        "pvalues"; the "centrality" of the variables.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure of pyplot.
    **options
        Of "forest" and "centrality": ``most``, how many pairs or variables are shown.

    Returns
    -------
    matplotlib axes
        Where it was drawn; ``ax.figure`` is the whole figure.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.plots.plots import plot
    >>> result = ew.edge_test(ew.datasets.load_sachs())
    >>> plot(result, "volcano").get_xlabel()
    'partial correlation'
    """
    check_choice("kind", kind, KINDS)
    check_installed("matplotlib", "plot", "A plot")
    return _OF_RESULT[kind](result, ax=ax, **options)

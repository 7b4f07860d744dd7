"""All plots of a result; each takes and returns a matplotlib axes."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from edgewise._checks import check_choice, check_count
from edgewise._linalg import AnyArray, BoolArray, FloatArray, off_diagonal
from edgewise._optional import check_installed
from edgewise.errors import ParameterError
from edgewise.inference.corrections import log_critical_level
from edgewise.plots import layout, style
from edgewise.plots.difference import plot_difference
from edgewise.plots.graph_drawing import (
    communities_of,
    community_marks,
    community_order,
    draw_graph,
    laid_out,
)
from edgewise.plots.layout import IntArray
from edgewise.plots.safe_names import short_names, shortened
from edgewise.results.base import IntervalFamily, interval_label, probabilities
from edgewise.results.centrality import Centrality, centralities
from edgewise.results.result import EdgeTestResult, tested_part
from edgewise.results.summary import is_chosen

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.image import AxesImage

__all__ = [
    "KINDS",
    "plot",
    "plot_agreement",
    "plot_centrality",
    "plot_difference",
    "plot_forest",
    "plot_heatmap",
    "plot_ladder",
    "plot_network",
    "plot_pvalues",
    "plot_volcano",
]

_ALL_NAMED = 60
_ROOM = 0.155  # inches, a variable with a name of 8 points
_STRIP = 0.022  # of the side, the colours of the communities
_HIGHEST = 300.0  # −log10 p; larger values are drawn at the top
_NAMED = 8
# Of −log10 p; as many as have room are shown.
_TICKS = np.array([0, 1, 2, 3, 5, 10, 20, 30, 50, 70, 100, 150, 200, 250, 300])
_MOST_BARS = 20
_EACH = 5  # at least about so many p-values to a bar
_CLOSE = 0.05  # the inset shows p-values up to here
_CROWD = 400  # with fewer p-values the inset would hold next to none
# Of the names; a row of them is this much higher than a letter.
_NAME_FONT, _LEADING = 9.0, 1.35
_NOTE_FONT = 8.5
_LONGEST_NAME = 20
_GAP = 0.05  # between two panels, as a share of the width
_TEXTS_HEIGHT = 105.0  # of titles, numbers and notes above and below the panels, in points
_WHAT = (
    "Strength: sum of |partial correlation| over the edges found. Bridge: the part of it that goes "
    "to other communities. Same fill: same community."
)
_ROW, _COLUMN = 0.2, 0.34  # inches


class Line(Protocol):
    """The part of a `Comparison` that is drawn; a view may not import questions/compare_methods."""

    @property
    def label(self) -> str: ...
    @property
    def result(self) -> EdgeTestResult | None: ...
    @property
    def failure(self) -> str: ...
    @property
    def guarantee(self) -> str: ...
    def threshold_on_partial_correlation(self) -> float: ...


def plot_network(
    result: EdgeTestResult, *, communities: bool = True, ax: Axes | None = None
) -> Axes:
    """The graph of the edges: stronger edges are wider, negative ones are dashed.

    The width of an edge says how strong it is, by the same scale in every picture. The size of a
    node is the total strength of its edges, its fill is its community (Louvain's method on the
    edges), and the area of a community is shaded if no other node lies in it. An edge is bent where
    a straight one would pass through a node.

    Variables with strong partial correlations lie close together. The layout uses partial
    correlations, not decisions, so it does not change with alpha or the method. Names do not cover
    each other. If not all have room, the strongest are named, and the title says how many are not.
    Only tested variables are drawn; the title says what was adjusted for.

    Parameters
    ----------
    result : EdgeTestResult
        The test whose edges to draw.
    communities : bool
        Whether to fill the nodes by community.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure of pyplot.

    Returns
    -------
    matplotlib axes
        The network; ``ax.figure`` is the whole figure.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.plots.plots import plot_network
    >>> result = ew.edge_test(ew.datasets.load_sachs())
    >>> plot_network(result).get_title().splitlines()[0]
    '26 edges among 11 variables, 7,466 rows (score, α = 0.05)'
    """
    notes, result = layout.adjusted(result), tested_part(result)
    if ax is None:
        # Fixed margins for the title and the legend; the names are fitted to the page between them.
        ax = layout.new_axes(7, 7.2, box=(0.02, 0.11, 0.96, 0.8))
    laid = laid_out(result, layout.page_size(ax))
    draw_graph(ax, result, laid, communities=communities_of(result) if communities else None)
    layout.write_title(ax, _network_title(result), *notes, *_network_notes(result, len(laid.named)))
    return ax


def _network_title(result: EdgeTestResult) -> str:
    count = f"{result.n_edges} edge{'s' * (result.n_edges != 1)}"
    if is_chosen(result):
        count += f" in {result.n_pairs} chosen pair{'s' * (result.n_pairs != 1)}"
    return (
        f"{count} among {result.n_features} variables, {result.n_samples:,} rows "
        f"({result.method}, α = {result.alpha:g})"
    )


def _network_notes(result: EdgeTestResult, named: int) -> list[str]:
    """What else the picture says: what the sizes mean, and how many names have no room."""
    p, told = result.n_features, []
    if result.n_edges:
        told.append("node size: total |ρ̂| of its edges")
    if not named:
        told.append(f"the {p} variables are not named")
    elif named < p:
        told.append(f"named: {named} of {p} variables, those with the strongest edges first")
    return told


def plot_heatmap(result: EdgeTestResult, *, ax: Axes | None = None) -> Axes:
    """The partial correlations, blue where positive; a + or − marks those that are edges.

    The variables stand by community, the strongest first, and inside of one in the order of a
    hierarchical clustering with the distance 1 − abs(ρ̂_ij). Strips beside the matrix have the
    colours of the communities in `plot_network`. The colours of the cells are those of the bar, for
    edges and others alike; of more than 60 variables the cells of others are blank. Pairs that were
    not tested are grey, and variables without a tested pair are left out.

    Parameters
    ----------
    result : EdgeTestResult
        The test whose partial correlations to draw.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure of pyplot.

    Returns
    -------
    matplotlib axes
        The matrix; ``ax.figure`` also holds its colour bar.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.plots.plots import plot_heatmap
    >>> ax = plot_heatmap(ew.edge_test(ew.datasets.load_sachs()))
    >>> [label.get_text() for label in ax.get_yticklabels()][:3]
    ['PKA', 'p44/42', 'pakts473']
    """
    notes, result = [layout.found(result), *layout.adjusted(result)], tested_part(result)
    own, p = ax is None, result.n_features
    if ax is None:
        # As wide as a page, or as high as the names need.
        side = max(6.0, _ROOM * p) if p <= _ALL_NAMED else 6.0
        ax = layout.new_axes(side + 1.0, side + 0.5)
    communities = communities_of(result)
    order = community_order(result, communities)
    image = _draw_cells(ax, result, order)
    _name_axes(ax, result, order)
    _draw_strips(ax, communities[order])
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.6, aspect=30, pad=0.02)
    bar.set_label("partial correlation", fontsize=9)
    bar.ax.tick_params(labelsize=style.SMALLEST_FONT)
    bar.outline.set_visible(False)
    if own and result.n_edges:
        # Outside of the axes, where the names of the variables are not.
        handles = community_marks(result, communities)
        columns = max(int(layout.page_size(ax)[0] / 130), 1)
        legend = ax.figure.legend(
            handles=handles,
            loc="outside lower center",
            ncols=min(columns, len(handles)),
            frameon=False,
            fontsize=style.SMALLEST_FONT,
        )
        for text in legend.get_texts():
            text.set_parse_math(False)
    layout.write_title(ax, *notes, *_heatmap_notes(result))
    return ax


def _heatmap_notes(result: EdgeTestResult) -> list[str]:
    """How edges and others are told apart."""
    if not result.n_edges:
        return ["no pair is an edge: colours alone may be noise"]
    if result.n_features > _ALL_NAMED:
        return ["coloured: the edges; pairs that are no edges are blank"]
    return ["marked + or −: the edges; pairs without a mark are no edges"]


def _draw_cells(ax: Axes, result: EdgeTestResult, order: AnyArray) -> AxesImage:
    p, at = result.n_features, np.ix_(order, order)
    rho, edge = result.partial_correlation[at].copy(), result.reject[at]
    tested = (off_diagonal(p) if result.tested is None else result.tested)[at]
    # The colours span at least ±0.2; otherwise pure noise would look strong.
    reach = max(float(np.abs(rho[tested]).max(initial=0.0)), 0.2)
    if p > _ALL_NAMED and result.n_edges:
        # Marks would be too small to see, and noise would hide the edges.
        rho[~edge] = 0.0
    rho[~tested] = np.nan
    image = ax.imshow(rho, cmap=_colours(), vmin=-reach, vmax=reach, interpolation="nearest")
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)
    if p > _ALL_NAMED:
        return image
    cell = _cell(ax, p)
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
    # Lines between the cells, where there is room for them.
    ax.set_xticks(np.arange(p + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(p + 1) - 0.5, minor=True)
    ax.grid(which="minor", color=style.PAPER, linewidth=0.6)
    return image


def _cell(ax: Axes, p: int) -> float:
    """About how wide a cell will be, in points."""
    return 0.85 * float(layout.page_size(ax).min()) / p


def _draw_strips(ax: Axes, communities: IntArray) -> None:
    """Colour the community of each variable, left of the matrix and above it."""
    from matplotlib.patches import Rectangle

    p = len(communities)
    wide = max(_STRIP * p, 0.12)
    start = -0.5 - 1.4 * wide
    ends = [*(np.flatnonzero(np.diff(communities)) + 1).tolist(), p]
    for first, last in zip([0, *ends[:-1]], ends, strict=True):
        number = int(communities[first])
        if number >= 0:
            colour = style.community_colour(number)
            for corner, size in (
                ((start, first - 0.5), (wide, last - first)),
                ((first - 0.5, start), (last - first, wide)),
            ):
                ax.add_patch(
                    Rectangle(corner, *size, facecolor=colour, edgecolor=style.PAPER, linewidth=0.8)
                )
    ax.set_xlim(start, p - 0.5)
    ax.set_ylim(p - 0.5, start)


def _colours() -> Colormap:
    """From vermillion through white to blue, the colours of the signs in every plot."""
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("signs", style.SCALE)
    return colours.with_extremes(bad=style.UNTESTED)


def _name_axes(ax: Axes, result: EdgeTestResult, order: AnyArray) -> None:
    p = result.n_features
    size = 0.8 * _cell(ax, p)
    if p > _ALL_NAMED or size < 0.7 * style.SMALLEST_FONT:
        ax.set_xticks([])
        ax.set_yticks([])
        ax.set_xlabel(f"{p} variables by community, too many to name")
        return
    names = short_names(result.feature_names, 16)
    names = [names[i] for i in order]
    places, size = np.arange(p), float(np.clip(size, style.SMALLEST_FONT, 9))
    # parse_math=False: a name with dollar signs is a name, not a formula.
    ax.set_yticks(places, labels=names, fontsize=size, parse_math=False)
    ax.set_xticks(places, labels=names, fontsize=size, parse_math=False, rotation=90)


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
        Where to draw; by default a new figure of pyplot.

    Returns
    -------
    matplotlib axes
        The points and the level; ``ax.figure`` is the whole figure.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.plots.plots import plot_volcano
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
    _set_volcano_axes(ax, rho, height)
    _draw_level(ax, result, sure)
    # Below the axis, where no point can be.
    ax.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, -46 / float(layout.page_size(ax)[1])),
        borderaxespad=0,
        ncols=3,
        frameon=False,
        fontsize=style.SMALLEST_FONT,
    )
    _name_strongest(ax, result, np.column_stack([rho, height]), edge)
    note = f"▲ {beyond.sum()} with p below 1e-{_HIGHEST:.0f}, drawn at the top"
    notes = [*layout.adjusted(result), *[note] * bool(beyond.any())]
    layout.write_title(ax, layout.found(result), *notes)
    return ax


def _set_volcano_axes(ax: Axes, rho: FloatArray, height: FloatArray) -> None:
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
        fontsize=style.SMALLEST_FONT,
        color=style.NOTE,
    )


def _set_ticks(ax: Axes) -> None:
    """Ticks that are not closer to each other than their numbers are high."""
    top = ax.get_ylim()[1]
    kept: list[float] = []
    room = 1.6 * style.SMALLEST_FONT / float(layout.page_size(ax)[1]) * math.sqrt(top)
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
    for k, name, size in zip(
        chosen, names, layout.text_sizes(names, style.SMALLEST_FONT), strict=True
    ):
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
        fontsize=style.SMALLEST_FONT,
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
        Where to draw; by default a new figure of pyplot.

    Returns
    -------
    matplotlib axes
        The intervals, the strongest pair at the top.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.plots.plots import plot_forest
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
    _set_forest_axes(ax, result, pairs)
    layout.write_title(
        ax, _forest_title(result, pairs), _filled(result, pairs), *layout.adjusted(result)
    )
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


def _forest_title(result: EdgeTestResult, pairs: list[tuple[int, int]]) -> str:
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


def _set_forest_axes(ax: Axes, result: EdgeTestResult, pairs: list[tuple[int, int]]) -> None:
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


def plot_pvalues(result: EdgeTestResult, *, ax: Axes | None = None) -> Axes:
    """The histogram of the p-values, with the edges in colour and the level of the others.

    The p-values of pairs without an edge are uniform, so their bars are about equally high: at the
    dashed line, and 95 % of them in the band around it (for independent p-values). The line is at
    the share of pairs that are probably no edges, 2·#{p > ½}/m (Storey 2002). True edges stand
    above it at the left. If the bars are uneven elsewhere, the p-values are too small or too large.
    Those of bounds, of a least effect and for every look are limits and not uniform, so they have
    no line. With many pairs an inset shows the smallest p-values.

    Parameters
    ----------
    result : EdgeTestResult
        The test whose p-values to draw.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure of pyplot.

    Returns
    -------
    matplotlib axes
        The histogram; ``ax.figure`` is the whole figure.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.plots.plots import plot_pvalues
    >>> print(plot_pvalues(ew.edge_test(ew.datasets.load_sachs())).get_title())
    p-values of 55 pairs, 26 of them edges (score, α = 0.05)
    estimated share of pairs without an edge: 29 %
    """
    ax = ax if ax is not None else layout.new_axes(7, 5)
    pairs = result.tested_pairs()
    p, edge = probabilities(result.log_pvalue[pairs]), result.reject[pairs]
    m, limits = p.size, _limits(result)
    count = f"{result.n_edges:,} of them edge{'s' * (result.n_edges != 1)}"
    title = f"p-values of {m:,} pair{'s' * (m != 1)}, {count if result.n_edges else 'no edges'}"
    title += f" ({result.method}, α = {result.alpha:g})"
    ax.set_xlim(0, 1)
    ax.set_xlabel("p-value")
    ax.spines[["top", "right"]].set_visible(False)
    if (p >= 1).all():
        _say_all_one(ax, result)
        layout.write_title(ax, title, *layout.adjusted(result))
        return ax
    share = math.nan if limits else null_share(p)
    bars = next((n for n in (_MOST_BARS, 10) if m >= _EACH * n), 5)
    _draw_bars(ax, p, edge, (1.0, bars), share)
    ax.set_ylabel("pairs")
    if m >= _CROWD:
        _draw_smallest(ax, p, edge, share)
    ax.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, -46 / float(layout.page_size(ax)[1])),
        ncols=4,
        frameon=False,
        fontsize=style.SMALLEST_FONT,
    )
    told = f"{limits} are upper limits: those of other pairs are near 1"
    if not limits:
        told = f"estimated share of pairs without an edge: {100 * share:.2g} %"
    layout.write_title(ax, title, told, *layout.adjusted(result))
    return ax


def _limits(result: EdgeTestResult) -> str:
    """Which p-values these are, if those of pairs without an edge are larger than uniform ones."""
    if result.radius is not None:
        return "p-values of a bound"
    if result.question.min_effect:
        return "p-values of a least effect"
    if result.uncertainty.anytime:
        return "p-values for every look"
    return ""


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
    look: dict[str, Any] = {
        "align": "edge",
        "width": top / bars,
        "edgecolor": style.PAPER,
        "linewidth": 0.5,
    }
    ax.bar(borders[:-1], others, color=style.QUIET, label="no edges", **look)
    if edge.any():
        ax.bar(borders[:-1], edges, bottom=others, color=style.POSITIVE, label="edges", **look)
    if math.isnan(share):
        return
    chance = share * top / bars
    level, half = p.size * chance, 1.96 * math.sqrt(p.size * chance * (1 - chance))
    ax.axhline(
        level, color=style.INK, linewidth=1.1, linestyle="--", label="expected without an edge"
    )
    band = (max(level - half, 0.0), level + half)
    ax.axhspan(*band, color=style.INK, alpha=0.12, linewidth=0, label="95 % of such bars")
    ax.set_ylim(0, 1.05 * max(float((edges + others).max()), band[1]))


def _draw_smallest(ax: Axes, p: FloatArray, edge: BoolArray, share: float) -> None:
    """The smallest p-values by themselves, where edges that are few show."""
    ax.set_ylim(top=1.9 * ax.get_ylim()[1])
    inset = ax.inset_axes((0.4, 0.62, 0.58, 0.3))
    _draw_bars(inset, p, edge, (_CLOSE, _MOST_BARS), share)
    inset.set_title(f"p-values up to {_CLOSE:g}", fontsize=style.SMALLEST_FONT)
    inset.set_xlim(0, _CLOSE)
    inset.tick_params(labelsize=style.SMALLEST_FONT)
    inset.spines[["top", "right"]].set_visible(False)


def _say_all_one(ax: Axes, result: EdgeTestResult) -> None:
    needs = ""
    if result.rows_needed is not None:
        needs = f"\nThe bound needs about {result.rows_needed:,} rows; there are "
        needs += f"{result.n_samples:,}."
    ax.set_ylim(0, 1)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.text(
        0.5,
        0.5,
        f"Every p-value is 1, so there is nothing to draw.{needs}",
        ha="center",
        va="center",
        transform=ax.transAxes,
        color=style.NOTE,
    )


def plot_centrality(
    result: EdgeTestResult,
    *,
    most: int = 30,
    level: float | None = None,
    communities: npt.ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """The most central variables: degree, strength and bridge strength, with intervals.

    The strength of a variable is the sum of its absolute partial correlations over the edges found,
    the bridge strength the part of it that goes to other communities. Dots with the same fill are
    in the same community. The strength is nearly always an overestimate where edges are just
    significant; the intervals allow for that, so a dot may stand at the right end of its own.

    Parameters
    ----------
    result : EdgeTestResult
        What to draw.
    most : int
        How many variables at most, the strongest; fewer where their names would not be legible.
    level : float, optional
        Confidence level; by default 1 − alpha.
    communities : array-like of int, optional
        The community of each variable, −1 for none; by default those of the network plot.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure of pyplot.

    Returns
    -------
    matplotlib axes
        They have the names, the strongest at the top; the three panels are their `child_axes`.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.plots.plots import plot_centrality
    >>> ax = plot_centrality(ew.edge_test(ew.datasets.load_sachs()), most=3)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['pakts473', 'pmek', 'praf']
    >>> [panel.get_title() for panel in ax.child_axes]
    ['degree', 'strength', 'bridge']
    """
    most = check_count("most", most, at_least=1)
    member = np.asarray(communities_of(result) if communities is None else communities)
    found = centralities(result, member, level)
    columns = result.tested_columns()
    most = min(most, len(columns))
    if ax is None:
        ax = layout.new_axes(8, 1.7 + 0.23 * most)
    else:
        most = min(most, _legible_rows(ax))
    shown = columns[np.argsort(-found.strength[columns], kind="stable")][:most]
    _name_rows(ax, [result.feature_names[i] for i in shown])
    fills = [style.community_colour(int(member[i])) for i in shown]
    _draw_panels(ax, found, shown, fills)
    _write_around(ax, result, found, shown)
    return ax


def _legible_rows(ax: Axes) -> int:
    """How many names there is room for, when the title and the notes have taken theirs."""
    height = float(layout.page_size(ax)[1])
    # Axes that make room for their texts begin with about three quarters of what they and the
    # texts have together.
    height = min(height, height / 0.77 - _TEXTS_HEIGHT)
    return max(int(height / (_LEADING * style.SMALLEST_FONT)), 1)


def _name_rows(ax: Axes, names: list[str]) -> None:
    """Names at the left of the axes, which show nothing else of their own."""
    row = float(layout.page_size(ax)[1]) / max(len(names), 1)
    size = float(np.clip(row / _LEADING, style.SMALLEST_FONT, _NAME_FONT))
    # parse_math=False: a name with dollar signs is a name, not a formula.
    ax.set_yticks(
        np.arange(len(names)),
        labels=short_names(names, _LONGEST_NAME),
        fontsize=size,
        parse_math=False,
    )
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_xticks([])
    ax.tick_params(axis="y", length=0)
    ax.spines[:].set_visible(False)


def _draw_panels(
    ax: Axes, found: Centrality, shown: npt.NDArray[np.intp], fills: list[str]
) -> None:
    none = np.full(len(found.degree), np.nan)
    width = (1 - 2 * _GAP) / 3
    for place, (name, value, low, high) in enumerate(
        (
            ("degree", found.degree.astype(np.float64), none, none),
            ("strength", found.strength, found.strength_low, found.strength_high),
            ("bridge", found.bridge, found.bridge_low, found.bridge_high),
        )
    ):
        panel = ax.inset_axes((place * (width + _GAP), 0.0, width, 1.0))
        panel.set_title(name, fontsize=10)
        _draw_dots(panel, value[shown], low[shown], high[shown], fills)
        panel.set_ylim(ax.get_ylim())
        _set_panel(panel, whole=name == "degree")


def _draw_dots(
    panel: Axes, value: FloatArray, low: FloatArray, high: FloatArray, fills: list[str]
) -> None:
    rows = np.arange(len(value))
    panel.hlines(rows, low, high, color=style.INK, linewidth=1.6, zorder=2)
    panel.scatter(value, rows, s=34, c=fills, edgecolors=style.INK, linewidths=0.9, zorder=3)


def _set_panel(panel: Axes, *, whole: bool) -> None:
    from matplotlib.ticker import MaxNLocator

    numbers = int(np.clip(layout.page_size(panel)[0] / 28, 1, 5))
    panel.xaxis.set_major_locator(MaxNLocator(numbers, integer=whole, steps=[1, 2, 5, 10]))
    panel.set_yticks([])
    end = max(panel.get_xlim()[1], 1.0 if whole else 0.1)
    panel.set_xlim(-0.05 * end, 1.05 * end)  # dots at either end are whole
    panel.tick_params(axis="x", labelsize=style.SMALLEST_FONT)
    panel.grid(axis="x", color=style.GUIDE, linewidth=0.6)
    panel.set_axisbelow(True)
    panel.spines[["top", "right", "left"]].set_visible(False)
    panel.axvline(0, color=style.INK, linewidth=0.9, zorder=1)


def _write_around(
    ax: Axes, result: EdgeTestResult, found: Centrality, shown: npt.NDArray[np.intp]
) -> None:
    letters = int(float(layout.page_size(ax)[0]) / (0.5 * _NOTE_FONT))
    notes = textwrap.wrap(_WHAT, letters)
    if len(notes) > 2:
        notes = []  # a small picture has a text of its own that explains it
    if not np.isnan(found.strength_low[shown]).all():
        notes += textwrap.wrap(f"Lines: {found.interval_label}.", letters)
    # Below the numbers of the panels.
    ax.set_xlabel("\n".join(notes), fontsize=_NOTE_FONT, labelpad=22, color=style.NOTE)
    layout.write_title(ax, _centrality_title(result, len(shown)), *layout.adjusted(result))
    # Again, above the names of the panels.
    ax.set_title(ax.get_title(), fontsize=11, pad=24, parse_math=False)


def _centrality_title(result: EdgeTestResult, n_shown: int) -> str:
    n_variables = len(result.tested_columns())
    left_out = n_variables - n_shown
    told = f"All {n_variables:,} variables by strength"
    if left_out:
        told = f"The {n_shown} strongest of {n_variables:,} variables ({left_out:,} left out)"
    edges = (
        f"{result.n_edges:,} edge{'s' * (result.n_edges != 1)}" if result.n_edges else "no edges"
    )
    return f"{told}: {edges} ({result.method}, α = {result.alpha:g})"


def plot_agreement(lines: Sequence[Line], *, most: int = 40, ax: Axes | None = None) -> Axes:
    """Pairs that any method calls an edge, against the methods: a square where one does.

    Squares are coloured by the sign of the partial correlation, as in every plot. Pairs on which
    most methods agree stand at the top. If there are too many, those on which the methods differ
    are kept first, and the title says how many are left out. A method without a result has crosses;
    methods that find no edge at all are only counted.

    Parameters
    ----------
    lines : sequence of Comparison
        From `edgewise.compare_methods`.
    most : int
        How many pairs at most.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure of pyplot.

    Returns
    -------
    matplotlib axes
        One row for each pair, one column for each method.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.plots.plots import plot_agreement
    >>> lines = ew.compare_methods(ew.datasets.load_sachs(), methods=["score", "batch"])
    >>> print(plot_agreement(lines).get_title().splitlines()[0])
    26 pairs that a method calls an edge: 16 by all 2 of them
    """
    most = check_count("most", most, at_least=1)
    given = [line.result for line in lines if line.result is not None]
    if not given:
        raise ParameterError("lines: expected at least one line with a result, got none.")
    first, results = given[0], [result for result in given if result.n_edges]
    lines = [line for line in lines if line.result is None or line.result.n_edges]
    rows, columns = first.tested_pairs()
    times = sum((result.reject[rows, columns].astype(int) for result in results), 0 * rows)
    strength = np.abs(first.partial_correlation)[rows, columns].round(9)
    shown = _chosen(times, strength, len(results), most)
    if ax is None:
        ax = layout.new_axes(max(3.4 + _COLUMN * len(lines), 5.5), 2.4 + _ROW * max(len(shown), 3))
    pairs = list(zip(rows[shown].tolist(), columns[shown].tolist(), strict=True))
    _draw_squares(ax, lines, pairs)
    _set_agreement_axes(ax, lines, first, pairs)
    _write_counts(ax, times[shown], len(results))
    told = _agreement_title(times, len(results), len(shown), len(given) - len(results))
    layout.write_title(ax, *told, *layout.adjusted(first))
    return ax


def _chosen(times: IntArray, strength: FloatArray, methods: int, most: int) -> IntArray:
    """The pairs to show, from those that most methods call an edge; those that differ are kept."""
    some = np.flatnonzero(times)
    kept = some[np.lexsort((-strength[some], times[some] == methods))][:most]
    return np.asarray(kept[np.lexsort((-strength[kept], -times[kept]))])


def _draw_squares(ax: Axes, lines: Sequence[Line], pairs: list[tuple[int, int]]) -> None:
    for x, line in enumerate(lines):
        for y, pair in enumerate(pairs):
            if line.result is None:
                ax.plot(x, y, "x", color=style.QUIET, markersize=4)
            elif line.result.reject[pair]:
                positive = line.result.partial_correlation[pair] > 0
                colour = style.POSITIVE if positive else style.NEGATIVE
                # Negative ones have another shape too, for grey prints.
                shape, size = ("s", 8) if positive else ("D", 6.5)
                ax.plot(x, y, shape, color=colour, markersize=size)
            else:
                ax.plot(x, y, "s", color=style.GUIDE, markersize=2.5)


def _set_agreement_axes(
    ax: Axes, lines: Sequence[Line], first: EdgeTestResult, pairs: list[tuple[int, int]]
) -> None:
    short = short_names(first.feature_names, 16)
    font = style.SMALLEST_FONT
    ax.set_xlim(-0.6, len(lines) - 0.4)
    ax.set_ylim(max(len(pairs), 1) - 0.4, -0.6)
    # parse_math=False: a name with dollar signs is a name, not a formula.
    ax.set_yticks(
        np.arange(len(pairs)),
        labels=[f"{short[i]} – {short[j]}" for i, j in pairs],
        fontsize=font,
        parse_math=False,
    )
    ax.set_xticks(
        np.arange(len(lines)),
        labels=[f"{line.label}: {_number_found(line)}" for line in lines],
        fontsize=font,
        parse_math=False,
        rotation=90,
    )
    ax.grid(axis="y", color=style.SHADE, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlabel(
        "method: edges found\nsquare: positive edge; diamond: negative edge; dot: no edge",
        fontsize=font,
    )


def _number_found(line: Line) -> str:
    return "no result" if line.result is None else f"{line.result.n_edges:,}"


def _write_counts(ax: Axes, times: IntArray, methods: int) -> None:
    for y, count in enumerate(times.tolist()):
        ax.annotate(
            f"{count} of {methods}",
            (1.0, y),
            xycoords=ax.get_yaxis_transform(),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=style.SMALLEST_FONT,
            color=style.NOTE,
            annotation_clip=False,
        )


def _agreement_title(times: IntArray, methods: int, shown: int, without: int) -> list[str]:
    some, every = int(np.count_nonzero(times)), int(np.count_nonzero(times == methods))
    if not some:
        return [f"No pair is an edge by any of {without} method{'s' * (without != 1)}"]
    pairs = "1 pair" if some == 1 else f"{some:,} pairs"
    by = f"{every:,} by all {methods} of them" if methods > 1 else "one method only"
    told = [f"{pairs} that a method calls an edge: {by}"]
    if shown < some:
        left = some - shown
        told.append(f"shown: {shown}, those on which methods differ first; {left:,} left out")
    if without:
        told.append(f"{without} further method{'s find' if without > 1 else ' finds'} no edge")
    return told


def plot_ladder(lines: Sequence[Line], *, ax: Axes | None = None) -> Axes:
    """What each method needs to call a pair an edge, and how many edges it finds.

    A dot marks the smallest partial correlation that would be an edge (median over pairs), on a
    logarithmic axis; the number of edges found stands beside it. An arrow is an infinite threshold,
    with the number of rows that would make it finite. Above 1 no pair can be an edge.

    Parameters
    ----------
    lines : sequence of Comparison
        From `edgewise.compare_methods`.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure of pyplot.

    Returns
    -------
    matplotlib axes
        One line for each method, in the order of `lines`.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> from edgewise.plots.plots import plot_ladder
    >>> X = np.random.default_rng(0).standard_normal((500, 3))
    >>> ax = plot_ladder(ew.compare_methods(X, alpha=0.05, correction="holm"))
    >>> ax.get_yticklabels()[0].get_text().splitlines()[0]
    'score'
    """
    ax = ax if ax is not None else layout.new_axes(8, 1.3 + 0.42 * len(lines))
    thresholds = [line.threshold_on_partial_correlation() for line in lines]
    finite = [value for value in thresholds if math.isfinite(value) and value > 0]
    left = min(finite, default=0.1) / 1.6
    right = max([*finite, 1.0]) * 1.6
    for y, (line, threshold) in enumerate(zip(lines, thresholds, strict=True)):
        ax.axhline(y, color=style.GUIDE, linewidth=0.7, zorder=0)
        if line.result is None:
            _write(ax, left, y, shortened(line.failure, 70), color=style.NOTE, style="italic")
        elif math.isfinite(threshold):
            color = style.POSITIVE if threshold < 1 else style.QUIET
            ax.plot([left, threshold], [y, y], color=color, linewidth=1.2, alpha=0.5, zorder=1)
            ax.plot(threshold, y, "o", color=color, markersize=7, zorder=2)
            _write(ax, threshold, y, f"{threshold:.2g}, {_edges(line.result)}")
        else:
            # To the end of the axis, which stands for infinity.
            ax.plot([left, right], [y, y], color=style.QUIET, linewidth=1.2, alpha=0.5, zorder=1)
            ax.plot(right, y, ">", color=style.QUIET, markersize=8, clip_on=False, zorder=2)
            _write(ax, right, y, f"{_edges(line.result)}{_rows_needed(line.result)}")
    _set_ladder_axes(ax, lines, left, right)
    return ax


def _edges(result: EdgeTestResult) -> str:
    return f"{result.n_edges:,} edge{'s' * (result.n_edges != 1)}"


def _rows_needed(result: EdgeTestResult) -> str:
    return "" if result.rows_needed is None else f"; needs about {result.rows_needed:,} rows"


def _write(ax: Axes, x: float, y: float, text: str, **look: str) -> None:
    from matplotlib.patheffects import withStroke

    ax.annotate(
        text,
        (x, y),
        xytext=(9, 0),
        textcoords="offset points",
        va="center",
        fontsize=8.5,
        parse_math=False,
        annotation_clip=False,
        path_effects=[withStroke(linewidth=2.2, foreground=style.PAPER)],
        **look,  # type: ignore[arg-type]
    )


def _set_ladder_axes(ax: Axes, lines: Sequence[Line], left: float, right: float) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    ax.set_xscale("log")
    ax.set_xlim(left, right)
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=15))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.axvspan(1.0, right, color=style.SHADE, zorder=-1)
    ax.set_yticks(
        np.arange(len(lines)),
        labels=[f"{line.label}\n{line.guarantee}" for line in lines],
        fontsize=style.SMALLEST_FONT,
        parse_math=False,
    )
    ax.set_ylim(len(lines) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.set_xlabel("|partial correlation| that would just be an edge, median over the pairs")
    result = next((line.result for line in lines if line.result is not None), None)
    data = "" if result is None else f" ({result.n_samples:,} rows, α = {result.alpha:g})"
    layout.write_title(ax, f"What each method needs to call a pair an edge{data}")


#: Pictures of one result.
_OF_RESULT: dict[str, Callable[..., Axes]] = {
    "network": plot_network,
    "heatmap": plot_heatmap,
    "volcano": plot_volcano,
    "forest": plot_forest,
    "pvalues": plot_pvalues,
    "centrality": plot_centrality,
}
#: Pictures of several methods on the same data.
_OF_LINES: dict[str, Callable[..., Axes]] = {"agreement": plot_agreement, "ladder": plot_ladder}
RESULT_KINDS = tuple(_OF_RESULT)
KINDS = (*RESULT_KINDS, *_OF_LINES)


def plot(
    result: EdgeTestResult,
    kind: str = "network",
    *,
    lines: Sequence[Line] | None = None,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """A picture of a result.

    Parameters
    ----------
    result : EdgeTestResult
        What to draw.
    kind : str
        "network", the graph of the edges; "heatmap", the matrix of partial correlations; "volcano",
        strength against p-value; "forest", intervals of the strongest pairs; "pvalues", the
        distribution of the p-values; "centrality", the variables with the strongest edges;
        "agreement", which methods call which pairs edges; "ladder", what each method needs. The
        difference of two groups has a picture of its own: `EdgeDifferenceResult.plot`.
    lines : sequence of Comparison, optional
        What `edgewise.compare_methods` found on the same data, for "agreement" and "ladder".
    ax : matplotlib axes, optional
        Where to draw; by default a new figure of pyplot.
    **options
        Further options of the picture's own function, for example ``most`` of `plot_forest`.

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
    if kind in _OF_LINES:
        if lines is None:
            raise ParameterError(
                f"lines: expected what compare_methods found on the same data, which "
                f'kind="{kind}" shows, got None.'
            )
        return _OF_LINES[kind](lines, ax=ax, **options)
    if lines is not None:
        raise ParameterError(
            f'lines: expected None for kind="{kind}", which shows one result; '
            f"{' and '.join(_OF_LINES)} show several methods."
        )
    return _OF_RESULT[kind](result, ax=ax, **options)

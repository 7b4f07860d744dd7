"""All p-values, compared with what pairs without an edge would give."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from edgewise._base.types import BoolArray, FloatArray
from edgewise.inference.reference import AnytimeReference
from edgewise.results.decide import probabilities
from edgewise.results.result import EdgeTestResult
from edgewise.view import layout, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_BARS = 20
_EACH = 5  # at least about so many p-values to a bar
_CLOSE = 0.05  # the inset shows p-values up to here
_CROWD = 400  # with fewer p-values the inset would hold next to none


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
        Where to draw; by default a new figure that pyplot does not keep alive.

    Returns
    -------
    matplotlib axes
        The histogram; ``ax.figure`` is the whole figure.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.view.plots import plot_pvalues
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
    if "min_effect" in result.options:
        return "p-values of a least effect"
    if isinstance(getattr(result.uncertainty, "reference", None), AnytimeReference):
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

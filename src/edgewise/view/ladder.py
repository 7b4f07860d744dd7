"""The methods side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from edgewise.results.result import EdgeTestResult
from edgewise.view import layout, style
from edgewise.view.safe_names import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
        Where to draw; by default a new figure that pyplot does not keep alive.

    Returns
    -------
    matplotlib axes
        One line for each method, in the order of `lines`.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> from edgewise.view.plots import plot_ladder
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
    _set_axes(ax, lines, left, right)
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


def _set_axes(ax: Axes, lines: Sequence[Line], left: float, right: float) -> None:
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

"""All p-values, compared with what chance alone would give."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from edgewise.results.probabilities import probabilities
from edgewise.results.result import EdgeTestResult
from edgewise.view import layout

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BAND = 0.95
_BARS = 20


def plot_pvalues(result: EdgeTestResult, *, ax: Axes | None = None) -> Axes:
    """The share of p-values below each level, with the histogram as an inset.

    Without any true edge the p-values are uniform and the curve stays near the diagonal: within
    ±√(log(2/0.05)/2m) with probability 95 %, for m independent p-values (Dvoretzky, Kiefer,
    Wolfowitz; Massart 1990). The p-values of one data set are not quite independent, so the band is
    a guide and not a test. True edges lift the curve at its left end. If the rest of the curve is
    far from a straight line, the p-values are too small, or too large as those of the bounds are.

    Parameters
    ----------
    result : EdgeTestResult
        The test whose p-values to draw.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure that pyplot does not keep alive.

    Returns
    -------
    matplotlib axes
        The curve, with the histogram in a corner; ``ax.figure`` is the whole figure.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.view.plots import plot_pvalues
    >>> plot_pvalues(ew.edge_test(ew.datasets.load_sachs())).get_title()
    'p-values of 55 pairs (score): true edges lift the curve at the left'
    """
    ax = ax if ax is not None else layout.new_axes(7, 6.4)
    p = np.sort(probabilities(result.log_pvalue[result.tested_pairs()]))
    m = p.size
    half = dkw_half_width(m)
    grid = np.linspace(0, 1, 201)
    ax.fill_between(
        grid,
        np.clip(grid - half, 0, 1),
        np.clip(grid + half, 0, 1),
        color="#dddddd",
        linewidth=0,
        label="95 % of the curves without any edge",
    )
    ax.plot([0, 1], [0, 1], color="#666666", linewidth=0.9, linestyle=":", label="uniform")
    share = np.arange(1, m + 1) / m
    ax.step(
        np.concatenate([[0], p, [1]]),
        np.concatenate([[0], share, [1]]),
        where="post",
        color=layout.POSITIVE,
        linewidth=1.8,
        label="these p-values",
        clip_on=False,
    )
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    ax.set_aspect("equal")
    ax.set_xlabel("p")
    ax.set_ylabel("share of the pairs with a p-value up to p")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=3, frameon=False, fontsize=8)
    if m >= _BARS:
        # In the corner that the curve does not cross.
        above = float(p.mean()) <= 0.5
        _draw_histogram(ax, p, (0.64, 0.08, 0.34, 0.26) if above else (0.08, 0.66, 0.34, 0.26))
    layout.write_title(
        ax,
        f"p-values of {m:,} pair{'s' * (m != 1)} ({result.method}): "
        "true edges lift the curve at the left",
        *layout.adjusted(result),
    )
    return ax


def dkw_half_width(m: int, level: float = _BAND) -> float:
    """The half-width of the band in which the distribution of m uniform numbers stays.

    Examples
    --------
    >>> round(dkw_half_width(190), 4)
    0.0985
    """
    return math.sqrt(math.log(2 / (1 - level)) / (2 * m))


def _draw_histogram(ax: Axes, p: np.ndarray, box: tuple[float, float, float, float]) -> None:
    inset = ax.inset_axes(box)
    inset.hist(
        p, bins=_BARS, range=(0, 1), color=layout.POSITIVE, edgecolor="#ffffff", linewidth=0.5
    )
    inset.axhline(p.size / _BARS, color="#666666", linewidth=0.9, linestyle=":")
    inset.set_title("histogram", fontsize=8)
    inset.set_xlim(0, 1)
    inset.tick_params(labelsize=7)
    inset.spines[["top", "right"]].set_visible(False)

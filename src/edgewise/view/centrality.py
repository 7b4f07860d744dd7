"""How central each variable is: degree, strength and bridge strength, side by side."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from edgewise._base.checks import check_count
from edgewise._base.types import FloatArray
from edgewise.results.centrality import Centrality, centralities
from edgewise.results.result import EdgeTestResult
from edgewise.view import layout, style
from edgewise.view.communities import communities_of
from edgewise.view.safe_names import short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Of the names; a row of them is this much higher than a letter.
_FONT, _LEADING = 9.0, 1.35
_NOTE_FONT = 8.5
_LONGEST_NAME = 20
_GAP = 0.05  # between two panels, as a share of the width
_TEXTS_HEIGHT = 105.0  # of titles, numbers and notes above and below the panels, in points
_WHAT = (
    "Strength: sum of |partial correlation| over the edges found. Bridge: the part of it that goes "
    "to other communities. Same fill: same community."
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
        Where to draw; by default a new figure that pyplot does not keep alive.

    Returns
    -------
    matplotlib axes
        They have the names, the strongest at the top; the three panels are their `child_axes`.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.view.centrality import plot_centrality
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
    size = float(np.clip(row / _LEADING, style.SMALLEST_FONT, _FONT))
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
    layout.write_title(ax, _title(result, len(shown)), *layout.adjusted(result))
    # Again, above the names of the panels.
    ax.set_title(ax.get_title(), fontsize=11, pad=24, parse_math=False)


def _title(result: EdgeTestResult, n_shown: int) -> str:
    n_variables = len(result.tested_columns())
    left_out = n_variables - n_shown
    told = f"All {n_variables:,} variables by strength"
    if left_out:
        told = f"The {n_shown} strongest of {n_variables:,} variables ({left_out:,} left out)"
    edges = (
        f"{result.n_edges:,} edge{'s' * (result.n_edges != 1)}" if result.n_edges else "no edges"
    )
    return f"{told}: {edges} ({result.method}, α = {result.alpha:g})"

"""Which methods call which pairs edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from edgewise._base.checks import check_count
from edgewise._base.types import FloatArray
from edgewise.errors import ParameterError
from edgewise.results.result import EdgeTestResult
from edgewise.view import layout, style
from edgewise.view.ladder import Line
from edgewise.view.layout import IntArray
from edgewise.view.safe_names import short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW, _COLUMN = 0.2, 0.34  # inches


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
        Where to draw; by default a new figure that pyplot does not keep alive.

    Returns
    -------
    matplotlib axes
        One row for each pair, one column for each method.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.view.plots import plot_agreement
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
    _set_axes(ax, lines, first, pairs)
    _write_counts(ax, times[shown], len(results))
    told = _title(times, len(results), len(shown), len(given) - len(results))
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


def _set_axes(
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
        labels=[f"{line.label}: {_edges(line)}" for line in lines],
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


def _edges(line: Line) -> str:
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


def _title(times: IntArray, methods: int, shown: int, without: int) -> list[str]:
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

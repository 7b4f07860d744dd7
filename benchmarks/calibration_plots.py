"""Dot plots of the calibration: one figure for each rate, a panel for each law, a line per test."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from edgewise.studies.calibration import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Okabe and Ito's: kept, and broken. Broken ones are diamonds, too.
_KEPT, _BROKEN = ("#0072B2", "o"), ("#D55E00", "D")
_COLUMNS = 5
# Pictures are the same from run to run.
_SAME = {"svg.hashsalt": "edgewise", "svg.fonttype": "none", "font.size": 8}


def draw_dots(
    path: Path,
    panels: Mapping[str, Mapping[str, Estimate | None]],
    *,
    label: str,
    line: float | None,
    ticks: Sequence[float],
    broken: Callable[[Estimate], bool],
) -> None:
    """Write an SVG: by title of the panel and name of the test, a value with its band.

    The axis shows the root of a rate, so that 0.05 and 0.1 are as far apart as 0.5 and 0.7.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    rows = -(-len(panels) // _COLUMNS)
    tests = list(next(iter(panels.values())))
    with mpl.rc_context(_SAME):
        figure = Figure(figsize=(8.6, rows * (0.75 + 0.17 * len(tests))), layout="constrained")
        grid = figure.subplots(rows, _COLUMNS, sharex=True, sharey=True, squeeze=False)
        for axes in grid.flat[len(panels) :]:
            axes.set_visible(False)
        for axes, (title, found) in zip(grid.flat, panels.items(), strict=False):
            _panel(axes, title, found, broken)
            axes.set_xscale("function", functions=(_root, np.square))
            axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
            axes.set_xlim(-0.0004, max(ticks) * 1.02)
            if line is not None:
                axes.axvline(line, color="0.35", linewidth=0.8, linestyle="--", zorder=1)
        grid[0, 0].set_yticks(range(len(tests)), tests)
        grid[0, 0].set_ylim(len(tests) - 0.4, -0.6)
        figure.supxlabel(label, fontsize=9)
        path.parent.mkdir(exist_ok=True)
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def _root(x: np.ndarray) -> np.ndarray:
    return np.sign(x) * np.sqrt(np.abs(x))


def _panel(
    axes: Axes,
    title: str,
    found: Mapping[str, Estimate | None],
    broken: Callable[[Estimate], bool],
) -> None:
    axes.set_title(title, fontsize=9)
    axes.grid(color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(length=2)
    for height, estimate in enumerate(found.values()):
        if estimate is None or np.isnan(estimate.value):
            continue
        colour, marker = _BROKEN if broken(estimate) else _KEPT
        axes.plot([estimate.low, estimate.high], [height, height], color=colour, linewidth=1.4)
        axes.plot(estimate.value, height, marker, color=colour, markersize=3.6)

"""The three pictures: time against n and against p, memory against n, all log–log."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.report import PICTURES, RESULTS, Curve, Picture, read
from benchmarks.slopes import fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Okabe and Ito's colours, which the colour-blind can tell apart, and a marker for each besides.
_STYLES = {
    "numpy.cov": ("#000000", "s"),
    "trace": ("#0072B2", "o"),
    "score": ("#D55E00", "D"),
    "batch": ("#CC79A7", "v"),
    "eig": ("#009E73", "^"),
    "X.T @ X": ("#999999", "x"),
}
# Between labels, in heights of the axes.
_LEAST_GAP = 0.055


def draw(curves: Sequence[Curve], folder: Path = RESULTS) -> None:
    """Write a PNG for every picture that has curves."""
    for name, words in PICTURES.items():
        # Methods that cost the same as one of these have their slopes in the table.
        shown = [c for c in curves if c.picture == name and c.label in _STYLES]
        if shown:
            _draw(shown, words, folder / f"{name}.png")


def _draw(curves: Sequence[Curve], words: Picture, path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 4.6))
    axes = figure.add_axes((0.125, 0.12, 0.585, 0.72))
    axes.set(xscale="log", yscale="log", xlabel=words.x, ylabel=words.y)
    axes.text(0, 1.12, words.title, transform=axes.transAxes, fontweight="bold", fontsize=12)
    subtitle = f"{words.where}; slopes of the solid lines, log–log"
    axes.text(0, 1.05, subtitle, transform=axes.transAxes, color="0.35")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="0.92")
    for curve in curves:
        colour, marker = _STYLES[curve.label]
        axes.plot(curve.x, curve.y, f"{marker}:", color=colour, markersize=5, linewidth=0.8)
        x, y = zip(*_fitted_points(curve), strict=True)
        axes.plot(x, fitted(x, y, curve.slope), color=colour, linewidth=1.6)
    sizes = sorted({x for curve in curves for x in curve.x})
    axes.set_xticks(sizes, [short(size) for size in sizes])
    axes.set_xticks([], minor=True)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,g}")
    _label(axes, curves)
    figure.savefig(path, dpi=150, metadata={"Software": None})


def _label(axes: Axes, curves: Sequence[Curve]) -> None:
    """Each curve's name and slope to the right of its end, moved apart where they would touch."""
    low, high = map(math.log, axes.get_ylim())
    ends = [max(zip(curve.x, curve.y, strict=True)) for curve in curves]
    heights = [(math.log(y) - low) / (high - low) for _, y in ends]
    for curve, end, at in zip(curves, ends, apart(heights, _LEAST_GAP), strict=True):
        colour, _ = _STYLES[curve.label]
        axes.annotate(
            # Adding zero makes a rounded −0.00 an ordinary zero.
            f"{curve.label}, {round(curve.slope, 2) + 0.0:.2f}",
            xy=end,
            xytext=(1.05, at),
            textcoords="axes fraction",
            color=colour,
            va="center",
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.5, "shrinkB": 4},
        )


def short(size: float) -> str:
    """A size that fits under a tick: 500, 20 k, 5 M."""
    for unit, sign in ((1e6, " M"), (1e3, " k")):
        if size >= unit:
            return f"{size / unit:g}{sign}"
    return f"{size:g}"


def apart(heights: Sequence[float], gap: float) -> list[float]:
    """The heights, moved as little as possible until neighbours are `gap` apart, order kept."""
    order = sorted(range(len(heights)), key=heights.__getitem__)
    groups: list[list[int]] = []  # that touch, and so are set one above the other
    for k in order:
        groups.append([k])
        while len(groups) > 1 and (
            _rungs(groups[-1], heights, gap)[0] - _rungs(groups[-2], heights, gap)[-1] < gap
        ):
            groups[-2:] = [groups[-2] + groups[-1]]
    placed = [0.0] * len(heights)
    for group in groups:
        for k, height in zip(group, _rungs(group, heights, gap), strict=True):
            placed[k] = height
    return placed


def _rungs(group: Sequence[int], heights: Sequence[float], gap: float) -> list[float]:
    """A ladder around the mean of the group's heights."""
    middle = sum(heights[k] for k in group) / len(group)
    return [middle + gap * (step - (len(group) - 1) / 2) for step in range(len(group))]


def _fitted_points(curve: Curve) -> list[tuple[float, float]]:
    return [(x, y) for x, y in zip(curve.x, curve.y, strict=True) if x >= curve.fit_from]


if __name__ == "__main__":
    draw([curve for section in read().values() for curve in section.curves])

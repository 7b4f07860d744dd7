"""One look for all pictures that are made for the pages.

Letters of 9 points or more at the width of a page, Okabe and Ito's colours, which
colour-blind people can tell apart, and for each test the same colour and marker wherever
it appears.
"""

from __future__ import annotations

import base64
import io
import re
from pathlib import Path

import matplotlib as mpl
import matplotlib.image
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.stats import binom

LEVEL = 0.05
#: The width of a page in inches, beside its two bars.
WIDTH = 7.3
BLUE, RED, GREEN, PINK, SKY, ORANGE, GREY = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#E69F00",
    "#666666",
)
#: A colour and a marker for each test. Those of peers and of others are grey.
TESTS = {
    "score": (BLUE, "o"),
    "fisher": (RED, "D"),
    "batch": (GREEN, "s"),
    "kendall": (PINK, "^"),
    "wald": (SKY, "v"),
    "elliptical": (ORANGE, "P"),
    "nodewise": (BLUE, "o"),
}
_OTHERS = ((GREY, "X"), ("#999933", "<"), ("#332288", ">"), (GREY, "*"))
STYLE = {
    # The same picture from run to run, and letters as outlines: no page lacks the font.
    "svg.hashsalt": "edgewise",
    "svg.fonttype": "path",
    "font.size": 9.5,
    "axes.titlesize": 10,
    "axes.labelsize": 9.5,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9.5,
    "legend.fontsize": 9.5,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.7,
    "axes.edgecolor": "#666666",
    "xtick.color": "#333333",
    "ytick.color": "#333333",
    "axes.titlelocation": "left",
}


def look(test: str, among: list[str]) -> tuple[str, str]:
    """The colour and the marker of a test, among those that the picture shows."""
    if test in TESTS:
        return TESTS[test]
    others = [one for one in among if one not in TESTS]
    return _OTHERS[others.index(test) % len(_OTHERS)]


def save(figure: Figure, path: Path, *, ground: bool = False) -> None:
    """As SVG, by default on no ground, so that a page shows its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, format="svg", metadata={"Date": None}, transparent=not ground)


#: The ground of a dark page, and the colours of tests on it.
_GROUND = np.array(mpl.colors.to_rgb("#14181e"))
_ON_DARK = {
    BLUE: "#56b4e9",
    RED: "#ff8a3d",
    GREEN: "#3cc79b",
    PINK: "#e09bc3",
    SKY: "#3a86c8",
    ORANGE: "#f2b632",
}


def save_dark(path: Path) -> None:
    """The picture once more, beside it, in the colours of a dark page."""
    dark = {light.lower(): other for light, other in _ON_DARK.items()}

    def other(found: re.Match[str]) -> str:
        color = found[0].lower()
        return dark.get(color) or mpl.colors.to_hex(_turned(mpl.colors.to_rgb(color)))

    def of_points(found: re.Match[str]) -> str:
        pixels = mpl.image.imread(io.BytesIO(base64.b64decode(found[0])), format="png")
        pixels[..., :3] = _turned(pixels[..., :3])
        turned = io.BytesIO()
        mpl.image.imsave(turned, pixels, format="png", metadata={"Software": None})
        return base64.b64encode(turned.getvalue()).decode()

    text = path.read_text(encoding="utf-8")
    text = re.sub(r"(?<=(?:fill|roke|olor): )#[0-9a-fA-F]{6}", other, text)
    text = re.sub(r"(?<=base64,)[\w+/=\s]+", of_points, text)
    # What has no colour is black, but for this.
    text = text.replace("<svg ", '<svg fill="#ffffff" ', 1)
    path.with_stem(f"{path.stem}-dark").write_text(text, encoding="utf-8")


def _turned(rgb) -> np.ndarray:
    """The same hue with the other lightness; white becomes the ground."""
    rgb = np.asarray(rgb)
    ends = rgb.max(axis=-1, keepdims=True) + rgb.min(axis=-1, keepdims=True)
    return _GROUND + (1 - _GROUND) * np.clip(rgb + 1 - ends, 0, 1)


def panels(
    count: int, columns: int, height: float, *, width: float = WIDTH, **options
) -> tuple[Figure, list[Axes]]:
    """A page of panels, row by row; `height` is that of one row of them."""
    rows = -(-count // columns)
    figure = Figure(figsize=(width, rows * height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.06, h_pad=0.06)
    axes = list(figure.subplots(rows, columns, squeeze=False, **options).flat)
    for unused in axes[count:]:
        unused.set_visible(False)
    return figure, axes[:count]


def rate_axis(
    axes: Axes, ticks=(0, 0.05, 0.2, 0.5, 1), *, vertical=False, unit=True
) -> None:
    """An axis of the roots of rates: 5 % and 10 % are as far apart as 50 % and 70 %."""

    def root(x):
        return np.sign(x) * np.sqrt(np.abs(x))

    unit = " %" if unit else ""
    names = [f"{100 * tick:g}{unit}" if tick else "0" for tick in ticks]
    side = "y" if vertical else "x"
    getattr(axes, f"set_{side}scale")(
        "function", functions=(root, lambda x: np.sign(x) * x**2)
    )
    getattr(axes, f"set_{side}ticks")(ticks, names)
    getattr(axes, f"set_{side}lim")(-0.0012, max(ticks) * 1.03)


def binomial_band(draws: int, level: float = LEVEL) -> tuple[float, float]:
    """Where 95 % of the rates lie that a test shows if it errs in exactly that share."""
    low, high = binom.ppf([0.025, 0.975], draws, level)
    return low / draws, high / draws


def level_line(
    axes: Axes, draws: int | None, level: float = LEVEL, *, vertical: bool = False
) -> None:
    """The rate that is promised, and the band of chance around it."""
    span, line = (
        (axes.axhspan, axes.axhline) if vertical else (axes.axvspan, axes.axvline)
    )
    if draws:
        span(*binomial_band(draws, level), color="#bbbbbb", alpha=0.45, linewidth=0)
    line(level, color="#444444", linewidth=0.9, linestyle="--", zorder=1.5)


def dots(
    shown: dict[str, dict[str, dict[str, tuple]]],
    *,
    label: str,
    draws: int | None = None,
    level: float | None = LEVEL,
    ticks=(0, 0.05, 0.2, 0.5, 1),
    columns: int | None = None,
    row_height: float = 0.3,
    width: float = WIDTH,
    names: dict[str, str] | None = None,
    looks: dict[str, tuple[str, str]] | None = None,
    promised: tuple[str, ...] | None = None,
) -> Figure:
    """Dot plots: by title of the panel, line and test a rate, or (rate, low end, high end).

    All tests have a colour and a marker; with `draws` the panel shows where the rates of a
    test that keeps its promise would lie, in all panels or in those with a `promised` title.
    """
    lines = list(next(iter(shown.values())))
    seen = dict.fromkeys(
        test for panel in shown.values() for line in panel.values() for test in line
    )
    tests = [*(test for test in TESTS if test in seen)]
    tests += [test for test in seen if test not in TESTS]
    looks = {test: look(test, tests) for test in tests} | (looks or {})
    with mpl.rc_context(STYLE):
        figure, all_axes = panels(
            len(shown),
            columns or len(shown),
            0.95 + row_height * len(lines),
            width=width,
            sharex=True,
            sharey=True,
        )
        for axes, (title, panel) in zip(all_axes, shown.items(), strict=True):
            axes.set_title(title)
            if level is not None and (promised is None or title in promised):
                level_line(axes, draws, level)
            draw_lines(axes, panel, looks, names or {})
            rate_axis(axes, ticks)
        all_axes[0].set_yticks(range(len(lines)), lines)
        all_axes[0].set_ylim(len(lines) - 0.5, -0.5)
        figure.supxlabel(label, fontsize=9.5)
        if len(tests) > 1:
            legend_above(figure, all_axes[0])
    return figure


def legend_above(figure: Figure, axes: Axes) -> None:
    """One legend for all panels, in as many columns as fit."""
    handles, labels = axes.get_legend_handles_labels()
    letters = sum(len(label) + 5 for label in labels)
    lines = -(-letters // int(12.5 * figure.get_size_inches()[0]))
    columns = -(-len(labels) // lines)
    figure.legend(
        handles,
        labels,
        loc="outside upper center",
        ncols=columns,
        columnspacing=1.2,
        handletextpad=0.3,
    )


def draw_lines(
    axes: Axes,
    panel: dict[str, dict],
    looks: dict[str, tuple[str, str]],
    names: dict[str, str],
) -> None:
    """The dots of a panel: a line each, the tests of a line below each other."""
    axes.grid(axis="y", visible=False)
    for height in range(len(panel)):
        axes.axhline(height, color="#eeeeee", linewidth=0.7, zorder=0.5)
    for place, (test, (colour, marker)) in enumerate(looks.items()):
        side = (place - (len(looks) - 1) / 2) * min(0.18, 0.7 / len(looks))
        style = {"color": colour, "markersize": 5, "linestyle": "none"}
        axes.plot([], [], marker=marker, label=names.get(test, test), **style)
        for height, found in enumerate(panel.values()):
            if test not in found:
                continue
            value, *ends = np.atleast_1d(found[test])
            if ends:
                axes.plot(ends, [height + side] * 2, color=colour, linewidth=1.5)
            at = height + side
            axes.plot(value, at, marker=marker, clip_on=False, zorder=3, **style)

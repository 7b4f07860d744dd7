"""How the studies' pictures look: a method has the same colour and name in all of them."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

NAMES = {
    "eig": "edgeTest-eig",
    "trace": "edgeTest-tr",
    "spectral": "spectral",
    "whitened": "whitened",
    "score": "score",
    "score + Holm": "score + Holm",
    "fisher": "Fisher",
    "fisher + Holm": "Fisher + Holm",
}
LAWS = {"gaussian": "Gaussian", "laplace": "Laplace"}
# Okabe and Ito's colours, which colour-blind people can tell apart; those of `score` and of
# Fisher's test are the ones that they have on the pages of the documentation.
COLOURS = {
    "eig": "#E69F00",
    "trace": "#444444",
    "spectral": "#CC79A7",
    "whitened": "#009E73",
    "score": "#0072B2",
    "score + Holm": "#0072B2",
    "fisher": "#D55E00",
    "fisher + Holm": "#D55E00",
    "chi2": "#56B4E9",
}
# Score and Fisher's test nearly coincide on Gaussian rows: wide below, thin above.
LINES = {
    "score": ("-", 4.0),
    "score + Holm": ("-", 4.0),
    "fisher": ("-", 1.2),
    "fisher + Holm": (":", 2.4),
}


def panels(count: int, columns: int = 2) -> Figure:
    """A figure as wide as a page, with that many axes; `figure.axes` lists them row by row."""
    rows = -(-count // columns)
    figure = Figure(figsize=(7.3, 2.6 * rows), layout="constrained")
    figure.subplots(rows, columns, squeeze=False)
    for ax in figure.axes[count:]:
        figure.delaxes(ax)
    for ax in figure.axes:
        ax.grid(True, color="#dddddd", linewidth=0.6)
        ax.set_axisbelow(True)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    return figure


def finish(figure: Figure, columns: int = 6, legend_of: int = 0) -> Figure:
    """(a), (b), … before the titles, row by row, and one legend below, from one of the panels."""
    for letter, ax in zip("abcdefghijklmnop", figure.axes, strict=False):
        ax.set_title(f"({letter}) {ax.get_title()}", fontsize="medium")
    figure.legend(
        *figure.axes[legend_of].get_legend_handles_labels(),
        loc="outside lower center",
        ncols=columns,
        frameon=False,
        fontsize="small",
    )
    return figure


def draw_curve(ax: Axes, method: str, x: Any, y: Any, band: Any) -> None:
    """A method's line in its colour, in a band of ±`band`."""
    style, width = LINES.get(method, ("-", 1.5))
    colour, name = COLOURS[method], NAMES[method]
    ax.plot(x, y, style, color=colour, label=name, linewidth=width, zorder=4 - width / 2)
    ax.fill_between(x, y - band, y + band, color=colour, alpha=0.2, linewidth=0)

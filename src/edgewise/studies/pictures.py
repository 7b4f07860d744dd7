"""How the studies' pictures look: a method has the same colour and name in all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    "chi2": "weighted chi²",
}
LAWS = {"gaussian": "Gaussian", "laplace": "Laplace"}
# Okabe and Ito's colours, which colour-blind people can tell apart.
COLOURS = {
    "eig": "#0072B2",
    "trace": "#D55E00",
    "spectral": "#CC79A7",
    "whitened": "#009E73",
    "score": "#E69F00",
    "score + Holm": "#E69F00",
    "fisher": "#555555",
    "fisher + Holm": "#555555",
    "chi2": "#56B4E9",
}


def panels(rows: int, columns: int, *, width: float = 3.6, height: float = 3.1) -> Figure:
    """A figure with rows × columns axes; `figure.axes` lists them row by row."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    figure.subplots(rows, columns, squeeze=False)
    for ax in figure.axes:
        ax.grid(True, color="#dddddd", linewidth=0.6)
        ax.set_axisbelow(True)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    return figure


def letter_panels(figure: Figure) -> None:
    """(a), (b), … before the titles, row by row, so that a caption can name the panels."""
    for letter, ax in zip("abcdefghijklmnop", figure.axes, strict=False):
        ax.set_title(f"({letter}) {ax.get_title()}", fontsize="medium")


def legend_below(figure: Figure, ax: Axes, columns: int = 6) -> None:
    """One legend for all panels, from the lines of one of them."""
    figure.legend(
        *ax.get_legend_handles_labels(),
        loc="outside lower center",
        ncols=columns,
        frameon=False,
        fontsize="small",
    )

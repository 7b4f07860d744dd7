"""Where things stand in a picture: the page, the nodes, the names.

The layout of the nodes depends on the partial correlations only. So two pictures of the same data
can be compared side by side, even with different levels, thresholds or methods.
"""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import numpy as np

from edgewise._base.parts import part
from edgewise._base.types import BoolArray, FloatArray
from edgewise.results.pooled import imputed
from edgewise.results.result import EdgeTestResult
from edgewise.results.tested import adjusted_for, is_chosen
from edgewise.results.transformed import transformed
from edgewise.view.islands import island_positions
from edgewise.view.safe_names import shortened
from edgewise.view.stress import least_stress, lying, path_distances, scaled_start

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from edgewise.results.difference import EdgeDifferenceResult
_LONGEST_NOTE = 150
_MANY = 30  # with more variables only pairs that stand out pull their nodes together


class Graph(Protocol):
    """What is drawn of a result: its variables, and the strength of its edges."""

    @property
    def feature_names(self) -> tuple[str, ...]: ...

    @property
    def n_features(self) -> int: ...

    @property
    def partial_correlation(self) -> FloatArray: ...

    @property
    def reject(self) -> BoolArray: ...


def node_positions(result: Graph) -> FloatArray:
    """Places of the variables in the plane; strong partial correlations bring them close.

    Up to 30 variables every pair counts as an edge here, significant or not, with the length
    1/(|ρ̂| + 0.01). The target distance d_ij of two nodes is the length of the shortest path, to the
    power ¾ so that tight pairs keep some room. The places minimise the stress
    Σ (‖x_i − x_j‖ − d_ij)²/d_ij² (Kamada & Kawai 1989) by majorisation (Gansner, Koren & North
    2004), starting near the solution of classical scaling. Of more variables only those pairs count
    that stand out from the noise of all, and groups that are not connected lie side by side.

    Parameters
    ----------
    result : EdgeTestResult or other graph
        Only its partial correlations matter.

    Returns
    -------
    ndarray of shape (p, 2)
        Centred at 0, with the farthest node at distance 1. The longer side of up to 30 nodes lies
        along the first axis.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> X = np.random.default_rng(0).standard_normal((500, 3))
    >>> X[:, 1] += X[:, 0]
    >>> x, y, z = node_positions(ew.edge_test(X))
    >>> bool(np.hypot(*(x - y)) < np.hypot(*(x - z)))
    True
    """
    rho = result.partial_correlation
    if len(rho) > _MANY:
        places = island_positions(rho)
        places -= (places.max(axis=0) + places.min(axis=0)) / 2
    else:
        distance = path_distances(rho)
        places = lying(least_stress(distance, scaled_start(distance)))
    return np.asarray(places / np.hypot(*places.T).max())


def new_axes(
    width: float = 8.0, height: float = 7.2, *, box: tuple[float, float, float, float] | None = None
) -> Axes:
    """Axes in a new figure of that size in inches, which pyplot does not keep alive.

    `box` fixes their place in the figure; without it they make room for their labels.
    """
    part("matplotlib", "plot", "A plot")
    from matplotlib.figure import Figure

    if box is not None:
        return Figure(figsize=(width, height)).add_axes(box)
    return Figure(figsize=(width, height), layout="constrained").add_subplot()


def page_size(ax: Axes) -> FloatArray:
    """The current width and height of the axes, in points."""
    box = ax.get_window_extent()
    return np.array([box.width, box.height]) * 72 / ax.figure.dpi


def found(result: EdgeTestResult) -> str:
    """A title that says how many edges were found, and how."""
    pairs, chosen = result.n_pairs, "chosen " * is_chosen(result)
    return (
        f"{result.n_edges:,} edge{'s' * (result.n_edges != 1)} in {pairs:,} {chosen}"
        f"pair{'s' * (pairs != 1)} of variables ({result.method}, α = {result.alpha:g})"
    )


def adjusted(result: EdgeTestResult | EdgeDifferenceResult) -> list[str]:
    """Further lines of a title: what is not in the picture, of what scores, how often imputed."""
    told = adjusted_for(result), transformed(result.options), imputed(result.options)
    return [shortened(text, _LONGEST_NOTE) for text in told if text]


def write_title(ax: Axes, *lines: str, size: float = 11.0) -> None:
    """Write a title; a line wider than the axes is broken into equal parts."""
    room = 1.15 * page_size(ax)[0]
    parts = np.ceil(text_sizes(lines, size)[:, 0] / room)
    broken = [
        textwrap.fill(line, max(int(1.1 * len(line) / n), 12)) if n > 1 else line
        for line, n in zip(lines, parts, strict=True)
    ]
    # A name with dollar signs is a name, not a formula.
    ax.set_title("\n".join(broken), fontsize=size, parse_math=False)


@contextmanager
def lacking_glyphs() -> Iterator[None]:
    """Draw characters that the font lacks as boxes, without a warning for each."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def text_sizes(labels: Sequence[str], size: float) -> FloatArray:
    """Width and height in points of each label, as a line of text of that font size."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size)
    with lacking_glyphs():
        widths = [
            text_to_path.get_text_width_height_descent(label, font, ismath=False)[0]
            for label in labels
        ]
    # The same height for all, with room for ascenders and descenders, so that rows of labels align.
    return np.column_stack([widths, np.full(len(labels), 1.2 * size)])

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
from edgewise.view.safe_names import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from edgewise.results.difference import EdgeDifferenceResult
# Okabe & Ito's blue and vermillion, which people with any common colour blindness can tell apart.
POSITIVE, NEGATIVE = "#0072B2", "#D55E00"
# Pairs that are not edges, and remarks.
QUIET, NOTE = "#9a9a9a", "#444444"

_LONGEST_NOTE = 150
_STEPS_TO_START = 50
_WORK, _SETTLED = 1e8, 1e-5  # most pairs of nodes to visit, smallest relative gain of a step
_NUDGE = 0.02  # of the typical distance; separates nodes that the data do not separate


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

    Every pair counts as an edge here, significant or not, with the length 1/(|ρ̂| + 0.01). The
    target distance d_ij of two nodes is the length of the shortest path, to the power ¾ so that
    tight pairs keep some room. The places minimise the stress Σ (‖x_i − x_j‖ − d_ij)²/d_ij²
    (Kamada & Kawai 1989) by majorisation (Gansner, Koren & North 2004), starting near the solution
    of classical scaling.

    Parameters
    ----------
    result : EdgeTestResult or other graph
        Only its partial correlations matter.

    Returns
    -------
    ndarray of shape (p, 2)
        Centred at 0, with the longer side along the first axis and the farthest node at distance 1.

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
    distance = _distances(result.partial_correlation)
    places = _least_stress(distance, _start(distance))
    places -= places.mean(axis=0)
    # Turned to lie along the page. The sign of each axis is free, so the first nodes decide it.
    _, _, axes = np.linalg.svd(places, full_matrices=False)
    places = places @ axes.T
    leading = places[np.argmax(np.abs(places) > 1e-6 * np.abs(places).max(), axis=0), [0, 1]]
    places *= np.where(leading > 0, -1.0, 1.0)
    return np.asarray(places / np.hypot(*places.T).max())


def _distances(partial_correlation: FloatArray) -> FloatArray:
    from scipy.sparse.csgraph import floyd_warshall

    # Two methods give the same estimate up to rounding, and should give the same picture.
    length = 1 / (np.abs(np.round(partial_correlation, 9)) + 0.01)
    np.fill_diagonal(length, 0.0)
    distance = floyd_warshall(length, directed=False) ** 0.75
    return np.asarray(distance / distance.max())


def _start(distance: FloatArray) -> FloatArray:
    """The two leading directions of classical scaling, approached from a circle.

    If the data prefer no direction (for example without any correlation), the circle stays. An
    eigenvector would then be decided by rounding alone.
    """
    p = len(distance)
    angle = 2 * np.pi * np.arange(p) / p
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    squares = distance**2
    mean = squares.mean(axis=0)
    inner = -0.5 * (squares - mean - mean[:, None] + mean.mean())
    places = circle
    for _ in range(_STEPS_TO_START):
        left, _, right = np.linalg.svd(inner @ places, full_matrices=False)
        places = left @ right
    typical = float(distance.mean())
    return np.asarray(places * typical * np.sqrt(p / 2) + _NUDGE * typical * circle)


def _least_stress(distance: FloatArray, places: FloatArray) -> FloatArray:
    p = len(distance)
    apart = distance > 0
    weight = np.divide(1.0, distance**2, out=np.zeros_like(distance), where=apart)
    pull = weight * distance
    # V⁺ of the majorisation X ← V⁺ B(X) X. V is singular along the constants; adding 1/p before
    # the inversion and subtracting it after gives the pseudo-inverse.
    inverse = np.linalg.inv(np.diag(weight.sum(axis=0)) - weight + 1 / p) - 1 / p
    before = np.inf
    for _ in range(int(np.clip(_WORK / p**2, 50, 300))):
        length = _lengths(places)
        stress = float(np.sum(weight * (length - distance) ** 2))
        if before - stress <= _SETTLED * stress:
            break
        before = stress
        steer = np.divide(-pull, length, out=np.zeros_like(pull), where=apart)
        np.fill_diagonal(steer, -steer.sum(axis=0))
        places = inverse @ (steer @ places)
    return places


def _lengths(places: FloatArray) -> FloatArray:
    squares = np.sum(places**2, axis=1)
    between = squares[:, None] + squares - 2 * places @ places.T
    # Never 0, so that two nodes in the same place can still move apart.
    return np.asarray(np.sqrt(np.maximum(between, 1e-12)))


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

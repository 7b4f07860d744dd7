"""Where things stand in a picture: the page, the nodes, the names.

The layout of the nodes depends on the partial correlations only, so that two pictures of the same
data can be compared, even with different levels or methods.
"""

from __future__ import annotations

import math
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from edgewise._linalg import AnyArray, BoolArray, FloatArray, pairs_of
from edgewise._optional import require
from edgewise.plots.safe_names import shortened
from edgewise.results.result import EdgeTestResult
from edgewise.results.summary import adjusted_for, imputed, transformed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from edgewise.results.difference import EdgeDifferenceResult

IntArray: TypeAlias = npt.NDArray[np.intp]

_LONGEST_NOTE = 150
_DECIMALS = 9  # what two methods agree on up to rounding must give the same picture
_MANY = 30  # with more variables only pairs that stand out pull their nodes together

# The first quartile of |x| for a standard normal x: where less than half of the pairs are edges,
# that of the partial correlations is made of noise.
_QUARTILE = 0.3186
_BEND = 0.9  # long paths a little shorter, so that the picture is compact
_CANDIDATES = 3000
_APART = 1.9  # steps between two groups
_WIDE = 1.1  # pages are wider than high
_GOLDEN = math.pi * (3 - math.sqrt(5))
_STEPS_TO_START = 50
_WORK, _SETTLED = 1e8, 1e-5  # most pairs of nodes to visit, smallest relative gain of a step
GAP = 2.0  # points, between a name and its node
_NUDGE = 0.02  # of the typical distance; separates nodes that the data do not separate


@dataclass(frozen=True, eq=False)
class Graph:
    """What is drawn: variables, the strength of their ties, which of them are edges, and a title."""

    feature_names: tuple[str, ...]
    partial_correlation: FloatArray
    reject: BoolArray
    title: str = ""
    signs: tuple[str, str] = ("positive,", "negative,")
    quantity: str = "|ρ̂|"

    @property
    def n_features(self) -> int:
        return len(self.feature_names)

    @property
    def n_edges(self) -> int:
        return int(np.count_nonzero(self.reject)) // 2

    @cached_property
    def strength(self) -> FloatArray:
        """|ρ̂| of the edges; 0 for pairs that are none."""
        return np.where(self.reject, np.abs(self.partial_correlation), 0.0)

    @cached_property
    def node_strength(self) -> FloatArray:
        """Their sum for each variable, without what two methods differ in by rounding."""
        return np.asarray(np.round(self.strength.sum(axis=0), _DECIMALS))

    @cached_property
    def communities(self) -> IntArray:
        """Louvain's community of each variable: 0 for the strongest, −1 without an edge."""
        nx = require("networkx", "plot", "Communities")
        weight = np.triu(np.round(self.strength, _DECIMALS))
        found = nx.Graph()
        for i, j in zip(*np.nonzero(weight), strict=True):
            found.add_edge(int(i), int(j), weight=float(weight[i, j]))
        members = [sorted(one) for one in nx.community.louvain_communities(found, seed=0)]
        members.sort(key=lambda nodes: (-float(self.node_strength[nodes].sum()), nodes[0]))
        communities = np.full(self.n_features, -1, dtype=np.intp)
        for number, nodes in enumerate(members):
            communities[nodes] = number
        return communities

    def community_names(self, names: Sequence[str]) -> list[str]:
        """What a legend calls each community: by its strongest variables."""
        found = []
        for number in range(int(self.communities.max(initial=-1)) + 1):
            members = np.flatnonzero(self.communities == number)
            members = members[np.argsort(-self.node_strength[members], kind="stable")]
            shown = members if len(members) <= 3 else members[:2]
            more = len(members) - len(shown)
            found.append(", ".join(names[int(i)] for i in shown) + f" + {more}" * bool(more))
        return found


def graph_of(result: EdgeTestResult) -> Graph:
    """The graph of the tested columns."""
    columns = result.tested_columns()
    at = np.ix_(columns, columns)
    names = tuple(result.feature_names[i] for i in columns)
    return Graph(names, result.partial_correlation[at], result.reject[at])


def node_positions(rho: FloatArray) -> FloatArray:
    """Places of the variables in the plane; strong partial correlations bring them close.

    Up to 30 variables every pair counts as an edge here, significant or not, with the length
    1/(|ρ̂| + 0.01). The target distance d_ij of two nodes is the length of the shortest path, to the
    power ¾ so that tight pairs keep some room. The places minimise the stress
    Σ (‖x_i − x_j‖ − d_ij)²/d_ij² (Kamada & Kawai 1989) by majorisation (Gansner, Koren & North
    2004), starting near the solution of classical scaling. Of more variables only those pairs count
    that stand out from the noise of all, and groups that are not connected lie side by side.
    """
    if len(rho) > _MANY:
        places = component_positions(rho)
        places -= (places.max(axis=0) + places.min(axis=0)) / 2
    else:
        distance = path_distances(rho)
        places = rotated_to_landscape(least_stress(distance, scaled_start(distance)))
    return np.asarray(places / np.hypot(*places.T).max())


def component_positions(partial_correlation: FloatArray) -> FloatArray:
    """Each connected group by its stress, the groups side by side, single nodes in rows below."""
    from scipy.sparse.csgraph import connected_components, shortest_path

    strength = np.abs(np.round(partial_correlation, 9))
    np.fill_diagonal(strength, 0.0)
    strength = np.where(_standing_out(strength), strength, 0.0)
    length = np.divide(1.0, strength, out=np.zeros_like(strength), where=strength > 0)
    _, component = connected_components(strength, directed=False)
    size = np.bincount(component)
    places = np.zeros((len(strength), 2))
    groups = [np.flatnonzero(component == k) for k in np.flatnonzero(size > 1)]
    nearest = [np.ones(1)]
    for nodes in groups:
        distance = shortest_path(length[np.ix_(nodes, nodes)], directed=False) ** _BEND
        found = rotated_to_landscape(least_stress(distance, scaled_start(distance)))
        places[nodes] = found - (found.max(axis=0) + found.min(axis=0)) / 2
        between = np.hypot(*(found[:, None] - found).T)
        np.fill_diagonal(between, np.inf)
        nearest.append(between.min(axis=0))
    # The typical distance of a node to the nearest one of its group.
    step = float(np.median(np.concatenate(nearest[1:] or nearest)))
    _pack(places, groups, step)
    lonely = np.flatnonzero(size[component] == 1)
    others = np.delete(places, lonely, axis=0) if groups else np.zeros((1, 2))
    width = float(np.ptp(others[:, 0])) if groups else step * math.sqrt(lonely.size)
    per_row = max(int(width / step) + 1, 2)
    row, column = np.divmod(np.arange(lonely.size), per_row)
    in_row = np.minimum(lonely.size - row * per_row, per_row)
    middle = (others[:, 0].min() + others[:, 0].max()) / 2
    places[lonely, 0] = middle + (column - (in_row - 1) / 2) * step
    places[lonely, 1] = others[:, 1].min() - (row + 1.5) * step
    return places


def _standing_out(strength: FloatArray) -> BoolArray:
    """Pairs stronger than the strongest of noise would be; of a node without any, its strongest."""
    p = len(strength)
    noise = float(np.quantile(pairs_of(strength), 0.25)) / _QUARTILE
    strong = strength > max(noise * math.sqrt(2 * math.log(p * (p - 1) / 2)), 1e-8)
    lonely = np.flatnonzero(~strong.any(axis=0))
    nearest = np.argmax(strength[lonely], axis=1)
    held = strength[lonely, nearest] > max(noise * math.sqrt(2 * math.log(p)), 1e-8)
    strong[lonely[held], nearest[held]] = strong[nearest[held], lonely[held]] = True
    return np.asarray(strong)


def _pack(places: FloatArray, groups: list[IntArray], step: float) -> None:
    """Move the groups side by side, the largest in the middle, each as near to it as it fits."""
    from scipy.spatial import cKDTree

    radii = [float(np.hypot(*places[nodes].T).max()) + step for nodes in groups]
    order = np.lexsort((np.arange(len(groups)), -np.round(radii, 6)))
    turn = np.arange(_CANDIDATES)
    reach = 2.5 * math.sqrt(sum(radius**2 for radius in radii))
    spiral = (np.sqrt(turn / _CANDIDATES) * reach)[:, None] * np.column_stack(
        [_WIDE * np.cos(_GOLDEN * turn), np.sin(_GOLDEN * turn) / _WIDE]
    )
    placed = np.zeros((0, 2))
    for k in order:
        moved = places[groups[k]]
        if len(placed):
            tree, apart = cKDTree(placed), _APART * step
            for block in np.array_split(spiral, _CANDIDATES // 50):
                near, _ = tree.query(block[:, None] + moved, distance_upper_bound=apart)
                clear = np.flatnonzero(np.all(near >= apart, axis=1))
                if clear.size:
                    moved = moved + block[clear[0]]
                    break
        places[groups[k]] = moved
        placed = np.vstack([placed, moved])


def path_distances(partial_correlation: FloatArray) -> FloatArray:
    from scipy.sparse.csgraph import floyd_warshall

    # Two methods give the same estimate up to rounding, and should give the same picture.
    length = 1 / (np.abs(np.round(partial_correlation, 9)) + 0.01)
    np.fill_diagonal(length, 0.0)
    distance = floyd_warshall(length, directed=False) ** 0.75
    return np.asarray(distance / distance.max())


def scaled_start(distance: FloatArray) -> FloatArray:
    """The two leading directions of classical scaling, approached from a circle, or the circle."""
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


def least_stress(distance: FloatArray, places: FloatArray) -> FloatArray:
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


def rotated_to_landscape(places: FloatArray) -> FloatArray:
    """The places, centred, longer side along the first axis; the first nodes decide the signs."""
    places = places - places.mean(axis=0)
    _, _, axes = np.linalg.svd(places, full_matrices=False)
    places = places @ axes.T
    leading = places[np.argmax(np.abs(places) > 1e-6 * np.abs(places).max(), axis=0), [0, 1]]
    return np.asarray(places * np.where(leading > 0, -1.0, 1.0))


def new_axes(
    width: float, height: float, *, box: tuple[float, float, float, float] | None = None
) -> Axes:
    """Axes in a new figure of that size in inches, in a fixed `box`, or with room for labels."""
    if box is not None:
        return new_figure(width, height).add_axes(box)
    return new_figure(width, height, layout="constrained").add_subplot()


def new_figure(width: float, height: float, **options: Any) -> Figure:
    """A figure of pyplot, so that a notebook shows it."""
    pyplot = require("matplotlib.pyplot", "plot", "A plot")
    figure: Figure = pyplot.figure(figsize=(width, height), **options)
    return figure


def page_size(ax: Axes) -> FloatArray:
    """The current width and height of the axes, in points."""
    box = ax.get_window_extent()
    return np.array([box.width, box.height]) * 72 / ax.figure.dpi


def adjusted(result: EdgeTestResult | EdgeDifferenceResult) -> list[str]:
    """Further lines of a title: what is not in the picture, of what scores, how often imputed."""
    notes = (
        adjusted_for(result),
        transformed(result.provenance.transform),
        imputed(result.provenance),
    )
    return [shortened(text, _LONGEST_NOTE) for text in notes if text]


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


def label_places(
    nodes: FloatArray,
    radii: FloatArray,
    sizes: FloatArray,
    page: FloatArray,
    order: AnyArray,
    paths: list[FloatArray],
    most: int,
) -> dict[int, FloatArray]:
    """The middles of up to `most` labels, the first ones of an `order`.

    Each stands beside its node, covers no node and no other label, and of the `paths` of edges as
    few as it can.
    """
    crossed, taken = _points_of_edges(paths), list[FloatArray]()
    found: dict[int, FloatArray] = {}
    for i in order.tolist():
        if len(found) == most:
            break
        best, fewest = None, math.inf
        for middle in _around(nodes[i], sizes[i], float(radii[i]) + GAP):
            box = np.array([middle - sizes[i] / 2, middle + sizes[i] / 2])
            covers_node = (np.hypot(*(nodes - np.clip(nodes, *box)).T) <= radii).any()
            if free_box(box, page, taken, gap=1) and not covers_node:
                covers = int(((crossed > box[0]) & (crossed < box[1])).all(axis=1).sum())
                if covers < fewest:
                    best, fewest = box, covers
        if best is not None:
            taken.append(best)
            found[i] = best.mean(axis=0)
    return found


def _points_of_edges(paths: list[FloatArray]) -> FloatArray:
    """Points along all edges, close enough to tell whether a name covers one."""
    each = 25 if len(paths) <= 500 else 9
    share = np.linspace(0, 1, each)
    points = [
        np.column_stack([np.interp(share, np.linspace(0, 1, len(path)), axis) for axis in path.T])
        for path in paths
    ]
    return np.concatenate(points) if points else np.zeros((0, 2))


def _around(place: FloatArray, size: FloatArray, reach: float) -> Iterator[FloatArray]:
    """Where a name may stand around its node: below, above, beside, and at the corners."""
    half = size / 2
    yield place - np.array([0.0, reach + half[1]])
    yield place + np.array([0.0, reach + half[1]])
    for side in (1.0, -1.0):
        yield place + np.array([side * (reach + half[0] + 1), 0.0])
        for up in (-1.0, 1.0):
            yield place + np.array([side, up]) * (0.7 * reach + half)
    # Half beside and half below, where two nodes are close.
    for up in (-1.0, 1.0):
        for side in (0.6, -0.6):
            yield place + np.array([side * half[0], up * (reach + half[1])])


def free_box(box: FloatArray, page: FloatArray, taken: list[FloatArray], gap: float) -> bool:
    """Whether a box lies on the page and not on another one."""
    low, high = box
    if (low < 0).any() or (high > page).any():
        return False
    return not any((low < b[1] + gap).all() and (high + gap > b[0]).all() for b in taken)

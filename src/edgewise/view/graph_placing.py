"""Where the nodes of a graph stand on a page, and where their names."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from edgewise._base.types import FloatArray
from edgewise.view import layout
from edgewise.view.communities import edge_strengths
from edgewise.view.edge_paths import edge_paths
from edgewise.view.short_names import short_names
from edgewise.view.style import SMALLEST_FONT

IntArray: TypeAlias = npt.NDArray[np.intp]

_ALL_NAMED = 60  # with more variables only some are named
_SOME_NAMED = 40
# Pairs of longest name and font size; the first pair that fits is used.
_LETTERING = ((16, 10.0), (16, 9.0), (16, SMALLEST_FONT), (12, SMALLEST_FONT), (8, SMALLEST_FONT))
_CROWDED = 0.2  # if names cover more of the page, the next lettering is tried
_LARGEST, _SMALLEST = 9.0, 3.2  # points, radius of a node
_MANY = 60  # with more variables the nodes are smaller
_STRONG = 2.5  # the total strength of the largest nodes
_PUSHES, _PUSH_WORK = 400, 5e7
_GAP = 2.0  # points, between a name and its node


@dataclass(frozen=True, eq=False, slots=True)
class LaidOut:
    """Where the nodes of a graph and their names stand on a page.

    `scale` multiplies the radii of nodes. `labels` and their middles are those of the nodes
    `named`, in font size `size`.
    """

    page: FloatArray
    places: FloatArray
    scale: float
    named: IntArray
    labels: list[str]
    middles: FloatArray
    size: float


def laid_out(graph: layout.Graph, page: FloatArray) -> LaidOut:
    """A layout for a page of that size, in which no names and no nodes cover each other.

    The places of the nodes depend on the partial correlations and the names alone. Where not all
    names fit, those of the strongest nodes stand there.
    """
    p = graph.n_features
    scale = min(1.0, math.sqrt(_MANY / p))
    start = _on_page(layout.node_positions(graph), page)
    node = np.full((p, 2), 2 * _LARGEST * scale)
    if p <= _ALL_NAMED:
        for longest, size in _LETTERING:
            labels = short_names(graph.feature_names, longest)
            written = layout.text_sizes(labels, size)
            boxes = np.maximum(node, written) + np.array([4.0, 0.0])
            boxes[:, 1] += written[:, 1] + _GAP
            if boxes.prod(axis=1).sum() > _CROWDED * page.prod() and size > SMALLEST_FONT:
                continue
            places, clear = _apart(start, boxes, page)
            if clear:
                # The node stands in the upper part of its box, the name below it.
                places = places + np.array([0.0, (written[0, 1] + _GAP) / 2])
                return _lettered(
                    graph,
                    LaidOut(page, places, scale, *_below(places, scale, labels, written), size),
                )
    places, _ = _apart(start, node + 2.0, page)
    labels = short_names(graph.feature_names, 12)
    nobody = LaidOut(page, places, scale, np.arange(p), labels, places, SMALLEST_FONT)
    return _with_names(graph, nobody, min(p, _SOME_NAMED) if p > _ALL_NAMED else p)


def _below(
    places: FloatArray, scale: float, labels: list[str], written: FloatArray
) -> tuple[IntArray, list[str], FloatArray]:
    middles = places - np.array([0.0, 1.0]) * (_LARGEST * scale + _GAP + written[:, 1:] / 2)
    return np.arange(len(places)), labels, middles


def _lettered(graph: layout.Graph, below: LaidOut) -> LaidOut:
    """Names beside their nodes, where they cover few edges, if all fit so; else below them."""
    beside = _with_names(graph, below, graph.n_features)
    return beside if len(beside.named) == graph.n_features else below


def node_radii(graph: layout.Graph, laid: LaidOut) -> FloatArray:
    """The radius of each node in points, by the total strength of its edges."""
    strength = edge_strengths(graph).sum(axis=0)
    grown = np.sqrt(np.minimum(strength / _STRONG, 1.0))
    return np.asarray(laid.scale * (_SMALLEST + (_LARGEST - _SMALLEST) * grown))


def _on_page(positions: FloatArray, page: FloatArray) -> FloatArray:
    """The layout in points, stretched to fill the page without distorting it much."""
    span = np.maximum(np.ptp(positions, axis=0), 1e-9)
    # Two or three nodes need not fill the page.
    scale = 0.9 * min(1.0, len(positions) / 5) * page / span
    scale = np.minimum(scale, 1.3 * scale.min())
    middle = (positions.max(axis=0) + positions.min(axis=0)) / 2
    return np.asarray(page / 2 + (positions - middle) * scale)


def _apart(places: FloatArray, boxes: FloatArray, page: FloatArray) -> tuple[FloatArray, bool]:
    """Push nodes away from each other until no boxes overlap; also say whether that worked."""
    p = len(places)
    at = np.arange(p)
    # Nodes exactly above or beside each other move apart in the order of the columns.
    side = np.where(at[:, None] < at, 1.0, -1.0)[..., None]
    gap = 0.15 * math.sqrt(page.prod() / p) if p <= _ALL_NAMED else 1.0
    room = (boxes[:, None] + boxes) / 2 + gap
    low, high = boxes / 2 + 1, page - boxes / 2 - 1
    places = np.clip(places, low, high)
    for _ in range(min(_PUSHES, int(_PUSH_WORK / p**2))):
        between = places - places[:, None]
        overlap = room - np.abs(between)
        touching = np.asarray((overlap > 0.01).all(axis=2))
        np.fill_diagonal(touching, False)
        if not touching.any():
            return places, True
        # In the direction with the shorter way out.
        shorter = overlap == overlap.min(axis=2, keepdims=True)
        away = np.where(between == 0, side, np.sign(between)) * overlap
        push = 0.5 * np.where(touching[..., None] & shorter, away, 0.0).sum(axis=0)
        places = np.clip(places + push, low, high)
    return places, False


def _with_names(graph: layout.Graph, laid: LaidOut, most: int) -> LaidOut:
    """The strongest nodes named, where a name covers no node, no other name, and few edges."""
    places, radii = laid.places, node_radii(graph, laid)
    strength = edge_strengths(graph).sum(axis=0)
    wanted = np.argsort(-np.round(strength, 9), kind="stable")
    if len(wanted) > _ALL_NAMED:
        wanted = wanted[strength[wanted] > 0]
    rows, columns = np.nonzero(np.triu(graph.reject, k=1))
    crossed = _points_of_edges(edge_paths(places, rows, columns, laid.scale * _LARGEST))
    sizes = layout.text_sizes(laid.labels, laid.size)
    taken: list[FloatArray] = []
    kept: dict[int, FloatArray] = {}
    for i in wanted:
        if len(kept) == most:
            break
        best, fewest = None, math.inf
        for middle in _around(places[i], sizes[i], float(radii[i]) + _GAP):
            box = np.array([middle - sizes[i] / 2, middle + sizes[i] / 2])
            if _is_free(box, laid.page, taken, places, radii):
                covers = int(((crossed > box[0]) & (crossed < box[1])).all(axis=1).sum())
                if covers < fewest:
                    best, fewest = box, covers
        if best is not None:
            taken.append(best)
            kept[int(i)] = best.mean(axis=0)
    named = np.array(sorted(kept), dtype=np.intp)
    middles = np.array([kept[i] for i in named]).reshape(-1, 2)
    labels = [laid.labels[i] for i in named]
    return LaidOut(laid.page, places, laid.scale, named, labels, middles, laid.size)


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


def _is_free(
    box: FloatArray,
    page: FloatArray,
    taken: list[FloatArray],
    places: FloatArray,
    radii: FloatArray,
) -> bool:
    low, high = box
    if (low < 0).any() or (high > page).any():
        return False
    if any((low < other[1] + 1).all() and (high + 1 > other[0]).all() for other in taken):
        return False
    nearest = np.clip(places, low, high)
    return bool((np.hypot(*(places - nearest).T) > radii).all())

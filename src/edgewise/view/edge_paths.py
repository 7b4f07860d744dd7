"""Edges as lines that pass through no node but their own: straight, or bent where need be."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from edgewise._base.types import FloatArray

IntArray: TypeAlias = npt.NDArray[np.intp]

#: How far the middle of a bent edge may lie to its side, as shares of its length.
_BENDS = (0.08, -0.08, 0.15, -0.15, 0.24, -0.24, 0.35, -0.35)
_POINTS = 17  # of a bent edge
_BLOCK = 2_000_000  # edges times nodes at a time


def edge_paths(
    places: FloatArray, rows: IntArray, columns: IntArray, room: float
) -> list[FloatArray]:
    """The points of each edge, in the order of the edges.

    An edge is straight if no other node is nearer to it than `room`. If one is, it is bent as
    little as helps; where nothing helps, it keeps the bend that leaves most room.

    Examples
    --------
    >>> import numpy as np
    >>> places = np.array([[0.0, 0.0], [10.0, 0.0], [20.0, 0.0]])
    >>> through, beside = edge_paths(places, np.array([0, 0]), np.array([2, 1]), room=1.0)
    >>> len(through) > 2, len(beside)
    (True, 2)
    """
    paths = [places[[i, j]] for i, j in zip(rows, columns, strict=True)]
    for k in _in_the_way(places, rows, columns, room):
        i, j = rows[k], columns[k]
        others = np.delete(places, [i, j], axis=0)
        best = -1.0
        for bend in _BENDS:
            path = _bent(places[i], places[j], bend)
            clear = float(np.sqrt(((path[:, None] - others) ** 2).sum(axis=2)).min())
            if clear > best:
                best, paths[k] = clear, path
            if clear >= room:
                break
    return paths


def _in_the_way(places: FloatArray, rows: IntArray, columns: IntArray, room: float) -> IntArray:
    """Edges whose straight line passes another node at less than `room`."""
    found = []
    step = max(_BLOCK // len(places), 1)
    for start in range(0, len(rows), step):
        i, j = rows[start : start + step], columns[start : start + step]
        near = distances_to_lines(places, places[i], places[j]) < room
        at = np.arange(len(i))
        near[at, i] = near[at, j] = False
        found.append(start + np.flatnonzero(near.any(axis=1)))
    return np.concatenate(found) if found else np.zeros(0, dtype=np.intp)


def distances_to_lines(points: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    """How far each point is from each line between a start and an end: lines × points."""
    along = end - start
    square = np.maximum(np.sum(along**2, axis=1), 1e-12)
    to = points[None] - start[:, None]
    share = np.clip(np.einsum("lpd,ld->lp", to, along) / square[:, None], 0, 1)
    return np.asarray(np.sqrt(np.sum((to - share[..., None] * along[:, None]) ** 2, axis=2)))


def _bent(start: FloatArray, end: FloatArray, bend: float) -> FloatArray:
    """A parabola whose middle lies beside that of the straight line."""
    along = end - start
    # The control point of a quadratic curve lies twice as far out as its middle.
    control = (start + end) / 2 + 2 * bend * np.array([-along[1], along[0]])
    t = np.linspace(0, 1, _POINTS)[:, None]
    return np.asarray((1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end)

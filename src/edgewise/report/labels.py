"""Where names stand in a drawing without a script: beside their nodes, never on each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from edgewise._base.types import FloatArray

#: The width of a letter and the height of a line, in sizes of the font: rather too wide.
_LETTER, _LINE = 0.68, 1.15
#: How far labels stay away from the border.
_EDGE = 4


@dataclass(frozen=True, slots=True)
class Place:
    """Where a text is anchored: at its start, middle or end."""

    x: float
    y: float
    anchor: str


def label_places(
    nodes: FloatArray,
    labels: Sequence[str],
    importance: FloatArray,
    lines: FloatArray,
    *,
    page: tuple[float, float],
    font: float,
    radius: float,
) -> list[Place | None]:
    """A place for each label, the most important first; None where every place is taken.

    Parameters
    ----------
    nodes : ndarray of shape (p, 2)
        The middles of the nodes, y downwards.
    labels : sequence of str
        What stands beside them.
    importance : ndarray of shape (p,)
        Who chooses first.
    lines : ndarray of shape (k, 2)
        Points of lines, which a label avoids if it can.
    page : tuple of float
        Width and height that labels must not leave.
    font, radius : float
        The size of the letters, and of the nodes.

    Examples
    --------
    >>> nodes = np.array([[50.0, 50.0], [50.0, 62.0]])
    >>> room = {"page": (100, 100), "font": 10, "radius": 4}
    >>> places = label_places(nodes, ["a", "b"], np.array([1, 0]), np.empty((0, 2)), **room)
    >>> [place.y for place in places]  # one above its node, the other below
    [43.5, 75.25]
    """
    discs = np.column_stack([nodes - radius, nodes + radius])
    taken: list[FloatArray] = []
    places: list[Place | None] = [None] * len(labels)
    for k in np.argsort(-importance, kind="stable").tolist():
        others = np.vstack([np.delete(discs, k, axis=0), *taken])
        wide = _LETTER * font * len(labels[k])
        fewest = len(lines) + 1
        for place, left in _candidates(nodes[k], wide, font, radius):
            top = place.y - 0.8 * _LINE * font
            box = np.array([left, top, left + wide, top + _LINE * font])
            inside = box[:2].min() >= _EDGE and bool(np.all(box[2:] <= np.subtract(page, _EDGE)))
            covered = int(np.count_nonzero(np.all((lines > box[:2]) & (lines < box[2:]), axis=1)))
            if inside and covered < fewest and not _overlaps(box, others):
                fewest, places[k], own = covered, place, box
        if places[k] is not None:
            taken.append(own)
    return places


def _candidates(
    node: FloatArray, wide: float, font: float, radius: float
) -> list[tuple[Place, float]]:
    """Above, below, right, left: the anchor, and where the text begins."""
    (x, y), gap = node.tolist(), radius + 2.5
    return [
        (Place(x, y - gap, "middle"), x - wide / 2),
        (Place(x, y + gap + 0.675 * font, "middle"), x - wide / 2),
        (Place(x + gap, y + 0.35 * font, "start"), x + gap),
        (Place(x - gap, y + 0.35 * font, "end"), x - gap - wide),
    ]


def _overlaps(box: FloatArray, others: FloatArray) -> bool:
    apart = (others[:, :2] >= box[2:]) | (others[:, 2:] <= box[:2])
    return not bool(apart.any(axis=1).all())

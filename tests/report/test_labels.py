"""Labels of a drawing without a script."""

from __future__ import annotations

import numpy as np

from edgewise.report.labels import label_places

ROOM = {"page": (420, 340), "font": 12.0, "radius": 5.5}


def boxes(places, labels):
    """Left, right, top and bottom of each label, with letters of the usual width."""
    starts = {"start": 0.0, "middle": 0.5, "end": 1.0}
    for place, label in zip(places, labels, strict=True):
        if place is not None:
            wide = 6.6 * len(label)
            left = place.x - starts[place.anchor] * wide
            yield left, left + wide, place.y - 9, place.y + 2


def test_labels_never_overlap_and_stay_on_the_page():
    random = np.random.default_rng(0)
    nodes = random.uniform((34, 34), (386, 306), (80, 2))
    labels = [f"variable {k}" for k in range(80)]
    importance = random.random(80)
    places = label_places(nodes, labels, importance, np.empty((0, 2)), **ROOM)
    drawn = list(boxes(places, labels))
    assert 20 < len(drawn) < 80
    assert places[int(np.argmax(importance))] is not None
    for k, (left, right, top, bottom) in enumerate(drawn):
        assert min(left, top) >= 0
        assert right <= 420
        assert bottom <= 340
        for other in drawn[:k]:
            apart = left >= other[1] or right <= other[0] or top >= other[3] or bottom <= other[2]
            assert apart


def test_a_label_avoids_lines():
    node = np.array([[200.0, 200.0]])
    above = np.column_stack([np.full(20, 200.0), np.linspace(100, 200, 20)])
    (place,) = label_places(node, ["name"], np.ones(1), above, **ROOM)
    assert place.y > 200

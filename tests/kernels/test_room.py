"""Memory that a thread uses again and again."""

from __future__ import annotations

import threading

import numpy as np

from edgewise.kernels.exact_score import Room


def test_the_same_memory_for_the_same_name():
    room = Room()
    first = room.array("a", (3, 4))
    assert first.shape == (3, 4)
    assert np.shares_memory(first, room.array("a", (2, 5)))
    assert not np.shares_memory(first, room.array("b", (3, 4)))
    assert room.array("a", (0, 7)).shape == (0, 7)
    assert room.array("a", (5, 5)).shape == (5, 5)  # larger than before


def test_every_thread_has_its_own():
    room, found = Room(), []
    thread = threading.Thread(target=lambda: found.append(room.array("a", (4,))))
    thread.start()
    thread.join()
    assert not np.shares_memory(found[0], room.array("a", (4,)))

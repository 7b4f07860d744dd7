"""Memory that a thread uses again and again."""

from __future__ import annotations

import math
import threading

import numpy as np

from edgewise._base.types import FloatArray


class Room(threading.local):
    """Arrays by name, as large as the largest that was asked for; each thread has its own.

    To allocate a megabyte costs more than to fill it: the system hands out zeroed pages, and takes
    them back at once.

    Examples
    --------
    >>> room = Room()
    >>> room.array("sums", (2, 3)).shape, room.array("sums", (1, 4)).shape
    ((2, 3), (1, 4))
    """

    def __init__(self) -> None:
        self._held: dict[str, FloatArray] = {}

    def array(self, name: str, shape: tuple[int, ...]) -> FloatArray:
        """An array of that shape; what was in one of the same name is gone."""
        size = math.prod(shape)
        held = self._held.get(name)
        if held is None or held.size < size:
            held = self._held[name] = np.empty(size)
        return held[:size].reshape(shape)

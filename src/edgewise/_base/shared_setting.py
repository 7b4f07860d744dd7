"""Settings of the whole process that several threads want at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable


class SharedSetting:
    """A setting that the first thread to enter makes, and the last one to leave takes back.

    If each thread made and restored it alone, one could restore it while another still needs it, or
    restore what another had set.

    Parameters
    ----------
    change : callable
        Makes the setting, and returns the function that takes it back.

    Examples
    --------
    >>> lamp = []
    >>> def switch_on():
    ...     lamp.append("on")
    ...     return lamp.clear
    >>> light = SharedSetting(switch_on)
    >>> with light, light:
    ...     lamp
    ['on']
    >>> lamp
    []
    """

    def __init__(self, change: Callable[[], Callable[[], None]]) -> None:
        self._change = change
        self._restore: Callable[[], None] | None = None
        self._inside = 0
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._restore = self._change()
            self._inside += 1

    def __exit__(self, *failure: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside and self._restore is not None:
                self._restore()

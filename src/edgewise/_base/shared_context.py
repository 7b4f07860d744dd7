"""Settings of the whole process that several threads need at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any


class SharedContext:
    """A context of the process: the first thread enters it, and the last thread exits it.

    With a context per thread, one would undo too early what another still needs, or never undo it.
    """

    def __init__(self, make: Callable[[], AbstractContextManager[Any, bool | None]]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._inside = 0
        self._held: AbstractContextManager[Any, bool | None] | None = None

    def __enter__(self) -> None:
        with self._lock:
            if self._held is None:
                held = self._make()
                held.__enter__()
                self._held = held
            self._inside += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside and self._held is not None:
                # An error of the last thread does not belong to the shared context.
                self._held.__exit__(None, None, None)
                self._held = None

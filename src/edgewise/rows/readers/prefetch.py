"""Reading ahead: the next batch is read while the current one is processed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from queue import Full, Queue
from typing import TypeVar

from edgewise._base.blas import one_blas_thread

_Item = TypeVar("_Item")
_AHEAD = 2  # items waiting; each is a batch of some megabytes


class _Failure:
    """An exception from the reading thread, to be raised in the reader."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


_END = object()


def prefetched(
    make: Callable[[], Iterator[_Item]], *, few_columns: bool = False
) -> Iterator[_Item]:
    """The items of `make()` in the same order, produced by a separate thread.

    Decoding files and BLAS both release the interpreter's lock, so on two cores they overlap. The
    thread ends when the items do, when making one fails, or when the reader stops reading. While it
    reads, the BLAS has one thread if there are `few_columns`: more would only take the cores from
    those that decode.
    """
    queue: Queue[object] = Queue(maxsize=_AHEAD)
    stopped = threading.Event()

    def put(item: object) -> bool:
        while not stopped.is_set():
            try:
                queue.put(item, timeout=0.1)
            except Full:
                continue
            return True
        return False

    def read() -> None:
        try:
            for item in make():
                if not put(item):
                    return
            put(_END)
        except BaseException as error:
            put(_Failure(error))

    thread = threading.Thread(target=read, name="edgewise-reader", daemon=True)
    thread.start()
    try:
        with one_blas_thread() if few_columns else nullcontext():
            while (item := queue.get()) is not _END:
                if isinstance(item, _Failure):
                    raise item.error
                yield item  # type: ignore[misc]
    finally:
        stopped.set()
        # A thread that waits for a pipe cannot be woken; it is a daemon, so it may keep waiting.
        thread.join(timeout=1)

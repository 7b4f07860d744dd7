"""Work on as many cores as the BLAS may use, each with one BLAS thread.

A BLAS with several threads divides each product among them, and everything between two products is
done by one. Its threads wait for each other, so one other busy process slows all of them.
"""

from __future__ import annotations

import contextvars
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from edgewise._base.blas import blas_threads, one_blas_thread

A = TypeVar("A")
T = TypeVar("T")


def on_each(work: Callable[[A], T], items: Iterable[A]) -> Iterator[T]:
    """The results of some work on each item, in order; a few items at the same time."""
    threads = blas_threads()
    if threads == 1:
        yield from map(work, items)
        return
    pool = ThreadPoolExecutor(threads, "edgewise")
    waiting: deque[Future[T]] = deque()
    try:
        with one_blas_thread():
            for item in items:
                # What the user told NumPy about warnings holds in these threads too.
                waiting.append(pool.submit(contextvars.copy_context().run, work, item))
                if len(waiting) > threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)

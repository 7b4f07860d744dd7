"""Work on all cores: threads of the BLAS, threads of ours, and bars that show progress."""

from __future__ import annotations

import contextvars
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias, TypeVar

from edgewise._optional import require

A = TypeVar("A")
T = TypeVar("T")

# The limit belongs to the whole process: the first thread sets it, and the last one removes it.
_lock = threading.Lock()
_inside = 0
_limits: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """One BLAS thread inside: other threads or processes use the other cores."""
    global _inside, _limits
    import threadpoolctl

    with _lock:
        if not _inside:
            _any_thread_may_limit(threadpoolctl)
            _limits = threadpoolctl.threadpool_limits(limits=1)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                _any_thread_may_limit(threadpoolctl)
                _limits.restore_original_limits()
                _any_thread_may_limit(threadpoolctl)


def _any_thread_may_limit(threadpoolctl: Any) -> None:
    """Newer releases of threadpoolctl obey only the first thread that sets a limit."""
    controller = getattr(threadpoolctl, "OpenBLASController", None)
    clear = getattr(controller, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)


def blas_threads() -> int:
    """How many threads the BLAS may use now: the user's limit, or the cores there are."""
    import threadpoolctl

    found = threadpoolctl.threadpool_info()
    return max((pool["num_threads"] for pool in found if pool["user_api"] == "blas"), default=1)


def n_cores() -> int:
    """The cores there are for us, also in a container or under LOKY_MAX_CPU_COUNT."""
    return int(require("joblib", "sklearn", "Work on all cores").cpu_count())


def on_each(work: Callable[[A], T], items: Iterable[A], threads: int | None = None) -> Iterator[T]:
    """The results of some work on each item, in order; by default on as many threads as the BLAS.

    Each has one BLAS thread. A BLAS with several divides each product among them, everything
    between two products is done by one, and one other busy process slows all of them.
    """
    threads = blas_threads() if threads is None else threads
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


#: Makes a bar of a total, what is done, and its unit; the bar is called with what was just done.
Bar: TypeAlias = Callable[[float | None, str, str], AbstractContextManager[Callable[[float], None]]]

_bar: ContextVar[Bar | None] = ContextVar("bar", default=None)
_name: ContextVar[Callable[[str], None] | None] = ContextVar("name", default=None)


@contextmanager
def watched_by(bar: Bar, name: Callable[[str], None]) -> Iterator[None]:
    """Show the steps of all work inside this context in bars of this kind, and `name` what runs."""
    tokens = _bar.set(bar), _name.set(name)
    try:
        yield
    finally:
        _bar.reset(tokens[0])
        _name.reset(tokens[1])


def runs_now(what: str) -> None:
    """Name what runs from now on, where somebody watches."""
    name = _name.get()
    if name is not None:
        name(what)


@contextmanager
def steps(total: float | None, what: str, unit: str) -> Iterator[Callable[[float], None]]:
    """Yield a function, to be called with how much was just done."""
    bar = _bar.get()
    if bar is None:
        yield lambda done: None
        return
    with bar(total, what, unit) as advance:
        yield advance

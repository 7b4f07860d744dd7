"""Work on all cores: threads of the BLAS, threads of ours, and bars that show progress."""

from __future__ import annotations

import contextvars
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Any, TypeAlias, TypeVar

from edgewise._optional import require


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


@contextmanager
def _limited() -> Iterator[None]:
    import threadpoolctl

    _any_thread_may_limit()
    limits = threadpoolctl.threadpool_limits(limits=1)
    try:
        yield
    finally:
        _any_thread_may_limit()
        limits.restore_original_limits()
        _any_thread_may_limit()


# The limit holds for the whole process, and several threads may work at once.
_LIMIT = SharedContext(_limited)


def one_blas_thread() -> SharedContext:
    """One BLAS thread inside: other threads or processes use the other cores."""
    return _LIMIT


def blas_threads() -> int:
    """How many threads the BLAS may use now: the user's limit, or the cores there are."""
    import threadpoolctl

    found = threadpoolctl.threadpool_info()
    return max((pool["num_threads"] for pool in found if pool["user_api"] == "blas"), default=1)


def _any_thread_may_limit() -> None:
    """Newer releases of threadpoolctl obey only the first thread that sets a limit."""
    import threadpoolctl

    controller = getattr(threadpoolctl, "OpenBLASController", None)
    clear = getattr(controller, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)


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


#: Called with how much there is to do, what it is, and its unit: a bar, told what was just done.
Bar: TypeAlias = Callable[[float, str, str], AbstractContextManager[Callable[[float], None]]]

_bar: ContextVar[Bar | None] = ContextVar("bar", default=None)
_In = TypeVar("_In")
_Out = TypeVar("_Out")


@contextmanager
def watched_by(bar: Bar) -> Iterator[None]:
    """Show the steps of all work inside this context in bars of this kind."""
    token = _bar.set(bar)
    try:
        yield
    finally:
        _bar.reset(token)


@contextmanager
def steps(total: float, what: str, unit: str) -> Iterator[Callable[[float], None]]:
    """Yield a function, to be called with how much was just done."""
    bar = _bar.get()
    if bar is None:
        yield lambda done: None
        return
    with bar(total, what, unit) as tell:
        yield tell


def in_parallel(function: Callable[[_In], _Out], things: Iterable[_In]) -> Iterator[_Out]:
    """The function of each thing, in order, on all cores.

    It runs on threads: NumPy lets others work while it computes, and nothing is copied. joblib
    knows how many cores there are for us, also in a container or under LOKY_MAX_CPU_COUNT.
    """
    cores: int = require("joblib", "sklearn", "Work on all cores").cpu_count()
    if cores == 1:
        yield from map(function, things)
        return
    with ThreadPoolExecutor(cores) as threads:
        yield from threads.map(function, things)

"""Long work in many steps: on all cores, and shown where somebody watches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TypeAlias, TypeVar

from edgewise._base.parts import part

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
    cores: int = part("joblib", "sklearn", "Work on all cores").cpu_count()
    if cores == 1:
        yield from map(function, things)
        return
    with ThreadPoolExecutor(cores) as threads:
        yield from threads.map(function, things)

"""How many threads the BLAS uses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from edgewise._base.parts import part
from edgewise._base.shared_context import SharedContext


@contextmanager
def _limited() -> Iterator[None]:
    threadpoolctl = part("threadpoolctl", "sklearn", "Work on all cores")
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


def _any_thread_may_limit() -> None:
    """Newer releases of threadpoolctl obey only the first thread that sets a limit."""
    import threadpoolctl

    controller = getattr(threadpoolctl, "OpenBLASController", None)
    clear = getattr(controller, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)

"""How many threads the BLAS uses, and may use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from edgewise._base.shared_context import SharedContext


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

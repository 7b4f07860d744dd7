"""A lock on an open file, which the system frees when its process ends in whatever way."""

from __future__ import annotations


def try_lock(handle: int) -> bool:
    """Lock an open file; False if another process has the lock."""
    try:
        import fcntl
    except ImportError:
        return _try_lock_on_windows(handle)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # this file system has no locks; the work goes on without one
    return True


def _try_lock_on_windows(handle: int) -> bool:
    import msvcrt

    try:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    except OSError:
        return False
    return True

"""One writer at a time: a lock on a file, for work that reads it and then replaces it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from edgewise._base.atomic import target_of, unwritable
from edgewise._base.file_locks import try_lock
from edgewise.errors import DataError

_PAUSE = 0.05  # seconds between two attempts


@contextmanager
def locked(path: str | os.PathLike[str], *, wait: float = 0.0) -> Iterator[None]:
    """Keep other processes of edgewise from the file at `path` until the end of the block.

    The lock is held on a hidden file beside it, which goes away at the end. The system frees the
    lock of a process that ends in whatever way, so one that was killed blocks nobody.

    Parameters
    ----------
    path : str or path
        The file; it need not exist.
    wait : float
        Seconds to wait for another process before an error says that there is one.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with locked(Path(folder, "x.state")):
    ...         pass
    """
    target = target_of(path)
    if target.exists() and not target.is_file():
        yield  # a device or a pipe has no content to lose
        return
    place = target.with_name(f".{target.name}.lock")
    handle = _acquired(target, place, time.monotonic() + wait)
    try:
        yield
    finally:
        # While the lock is held, so that nobody's lock is on a file that is gone. Windows removes
        # no open file, so there it is done after.
        with suppress(OSError):
            place.unlink()
        os.close(handle)
        if os.name == "nt":
            with suppress(OSError):
                place.unlink()


def _acquired(target: Path, place: Path, deadline: float) -> int:
    """An open handle of the lock file, with the lock on it."""
    while True:
        try:
            handle = os.open(place, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        except PermissionError as error:
            if os.name != "nt":
                raise unwritable(target, error) from error
            handle = None  # Windows is about to remove the file
        except OSError as error:
            raise unwritable(target, error) from error
        if handle is not None:
            free = try_lock(handle)
            if free and _is_at(place, handle):
                return handle
            os.close(handle)
            if free:
                continue  # its last holder has just removed it
        if time.monotonic() > deadline:
            raise DataError(
                f"output: another edgewise is writing '{target}'; try again when it has finished, "
                "or choose another name."
            )
        time.sleep(_PAUSE)


def _is_at(place: Path, handle: int) -> bool:
    """Whether the locked file is still the one that others find; its last holder removes it."""
    try:
        return os.path.samestat(os.stat(place), os.fstat(handle))
    except OSError:
        return False

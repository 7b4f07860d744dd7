"""Writing files so that a reader sees the old content or the new, never half of either."""

from __future__ import annotations

import errno
import glob
import os
import secrets
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from edgewise.errors import DataError

try:
    import fcntl
except ImportError:  # Windows, where files are not locked
    fcntl = None  # type: ignore[assignment]

_PAUSE = 0.05  # seconds between two attempts


def _lock(handle: int) -> bool | None:
    """Lock an open file; False if another process has it, None if the file system has no locks."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _open_locked(place: Path, mode: int = 0o666) -> int | None:
    """Make a file, or open it, and lock it; None if another process has the lock."""
    while True:
        try:
            handle = os.open(place, os.O_RDWR | os.O_CREAT, mode)
        except PermissionError:
            if not place.exists():
                raise
            # It belongs to another user, and reading is enough for a lock.
            handle = os.open(place, os.O_RDONLY)
        if _lock(handle) is False:
            os.close(handle)
            return None
        with suppress(OSError):
            if os.path.samestat(os.stat(place), os.fstat(handle)):
                return handle
        os.close(handle)  # the process that had the lock before has just removed the file


@contextmanager
def locked(path: str | os.PathLike[str], *, wait: float = 0.0) -> Iterator[None]:
    """Keep other processes of edgewise from the file at `path` until the end of the block.

    The lock is held on a hidden file beside it, which goes away at the end. The system frees the
    lock of a process that ends in whatever way, so one that was killed blocks nobody.
    """
    target = target_of(path)
    if target.exists() and not target.is_file():
        yield  # a device or a pipe has no content to lose
        return
    place = target.with_name(f".{target.name}.lock")
    deadline = time.monotonic() + wait
    try:
        while (handle := _open_locked(place)) is None:
            if time.monotonic() > deadline:
                raise DataError(
                    f"output: another edgewise is writing '{target}'; try again when it has "
                    "finished, or choose another name."
                )
            time.sleep(_PAUSE)
    except OSError as error:
        if isinstance(error, PermissionError) and place.exists():
            raise DataError(
                f"output: cannot write '{target}': '{place}' belongs to another user's run; "
                "delete it if that run has ended, or choose another name."
            ) from error
        raise unwritable(target, error) from error
    try:
        yield
    finally:
        # While the lock is held, so that nobody's lock is on a file that is gone.
        with suppress(OSError):
            place.unlink()
        os.close(handle)


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary file beside `path` to write to; it is renamed to `path` at the end."""
    target = target_of(path)
    # A pipe in /dev/fd has a name that leads nowhere.
    special = os.path.exists(path) and not os.path.isfile(path)
    if special:
        target = Path(path)
    folder = Path(tempfile.gettempdir()) if special else target.parent
    temporary = folder / f".{target.stem}-{secrets.token_hex(4)}{target.suffix}"
    handle = None
    try:
        # What replaces a file is nobody else's to read before it has the permissions of that file.
        mode = 0o600 if special or target.exists() else 0o666
        remove_abandoned(folder / target.name)
        # The lock says that the file is not abandoned.
        while (handle := _open_locked(temporary, mode)) is None:
            time.sleep(_PAUSE)
        if fcntl is None:
            os.close(handle)  # Windows renames no open file
            handle = None
        yield temporary
        with temporary.open("rb+") as written:
            os.fsync(written.fileno())
        if special:
            # A pipe or a device has no old content to protect, and must not be replaced.
            target.write_bytes(temporary.read_bytes())
        else:
            if target.exists():
                temporary.chmod(target.stat().st_mode)
            temporary.replace(target)
            with suppress(OSError):  # keeps the new name if the power fails; not everywhere
                directory = os.open(folder, os.O_RDONLY)
                try:
                    os.fsync(directory)
                finally:
                    os.close(directory)
    except OSError as error:
        raise unwritable(target, error) from error
    finally:
        with suppress(OSError):
            temporary.unlink()
        if handle is not None:
            os.close(handle)


def remove_abandoned(path: str | os.PathLike[str]) -> None:
    """Remove temporary files of `path` whose process was killed: nobody has a lock on them."""
    target = target_of(path)
    for left in target.parent.glob(f".{glob.escape(target.stem)}-????????{target.suffix}"):
        with suppress(OSError):
            handle = os.open(left, os.O_RDONLY)
            try:
                if _lock(handle):
                    left.unlink()
            finally:
                os.close(handle)


def check_writable(
    path: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]] = ()
) -> None:
    """Fail before the work if `path` clearly cannot or should not be written."""
    target = target_of(path)
    if any(target == Path(os.path.realpath(source)) for source in inputs):
        raise DataError(f"output: '{path}' is one of the inputs; choose another name.")
    try:
        is_folder, has_folder = target.is_dir(), target.parent.is_dir()
        there = target.exists()  # a name that is too long is refused here
    except OSError as error:
        raise unwritable(target, error) from error
    if not os.fspath(path) or is_folder:
        raise DataError(f"output: expected the name of a file, got '{path}'.")
    if not has_folder:
        raise DataError(
            f"output: cannot write '{path}': there is no folder '{target.parent}'; make it first."
        )
    # What is there is replaced; a file that its owner protected stays all the same.
    if there and not os.access(target, os.W_OK):
        raise unwritable(target, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))
    if target.is_file() or not there:
        # Permissions do not tell of owners on a network, of quotas, and of full file systems.
        try:
            with tempfile.TemporaryFile(dir=target.parent):
                pass
        except OSError as error:
            raise unwritable(target, error) from error


def target_of(path: str | os.PathLike[str]) -> Path:
    """The file that is written: the target of a link, as open() would write it."""
    try:
        return Path(os.path.realpath(path))
    except ValueError as error:
        raise DataError(f"output: expected the name of a file, got {path!r}: {error}.") from error


def unwritable(target: Path, error: OSError) -> DataError:
    """The error for a file that the system does not let us write."""
    reason = error.strerror or str(error)
    return DataError(f"output: cannot write '{target}': {reason}; choose another place.")

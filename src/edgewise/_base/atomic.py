"""Writing files so that a reader sees the old content or the new, never half of either."""

from __future__ import annotations

import errno
import glob
import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from edgewise.errors import DataError


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


_PAUSE = 0.05  # seconds between two attempts


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


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary file beside `path` to write to; it is renamed to `path` at the end."""
    target = target_of(path)
    try:
        # A pipe in /dev/fd has a name that leads nowhere.
        special = os.path.exists(path) and not os.path.isfile(path)
        target = Path(path) if special else target
        handle, name = tempfile.mkstemp(
            dir=None if special else target.parent, prefix=f".{target.stem}-", suffix=target.suffix
        )
    except OSError as error:
        raise unwritable(target, error) from error
    temporary = Path(name)
    if os.name == "nt":
        os.close(handle)  # Windows renames and removes no open file
    else:
        try_lock(handle)  # until the end, so that nobody takes it for one that was left behind
    try:
        yield temporary
        with temporary.open("rb+") as written:
            os.fsync(written.fileno())
        if special:
            # A pipe or a device has no old content to protect, and must not be replaced.
            target.write_bytes(temporary.read_bytes())
        else:
            temporary.chmod(target.stat().st_mode if target.exists() else _default_mode())
            temporary.replace(target)
            _sync_folder(target.parent)
    except OSError as error:
        raise unwritable(target, error) from error
    finally:
        with suppress(OSError):
            temporary.unlink()
        if os.name != "nt":
            os.close(handle)


def _sync_folder(folder: Path) -> None:
    """Keep the new name also if the power fails; Windows and some file systems cannot."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def sweep(path: str | os.PathLike[str]) -> None:
    """Remove temporary files that an interrupted write of `path` left behind.

    Those that another process is writing stay.
    """
    target = Path(os.path.realpath(path))
    for left in target.parent.glob(f".{glob.escape(target.stem)}-????????{target.suffix}"):
        with suppress(OSError):
            if os.name == "nt" or _is_left_behind(left):
                left.unlink()


def _is_left_behind(temporary: Path) -> bool:
    handle = os.open(temporary, os.O_RDWR)
    try:
        return try_lock(handle)
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
    # What is there is replaced, for which the folder is changed; a file that its owner protected
    # stays all the same.
    for place in (target, target.parent) if target.is_file() or not there else (target,):
        if os.path.exists(place) and not os.access(place, os.W_OK):
            raise unwritable(target, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))
    if target.is_file() or not there:
        check_folder(target.parent, target)


def check_folder(folder: Path, target: Path) -> None:
    """Fail if no file can be made in a folder, for `target`; whatever its permissions say.

    Permissions do not tell of other owners on a network, of quotas and of file systems without
    room for files.
    """
    try:
        with tempfile.TemporaryFile(dir=folder):
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


def _default_mode() -> int:
    """The permissions of an ordinary new file; temporary files are private by default."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask

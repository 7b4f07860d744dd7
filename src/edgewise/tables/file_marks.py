"""Marks of files: what tells that a file is not the one that was opened.

A method that reads the rows twice takes both passes as passes over the same rows. A file that was
replaced or added to in between, or during a pass, would give numbers of neither version.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from edgewise.errors import DataError

# The last bytes of a file are looked at, too: the time of two writes is the same where a file
# system counts it in seconds, or where somebody sets it.
_END = 4096
_PARQUET = b"PAR1"


class FileMark(NamedTuple):
    """The size of a file, the time of its last write, and a checksum of its end.

    The end of a Parquet file is its whole footer: the places and the extremes of all columns. The
    number of the file on its disk is no part of it, since some network file systems change that.
    """

    size: int
    modified: int
    end: int


def mark_of(path: str | os.PathLike[str]) -> FileMark:
    """The mark of a file as it is now."""
    with open(path, "rb", buffering=0) as file:
        known = os.fstat(file.fileno())
        size = known.st_size
        end = _last(file.fileno(), size, _END)
        if end.endswith(_PARQUET):
            footer = int.from_bytes(end[-8:-4], "little") + 8
            if _END < footer < size:
                end = _last(file.fileno(), size, footer)
    return FileMark(size, known.st_mtime_ns, zlib.crc32(end))


def _last(number: int, size: int, wanted: int) -> bytes:
    start = max(size - wanted, 0)
    os.lseek(number, start, os.SEEK_SET)
    parts = []
    while start < size and (some := os.read(number, size - start)):
        parts.append(some)
        start += len(some)
    return b"".join(parts)


def check_unchanged(path: str, then: FileMark, *, may_grow: bool = False) -> None:
    """Refuse a file that is not the one of a mark; `may_grow` allows for rows that were added."""
    try:
        now = mark_of(path)
    except FileNotFoundError as error:
        raise changed(path, "there is no file of that name any more") from error
    except OSError as error:
        raise changed(path, f"it cannot be read any more ({error.strerror})") from error
    if now == then or (may_grow and now.size > then.size):
        return
    if now.size != then.size:
        raise changed(path, f"it had {then.size:,} bytes, now {now.size:,}")
    raise changed(path, f"it was written anew, with the same {now.size:,} bytes")


def changed(path: str, how: str) -> DataError:
    """The error for a file that is not the one that was opened."""
    return DataError(
        f"data: file '{path}' changed while it was in use: {how}. Its rows are read more than "
        "once, or in several steps, and must stay the same: start again, and keep the file as it "
        "is until the end, or pass a copy."
    )


@contextmanager
def unchanged(path: str, mark: FileMark | None, *, may_grow: bool = False) -> Iterator[None]:
    """Refuse a file that changed before or during this block; nothing is checked without a mark."""
    if mark is None:
        yield
        return
    check_unchanged(path, mark, may_grow=may_grow)
    try:
        yield
    except Exception as error:
        try:
            check_unchanged(path, mark, may_grow=may_grow)
        except DataError as other:
            raise other from error
        raise
    check_unchanged(path, mark, may_grow=may_grow)


@contextmanager
def all_unchanged(paths: Iterable[str]) -> Iterator[None]:
    """The same for files that are opened several times in this block."""
    with ExitStack() as checks:
        for path in paths:
            if os.path.isfile(path):  # a pipe has no past
                checks.enter_context(unchanged(path, mark_of(path)))
        yield

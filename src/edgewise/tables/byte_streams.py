"""The bytes of a file or of a pipe, decompressed if they are compressed, whatever the name says."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import re
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

from edgewise._base.parts import part
from edgewise.errors import DataError

# Arrow decompresses these itself, and faster.
_ARROW_CODECS = (
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bz2"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x04\x22\x4d\x18", "lz4"),
)
_XZ, _ZIP = b"\xfd7zXZ\x00", b"PK\x03\x04"
_LONGEST_MARK = 6
_BLANKS = re.compile(rb"[ \t]+")
_AROUND = re.compile(rb" *([\r\n]) *")


def _gzip(file: Any) -> Any:
    return gzip.GzipFile(file) if isinstance(file, Path) else gzip.GzipFile(fileobj=file)


_PYTHON_CODECS: tuple[tuple[bytes, Callable[[Any], Any]], ...] = (
    (b"\x1f\x8b", _gzip),
    (b"BZh", bz2.BZ2File),
    (_XZ, lzma.LZMAFile),
)


def _mark(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_LONGEST_MARK)


def is_compressed(path: Path) -> bool:
    """Whether the bytes of a file are those of a compressed one."""
    return begins_compressed(_mark(path))


def begins_compressed(start: bytes) -> bool:
    """Whether the first bytes of a file are those of a compressed one."""
    return start.startswith((_XZ, _ZIP, *(one for one, _ in _ARROW_CODECS)))


def arrow_stream(path: Path) -> Any:
    """The decompressed bytes of a file, as Arrow reads them."""
    pa = part("pyarrow", "tables", f"The file '{path}'")
    mark = _mark(path)
    for start, codec in _ARROW_CODECS:
        if mark.startswith(start):
            return pa.input_stream(str(path), compression=codec)
    if mark.startswith((_XZ, _ZIP)):
        return pa.PythonFile(opened_bytes(path), mode="r")
    return pa.input_stream(str(path), compression=None)


def opened_bytes(path: Path) -> BinaryIO:
    """The decompressed bytes of a file, without Arrow where Python itself can do it."""
    mark = _mark(path)
    if mark.startswith(_ZIP):
        return cast(BinaryIO, _only_member(path))
    for start, opener in _PYTHON_CODECS:
        if mark.startswith(start):
            return cast(BinaryIO, opener(path))
    if mark.startswith(tuple(start for start, _ in _ARROW_CODECS)):
        return cast(BinaryIO, arrow_stream(path))
    return path.open("rb")


def in_arrows_memory(text: bytes) -> Any:
    """A stream of a copy of these bytes, for which Arrow's threads need no Python.

    They may let go of it after the program has begun to end, and a thread that then asks for
    Python's lock ends the program with an abort.
    """
    pa = part("pyarrow", "tables", "Text")
    memory = pa.BufferOutputStream()
    memory.write(text)
    return pa.BufferReader(memory.getvalue())


def _only_member(path: Path) -> Any:
    """The only file in a .zip archive."""
    try:
        archive = zipfile.ZipFile(path)
        members = [
            one
            for one in archive.infolist()
            if not one.is_dir() and not one.filename.startswith("__MACOSX/")
        ]
        if len(members) == 1:
            return archive.open(members[0])
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        raise DataError(
            f"data: file '{path}' is not an archive that can be read: {error}."
        ) from error
    raise DataError(
        f"data: expected one file in the archive '{path}', got {len(members)}; unpack it first."
    )


def decompressed(peeked: PeekedStream) -> BinaryIO:
    """The bytes of a stream, decompressed if its first bytes say so."""
    mark = peeked.head(_LONGEST_MARK)
    for start, opener in _PYTHON_CODECS:
        if mark.startswith(start):
            return cast(BinaryIO, opener(peeked))
    return cast(BinaryIO, peeked)


class PeekedStream(io.RawIOBase):
    """A stream that can show its first bytes before they are read; closes one that is `owned`."""

    def __init__(self, stream: BinaryIO, *, owned: bool = False) -> None:
        super().__init__()
        self._stream, self._owned = stream, owned
        self._ahead = b""

    def close(self) -> None:
        if self._owned:
            self._stream.close()
        super().close()

    def head(self, size: int) -> bytes:
        """Up to `size` bytes from the front, which stay unread."""
        while len(self._ahead) < size:
            more = self._stream.read(size - len(self._ahead))
            if not more:
                break
            self._ahead += more
        return self._ahead[:size]

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if size is None or size < 0:
            whole, self._ahead = self._ahead + (self._stream.read() or b""), b""
            return whole
        if self._ahead:
            part, self._ahead = self._ahead[:size], self._ahead[size:]
            return part
        return self._stream.read(size) or b""


def standard_input() -> BinaryIO:
    """Standard input without Python's buffer.

    The buffer has a lock. If the program ends while a thread holds it and waits for a pipe, the
    interpreter crashes.
    """
    try:
        return cast(BinaryIO, io.FileIO(sys.stdin.fileno(), closefd=False))
    except (OSError, ValueError, AttributeError):
        return sys.stdin.buffer


class ChangedStream(io.RawIOBase):
    """A stream whose bytes are changed by `change(chunk, last)`; the last chunk is empty."""

    def __init__(self, stream: Any, change: Callable[[bytes, bool], bytes]) -> None:
        super().__init__()
        self._stream, self._change = stream, change
        self._ready, self._ended = b"", False

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        wanted = io.DEFAULT_BUFFER_SIZE if size is None or size < 0 else size
        parts, length = [self._ready], len(self._ready)
        while not self._ended and (length < wanted or size is None or size < 0):
            chunk = self._stream.read(wanted)
            self._ended = not chunk
            parts.append(self._change(chunk, self._ended))
            length += len(parts[-1])
        ready = b"".join(parts)
        end = len(ready) if size is None or size < 0 else size
        self._ready = ready[end:]
        return ready[:end]


def as_utf8(stream: Any, encoding: str) -> ChangedStream:
    """The text of a stream in UTF-8."""
    decoder = codecs.getincrementaldecoder(encoding)()
    return ChangedStream(stream, lambda chunk, last: decoder.decode(chunk, last).encode())


def squeezed_stream(stream: Any) -> ChangedStream:
    """A text with one blank between cells, and none at the ends of lines."""
    rest, first = b"", True

    def change(chunk: bytes, last: bool) -> bytes:
        nonlocal rest, first
        raw = rest + chunk
        # Blanks and ends of lines at the end of a chunk may go on in the next one.
        kept = len(raw) if last else len(raw.rstrip(b" \t\r\n"))
        raw, rest = raw[:kept], raw[kept:]
        text = _AROUND.sub(rb"\1", _BLANKS.sub(b" ", raw))
        if first:
            text = text.lstrip(b" ")
            first = not text
        return text.rstrip(b" ") if last else text

    return ChangedStream(stream, change)

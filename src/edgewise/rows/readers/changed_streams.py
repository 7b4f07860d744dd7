"""Streams of text in another encoding, or with another number of blanks between cells."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable
from typing import Any

_BLANKS = re.compile(rb"[ \t]+")
_AROUND = re.compile(rb" *([\r\n]) *")


class ChangedStream(io.RawIOBase):
    """A stream whose bytes are changed while they are read.

    Parameters
    ----------
    stream : binary stream
        The bytes.
    change : callable
        Makes other bytes of a chunk; it is told whether it is the last, which is empty.
    """

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
    """The text of a stream in UTF-8.

    Examples
    --------
    >>> as_utf8(io.BytesIO("Höhe".encode("utf-16")), "utf-16").read().decode()
    'Höhe'
    """
    decoder = codecs.getincrementaldecoder(encoding)()
    return ChangedStream(stream, lambda chunk, last: decoder.decode(chunk, last).encode())


def squeezed_stream(stream: Any) -> ChangedStream:
    """A text with one blank between cells, and none at the ends of lines.

    Examples
    --------
    >>> squeezed_stream(io.BytesIO(b"  a\\t b \\n 1   2\\n")).read()
    b'a b\\n1 2\\n'
    """
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

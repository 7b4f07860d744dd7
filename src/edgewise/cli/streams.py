"""Standard output and standard error, whatever they are: other encodings, full disks, no reader."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any, BinaryIO

from edgewise.cli.plain_text import PLAIN


class OutputError(Exception):
    """Standard output does not take what is written to it.

    It is not an `OSError`, because click and rich answer to those in their own ways.
    """

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        #: As in `edgewise … | head -1`: whoever reads has had enough. That is no failure.
        left = errno.EINVAL if os.name == "nt" else errno.EPIPE
        self.reader_left = error.errno == left
        closed = error.errno == errno.EBADF
        self.reason = "it is closed" if closed else error.strerror or str(error)


class _Stream(io.TextIOWrapper):
    """A stream of text. click would write UTF-8 to the bytes below an ASCII terminal."""

    buffer = None  # type: ignore[assignment]

    def __init__(self, binary: BinaryIO, **options: Any) -> None:
        super().__init__(binary, **options)
        self.binary = binary

    def write(self, text: str | bytes, /) -> int:
        """Write text; bytes, as of click's completions, go as they are."""
        # click tries to write no bytes at all to find out whether a stream is one of text.
        if isinstance(text, str) or not text:
            return super().write(text)  # type: ignore[arg-type]
        super().flush()
        written = self.binary.write(text)
        self.binary.flush()
        return written


class _Output(_Stream):
    """Standard output that says with an `OutputError` that it cannot be written."""

    def write(self, text: str | bytes, /) -> int:
        try:
            return super().write(text)
        except OSError as error:
            raise OutputError(error) from error

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            raise OutputError(error) from error


class _Messages(_Stream):
    """Standard error. Where it cannot be written there is nobody left to tell."""

    def write(self, text: str | bytes, /) -> int:
        try:
            return super().write(text)
        except OSError:
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError:
            silence(self)


def guard_streams() -> None:
    """Prepare the streams of this process; those of a test, or of a notebook, stay as they are."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    sys.stdout = _guarded(sys.stdout, _Output)
    sys.stderr = _guarded(sys.stderr, _Messages)


def _guarded(stream: Any, kind: type[_Stream]) -> Any:
    if stream is None:
        # The program was started without it, as by `>&-`. A file that cannot be written says so
        # when something is; and no file that is opened later can take its place.
        number = os.open(os.devnull, os.O_RDONLY if kind is _Output else os.O_WRONLY)
        return kind(open(number, "wb"), encoding="utf-8", errors=PLAIN)
    if type(stream) is not io.TextIOWrapper:
        return stream
    stream.flush()
    return kind(
        stream.buffer,
        encoding=stream.encoding,
        errors=PLAIN,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def write_bytes(data: bytes) -> None:
    """Write data to standard output as they are: in UTF-8, whatever the terminal shows."""
    out = sys.stdout
    out.flush()
    binary = out.binary if isinstance(out, _Stream) else out.buffer
    try:
        binary.write(data)
        binary.flush()
    except OSError as error:
        raise OutputError(error) from error


def silence(stream: Any) -> None:
    """Let a stream that failed swallow the rest, which Python would try to write at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)

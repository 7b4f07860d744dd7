"""Standard input: CSV that is read once, after a look at its first bytes."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from typing import BinaryIO, cast

import pyarrow as pa

from edgewise.errors import DataError
from edgewise.rows.block import Rows
from edgewise.rows.readers.csv import (
    CSV_BLOCK,
    csv_blocks,
    csv_schema,
    where_text_is,
    whole_lines,
)
from edgewise.rows.readers.opened_file import OpenedFile, readable


class PeekedStream(io.RawIOBase):
    """A binary stream that can show its first bytes before they are read."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__()
        self._stream = stream
        self._ahead = b""

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


def open_csv_stream(stream: BinaryIO, name: str) -> OpenedFile:
    """CSV from standard input or another stream that is read once."""
    peeked = PeekedStream(stream)
    head = peeked.head(CSV_BLOCK)
    spent = False
    if not head.strip():
        raise DataError(f"data: expected CSV on {name}, got nothing; pipe rows into it.")
    with readable(name):
        schema, _ = csv_schema(pa.BufferReader(whole_lines(head)))

    def read(columns: Sequence[str], skip: int, along: Sequence[str] = ()) -> Iterator[Rows]:
        nonlocal spent
        if spent:
            raise DataError(f"data: {name} was read already and cannot be read again.")
        spent = True
        yield from csv_blocks(pa.PythonFile(peeked, mode="r"), schema, columns, skip, along)

    return OpenedFile(
        name, schema, True, None, None, read, lambda column: where_text_is(head, column)
    )

"""Text that is read once: standard input, named pipes and process substitutions."""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import Any, BinaryIO

import pyarrow as pa

from edgewise.errors import DataError
from edgewise.rows.block import Rows
from edgewise.rows.readers.arrow import texts_of
from edgewise.rows.readers.byte_streams import PeekedStream, decompressed
from edgewise.rows.readers.csv import csv_blocks, csv_schema, first_text, head_of
from edgewise.rows.readers.opened_file import STANDARD_INPUT, OpenedFile, readable
from edgewise.rows.readers.sniffing import sniffed
from edgewise.rows.reading import Reading

# Arrow reads up to 34 blocks ahead of where it fails, and so many are kept for a message about a
# bad cell. Small ones are parsed as fast.
_BLOCK = 1 << 18
_BLOCKS_KEPT = 40
# Kinds that must be read from the end, so not from a pipe.
_NOT_TEXT = {
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"\x93NUMPY": "a .npy file",
    b"PK\x03\x04": "an archive or a workbook",
}


def open_csv_stream(
    stream: BinaryIO,
    name: str,
    reading: Reading = Reading(),  # noqa: B008
    *,
    owned: bool = False,
) -> OpenedFile:
    """Text from standard input or another stream that is read once; an owned one is closed."""
    where = name if name == STANDARD_INPUT else f"file '{name}'"
    raw = PeekedStream(stream, owned=owned)
    for mark, what in _NOT_TEXT.items():
        if raw.head(len(mark)) == mark:
            raise DataError(f"data: expected CSV on {where}, got {what}; give its path.")
    with readable(name):
        peeked = PeekedStream(decompressed(raw))
        head, whole = head_of(_Ahead(peeked), where)
        if not head.strip():
            raise DataError(f"data: expected CSV on {where}, got nothing; pipe rows into it.")
        form, notes = sniffed(head, whole, reading, where)
        schema, bytes_a_row = csv_schema(head, whole, form, where)
    block = max(_BLOCK, 2 * form.longest)
    memory = _Memory(peeked, _BLOCKS_KEPT * block)
    spent = False

    def read(columns: Sequence[str], skip: int, along: Sequence[str] = ()) -> Iterator[Rows]:
        nonlocal spent
        if spent:
            raise DataError(f"data: {where} was read already and cannot be read again.")
        spent = True
        if whole and not bytes_a_row:
            return
        yield from csv_blocks(
            lambda: nullcontext(pa.PythonFile(memory, mode="r")),
            lambda: memory.lines(form.encoding),
            form,
            schema,
            where,
            columns,
            skip,
            along,
            block,
        )

    return OpenedFile(
        name,
        form.layout.names,
        form.layout.header,
        None,
        None,
        read,
        texts=texts_of(schema),
        index=form.layout.index,
        index_notes=form.layout.index_notes,
        notes=notes,
        first_text=lambda column: first_text(head, form, column),
        rescannable=False,
    )


class _Ahead:
    """The front of a peeked stream, read without taking it away."""

    def __init__(self, peeked: PeekedStream) -> None:
        self._peeked, self._seen = peeked, 0

    def read(self, size: int) -> bytes:
        part = self._peeked.head(self._seen + size)[self._seen :]
        self._seen += len(part)
        return part


class _Memory(io.RawIOBase):
    """A stream that remembers what was read last, to say where a bad cell is."""

    def __init__(self, stream: Any, kept: int) -> None:
        super().__init__()
        self._stream, self._kept = stream, kept
        self._last: deque[bytes] = deque()
        self._size = self._lines_before = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        chunk: bytes = self._stream.read(size)
        self._last.append(chunk)
        self._size += len(chunk)
        while self._size - len(self._last[0]) > self._kept:
            gone = self._last.popleft()
            self._size -= len(gone)
            self._lines_before += gone.count(b"\n")
        return chunk

    def lines(self, encoding: str) -> tuple[int, Iterator[str]]:
        """The lines that are remembered, and the number of the first of them."""
        text = b"".join(self._last).decode(encoding, "replace")
        kept = io.StringIO(text, newline="")
        if self._lines_before:
            next(kept, "")  # the rest of a line
        return self._lines_before + 1 + bool(self._lines_before), kept

"""What an Arrow file or stream says about its record batches: how many rows, and where they are.

Arrow itself tells the rows of a batch only with the batch, and never its place. Messages are read
as the columnar format describes them (https://arrow.apache.org/docs/format/Columnar.html): a mark,
the length of the metadata, the metadata as a flatbuffer, the body.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from io import FileIO
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

_MARK = b"\xff\xff\xff\xff"
_FILE_START = b"ARROW1\0\0"
_MOST_METADATA = 1 << 28  # no honest message has more
_SCHEMA, _RECORD_BATCH = 1, 3


class Place(NamedTuple):
    """Where the gaps and the numbers of a column begin in the file; None where it has no gaps."""

    gaps: int | None
    numbers: int


class BatchInFile(NamedTuple):
    """A record batch of a file.

    Attributes
    ----------
    rows : int
        Its rows.
    size : int
        The bytes of its body.
    packed : bool
        Whether its columns are compressed.
    places : dict
        Where columns of numbers of one width are, by their fields; all of them if not compressed.
    """

    rows: int
    size: int
    packed: bool
    places: dict[int, Place]


def batches_in_file(path: Path, schema: pa.Schema) -> list[BatchInFile] | None:
    """All record batches in their order; None if the file is of a form that is not known here."""
    try:
        with path.open("rb", buffering=0) as file:
            return list(_walked(file, schema))
    except (struct.error, _UnknownFormError):
        return None


class _UnknownFormError(Exception):
    pass


class _Table(NamedTuple):
    """A table of a flatbuffer: its fields by number."""

    raw: bytes
    at: int

    def place(self, field: int) -> int | None:
        """Where a field is; None if it has its default."""
        about = self.at - _number("<i", self.raw, self.at)
        if 4 + 2 * field >= _number("<H", self.raw, about):
            return None
        offset = _number("<H", self.raw, about + 4 + 2 * field)
        return self.at + offset if offset else None

    def number(self, field: int, form: str) -> int:
        place = self.place(field)
        return 0 if place is None else _number(form, self.raw, place)

    def below(self, field: int) -> int:
        """The place that a field points at."""
        if (place := self.place(field)) is None:
            raise _UnknownFormError
        return place + _number("<I", self.raw, place)

    def pairs(self, field: int) -> list[tuple[int, int]]:
        """A vector of pairs of long numbers."""
        at = self.below(field)
        count = _number("<I", self.raw, at)
        if count * 16 > len(self.raw):
            raise _UnknownFormError
        return [struct.unpack_from("<qq", self.raw, at + 4 + 16 * k) for k in range(count)]


def _number(form: str, raw: bytes, at: int) -> int:
    if at < 0:
        raise _UnknownFormError
    (number,) = struct.unpack_from(form, raw, at)
    return int(number)


def _walked(file: FileIO, schema: pa.Schema) -> Iterator[BatchInFile]:
    size = os.fstat(file.fileno()).st_size
    at = len(_FILE_START) if file.read(len(_FILE_START)) == _FILE_START else 0
    while at < size:
        file.seek(at)
        head = file.read(8)
        if head[:4] != _MARK:
            raise _UnknownFormError  # of before Arrow 0.15
        length = _number("<i", head, 4)
        if not length:
            return
        if not 0 < length <= min(size - at, _MOST_METADATA):
            raise _UnknownFormError
        raw = file.read(length)
        message = _Table(raw, _number("<I", raw, 0))
        header, kind = _Table(raw, message.below(2)), message.number(1, "<B")
        body, body_size = at + 8 + length, message.number(3, "<q")
        at = body + body_size
        if not body <= at <= size or (kind == _SCHEMA and header.number(0, "<h")):
            raise _UnknownFormError  # cut short, or with the bytes of numbers in another order
        if kind == _RECORD_BATCH:
            rows, packed = header.number(0, "<q"), header.place(3) is not None
            if rows < 0:
                raise _UnknownFormError
            places = {} if packed or not rows else _places(header, schema, rows, body, body_size)
            yield BatchInFile(rows, body_size, packed, places)


def _places(
    batch: _Table, schema: pa.Schema, rows: int, body: int, body_size: int
) -> dict[int, Place]:
    nodes, buffers = batch.pairs(1), batch.pairs(2)
    found: dict[int, Place] = {}
    before = 0
    for number, field in enumerate(schema):
        count = _buffers_of(field.type)
        if count is None:
            break  # what comes after it cannot be found
        if is_plain(field.type):
            if number >= len(nodes) or before + 1 >= len(buffers):
                raise _UnknownFormError
            # Without gaps, what is there for them may be empty.
            gaps = nodes[number][1] != 0
            _check(buffers[before], rows if gaps else 0, body_size)
            _check(buffers[before + 1], rows * field.type.bit_width, body_size)
            of_gaps, of_numbers = buffers[before][0], buffers[before + 1][0]
            found[number] = Place(body + of_gaps if gaps else None, body + of_numbers)
        before += count
    return found


def _check(buffer: tuple[int, int], bits: int, body_size: int) -> None:
    """Refuse a buffer that does not lie in the body, or has fewer bits than its rows need."""
    start, length = buffer
    if start < 0 or 8 * length < bits or start + length > body_size:
        raise _UnknownFormError


def is_plain(kind: pa.DataType) -> bool:
    """Whether a column is numbers of one width, with a bit for each that is missing or not."""
    types = pa.types
    return bool(
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_decimal(kind)
    )


def _buffers_of(kind: pa.DataType) -> int | None:
    """How many buffers a column has; None for kinds that have columns of their own."""
    types = pa.types
    if types.is_null(kind):
        return 0
    if types.is_dictionary(kind) or types.is_primitive(kind) or is_plain(kind):
        return 2
    texts = (types.is_string, types.is_binary, types.is_large_string, types.is_large_binary)
    return 3 if any(fits(kind) for fits in texts) else None

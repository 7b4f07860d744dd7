"""Arrow IPC files, also called Feather, and files of Arrow IPC streams."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from edgewise.rows.block import Rows
from edgewise.rows.readers.arrow import fixed_blocks, texts_of
from edgewise.rows.readers.ipc_messages import BatchInFile, batches_in_file
from edgewise.rows.readers.ipc_slices import need_slices, sliced_batches
from edgewise.rows.readers.opened_file import OpenedFile
from edgewise.rows.readers.pandas_index import index_notes, pandas_index


def open_ipc(path: Path) -> OpenedFile:
    """An Arrow IPC file or stream.

    Its rows are read, not mapped into memory: a mapped file that somebody cuts ends the process.
    """
    file, sizes = _described(path)
    schema, ends = file.schema, list(accumulate(sizes, initial=0))

    def read(columns: Sequence[str], skip: int, along: Sequence[str] = ()) -> Iterator[Rows]:
        # Record batches that end before `skip` are not read.
        first = max(bisect_right(ends, skip) - 1, 0)
        rest = file.batches(columns, first)
        return fixed_blocks(rest, len(columns), skip - ends[first], along)

    def labels(name: str) -> list[Any]:
        return [label for batch in file.batches([name]) for label in batch.column(0).to_pylist()]

    index = pandas_index(schema)
    return OpenedFile(
        str(path),
        tuple(schema.names),
        True,
        ends[-1],
        ends[-1],
        read,
        texts=texts_of(schema),
        index=index,
        index_notes=index_notes(index),
        labels=labels,
        entries=ends[:-1] or (0,),
    )


@dataclass(frozen=True, slots=True)
class _IpcFile:
    """A file whose form is known; `in_slices` are its batches if they are too large to hold."""

    path: Path
    schema: pa.Schema
    stream: bool
    in_slices: Sequence[BatchInFile]

    def batches(self, names: Sequence[str], first: int = 0) -> Iterator[pa.RecordBatch]:
        """Some columns of all rows, from a record batch on."""
        fields = [self.schema.get_field_index(name) for name in names]
        # A stream has no way to a batch but through those before it.
        plain = {i for batch in self.in_slices for i in batch.places}
        if self.in_slices and (not self.stream or plain.issuperset(fields)):
            yield from sliced_batches(
                self.path, self.schema, fields, self.in_slices, self._whole, first
            )
            return
        with pa.OSFile(str(self.path)) as file:
            for batch in _batches(file, fields, self.stream, first):
                yield batch.select(list(names))

    def _whole(self, number: int, fields: list[int]) -> pa.RecordBatch:
        with pa.OSFile(str(self.path)) as file:
            names = [self.schema.names[i] for i in fields]
            return next(_batches(file, fields, self.stream, number)).select(names)


def _described(path: Path) -> tuple[_IpcFile, list[int]]:
    """The file, and the rows of each record batch."""
    stream = not _is_file(path)
    with pa.OSFile(str(path)) as file:
        opened = (pa.ipc.open_stream if stream else pa.ipc.open_file)(file)
        schema, count = opened.schema, None if stream else opened.num_record_batches
    known = batches_in_file(path, schema)
    if known is None or count not in (None, len(known)):
        with pa.OSFile(str(path)) as file:
            sizes = [batch.num_rows for batch in _batches(file, [0][: len(schema)], stream)]
        return _IpcFile(path, schema, stream, ()), sizes
    in_slices = known if need_slices(known) else ()
    return _IpcFile(path, schema, stream, in_slices), [batch.rows for batch in known]


def _is_file(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) != b"\xff\xff\xff\xff"


def _batches(
    file: Any, fields: list[int], stream: bool, first: int = 0
) -> Iterator[pa.RecordBatch]:
    """The record batches from one on, with some of the columns."""
    options = pa.ipc.IpcReadOptions(included_fields=fields)
    batches: Iterator[pa.RecordBatch]
    if stream:
        batches = islice(pa.ipc.open_stream(file, options=options), first, None)
    else:
        opened = pa.ipc.open_file(file, options=options)
        batches = map(opened.get_batch, range(first, opened.num_record_batches))
    for batch in batches:
        # Arrow trusts the file, and a damaged one would end the process. Numbers cannot be wrong
        # once their lengths are right, but text and labels can.
        batch.validate(full=not all(pa.types.is_primitive(kind) for kind in batch.schema.types))
        yield batch

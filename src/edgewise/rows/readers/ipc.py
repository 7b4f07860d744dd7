"""Arrow IPC files, also called Feather, and files of Arrow IPC streams."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from edgewise.rows.block import Rows
from edgewise.rows.readers.arrow import fixed_blocks, texts_of
from edgewise.rows.readers.opened_file import OpenedFile
from edgewise.rows.readers.pandas_index import index_notes, pandas_index


def open_ipc(path: Path) -> OpenedFile:
    """An Arrow IPC file or stream, mapped into memory."""
    stream = not _is_file(path)
    with pa.memory_map(str(path)) as mapped:
        schema = (pa.ipc.open_stream if stream else pa.ipc.open_file)(mapped).schema
    with pa.memory_map(str(path)) as mapped:
        # Of one column: those that are compressed are unpacked to be looked at.
        sizes = [batch.num_rows for batch in _batches(mapped, [0][: len(schema)], stream)]
    ends = list(accumulate(sizes, initial=0))

    def read(columns: Sequence[str], skip: int, along: Sequence[str] = ()) -> Iterator[Rows]:
        with pa.memory_map(str(path)) as mapped:
            # Record batches that end before `skip` are not read.
            first = max(bisect_right(ends, skip) - 1, 0)
            fields = [schema.get_field_index(name) for name in columns]
            batches = _batches(mapped, fields, stream, first)
            ordered = (batch.select(list(columns)) for batch in batches)
            yield from fixed_blocks(ordered, len(columns), skip - ends[first], along)

    def labels(name: str) -> list[Any]:
        with pa.memory_map(str(path)) as mapped:
            batches = _batches(mapped, [schema.get_field_index(name)], stream)
            return [label for batch in batches for label in batch.column(0).to_pylist()]

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


def _is_file(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) != b"\xff\xff\xff\xff"


def _batches(
    mapped: Any, fields: list[int], stream: bool, first: int = 0
) -> Iterator[pa.RecordBatch]:
    """The record batches from one on, with some of the columns."""
    options = pa.ipc.IpcReadOptions(included_fields=fields)
    batches: Iterator[pa.RecordBatch]
    if stream:
        batches = islice(pa.ipc.open_stream(mapped, options=options), first, None)
    else:
        opened = pa.ipc.open_file(mapped, options=options)
        batches = map(opened.get_batch, range(first, opened.num_record_batches))
    for batch in batches:
        # Arrow trusts the file, and a damaged one would end the process. Numbers cannot be wrong
        # once their lengths are right, but text and labels can.
        batch.validate(full=not all(pa.types.is_primitive(kind) for kind in batch.schema.types))
        yield batch

"""Arrow IPC files, also called Feather."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow as pa

from edgewise.rows.block import Rows
from edgewise.rows.readers.arrow import fixed_blocks, texts_of
from edgewise.rows.readers.opened_file import OpenedFile


def open_ipc(path: Path) -> OpenedFile:
    """An Arrow IPC file, mapped into memory."""
    with pa.memory_map(str(path)) as mapped:
        file = pa.ipc.open_file(mapped)
        schema = file.schema
        sizes = [file.get_batch(i).num_rows for i in range(file.num_record_batches)]
        ends = list(accumulate(sizes, initial=0))

    def read(columns: Sequence[str], skip: int, along: Sequence[str] = ()) -> Iterator[Rows]:
        with pa.memory_map(str(path)) as mapped:
            fields = [schema.get_field_index(name) for name in columns]
            options = pa.ipc.IpcReadOptions(included_fields=fields)
            opened = pa.ipc.open_file(mapped, options=options)
            # Record batches that end before `skip` are not read.
            first = max(bisect_right(ends, skip) - 1, 0)
            batches = (opened.get_batch(i) for i in range(first, opened.num_record_batches))
            ordered = (batch.select(list(columns)) for batch in batches)
            yield from fixed_blocks(ordered, len(columns), skip - ends[first], along)

    def labels(name: str) -> list[Any]:
        with pa.memory_map(str(path)) as mapped:
            fields = [schema.get_field_index(name)]
            options = pa.ipc.IpcReadOptions(included_fields=fields)
            return list(pa.ipc.open_file(mapped, options=options).read_all().column(0).to_pylist())

    return OpenedFile(
        str(path),
        tuple(schema.names),
        True,
        ends[-1],
        ends[-1],
        read,
        texts=texts_of(schema),
        labels=labels,
        entries=ends[:-1] or (0,),
    )

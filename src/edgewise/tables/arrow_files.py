"""Parquet files, and Arrow IPC files (Feather) and streams."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate, islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from edgewise.tables.arrow import fixed_blocks, pandas_index, texts_of
from edgewise.tables.opened_file import OpenedFile
from edgewise.tables.table import Rows, batch_rows

# Bytes of each column read at once.
_COLUMN_BUFFER = 1 << 17


def open_parquet(path: Path) -> OpenedFile:
    """A Parquet file; reading starts at a row group."""
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        schema = file.schema_arrow
        sizes = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]

    def batches(columns: Sequence[str], first: int) -> Iterator[pa.RecordBatch]:
        # Arrow's own buffering ahead would hold the whole file; `prefetched` reads ahead instead.
        # A small buffer per column, in place of the whole column chunk, stays in the cache.
        with parquet.ParquetFile(path, pre_buffer=False, buffer_size=_COLUMN_BUFFER) as opened:
            for batch in opened.iter_batches(
                batch_size=batch_rows(len(columns)),
                row_groups=range(first, len(sizes)),
                columns=list(columns),
                use_threads=False,
            ):
                yield batch.select(list(columns))

    return _opened(path, schema, sizes, batches)


def open_ipc(path: Path) -> OpenedFile:
    """An Arrow IPC file or stream, mapped into memory and read in slices of its batches."""
    with _ipc(path) as (schema, found, file):
        first = next(found(0), None)
        file.seek(0)
        whole = file.read_buffer()
        mapped = first is not None and all(
            0 <= buffer.address - whole.address < whole.size
            for column in first.columns
            for buffer in column.buffers()
            if buffer
        )
    with _ipc(path, None if mapped else [0][: len(schema)]) as (_, found, _):
        sizes = [batch.num_rows for batch in found(0)]

    def batches(columns: Sequence[str], first: int) -> Iterator[pa.RecordBatch]:
        rows = batch_rows(len(columns))
        fields = None if mapped else [schema.get_field_index(name) for name in columns]
        with _ipc(path, fields) as (_, found, _):
            for batch in found(first):
                chosen = batch.select(list(columns))
                for start in range(0, batch.num_rows, rows):
                    part = chosen.slice(start, rows)
                    # Arrow trusts the file, and a damaged one would end the process. Numbers
                    # cannot be wrong once their lengths are right, but text and labels can.
                    part.validate(full=not all(map(pa.types.is_primitive, part.schema.types)))
                    yield part

    return _opened(path, schema, sizes, batches)


@contextmanager
def _ipc(path: Path, fields: list[int] | None = None) -> Iterator[Any]:
    """The schema, a function that gives the batches from one on, and the file, mapped if whole."""
    options = None if fields is None else pa.ipc.IpcReadOptions(included_fields=fields)
    with pa.memory_map(str(path)) if fields is None else pa.OSFile(str(path)) as file:
        stream = file.read(4) == b"\xff\xff\xff\xff"
        file.seek(0)
        opened = (pa.ipc.open_stream if stream else pa.ipc.open_file)(file, options=options)

        def found(first: int) -> Iterator[pa.RecordBatch]:
            if stream:
                return islice(opened, first, None)
            return map(opened.get_batch, range(first, opened.num_record_batches))

        yield opened.schema, found, file


def _opened(path: Path, schema: pa.Schema, sizes: Sequence[int], batches: Any) -> OpenedFile:
    """A file of row groups or record batches; those before the first row are not read."""
    ends = list(accumulate(sizes, initial=0))

    def read(columns: Sequence[str], skip: int, along: Sequence[str] = ()) -> Iterator[Rows]:
        first = max(bisect_right(ends, skip) - 1, 0)
        return fixed_blocks(batches(columns, first), len(columns), skip - ends[first], along)

    def labels(name: str) -> list[Any]:
        return [label for batch in batches([name], 0) for label in batch.column(0).to_pylist()]

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
        index_notes=tuple(
            f"its column {name!r} is the index of a pandas data frame and is left out "
            "(columns=..., --columns, names it to keep it)"
            for name in index
        ),
        labels=labels,
        entries=ends[:-1] or (0,),
    )

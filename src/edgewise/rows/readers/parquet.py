"""Parquet files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from edgewise.rows.block import Rows
from edgewise.rows.readers.arrow import fixed_blocks, texts_of
from edgewise.rows.readers.opened_file import OpenedFile
from edgewise.rows.readers.pandas_index import index_notes, pandas_index
from edgewise.rows.table import batch_rows

# Bytes of each column read at once.
_COLUMN_BUFFER = 1 << 17


def open_parquet(path: Path) -> OpenedFile:
    """A Parquet file; reading starts at a row group."""
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        schema, rows = file.schema_arrow, file.metadata.num_rows
        groups = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]

    def read(columns: Sequence[str], skip: int, along: Sequence[str] = ()) -> Iterator[Rows]:
        # Row groups that end before `skip` are not opened.
        first = 0
        while first < len(groups) and skip >= groups[first]:
            skip -= groups[first]
            first += 1
        # Arrow's own buffering ahead would hold the whole file; `prefetched` reads ahead instead.
        # A small buffer per column, in place of the whole column chunk, stays in the cache.
        with parquet.ParquetFile(path, pre_buffer=False, buffer_size=_COLUMN_BUFFER) as opened:
            batches = opened.iter_batches(
                batch_size=batch_rows(len(columns)),
                row_groups=range(first, len(groups)),
                columns=list(columns),
                use_threads=False,
            )
            ordered = (batch.select(list(columns)) for batch in batches)
            yield from fixed_blocks(ordered, len(columns), skip, along)

    def labels(name: str) -> list[Any]:
        return list(parquet.read_table(path, columns=[name]).column(0).to_pylist())

    index = pandas_index(schema)
    return OpenedFile(
        str(path),
        tuple(schema.names),
        True,
        rows,
        rows,
        read,
        texts=texts_of(schema),
        index=index,
        index_notes=index_notes(index),
        labels=labels,
        entries=list(accumulate(groups[:-1], initial=0)),
    )

"""Record batches that are too large to hold, read in slices of their rows.

A record batch of an Arrow file can be the whole table, and Arrow reads it as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from io import FileIO
from pathlib import Path

import pyarrow as pa

from edgewise.rows.readers.ipc_messages import BatchInFile, Place
from edgewise.rows.readers.raw_reads import fill
from edgewise.rows.table import batch_rows

# Batches of so many bytes are read as a whole.
_MOST_BYTES = 32 << 20


def need_slices(batches: Sequence[BatchInFile]) -> bool:
    """Whether a file has batches that are too large, and can be read in slices."""
    return any(batch.size > _MOST_BYTES for batch in batches) and not any(
        batch.packed for batch in batches
    )


def sliced_batches(
    path: Path,
    schema: pa.Schema,
    fields: Sequence[int],
    batches: Sequence[BatchInFile],
    whole: Callable[[int, list[int]], pa.RecordBatch],
    first: int = 0,
) -> Iterator[pa.RecordBatch]:
    """Some columns of a file in batches of fewer rows, from one of its batches on.

    Columns that are not plain numbers are read by `whole(number, fields)`, as a whole.
    """
    # Whole bytes of bits.
    step = -(-batch_rows(len(fields)) // 64) * 64
    names = [schema.names[i] for i in fields]
    with path.open("rb", buffering=0) as file:
        for number in range(first, len(batches)):
            rows, places = batches[number].rows, batches[number].places
            other = [i for i in fields if i not in places] if rows else []
            held = dict(zip(other, whole(number, other).columns, strict=True)) if other else {}
            for start in range(0, rows, step):
                count = min(step, rows - start)
                columns = [
                    held[i].slice(start, count)
                    if i in held
                    else _slice(file, schema.field(i).type, places[i], start, count)
                    for i in fields
                ]
                yield pa.RecordBatch.from_arrays(columns, names)


def _slice(file: FileIO, kind: pa.DataType, place: Place, start: int, count: int) -> pa.Array:
    numbers = _bits(file, place.numbers, start * kind.bit_width, count * kind.bit_width)
    gaps = None if place.gaps is None else _bits(file, place.gaps, start, count)
    return pa.Array.from_buffers(kind, count, [gaps, numbers])


def _bits(file: FileIO, begin: int, start: int, count: int) -> pa.Buffer:
    """Some bits from a place on; `start` is a whole number of bytes."""
    room = pa.allocate_buffer(-(-count // 8))
    fill(memoryview(room), file, begin + start // 8)
    return room

"""How each kind of file is opened, and read from any row on."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from edgewise._base.text import one_line
from edgewise.errors import DataError
from edgewise.rows.block import Rows
from edgewise.rows.readers.arrays import ArraySource
from edgewise.rows.readers.arrow import fixed_blocks, is_numeric
from edgewise.rows.table import batch_rows

CSV_ENDINGS = (".csv", ".csv.gz", ".csv.bz2", ".csv.zst")
ENDINGS = (*CSV_ENDINGS, ".parquet", ".pq", ".feather", ".arrow", ".ipc", ".npy")

# Bytes of CSV parsed at once: large enough to amortise, small enough to stay in the cache.
_CSV_BLOCK = 1 << 21
# Bytes of each Parquet column read at once.
_COLUMN_BUFFER = 1 << 17


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """What is known of a file before its rows are read, and the way to read them.

    `read(columns, skip)` starts a pass over those columns from row `skip` on; `first_text(column)`
    says where a column first holds something that is not a number, for kinds that can.
    """

    path: str
    schema: pa.Schema
    named: bool
    n_rows: int | None
    estimated_rows: int | None
    read: Callable[[Sequence[str], int], Iterator[Rows]]
    first_text: Callable[[str], str] = lambda column: ""


def open_file(path: Path) -> OpenedFile:
    """Open a file by the ending of its name."""
    name = path.name.lower()
    if not path.exists():
        raise DataError(f"data: there is no file '{path}'; check the path.")
    with readable(str(path)):
        if name.endswith(CSV_ENDINGS):
            return _open_csv(path)
        if name.endswith((".parquet", ".pq")):
            return _open_parquet(path)
        if name.endswith((".feather", ".arrow", ".ipc")):
            return _open_ipc(path)
        if name.endswith(".npy"):
            return _open_npy(path)
    raise DataError(
        f"data: expected a .csv, .csv.gz, .parquet, .feather, .arrow or .npy file, got '{path}'; "
        "convert it first."
    )


@contextmanager
def readable(path: str) -> Iterator[None]:
    """Turn what readers raise into one sentence that names the file."""
    try:
        yield
    except pa.ArrowException as error:
        raise DataError(
            f"data: file '{path}' cannot be read: {one_line(error)}. Is it complete, and of the "
            "kind that its name says?"
        ) from error
    except UnicodeDecodeError as error:
        raise DataError(
            f"data: file '{path}' is not UTF-8 text ({one_line(error)}); save it as UTF-8."
        ) from error
    except EOFError as error:
        raise DataError(f"data: file '{path}' is cut short ({one_line(error)}).") from error
    except OSError as error:
        reason = error.strerror or one_line(error)
        raise DataError(f"data: file '{path}' cannot be read: {reason}.") from error


def _open_parquet(path: Path) -> OpenedFile:
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        schema, rows = file.schema_arrow, file.metadata.num_rows
        groups = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]

    def read(columns: Sequence[str], skip: int) -> Iterator[Rows]:
        # Whole row groups before `skip` are not even opened.
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
            yield from fixed_blocks(ordered, len(columns), skip)

    return OpenedFile(str(path), schema, True, rows, rows, read)


def _open_ipc(path: Path) -> OpenedFile:
    with pa.memory_map(str(path)) as mapped:
        file = pa.ipc.open_file(mapped)
        schema = file.schema
        rows = sum(file.get_batch(i).num_rows for i in range(file.num_record_batches))

    def read(columns: Sequence[str], skip: int) -> Iterator[Rows]:
        with pa.memory_map(str(path)) as mapped:
            fields = [schema.get_field_index(name) for name in columns]
            options = pa.ipc.IpcReadOptions(included_fields=fields)
            opened = pa.ipc.open_file(mapped, options=options)
            batches = (opened.get_batch(i) for i in range(opened.num_record_batches))
            ordered = (batch.select(list(columns)) for batch in batches)
            yield from fixed_blocks(ordered, len(columns), skip)

    return OpenedFile(str(path), schema, True, rows, rows, read)


def _open_npy(path: Path) -> OpenedFile:
    try:
        source = ArraySource(
            np.load(path, mmap_mode="r", allow_pickle=False), name=f"file '{path}'"
        )
    except ValueError as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"data: file '{path}' is not a plain .npy array: {one_line(error)}."
        ) from error
    names = source.feature_names
    schema = pa.schema([(name, pa.float64()) for name in names])

    def read(columns: Sequence[str], skip: int) -> Iterator[Rows]:
        order = [names.index(name) for name in columns]
        rows = np.load(path, mmap_mode="r", allow_pickle=False)
        step = batch_rows(len(columns))
        for start in range(skip, rows.shape[0], step):
            yield rows[start : start + step][:, order]

    return OpenedFile(str(path), schema, False, source.n_rows, source.n_rows, read)


def _open_csv(path: Path) -> OpenedFile:
    with pa.input_stream(str(path), compression="detect") as stream:
        schema, bytes_a_row = _csv_schema(stream)
    compressed = not path.name.lower().endswith(".csv")
    estimate = None if compressed else int(path.stat().st_size / max(bytes_a_row, 1))

    def read(columns: Sequence[str], skip: int) -> Iterator[Rows]:
        with pa.input_stream(str(path), compression="detect") as stream:
            yield from _csv_blocks(stream, schema, columns, skip)

    def first_text(column: str) -> str:
        with pa.input_stream(str(path), compression="detect") as stream:
            return _first_text(stream.read(_CSV_BLOCK), column)

    return OpenedFile(str(path), schema, True, None, estimate, read, first_text)


def open_csv_stream(stream: BinaryIO, name: str) -> OpenedFile:
    """CSV from standard input or another stream that is read once."""
    from edgewise.rows.readers.stdin import PeekedStream

    peeked = PeekedStream(stream)
    head = peeked.head(_CSV_BLOCK)
    spent = False
    if not head.strip():
        raise DataError(f"data: expected CSV on {name}, got nothing; pipe rows into it.")
    with readable(name):
        schema, _ = _csv_schema(pa.BufferReader(_whole_lines(head)))

    def read(columns: Sequence[str], skip: int) -> Iterator[Rows]:
        nonlocal spent
        if spent:
            raise DataError(f"data: {name} was read already and cannot be read again.")
        spent = True
        yield from _csv_blocks(pa.PythonFile(peeked, mode="r"), schema, columns, skip)

    return OpenedFile(
        name, schema, True, None, None, read, lambda column: _first_text(head, column)
    )


def _first_text(head: bytes, column: str) -> str:
    """Where a column of CSV first holds text, if it held a number before."""
    lines = csv.reader(io.StringIO(head.decode("utf-8-sig", "replace")))
    try:
        place = next(lines).index(column)
        for row in lines:
            if len(row) > place and row[place].strip() and not _is_number(row[place]):
                return f" (line {lines.line_num} has {row[place]!r})"
    except (StopIteration, ValueError, csv.Error):
        pass
    return ""


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text.strip().lower() in ("na", "n/a", "null", "nan", "#n/a")
    return "_" not in text  # Python's numbers may have underscores, Arrow's may not


def _whole_lines(head: bytes) -> bytes:
    """The head without a last line that was cut off in the middle."""
    if len(head) < _CSV_BLOCK or b"\n" not in head:
        return head
    return head[: head.rindex(b"\n") + 1]


def _csv_schema(stream: pa.NativeFile) -> tuple[pa.Schema, float]:
    """Names and kinds from the first block of a CSV, and about how many bytes a row takes."""
    from pyarrow import csv as arrow_csv

    options = arrow_csv.ReadOptions(block_size=_CSV_BLOCK)
    reader = arrow_csv.open_csv(stream, read_options=options)
    schema = reader.schema
    try:
        rows = reader.read_next_batch().num_rows
    except StopIteration:
        rows = 0
    _ = schema.names  # decoded on first use
    # A compressed stream cannot say how far it came; its rows are not estimated anyway.
    read = min(stream.tell(), _CSV_BLOCK) if stream.seekable() else 0
    return schema, read / max(rows, 1)


def _csv_blocks(
    stream: pa.NativeFile, schema: pa.Schema, columns: Sequence[str], skip: int
) -> Iterator[Rows]:
    from pyarrow import csv as arrow_csv

    # Kinds were guessed from the first block, where whole numbers or gaps may stand for a column
    # of fractions; as float64 the rest of the file cannot contradict them.
    kinds = {
        name: pa.float64()
        for name in columns
        if is_numeric(kind := schema.field(name).type) and not pa.types.is_boolean(kind)
    }
    reader = arrow_csv.open_csv(
        stream,
        read_options=arrow_csv.ReadOptions(block_size=_CSV_BLOCK),
        convert_options=arrow_csv.ConvertOptions(column_types=kinds, include_columns=list(columns)),
    )
    yield from fixed_blocks(iter(reader), len(columns), skip)

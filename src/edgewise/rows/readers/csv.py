"""Comma-separated values."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from edgewise.rows.block import Rows
from edgewise.rows.readers.arrow import fixed_blocks, is_numeric
from edgewise.rows.readers.opened_file import OpenedFile

CSV_ENDINGS = (".csv", ".csv.gz", ".csv.bz2", ".csv.zst")
# Bytes parsed at once: large enough to amortise, small enough to stay in the cache.
CSV_BLOCK = 1 << 21


def open_csv(path: Path) -> OpenedFile:
    """A CSV file, compressed or not; the types of its columns come from its first block."""
    with pa.input_stream(str(path), compression="detect") as stream:
        schema, bytes_a_row = csv_schema(stream)
    compressed = not path.name.lower().endswith(".csv")
    estimate = None if compressed else int(path.stat().st_size / max(bytes_a_row, 1))

    def read(columns: Sequence[str], skip: int, along: Sequence[str] = ()) -> Iterator[Rows]:
        with pa.input_stream(str(path), compression="detect") as stream:
            yield from csv_blocks(stream, schema, columns, skip, along)

    def first_text(column: str) -> str:
        with pa.input_stream(str(path), compression="detect") as stream:
            return where_text_is(stream.read(CSV_BLOCK), column)

    return OpenedFile(str(path), schema, True, None, estimate, read, first_text)


def where_text_is(head: bytes, column: str) -> str:
    """Name the first line where a column holds text; empty if there is none in the head."""
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


def whole_lines(head: bytes) -> bytes:
    """The head of a stream, without an incomplete last line."""
    if len(head) < CSV_BLOCK or b"\n" not in head:
        return head
    return head[: head.rindex(b"\n") + 1]


def csv_schema(stream: pa.NativeFile) -> tuple[pa.Schema, float]:
    """Names and types from the first block of a CSV, and about how many bytes a row takes."""
    from pyarrow import csv as arrow_csv

    options = arrow_csv.ReadOptions(block_size=CSV_BLOCK)
    reader = arrow_csv.open_csv(stream, read_options=options)
    schema = reader.schema
    try:
        rows = reader.read_next_batch().num_rows
    except StopIteration:
        rows = 0
    _ = schema.names  # decoded on first use
    # A compressed stream does not know its position; its rows are not estimated anyway.
    read = min(stream.tell(), CSV_BLOCK) if stream.seekable() else 0
    return schema, read / max(rows, 1)


def csv_blocks(
    stream: pa.NativeFile,
    schema: pa.Schema,
    columns: Sequence[str],
    skip: int,
    along: Sequence[str] = (),
) -> Iterator[Rows]:
    from pyarrow import csv as arrow_csv

    # Types were guessed from the first block, where a column of fractions may hold only whole
    # numbers or gaps. As float64, the rest of the file cannot contradict them.
    kinds: dict[str, pa.DataType] = {
        name: pa.float64()
        for name in columns
        if is_numeric(kind := schema.field(name).type) and not pa.types.is_boolean(kind)
    }
    # Labels are text, whatever the first block looks like.
    kinds |= dict.fromkeys(along, pa.string())
    reader = arrow_csv.open_csv(
        stream,
        read_options=arrow_csv.ReadOptions(block_size=CSV_BLOCK),
        convert_options=arrow_csv.ConvertOptions(
            column_types=kinds, include_columns=list(columns), strings_can_be_null=True
        ),
    )
    yield from fixed_blocks(iter(reader), len(columns), skip, along)

"""Text files of cells: comma-separated values and their relatives."""

from __future__ import annotations

import csv
import io
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from edgewise._base.text import one_line
from edgewise.errors import DataError, DataTypeError
from edgewise.tables.arrow import fixed_blocks, is_numeric, texts_of
from edgewise.tables.byte_streams import (
    PeekedStream,
    arrow_stream,
    as_utf8,
    decompressed,
    in_arrows_memory,
    is_compressed,
    squeezed_stream,
)
from edgewise.tables.cells import (
    BLANKS,
    has_thousands,
    is_name,
    is_number,
    long_cells,
    missing_numbers,
    missing_texts,
    squeezed,
)
from edgewise.tables.opened_file import STANDARD_INPUT, OpenedFile, readable
from edgewise.tables.reading import Reading
from edgewise.tables.sniffing import TextFormat, sniffed
from edgewise.tables.table import Rows

# Bytes parsed at once: large enough to amortise, small enough to stay in the cache.
CSV_BLOCK = 1 << 21
_FEWEST_LINES = 3  # in the head: names and rows
_LONGEST_HEAD = 1 << 26
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


def open_csv(path: Path, reading: Reading) -> OpenedFile:
    """A text file, compressed or not; its form and its types come from its first block."""
    where = f"file '{path}'"
    with arrow_stream(path) as stream:
        head, whole = head_of(stream, where)
    usual = "\t" if ".tsv" in path.name.lower() else ","
    form, notes = sniffed(head, whole, reading, where, usual)
    schema, bytes_a_row = csv_schema(head, whole, form, where)
    if form.multiline:
        start = io.StringIO(head.decode(form.encoding, "replace"), newline="")
        refuse_open_quotes(start, form, where, whole=whole)
    empty = whole and not bytes_a_row
    counted = bytes_a_row and not is_compressed(path)
    estimate = int(path.stat().st_size / bytes_a_row) if counted else 0 if empty else None
    text = _TextFile(path, where, form, schema, empty, form.multiline and whole)
    return OpenedFile(
        str(path),
        form.layout.names,
        form.layout.header,
        None,
        estimate,
        text.read,
        texts=texts_of(schema),
        index=form.layout.index,
        index_notes=form.layout.index_notes,
        notes=notes,
        first_text=text.first_text,
        labels=text.labels,
        form=form,
    )


@dataclass(slots=True)
class _TextFile:
    """A text file whose form is known, and passes over its rows."""

    path: Path
    where: str
    form: TextFormat
    schema: pa.Schema
    empty: bool
    quotes_are_closed: bool  # whether it is known that no quote swallows rows

    def read(self, columns: Sequence[str], skip: int, along: Sequence[str] = ()) -> Iterator[Rows]:
        """A pass over some columns, from row `skip` on."""
        if self.empty:  # Arrow cannot skip all lines of a file
            return
        watch: QuoteWatch | None = None

        @contextmanager
        def opened() -> Iterator[Any]:
            nonlocal watch
            with arrow_stream(self.path) as stream:
                # Only a column of text that is not read can swallow rows without an error.
                texts = texts_of(self.schema) and self.form.ascii_compatible
                if texts and not self.quotes_are_closed:
                    watch = QuoteWatch(stream, self.form.quote)
                yield watch or stream

        yield from csv_blocks(
            opened, self.lines, self.form, self.schema, self.where, columns, skip, along
        )
        if not self.quotes_are_closed and (self.form.multiline or (watch and watch.odd)):
            refuse_open_quotes(self.lines()[1], self.form, self.where)
        self.quotes_are_closed = True

    def lines(self) -> tuple[int, Iterator[str]]:
        """The lines, and the number of the first."""
        stream = arrow_stream(self.path)
        text = io.TextIOWrapper(stream, self.form.encoding, errors="replace", newline="")
        return 1, iter(text)

    def first_text(self, column: str) -> str:
        """Where a column first holds text; the head is not kept, since there may be many files."""
        with arrow_stream(self.path) as stream:
            return first_text(head_of(stream, self.where)[0], self.form, column)

    def labels(self, name: str) -> list[Any]:
        """A column as text: one that begins with numbers may end with words. A gap is a gap."""
        if self.empty:
            return []
        place = str(self.form.layout.places[self.form.layout.names.index(name)])
        with arrow_stream(self.path) as stream:
            reader = _reader(stream, self.form, {place: pa.string()}, [place])
            return list(reader.read_all().column(0).to_pylist())


def head_of(stream: Any, where: str) -> tuple[bytes, bool]:
    """The first bytes of a stream, with some lines at least, and whether that is all of it."""
    head, size = b"", CSV_BLOCK
    while True:
        more = stream.read(size - len(head))
        head += more
        if not more:
            return head, True
        if len(head) >= size:
            if head.count(b"\n") + head.count(b"\r") >= _FEWEST_LINES:
                return head, False
            size *= 2  # a header of megabytes
            if size > _LONGEST_HEAD:
                raise DataError(
                    f"data: {where} has no end of a line in its first {len(head) >> 20} MB; is it "
                    "text, and of the kind that its name says?"
                )


def csv_schema(head: bytes, whole: bool, form: TextFormat, where: str) -> tuple[pa.Schema, float]:
    """The types of the columns, by name, and about how many bytes a row takes."""
    text, full = head, len(head)
    if not form.encoding.startswith("utf-8"):
        text = head.decode(form.encoding, "replace").encode()
        form, full = replace(form, encoding="utf-8"), len(text)
    if not whole:
        text = _whole_lines(text, form.quote.encode() if form.multiline else b"")
    layout = form.layout
    places = [str(place) for place in layout.places]
    if len(text.splitlines()) <= form.skip:  # names and no rows
        return pa.schema([(name, pa.float64()) for name in layout.names]), 0.0
    try:
        reader = _reader(in_arrows_memory(text), form, {}, places)
        schema, rows = reader.schema, sum(batch.num_rows for batch in reader)
    except pa.ArrowInvalid as error:
        lines = io.StringIO(text.decode("utf-8", "replace"), newline="")
        raise told(first_fault(lines, form, []), error, where, form) from error
    fields = [field.with_name(name) for field, name in zip(schema, layout.names, strict=True)]
    # In bytes of the file, which may be of another encoding.
    return pa.schema(fields), len(text) / rows * len(head) / full if rows else 0.0


def _whole_lines(text: bytes, quote: bytes) -> bytes:
    """A text without its last line, which may be cut off, also within a quoted cell."""
    end = max(text.rfind(b"\n"), text.rfind(b"\r")) + 1
    odd = text.count(quote, 0, end) % 2 if quote else 0
    while odd and end:
        before = max(text.rfind(b"\n", 0, end - 1), text.rfind(b"\r", 0, end - 1)) + 1
        odd = (odd + text.count(quote, before, end)) % 2
        end = before
    return text[:end]


def first_text(head: bytes, form: TextFormat, column: str) -> str:
    """Name the first line where a column holds text; empty if there is none in the head."""
    text = head.decode(form.encoding, "replace")
    lines = io.StringIO(text, newline="")
    place = form.layout.places[form.layout.names.index(column)]
    fault = first_fault(lines, form, [place], lengths=False)
    if fault is None:
        return ""
    return f" (line {fault.line} has {fault.text!r}){hint(fault, form)}"


def csv_blocks(
    opened: Callable[[], Any],
    lines: Callable[[], tuple[int, Iterator[str]]],
    form: TextFormat,
    schema: pa.Schema,
    where: str,
    columns: Sequence[str],
    skip: int,
    along: Sequence[str] = (),
    block: int = CSV_BLOCK,
) -> Iterator[Rows]:
    """The rows of a text from row `skip` on; an error names the column and the line."""
    place = dict(zip(form.layout.names, map(str, form.layout.places), strict=True))
    # Types were guessed from the first block, where a column of fractions may hold only whole
    # numbers or gaps. As float64, the rest of the file cannot contradict them.
    kinds: dict[str, pa.DataType] = {
        place[name]: kind if pa.types.is_boolean(kind) else pa.float64()
        for name in columns
        if is_numeric(kind := schema.field(name).type)
    }
    # Labels are text, whatever the first block looks like.
    kinds |= {place[name]: pa.string() for name in along}
    wanted, labels = [place[name] for name in columns], [place[name] for name in along]
    done = 0
    try:
        with opened() as stream:
            reader = _reader(stream, form, kinds, wanted, block)
            batches = _without_numbers(iter(reader), form)
            for rows in fixed_blocks(batches, len(columns), skip, labels):
                yield rows
                done += rows.shape[0]
    except pa.ArrowInvalid as error:
        first, kept = lines()
        fault = first_fault(
            kept,
            form,
            [int(place[name]) for name in columns if name not in along],
            truths=[int(at) for at, kind in kinds.items() if pa.types.is_boolean(kind)],
            known_good=skip + done if first == 1 else 0,
            first_line=first,
        )
        raise told(fault, error, where, form) from error


def _without_numbers(
    batches: Iterator[pa.RecordBatch], form: TextFormat
) -> Iterator[pa.RecordBatch]:
    """The batches with gaps in place of the numbers that stand for missing values."""
    gone = missing_numbers(form.na_values, form.decimal)
    if not gone:
        yield from batches
        return
    values = pa.array(sorted(gone), pa.float64())
    nothing = pa.scalar(None, pa.float64())
    for batch in batches:
        columns = [
            pc.if_else(pc.is_in(column, values), nothing, column)
            if pa.types.is_float64(column.type)
            else column
            for column in batch.columns
        ]
        yield pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _row_to_leave_out(row: Any) -> str:
    """What to do with a line that has the wrong number of cells: skip it if it is blank."""
    return "error" if row.text is None or row.text.strip() else "skip"


def _reader(
    stream: Any,
    form: TextFormat,
    kinds: dict[str, pa.DataType],
    places: Sequence[str],
    block: int = CSV_BLOCK,
) -> pa.csv.CSVStreamingReader:
    """Arrow's reader of a text of this form; its columns are called by their places."""
    # Numbers are the same bytes in most encodings, so only text has to be decoded.
    text = pa.string() in kinds.values() or not "".join(form.na_values).isascii()
    text = text and not form.encoding.startswith("utf-8")
    # Lines of blanks are shown to Python as text, which must be valid.
    if not form.ascii_compatible or text or form.blank_lines:
        stream = as_utf8(stream, form.encoding)
    if form.sep == BLANKS:
        stream = squeezed_stream(stream)
    if isinstance(stream, io.RawIOBase):
        stream = pa.PythonFile(stream, mode="r")
    return arrow_csv.open_csv(
        stream,
        read_options=arrow_csv.ReadOptions(
            block_size=max(block, 2 * form.longest),
            column_names=[str(k) for k in range(form.layout.n_cells)],
            skip_rows=form.skip,
        ),
        parse_options=arrow_csv.ParseOptions(
            delimiter=" " if form.sep == BLANKS else form.sep,
            quote_char=form.quote,
            newlines_in_values=form.multiline,
            invalid_row_handler=_row_to_leave_out if form.blank_lines else None,
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types=kinds,
            include_columns=list(places),
            null_values=missing_texts(form.na_values, form.padded),
            strings_can_be_null=True,
            decimal_point=form.decimal,
        ),
    )


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


_TRUTH = ("true", "false", "0", "1")
# A quote that is not closed makes one cell of the rest of the file.
_LONGEST_CELL = 1 << 24
_NOT_CLOSED = "a quote begins there that is not closed in the same line"
_SHOWN = 60  # characters of a cell or of a line in a message


class Fault(NamedTuple):
    """A cell that is not a number, or, without a column, a line of another length."""

    line: int  # from 1 on
    text: str
    column: str | None
    cells: int  # of the line; -1 if that cannot be said
    expected: str = "numbers"


def first_fault(
    lines: Iterator[str],
    form: TextFormat,
    places: Sequence[int],
    *,
    truths: Collection[int] = (),
    known_good: int = 0,
    first_line: int = 1,
    lengths: bool = True,
) -> Fault | None:
    """The first line of a wrong length, or wrong cell; those at `truths` hold true and false."""
    before = form.skip if first_line == 1 else 0
    line, lines = _past(islice(lines, before, None), first_line + before, known_good, form)
    if form.sep == BLANKS:
        lines, sep = map(squeezed, lines), " "
    else:
        sep = form.sep
    missing = frozenset(missing_texts(form.na_values, form.padded))
    here = line
    with long_cells(_LONGEST_CELL):
        reader = csv.reader(lines, delimiter=sep, quotechar=form.quote)
        try:
            for row in reader:
                end = line + reader.line_num
                if not _is_blank(row, form):
                    if lengths and len(row) != form.layout.n_cells:
                        return Fault(here, _short(sep.join(row)), None, len(row))
                    if lengths and not form.multiline and end - here > 1:
                        return Fault(here, _NOT_CLOSED, None, -1)
                    fault = _bad_cell(row, here, form, places, truths, missing)
                    if fault is not None:
                        return fault
                here = end
        except csv.Error:
            return Fault(here, _NOT_CLOSED, None, -1) if lengths else None
    return None


def _bad_cell(
    row: Sequence[str],
    line: int,
    form: TextFormat,
    places: Sequence[int],
    truths: Collection[int],
    missing: Collection[str],
) -> Fault | None:
    """The first cell of a line that the parser does not take."""
    if len(row) != form.layout.n_cells:
        return None
    for place in places:
        cell, truth = row[place], place in truths
        taken = cell.strip().lower() in _TRUTH if truth else is_number(cell, form.decimal)
        if not taken and cell not in missing:
            name = form.layout.names[form.layout.places.index(place)]
            wanted = "true or false" if truth else "numbers"
            return Fault(line, _short(cell), name, len(row), wanted)
    return None


def _past(
    lines: Iterator[str], line: int, rows: int, form: TextFormat
) -> tuple[int, Iterator[str]]:
    """The lines after so many rows, and the number of the first; quoted lines are not skipped."""
    for text in lines:
        if not rows or form.quote in text:
            return line, chain([text], lines)
        rows -= bool(text.strip() if form.layout.n_cells > 1 else text.strip("\r\n"))
        line += 1
    return line, iter(())


def _is_blank(row: Sequence[str], form: TextFormat) -> bool:
    """Whether a line is left out; in a table of one column, blanks are a missing value."""
    if not row or row == [""]:
        return True
    return form.blank_lines and len(row) == 1 < form.layout.n_cells and not row[0].strip()


def _short(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def told(fault: Fault | None, error: Exception, where: str, form: TextFormat) -> DataError:
    """One sentence for what is wrong; without a fault, what the parser says."""
    if fault is None and "invalid UTF8" in str(error):
        return DataError(
            f"data: {where} has text that is not UTF-8 after its first lines; name its encoding "
            "(encoding='latin-1' of read_table, --encoding latin-1)."
        )
    if fault is None:
        return DataError(
            f"data: {where} cannot be read: {one_line(error)}. Is it complete, and of the kind "
            "that its name says?"
        )
    if fault.column is None:
        if fault.cells < 0:
            return DataError(
                f"data: line {fault.line} of {where} cannot be read: {fault.text}; correct it."
            )
        return DataError(
            f"data: line {fault.line} of {where} has {_cells(fault.cells)}, expected "
            f"{form.layout.n_cells} as in the lines before: {fault.text!r}; correct or remove the "
            "line."
        )
    other = "," if form.decimal == "." else "."
    if other in fault.text and is_number(fault.text, other):
        return DataTypeError(
            f"data: column {fault.column!r} of {where} must hold numbers with the decimal point "
            f"{form.decimal!r}, got {fault.text!r} in line {fault.line}; say decimal={other!r} "
            f"(--decimal {other}) if that is the decimal point, else correct the cell."
        )
    return DataTypeError(
        f"data: column {fault.column!r} of {where} must hold {fault.expected}, got "
        f"{fault.text!r} in line {fault.line}; if that stands for a missing value, say so "
        f"(na_values={fault.text!r} of read_table, --na-values), else correct it or leave out the "
        "column."
    )


def hint(fault: Fault, form: TextFormat) -> str:
    """What a text among numbers may be, as the beginning of a remedy."""
    if not form.layout.header and fault.line == form.skip + 1:
        return "; if line 1 holds the names, say so (header=True of read_table, --header)"
    if len(form.layout.names) == 1:
        return "; if that is several cells, say what is between them (sep=..., --sep)"
    other = "," if form.decimal == "." else "."
    decimal = other in fault.text and is_number(fault.text, other)
    if decimal and not has_thousands(fault.text):
        return f"; if {other!r} is the decimal point, say so (decimal={other!r}, --decimal {other})"
    if has_thousands(fault.text):
        return "; write numbers without thousands separators"
    if not is_name(fault.text):
        return (
            "; if that stands for a missing value, say so (na_values=... of read_table, "
            "--na-values)"
        )
    return ""


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count} cells"


def refuse_open_quotes(
    lines: Iterator[str], form: TextFormat, where: str, *, whole: bool = True
) -> None:
    """Refuse a cell that goes over several lines and is not quoted properly.

    A quote that is never closed ends at the next one, which begins a cell in another line. If the
    lines are not the `whole` text, the last cell may be cut off.
    """
    if form.sep == BLANKS:
        return
    kept: list[str] = []

    def fed() -> Iterator[str]:
        for line in lines:
            kept.append(line)
            yield line

    start = 1
    with long_cells(_LONGEST_CELL):
        try:
            for _ in csv.reader(fed(), delimiter=form.sep, quotechar=form.quote):
                if len(kept) > 1 and not _is_proper(kept, form):
                    break
                start += len(kept)
                kept.clear()
            else:
                return
        except csv.Error:
            pass
    if whole or next(lines, None) is not None:
        raise DataError(
            f"data: line {start} of {where} cannot be read: a quote begins there that is not "
            "closed in the same cell; correct it."
        )


def _is_proper(lines: list[str], form: TextFormat) -> bool:
    reader = csv.reader(lines, delimiter=form.sep, quotechar=form.quote, strict=True)
    try:
        return len(list(reader)) == 1
    except csv.Error:
        return False


class QuoteWatch(io.RawIOBase):
    """A stream that notices lines with an odd number of quotes."""

    def __init__(self, stream: Any, quote: str) -> None:
        super().__init__()
        self._stream, self._quote = stream, quote.encode()
        self._rest = b""
        self.odd = False

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        chunk: bytes = self._stream.read(size)
        if not self.odd and (self._quote in chunk or self._rest or not chunk):
            *whole, self._rest = (self._rest + chunk).split(b"\n")
            ends = [*whole, self._rest] if not chunk else whole
            self.odd = any(line.count(self._quote) % 2 for line in ends)
        elif not self.odd:
            self._rest = chunk[chunk.rfind(b"\n") + 1 :] if b"\n" in chunk else b""
        return chunk

"""Text files: comma-separated values and their relatives, and JSON lines; never wrong in silence.

The form of a text is worked out from its first lines. Arrow parses it; what Arrow would take for
something else goes through Python's reader first, and so does every text in which a quote may
swallow lines. What cannot be read in one way only is refused with the line that is in doubt.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import lzma
import re
import sys
import zipfile
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from edgewise._linalg import FloatArray
from edgewise._text import joined, one_line
from edgewise.errors import DataError, DataTypeError
from edgewise.tables.arrow import fixed_blocks, is_numeric
from edgewise.tables.labels import label_number
from edgewise.tables.layout import (
    MISSING,
    MOST_COLUMNS,
    Layout,
    has_thousands,
    is_missing,
    is_name,
    is_number,
    layout_of,
    missing_numbers,
    titles_above,
    too_wide,
    usual_length,
)
from edgewise.tables.opened_file import STANDARD_INPUT, OpenedFile, readable
from edgewise.tables.reading import Reading
from edgewise.tables.table import Rows, batch_rows

# Bytes parsed at once: large enough to amortise, small enough to stay in the cache.
CSV_BLOCK = 1 << 21
# Of a pipe, less: Arrow reads up to 34 blocks ahead of where it fails, and so many are remembered
# for a message about a bad cell.
_PIPE_BLOCK, _BLOCKS_KEPT = 1 << 18, 40
_FEWEST_LINES = 3  # in the head: names and rows
_LONGEST_HEAD = 1 << 26
_CHUNK = 1 << 18  # bytes, of a stream that is rewritten

# ---------------------------------------------------------------------------------------------
# Bytes. What is compressed is known by how it begins, whatever the name of the file says.

_CODECS = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bz2",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
}
_XZ, _ZIP = b"\xfd7zXZ\x00", b"PK\x03\x04"
# Kinds that must be read from the end, so not from a pipe.
_NOT_TEXT = {
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"\x93NUMPY": "a .npy file",
    _ZIP: "an archive or a workbook",
}


def byte_stream(path: Path) -> Any:
    """The decompressed bytes of a file, as Arrow reads them."""
    start = _start(path)
    if start.startswith(_XZ):
        return pa.PythonFile(lzma.open(path), mode="r")
    if start.startswith(_ZIP):
        return pa.PythonFile(_only_member(path), mode="r")
    return pa.input_stream(str(path), compression=_codec(start))


def is_compressed(path: Path) -> bool:
    """Whether the bytes of a file are those of a compressed one."""
    return _start(path).startswith((_XZ, _ZIP, *_CODECS))


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(_XZ))


def _codec(start: bytes) -> str | None:
    return next((codec for mark, codec in _CODECS.items() if start.startswith(mark)), None)


def _only_member(path: Path) -> Any:
    """The only file in a .zip archive."""
    try:
        archive = zipfile.ZipFile(path)
        members = [
            one
            for one in archive.infolist()
            if not one.is_dir() and not one.filename.startswith("__MACOSX/")
        ]
        if len(members) == 1:
            return archive.open(members[0])
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        raise DataError(
            f"data: file '{path}' is not an archive that can be read: {error}."
        ) from error
    raise DataError(
        f"data: expected one file in the archive '{path}', got {len(members)}; unpack it first."
    )


class Pipe(io.RawIOBase):
    """A stream that shows its front before it is read, and remembers its last bytes."""

    def __init__(self, stream: Any, *, owned: bool = False) -> None:
        super().__init__()
        self._stream, self._owned = stream, owned
        self._ahead = b""
        self._last: deque[bytes] = deque()
        self._size = self.lines_before = 0
        self.kept = 0  # bytes to remember, for a message about where a bad cell is

    def close(self) -> None:
        if self._owned:
            self._stream.close()
        super().close()

    def readable(self) -> bool:
        return True

    def head(self, size: int) -> bytes:
        """Up to `size` bytes from the front, which stay unread."""
        while len(self._ahead) < size and (more := self._stream.read(size - len(self._ahead))):
            self._ahead += more
        return self._ahead[:size]

    def read(self, size: int = -1) -> bytes:
        if size is None or size < 0:
            size = len(self._ahead) or -1
        if self._ahead:
            chunk, self._ahead = self._ahead[:size], self._ahead[size:]
        else:
            chunk = self._stream.read(size) or b""
        self._last.append(chunk)
        self._size += len(chunk)
        while self._size - len(self._last[0]) > self.kept:
            gone = self._last.popleft()
            self._size -= len(gone)
            self.lines_before += gone.count(b"\n")
        return chunk

    def last(self) -> bytes:
        """What is remembered."""
        return b"".join(self._last)


class _Made(io.RawIOBase):
    """A stream of the bytes that an iterator makes."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        super().__init__()
        self._chunks, self._ready = chunks, bytearray()

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        while (size is None or size < 0 or len(self._ready) < size) and (
            chunk := next(self._chunks, b"")
        ):
            self._ready += chunk
        end = len(self._ready) if size is None or size < 0 else size
        part = bytes(self._ready[:end])
        del self._ready[:end]
        return part


def standard_input() -> BinaryIO:
    """Standard input without Python's buffer.

    The buffer has a lock. If the program ends while a thread holds it and waits for a pipe, the
    interpreter crashes.
    """
    try:
        return cast(BinaryIO, io.FileIO(sys.stdin.fileno(), closefd=False))
    except (OSError, ValueError, AttributeError):
        return sys.stdin.buffer


def in_arrows_memory(text: bytes) -> Any:
    """A stream of a copy of these bytes, for which Arrow's threads need no Python.

    They may let go of it after the program has begun to end, and a thread that then asks for
    Python's lock ends the program with an abort.
    """
    memory = pa.BufferOutputStream()
    memory.write(text)
    return pa.BufferReader(memory.getvalue())


def head_of(pipe: Pipe, where: str) -> tuple[bytes, bool]:
    """The first bytes of a stream, with some lines at least, and whether that is all of it."""
    size = CSV_BLOCK
    while size <= _LONGEST_HEAD:
        head = pipe.head(size)
        if len(head) < size:
            return head, True
        if head.count(b"\n") + head.count(b"\r") >= _FEWEST_LINES:
            return head, False
        size *= 2  # a header of megabytes
    raise DataError(
        f"data: {where} has no end of a line in its first {len(head) >> 20} MB; is it text, and of "
        "the kind that its name says?"
    )


# ---------------------------------------------------------------------------------------------
# The form of a text, worked out from its first lines.

BLANKS = "whitespace"
_SEPARATORS = (",", ";", "\t", BLANKS, "|", "^", "~", "\x01", ":")
# These must stand between names too, since they also stand within cells, as in times.
_RARE = ("^", "~", "\x01", ":")
# So many lines, or as many as fit into so many characters, show the form of a file.
_LINES, _CHARACTERS, _FEWEST_SHOWN = 300, 1 << 17, 4
_SAMPLED_CELLS = 4000
_FEWEST_THOUSANDS = 5  # cells that may hold thousands, beside as many that do not
# As pandas and Excel write it, the first line may name the separator.
_NAMED_SEPARATOR = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Bytes that Windows' own encoding does not know.
_UNDEFINED = bytes([0x81, 0x8D, 0x8F, 0x90, 0x9D])
_CONTROLS = "\t\n\r\f\v\x01\x1a\x1b"  # also the end of a file on MS-DOS, and colours
_MOST_UNSEEN = 0.01  # the share of a text; a name may have some


@dataclass(frozen=True, slots=True)
class TextFormat:
    """The form of a text file."""

    encoding: str
    sep: str  # "whitespace" for one or more blanks
    quote: str
    escape: str | None
    decimal: str
    skip: int  # lines before the first row
    layout: Layout
    na_values: tuple[str, ...]
    longest: int  # bytes of the longest line seen
    multiline: bool  # whether a quote was seen that is closed in another line
    padded: bool  # whether cells with blanks around them were seen
    rewritten: bool  # whether Python reads it, and Arrow what it makes of it

    @property
    def ascii_compatible(self) -> bool:
        """Whether digits and separators are the same bytes as in UTF-8."""
        return not self.encoding.startswith(("utf-16", "utf-32"))


def sniffed(
    head: bytes, whole: bool, reading: Reading, where: str, usual: str = ","
) -> tuple[TextFormat, tuple[str, ...]]:
    """The form of a text file from its first bytes, and what to tell the user about it."""
    encoding = reading.encoding or _encoding_of(head, whole)
    text = _decoded(head, encoding, whole, where)
    _refuse_binary(text, where)
    lines = _lines_of(text, whole)
    skip, named_sep = _remarks(lines) if reading.skip is None else (reading.skip, None)
    shown = _some(lines[skip:])
    if not any(line.strip() for line in shown):
        raise DataError(f"data: {where} is empty; expected the names of columns, and rows.")
    for sep in _SEPARATORS:
        if sep != BLANKS and (count := max(line.count(sep) for line in shown[:4])) >= MOST_COLUMNS:
            raise too_wide(count + 1, where)
    sep, quote, escape = _dialect(shown, reading, named_sep, usual)
    rows, ends = _cells_of(shown, sep, quote, escape)
    above = titles_above(rows) if reading.header is None and reading.skip is None else 0
    titles = ends[above - 1] if above else 0
    rows, ends = rows[above:], ends[above:]
    decimal = reading.decimal or _decimal(rows, sep, where)
    remarked = None if above else _names_in_remark(lines[:skip], rows, sep, quote, decimal, reading)
    rows = rows if remarked is None else [remarked, *rows]
    said = reading
    if reading.header is None:
        # R puts all names in quotes, but no numbers: "2001","2002" are names.
        later = "".join(shown[ends[0] : ends[0] + 20])
        every = shown[titles].count(quote) >= 2 * len(rows[0])
        if remarked is not None or above or (every and later.strip() and quote not in later):
            said = replace(reading, header=True)
    layout = layout_of(rows, said, decimal, where)
    quoted = quote in text
    form = TextFormat(
        encoding=encoding,
        sep=sep,
        quote=quote,
        escape=escape,
        decimal=decimal,
        skip=skip + (ends[0] if layout.header and remarked is None else titles),
        layout=layout,
        na_values=reading.na_values,
        longest=len(max(lines, key=len).encode("utf-8", "replace")),
        multiline=quoted and any(line.count(quote) % 2 for line in lines),
        padded=any(cell[:1].isspace() or cell[-1:].isspace() for row in rows for cell in row),
        # Arrow takes a quote after a blank for a part of the cell, and a line of blanks for a row.
        rewritten=sep != BLANKS
        and (
            (quoted and re.search(f"(^|[{re.escape(sep)}\n]) +{quote}", text) is not None)
            or any(line.isspace() and line != "\n" for line in lines)
        ),
    )
    return form, _notes(form, reading, usual, titles)


def _notes(form: TextFormat, reading: Reading, usual: str, titles: int) -> tuple[str, ...]:
    """What was worked out and is not the default."""
    said = []
    if reading.sep is None and form.sep != usual:
        shown = {"\t": "tabs", BLANKS: "blanks"}.get(form.sep)
        said.append(f"{shown} as separators" if shown else f"separator {form.sep!r}")
    if reading.decimal is None and form.decimal == ",":
        said.append("decimal comma")
    if reading.encoding is None and not form.encoding.startswith("utf-8"):
        said.append(f"{form.encoding} text")
    if reading.quote is None and form.quote == "'":
        said.append("single quotes")
    if form.escape:
        said.append("backslashes before quotes")
    notes = [f"is read with {joined(said, 'and')}"] if said else []
    if titles:
        lines = (
            "first line is above the names and is"
            if titles == 1
            else f"first {titles} lines are above the names and are"
        )
        notes.append(f"its {lines} skipped (header=True, --header: they hold the names)")
    return (*notes, *form.layout.notes)


def _lines_of(text: str, whole: bool) -> list[str]:
    """The lines of a text, without an incomplete last one; only \\n, \\r and \\r\\n end a line."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    complete = lines if whole and lines[-1] else lines[:-1]
    return [line + "\n" for line in (complete or lines)]


def _remarks(lines: Sequence[str]) -> tuple[int, str | None]:
    """How many remarks and blank lines are at the front, and the separator that one names."""
    count, sep = 0, None
    for line in lines:
        named = _NAMED_SEPARATOR.fullmatch(line)
        if named is not None:
            sep = named[1]
        elif line.strip() and not line.startswith("#"):
            break
        count += 1
    # A first line with # that nothing follows is a line of names.
    return (0, None) if count == len(lines) == 1 else (count, sep)


def _some(lines: Sequence[str]) -> list[str]:
    shown, characters = [], 0
    for line in lines[:_LINES]:
        shown.append(line)
        characters += len(line)
        if characters > _CHARACTERS and len(shown) >= _FEWEST_SHOWN:
            break
    return shown


def _dialect(
    lines: Sequence[str], reading: Reading, named_sep: str | None, usual: str
) -> tuple[str, str, str | None]:
    """Separator, quote and escape under which lines have as many cells, most of them numbers."""
    text = "".join(lines)
    said = reading.sep or named_sep
    best: tuple[str, str, str | None] = (said or usual, reading.quote or '"', None)
    best_score = 0.0
    for sep in [said] if said else sorted(_SEPARATORS, key=lambda one: one != usual):
        if sep != BLANKS and sep not in text:
            continue
        quotes = [reading.quote or '"']
        if (
            reading.quote is None
            and sep != BLANKS
            and re.search(f"(^|[{re.escape(sep)}\n]) *'", text)
        ):
            quotes.append("'")
        escapes = (
            [None, "\\"]
            if "\\" in text and re.search(rf"\\[\"'{re.escape(sep[0])}]", text)
            else [None]
        )
        for quote in quotes:
            for escape in escapes:
                score = _fitness(lines, sep, quote, escape)
                if score > best_score + 1e-9:
                    best, best_score = (sep, quote, escape), score
        if best_score > 1.05:  # nothing can be clearly better
            break
    return best


def _fitness(lines: Sequence[str], sep: str, quote: str, escape: str | None) -> float:
    rows, _ = _cells_of(lines, sep, quote, escape)
    above = titles_above(rows)
    rows = rows[above:]
    body = rows[1:] or rows
    width = usual_length(body)
    # Names may lack one for the names of the rows.
    if width < 2 or not 0 <= width - len(rows[0]) <= 1:
        return 0.0
    if sep in _RARE and (len(rows[0]) < width or not all(map(is_name, rows[0]))):
        return 0.0
    same = sum(len(row) == width for row in body) / len(body)
    cells = [cell for row in body if len(row) == width for cell in row][: _SAMPLED_CELLS // 4]
    plain = sum(
        is_number(cell) or is_number(cell, ",") or is_missing(cell) or has_thousands(cell)
        for cell in cells
    )
    return same * (0.1 + plain / len(cells)) * (0.6 if sep in _RARE else 0.99 if above else 1)


def _csv_reader(lines: Iterable[str], sep: str, quote: str, escape: str | None) -> Any:
    if sep == BLANKS:
        lines, sep = (f"{' '.join(line.split())}\n" for line in lines), " "
    return csv.reader(
        lines, delimiter=sep, quotechar=quote, escapechar=escape, skipinitialspace=True
    )


def _cells_of(
    lines: Sequence[str], sep: str, quote: str, escape: str | None
) -> tuple[list[list[str]], list[int]]:
    """The cells of lines that are not blank, and after how many lines each of these rows ends."""
    rows, ends = [], []
    # What was read before something that cannot be read shows the form.
    with _long_cells(), suppress(csv.Error):
        reader = _csv_reader(lines, sep, quote, escape)
        for row in reader:
            if any(cell.strip() for cell in row) or len(row) > 1:
                rows.append(row)
                ends.append(reader.line_num)
    return rows or [[""]], ends or [len(lines)]


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let Python's reader of CSV take long cells; it refuses those over 128 kB."""
    before = csv.field_size_limit(_LONGEST_HEAD)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _decimal(rows: Sequence[Sequence[str]], sep: str, where: str) -> str:
    """A comma if numbers have commas and none has a point."""
    cells = [cell.strip() for row in rows[1:] for cell in row][:_SAMPLED_CELLS]
    commas = [cell for cell in cells if "," in cell and is_number(cell, ",")]
    points = [cell for cell in cells if "." in cell and is_number(cell)]
    if not commas or points:
        # With semicolons a point may set thousands apart, as in 567 and 1.234.
        whole = sum(cell.isdecimal() for cell in cells)
        few = min(len(points), whole) < _FEWEST_THOUSANDS
        if sep == ";" and not few and all(map(has_thousands, points)):
            raise _thousands(where, points[0], "point", ".")
        return "."
    if all(map(has_thousands, commas)):
        raise _thousands(where, commas[0], "comma", ",")
    return ","


def _thousands(where: str, cell: str, mark: str, decimal: str) -> DataError:
    return DataError(
        f"data: {where} has cells such as {cell!r}, where the {mark} may be the decimal point or "
        f"set thousands apart; say decimal={decimal!r} (--decimal {decimal}) if it is the decimal "
        f"point, else write the numbers without {mark}s."
    )


def _names_in_remark(
    remarks: Sequence[str],
    rows: Sequence[Sequence[str]],
    sep: str,
    quote: str,
    decimal: str,
    reading: Reading,
) -> list[str] | None:
    """The names in the last remark before the rows, as NumPy's savetxt writes them."""
    last = next((line for line in reversed(remarks) if line.startswith("#")), None)
    if last is None or reading.header is not None:
        return None
    if not all(is_number(cell, decimal) or is_missing(cell) for cell in rows[0]):
        return None  # the first line below has the names itself
    named, _ = _cells_of([last.lstrip("#")], sep, quote, None)
    return named[0] if len(named[0]) == len(rows[0]) else None


def _encoding_of(head: bytes, whole: bool) -> str:
    """The encoding: what the byte order mark says, or UTF-8 if it fits, or Windows', or Latin-1."""
    for mark, name in _BYTE_ORDER_MARKS:
        if head.startswith(mark):
            return name
    # Without a mark, separators and digits have one byte that is not 0.
    start = head[:200]
    zeros = start.count(0)
    if 2 * zeros > len(start):
        for name, bytes_of_zero in (("utf-32-le", (2, 3)), ("utf-32-be", (0, 1))):
            if not any(byte for k in bytes_of_zero for byte in start[k::4]):
                return name
    if 4 * zeros > len(start):
        return "utf-16-le" if start[1::2].count(0) > start[0::2].count(0) else "utf-16-be"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head, final=whole)
    except UnicodeDecodeError:
        return "latin-1" if any(byte in _UNDEFINED for byte in head) else "cp1252"
    return "utf-8"


def _decoded(head: bytes, encoding: str, whole: bool, where: str) -> str:
    """The first bytes as text; a character that is cut off at the end is left out."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(head, final=whole)
    except UnicodeError as error:
        raise DataError(
            f"data: {where} is not {encoding} text ({one_line(error)}); name its encoding "
            "(encoding=... of open_table, --encoding)."
        ) from error


def _refuse_binary(text: str, where: str) -> None:
    """Refuse what no text has: zeros, or many characters that nobody can see."""
    start = text[: 1 << 16]
    unseen = [c for c in start if c < " " and c not in _CONTROLS]
    if "\0" in unseen or len(unseen) > _MOST_UNSEEN * len(start):
        strange = min(unseen)
        raise DataError(
            f"data: {where} is not text, because it holds the character {strange!r}; is it of the "
            "kind that its name says, and in the encoding that was named?"
        )


# ---------------------------------------------------------------------------------------------
# Rows, by Arrow.

# Blanks before and after a text for a missing value, as in "1, NA, 3" and in aligned columns.
_MOST_BEFORE, _MOST_AFTER, _MOST_BLANKS = 12, 2, 32
_TRUTH = ("true", "false", "0", "1")
_SHOWN = 60  # characters of a cell or of a line in a message
_NOT_CLOSED = "a quote begins there that is not closed in the same cell"


def open_csv(path: Path, reading: Reading) -> OpenedFile:
    """A text file, compressed or not; its form and its types come from its first block."""
    where = f"file '{path}'"
    with byte_stream(path) as stream:
        head, whole = head_of(Pipe(stream), where)
    text, facts = _opened(
        path, head, whole, reading, where, "\t" if ".tsv" in path.name.lower() else ","
    )
    estimate = None
    if text.bytes_a_row and not is_compressed(path):
        estimate = int(path.stat().st_size / text.bytes_a_row)
    elif text.empty:
        estimate = 0
    return OpenedFile(
        str(path), estimated_rows=estimate, labels=text.labels, form=text.form, **facts
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
    raw = Pipe(stream, owned=owned)
    for mark, what in _NOT_TEXT.items():
        if raw.head(len(mark)) == mark:
            raise DataError(f"data: expected CSV on {where}, got {what}; give its path.")
    with readable(name):
        start = raw.head(len(_XZ))
        if start == _XZ:
            raw = Pipe(lzma.LZMAFile(cast(BinaryIO, raw)))  # noqa: SIM115
        elif (codec := _codec(start)) is not None:
            raw = Pipe(pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), codec))
        head, whole = head_of(raw, where)
        if not head.strip():
            raise DataError(f"data: expected CSV on {where}, got nothing; pipe rows into it.")
        text, facts = _opened(raw, head, whole, reading, where, ",")
    raw.kept = _BLOCKS_KEPT * max(_PIPE_BLOCK, 2 * text.form.longest)
    return OpenedFile(name, estimated_rows=None, rescannable=False, **facts)


def _opened(
    source: Path | Pipe, head: bytes, whole: bool, reading: Reading, where: str, usual: str
) -> tuple[_Text, dict[str, Any]]:
    """A text whose form and types are known from its head, and what is told about it."""
    form, notes = sniffed(head, whole, reading, where, usual)
    schema, bytes_a_row = csv_schema(head, whole, form, where)
    if form.multiline:
        for _ in _rows(_lines_in(head, form), form, where, whole=whole):
            pass
    text = _Text(source, where, form, schema, bytes_a_row, whole and not bytes_a_row)
    text.quotes_are_closed = form.multiline and whole
    texts, hints = _texts(head, form, schema, where)
    facts = {
        "names": form.layout.names,
        "named": form.layout.header,
        "n_rows": None,
        "read": text.read,
        "texts": texts,
        "index": form.layout.index,
        "index_notes": form.layout.index_notes,
        "notes": notes,
        "first_text": lambda column: hints.get(column, ""),
    }
    return text, facts


def csv_schema(head: bytes, whole: bool, form: TextFormat, where: str) -> tuple[pa.Schema, float]:
    """The types of the columns, by name, and about how many bytes a row takes."""
    text, full = head, len(head)
    if not form.encoding.startswith("utf-8"):
        text = head.decode(form.encoding, "replace").encode()
        form, full = replace(form, encoding="utf-8"), len(text)
    if not whole:
        text = _whole_lines(text, form.quote.encode() if form.multiline else b"")
    layout = form.layout
    if len(text.splitlines()) <= form.skip:  # names and no rows
        return pa.schema([(name, pa.float64()) for name in layout.names]), 0.0
    try:
        reader = _reader(in_arrows_memory(text), form, {}, [*map(str, layout.places)], where)
        schema, rows = reader.schema, sum(batch.num_rows for batch in reader)
    except pa.ArrowInvalid as error:
        raise _fault(_lines_in(text, form), error, form, where) from error
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


def _texts(
    head: bytes, form: TextFormat, schema: pa.Schema, where: str
) -> tuple[dict[str, str], dict[str, str]]:
    """The columns that do not hold numbers: the cell that says so, and what it may stand for."""
    kinds = {one.name: one.type for one in schema if not is_numeric(one.type)}
    texts = {name: f"{kind}" for name, kind in kinds.items()}
    hints: dict[str, str] = {}
    left = {name: form.layout.place(name) for name in texts}
    for line, row in _rows(_lines_in(head, form), form, where, whole=False) if left else ():
        for name, place in [*left.items()] if len(row) == form.layout.n_cells else ():
            cell = row[place]
            if not is_number(cell, form.decimal) and not is_missing(cell):
                time = pa.types.is_temporal(kinds[name])
                texts[name] = (
                    f"{'dates' if time else 'text'}, first {_short(cell)!r} in line {line}"
                )
                hints[name] = _hint(cell, line, form)
                del left[name]
        if not left:
            break
    return texts, hints


def _hint(cell: str, line: int, form: TextFormat) -> str:
    """What a text among numbers may be, as the beginning of a remedy."""
    if not form.layout.header and line == form.skip + 1:
        return "; if line 1 holds the names, say so (header=True of open_table, --header)"
    if len(form.layout.names) == 1:
        return "; if that is several cells, say what is between them (sep=..., --sep)"
    other = "," if form.decimal == "." else "."
    if has_thousands(cell):
        return "; write numbers without thousands separators"
    if other in cell and is_number(cell, other):
        return f"; if {other!r} is the decimal point, say so (decimal={other!r}, --decimal {other})"
    if not is_name(cell):
        return (
            "; if that stands for a missing value, say so (na_values=... of open_table, "
            "--na-values)"
        )
    return ""


@dataclass(slots=True)
class _Text:
    """A text whose form is known, in a file or a pipe, and passes over its rows."""

    source: Path | Pipe
    where: str
    form: TextFormat
    schema: pa.Schema
    bytes_a_row: float
    empty: bool
    quotes_are_closed: bool = False  # whether it is known that no quote swallows rows
    spent: bool = False

    def read(self, columns: Sequence[str], skip: int, along: Sequence[str] = ()) -> Iterator[Rows]:
        """A pass over some columns, from row `skip` on; an error names the column and the line."""
        if self.spent:
            raise DataError(f"data: {self.where} was read already and cannot be read again.")
        self.spent = isinstance(self.source, Pipe)
        if self.empty:  # Arrow cannot skip all lines of a file
            return
        form = self.form
        place = {name: str(form.layout.place(name)) for name in columns}
        # Types were guessed from the first block, where a column of fractions may hold only whole
        # numbers or gaps. As float64, the rest of the file cannot contradict them.
        kinds: dict[str, pa.DataType] = {
            place[name]: kind if pa.types.is_boolean(kind) else pa.float64()
            for name in columns
            if is_numeric(kind := self.schema.field(name).type)
        }
        # Labels are text, whatever the first block looks like.
        labels = [place[name] for name in along]
        kinds |= dict.fromkeys(labels, pa.string())
        watch, done = None, 0
        try:
            with self._stream() as stream:
                # Only a column that is not read can swallow rows without an error.
                unread = len(columns) < len(form.layout.names)
                if (
                    unread
                    and not form.rewritten
                    and form.ascii_compatible
                    and not self.quotes_are_closed
                ):
                    stream = watch = _QuoteWatch(stream, form.quote)
                small = _PIPE_BLOCK if self.spent else CSV_BLOCK
                reader = _reader(stream, form, kinds, [*place.values()], self.where, small)
                batches = _without_numbers(iter(reader), form)
                for rows in fixed_blocks(batches, len(columns), skip, labels):
                    yield rows
                    done += rows.shape[0]
        except pa.ArrowInvalid as error:
            first, lines = self._lines()
            raise _fault(
                lines,
                error,
                form,
                self.where,
                [int(place[name]) for name in columns if name not in along],
                truths=[int(at) for at, kind in kinds.items() if pa.types.is_boolean(kind)],
                known_good=skip + done if first == 1 else 0,
                first=first,
            ) from error
        if not self.quotes_are_closed and (form.multiline or (watch is not None and watch.odd)):
            self._check_quotes()
        self.quotes_are_closed = True

    def labels(self, name: str) -> list[Any]:
        """A column as text: one that begins with numbers may end with words. A gap is a gap."""
        if self.empty:
            return []
        place = str(self.form.layout.place(name))
        with self._stream() as stream:
            reader = _reader(stream, self.form, {place: pa.string()}, [place], self.where)
            return list(reader.read_all().column(0).to_pylist())

    def _stream(self) -> Any:
        return (
            byte_stream(self.source) if isinstance(self.source, Path) else nullcontext(self.source)
        )

    def _lines(self) -> tuple[int, Iterator[str]]:
        """The lines, of a pipe those that are remembered, and the number of the first."""
        if isinstance(self.source, Path):
            stream = byte_stream(self.source)
            return 1, io.TextIOWrapper(stream, self.form.encoding, errors="replace", newline="")
        lines, before = _lines_in(self.source.last(), self.form), self.source.lines_before
        if before:
            next(lines, "")  # the rest of a line
        return before + 1 + bool(before), lines

    def _check_quotes(self) -> None:
        first, lines = self._lines()
        for _ in _rows(lines, self.form, self.where, first=first) if first == 1 else ():
            pass


def _reader(
    stream: Any,
    form: TextFormat,
    kinds: dict[str, pa.DataType],
    places: Sequence[str],
    where: str,
    block: int = CSV_BLOCK,
) -> pa.csv.CSVStreamingReader:
    """Arrow's reader of a text of this form; its columns are called by their places."""
    sep, quote, escape, skip = form.sep, form.quote, form.escape, form.skip
    # Numbers are the same bytes in most encodings, so only text has to be decoded.
    text = pa.string() in kinds.values() or not "".join(form.na_values).isascii()
    decoded = (text and not form.encoding.startswith("utf-8")) or not form.ascii_compatible
    if form.rewritten:
        lines = io.TextIOWrapper(stream, form.encoding, newline="")
        stream = _Made(_rewritten(lines, form, where))
        sep, quote, escape, skip = ",", '"', None, 0
    elif sep == BLANKS:
        stream, sep = _Made(_squeezed(io.TextIOWrapper(stream, form.encoding))), " "
    elif decoded:
        raw = stream
        chunks = iter(lambda: raw.read(_CHUNK), b"")
        stream = _Made(part.encode() for part in codecs.iterdecode(chunks, form.encoding))
    if isinstance(stream, io.RawIOBase):
        stream = pa.PythonFile(stream, mode="r")
    return arrow_csv.open_csv(
        stream,
        read_options=arrow_csv.ReadOptions(
            block_size=max(block, 2 * form.longest),
            column_names=[str(k) for k in range(form.layout.n_cells)],
            skip_rows=skip,
        ),
        parse_options=arrow_csv.ParseOptions(
            delimiter=sep,
            quote_char=quote,
            escape_char=escape or False,
            newlines_in_values=form.multiline,
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types=kinds,
            include_columns=list(places),
            null_values=missing_texts(form.na_values, form.padded),
            strings_can_be_null=True,
            decimal_point=form.decimal,
        ),
    )


def missing_texts(more: Sequence[str], padded: bool) -> list[str]:
    """All spellings of a missing value; with blanks around them if the cells have such."""
    texts = [*MISSING, *more]
    if not padded:
        return texts
    return [
        *(" " * n for n in range(_MOST_BLANKS)),
        *("\t" * n for n in range(1, 4)),
        *(
            " " * before + text + " " * after
            for text in texts
            if text
            for before in range(_MOST_BEFORE)
            for after in range(_MOST_AFTER + 1)
        ),
    ]


def _rewritten(lines: Iterator[str], form: TextFormat, where: str) -> Iterator[bytes]:
    """The rows as Arrow reads them, between commas and double quotes; each is checked."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    for line, row in _rows(lines, form, where):
        if len(row) != form.layout.n_cells:
            raise _wrong_length(row, line, form, where)
        write(row)
        if out.tell() > _CHUNK:
            yield out.getvalue().encode()
            out.seek(0)
            out.truncate()
    yield out.getvalue().encode()


def _squeezed(file: io.TextIOWrapper) -> Iterator[bytes]:
    """A text with one blank between cells, and none at the ends of lines."""
    while lines := file.readlines(_CHUNK):
        yield "\n".join([*(" ".join(line.split()) for line in lines), ""]).encode()


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


class _QuoteWatch(io.RawIOBase):
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


# ---------------------------------------------------------------------------------------------
# Rows, by Python: slower, and with the numbers of lines.


def _lines_in(text: bytes, form: TextFormat) -> Iterator[str]:
    return iter(io.StringIO(text.decode(form.encoding, "replace"), newline=""))


def _rows(
    lines: Iterator[str], form: TextFormat, where: str, *, first: int = 1, whole: bool = True
) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, and the numbers of their lines.

    A cell that goes over several lines must be quoted properly: a quote that is never closed ends
    at the next one, which begins a cell in another line. If the lines are not the `whole` text, the
    last cell may be cut off.
    """
    before = form.skip if first == 1 else 0
    lines, line = islice(lines, before, None), first + before
    seen: list[str] = []

    def fed() -> Iterator[str]:
        for one in lines:
            seen.append(one)
            yield one

    n = form.layout.n_cells
    reader = _csv_reader(fed(), form.sep, form.quote, form.escape)
    with _long_cells():
        while True:
            try:
                row = next(reader, None)
                if len(seen) > 1 and form.sep != BLANKS:
                    proper = [*csv.reader(seen, reader.dialect, strict=True)]
                    if len(proper) > 1:
                        raise csv.Error
            except csv.Error as error:
                if not whole and next(lines, None) is None:
                    return
                raise DataError(
                    f"data: line {line} of {where} cannot be read: {_NOT_CLOSED}; correct it."
                ) from error
            if row is None:
                return
            blank = not any(cell.strip() for cell in row) and (form.rewritten or row in ([], [""]))
            if not blank or len(row) == n > 1 or (row and n == 1 and row[0]):
                yield line, row
            line += len(seen)
            seen.clear()


def _fault(
    lines: Iterator[str],
    error: Exception,
    form: TextFormat,
    where: str,
    places: Sequence[int] = (),
    *,
    truths: Collection[int] = (),
    known_good: int = 0,
    first: int = 1,
) -> DataError:
    """What is wrong, in a sentence: the first line of a wrong length, or the first wrong cell."""
    missing = frozenset(missing_texts(form.na_values, form.padded))
    try:
        for n, (line, row) in enumerate(_rows(lines, form, where, first=first)):
            if len(row) != form.layout.n_cells:
                return _wrong_length(row, line, form, where)
            for place in places if n >= known_good else ():
                cell, truth = row[place], place in truths
                good = cell.strip().lower() in _TRUTH if truth else is_number(cell, form.decimal)
                if not good and cell not in missing:
                    return _wrong_cell(cell, truth, place, line, form, where)
    except DataError as other:
        return other
    if "invalid UTF8" in str(error):
        return DataError(
            f"data: {where} has text that is not UTF-8 after its first lines; name its encoding "
            "(encoding='latin-1' of open_table, --encoding latin-1)."
        )
    return DataError(
        f"data: {where} cannot be read: {one_line(error)}. Is it complete, and of the kind that "
        "its name says?"
    )


def _wrong_length(row: Sequence[str], line: int, form: TextFormat, where: str) -> DataError:
    sep = " " if form.sep == BLANKS else form.sep
    count = "1 cell" if len(row) == 1 else f"{len(row)} cells"
    return DataError(
        f"data: line {line} of {where} has {count}, expected {form.layout.n_cells} as in the lines "
        f"before: {_short(sep.join(row))!r}; correct or remove the line."
    )


def _wrong_cell(
    cell: str, truth: bool, place: int, line: int, form: TextFormat, where: str
) -> DataTypeError:
    name, text = form.layout.names[form.layout.places.index(place)], _short(cell)
    other = "," if form.decimal == "." else "."
    if other in cell and is_number(cell, other):
        return DataTypeError(
            f"data: column {name!r} of {where} must hold numbers with the decimal point "
            f"{form.decimal!r}, got {text!r} in line {line}; say decimal={other!r} "
            f"(--decimal {other}) if that is the decimal point, else correct the cell."
        )
    return DataTypeError(
        f"data: column {name!r} of {where} must hold {'true or false' if truth else 'numbers'}, "
        f"got {text!r} in line {line}; if that stands for a missing value, say so "
        f"(na_values={text!r} of open_table, --na-values), else correct it or leave out the "
        "column."
    )


def _short(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


# ---------------------------------------------------------------------------------------------
# JSON lines: an object on each line, its keys the columns.


def open_json_lines(path: Path) -> OpenedFile:
    """A file of JSON objects, one on each line, all read once: a key may begin in the last."""
    texts: dict[str, str] = {}
    names: dict[str, None] = {}
    n = 0
    for line, record in _records(path):
        n += 1
        for name, value in record.items():
            names[name] = None
            if not (value is None or isinstance(value, int | float)) and name not in texts:
                texts[name] = f"{_json_kind(value)}, first {_short(str(value))!r} in line {line}"
    if not names:
        raise DataError(f"data: file '{path}' is empty; expected an object on each line.")

    def read(columns: Sequence[str], skip: int, along: Sequence[str] = ()) -> Iterator[Rows]:
        records = islice((record for _, record in _records(path)), skip, None)
        while some := list(islice(records, batch_rows(len(columns)))):
            rows: FloatArray = np.empty((len(some), len(columns)), order="F")
            for k, name in enumerate(columns):
                values = [record.get(name) for record in some]
                rows[:, k] = [
                    label_number(value) if name in along else np.nan if value is None else value
                    for value in values
                ]
            yield rows

    def labels(name: str) -> list[Any]:
        return [record.get(name) for _, record in _records(path)]

    return OpenedFile(str(path), tuple(names), True, n, n, read, texts=texts, labels=labels)


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects, with the numbers of their lines; blank lines are left out."""
    with io.TextIOWrapper(byte_stream(path), "utf-8-sig") as text:
        for number, line in enumerate(text, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line, parse_int=_whole)
            except (ValueError, RecursionError) as error:
                raise DataError(
                    f"data: line {number} of file '{path}' is not JSON: {one_line(error)}; each "
                    "line must hold one object."
                ) from error
            if not isinstance(record, dict):
                raise DataError(
                    f"data: line {number} of file '{path}' must hold an object such as "
                    f'{{"a": 1, "b": 2}}, got {_json_kind(record)}; each line is a row.'
                )
            yield number, record


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) < 300 else float(digits)  # more are beyond float64


def _json_kind(value: object) -> str:
    kinds: dict[type, str] = {str: "text", list: "a list", dict: "objects"}
    return kinds.get(type(value), "a value")

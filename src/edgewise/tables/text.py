"""Text files: comma-separated values and their relatives; never wrong in silence.

The format of a text is worked out from its first lines. Arrow parses it; what Arrow would take for
something else goes through Python's reader first, and so does every text in which a quote may
swallow lines. What cannot be read in one way only is refused with the line that is in doubt.
"""

from __future__ import annotations

import codecs
import csv
import io
import lzma
import re
import sys
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from itertools import islice, pairwise, product
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, cast

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from edgewise._checks import check_known, default_names
from edgewise._text import joined, one_line
from edgewise.errors import DataError, DataTypeError
from edgewise.tables.arrow import fixed_blocks, is_numeric
from edgewise.tables.formats import STANDARD_INPUT, Address, OpenedFile, readable
from edgewise.tables.reading import Reading
from edgewise.tables.table import Rows

# ---------------------------------------------------------------------------------------------
# Cells: numbers, missing values and names.

#: Texts that stand for a missing value in every file.
MISSING = (
    *("", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "NULL", "null", "None", "NaN"),
    *("nan", "-NaN", "-nan", "1.#IND", "1.#QNAN", "-1.#IND", "-1.#QNAN"),
)
_BLANKS = " \t"  # around a cell; the parser of numbers takes no others away
_ANY_CASE = re.IGNORECASE | re.ASCII  # only the digits that the parser knows
_NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?|nan)", _ANY_CASE)
_WHOLE = re.compile(r"[+-]?\d+(\.0*)?", re.ASCII)
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}([., '’\u00a0\u202f])\d{3}(\1\d{3})*([.,]\d*)?")
# Texts without any letter or digit, and these, are what people write where a value is missing.
_NOT_A_NAME = frozenset(
    {"none", "missing", "unknown", "nil", "nd", "n.d.", "na", "undefined", "void", "error"}
)


def is_number(cell: str, decimal: str = ".") -> bool:
    """Whether a cell holds a number, with this decimal point."""
    text = cell.strip(_BLANKS)
    if decimal != ".":
        if "." in text:
            return False
        text = text.replace(decimal, ".")
    return _NUMBER.fullmatch(text) is not None


def as_number(cell: str, decimal: str = ".") -> float:
    """The number that a cell holds."""
    return float(cell.replace(decimal, "."))


def is_whole(cell: str) -> bool:
    """Whether a cell holds a whole number, such as 3 or 3.0."""
    return _WHOLE.fullmatch(cell.strip(_BLANKS)) is not None


def has_thousands(cell: str) -> bool:
    """Whether a cell may hold a number with thousands apart, such as 1,234 or 1.234,56."""
    return _THOUSANDS.fullmatch(cell.strip(_BLANKS)) is not None


def is_missing(cell: str, more: Sequence[str] = (), decimal: str = ".") -> bool:
    """Whether a cell stands for a missing value; a number that does so may be spelled otherwise."""
    text = cell.strip(_BLANKS)
    if text in MISSING or text in more:
        return True
    return (
        bool(more)
        and is_number(text, decimal)
        and as_number(text, decimal) in missing_numbers(more, decimal)
    )


def missing_numbers(texts: Iterable[str], decimal: str = ".") -> frozenset[float]:
    """The numbers among the texts for missing values: -999 also stands for -999.0."""
    return frozenset(as_number(text, decimal) for text in texts if is_number(text, decimal))


def is_name(cell: str, decimal: str = ".") -> bool:
    """Whether a text may be the name of a column: no number, and no word for a missing value."""
    text = cell.strip()
    return (
        any(character.isalnum() for character in text)
        and text.lower() not in _NOT_A_NAME
        and not is_number(text, decimal)
        and not is_missing(text)
    )


# ---------------------------------------------------------------------------------------------
# Layout: which cells are names, row labels and values.

#: More columns are refused: a line of a million cells takes gigabytes.
MOST_COLUMNS = 30_000
# What programs call a column that only numbers or names the rows: pandas reads the empty name as
# "Unnamed: 0", and if that was written and read again there is "Unnamed: 0.1" before it.
_NO_NAME = re.compile(r"|unnamed: \d+(\.\d+)?|unnamed: 0_level_\d+", re.IGNORECASE)
_ID_NAMES = ("id", "_id", "row_id", "rowid", "row_names", "rownames", "row.names", "row_number")
# Names that may also be those of variables; R's read.csv makes "X" of the empty name.
_COUNTER_NAMES = (*_ID_NAMES, "x", "index", "level_0", "no", "no.", "nr", "#", "obs", "row")
_LOOKED_AT = 50  # rows that show which columns hold numbers
_FEWEST_COUNTED = 3  # rows that must count up before a column of such a name is a counter
_MOST_TITLES = 40  # rows above the names


@dataclass(frozen=True, slots=True)
class Layout:
    """Which cells of a table are what."""

    names: tuple[str, ...]  # without those of columns that are empty
    places: tuple[int, ...]  # of each among the cells of a line
    n_cells: int
    header: bool  # whether the first line holds the names
    index: tuple[str, ...]  # columns that number or name the rows, and so are no variables
    index_notes: tuple[str, ...]  # a note about each of them; empty if the user named it
    notes: tuple[str, ...]

    def place(self, name: str) -> int:
        """The place of a column among the cells of a line."""
        return self.places[self.names.index(name)]


def layout_of(
    rows: Sequence[Sequence[str]], reading: Reading, decimal: str = ".", where: str = "the file"
) -> Layout:
    """The layout of a table from the cells of its first lines."""
    header = reading.header
    if header is None:
        header = _has_header(rows, reading.na_values, decimal, where)
    body = rows[1:] if header else rows
    n_cells = usual_length(body or rows)
    if max(n_cells, len(rows[0])) > MOST_COLUMNS:
        raise too_wide(max(n_cells, len(rows[0])), where)
    notes: list[str] = []
    names = _names(rows[0], body, n_cells, where) if header else list(default_names(n_cells))
    if reading.header is None and not header:
        notes.append(
            "its first line looks like a row, so its columns are called x0, x1, … "
            "(header=True, --header: it holds their names)"
        )
    elif reading.header is None and any(is_number(name, decimal) for name in rows[0]):
        notes.append(
            "its first line holds whole numbers that go up, so they are taken as names "
            "(header=False, --no-header: it is a row)"
        )
    # Empty columns at the end that have no name are left out.
    last = len(names)
    while last > 1 and not names[last - 1] and all(_empty(row, last - 1) for row in body):
        last -= 1
    if (many := len(names) - last) == 1:
        notes.append("its last column has no name and no values, and is left out")
    elif many:
        notes.append(f"its last {many} columns have no names and are empty, and are left out")
    index: dict[int, str] = {}
    if isinstance(given := reading.index_col, str) or type(given) is int:
        index = {_given_place(given, names, where): ""}
    elif header and given is None:
        index = _index_places(names[:last], body, decimal, notes)
    # Two columns without a name cannot be told apart, but nobody needs those of row numbers.
    places = [k for k in range(last) if k not in index or names.count(names[k]) == 1]
    notes += [note for k, note in index.items() if k not in places]
    index = {k: note for k, note in index.items() if k in places}
    return Layout(
        names=tuple(names[place] for place in places),
        places=tuple(places),
        n_cells=len(names),
        header=header,
        index=tuple(names[place] for place in index),
        index_notes=tuple(index.values()),
        notes=tuple(notes),
    )


def too_wide(count: int, where: str) -> DataError:
    """The error for more columns than a table of text can have."""
    return DataError(
        f"data: {where} has {count:,} columns, and text of more than {MOST_COLUMNS:,} takes too "
        "much memory; write the columns of interest, or save an array as .npy."
    )


def titles_above(rows: Sequence[Sequence[str]]) -> int:
    """How many rows are a title above the names: short, or almost empty, with all names below."""
    width = usual_length(rows[1:] or rows)
    for k, row in enumerate(rows[:_MOST_TITLES]):
        if len(row) == width > 1 and all(cell.strip() for cell in row[k == 0 :]):
            fits = k > 0 and all(map(is_name, row)) and len(set(row)) == width
            return k if fits and _numeric_columns(rows[k + 1 :], width) else 0
        if k and is_number(row[0]) and is_number(row[-1]):
            return 0  # a row
    return 0


def _names(
    first: Sequence[str], body: Sequence[Sequence[str]], n_cells: int, where: str
) -> list[str]:
    """The names of all columns, of which the first line may lack one, or have empty ones after."""
    names = [name.strip() for name in first]
    while len(names) > max(n_cells, 1) and not names[-1]:
        names.pop()
    if len(names) != n_cells - 1:
        return names
    if all(_empty(row, n_cells - 1) for row in body):
        return [*names, ""]  # lines that end with a separator
    # R's write.table writes no name above the names of rows, and these are different.
    labels = [row[0] for row in body if len(row) == n_cells]
    if len(set(labels)) < len(labels) or (len(names) == 1 and all(map(is_number, labels))):
        count = f"{len(names)} name{'s' * (len(names) > 1)}"
        raise DataError(
            f"data: {where} has {count} in its first line, but {n_cells} cells in the lines below; "
            "name every column, or say what is between the cells (sep=... of open_table, --sep)."
        )
    return ["", *names]


def _empty(row: Sequence[str], place: int) -> bool:
    return place >= len(row) or not row[place].strip()


def _index_places(
    names: Sequence[str], body: Sequence[Sequence[str]], decimal: str, notes: list[str]
) -> dict[int, str]:
    """The places of the columns at the front that number or name the rows, each with a note."""
    found: dict[int, str] = {}
    for place in range(len(names) - 1):
        cells = [row[place].strip() for row in body if place < len(row)]
        filled = [cell for cell in cells if not is_missing(cell)]
        unnamed = _NO_NAME.fullmatch(names[place]) is not None
        # Several columns without names are the levels of an index, in which values repeat.
        levels = _NO_NAME.fullmatch(names[place + 1]) is not None or bool(found)
        if unnamed and not levels and _measures(filled, decimal):
            notes.append(
                f"its column {names[place]!r} has no name and holds measurements, so it is a "
                f"variable (index_col={place}, --index-col {place}, leaves it out)"
            )
            break
        if not unnamed and (found or not _counts_rows(names[place].lower(), filled)):
            break
        what = "numbers" if all(is_number(cell, decimal) for cell in filled) else "names"
        found[place] = (
            f"its {'first ' * (place == 0)}column {names[place]!r} "
            f"{f'{what} the rows' if filled else 'is empty'} and is left out "
            "(index_col=False, --index-col none, keeps it)"
        )
    return found


def _measures(filled: Sequence[str], decimal: str) -> bool:
    """Whether cells hold numbers that name no row: fractions in no order, or some of them twice."""
    if not all(is_number(cell, decimal) for cell in filled):
        return False
    if all(map(is_whole, filled)):
        return len(set(filled)) < len(filled)
    steps = [as_number(b, decimal) - as_number(a, decimal) for a, b in pairwise(filled)]
    return not (all(step > 0 for step in steps) or all(step < 0 for step in steps))


def _counts_rows(name: str, filled: Sequence[str]) -> bool:
    """Whether a column of this name numbers or names the rows."""
    if name not in _COUNTER_NAMES or len(filled) < _FEWEST_COUNTED:
        return False
    if _counts_up(filled) and float(filled[0]) in (0, 1):
        return True
    numbers = any(map(is_number, filled))
    different = len(set(filled)) == len(filled)
    return name in _ID_NAMES and different and (not numbers or all(map(is_whole, filled)))


def _given_place(given: str | int, names: Sequence[str], where: str) -> int:
    """The place of the column that a user gives by its name or by its place."""
    if isinstance(given, str) and (given in names or not given.isdecimal()):
        check_known("index_col", [given], names, where)
        return names.index(given)
    if (place := int(given)) < len(names):  # on the command line a place is text too
        return place
    raise DataError(
        f"index_col: expected a place from 0 to {len(names) - 1}, since {where} has "
        f"{len(names)} columns, got {given}."
    )


def _has_header(
    rows: Sequence[Sequence[str]], na_values: Sequence[str], decimal: str, where: str
) -> bool:
    """Whether the first line holds names: words above numbers, or 0, 1, 2, …; in doubt it is a row."""
    first, body = rows[0], rows[1:]
    numbers = [k for k, cell in enumerate(first) if is_number(cell, decimal)]
    gaps = [k for k, cell in enumerate(first) if is_missing(cell, na_values, decimal)]
    if len({*numbers, *gaps}) == len(first):
        cells = [cell.strip() for cell in first if cell.strip()]
        if not cells or (_counts_up(cells) and float(cells[0]) == 0):
            return True
        values = [as_number(first[k], decimal) for k in numbers if k not in gaps]
        steps = [b - a for a, b in pairwise(values)]
        if len(steps) > 1 and min(steps) > 0 and max(steps) - min(steps) <= 1e-6 * max(steps):
            raise DataError(
                f"data: the first line of {where} may hold names, as years are, or be a row; say "
                "header=True or header=False (open_table; --header, --no-header)."
            )
        return False
    if not body or len(first) != usual_length(body):
        return True
    below = _numeric_columns(body, len(first), na_values, decimal)
    later = _numeric_columns(body[1:], len(first), na_values, decimal)
    pair = len(later) > 1 and len(body[0]) == len(first) and not numbers
    if pair and all(is_name(body[0][k], decimal) for k in later):
        raise DataError(
            f"data: {where} has words, such as {body[0][later[0]]!r}, in the row below its first "
            "names, as units or second names are; keep one row of names."
        )
    return not any(k in below and k not in gaps for k in numbers)


def _numeric_columns(
    body: Sequence[Sequence[str]],
    n_cells: int,
    na_values: Sequence[str] = (),
    decimal: str | None = None,
    *,
    meant: bool = False,
) -> list[int]:
    """The places of columns of which most cells are numbers, or `meant` as numbers, or gaps."""
    found = []
    points = (".", ",") if meant or decimal is None else (decimal,)
    for k in range(n_cells):
        column = [row[k] for row in body[:_LOOKED_AT] if k < len(row)]
        others = [
            cell
            for cell in column
            if not (any(is_number(cell, one) for one in points) or (meant and has_thousands(cell)))
        ]
        words = sum(not is_missing(cell, na_values, points[0]) for cell in others)
        if len(others) < len(column) and 2 * words < len(column) + meant:
            found.append(k)
    return found


def usual_length(rows: Sequence[Sequence[str]]) -> int:
    """The number of cells that most lines have."""
    lengths = [len(row) for row in rows]
    return max(set(lengths), key=lengths.count)


def _counts_up(cells: Sequence[str]) -> bool:
    """Whether cells hold whole numbers, each one more than the one before."""
    if len(cells) < 2 or not all(map(is_whole, cells)):
        return False
    return all(float(b) == float(a) + 1 for a, b in pairwise(cells))


# ---------------------------------------------------------------------------------------------
# Bytes. What is compressed is known by how it begins, whatever the name of the file says.

# Bytes parsed at once: large enough to amortise, small enough to stay in the cache; of a pipe less.
CSV_BLOCK = 1 << 21
_PIPE_BLOCK = _CHUNK = 1 << 18
_FEWEST_LINES = 3  # in the head: names and rows
_LONGEST_HEAD = 1 << 26
_CODECS = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bz2",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
}
_XZ, _ZIP = b"\xfd7zXZ\x00", b"PK\x03\x04"
_COMPRESSED = (_XZ, _ZIP, *_CODECS)
# Kinds that must be read from the end, so not from a pipe.
_NOT_TEXT = {
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"\x93NUMPY": "a .npy file",
    _ZIP: "an archive or a workbook",
}


def byte_stream(source: Path | Address | bytes) -> Any:
    """The decompressed bytes of a file, as Arrow reads them."""
    if isinstance(source, bytes):
        return in_arrows_memory(source)
    start = _start(source)
    if start.startswith(_XZ):
        return pa.PythonFile(lzma.open(_plain(source)), mode="r")
    if start.startswith(_ZIP):
        return pa.PythonFile(_only_member(source), mode="r")
    codec = _codec(start)
    if isinstance(source, Path):
        return pa.input_stream(str(source), compression=codec)
    return pa.CompressedInputStream(source.open(), codec) if codec else source.open()


def _plain(source: Path | Address) -> Any:
    """A path, or an open file that is elsewhere."""
    return source if isinstance(source, Path) else source.open()


def _start(path: Path | Address) -> bytes:
    with path.open("rb") as file:
        start: bytes = file.read(len(_XZ))
        return start


def _codec(start: bytes) -> str | None:
    return next((codec for mark, codec in _CODECS.items() if start.startswith(mark)), None)


def _only_member(path: Path | Address) -> Any:
    """The only file in a .zip archive."""
    try:
        archive = zipfile.ZipFile(_plain(path))
        listed = archive.infolist()
        members = [
            one for one in listed if not (one.is_dir() or one.filename.startswith("__MACOSX/"))
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
    """A stream that shows its front before it is read."""

    def __init__(self, stream: Any, *, owned: bool = False) -> None:
        super().__init__()
        self._stream, self._owned, self._ahead = stream, owned, b""

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
        if not self._ahead:
            return self._stream.read(size) or b""
        end = len(self._ahead) if size is None or size < 0 else size
        chunk, self._ahead = self._ahead[:end], self._ahead[end:]
        return chunk


def standard_input() -> BinaryIO:
    """Standard input without Python's buffer, whose lock may crash an interpreter that ends."""
    try:
        return cast(BinaryIO, io.FileIO(sys.stdin.fileno(), closefd=False))
    except (OSError, ValueError, AttributeError):
        return sys.stdin.buffer


def in_arrows_memory(text: bytes) -> Any:
    """A stream of a copy of these bytes, for which Arrow's threads need no Python.

    One that lets go of them at the end of the program would otherwise abort it.
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
# The format of a text, worked out from its first lines.

BLANKS = "whitespace"
_SEPARATORS = (",", ";", "\t", BLANKS, "|", "^", "~", "\x01", ":")
# These must stand between names too, since they also stand within cells, as in times.
_RARE = ("^", "~", "\x01", ":")
# So many lines, or as many as fit into so many characters, show the format of a file.
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
    """The format of a text file."""

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


def sniffed(
    head: bytes, whole: bool, reading: Reading, where: str, usual: str = ","
) -> tuple[TextFormat, tuple[str, ...]]:
    """The format of a text file from its first bytes, and notes about what is unusual."""
    encoding = reading.encoding or _encoding_of(head, whole)
    text = _decoded(head, encoding, whole, where)
    # Only \n, \r and \r\n end a line; the last one may be cut off.
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines = [line + "\n" for line in ((lines if whole and lines[-1] else lines[:-1]) or lines)]
    skip, named_sep = _remarks(lines) if reading.skip is None else (reading.skip, None)
    shown = _shown(lines[skip:])
    if not any(line.strip() for line in shown):
        raise DataError(f"data: {where} is empty; expected the names of columns, and rows.")
    for sep in _SEPARATORS:
        cells = max(
            len(line.split()) if sep == BLANKS else 1 + line.count(sep) for line in shown[:4]
        )
        if cells > MOST_COLUMNS:
            raise too_wide(cells, where)
    sep, quote, escape = _dialect(shown, reading, named_sep, usual)
    rows, ends = _cells_of(shown, sep, quote, escape)
    above = titles_above(rows) if reading.header is None and reading.skip is None else 0
    titles = ends[above - 1] if above else 0
    rows, ends = rows[above:], ends[above:]
    decimal = reading.decimal or _decimal(rows, sep, where)
    remark = None if above else _names_in_remark(lines[:skip], rows, sep, quote, decimal, reading)
    rows = rows if remark is None else [remark, *rows]
    known = reading
    if reading.header is None:
        # R puts all names in quotes, but no numbers: "2001","2002" are names.
        later = "".join(shown[ends[0] : ends[0] + 20])
        every = shown[titles].count(quote) >= 2 * len(rows[0])
        if remark is not None or above or (every and later.strip() and quote not in later):
            known = replace(reading, header=True)
    layout = layout_of(rows, known, decimal, where)
    quoted = quote in text
    odd_quotes = quoted and any(line.count(quote) % 2 for line in lines)
    form = TextFormat(
        encoding=encoding,
        sep=sep,
        quote=quote,
        escape=escape,
        decimal=decimal,
        skip=skip + (ends[0] if layout.header and remark is None else titles),
        layout=layout,
        na_values=reading.na_values,
        longest=len(max(lines, key=len).encode("utf-8", "replace")),
        multiline=odd_quotes,
        padded=any(cell[:1].isspace() or cell[-1:].isspace() for row in rows for cell in row),
        # Arrow takes a quote after a blank for a part of the cell, and a line of blanks for a row; it
        # does not see that a quote in a cell of several lines is never closed.
        rewritten=sep == BLANKS
        or encoding.startswith(("utf-16", "utf-32"))
        or odd_quotes
        or (quoted and re.search(f"(^|[{re.escape(sep)}\n]) +{quote}", text) is not None)
        or any(line.isspace() and line != "\n" for line in lines),
    )
    return form, _notes(form, reading, usual, titles)


def _notes(form: TextFormat, reading: Reading, usual: str, titles: int) -> tuple[str, ...]:
    """What was worked out and is not the default."""
    unusual = []
    if reading.sep is None and form.sep != usual:
        shown = {"\t": "tabs", BLANKS: "blanks"}.get(form.sep)
        unusual.append(f"{shown} as separators" if shown else f"separator {form.sep!r}")
    if reading.decimal is None and form.decimal == ",":
        unusual.append("decimal comma")
    if reading.encoding is None and not form.encoding.startswith("utf-8"):
        unusual.append(f"{form.encoding} text")
    if reading.quote is None and form.quote == "'":
        unusual.append("single quotes")
    if form.escape:
        unusual.append("backslashes before quotes")
    notes = [f"is read with {joined(unusual, 'and')}"] if unusual else []
    if titles:
        lines = "line is" if titles == 1 else f"{titles} lines are"
        notes.append(
            f"its first {lines} above the names and skipped (header=True, --header: not a title)"
        )
    return (*notes, *form.layout.notes)


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


def _shown(lines: Sequence[str]) -> list[str]:
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
    given = reading.sep or named_sep
    best: tuple[str, str, str | None] = (given or usual, reading.quote or '"', None)
    best_score = 0.0
    for sep in [given] if given else sorted(_SEPARATORS, key=lambda one: one != usual):
        if sep != BLANKS and sep not in text:
            continue
        between = " " if sep == BLANKS else re.escape(sep)
        single = reading.quote is None and re.search(f"(^|[{between}\n]) *'", text)
        quotes = ['"', "'"] if single and sep != BLANKS else [reading.quote or '"']
        escaped = "\\" in text and re.search(rf"\\[\"'{between}]", text)
        for quote, escape in product(quotes, (None, "\\") if escaped else (None,)):
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
    # What was read before something that cannot be read shows the format.
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
    if commas and not points:
        decimal, mark, doubtful = ",", "comma", commas
    else:
        # With semicolons a point may set thousands apart, as in 567 and 1.234.
        few = min(len(points), sum(map(str.isdecimal, cells))) < _FEWEST_THOUSANDS
        decimal, mark, doubtful = ".", "point", [] if sep != ";" or few else points
    if doubtful and all(map(has_thousands, doubtful)):
        raise DataError(
            f"data: {where} has cells such as {doubtful[0]!r}, where the {mark} may be the decimal "
            f"point or set thousands apart; say decimal={decimal!r} (--decimal {decimal}) if it is "
            f"the decimal point, else write the numbers without {mark}s."
        )
    return decimal


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
    (names, *_), _ = _cells_of([last.lstrip("#")], sep, quote, None)
    return names if len(names) == len(rows[0]) else None


def _encoding_of(head: bytes, whole: bool) -> str:
    """The encoding: what the byte order mark says, or UTF-8 if it fits, or Windows', or Latin-1."""
    for mark, name in _BYTE_ORDER_MARKS:
        if head.startswith(mark):
            return name
    # Without a mark, separators and digits have one byte that is not 0.
    start = head[:200]
    zeros = start.count(0)
    if 4 * zeros > len(start):
        return "utf-16-le" if start[1::2].count(0) > start[0::2].count(0) else "utf-16-be"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head, final=whole)
    except UnicodeDecodeError:
        return "latin-1" if any(byte in _UNDEFINED for byte in head) else "cp1252"
    return "utf-8"


def _decoded(head: bytes, encoding: str, whole: bool, where: str) -> str:
    """The first bytes as text, without a cut-off last character; no text has zeros."""
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(head, final=whole)
    except UnicodeError as error:
        raise DataError(
            f"data: {where} is not {encoding} text ({one_line(error)}); name its encoding "
            "(encoding=... of open_table, --encoding)."
        ) from error
    start = text[: 1 << 16]
    unseen = [c for c in start if c < " " and c not in _CONTROLS]
    if "\0" in unseen or len(unseen) > _MOST_UNSEEN * len(start):
        raise DataError(
            f"data: {where} is not text, because it holds the character {min(unseen)!r}; is it of "
            "the kind that its name says, and in the encoding that was named?"
        )
    return text


# ---------------------------------------------------------------------------------------------
# Rows, by Arrow.

# Blanks before and after a text for a missing value, as in "1, NA, 3" and in aligned columns.
_MOST_BEFORE, _MOST_AFTER, _MOST_BLANKS = 12, 2, 32


def open_csv(path: Path | Address, reading: Reading) -> OpenedFile:
    """A text file, compressed or not; its format and its types come from its first block."""
    usual = "\t" if ".tsv" in path.name.lower() else ","
    with byte_stream(path) as stream:
        head, whole = head_of(Pipe(stream), f"file '{path}'")
    opened, bytes_a_row = _opened(path, str(path), head, whole, reading, usual)
    estimate = opened.estimated_rows
    if bytes_a_row and isinstance(path, Path) and not _start(path).startswith(_COMPRESSED):
        estimate = int(path.stat().st_size / bytes_a_row)
    return replace(opened, estimated_rows=estimate)


def open_text(path: str, text: bytes, reading: Reading) -> OpenedFile:
    """Text in memory, as of a file."""
    head, whole = head_of(Pipe(io.BytesIO(text)), f"file '{path}'")
    return _opened(text, path, head, whole, reading, ",")[0]


def open_csv_stream(
    stream: BinaryIO, name: str, reading: Reading, *, owned: bool = False
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
        opened, _ = _opened(raw, name, head, whole, reading, ",")
    return replace(opened, rescannable=False, labels=None, form=None)


def _opened(
    source: _Source, path: str, head: bytes, whole: bool, reading: Reading, usual: str
) -> tuple[OpenedFile, float]:
    """A text whose format and types are known from its head, and about how many bytes a row has."""
    where = path if path == STANDARD_INPUT else f"file '{path}'"
    form, notes = sniffed(head, whole, reading, where, usual)
    schema, bytes_a_row = csv_schema(head, whole, form, where)
    empty = whole and not bytes_a_row
    text = _Text(source, where, form, schema, empty)
    texts = {
        one.name: "dates" if pa.types.is_temporal(one.type) else "text"
        for one in schema
        if not is_numeric(one.type)
    }
    layout = form.layout
    opened = OpenedFile(
        path,
        layout.names,
        layout.header,
        None,
        0 if empty else None,
        text.read,
        texts=texts,
        index=layout.index,
        index_notes=layout.index_notes,
        notes=notes,
        labels=text.labels,
        form=form,
    )
    return opened, bytes_a_row


def csv_schema(head: bytes, whole: bool, form: TextFormat, where: str) -> tuple[pa.Schema, float]:
    """The types of the columns, by name, and about how many bytes a row takes."""
    text, layout = head, form.layout
    if not form.encoding.startswith("utf-8"):
        text = head.decode(form.encoding, "replace").encode()
        form = replace(form, encoding="utf-8")
    share = len(head) / max(len(text), 1)  # bytes of the file, which may be of another encoding
    if not whole:
        text = _whole_lines(text, form.quote.encode() if form.multiline else b"")
    if len(text.splitlines()) <= form.skip:  # names and no rows
        return pa.schema([(name, pa.float64()) for name in layout.names]), 0.0
    size, lines, original = len(text), _lines_in(text, form), form
    try:
        if form.rewritten:
            text = b"".join(_rewritten(io.BytesIO(text), form, where))
            form = _as_rewritten(form)
        reader = arrow_csv.open_csv(
            in_arrows_memory(text), **_options(form, {}, [*map(str, layout.places)])
        )
        rows = sum(batch.num_rows for batch in reader)
    except pa.ArrowInvalid as error:
        raise _fault(lines, error, original, where) from error
    kinds = list(reader.schema.types)
    if not all(map(is_numeric, kinds)):
        # Text where most cells are meant as numbers is read as such, and refused at the first other.
        shown = [row for _, row in islice(_rows(lines, original, where, whole=whole), _LOOKED_AT)]
        meant = _numeric_columns(shown, layout.n_cells, form.na_values, form.decimal, meant=True)
        for k, place in enumerate(layout.places):
            kinds[k] = pa.float64() if place in meant and not is_numeric(kinds[k]) else kinds[k]
        if len(kinds) == 1 and not is_numeric(kinds[0]):
            raise DataError(
                f"data: {where} has one column, {layout.names[0]!r}, and in it text such as "
                f"{short(shown[0][0])!r}; if that is several cells, say what is between them "
                "(sep=... of open_table, --sep)."
            )
    types = pa.schema([*zip(layout.names, kinds, strict=True)])
    return types, size / rows * share if rows else 0.0


def _whole_lines(text: bytes, quote: bytes) -> bytes:
    """A text without its last line, which may be cut off, also within a quoted cell."""
    end = max(text.rfind(b"\n"), text.rfind(b"\r")) + 1
    odd = text.count(quote, 0, end) % 2 if quote else 0
    while odd and end:
        before = max(text.rfind(b"\n", 0, end - 1), text.rfind(b"\r", 0, end - 1)) + 1
        odd = (odd + text.count(quote, before, end)) % 2
        end = before
    return text[:end]


_Source: TypeAlias = Path | Address | Pipe | bytes


@dataclass(slots=True)
class _Text:
    """A text whose format is known, in a file or a pipe, and passes over its rows."""

    source: _Source
    where: str
    form: TextFormat
    schema: pa.Schema
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
        form, layout = self.form, self.form.layout
        place = {name: str(layout.place(name)) for name in columns}
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
        # Only a column that is not read can swallow rows without an error.
        watched = len(columns) < len(layout.names) and not (
            form.rewritten or self.quotes_are_closed
        )
        watch, done = None, skip
        try:
            with self._stream() as stream:
                if watched:
                    stream = watch = _QuoteWatch(stream, form.quote)
                block = _PIPE_BLOCK if self.spent else CSV_BLOCK
                batches = _batches(stream, form, kinds, [*place.values()], self.where, block)
                for rows in fixed_blocks(batches, len(columns), skip, labels):
                    yield rows
                    done += rows.shape[0]
        except pa.ArrowInvalid as error:
            if isinstance(self.source, Pipe):
                raise _fault_in_pipe(error, form, self.where, done) from error
            numbers = [int(place[name]) for name in columns if name not in along]
            truths = [int(at) for at, kind in kinds.items() if pa.types.is_boolean(kind)]
            raise _fault(
                self._lines(), error, form, self.where, numbers, truths=truths, known_good=done
            ) from error
        if watch is not None and watch.odd:
            if isinstance(self.source, Pipe):
                raise DataError(
                    f"data: a quote in {self.where} is not closed in its line, so that rows may be "
                    "lost; write it to a file, and give its path."
                )
            for _ in _rows(self._lines(), form, self.where):
                pass
        self.quotes_are_closed = True

    def labels(self, name: str) -> list[Any]:
        """A column as text: one that begins with numbers may end with words. A gap is a gap."""
        if self.empty:
            return []
        place = str(self.form.layout.place(name))
        with self._stream() as stream:
            batches = _batches(stream, self.form, {place: pa.string()}, [place], self.where)
            return [label for batch in batches for label in batch.column(0).to_pylist()]

    def _stream(self) -> Any:
        return (
            nullcontext(self.source) if isinstance(self.source, Pipe) else byte_stream(self.source)
        )

    def _lines(self) -> Iterator[str]:
        return io.TextIOWrapper(self._stream(), self.form.encoding, errors="replace", newline="")


def _batches(
    stream: Any,
    form: TextFormat,
    kinds: dict[str, pa.DataType],
    places: Sequence[str],
    where: str,
    block: int = CSV_BLOCK,
) -> Iterator[pa.RecordBatch]:
    """The rows of a text of this format; the columns are called by their places."""
    if form.rewritten:
        options = _options(_as_rewritten(form), kinds, places)
        chunks = _rewritten(stream, form, where)
        batches = (
            batch
            for chunk in chunks
            if chunk
            for batch in arrow_csv.read_csv(in_arrows_memory(chunk), **options).to_batches()
        )
    else:
        if isinstance(stream, io.RawIOBase):
            stream = pa.PythonFile(stream, mode="r")
        batches = iter(arrow_csv.open_csv(stream, **_options(form, kinds, places, block)))
    gone = missing_numbers(form.na_values, form.decimal)
    if not gone:
        yield from batches
        return
    values, nothing = pa.array(sorted(gone), pa.float64()), pa.scalar(None, pa.float64())
    for batch in batches:
        columns = [
            pc.if_else(pc.is_in(column, values), nothing, column)
            if pa.types.is_float64(column.type)
            else column
            for column in batch.columns
        ]
        yield pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _options(
    form: TextFormat, kinds: dict[str, pa.DataType], places: Sequence[str], block: int = CSV_BLOCK
) -> dict[str, Any]:
    """Arrow's options for a text of this format."""
    # Numbers are the same bytes in most encodings, so only text has to be decoded.
    text = not kinds or pa.string() in kinds.values() or not "".join(form.na_values).isascii()
    utf8 = form.encoding.startswith("utf-8") or not text
    return {
        "read_options": arrow_csv.ReadOptions(
            block_size=max(block, 2 * form.longest),
            column_names=[str(k) for k in range(form.layout.n_cells)],
            skip_rows=form.skip,
            encoding="utf8" if utf8 else form.encoding,
        ),
        "parse_options": arrow_csv.ParseOptions(
            delimiter=" " if form.sep == BLANKS else form.sep,
            quote_char=form.quote,
            escape_char=form.escape or False,
            newlines_in_values=form.multiline,
        ),
        "convert_options": arrow_csv.ConvertOptions(
            column_types=kinds,
            include_columns=list(places),
            null_values=missing_texts(form.na_values, form.padded),
            strings_can_be_null=True,
            decimal_point=form.decimal,
        ),
    }


def missing_texts(more: Sequence[str], padded: bool) -> list[str]:
    """All spellings of a missing value; with blanks around them if the cells have such."""
    texts = [*MISSING, *more]
    if not padded:
        return texts
    around = product(filter(None, texts), range(_MOST_BEFORE), range(_MOST_AFTER + 1))
    return [
        *(" " * n for n in range(_MOST_BLANKS)),
        *("\t" * n for n in range(1, 4)),
        *(" " * before + text + " " * after for text, before, after in around),
    ]


def _as_rewritten(form: TextFormat) -> TextFormat:
    """The format of what `_rewritten` makes."""
    if form.sep == BLANKS and not form.multiline:
        return replace(form, encoding="utf-8", skip=0, rewritten=False)
    return replace(form, encoding="utf-8", sep=",", quote='"', escape=None, skip=0, rewritten=False)


def _rewritten(stream: Any, form: TextFormat, where: str) -> Iterator[bytes]:
    """The rows as Arrow reads them: one blank between cells, or commas and double quotes."""
    if form.sep == BLANKS and not form.multiline:
        file = io.TextIOWrapper(stream, form.encoding)
        for _ in range(form.skip):
            next(file, None)
        while lines := file.readlines(_CHUNK):
            yield "\n".join([*(" ".join(line.split()) for line in lines), ""]).encode()
        return
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\r\n").writerow  # cells of several lines are quoted
    for line, row in _rows(io.TextIOWrapper(stream, form.encoding, newline=""), form, where):
        if len(row) != form.layout.n_cells:
            raise _wrong_length(row, f"line {line} of {where}", form)
        write(row)
        if out.tell() > _CHUNK:
            yield out.getvalue().encode()
            out.seek(0)
            out.truncate()
    yield out.getvalue().encode()


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

_TRUTH = ("true", "false", "0", "1")
_SHOWN = 60  # characters of a cell or of a line in a message


def _lines_in(text: bytes, form: TextFormat) -> Iterator[str]:
    return iter(io.StringIO(text.decode(form.encoding, "replace"), newline=""))


def _rows(
    lines: Iterator[str], form: TextFormat, where: str, *, whole: bool = True
) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, and the numbers of their lines.

    A quote that is never closed ends at the next, which begins a cell in another line. If the lines
    are not the `whole` text, the last cell may be cut off.
    """
    lines, line, n = islice(lines, form.skip, None), 1 + form.skip, form.layout.n_cells
    seen: list[str] = []

    def noted() -> Iterator[str]:
        for one in lines:
            seen.append(one)
            yield one

    reader = _csv_reader(noted(), form.sep, form.quote, form.escape)
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
                    f"data: line {line} of {where} cannot be read: a quote begins there that is "
                    "not closed in the same cell; correct it."
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
    truths: Sequence[int] = (),
    known_good: int = 0,
) -> DataError:
    """What is wrong, in a sentence: the first line of a wrong length, or the first wrong cell."""
    missing = frozenset(missing_texts(form.na_values, form.padded))
    try:
        for n, (line, row) in enumerate(_rows(lines, form, where)):
            if len(row) != form.layout.n_cells:
                return _wrong_length(row, f"line {line} of {where}", form)
            for place in places if n >= known_good else ():
                cell, truth = row[place], place in truths
                good = cell.strip().lower() in _TRUTH if truth else is_number(cell, form.decimal)
                if not good and cell not in missing:
                    return _wrong_cell(cell, truth, place, f"in line {line}", form, where)
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


def _fault_in_pipe(error: Exception, form: TextFormat, where: str, done: int) -> DataError:
    """What is wrong in a text whose lines are gone, from what Arrow says."""
    after = f"after row {done:,}"
    if found := re.search(r"Expected \d+ columns, got (\d+): (.*)", str(error), re.DOTALL):
        return _wrong_length([found[2]] * int(found[1]), f"a line {after} of {where}", form)
    if found := re.search(r"column #(\d+):.*to (\w+): invalid value '(.*)'", str(error), re.DOTALL):
        truth = found[2].startswith("bool")
        return _wrong_cell(found[3], truth, int(found[1]), after, form, where)
    return _fault(iter(()), error, form, where)


def _wrong_length(row: Sequence[str], line: str, form: TextFormat) -> DataError:
    sep = " " if form.sep == BLANKS else form.sep
    count = "1 cell" if len(row) == 1 else f"{len(row)} cells"
    return DataError(
        f"data: {line} has {count}, expected {form.layout.n_cells} as in the lines "
        f"before: {short(sep.join(row))!r}; correct or remove the line."
    )


def _wrong_cell(
    cell: str, truth: bool, place: int, line: str, form: TextFormat, where: str
) -> DataTypeError:
    name, text = form.layout.names[form.layout.places.index(place)], short(cell)
    other = "," if form.decimal == "." else "."
    remedy = (
        f"if that stands for a missing value, say so (na_values={text!r} of open_table, "
        "--na-values), else correct it or leave out the column (exclude=..., --exclude)"
    )
    if line == f"in line {form.skip + 1}" and not form.layout.header:
        remedy = f"if line {form.skip + 1} holds the names, say so (header=True of open_table, --header); {remedy}"
    elif not truth and has_thousands(cell):
        remedy = (
            f"write numbers without thousands separators, or say decimal={other!r} (--decimal "
            f"{other}) if that is the decimal point"
        )
    elif not truth and is_number(cell, other):
        remedy = (
            f"say decimal={other!r} (--decimal {other}) if that is the decimal point, else correct "
            "the cell"
        )
    return DataTypeError(
        f"data: column {name!r} of {where} must hold {'true or false' if truth else 'numbers'}, "
        f"got {text!r} {line}; {remedy}."
    )


def short(text: str) -> str:
    """A cell or a line in a message."""
    text = text.strip()
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"

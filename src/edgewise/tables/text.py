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
from array import array
from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain, islice, pairwise, product, takewhile
from pathlib import Path
from statistics import mode
from typing import Any, TypeAlias

import pyarrow as pa
from pyarrow import compute as arrow_compute
from pyarrow import csv as arrow_csv

from edgewise._checks import default_names
from edgewise._text import joined, listed, one_line
from edgewise.errors import DataError, DataTypeError
from edgewise.tables.arrow import fixed_blocks, is_numeric
from edgewise.tables.formats import STANDARD_INPUT, Address, OpenedFile, readable
from edgewise.tables.open import Reading
from edgewise.tables.table import Rows

#: Its functions are made when it is imported, and no stub knows them.
compute: Any = arrow_compute

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
_TRUTH = ("true", "false", "0", "1")
# Texts without any letter or digit, and these, are what people write where a value is missing.
_NOT_A_NAME = ("none", "missing", "unknown", "nil", "nd", "n.d.", "na", "undefined", "error")


def is_number(cell: str, decimal: str = ".") -> bool:
    text = cell.strip(_BLANKS)
    if decimal == ",":
        text = text.replace(".", "?").replace(",", ".")
    return _NUMBER.fullmatch(text) is not None


def has_thousands(cell: str) -> bool:
    """Whether a cell may hold a number with thousands apart, such as 1,234 or 1.234,56."""
    return _THOUSANDS.fullmatch(cell.strip(_BLANKS)) is not None


def is_missing(cell: str, more: Sequence[str] = (), decimal: str = ".") -> bool:
    """Whether a cell stands for a missing value; a number that does so may be spelled otherwise."""
    text = cell.strip(_BLANKS)
    if text in MISSING or text in more:
        return True
    return bool(more) and bool(missing_numbers([text], decimal) & missing_numbers(more, decimal))


def missing_numbers(texts: Iterable[str], decimal: str = ".") -> frozenset[float]:
    return frozenset(float(one.replace(decimal, ".")) for one in texts if is_number(one, decimal))


def is_name(cell: str) -> bool:
    """Whether a text may be the name of a column: no number, and no word for a missing value."""
    text = cell.strip()
    word = any(map(str.isalnum, text)) and text.lower() not in _NOT_A_NAME
    return word and not is_number(text) and not is_missing(text)


# Bytes. What is compressed is known by how it begins, whatever the name of the file says.

# Bytes parsed at once: large enough to amortise, small enough to stay in the cache; of a pipe less.
CSV_BLOCK = 1 << 21
_PIPE_BLOCK, _CHUNK = 1 << 20, 1 << 18
_CODECS = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}
_XZ, _ZIP = b"\xfd7zXZ\x00", b"PK\x03\x04"
_NOT_TEXT = (b"PAR1", b"ARROW1", b"\x93NUMPY", _XZ, _ZIP, *_CODECS)

#: Where a text is.
Source: TypeAlias = "Path | Address | Pipe | bytes"


def byte_stream(source: Source) -> Any:
    """The decompressed bytes of a file, as Arrow reads them; a pipe stays open."""
    if isinstance(source, Pipe):
        return nullcontext(source)
    if isinstance(source, bytes):
        return in_arrows_memory(source)
    with source.open("rb") as file:
        start: bytes = file.read(len(_XZ))
    codec = next((codec for mark, codec in _CODECS.items() if start.startswith(mark)), None)
    packed: Any = source if isinstance(source, Path) else source.open()
    if start.startswith(_XZ):
        return pa.PythonFile(lzma.open(packed), mode="r")
    if start.startswith(_ZIP):
        with readable(str(source), whatever=True):
            archive = zipfile.ZipFile(packed)
            names = [name for name in archive.namelist() if not name.startswith("__MACOSX/")]
            if len(names) != 1:
                raise DataError(
                    f"data: expected one file in the archive '{source}', got {len(names)}; unpack "
                    "it first."
                )
            return pa.PythonFile(archive.open(names[0]), mode="r")
    if isinstance(source, Path):
        return pa.input_stream(str(source), compression=codec)
    return pa.CompressedInputStream(packed, codec) if codec else packed


class Pipe(io.RawIOBase):
    """A stream that shows its front before it is read."""

    def __init__(self, stream: Any) -> None:
        super().__init__()
        self._stream, self._ahead = stream, b""

    def close(self) -> None:
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


def standard_input() -> Any:
    """Standard input without Python's buffer, whose lock may crash an interpreter that ends."""
    try:
        return io.FileIO(sys.stdin.fileno(), closefd=False)
    except (OSError, ValueError, AttributeError):
        return sys.stdin.buffer


def in_arrows_memory(text: bytes) -> Any:
    """A stream of a copy of these bytes, for which Arrow's threads need no Python.

    One that lets go of them at the end of the program would otherwise abort it.
    """
    memory = pa.BufferOutputStream()
    memory.write(text)
    return pa.BufferReader(memory.getvalue())


# The format of a text, worked out from its first lines.

BLANKS = "whitespace"
_SEPARATORS = (",", ";", "\t", BLANKS, "|")
#: More columns are refused: a line of a million cells takes gigabytes.
MOST_COLUMNS = 30_000
# So many lines, or as many as fit into so many characters, show the format of a file.
_LINES, _CHARACTERS, _FEWEST_LINES = 300, 1 << 17, 3
_SAMPLED_CELLS = 4000
_LOOKED_AT = 50  # rows that show which columns hold numbers
_MOST_TITLES = 40  # rows above the names
_FEWEST_THOUSANDS = 5  # cells that may hold thousands, beside as many that do not
# Blank lines, remarks, and as Excel writes it, the name of the separator.
_REMARK = re.compile(r"\s*|#.*\n|sep=.\n", re.IGNORECASE)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    *((mark, "utf-32") for mark in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)),
    *((mark, "utf-16") for mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)),
)
_CONTROLS = "\t\n\r\f\v\x01\x1a\x1b"  # also the end of a file on MS-DOS, and colours
_MOST_UNSEEN = 0.01  # the share of a text; a name may have some


@dataclass(frozen=True, slots=True)
class TextFormat:
    """The format of a text file, and which cells of it are what."""

    encoding: str
    sep: str  # "whitespace" for one or more blanks
    quote: str
    escape: str | None
    decimal: str
    skip: int  # lines before the first row
    header: bool  # whether the names came with the file
    names: tuple[str, ...]  # without those of columns that are empty
    places: tuple[int, ...]  # of each among the cells of a line
    n_cells: int
    index: Mapping[str, str]  # columns that number or name the rows, and a note about each
    na_values: tuple[str, ...]
    padded: bool  # whether cells with blanks around them were seen
    rewritten: bool  # whether Python reads it, and Arrow what it makes of it
    empty: bool  # whether there are no rows
    notes: tuple[str, ...]
    kinds: Mapping[str, pa.DataType] = field(default_factory=dict)  # the types of the columns
    n_rows: int = 0  # in the first bytes


def text_format(head: bytes, reading: Reading, where: str, usual: str = ",") -> TextFormat:
    """The format of a text file from its first bytes."""
    whole = len(head) < CSV_BLOCK
    text, encoding = _decoded(head, whole, reading.encoding, where)
    # Only \n, \r and \r\n end a line; the last one may be cut off.
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines = [line + "\n" for line in ((lines if whole and lines[-1] else lines[:-1]) or lines)]
    skip, named_sep = reading.skip, None
    if skip is None:
        skip = sum(1 for _ in takewhile(_REMARK.fullmatch, lines))
        named = [line[4] for line in lines[:skip] if line[:4].lower() == "sep="]
        named_sep = named[0] if named else None
    shown = lines[skip : skip + _LINES]
    if not whole and len(lines) < _FEWEST_LINES:
        raise DataError(
            f"data: {where} has no end of a line in its first 2 MB; is it text, and of the kind "
            "that its name says?"
        )
    if not any(map(str.strip, shown)):
        raise DataError(f"data: {where} is empty; expected the names of columns, and rows.")
    fitting = bisect([*accumulate(map(len, shown))], _CHARACTERS)
    shown = shown[: max(fitting + 1, _FEWEST_LINES)]
    sep, quote, escape = _dialect(shown, reading, named_sep, usual)
    rows, ends = _cells_of(shown, sep, quote, escape)
    if (most := max(map(len, rows))) > MOST_COLUMNS:
        raise DataError(
            f"data: {where} has {most:,} columns, and text of more than {MOST_COLUMNS:,} takes too "
            "much memory; write the columns of interest, or save an array as .npy."
        )
    titles = _titles_above(rows) if reading.header is None and reading.skip is None else 0
    before = ends[titles - 1] if titles else 0
    rows, ends = rows[titles:], ends[titles:]
    decimal = reading.decimal or _decimal(rows, sep, where)

    names_of_separators = {"\t": "tabs as separators", BLANKS: "blanks as separators"}
    unusual = {
        "sep": "" if sep == usual else names_of_separators.get(sep, f"separator {sep!r}"),
        "decimal": "decimal comma" if decimal == "," else "",
        "encoding": "" if encoding.startswith("utf-8") else f"{encoding} text",
        "quote": "single quotes" if quote == "'" else "",
    }
    found = [text for name, text in unusual.items() if text and getattr(reading, name) is None]
    found += ["backslashes before quotes"] if escape else []
    notes = [f"is read with {joined(found, 'and')}"] if found else []
    if titles:
        above = "first line is" if before == 1 else f"first {before} lines are"
        notes.append(
            f"its {above} above the names and skipped (header=True, --header: not a title)"
        )

    header = reading.header
    remarks = [line.lstrip("#") for line in lines[:skip] if line.startswith("#")]
    plain = all(is_number(cell, decimal) or is_missing(cell) for cell in rows[0])
    # The last remark before rows may hold the names, as NumPy's savetxt writes them.
    remark = _cells_of(remarks[-1:], sep, quote, None)[0][0] if plain and header is None else []
    if len(remark) == len(rows[0]) and any(remark):
        rows, ends, header = [remark, *rows], [0, *ends], True
    elif header is None:
        header = titles > 0 or _has_header(rows, reading.na_values, decimal, where)
        if not header:
            notes.append(
                "its first line looks like a row, so its columns are called x0, x1, … "
                "(header=True, --header: it holds their names)"
            )
        elif any(is_number(name, decimal) for name in rows[0]):
            notes.append(
                "its first line holds whole numbers that go up, so they are taken as names "
                "(header=False, --no-header: it is a row)"
            )
    body = rows[1:] if header else rows
    n_cells = mode(map(len, body or rows))
    names = _names(rows[0], body, n_cells, where) if header else list(default_names(n_cells))
    last = len(names)
    while (
        last > 1
        and not names[last - 1]
        and not any("".join(row[last - 1 :]).strip() for row in body)
    ):
        last -= 1
    if last < len(names):
        notes.append("its last column has no name and no values, and is left out")
    numeric = _numeric_columns(body, last, reading.na_values)
    words = [row[0] for row in body if not is_missing(row[0]) and row[0].lower() not in _TRUTH]
    if last == 1 and not numeric and words:
        raise DataError(
            f"data: {where} has one column, {names[0]!r}, and in it text such as "
            f"{short(words[0])!r}; if that is several cells, say what is between them (sep=... of "
            "open_table, --sep)."
        )
    index: dict[int, str] = {}
    if isinstance(given := reading.index_col, str) or type(given) is int:
        # On the command line a place is text too.
        place = (
            names.index(given) if given in names else int(given) if str(given).isdecimal() else -1
        )
        if not 0 <= place < len(names):
            raise DataError(
                f"index_col: expected one of {listed([*map(repr, names)])}, the columns of {where}, "
                f"or a place from 0 to {len(names) - 1}, got {given!r}."
            )
        index = {place: ""}
    elif header and given is None:
        index = _index_places(names[:last], body)
    # Two columns without a name cannot be told apart, but nobody needs those of row numbers.
    places = [k for k in range(last) if k not in index or names.count(names[k]) == 1]
    notes += [note for k, note in index.items() if k not in places]

    quoted = quote in text
    # Arrow takes a quote after a blank for a part of the cell, and a line of blanks for a row; it
    # does not see that a quote in a cell of several lines is never closed.
    rewritten = (
        sep == BLANKS
        or encoding.startswith(("utf-16", "utf-32"))
        or (quoted and any(line.count(quote) % 2 for line in lines))
        or (quoted and re.search(f"(^|[{re.escape(sep)}\n]) +{quote}", text) is not None)
        or any(line.isspace() and line != "\n" for line in lines)
    )
    around = re.escape(sep)
    form = TextFormat(
        encoding=encoding,
        sep=sep,
        quote=quote,
        escape=escape,
        decimal=decimal,
        skip=skip + (ends[0] if header else before),
        header=header,
        names=tuple(names[place] for place in places),
        places=tuple(places),
        n_cells=len(names),
        index={names[k]: note for k, note in index.items() if k in places},
        na_values=reading.na_values,
        padded=sep != BLANKS
        and re.search(rf"(^|{around})[ \t]|[ \t]({around}|\n)", "".join(shown), re.M) is not None,
        rewritten=rewritten,
        empty=whole and not body,
        notes=tuple(notes),
    )
    if form.empty:
        return replace(form, kinds=dict.fromkeys(form.names, pa.float64()))
    stream = in_arrows_memory("".join(lines).encode("utf-8", "replace"))
    try:
        decoded, columns = replace(form, encoding="utf-8"), [*map(str, form.places)]
        batches = [*_batches(stream, decoded, {}, columns, where, whole=whole)]
    except pa.ArrowInvalid as error:
        raise _fault(error, lines, form, where) from error
    # Text where most cells are meant as numbers is read as such, and refused at the first other.
    types = batches[0].schema.types if batches else [pa.float64()] * len(columns)
    kinds = {
        name: kind if is_numeric(kind) or place not in numeric else pa.float64()
        for name, place, kind in zip(form.names, form.places, types, strict=True)
    }
    return replace(form, kinds=kinds, n_rows=sum(batch.num_rows for batch in batches))


def _decoded(head: bytes, whole: bool, given: str | None, where: str) -> tuple[str, str]:
    """The first bytes as text, without a cut-off last character, and their encoding.

    It is what the byte order mark says, or UTF-8 if it fits, or Windows', or Latin-1.
    """
    start = head[:200]
    known = [given] if given else [name for mark, name in _MARKS if head.startswith(mark)][:1]
    # Without a mark, separators and digits have one byte that is not 0.
    if not known and 4 * start.count(0) > len(start):
        known = ["utf-16-le" if start[1::2].count(0) > start[0::2].count(0) else "utf-16-be"]
    for encoding in known or ["utf-8", "cp1252", "latin-1"]:
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(head, final=whole)
            break
        except UnicodeError as error:
            if known:
                raise DataError(
                    f"data: {where} is not {encoding} text ({one_line(error)}); name its encoding "
                    "(encoding=... of open_table, --encoding)."
                ) from error
    front = text[: 1 << 16]
    unseen = [c for c in front if c < " " and c not in _CONTROLS]
    if "\0" in unseen or len(unseen) > _MOST_UNSEEN * len(front):
        raise DataError(
            f"data: {where} is not text, because it holds the character {min(unseen)!r}; is it of "
            "the kind that its name says, and in the encoding that was named?"
        )
    return text, encoding


def _dialect(
    lines: Sequence[str], reading: Reading, named_sep: str | None, usual: str
) -> tuple[str, str, str | None]:
    """Separator, quote and escape under which lines have as many cells, most of them numbers."""
    text = "".join(lines)
    given = reading.sep or named_sep
    seps = [given] if given else sorted(_SEPARATORS, key=lambda one: one != usual)
    quotes = [reading.quote] if reading.quote else ['"', "'"] if "'" in text else ['"']
    best: tuple[str, str, str | None] = (given or usual, quotes[0], None)
    best_score = 0.0
    for sep in seps:
        if sep != BLANKS and sep not in text:
            continue
        for quote, escape in product(quotes, (None, "\\") if "\\" in text else (None,)):
            rows, _ = _cells_of(lines, sep, quote, escape)
            above = _titles_above(rows)
            rows = rows[above:]
            body = rows[1:] or rows
            width = mode(map(len, body))
            # Names may lack one for the names of the rows.
            if width < 2 or not 0 <= width - len(rows[0]) <= 1:
                continue
            full = [row for row in body if len(row) == width]
            cells = list(chain.from_iterable(full))[: _SAMPLED_CELLS // 4]
            plain = sum(_is_like_number(cell) or is_missing(cell) for cell in cells) / len(cells)
            score = len(full) / len(body) * (0.1 + plain) * (0.99 if above else 1)
            if score > best_score + 1e-9:
                best, best_score = (sep, quote, escape), score
        if best_score > 1.05:  # nothing can be clearly better
            break
    return best


def _is_like_number(cell: str) -> bool:
    return is_number(cell) or is_number(cell, ",") or has_thousands(cell)


def _csv_reader(lines: Iterable[str], sep: str, quote: str, escape: str | None) -> Any:
    if sep == BLANKS:
        lines, sep = (f"{' '.join(line.split())}\n" for line in lines), " "
    csv.field_size_limit(max(csv.field_size_limit(), CSV_BLOCK))
    return csv.reader(
        lines, delimiter=sep, quotechar=quote, escapechar=escape, skipinitialspace=True
    )


def _cells_of(
    lines: Sequence[str], sep: str, quote: str, escape: str | None
) -> tuple[list[list[str]], list[int]]:
    """The cells of lines that are not blank, and after how many lines each of these rows ends."""
    rows, ends = [], []
    # What was read before something that cannot be read shows the format.
    with suppress(csv.Error):
        reader = _csv_reader(lines, sep, quote, escape)
        for row in reader:
            if any(cell.strip() for cell in row) or len(row) > 1:
                rows.append(row)
                ends.append(reader.line_num)
    return rows or [[""]], ends or [len(lines)]


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


# Which cells are names, row labels and values.

# What programs call a column that only numbers or names the rows: pandas reads the empty name as
# "Unnamed: 0", and if that was written and read again there is "Unnamed: 0.1" before it.
_NO_NAME = re.compile(r"|unnamed: \d+(\.\d+)?|unnamed: 0_level_\d+", re.IGNORECASE)
_ID_NAMES = ("id", "_id", "row_id", "rowid", "row_names", "rownames", "row.names", "row_number")
# Names that may also be those of variables; R's read.csv makes "X" of the empty name.
_COUNTER_NAMES = (*_ID_NAMES, "x", "index", "level_0", "no", "no.", "nr", "#", "obs", "row")
_FEWEST_COUNTED = 3  # rows that must count up before a column of such a name is a counter


def _titles_above(rows: Sequence[Sequence[str]]) -> int:
    """How many rows are a title above the names: short, or almost empty, with all names below."""
    width = mode(map(len, rows[1:] or rows))
    for k, row in enumerate(rows[:_MOST_TITLES]):
        if len(row) == width > 1 and all(cell.strip() for cell in row[k == 0 :]):
            fits = k > 0 and all(map(is_name, row)) and len(set(row)) == width
            return k if fits and _numeric_columns(rows[k + 1 :], width) else 0
        if k and is_number(row[0]) and is_number(row[-1]):
            return 0  # a row
    return 0


def _has_header(
    rows: Sequence[Sequence[str]], na_values: Sequence[str], decimal: str, where: str
) -> bool:
    """Whether the first line holds names: words above numbers, or 0, 1, 2, …; in doubt it is a row."""
    first, body = rows[0], rows[1:]
    filled = {k: cell for k, cell in enumerate(first) if not is_missing(cell, na_values, decimal)}
    numbers = {
        k: float(cell.replace(decimal, "."))
        for k, cell in filled.items()
        if is_number(cell, decimal)
    }
    if len(numbers) == len(filled):
        steps = [b - a for a, b in pairwise(numbers.values())]
        if not any(map(str.strip, first)) or (
            0 in list(numbers.values())[:1] and set(steps) == {1}
        ):
            return True
        if len(steps) > 1 and min(steps) > 0 and max(steps) - min(steps) <= 1e-6 * max(steps):
            raise DataError(
                f"data: the first line of {where} may hold names, as years are, or be a row; say "
                "header=True or header=False (open_table; --header, --no-header)."
            )
        return False
    if not body or not numbers or len(first) != mode(map(len, body)):
        return True
    return numbers.keys().isdisjoint(_numeric_columns(body, len(first), na_values))


def _numeric_columns(
    body: Sequence[Sequence[str]], n_cells: int, na_values: Sequence[str] = ()
) -> frozenset[int]:
    """The places of columns of which most cells are meant as numbers, or gaps."""
    found = []
    for k in range(n_cells):
        column = [row[k] for row in body[:_LOOKED_AT] if k < len(row)]
        others = [cell for cell in column if not _is_like_number(cell)]
        words = sum(not is_missing(cell, na_values) for cell in others)
        if len(others) < len(column) and 2 * words <= len(column):
            found.append(k)
    return frozenset(found)


def _names(
    first: Sequence[str], body: Sequence[Sequence[str]], n_cells: int, where: str
) -> list[str]:
    """The names of all columns, of which the first line may lack one, or have empty ones after."""
    names = [name.strip() for name in first]
    while len(names) > max(n_cells, 1) and not names[-1]:
        names.pop()
    if len(names) != n_cells - 1:
        return names
    if not any("".join(row[n_cells - 1 :]).strip() for row in body):
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


def _index_places(names: Sequence[str], body: Sequence[Sequence[str]]) -> dict[int, str]:
    """The places of the columns at the front that number or name the rows, each with a note."""
    found: dict[int, str] = {}
    for place, name in enumerate(names[:-1]):
        cells = [row[place].strip() for row in body if place < len(row)]
        filled = [cell for cell in cells if not is_missing(cell)]
        numbers = any(_is_like_number(cell) for cell in filled)
        if _NO_NAME.fullmatch(name) is None:
            # Several columns without names are the levels of an index; one with a name is no other.
            if found or name.lower() not in _COUNTER_NAMES or len(filled) < _FEWEST_COUNTED:
                break
            whole = all(map(_WHOLE.fullmatch, filled))
            steps = {float(b) - float(a) for a, b in pairwise(filled)} if whole else set()
            counts = steps == {1} and float(filled[0]) in (0, 1)
            different = len(set(filled)) == len(filled) and (whole or not numbers)
            if not (counts or (name.lower() in _ID_NAMES and different)):
                break
        what = f"{'numbers' if numbers else 'names'} the rows" if filled else "is empty"
        found[place] = (
            f"its {'first ' * (place == 0)}column {name!r} {what} and is left out "
            "(index_col=False, --index-col none, keeps it)"
        )
    return found


# Rows, by Arrow.


def open_text(source: Source, path: str, reading: Reading) -> OpenedFile:
    """Text in a file, in memory, or in a pipe; its format and its types come from its first block."""
    where = path if path == STANDARD_INPUT else f"file '{path}'"
    piped = isinstance(source, Pipe)
    with byte_stream(source) as stream:
        size = stream.size() if isinstance(stream, pa.OSFile) else 0
        head = (stream if isinstance(stream, Pipe) else Pipe(stream)).head(CSV_BLOCK)
    if piped and (head.startswith(_NOT_TEXT) or not head.strip()):
        got = "a compressed or binary file, such as Parquet; give its path"
        got = got if head.strip() else "nothing; pipe rows into it"
        raise DataError(f"data: expected CSV text on {where}, got {got}.")
    form = text_format(head, reading, where, "\t" if ".tsv" in path.lower() else ",")
    places = dict(zip(form.names, map(str, form.places), strict=True))
    passes = 0

    def lines() -> Iterable[str]:  # to find a fault in them; those of a pipe are gone
        if isinstance(source, Pipe):
            return ()
        return io.TextIOWrapper(byte_stream(source), form.encoding, errors="replace", newline="")

    def read(columns: Sequence[str], skip: int, along: Sequence[str] = ()) -> Iterator[Rows]:
        nonlocal passes
        passes += 1
        if piped and passes > 1:
            raise DataError(f"data: {where} was read already and cannot be read again.")
        if form.empty:  # Arrow cannot skip all lines of a file
            return
        place = {name: places[name] for name in columns}
        # Types were guessed from the first block, where a column of fractions may hold only whole
        # numbers or gaps. As float64, the rest of the file cannot contradict them.
        kinds = {
            place[name]: kind if pa.types.is_boolean(kind) else pa.float64()
            for name in columns
            if name not in along and is_numeric(kind := form.kinds[name])
        }
        # Labels are text, whatever the first block looks like.
        labels = [place[name] for name in along]
        every, done = kinds | dict.fromkeys(labels, pa.string()), skip
        try:
            with byte_stream(source) as stream:
                # Only a column that is not read can swallow rows without an error.
                watched = not form.rewritten and len(kinds) < len(form.names)
                watch = _QuoteWatch(stream)
                watch.quote = form.quote.encode()
                chosen = (form, every, [*place.values()], where)
                block = _PIPE_BLOCK if piped else CSV_BLOCK
                batches = _batches(watch if watched else stream, *chosen, block)
                for rows in fixed_blocks(batches, len(columns), skip, labels):
                    yield rows
                    done += rows.shape[0]
        except pa.ArrowInvalid as error:
            raise _fault(error, lines(), form, where, done) from error
        if watch.odd and piped:
            raise DataError(
                f"data: a quote in {where} is not closed in its line, so that rows may be lost; "
                "write it to a file, and give its path."
            )
        if watch.odd:
            for _ in _rows(lines(), form, where):
                pass

    def labels_of(name: str) -> list[Any]:
        # A column that begins with numbers may end with words; a gap is a gap.
        if form.empty:
            return []
        with byte_stream(source) as stream:
            kinds = {places[name]: pa.string()}
            batches = _batches(stream, form, kinds, [places[name]], where)
            return [label for batch in batches for label in batch.column(0).to_pylist()]

    texts = {name: kind for name, kind in form.kinds.items() if not is_numeric(kind)}
    return OpenedFile(
        path,
        form.names,
        form.header,
        0 if form.empty else None,
        round(size / len(head) * form.n_rows) if size else None,
        read,
        labels_of,
        {name: "dates" if pa.types.is_temporal(kind) else "text" for name, kind in texts.items()},
        form.index,
        form.notes,
        rescannable=not piped,
        form=None if piped else form,
    )


def _batches(
    stream: Any,
    form: TextFormat,
    kinds: dict[str, pa.DataType],
    places: Sequence[str],
    where: str,
    block: int = CSV_BLOCK,
    whole: bool = True,
) -> Iterator[pa.RecordBatch]:
    """The rows of a text of this format; the columns are called by their places."""
    original = form
    if form.rewritten:
        lines = io.TextIOWrapper(stream, form.encoding, newline="")
        form = replace(form, encoding="utf-8", sep=",", quote='"', escape=None, skip=0)
    # Numbers are the same bytes in most encodings, so only text has to be decoded.
    text = not kinds or pa.string() in kinds.values() or not "".join(form.na_values).isascii()
    options = {
        "read_options": arrow_csv.ReadOptions(
            block_size=block,
            column_names=[str(k) for k in range(form.n_cells)],
            skip_rows=form.skip,
            encoding=form.encoding if text and not form.encoding.startswith("utf-8") else "utf8",
        ),
        "parse_options": arrow_csv.ParseOptions(
            delimiter=form.sep,
            quote_char=form.quote,
            escape_char=form.escape or False,
            newlines_in_values=form.rewritten,
        ),
        "convert_options": arrow_csv.ConvertOptions(
            column_types=kinds,
            include_columns=list(places),
            null_values=missing_texts(form.na_values, form.padded),
            strings_can_be_null=True,
            decimal_point=form.decimal,
        ),
    }
    batches: Iterable[pa.RecordBatch]
    if form.rewritten:
        batches = (
            batch
            for chunk in _rewritten(lines, original, where, whole)
            if chunk
            for batch in arrow_csv.read_csv(in_arrows_memory(chunk), **options).to_batches()
        )
    else:
        if isinstance(stream, io.RawIOBase):
            stream = pa.PythonFile(stream, mode="r")
        batches = arrow_csv.open_csv(stream, **options)
    missing = array("d", sorted(missing_numbers(form.na_values, form.decimal)))
    # `pa.array` would import pandas, which takes longer than a test.
    gone = pa.Array.from_buffers(pa.float64(), len(missing), [None, pa.py_buffer(missing)])
    for batch in batches:
        columns = [
            compute.if_else(compute.is_in(column, gone), pa.scalar(None, pa.float64()), column)
            if len(gone) and pa.types.is_float64(column.type)
            else column
            for column in batch.columns
        ]
        yield pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def missing_texts(more: Sequence[str], padded: bool) -> list[str]:
    """All spellings of a missing value; with blanks around them if the cells have such."""
    texts = [*MISSING, *more]
    if not padded:
        return texts
    # Up to 12 blanks before and 2 after, as in "1, NA, 3" and in aligned columns.
    around = product(filter(None, texts), range(12), range(3))
    return [
        *(" " * n for n in range(32)),
        *("\t" * n for n in range(1, 4)),
        *(" " * before + text + " " * after for text, before, after in around),
    ]


def _rewritten(lines: Iterable[str], form: TextFormat, where: str, whole: bool) -> Iterator[bytes]:
    """The rows as Arrow reads them: with commas and double quotes."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\r\n").writerow  # cells of several lines are quoted
    for line, row in _rows(lines, form, where, whole):
        if len(row) != form.n_cells:
            raise _wrong_length(row, line, form, where)
        write(row)
        if out.tell() > _CHUNK:
            yield out.getvalue().encode()
            out.seek(0)
            out.truncate()
    yield out.getvalue().encode()


class _QuoteWatch(Pipe):
    """A stream that notices lines with an odd number of quotes."""

    quote, rest, odd = b'"', b"", False

    def read(self, size: int = -1) -> bytes:
        chunk = super().read(size)
        lines = self.rest + chunk.replace(b"\r", b"\n")
        if chunk:
            lines, _, self.rest = lines.rpartition(b"\n")
        if self.quote in lines:
            self.odd |= any(line.count(self.quote) % 2 for line in lines.split(b"\n"))
        return chunk


# Rows, by Python: slower, and with the numbers of lines.

_SHOWN = 60  # characters of a cell or of a line in a message
_BAD_CELL = re.compile(r"column #(\d+):.* to (\w+): invalid value '(.*)'", re.DOTALL)


def _rows(
    lines: Iterable[str], form: TextFormat, where: str, whole: bool = True
) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, and the numbers of their lines.

    A quote that is never closed ends at the next, which begins a cell in another line. If the lines
    are not the `whole` text, the last cell may be cut off.
    """
    lines, line = islice(lines, form.skip, None), 1 + form.skip
    if form.sep == BLANKS:  # a cell never has several lines
        for number, text in enumerate(lines, line):
            row = text.split()
            if form.quote in text:
                row = next(_csv_reader([text], form.sep, form.quote, form.escape))
            if row:
                yield number, row
        return
    seen: list[str] = []

    def noted() -> Iterator[str]:
        for one in lines:
            seen.append(one)
            yield one

    reader = _csv_reader(noted(), form.sep, form.quote, form.escape)
    try:
        for row in reader:
            doubtful = len(seen) > 1 or not whole
            if doubtful and len([*csv.reader(seen, reader.dialect, strict=True)]) > 1:
                raise csv.Error
            if any(cell.strip() for cell in row) or len(row) == form.n_cells > 1:
                yield line, row
            line += len(seen)
            seen.clear()
    except csv.Error as error:
        if whole or next(lines, None) is not None:
            raise DataError(
                f"data: line {line} of {where} cannot be read: a quote begins there that is not "
                "closed in the same cell; correct it."
            ) from error


def _fault(
    error: Exception, lines: Iterable[str], form: TextFormat, where: str, done: int = 0
) -> DataError:
    """What is wrong, in a sentence: Arrow says what it is, and the lines say where, if there are any."""
    found = _BAD_CELL.search(str(error))
    place = -1 if found is None else int(found[1])
    kind, cell = ("", "") if found is None else (found[2], found[3].strip())
    first, at = False, f"after row {done:,}"
    try:
        for n, (line, row) in enumerate(_rows(lines, form, where)):
            if len(row) != form.n_cells:
                return _wrong_length(row, line, form, where)
            if place >= 0 and row[place].strip() == cell:
                first, at = n == 0, f"in line {line}"
                break
    except DataError as fault:
        return fault
    if place < 0:
        encoding = "; name its encoding (encoding=... of open_table, --encoding)"
        return DataError(
            f"data: {where} cannot be read {at}: {one_line(error)}"
            f"{encoding if 'UTF8' in str(error) else ''}. Is it complete, and of the kind that its "
            "name says?"
        )
    other = "," if form.decimal == "." else "."
    remedy = (
        f"if that stands for a missing value, say so (na_values={short(cell)!r} of open_table, "
        "--na-values), else correct it or leave out the column (exclude=..., --exclude)"
    )
    if first and not form.header:
        remedy = f"if these are the names, say so (header=True of open_table, --header); {remedy}"
    elif kind != "bool" and (has_thousands(cell) or is_number(cell, other)):
        remedy = f"say decimal={other!r} (--decimal {other}), or write numbers without thousands"
    name = form.names[form.places.index(place)]
    return DataTypeError(
        f"data: column {name!r} of {where} must hold {'true or false' if kind == 'bool' else 'numbers'}, "
        f"got {short(cell)!r} {at}; {remedy}."
    )


def _wrong_length(row: Sequence[str], line: int, form: TextFormat, where: str) -> DataError:
    text = (" " if form.sep == BLANKS else form.sep).join(row)
    return DataError(
        f"data: line {line} of {where} has {len(row)} cell{'s' * (len(row) != 1)}, expected "
        f"{form.n_cells} as in the lines before: {short(text)!r}; correct or remove the line."
    )


def short(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"

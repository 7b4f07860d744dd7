"""The form of a text file, guessed from its first lines: encoding, separator, decimals, names."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from edgewise._base.text import joined, one_line
from edgewise.errors import DataError
from edgewise.tables.cells import BLANKS, cells_of, has_thousands, is_missing, is_number
from edgewise.tables.layout import Layout, layout_of
from edgewise.tables.reading import Reading

_SEPARATORS = (",", ";", "\t", "|", BLANKS)
# So many lines, or as many as fit into so many characters, show the form of a file.
_LINES, _CHARACTERS, _FEWEST_LINES = 300, 1 << 17, 4
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
_SHOWN = 200  # bytes whose zeros tell of wide characters
# Bytes that Windows' own encoding does not know.
_UNDEFINED = bytes([0x81, 0x8D, 0x8F, 0x90, 0x9D])
_CONTROLS = "\t\n\r\f\v\x1a\x1b"  # also the end of a file on MS-DOS, and colours
_LOOKED_AT = 1 << 16
_MOST_UNSEEN = 0.01  # the share of a text; a name may have some


@dataclass(frozen=True, slots=True)
class TextFormat:
    """The form of a text file."""

    encoding: str
    sep: str  # "whitespace" for one or more blanks
    quote: str
    decimal: str
    skip: int  # lines before the first row
    layout: Layout
    na_values: tuple[str, ...]
    longest: int  # bytes of the longest line seen
    multiline: bool  # whether a quote was seen that is closed in another line
    padded: bool  # whether cells with blanks around them were seen
    blank_lines: bool  # whether lines of nothing but blanks were seen

    @property
    def ascii_compatible(self) -> bool:
        """Whether digits and separators are the same bytes as in UTF-8."""
        return not self.encoding.startswith(("utf-16", "utf-32"))


def sniffed(
    head: bytes, whole: bool, reading: Reading, where: str, usual: str = ","
) -> tuple[TextFormat, tuple[str, ...]]:
    """The form of a text file from its first bytes, and what to tell the user about it."""
    encoding = reading.encoding or encoding_of(head, whole)
    text = decoded(head, encoding, whole, where)
    refuse_binary(text, where)
    lines = _lines(text, whole)
    preamble, named_sep = _preamble(lines)
    shown = _some(lines[preamble:])
    if not any(line.strip() for line in shown):
        raise DataError(f"data: {where} is empty; expected the names of columns, and rows.")
    sep = reading.sep or named_sep or _separator(shown, usual)
    quote = '"' if sep == BLANKS else _quote(shown, sep)
    rows, ends = cells_of(shown, sep, quote)
    decimal = reading.decimal or _decimal(rows, sep, where)
    remarked = _names_in_remark(lines[:preamble], rows, sep, quote, decimal, reading)
    rows = rows if remarked is None else [remarked, *rows]
    layout = layout_of(
        rows, _said(reading, shown, ends, quote, len(rows[0]), remarked), decimal, where
    )
    skip = preamble + (ends[0] if layout.header and remarked is None else 0)
    form = TextFormat(
        encoding=encoding,
        sep=sep,
        quote=quote,
        decimal=decimal,
        skip=skip,
        layout=layout,
        na_values=reading.na_values,
        longest=len(max(lines, key=len).encode("utf-8", "replace")),
        multiline=quote in text and any(line.count(quote) % 2 for line in lines),
        padded=any(cell[:1].isspace() or cell[-1:].isspace() for row in rows for cell in row),
        blank_lines=any(line.isspace() and line != "\n" for line in lines),
    )
    return form, _notes(form, reading, usual)


def _said(
    reading: Reading,
    shown: Sequence[str],
    ends: Sequence[int],
    quote: str,
    n_cells: int,
    remarked: object,
) -> Reading:
    """What the user says, and what the form of the first line says about names."""
    if reading.header is not None:
        return reading
    # R puts all names in quotes, but no numbers: "2001","2002" are names.
    later = "".join(shown[ends[0] : ends[0] + 20])
    every = shown[0].count(quote) >= 2 * n_cells
    quoted = every and later.strip() and quote not in later
    return replace(reading, header=True) if quoted or remarked is not None else reading


def _lines(text: str, whole: bool) -> list[str]:
    """The lines of a text, without an incomplete last one; only \\n, \\r and \\r\\n end a line."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    complete = lines if whole and lines[-1] else lines[:-1]
    return [line + "\n" for line in (complete or lines)]


def _preamble(lines: Sequence[str]) -> tuple[int, str | None]:
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
        if characters > _CHARACTERS and len(shown) >= _FEWEST_LINES:
            break
    return shown


def _separator(lines: Sequence[str], usual: str) -> str:
    """The separator under which the lines have the same number of cells, most of them numbers."""
    best, best_score = usual, 0.0
    for sep in sorted(_SEPARATORS, key=lambda one: one != usual):
        if sep != BLANKS and not any(sep in line for line in lines):
            continue
        score = _fitness(lines, sep)
        if score > best_score + 1e-9:
            best, best_score = sep, score
        if best_score > 1.05:  # nothing can be clearly better
            break
    return best


def _fitness(lines: Sequence[str], sep: str) -> float:
    rows, _ = cells_of(lines, sep, '"')
    body = rows[1:] or rows
    lengths = [len(row) for row in body]
    width = max(set(lengths), key=lengths.count)
    # Names may lack one for the names of the rows.
    if width < 2 or not 0 <= width - len(rows[0]) <= 1:
        return 0.0
    same = lengths.count(width) / len(lengths)
    cells = [cell for row in body if len(row) == width for cell in row][: _SAMPLED_CELLS // 4]
    plain = sum(map(_looks_plain, cells))
    return same * (0.1 + plain / len(cells))


def _looks_plain(cell: str) -> bool:
    cell = cell.strip(" \t'")  # single quotes may be those around cells
    return is_number(cell) or is_number(cell, ",") or is_missing(cell) or has_thousands(cell)


def _quote(lines: Sequence[str], sep: str) -> str:
    rows, _ = cells_of(lines[:20], sep, '"')
    filled = [cell.strip() for cell in rows[0] if cell.strip()]
    single = sum(len(cell) > 1 and cell[0] == cell[-1] == "'" for cell in filled)
    return "'" if filled and 2 * single > len(filled) else '"'


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
    named, _ = cells_of([last.lstrip("#")], sep, quote)
    return named[0] if len(named[0]) == len(rows[0]) else None


def _notes(form: TextFormat, reading: Reading, usual: str) -> tuple[str, ...]:
    """What was guessed and is not the default."""
    said = []
    if reading.sep is None and form.sep != usual:
        shown = {"\t": "tabs", BLANKS: "blanks"}.get(form.sep, repr(form.sep))
        said.append(f"{shown} between cells")
    if reading.decimal is None and form.decimal == ",":
        said.append("decimal commas")
    if reading.encoding is None and not form.encoding.startswith("utf-8"):
        said.append(f"{form.encoding} text")
    if form.quote == "'":
        said.append("single quotes")
    return ((f"has {joined(said, 'and')}",) if said else ()) + form.layout.notes


def encoding_of(head: bytes, whole: bool) -> str:
    """The encoding: what the byte order mark says, or UTF-8 if it fits, or Windows', or Latin-1."""
    for mark, name in _BYTE_ORDER_MARKS:
        if head.startswith(mark):
            return name
    if (wide := _wide(head[:_SHOWN])) is not None:
        return wide
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head, final=whole)
    except UnicodeDecodeError:
        return "latin-1" if any(byte in _UNDEFINED for byte in head) else "cp1252"
    return "utf-8"


def _wide(start: bytes) -> str | None:
    """UTF-16 or UTF-32 without a mark: separators and digits have one byte that is not 0."""
    zeros = start.count(0)
    if 2 * zeros > len(start):
        for name, bytes_of_zero in (("utf-32-le", (2, 3)), ("utf-32-be", (0, 1))):
            if not any(byte for k in bytes_of_zero for byte in start[k::4]):
                return name
    if 4 * zeros <= len(start):
        return None
    return "utf-16-le" if start[1::2].count(0) > start[0::2].count(0) else "utf-16-be"


def decoded(head: bytes, encoding: str, whole: bool, where: str) -> str:
    """The first bytes as text; a character that is cut off at the end is left out."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(head, final=whole)
    except UnicodeError as error:
        raise DataError(
            f"data: {where} is not {encoding} text ({one_line(error)}); name its encoding "
            "(encoding=... of read_table, --encoding)."
        ) from error


def refuse_binary(text: str, where: str) -> None:
    """Refuse what no text has: zeros, or many characters that nobody can see."""
    start = text[:_LOOKED_AT]
    unseen = [c for c in start if c < " " and c not in _CONTROLS]
    if "\0" in unseen or len(unseen) > _MOST_UNSEEN * len(start):
        strange = min(unseen)
        raise DataError(
            f"data: {where} is not text, because it holds the character {strange!r}; is it of the "
            "kind that its name says, and in the encoding that was named?"
        )

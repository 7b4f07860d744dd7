"""The form of a text file, found out from its first lines: encoding, separator, decimals, names."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from edgewise._base.text import one_line
from edgewise.errors import DataError
from edgewise.rows.readers.cells import Layout, is_missing, is_number, layout_of
from edgewise.rows.reading import Reading

BLANKS = "whitespace"
_SEPARATORS = (",", ";", "\t", "|", BLANKS)
# So many lines, or as many as fit into so many characters, show the form of a file.
_LINES, _CHARACTERS, _FEWEST_LINES = 300, 1 << 17, 4
_SAMPLED_CELLS = 4000
_SPACES = re.compile(r"[ \t]+")
# As pandas and Excel write it, the first line may name the separator.
_NAMED_SEPARATOR = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True, slots=True)
class TextFormat:
    """The form of a text file.

    Attributes
    ----------
    encoding : str
        The encoding, as Python names it.
    sep, quote, decimal : str
        The character between cells ("whitespace" for one or more blanks), around a cell, and the
        decimal point.
    skip : int
        The lines before the first row.
    layout : Layout
        The columns.
    na_values : tuple of str
        The user's texts for missing values.
    longest : int
        Bytes of the longest line seen.
    multiline : bool
        Whether a cell was seen that goes over several lines.
    """

    encoding: str
    sep: str
    quote: str
    decimal: str
    skip: int
    layout: Layout
    na_values: tuple[str, ...]
    longest: int
    multiline: bool

    @property
    def ascii_compatible(self) -> bool:
        """Whether digits and separators are the same bytes as in UTF-8."""
        return not self.encoding.startswith(("utf-16", "utf-32"))


def sniffed(
    head: bytes, whole: bool, reading: Reading, where: str, usual: str = ","
) -> tuple[TextFormat, tuple[str, ...]]:
    """The form of a text file from its first bytes, and what to tell the user about it.

    Parameters
    ----------
    head : bytes
        The first bytes; at least the names and a row, if the file has them.
    whole : bool
        Whether they are the whole file.
    reading : Reading
        What the user says; only the rest is found out.
    where : str
        The file, for messages.
    usual : str
        The separator that nobody needs to be told about.

    Examples
    --------
    >>> form, notes = sniffed(b"a;b\\n0,5;2\\n1,5;3\\n", True, Reading(), "file 'x.csv'")
    >>> form.sep, form.decimal, notes
    (';', ',', ("has ';' between cells and decimal commas",))
    """
    encoding = reading.encoding or _encoding(head, whole)
    lines = _lines(_decoded(head, encoding, whole, where), whole)
    preamble, named_sep = _preamble(lines)
    shown = _some(lines[preamble:])
    if not any(line.strip() for line in shown):
        raise DataError(f"data: {where} is empty; expected the names of columns, and rows.")
    sep = reading.sep or named_sep or _separator(shown, usual)
    quote = '"' if sep == BLANKS else _quote(shown, sep)
    rows, ends = cells_of(shown, sep, quote)
    decimal = reading.decimal or _decimal(rows)
    remarked = _names_in_remark(lines[:preamble], rows, sep, quote, decimal, reading)
    rows = rows if remarked is None else [remarked, *rows]
    layout = layout_of(rows, _said(reading, shown, ends, quote, remarked), decimal)
    skip = preamble + (ends[0] if layout.header and remarked is None else 0)
    longest = max(len(line) for line in lines) * (1 if encoding.startswith("utf-8") else 4)
    multiline = any("\n" in cell for row in rows for cell in row)
    form = TextFormat(
        encoding, sep, quote, decimal, skip, layout, reading.na_values, longest, multiline
    )
    return form, _notes(form, reading, usual)


def _said(
    reading: Reading, shown: Sequence[str], ends: Sequence[int], quote: str, remarked: object
) -> Reading:
    """What the user says, and what the form of the first line says about names."""
    if reading.header is not None:
        return reading
    # R puts names in quotes, but no numbers: "2001","2002" are names.
    later = "".join(shown[ends[0] : ends[0] + 20])
    quoted = shown[0].lstrip().startswith(quote) and later.strip() and quote not in later
    return replace(reading, header=True) if quoted or remarked is not None else reading


def _encoding(head: bytes, whole: bool) -> str:
    for mark, name in _BYTE_ORDER_MARKS:
        if head.startswith(mark):
            return name
    if head[:200].count(0) > len(head[:200]) // 4:
        # Latin text in UTF-16: every other byte is 0.
        return "utf-16-le" if head[1:200:2].count(0) > head[0:200:2].count(0) else "utf-16-be"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head, final=whole)
    except UnicodeDecodeError:
        # Windows' own encoding; bytes that it does not know are those of Latin-1.
        undefined = bytes([0x81, 0x8D, 0x8F, 0x90, 0x9D])
        return "latin-1" if any(byte in undefined for byte in head) else "cp1252"
    return "utf-8"


def _decoded(head: bytes, encoding: str, whole: bool, where: str) -> str:
    try:
        return codecs.getincrementaldecoder(encoding)().decode(head, final=whole)
    except UnicodeError as error:
        raise DataError(
            f"data: {where} is not {encoding} text ({one_line(error)}); name its encoding "
            "(encoding=... of read_table, --encoding)."
        ) from error


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
    return (0, None) if count == len(lines) else (count, sep)


def _some(lines: Sequence[str]) -> list[str]:
    shown, characters = [], 0
    for line in lines[:_LINES]:
        shown.append(line)
        characters += len(line)
        if characters > _CHARACTERS and len(shown) >= _FEWEST_LINES:
            break
    return shown


def cells_of(lines: Sequence[str], sep: str, quote: str) -> tuple[list[list[str]], list[int]]:
    """The cells of lines that are not blank, and after how many lines each of these rows ends."""
    if sep == BLANKS:
        lines, sep = [squeezed(line) for line in lines], " "
    reader = csv.reader(lines, delimiter=sep, quotechar=quote)
    rows, ends = [], []
    try:
        for row in reader:
            if any(cell.strip() for cell in row) or len(row) > 1:
                rows.append(row)
                ends.append(reader.line_num)
    except csv.Error:
        pass  # what was read so far shows the form
    return rows or [[""]], ends or [len(lines)]


def squeezed(line: str) -> str:
    """A line with one blank between cells and none around them."""
    return _SPACES.sub(" ", line.strip(" \t\r\n")) + "\n"


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
    cells = [cell for row in body if len(row) == width for cell in row][:_SAMPLED_CELLS]
    plain = sum(is_number(cell) or is_number(cell, ",") or is_missing(cell) for cell in cells)
    return same * (0.1 + plain / len(cells))


def _quote(lines: Sequence[str], sep: str) -> str:
    rows, _ = cells_of(lines[:20], sep, '"')
    filled = [cell.strip() for cell in rows[0] if cell.strip()]
    single = sum(len(cell) > 1 and cell[0] == cell[-1] == "'" for cell in filled)
    return "'" if filled and 2 * single > len(filled) else '"'


def _decimal(rows: Sequence[Sequence[str]]) -> str:
    """A comma if numbers have commas and none has a point."""
    cells = [cell.strip() for row in rows[1:] for cell in row][:_SAMPLED_CELLS]
    commas = sum("," in cell and is_number(cell, ",") for cell in cells)
    points = sum("." in cell and is_number(cell) for cell in cells)
    return "," if commas and not points else "."


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
    *first, last = said or [""]
    whole = (", ".join(first) + " and " + last) if first else last
    return ((f"has {whole}",) if whole else ()) + form.layout.notes

"""Cells of text: lines split into them, and whether one holds a number, nothing, or else."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress

BLANKS = "whitespace"
_SPACES = re.compile(r"[ \t]+")
#: Texts that stand for a missing value, also without being told.
MISSING = (
    *("", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "NULL", "null", "None", "NaN"),
    *("nan", "-NaN", "-nan", "1.#IND", "1.#QNAN", "-1.#IND", "-1.#QNAN"),
)
_BLANKS = " \t"  # around a cell; the parser of numbers takes no others away
_ANY_CASE = re.IGNORECASE | re.ASCII  # only the digits that the parser knows
_NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?|nan)", _ANY_CASE)
_DECIMAL_COMMA = re.compile(r"[+-]?(\d+,\d*|,\d+)(e[+-]?\d+)?", _ANY_CASE)
_WHOLE = re.compile(r"[+-]?\d+(\.0*)?", re.ASCII)
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}([., '’\u00a0\u202f])\d{3}(\1\d{3})*([.,]\d*)?")
# Texts without any letter or digit, and these, are what people write where a value is missing.
_NOT_A_NAME = frozenset(
    {"none", "missing", "unknown", "nil", "nd", "n.d.", "na", "undefined", "void", "error"}
)
# Blanks before and after a text for a missing value, as in "1, NA, 3" and in aligned columns.
_MOST_BEFORE, _MOST_AFTER, _MOST_BLANKS = 12, 2, 32


def is_number(cell: str, decimal: str = ".") -> bool:
    """Whether a cell holds a number, with this decimal point."""
    text = cell.strip(_BLANKS)
    if decimal == "," and _DECIMAL_COMMA.fullmatch(text):
        return True
    return _NUMBER.fullmatch(text) is not None and (decimal == "." or "." not in text)


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
    if not more or not is_number(text, decimal):
        return False
    return as_number(text, decimal) in missing_numbers(more, decimal)


def missing_numbers(texts: Iterable[str], decimal: str = ".") -> frozenset[float]:
    """The numbers among the texts for missing values: -999 also stands for -999.0."""
    return frozenset(as_number(text, decimal) for text in texts if is_number(text, decimal))


def as_number(cell: str, decimal: str = ".") -> float:
    """The number that a cell holds."""
    return float(cell.replace(decimal, ".") if decimal != "." else cell)


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


def is_name(cell: str, decimal: str = ".") -> bool:
    """Whether a text may be the name of a column: no number, and no word for a missing value."""
    text = cell.strip()
    return (
        any(character.isalnum() for character in text)
        and text.lower() not in _NOT_A_NAME
        and not is_number(text, decimal)
        and not is_missing(text)
    )


def cells_of(lines: Sequence[str], sep: str, quote: str) -> tuple[list[list[str]], list[int]]:
    """The cells of lines that are not blank, and after how many lines each of these rows ends."""
    if sep == BLANKS:
        lines, sep = [squeezed(line) for line in lines], " "
    rows, ends = [], []
    # What was read before something that cannot be read shows the form.
    with long_cells(sum(map(len, lines)) + 1), suppress(csv.Error):
        reader = csv.reader(lines, delimiter=sep, quotechar=quote)
        for row in reader:
            if any(cell.strip() for cell in row) or len(row) > 1:
                rows.append(row)
                ends.append(reader.line_num)
    return rows or [[""]], ends or [len(lines)]


@contextmanager
def long_cells(longest: int) -> Iterator[None]:
    """Let Python's reader of CSV take cells of this length; it refuses those over 128 kB."""
    before = csv.field_size_limit(longest)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def squeezed(line: str) -> str:
    """A line with one blank between cells and none around them."""
    return _SPACES.sub(" ", line.strip(" \t\r\n")) + "\n"

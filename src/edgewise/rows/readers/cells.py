"""The first lines of a table of text cells: which are names, and which columns number the rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from edgewise._base.checks import check_known, default_names
from edgewise.errors import DataError
from edgewise.rows.reading import Reading

#: Texts that stand for a missing value, also without being told.
MISSING = (
    *("", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "NULL", "null", "NaN", "nan", "-NaN"),
    *("-nan", "1.#IND", "1.#QNAN", "-1.#IND", "-1.#QNAN"),
)
_NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?)", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"[+-]?(\d+,\d*|,\d+)(e[+-]?\d+)?", re.IGNORECASE)
_WHOLE = re.compile(r"[+-]?\d+")

# What programs call a column that only numbers or names the rows. R's read.csv makes "X" of the
# empty name, pandas "Unnamed: 0".
_NO_NAME = ("", "unnamed: 0")
_COUNTER_NAMES = (
    *("x", "id", "_id", "index", "level_0", "no", "no.", "nr", "#", "obs", "row"),
    *("row_id", "rowid", "row_names", "rownames", "row.names", "row_number"),
)
_FEWEST_COUNTED = 3  # rows that must count up before a column of another name is a counter


@dataclass(frozen=True, slots=True)
class Layout:
    """Which cells of a table are what.

    Attributes
    ----------
    names : tuple of str
        The names of the columns, without those that are empty.
    places : tuple of int
        The place of each among the cells of a line.
    n_cells : int
        How many cells a line has.
    header : bool
        Whether the first line holds the names.
    index : str or None
        The column that numbers or names the rows, and so is not a variable.
    notes : tuple of str
        What was found out and is not as usual, a sentence each.
    """

    names: tuple[str, ...]
    places: tuple[int, ...]
    n_cells: int
    header: bool
    index: str | None
    notes: tuple[str, ...]


def is_number(cell: str, decimal: str = ".") -> bool:
    """Whether a cell holds a number, with this decimal point."""
    text = cell.strip()
    if decimal == "," and _DECIMAL_COMMA.fullmatch(text):
        return True
    return _NUMBER.fullmatch(text) is not None and (decimal == "." or "." not in text)


def is_missing(cell: str, more: Sequence[str] = ()) -> bool:
    """Whether a cell stands for a missing value."""
    return (text := cell.strip()) in MISSING or text in more


def layout_of(rows: Sequence[Sequence[str]], reading: Reading, decimal: str = ".") -> Layout:
    """The layout of a table from its first lines.

    Parameters
    ----------
    rows : sequence of sequences of str
        The cells of the first lines, that of the names included.
    reading : Reading
        What the user says.
    decimal : str
        The decimal point.

    Examples
    --------
    >>> layout_of([["", "a", "b"], ["1", "0.5", "2"], ["2", "0.1", "3"]], Reading()).index
    ''
    >>> layout_of([["0.5", "2"], ["0.1", "3"]], Reading()).names
    ('x0', 'x1')
    """
    header = _has_header(rows, reading, decimal)
    body = rows[1:] if header else rows
    n_cells = _usual_length(body) if body else len(rows[0])
    notes: list[str] = []
    unnamed_index = header and len(rows[0]) == n_cells - 1
    if header:
        if reading.header is None and all(is_number(cell) for cell in rows[0]):
            notes.append(
                "its first line counts up, so it is taken as names (header=False, --no-header: it "
                "is a row)"
            )
        # R's write.table writes no name above the names of rows.
        first = ["", *rows[0]] if unnamed_index else list(rows[0])
        names = [name.strip() for name in first]
    else:
        names = list(default_names(n_cells))
        if reading.header is None:
            notes.append(
                "its first line looks like a row, so its columns are called x0, x1, … "
                "(header=True, --header: it holds their names)"
            )
    places = _kept_places(names, body, notes)
    index = _index_place(names, places, body, reading, decimal, notes)
    if not header and index is not None and reading.index_col is None:
        index = None  # a column without any name may be what it looks like, or a variable
    return Layout(
        names=tuple(names[place] for place in places),
        places=tuple(places),
        n_cells=len(names),
        header=header,
        index=None if index is None else names[index],
        notes=tuple(notes),
    )


def _usual_length(rows: Sequence[Sequence[str]]) -> int:
    lengths = [len(row) for row in rows]
    return max(set(lengths), key=lengths.count)


def _has_header(rows: Sequence[Sequence[str]], reading: Reading, decimal: str) -> bool:
    """Whether the first line holds names.

    It does if it has text above numbers, or repeats nothing that the lines below look like. A line
    of numbers does only if they count up by one, as the default names of pandas and years do.
    """
    if reading.header is not None:
        return reading.header
    first, body = rows[0], rows[1:]

    def plain(cell: str) -> bool:
        return is_number(cell, decimal) or is_missing(cell, reading.na_values)

    if not any(cell.strip() for cell in first):
        return True
    if all(plain(cell) for cell in first):
        if not any(is_number(cell, decimal) for cell in first):
            return True
        cells = [cell for cell in first if cell.strip()]
        return _counts_up(cells) and (len(cells) > 2 or cells[0].strip() == "0")
    if not body or len(first) != _usual_length(body):
        return True
    # A column of text (a date, a label) is text in every line. Names are text above numbers.
    columns = [[row[k] for row in body if k < len(row)] for k in range(len(first))]
    above_numbers = [
        k for k, column in enumerate(columns) if column and all(plain(cell) for cell in column)
    ]
    if not above_numbers:
        return True
    return any(not plain(first[k]) for k in above_numbers)


def _counts_up(cells: Sequence[str]) -> bool:
    """Whether cells hold whole numbers, each one more than the one before."""
    if len(cells) < 2 or not all(_WHOLE.fullmatch(cell.strip()) for cell in cells):
        return False
    numbers = [int(cell) for cell in cells]
    return all(b == a + 1 for a, b in pairwise(numbers))


def _kept_places(
    names: Sequence[str], body: Sequence[Sequence[str]], notes: list[str]
) -> list[int]:
    """The places of the columns, without empty ones at the end that have no name."""
    last = len(names)
    while last > 1 and not names[last - 1] and all(_empty(row, last - 1) for row in body):
        last -= 1
    if last < len(names):
        empty = len(names) - last
        notes.append(
            "its last column has no name and no values, and is left out"
            if empty == 1
            else f"its last {empty} columns have no names and no values, and are left out"
        )
    return list(range(last))


def _empty(row: Sequence[str], place: int) -> bool:
    return place >= len(row) or not row[place].strip()


def _index_place(
    names: Sequence[str],
    places: Sequence[int],
    body: Sequence[Sequence[str]],
    reading: Reading,
    decimal: str,
    notes: list[str],
) -> int | None:
    """The place of the column that numbers or names the rows."""
    asked = reading.index_col
    if asked is False:
        return None
    if asked is not None:
        return _asked_index(asked, names)
    if len(places) < 2:
        return None
    column = [row[0] for row in body if row]
    filled = [cell.strip() for cell in column if not is_missing(cell)]
    whole = all(_WHOLE.fullmatch(cell) for cell in filled)
    if names[0].lower() in _NO_NAME:
        if not whole and all(is_number(cell, decimal) for cell in filled):
            notes.append(
                f"its first column {names[0]!r} has no name and holds measurements, so it is a "
                "variable (index_col=0, --index-col 0, leaves it out)"
            )
            return None
    elif not (
        names[0].lower() in _COUNTER_NAMES
        and len(filled) >= _FEWEST_COUNTED
        and _counts_up(filled)
        and filled[0] in ("0", "1")
    ):
        return None
    notes.append(
        f"its first column {names[0]!r} {'numbers' if whole else 'names'} the rows and is left out "
        "(index_col=False, --index-col none, keeps it)"
    )
    return 0


def _asked_index(asked: str | int, names: Sequence[str]) -> int:
    if isinstance(asked, str) and asked in names:
        return names.index(asked)
    # On the command line a place is text too; the name of a column goes first.
    if isinstance(asked, int) or asked.isdecimal():
        if (place := int(asked)) < len(names):
            return place
        raise DataError(
            f"index_col: expected a place from 0 to {len(names) - 1}, since there are "
            f"{len(names)} columns, got {asked}."
        )
    check_known("index_col", [asked], names, "the file")
    return 0

"""Cells of text, as files and workbooks have them: numbers, gaps, names, and numbers of rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from edgewise._checks import check_known, default_names
from edgewise.errors import DataError
from edgewise.tables.reading import Reading

#: Texts that stand for a missing value, also without being told.
MISSING = (
    *("", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "NULL", "null", "None", "NaN"),
    *("nan", "-NaN", "-nan", "1.#IND", "1.#QNAN", "-1.#IND", "-1.#QNAN"),
)
#: More columns are refused: a line of a million cells takes gigabytes.
MOST_COLUMNS = 30_000
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
# What programs call a column that only numbers or names the rows: pandas reads the empty name as
# "Unnamed: 0", and if that was written and read again there is "Unnamed: 0.1" before it.
_NO_NAME = re.compile(r"|unnamed: \d+(\.\d+)?|unnamed: 0_level_\d+", re.IGNORECASE)
_ID_NAMES = ("id", "_id", "row_id", "rowid", "row_names", "rownames", "row.names", "row_number")
# Names that may also be those of variables; R's read.csv makes "X" of the empty name.
_COUNTER_NAMES = (*_ID_NAMES, "x", "index", "level_0", "no", "no.", "nr", "#", "obs", "row")
_LOOKED_AT = 50  # rows that show which columns hold numbers
_FEWEST_COUNTED = 3  # rows that must count up before a column of such a name is a counter
_MOST_TITLES = 40  # rows above the names


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


def is_name(cell: str, decimal: str = ".") -> bool:
    """Whether a text may be the name of a column: no number, and no word for a missing value."""
    text = cell.strip()
    return (
        any(character.isalnum() for character in text)
        and text.lower() not in _NOT_A_NAME
        and not is_number(text, decimal)
        and not is_missing(text)
    )


@dataclass(frozen=True, slots=True)
class Layout:
    """Which cells of a table are what."""

    names: tuple[str, ...]  # without those of columns that are empty
    places: tuple[int, ...]  # of each among the cells of a line
    n_cells: int
    header: bool  # whether the first line holds the names
    index: tuple[str, ...]  # columns that number or name the rows, and so are no variables
    index_notes: tuple[str, ...]  # what to tell about each of them; empty if the user named it
    notes: tuple[str, ...]

    def place(self, name: str) -> int:
        """The place of a column among the cells of a line."""
        return self.places[self.names.index(name)]


def layout_of(
    rows: Sequence[Sequence[str]], reading: Reading, decimal: str = ".", where: str = "the file"
) -> Layout:
    """The layout of a table from the cells of its first lines."""
    header = _has_header(rows, reading, decimal, where)
    body = rows[1:] if header else rows
    n_cells = usual_length(body) if body else len(rows[0])
    if max(n_cells, len(rows[0])) > MOST_COLUMNS:
        raise too_wide(max(n_cells, len(rows[0])), where)
    notes: list[str] = []
    if header:
        names = _names(rows[0], body, n_cells, where)
        if reading.header is None and any(is_number(name, decimal) for name in rows[0]):
            notes.append(
                "its first line holds whole numbers that go up, so they are taken as names "
                "(header=False, --no-header: it is a row)"
            )
    else:
        names = list(default_names(n_cells))
        if reading.header is None:
            notes.append(
                "its first line looks like a row, so its columns are called x0, x1, … "
                "(header=True, --header: it holds their names)"
            )
    # Empty columns at the end that have no name are left out.
    last = len(names)
    while last > 1 and not names[last - 1] and all(_empty(row, last - 1) for row in body):
        last -= 1
    if last < len(names):
        what = (
            "column has no name and no values, and is",
            "columns have no names and are empty, and are",
        )
        many = len(names) - last
        notes.append(f"its last {what[0] if many == 1 else f'{many} {what[1]}'} left out")
    index: dict[int, str] = {}
    if isinstance(asked := reading.index_col, str) or type(asked) is int:
        index = {_asked_place(asked, names, where): ""}
    elif header and asked is None:
        index = _index_places(names[:last], body, decimal, notes)
    # Two columns without a name cannot be told apart, but nobody asks for those of row numbers.
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
    rows = [row[0] for row in body if len(row) == n_cells]
    if len(set(rows)) < len(rows) or (len(names) == 1 and all(map(is_number, rows))):
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
    """The places of the columns at the front that number or name the rows, with what to tell."""
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
        if not unnamed and (found or not _counts_rows(names[place], filled)):
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
    if name.lower() not in _COUNTER_NAMES or len(filled) < _FEWEST_COUNTED:
        return False
    if _counts_up(filled) and float(filled[0]) in (0, 1):
        return True
    different = len(set(filled)) == len(filled)
    numbers = [cell for cell in filled if is_number(cell)]
    return name.lower() in _ID_NAMES and different and (not numbers or all(map(is_whole, filled)))


def _asked_place(asked: str | int, names: Sequence[str], where: str) -> int:
    """The place of the column that a user names by its name or by its place."""
    if isinstance(asked, str) and asked in names:
        return names.index(asked)
    # On the command line a place is text too; the name of a column goes first.
    if isinstance(asked, int) or asked.isdecimal():
        if (place := int(asked)) < len(names):
            return place
        raise DataError(
            f"index_col: expected a place from 0 to {len(names) - 1}, since {where} has "
            f"{len(names)} columns, got {asked}."
        )
    check_known("index_col", [asked], names, where)
    return 0


def _has_header(rows: Sequence[Sequence[str]], reading: Reading, decimal: str, where: str) -> bool:
    """Whether the first line holds names: words above numbers, or 0, 1, 2, … as pandas writes.

    What is mistaken for a row is told when the names are found not to be numbers; what is mistaken
    for names is lost. So in doubt it is a row.
    """
    if reading.header is not None:
        return reading.header
    first, body = rows[0], rows[1:]
    numbers = [k for k, cell in enumerate(first) if is_number(cell, decimal)]
    gaps = [k for k, cell in enumerate(first) if is_missing(cell, reading.na_values, decimal)]
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
    below = _numeric_columns(body, len(first), reading.na_values, decimal)
    later = _numeric_columns(body[1:], len(first), reading.na_values, decimal)
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
) -> list[int]:
    """The places of columns of which most cells are numbers or gaps, and some are numbers."""
    found = []
    points = (".", ",") if decimal is None else (decimal,)
    for k in range(n_cells):
        column = [row[k] for row in body[:_LOOKED_AT] if k < len(row)]
        others = [cell for cell in column if not any(is_number(cell, one) for one in points)]
        words = sum(not is_missing(cell, na_values, points[0]) for cell in others)
        if len(others) < len(column) and 2 * words < len(column):
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

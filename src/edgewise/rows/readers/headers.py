"""Whether the first line of a table holds the names of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from edgewise._base.text import listed
from edgewise.errors import DataError
from edgewise.rows.readers.cells import as_number, is_missing, is_name, is_number, is_whole
from edgewise.rows.reading import Reading

_Rows = Sequence[Sequence[str]]
_LOOKED_AT = 50  # rows that show which columns hold numbers
_MANY = 8  # numbers of a row that would hardly go up by chance


def has_header(rows: _Rows, reading: Reading, decimal: str = ".") -> bool:
    """Whether the first line holds names.

    It does if it has names above numbers. If it has numbers too, it does only if they go up in
    whole numbers, as years do; a line of nothing but numbers only if they count up by one. What is
    mistaken for a row is told when the names are found not to be numbers; what is mistaken for
    names is lost. So in doubt it is a row.

    Examples
    --------
    >>> has_header([["a", "b"], ["0.5", "2"]], Reading())
    True
    >>> has_header([["0.5", "?"], ["0.5", "2"]], Reading())
    False
    """
    if reading.header is not None:
        return reading.header
    first, body = rows[0], rows[1:]
    numbers = [k for k, cell in enumerate(first) if is_number(cell, decimal)]
    gaps = [k for k, cell in enumerate(first) if is_missing(cell, reading.na_values, decimal)]
    if len({*numbers, *gaps}) == len(first):
        return _names_without_words(first, body, decimal)
    if not body or len(first) != usual_length(body):
        return True
    below = numeric_columns(body, len(first), reading, decimal)
    if 0 not in below and _scale([first[k] for k in numbers], decimal):
        return numbers == [k for k in range(1, len(first)) if k not in gaps]
    named = any(is_name(first[k], decimal) for k in below)
    counted = [first[k] for k in numbers if k in below and k not in gaps]
    if named and counted:
        return all(map(is_whole, counted)) and _increasing([as_number(c) for c in counted])
    return not counted


def _names_without_words(first: Sequence[str], body: _Rows, decimal: str) -> bool:
    """Whether numbers and gaps are names: no words at all, or numbers that count up."""
    cells = [cell.strip() for cell in first if cell.strip()]
    if not cells:
        return True
    if not first[0].strip() and len(cells) == len(first) - 1 and _scale(cells, decimal):
        return True  # an empty corner above the names of the rows
    if not counts_up(cells) or (len(cells) < 3 and float(cells[0]) != 0):
        return False
    return float(cells[0]) == 0 or not _among(first, body, decimal)


def _scale(cells: Sequence[str], decimal: str) -> bool:
    """Whether numbers go up in equal steps, as years and wavelengths do, or many go up."""
    if len(cells) < 3:
        return False
    numbers = [as_number(cell, decimal) for cell in cells]
    steps = [b - a for a, b in pairwise(numbers)]
    even = max(steps) - min(steps) <= 1e-6 * abs(max(steps))
    return min(steps) > 0 and (even or len(cells) >= _MANY)


def _among(first: Sequence[str], body: _Rows, decimal: str) -> bool:
    """Whether a line of whole numbers could be one of the rows: they are whole, and around it."""
    for k, cell in enumerate(first):
        column = [row[k] for row in body if k < len(row) and is_number(row[k], decimal)]
        if not cell.strip() or not column:
            continue
        values = [as_number(one, decimal) for one in column]
        if not all(map(is_whole, column)) or not min(values) <= float(cell) <= max(values):
            return False
    return bool(body)


def numeric_columns(body: _Rows, n_cells: int, reading: Reading, decimal: str) -> list[int]:
    """The places of columns of which most cells are numbers or gaps, and some are numbers."""
    found = []
    for k in range(n_cells):
        column = [row[k] for row in body[:_LOOKED_AT] if k < len(row)]
        others = [cell for cell in column if not is_number(cell, decimal)]
        words = sum(not is_missing(cell, reading.na_values, decimal) for cell in others)
        if len(others) < len(column) and 2 * words < len(column):
            found.append(k)
    return found


def refuse_second_names(body: _Rows, reading: Reading, decimal: str, where: str) -> None:
    """Refuse a second line of names or units, or names below a title: words above numbers."""
    if len(body) < 2:
        return
    second, rest = body[0], body[1:]
    below = numeric_columns(rest, usual_length(rest), reading, decimal)
    above = [second[k].strip() for k in below if k < len(second)]
    names = [cell for cell in above if is_name(cell, decimal)]
    if len(names) < 2 or not all(cell in names or not cell for cell in above):
        return
    shown = listed([*map(repr, names)])
    raise DataError(
        f"data: {where} has a second line of names above its numbers ({shown}); keep only the line "
        "that names the columns, and remove titles, units and other lines."
    )


def usual_length(rows: _Rows) -> int:
    """The number of cells that most lines have."""
    lengths = [len(row) for row in rows]
    return max(set(lengths), key=lengths.count)


def counts_up(cells: Sequence[str]) -> bool:
    """Whether cells hold whole numbers, each one more than the one before."""
    if len(cells) < 2 or not all(map(is_whole, cells)):
        return False
    return all(float(b) == float(a) + 1 for a, b in pairwise(cells))


def _increasing(numbers: Sequence[float]) -> bool:
    return all(a < b for a, b in pairwise(numbers))

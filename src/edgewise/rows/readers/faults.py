"""What is wrong with a text of cells: the first cell or line that cannot be read, by its line."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from edgewise._base.text import one_line
from edgewise.errors import DataError, DataTypeError
from edgewise.rows.readers.cells import is_missing, is_number
from edgewise.rows.readers.sniffing import BLANKS, TextFormat, squeezed

_TRUTH = ("true", "false")
_SHOWN = 60  # characters of a cell or of a line in a message


class Fault(NamedTuple):
    """A cell that is not a number, or, without a column, a line of another length.

    Attributes
    ----------
    line : int
        The number of its line, from 1 on.
    text : str
        The cell, or the line.
    column : str or None
        The name of its column.
    cells : int
        How many cells the line has.
    """

    line: int
    text: str
    column: str | None
    cells: int


def first_fault(
    lines: Iterator[str],
    form: TextFormat,
    places: Sequence[int],
    *,
    known_good: int = 0,
    first_line: int = 1,
    lengths: bool = True,
) -> Fault | None:
    """The first line that is too short or too long, or cell in some columns that is no number.

    Parameters
    ----------
    lines : iterator of str
        The lines of the text.
    form : TextFormat
        Its form.
    places : sequence of int
        The places of the columns that must hold numbers.
    known_good : int
        So many rows need not be looked at.
    first_line : int
        The number of the first line; lines from the start of the file have 1.
    lengths : bool
        Whether to look at the lengths of lines.
    """
    before = form.skip if first_line == 1 else 0
    lines = islice(lines, before, None)
    line, lines = _past(lines, first_line + before, known_good, form.quote)
    if form.sep == BLANKS:
        lines, sep = map(squeezed, lines), " "
    else:
        sep = form.sep
    reader = csv.reader(lines, delimiter=sep, quotechar=form.quote)
    name = dict(zip(form.layout.places, form.layout.names, strict=True))
    try:
        for row in reader:
            here = line + reader.line_num - 1
            if not row or row == [""]:
                continue
            if len(row) != form.layout.n_cells:
                if lengths:
                    return Fault(here, _short(sep.join(row)), None, len(row))
                continue
            for place in places:
                if not _reads(cell := row[place], form):
                    return Fault(here, _short(cell), name[place], len(row))
    except csv.Error as error:
        return Fault(line + reader.line_num, str(error), None, -1) if lengths else None
    return None


def _past(lines: Iterator[str], line: int, rows: int, quote: str) -> tuple[int, Iterator[str]]:
    """The lines after so many rows, and the number of the first; quoted lines are not skipped."""
    for text in lines:
        if not rows or quote in text:
            return line, chain([text], lines)
        rows -= bool(text.strip("\r\n"))
        line += 1
    return line, iter(())


def _reads(cell: str, form: TextFormat) -> bool:
    return (
        is_number(cell, form.decimal)
        or is_missing(cell, form.na_values)
        or cell.strip().lower() in _TRUTH
    )


def _short(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def told(fault: Fault | None, error: Exception, where: str, form: TextFormat) -> DataError:
    """One sentence for what is wrong; without a fault, what the parser says."""
    if fault is None:
        return DataError(
            f"data: {where} cannot be read: {one_line(error)}. Is it complete, and of the kind "
            "that its name says?"
        )
    if fault.column is None:
        if fault.cells < 0:
            return DataError(f"data: line {fault.line} of {where} cannot be read: {fault.text}.")
        return DataError(
            f"data: line {fault.line} of {where} has {_cells(fault.cells)}, expected "
            f"{form.layout.n_cells} as in the lines before: {fault.text!r}; correct or remove the "
            "line."
        )
    return DataTypeError(
        f"data: column {fault.column!r} of {where} must hold numbers, got {fault.text!r} in line "
        f"{fault.line}; if that stands for a missing value, say so (na_values={fault.text!r} of "
        "read_table, --na-values), else correct it or leave out the column."
    )


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count} cells"

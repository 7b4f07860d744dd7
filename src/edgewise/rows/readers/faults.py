"""What is wrong with a text of cells: the first cell or line that cannot be read, by its line."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from edgewise._base.text import one_line
from edgewise.errors import DataError, DataTypeError
from edgewise.rows.readers.cells import (
    BLANKS,
    has_thousands,
    is_name,
    is_number,
    long_cells,
    missing_texts,
    squeezed,
)
from edgewise.rows.readers.sniffing import TextFormat

_TRUTH = ("true", "false", "0", "1")
# A quote that is not closed makes one cell of the rest of the file.
_LONGEST_CELL = 1 << 24
_NOT_CLOSED = "a quote begins there that is not closed in the same line"
_SHOWN = 60  # characters of a cell or of a line in a message


class Fault(NamedTuple):
    """A cell that is not a number, or, without a column, a line of another length."""

    line: int  # from 1 on
    text: str
    column: str | None
    cells: int  # of the line; -1 if that cannot be said
    expected: str = "numbers"


def first_fault(
    lines: Iterator[str],
    form: TextFormat,
    places: Sequence[int],
    *,
    truths: Collection[int] = (),
    known_good: int = 0,
    first_line: int = 1,
    lengths: bool = True,
) -> Fault | None:
    """The first line of a wrong length, or cell in some columns that is not a number.

    The columns at `truths` hold true and false; the first `known_good` rows are skipped. Lines from
    the start of the file have the `first_line` 1.
    """
    before = form.skip if first_line == 1 else 0
    line, lines = _past(islice(lines, before, None), first_line + before, known_good, form)
    if form.sep == BLANKS:
        lines, sep = map(squeezed, lines), " "
    else:
        sep = form.sep
    missing = frozenset(missing_texts(form.na_values, form.padded))
    here = line
    with long_cells(_LONGEST_CELL):
        reader = csv.reader(lines, delimiter=sep, quotechar=form.quote)
        try:
            for row in reader:
                end = line + reader.line_num
                if not _is_blank(row, form):
                    if lengths and len(row) != form.layout.n_cells:
                        return Fault(here, _short(sep.join(row)), None, len(row))
                    if lengths and not form.multiline and end - here > 1:
                        return Fault(here, _NOT_CLOSED, None, -1)
                    fault = _bad_cell(row, here, form, places, truths, missing)
                    if fault is not None:
                        return fault
                here = end
        except csv.Error:
            return Fault(here, _NOT_CLOSED, None, -1) if lengths else None
    return None


def _bad_cell(
    row: Sequence[str],
    line: int,
    form: TextFormat,
    places: Sequence[int],
    truths: Collection[int],
    missing: Collection[str],
) -> Fault | None:
    """The first cell of a line that the parser does not take."""
    if len(row) != form.layout.n_cells:
        return None
    for place in places:
        cell, truth = row[place], place in truths
        taken = cell.strip().lower() in _TRUTH if truth else is_number(cell, form.decimal)
        if not taken and cell not in missing:
            name = form.layout.names[form.layout.places.index(place)]
            wanted = "true or false" if truth else "numbers"
            return Fault(line, _short(cell), name, len(row), wanted)
    return None


def _past(
    lines: Iterator[str], line: int, rows: int, form: TextFormat
) -> tuple[int, Iterator[str]]:
    """The lines after so many rows, and the number of the first; quoted lines are not skipped."""
    for text in lines:
        if not rows or form.quote in text:
            return line, chain([text], lines)
        rows -= bool(text.strip() if form.layout.n_cells > 1 else text.strip("\r\n"))
        line += 1
    return line, iter(())


def _is_blank(row: Sequence[str], form: TextFormat) -> bool:
    """Whether a line is left out; in a table of one column, blanks are a missing value."""
    if not row or row == [""]:
        return True
    return form.blank_lines and len(row) == 1 < form.layout.n_cells and not row[0].strip()


def _short(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def told(fault: Fault | None, error: Exception, where: str, form: TextFormat) -> DataError:
    """One sentence for what is wrong; without a fault, what the parser says."""
    if fault is None and "invalid UTF8" in str(error):
        return DataError(
            f"data: {where} has text that is not UTF-8 after its first lines; name its encoding "
            "(encoding='latin-1' of read_table, --encoding latin-1)."
        )
    if fault is None:
        return DataError(
            f"data: {where} cannot be read: {one_line(error)}. Is it complete, and of the kind "
            "that its name says?"
        )
    if fault.column is None:
        if fault.cells < 0:
            return DataError(
                f"data: line {fault.line} of {where} cannot be read: {fault.text}; correct it."
            )
        return DataError(
            f"data: line {fault.line} of {where} has {_cells(fault.cells)}, expected "
            f"{form.layout.n_cells} as in the lines before: {fault.text!r}; correct or remove the "
            "line."
        )
    other = "," if form.decimal == "." else "."
    if other in fault.text and is_number(fault.text, other):
        return DataTypeError(
            f"data: column {fault.column!r} of {where} must hold numbers with the decimal point "
            f"{form.decimal!r}, got {fault.text!r} in line {fault.line}; say decimal={other!r} "
            f"(--decimal {other}) if that is the decimal point, else correct the cell."
        )
    return DataTypeError(
        f"data: column {fault.column!r} of {where} must hold {fault.expected}, got "
        f"{fault.text!r} in line {fault.line}; if that stands for a missing value, say so "
        f"(na_values={fault.text!r} of read_table, --na-values), else correct it or leave out the "
        "column."
    )


def hint(fault: Fault, form: TextFormat) -> str:
    """What a text among numbers may be, as the beginning of a remedy."""
    if not form.layout.header and fault.line == form.skip + 1:
        return "; if line 1 holds the names, say so (header=True of read_table, --header)"
    if len(form.layout.names) == 1:
        return "; if that is several cells, say what is between them (sep=..., --sep)"
    other = "," if form.decimal == "." else "."
    decimal = other in fault.text and is_number(fault.text, other)
    if decimal and not has_thousands(fault.text):
        return f"; if {other!r} is the decimal point, say so (decimal={other!r}, --decimal {other})"
    if has_thousands(fault.text):
        return "; write numbers without thousands separators"
    if not is_name(fault.text):
        return (
            "; if that stands for a missing value, say so (na_values=... of read_table, "
            "--na-values)"
        )
    return ""


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count} cells"


def refuse_open_quotes(
    lines: Iterator[str], form: TextFormat, where: str, *, whole: bool = True
) -> None:
    """Refuse a cell that goes over several lines and is not quoted properly.

    A quote that is never closed ends at the next quote, which begins a cell in another line: what
    follows is then neither a separator nor the end of a line. If the lines are not the `whole`
    text, the last cell may be cut off.
    """
    if form.sep == BLANKS:
        return
    kept: list[str] = []

    def fed() -> Iterator[str]:
        for line in lines:
            kept.append(line)
            yield line

    start = 1
    with long_cells(_LONGEST_CELL):
        try:
            for _ in csv.reader(fed(), delimiter=form.sep, quotechar=form.quote):
                if len(kept) > 1 and not _is_proper(kept, form):
                    break
                start += len(kept)
                kept.clear()
            else:
                return
        except csv.Error:
            pass
    if whole or next(lines, None) is not None:
        raise DataError(
            f"data: line {start} of {where} cannot be read: a quote begins there that is not "
            "closed in the same cell; correct it."
        )


def _is_proper(lines: list[str], form: TextFormat) -> bool:
    reader = csv.reader(lines, delimiter=form.sep, quotechar=form.quote, strict=True)
    try:
        return len(list(reader)) == 1
    except csv.Error:
        return False


class QuoteWatch(io.RawIOBase):
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

"""Sheets of Excel workbooks."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, time
from pathlib import Path
from typing import Any

import numpy as np

from edgewise._base.text import listed
from edgewise._base.types import FloatArray
from edgewise.errors import DataError
from edgewise.tables.cells import is_missing, is_number
from edgewise.tables.labels import label_number
from edgewise.tables.layout import Layout, layout_of
from edgewise.tables.opened_file import OpenedFile, readable
from edgewise.tables.reading import Reading
from edgewise.tables.table import Rows, batch_rows

_HEAD = 300  # rows that show which cells are names
_OLD_EXCEL = b"\xd0\xcf\x11\xe0"
_Row = tuple[Any, ...]


def open_excel(path: Path, reading: Reading) -> OpenedFile:
    """One sheet of a workbook, which is held in memory: its values, not its formulas."""
    with _told(path):
        numbers, cells, notes = _sheet(path, reading)
    if not cells:
        raise DataError(f"data: file '{path}' is empty; expected the names of columns, and rows.")
    head = [[_text(cell) for cell in row] for row in cells[:_HEAD]]
    layout = layout_of(head, reading, where=f"file '{path}'")
    body = cells[layout.header :]
    columns, wrong = _columns(body, layout, reading.na_values)
    n = len(body)

    def read(wanted: Sequence[str], skip: int, along: Sequence[str] = ()) -> Iterator[Rows]:
        chosen = [
            _labels(body, layout, name) if name in along else columns[name] for name in wanted
        ]
        step = batch_rows(len(chosen))
        for start in range(skip, n, step):
            yield np.column_stack([column[start : start + step] for column in chosen])

    def first_text(name: str) -> str:
        row, text = wrong[name]
        return f" (row {numbers[row + layout.header]} has {text!r})"

    return OpenedFile(
        str(path),
        layout.names,
        layout.header,
        n,
        n,
        read,
        texts=dict.fromkeys(wrong, "text"),
        index=layout.index,
        index_notes=layout.index_notes,
        notes=notes + layout.notes,
        first_text=first_text,
        labels=lambda name: [_plain(row[_place(layout, name)]) for row in body],
        entries=range(0, max(n, 1), batch_rows(len(layout.names))),
        held=True,
    )


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn whatever openpyxl stumbles over in a damaged workbook into a sentence."""
    with path.open("rb") as file:
        if file.read(len(_OLD_EXCEL)) == _OLD_EXCEL:
            raise DataError(
                f"data: file '{path}' has a password, or is of the old kind .xls; save it as .xlsx "
                "without a password."
            )
    with readable(str(path), whatever=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about styles and other things that hold no numbers
        yield


@contextmanager
def _book(path: Path, *, values: bool) -> Iterator[Any]:
    """A workbook; of an open file, because openpyxl refuses a path of an ending that it misses."""
    from openpyxl import load_workbook

    with path.open("rb") as file:
        book = load_workbook(file, read_only=True, data_only=values)
        try:
            yield book
        finally:
            book.close()


def _sheet(path: Path, reading: Reading) -> tuple[list[int], list[_Row], tuple[str, ...]]:
    """The rows of a sheet that are not empty, their numbers, and what to tell about it."""
    with _book(path, values=True) as book:
        names = [sheet.title for sheet in book.worksheets]
        if not names:
            raise DataError(f"data: expected a sheet of cells in '{path}', got none; add one.")
        place = _sheet_place(path, names, reading.sheet)
        numbered = _filled(book.worksheets[place])
    rows = [row for _, row in numbered]
    if any(cell is None for row in rows[1:] for cell in row):
        _refuse_formulas(path, place)
    several = len(names) > 1 and reading.sheet is None
    note = (
        f"its first sheet {names[0]!r} of {len(names)} is read (sheet=..., --sheet, names another)"
    )
    return [number for number, _ in numbered], rows, (note,) if several else ()


def _filled(sheet: Any) -> list[tuple[int, _Row]]:
    """The rows that are not empty, with their numbers, without empty columns around the table."""
    sheet.reset_dimensions()  # some programs write wrong ones, and rows would be cut off
    numbered = [
        (number, row)
        for number, row in enumerate(sheet.iter_rows(values_only=True), 1)
        if any(cell is not None for cell in row)
    ]
    filled = [k for _, row in numbered for k, cell in enumerate(row) if cell is not None]
    if not filled:
        return []
    first, last = min(filled), max(filled) + 1
    return [(number, (*row, *[None] * (last - len(row)))[first:last]) for number, row in numbered]


def _refuse_formulas(path: Path, place: int) -> None:
    """Refuse a sheet with formulas whose values were never computed: they would be gaps."""
    with _book(path, values=False) as one, _book(path, values=True) as other:
        sheets = [book.worksheets[place] for book in (one, other)]
        for sheet in sheets:
            sheet.reset_dimensions()
        for formulas, values in zip(*(sheet.iter_rows() for sheet in sheets), strict=True):
            for formula, value in zip(formulas, values, strict=True):
                if value.value is None and formula.data_type == "f":
                    raise DataError(
                        f"data: cell {formula.coordinate} of file '{path}' has a formula without a "
                        "value; open the file in a spreadsheet program and save it, or write "
                        "values."
                    )


def _sheet_place(path: Path, names: Sequence[str], asked: str | int | None) -> int:
    if asked is None:
        return 0
    if isinstance(asked, str) and asked in names:
        return names.index(asked)
    # On the command line a place is text too; the name of a sheet goes first.
    if str(asked).isdecimal() and int(asked) < len(names):
        return int(asked)
    raise DataError(
        f"sheet: file '{path}' has no sheet {asked!r}; it has {listed([*map(repr, names)])}."
    )


def _place(layout: Layout, name: str) -> int:
    return layout.places[layout.names.index(name)]


def _columns(
    body: Sequence[Sequence[Any]], layout: Layout, na_values: Sequence[str]
) -> tuple[dict[str, FloatArray], dict[str, tuple[int, str]]]:
    """The columns as numbers, and where those that hold text first do so."""
    columns: dict[str, FloatArray] = {}
    wrong: dict[str, tuple[int, str]] = {}
    for name, place in zip(layout.names, layout.places, strict=True):
        values = np.full(len(body), np.nan)
        for i, row in enumerate(body):
            text = _text(row[place])
            if is_missing(text, na_values):
                continue
            if isinstance(row[place], bool) or is_number(text):
                values[i] = float(row[place])
            else:
                wrong[name] = i, text
                break
        columns[name] = values
    return columns, wrong


def _labels(body: Sequence[Sequence[Any]], layout: Layout, name: str) -> FloatArray:
    place = _place(layout, name)
    return np.array([label_number(_plain(row[place])) for row in body])


def _plain(cell: Any) -> Any:
    return None if is_missing(_text(cell)) else cell.isoformat() if _is_time(cell) else cell


def _text(cell: Any) -> str:
    return "" if cell is None else cell.isoformat() if _is_time(cell) else str(cell)


def _is_time(cell: Any) -> bool:
    return isinstance(cell, date | time)

"""Sheets of Excel workbooks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, time
from pathlib import Path
from typing import Any

import numpy as np

from edgewise._base.text import listed
from edgewise._base.types import FloatArray
from edgewise.errors import DataError
from edgewise.rows.block import Rows
from edgewise.rows.labels import label_number
from edgewise.rows.readers.cells import Layout, is_missing, is_number, layout_of
from edgewise.rows.readers.opened_file import OpenedFile
from edgewise.rows.reading import Reading
from edgewise.rows.table import batch_rows

_HEAD = 300  # rows that show which cells are names


def open_excel(path: Path, reading: Reading) -> OpenedFile:
    """One sheet of a workbook, which is held in memory: its values, not its formulas."""
    cells, notes = _sheet(path, reading)
    if not cells:
        raise DataError(f"data: file '{path}' is empty; expected the names of columns, and rows.")
    layout = layout_of([[_text(cell) for cell in row] for row in cells[:_HEAD]], reading)
    body = cells[1:] if layout.header else cells
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
        return f" (row {row + 1 + layout.header} has {text!r})" if name in wrong else ""

    return OpenedFile(
        str(path),
        layout.names,
        layout.header,
        n,
        n,
        read,
        texts=dict.fromkeys(wrong, "text"),
        index=layout.index,
        notes=notes + layout.notes,
        first_text=first_text,
        labels=lambda name: [_plain(row[_place(layout, name)]) for row in body],
        entries=range(0, max(n, 1), batch_rows(len(layout.names))),
    )


def _sheet(path: Path, reading: Reading) -> tuple[list[tuple[Any, ...]], tuple[str, ...]]:
    """The rows of a sheet that are not empty, all of one length, and what to tell about it."""
    from openpyxl import load_workbook

    book = load_workbook(path, read_only=True, data_only=True)
    try:
        names = [sheet.title for sheet in book.worksheets]
        if not names:
            raise DataError(f"data: expected a sheet of cells in '{path}', got none.")
        place = _sheet_place(path, names, reading.sheet)
        rows = [
            row
            for row in book.worksheets[place].iter_rows(values_only=True)
            if any(cell is not None for cell in row)
        ]
    finally:
        book.close()
    longest = max(map(len, rows), default=0)
    # Formatting without values makes a sheet wider than its data.
    while longest and all(len(row) < longest or row[longest - 1] is None for row in rows):
        longest -= 1
    padded = [(*row, *[None] * (longest - len(row)))[:longest] for row in rows]
    several = len(names) > 1 and reading.sheet is None
    note = (
        f"its first sheet {names[0]!r} of {len(names)} is read (sheet=..., --sheet, names another)"
    )
    return padded, (note,) if several else ()


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

"""Sheets of Excel workbooks, read by openpyxl: calamine makes an empty cell of a formula without a
value and of an error, which would be gaps that nobody sees."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from datetime import date, time
from pathlib import Path
from typing import Any

import numpy as np

from edgewise._text import listed
from edgewise.errors import DataError
from edgewise.tables.labels import label_number
from edgewise.tables.layout import is_missing, is_number, layout_of, titles_above
from edgewise.tables.opened_file import OpenedFile, readable
from edgewise.tables.reading import Reading
from edgewise.tables.table import Rows, batch_rows

_HEAD = 300  # rows that show which cells are names
_OLD_EXCEL = b"\xd0\xcf\x11\xe0"


def open_excel(path: Path, reading: Reading) -> OpenedFile:
    """One sheet of a workbook, which is held in memory: its values, not its formulas."""
    with path.open("rb") as file:
        if file.read(len(_OLD_EXCEL)) == _OLD_EXCEL:
            raise DataError(
                f"data: file '{path}' has a password, or is of the old kind .xls; save it as .xlsx "
                "without a password."
            )
    # Whatever openpyxl stumbles over in a damaged workbook; its warnings are about styles.
    with readable(str(path), whatever=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        numbers, cells, notes = _sheet(path, reading)
    if not cells:
        raise DataError(f"data: file '{path}' is empty; expected the names of columns, and rows.")
    head = [[_text(cell) for cell in row] for row in cells[:_HEAD]]
    above = titles_above(head) if reading.header is None else 0
    if above:
        notes.append(f"its rows above row {numbers[above]}, which has the names, are skipped")
    layout = layout_of(head[above:], reading, where=f"file '{path}'")
    body, numbers = cells[above + layout.header :], numbers[above + layout.header :]
    n = len(body)
    columns, texts = {}, {}
    for name, place in zip(layout.names, layout.places, strict=True):
        columns[name] = values = np.full(n, np.nan)
        for i, row in enumerate(body):
            cell, text = row[place], _text(row[place])
            if is_missing(text, reading.na_values):
                continue
            if isinstance(cell, bool) or is_number(text):
                values[i] = float(cell)
            else:
                kind = "dates" if isinstance(cell, date | time) else "text"
                texts[name] = f"{kind}, first {text!r} in row {numbers[i]}"
                break

    def labels(name: str) -> list[Any]:
        found = [row[layout.place(name)] for row in body]
        dated = [_text(cell) if isinstance(cell, date | time) else cell for cell in found]
        return [None if is_missing(_text(cell)) else cell for cell in dated]

    def read(wanted: Sequence[str], skip: int, along: Sequence[str] = ()) -> Iterator[Rows]:
        chosen = [
            np.array([*map(label_number, labels(name))]) if name in along else columns[name]
            for name in wanted
        ]
        step = batch_rows(len(chosen))
        for start in range(skip, n, step):
            yield np.column_stack([column[start : start + step] for column in chosen])

    return OpenedFile(
        str(path),
        layout.names,
        layout.header,
        n,
        n,
        read,
        texts=texts,
        index=layout.index,
        index_notes=layout.index_notes,
        notes=(*notes, *layout.notes),
        labels=labels,
        entries=range(0, max(n, 1), batch_rows(len(layout.names))),
        held=True,
    )


def _sheet(path: Path, reading: Reading) -> tuple[list[int], list[tuple[Any, ...]], list[str]]:
    """The rows of a sheet that are not empty, their numbers, and what to tell about it."""
    from openpyxl import load_workbook

    # Of an open file, because openpyxl refuses a path of an ending that it misses.
    with path.open("rb") as file, path.open("rb") as again:
        book = load_workbook(file, read_only=True, data_only=True)
        names = [sheet.title for sheet in book.worksheets]
        if not names:
            raise DataError(f"data: expected a sheet of cells in '{path}', got none; add one.")
        place, asked = 0, reading.sheet
        if asked is not None and asked in names:
            place = names.index(str(asked))
        # On the command line a place is text too; the name of a sheet goes first.
        elif str(asked).isdecimal() and int(str(asked)) < len(names):
            place = int(str(asked))
        elif asked is not None:
            raise DataError(
                f"sheet: file '{path}' has no sheet {asked!r}; it has "
                f"{listed([*map(repr, names)])}."
            )
        sheet = book.worksheets[place]
        sheet.reset_dimensions()  # some programs write wrong ones, and rows would be cut off
        rows = [*sheet.iter_rows(values_only=True)]
        if any(cell is None for row in rows for cell in row):
            # A formula whose value was never computed would be a gap.
            formulas = load_workbook(again, read_only=True).worksheets[place]
            formulas.reset_dimensions()
            for formula_row, row in zip(formulas.iter_rows(), rows, strict=True):
                for formula, value in zip(formula_row, row, strict=True):
                    if value is None and formula.data_type == "f":
                        raise DataError(
                            f"data: cell {formula.coordinate} of file '{path}' has a formula "
                            "without a value; open the file in a spreadsheet program and save it, "
                            "or write values."
                        )
    # Rows and columns around the table are empty.
    filled = [k for row in rows for k, cell in enumerate(row) if cell is not None]
    first, last = min(filled, default=0), max(filled, default=0) + 1
    numbered = [(i, row) for i, row in enumerate(rows, 1) if any(cell is not None for cell in row)]
    cells = [(*row, *[None] * (last - len(row)))[first:last] for _, row in numbered]
    several = len(names) > 1 and asked is None
    note = (
        f"its first sheet {names[0]!r} of {len(names)} is read (sheet=..., --sheet, names another)"
    )
    return [i for i, _ in numbered], cells, [note] if several else []


def _text(cell: Any) -> str:
    return "" if cell is None else cell.isoformat() if isinstance(cell, date | time) else str(cell)

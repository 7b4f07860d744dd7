"""--given and --pairs: which pairs of the columns are tested."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from typing import Any

from edgewise.cli.options import column_names
from edgewise.errors import DataError

#: First lines that name the columns of the file, if the data have no such columns.
_HEADINGS = (("source", "target"), ("from", "to"), ("x", "y"), ("variable1", "variable2"))


def family_of(options: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """`given` and `pairs` of the functions, checked against the names of the data's columns."""
    from edgewise._base.checks import check_known
    from edgewise.inference.family import Family

    given, path = column_names(options["given"]), options["pairs"]
    chosen = {name: column_names(options[name]) for name in ("columns", "exclude")}
    Family.checked(given, **chosen).tested(names)
    if path is None:
        return {"given": given, "pairs": None}
    pairs = []
    for where, found in _lines(path, names):
        if len(found) != 2 or not all(name or name in names for name in found):
            raise DataError(
                f"{where}: expected two names with a comma between them, got {', '.join(found)!r}."
            )
        check_known(where, found, names)
        if found[0] == found[1]:
            raise DataError(f"{where}: expected two different columns, got {found[0]!r} twice.")
        pairs.append((found[0], found[1]))
    if not pairs:
        raise DataError(
            f"pairs: expected two names on each line of '{path}', got no line; leave --pairs out "
            "to test all pairs."
        )
    Family.checked(given, pairs, **chosen)
    return {"given": given, "pairs": pairs}


def _lines(path: str, names: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The names on each line, and what to call the line in a message.

    Remarks at the head and further columns after a heading are left out, so that a file of `--csv`
    can be given back; names that it made safe for a spreadsheet are taken for what they were.
    """
    from edgewise.view.export import safe_cell
    from edgewise.view.safe_names import distinct_texts

    originals = {text: name for name, text in distinct_texts(names, safe_cell).items()}
    text, remarks = _text(path), 0
    while text.startswith("#"):
        text, remarks = text.partition("\n")[2], remarks + 1
    reader = csv.reader(text.splitlines(keepends=True), skipinitialspace=True)
    columns, first, written_by_us = slice(None), True, False
    try:
        for cells in reader:
            stripped = [cell.strip() for cell in cells]
            if not any(stripped):
                continue
            # In a file of `edgewise diff` the group comes before.
            start = int([word.lower() for word in stripped[:3]] == ["group", "source", "target"])
            two = stripped[start : start + 2]
            heading = tuple(word.lower() for word in two) in _HEADINGS and not {*two} <= {*names}
            if first and heading:
                columns, written_by_us = slice(start, start + 2), len(cells) > 2
            else:
                yield (
                    f"pairs: line {remarks + reader.line_num} of '{path}'",
                    [
                        originals[cell]
                        if written_by_us and cell in originals
                        else next(
                            (known for known in (cell, cell.strip()) if known in names),
                            originals.get(cell.strip(), cell.strip()),
                        )
                        for cell in cells[columns]
                    ],
                )
            first = False
    except csv.Error as error:
        line = remarks + reader.line_num
        raise DataError(f"pairs: line {line} of '{path}' is not CSV: {error}.") from error


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            return file.read()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise DataError(
            f"pairs: '{path}' cannot be read: {reason}; give a CSV file with two names on each "
            "line."
        ) from error

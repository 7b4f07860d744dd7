"""--given and --pairs: which pairs of the columns are tested."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import partial
from typing import Any, TypeVar

import click

from edgewise.cli.options import PATH, column_names, names_option
from edgewise.errors import DataError

_Command = TypeVar("_Command", bound=Callable[..., Any])

#: First lines that name the columns of the file, if the data have no such columns.
_HEADINGS = (
    *(("source", "target"), ("from", "to"), ("x", "y"), ("first", "second")),
    *(("node1", "node2"), ("variable1", "variable2"), ("variable 1", "variable 2")),
)


def family_options(command: _Command) -> _Command:
    """Columns that are adjusted for, and a file of pairs."""
    for decorator in (
        click.option(
            "--pairs",
            type=PATH,
            metavar="FILE",
            help="Test only the pairs in this CSV file, two names on each line.",
        ),
        names_option("--given", "Columns to adjust for without testing them, separated by commas."),
    ):
        command = decorator(command)
    return command


def family_of(asked: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """`given` and `pairs` of the functions, checked against the names of the data's columns."""
    from edgewise.inference.family import Family

    given = column_names(asked["given"])
    chosen = {name: column_names(asked[name]) for name in ("columns", "exclude")}
    Family.checked(given, **chosen).tested(names)
    if asked["pairs"] is None:
        return {"given": given, "pairs": None}
    pairs = [_checked(*line, names) for line in _lines(asked["pairs"], names)]
    if not pairs:
        raise DataError(
            f"pairs: expected two names on each line of '{asked['pairs']}', got no line; leave "
            "--pairs out to test all pairs."
        )
    Family.checked(given, pairs, **chosen)
    return {"given": given, "pairs": pairs}


def inputs(asked: dict[str, Any]) -> tuple[str, ...]:
    """All files that a command reads, which its output must not replace."""
    from edgewise.rows.readers.files import expand_paths

    found = [] if asked.get("pairs") is None else [asked["pairs"]]
    for path in asked["data"]:
        try:
            found += expand_paths([path])
        except DataError:  # whoever reads it will say so
            found.append(path)
    return tuple(path for path in found if path != "-")


def _lines(path: str, names: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The names on each line, and what to call the line in a message.

    Remarks at the head and further columns after a heading are left out, so that a file of `--csv`
    can be given back; names that it made safe for a spreadsheet are taken for what they were.
    """
    text = _text(path)
    remarks = 0
    while text.startswith("#"):
        text, remarks = text.partition("\n")[2], remarks + 1
    reader = csv.reader(text.splitlines(keepends=True), skipinitialspace=True)
    read = partial(_name, names=set(names), originals=_originals(names), ours=False)
    columns = slice(None)
    first = True
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            heading = _heading(cells, names) if first else None
            first = False
            if heading is None:
                found = [read(cell) for cell in cells[columns]]
                yield f"pairs: line {remarks + reader.line_num} of '{path}'", found
            else:
                columns = heading
                read = partial(read, ours=len(cells) > 2)
    except csv.Error as error:
        line = remarks + reader.line_num
        raise DataError(f"pairs: line {line} of '{path}' is not CSV: {error}.") from error


def _heading(cells: Sequence[str], names: Sequence[str]) -> slice | None:
    """Where the two names are, if this line is a heading; a comparison has the group before."""
    words = [cell.strip() for cell in cells]
    start = int([word.lower() for word in words[:3]] == ["group", "source", "target"])
    two = words[start : start + 2]
    if tuple(word.lower() for word in two) in _HEADINGS and not set(two) <= set(names):
        return slice(start, start + 2)
    return None


def _originals(names: Sequence[str]) -> dict[str, str]:
    """Each name by what `--csv` writes for it."""
    from edgewise.view.export import safe_cell
    from edgewise.view.safe_names import distinct_texts

    return {text: name for name, text in distinct_texts(names, safe_cell).items()}


def _name(cell: str, names: Set[str], originals: Mapping[str, str], ours: bool) -> str:
    """The column that a cell names: as it stands, without spaces around it, or made safe."""
    text = cell.strip()
    if ours and cell in originals:
        return originals[cell]
    known = next((one for one in (cell, text) if one in names), None)
    return originals.get(text, text) if known is None else known


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


def _checked(where: str, found: list[str], names: Sequence[str]) -> tuple[str, str]:
    from edgewise._base.checks import check_known

    if len(found) != 2 or not all(name or name in names for name in found):
        raise DataError(
            f"{where}: expected two names with a comma between them, got {', '.join(found)!r}."
        )
    check_known(where, found, names)
    if found[0] == found[1]:
        raise DataError(f"{where}: expected two different columns, got {found[0]!r} twice.")
    return found[0], found[1]

"""--given and --pairs: which pairs of the columns are tested."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
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
    from edgewise.rows.readers.paths import expand_paths

    found = [] if asked.get("pairs") is None else [asked["pairs"]]
    for path in asked["data"]:
        try:
            found += expand_paths([path])
        except DataError:  # whoever reads it will say so
            found.append(path)
    return tuple(path for path in found if path != "-")


def _lines(path: str, names: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The names on each line, and what to call the line in a message.

    Remarks at the head and further columns after a heading are left out, so that a file of
    `edgewise test --csv` can be given back.
    """
    text = _text(path)
    remarks = 0
    while text.startswith("#"):
        text, remarks = text.partition("\n")[2], remarks + 1
    reader = csv.reader(text.splitlines(keepends=True), skipinitialspace=True)
    most: int | None = None
    first = True
    try:
        for cells in reader:
            found = [cell.strip() for cell in cells][:most]
            if not any(found):
                continue
            heading = tuple(cell.lower() for cell in found[:2])
            if first and heading in _HEADINGS and not set(found[:2]) <= set(names):
                most = 2
            else:
                yield f"pairs: line {remarks + reader.line_num} of '{path}'", found
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


def _checked(where: str, found: list[str], names: Sequence[str]) -> tuple[str, str]:
    from edgewise._base.checks import check_known

    if len(found) != 2 or not all(found):
        raise DataError(
            f"{where}: expected two names with a comma between them, got {', '.join(found)!r}."
        )
    check_known(where, found, names)
    if found[0] == found[1]:
        raise DataError(f"{where}: expected two different columns, got {found[0]!r} twice.")
    return found[0], found[1]

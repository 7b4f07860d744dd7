"""--sep, --decimal and the other options that say how to read files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from edgewise.rows.reading import Reading

_Command = TypeVar("_Command", bound=Callable[..., Any])
_NAMES = ("sep", "decimal", "encoding", "na_values", "header", "index_col", "sheet")


def reading_options(command: _Command) -> _Command:
    """How to read the files, if edgewise cannot work it out from their first lines."""
    for decorator in (
        click.option("--sheet", metavar="NAME", help="The sheet of an .xlsx file.  [first]"),
        click.option(
            "--index-col",
            metavar="NAME|PLACE",
            help="The column that numbers or names the rows and is not a variable, by name or by "
            "place (0 is the first); none: there is none.",
        ),
        click.option(
            "--header/--no-header",
            default=None,
            help="Whether the first line holds the names of the columns.",
        ),
        click.option(
            "--na-values",
            metavar="TEXT",
            multiple=True,
            help="A further text for a missing value, such as ? or -999; may be given again.",
        ),
        click.option("--encoding", metavar="NAME", help="The encoding, such as latin-1 or utf-16."),
        click.option("--decimal", metavar="CHAR", help="The decimal point: . or ,"),
        click.option(
            "--sep", metavar="CHAR", help="What is between cells: a character, tab or whitespace."
        ),
    ):
        command = decorator(command)
        # Only this option: those that are there already are of other sections.
        added = command.__click_params__[-1]  # type: ignore[attr-defined]
        added.section = "Reading files, where their first lines do not tell"
    return command


def reading_of(asked: dict[str, Any]) -> Reading:
    """What the user says about the form of the files."""
    from edgewise.rows.reading import Reading

    options = {name: asked[name] for name in _NAMES}
    if options["index_col"] == "none":
        options["index_col"] = False
    return Reading.checked(**options)

"""The page of a report: its options, what it contains, and how a browser gets to see it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from edgewise.cli.telling import remark

if TYPE_CHECKING:
    from edgewise.results.result import EdgeTestResult
    from edgewise.rows.table import Table

_Command = TypeVar("_Command", bound=Callable[..., Any])
#: Options of results whose rows are not shown beside them.
_WITHOUT_ROWS = ("n_groups", "missing", "weights")


def page_options(command: _Command) -> _Command:
    """--compare, --no-rows and --open."""
    for decorator in (
        click.option(
            "--open", "open_page", is_flag=True, help="Open the page in your browser at once."
        ),
        click.option(
            "--no-rows",
            is_flag=True,
            help="Leave the sampled rows out of the page (for confidential data).",
        ),
        click.option(
            "--compare/--no-compare",
            default=None,
            help="Run all other methods for the report, or none.  [default: those that are quick]",
        ),
    ):
        command = decorator(command)
    return command


def check_page(page: str | None, asked: dict[str, Any], option: str) -> None:
    """Refuse options of a page that is not written, or that no browser can open."""
    given = {
        "--compare": asked["compare"] is not None,
        "--no-rows": asked["no_rows"],
        "--open": asked["open_page"],
    }
    for flag, is_given in given.items():
        if page is None and is_given:
            raise click.UsageError(
                f"{flag} is an option of the report; also say where it goes, with {option} FILE."
            )
    if page == "-" and asked["open_page"]:
        raise click.UsageError(
            "--open: the page goes to standard output, and a browser needs a file; name one with "
            f"{option} FILE.html."
        )


def contents(result: EdgeTestResult, rows: Table | None, no_rows: bool) -> str:
    """What of the data the page contains, in a sentence."""
    if no_rows or rows is None or any(name in result.options for name in _WITHOUT_ROWS):
        return "The page holds no sampled rows."
    return "The page holds up to 500 sampled rows; leave them out with --no-rows."


def open_in_browser(path: str) -> None:
    """Show a page in the user's browser; where there is none, say so."""
    import webbrowser

    try:
        opened = webbrowser.open(Path(path).resolve().as_uri())
    except (webbrowser.Error, OSError):
        opened = False
    if not opened:
        remark("no browser could be started; open the page yourself.")

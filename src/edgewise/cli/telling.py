"""The two ways to speak: results on standard output, all else on standard error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from edgewise.view.safe_names import printable

if TYPE_CHECKING:
    from edgewise.rows.file_read import FileRead


def remark(sentence: str) -> None:
    """A sentence about the work, on standard error."""
    click.echo(f"edgewise: {printable(sentence)}", err=True)


def remark_on_files(files: Sequence[FileRead]) -> None:
    """Which files were read, and how many rows each has, on standard error."""
    for file in files:
        rows = "rows" if file.rows is None else "1 row" if file.rows == 1 else f"{file.rows:,} rows"
        remark(f"read {rows} of '{file.path}'.")


def say(sentence: str) -> None:
    """A sentence that is the answer, on standard output."""
    click.echo(printable(sentence))


def say_or_remark(place: str, sentence: str) -> None:
    """The sentence on standard output, or on standard error if the result itself goes there."""
    remark(sentence) if place == "-" else say(sentence)

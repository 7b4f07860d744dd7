"""The two ways to speak: results on standard output, all else on standard error."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from edgewise.errors import EdgewiseWarning
from edgewise.view.safe_names import printable

if TYPE_CHECKING:
    from edgewise.rows.file_read import FileRead


def remark(sentence: str) -> None:
    """A sentence about the work, on standard error."""
    click.echo(f"edgewise: {printable(sentence)}", err=True)


@contextmanager
def remarked_warnings() -> Iterator[None]:
    """Our own warnings as remarks, as soon as they come: a long run is not over for hours."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", EdgewiseWarning)
        others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any) -> None:
            if issubclass(category, EdgewiseWarning):
                remark(str(message))
            else:
                others(message, category, *where)

        warnings.showwarning = show  # type: ignore[assignment]
        yield


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

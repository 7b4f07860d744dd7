"""Arguments that several commands share, and how they become data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from edgewise.sources.source import Source

_Command = TypeVar("_Command", bound=Callable[..., Any])

METHOD_NAMES = ("score", "fisher", "trace", "eig")
CORRECTION_NAMES = ("holm", "bonferroni", "bh", "by", "none")


def data_options(command: _Command) -> _Command:
    """DATA… and how to read it."""
    for decorator in (
        click.option(
            "--drop-missing", is_flag=True, help="Leave out rows with missing or infinite values."
        ),
        click.option(
            "--exclude", metavar="NAMES", help="Columns to leave out, separated by commas."
        ),
        click.option("--columns", metavar="NAMES", help="Columns to test, separated by commas."),
        click.argument("data", nargs=-1, required=True, metavar="DATA..."),
    ):
        command = decorator(command)
    return command


def alpha_option(command: _Command) -> _Command:
    return click.option(
        "--alpha", type=float, default=0.05, show_default=True, help="Significance level."
    )(command)


def correction_option(command: _Command) -> _Command:
    return click.option(
        "--correction",
        type=click.Choice(CORRECTION_NAMES),
        default="holm",
        show_default=True,
        help="How the per-edge methods account for testing many edges.",
    )(command)


def correction_of(name: str) -> str | None:
    return None if name == "none" else name


def read_data(data: tuple[str, ...], columns: str | None, exclude: str | None) -> Source:
    from edgewise.sources.files import read_files

    return read_files(data, columns=_names(columns), exclude=_names(exclude))


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]

"""Arguments that several commands share, and how they become data."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from edgewise.cli.guesses import Choice
from edgewise.cli.reading import reading_options
from edgewise.cli.telling import remark

_Command = TypeVar("_Command", bound=Callable[..., Any])

# The shell completes file names here. Paths are not checked here: the code that reads or writes
# them reports errors in one sentence.
PATH = click.Path(readable=False)
TRANSFORMS = ("normal-scores",)
MISSING = ("raise", "drop", "pairwise")
CORRECTION_NAMES = ("holm", "bonferroni", "bh", "by", "maxt", "none")


def names_option(name: str, help: str) -> Callable[[Any], Any]:
    """An option that takes names of columns; given more than once, all of them count."""
    return click.option(name, metavar="NAMES", multiple=True, callback=_given, help=help)


def _given(context: click.Context, parameter: click.Parameter, texts: Any) -> Any:
    return texts or None


def data_options(command: _Command) -> _Command:
    """DATA… and how to read it."""
    for decorator in (
        reading_options,
        click.option(
            "--drop-missing", is_flag=True, hidden=True, help="The same as --missing drop."
        ),
        click.option(
            "--missing",
            type=Choice(MISSING),
            default=MISSING[0],
            show_default=True,
            help="Rows with missing or infinite values: refuse them, drop them, or use for each "
            "pair of columns the rows that have both (score, wald, batch).",
        ),
        names_option("--exclude", "Columns to leave out, separated by commas."),
        names_option("--columns", "Columns to test, separated by commas."),
        click.argument("data", nargs=-1, required=True, type=PATH, metavar="DATA..."),
    ):
        command = decorator(command)
    return command


def transform_option(command: _Command) -> _Command:
    return click.option(
        "--transform",
        type=Choice(TRANSFORMS),
        help="Test the normal scores of the columns in place of their values: right if rows are "
        "Gaussian up to an increasing change of each column. For the per-edge methods.",
    )(command)


def weights_options(command: _Command) -> _Command:
    """--weights and what they mean."""
    for decorator in (
        click.option(
            "--weight-kind",
            type=Choice(("sampling", "frequency")),
            default="sampling",
            show_default=True,
            help="Weights undo unequal chances of being sampled, or say how often a row was seen.",
        ),
        click.option(
            "--weights",
            metavar="NAME",
            help="A column that says how much each row counts; for score, wald and batch.",
        ),
    ):
        command = decorator(command)
    return command


def missing_asked(asked: dict[str, Any]) -> str:
    """What to do with missing values; --drop-missing is the former way to say one of it."""
    from edgewise.rows.missing import missing_of

    return missing_of(asked["missing"], asked["drop_missing"])


def alpha_option(command: _Command) -> _Command:
    return click.option(
        "--alpha", type=float, default=0.05, show_default=True, help="Significance level."
    )(command)


def correction_option(command: _Command) -> _Command:
    return click.option(
        "--correction",
        type=Choice(CORRECTION_NAMES),
        help="How the per-edge methods account for testing many edges.  [default: holm]",
    )(command)


def verbose_option(command: _Command) -> _Command:
    return click.option(
        "-v",
        "--verbose",
        is_flag=True,
        help="Say which files were read, and how many rows each has.",
    )(command)


def correction_of(name: str | None) -> str | None:
    """The correction that the user gave, or the default, which a bound may ignore."""
    from edgewise.inference.corrections import HOLM

    return HOLM if name is None else name


def column_names(texts: Sequence[str] | None) -> list[str] | None:
    """The names in the texts of an option that was given once or more.

    Each text is a line of CSV: a name with a comma, or with spaces around it, is in double quotes.
    An empty text is the column whose name is empty; between commas, what is empty is no name.

    Examples
    --------
    >>> column_names(["a , b,", '"x,y", " z"', ""])
    ['a', 'b', 'x,y', ' z', '']
    """
    if texts is None:
        return None
    names: list[str] = []
    for text in [texts] if isinstance(texts, str) else texts:
        line = next(csv.reader([text], skipinitialspace=True), [])
        # Spaces in quotes are meant.
        line = line if '"' in text else [name.strip() for name in line]
        names += [name for name in line if name] if len(line) > 1 else line or [""]
    return names


def tell_dropped(n_dropped: int) -> None:
    """Say on standard error how many rows were left out."""
    if n_dropped:
        rows = "1 row" if n_dropped == 1 else f"{n_dropped:,} rows"
        remark(f"left out {rows} with missing or infinite values.")

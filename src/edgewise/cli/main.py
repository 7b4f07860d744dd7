"""The `edgewise` command."""

from __future__ import annotations

import io
import os
import sys
from dataclasses import fields
from importlib import import_module
from typing import Any, NoReturn

import click

from edgewise._text import did_you_mean
from edgewise._version import __version__
from edgewise.cli.options import (
    Manual,
    as_typed,
    option_of,
    reading_options,
    write_examples,
)
from edgewise.cli.streams import info, prepare_streams, silence
from edgewise.errors import EdgewiseError, ParameterError
from edgewise.methods.registry import registered

#: The commands in the order of the help, and the module of each.
_COMMANDS = {
    "demo": "demo",
    "test": "test",
    "pair": "pair",
    "compare": "compare",
    "diff": "diff",
    "report": "test",
    "accumulate": "states",
    "merge": "states",
    "plan": "plan",
    "simulate": "simulate",
    "help": "main",
}


class _Program(click.Group):
    """A group that loads a command when it is used, and ends with one sentence and a status."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        module = import_module(f"edgewise.cli.{_COMMANDS[name]}")
        command: click.Command = getattr(module, f"{name}_command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            raise click.UsageError(error.message + did_you_mean(args[0], _COMMANDS), ctx) from error

    def main(self, *args: Any, **options: Any) -> NoReturn:
        """Run a command; every expected failure gives one sentence and an exit status."""
        sys.exit(self._status(*args, **{**options, "standalone_mode": False}))

    def _status(self, *args: Any, **options: Any) -> int:
        stdout = sys.stdout
        try:
            ended = super().main(*args, **options)
            sys.stdout.flush()
        except SystemExit as end:
            # On a broken pipe click puts another stream in place, and rich exits at once.
            if sys.stdout is not stdout or isinstance(end.__context__, BrokenPipeError):
                return _reader_left()
            return end.code if isinstance(end.code, int) else 1
        except (click.exceptions.Abort, KeyboardInterrupt):
            info("stopped")
            return 130
        except click.ClickException as error:
            text = io.StringIO()
            error.show(file=text)
            info(text.getvalue().rstrip("\n"), prefix="", keep="\n\t")
            return error.exit_code
        except EdgewiseError as error:
            info(as_typed(str(error)))
            return 2 if isinstance(error, ParameterError) else 1
        except MemoryError:
            info("the data do not fit in memory; test fewer columns or rows.")
            return 1
        except UnicodeEncodeError as error:
            info(f"data: expected the name of a file in UTF-8, got '{error.object}'; rename it.")
            return 1
        except BrokenPipeError:
            return _reader_left()
        except OSError as error:
            # An error of the system that names no file is one of a stream.
            stream = " standard output" if error.strerror else ""
            where = stream if error.filename is None else f" '{error.filename}'"
            info(f"cannot read or write{where}: {error.strerror or error}.")
            return 1
        return ended if isinstance(ended, int) else 0

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_examples(formatter, _EXAMPLES)
        with formatter.section("Exit status"):
            formatter.write_dl(_EXIT_STATUS)


def _reader_left() -> int:
    """As in `edgewise … | head -1`: whoever reads has had enough, which is no failure."""
    silence(sys.stdout)
    return 0


_EXAMPLES = """
# Which columns are connected, given all the others?
edgewise test returns.csv --exclude Date
# The same as a page to explore in a browser and to share
edgewise report returns.csv --exclude Date -o returns.html
# Everything that a command can do
edgewise test --help
"""
_EXIT_STATUS = [
    ("0", "Done, also if the reader of the output leaves early, as in `| head`."),
    (
        "1",
        "The data cannot be tested, or the result cannot be written; one sentence says why and "
        "what to do.",
    ),
    ("2", "Wrong usage."),
    ("130", "Stopped by Ctrl-C."),
]


@click.group(cls=_Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="edgewise")
def cli() -> None:
    """Which variables are really connected?

    edgewise tests every edge of the graphical model of a table of numbers, without assuming that
    the data are Gaussian.
    """


def main() -> None:
    """Run the command line on the streams of this process."""
    prepare_streams()
    # Pictures are written, not shown: no window is needed.
    os.environ.setdefault("MPLBACKEND", "agg")
    try:
        cli.main(prog_name="edgewise")
    finally:
        try:
            sys.stdout.flush()
        except OSError:  # the sentence about it is printed already
            silence(sys.stdout)


@click.command(
    "help",
    cls=Manual,
    short_help="The options of methods, or of files.",
    examples="""
    # Which methods there are, and what tunes each of them
    edgewise help methods
    # What to say about files that are read wrongly
    edgewise help files
    """,
)
@click.argument("topic", type=click.Choice(["methods", "files"]))
@click.pass_context
def help_command(context: click.Context, topic: str) -> None:
    """Print every method with its options, or the options of files.

    `test` and `report` take the options of the method that they run, and every command that reads
    files takes those of files.
    """
    click.echo(_methods(context) if topic == "methods" else _files(context), nl=False)


def _methods(context: click.Context) -> str:
    """Every method with its options, as its fields say."""
    formatter = context.make_formatter()
    for kind in registered().values():
        with formatter.section(f"{kind.name} ({kind.guarantee})"):
            records = [option_of(field).get_help_record(context) for field in fields(kind)]
            formatter.write_dl([one for one in records if one] or [("no options", "")])
    return formatter.getvalue().lstrip("\n")


def _files(context: click.Context) -> str:
    formatter = context.make_formatter()
    with formatter.section("Reading files, where their first lines do not show how"):
        records = [option.get_help_record(context) for option in reading_options()]
        formatter.write_dl([one for one in records if one])
    return formatter.getvalue().lstrip("\n")

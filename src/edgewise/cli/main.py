"""The `edgewise` command."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from dataclasses import fields
from importlib import import_module
from typing import Any, NoReturn

import click

from edgewise._text import did_you_mean
from edgewise._version import __version__
from edgewise.cli.options import as_typed, command, option_of, write_examples
from edgewise.cli.show import info, prepare_streams, silence
from edgewise.errors import EdgewiseError, ParameterError
from edgewise.methods.registry import registered

#: The commands in the order of the help, with the module of each, which is loaded when it runs.
_COMMANDS = {
    "demo": ("test", "Which S&P 500 companies are connected?"),
    "test": ("test", "Test the edges among the columns of DATA."),
    "pair": ("pair", "Test one pair of columns, given the others."),
    "compare": ("compare", "The methods side by side on DATA."),
    "diff": ("diff", "Which edges differ between two groups."),
    "report": ("test", "Test DATA and write a page to explore in a browser."),
    "accumulate": ("states", "One pass over DATA into a state file."),
    "merge": ("states", "Merge several state files into one."),
    "plan": ("plan", "What the rows find, and rows needed to find more."),
    "simulate": ("simulate", "Write data whose graph is known."),
    "help": ("main", "The options of methods."),
}
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
    ("1", "The data cannot be tested, or a result not written; a sentence says why."),
    ("2", "Wrong usage."),
    ("130", "Stopped by Ctrl-C."),
]


class _Program(click.Group):
    """A group that loads a command when it is used, and ends with one sentence and a status."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        module = import_module(f"edgewise.cli.{_COMMANDS[name][0]}")
        found: click.Command = getattr(module, f"{name}_command")
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in _COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            raise click.UsageError(error.message + did_you_mean(args[0], _COMMANDS), ctx) from error

    def main(self, args: Sequence[str] | None = None, *_: Any, **options: Any) -> NoReturn:
        """Run a command; every expected failure gives one sentence and an exit status."""
        typed = [*(sys.argv[1:] if args is None else args)]
        # `obj` is there for all commands, to be printed.
        sys.exit(self._status(typed, **{**options, "standalone_mode": False, "obj": typed}))

    def _status(self, typed: list[str], **options: Any) -> int:
        stdout = sys.stdout
        try:
            ended = super().main(typed, **options)
            sys.stdout.flush()
            return ended if isinstance(ended, int) else 0
        except SystemExit as end:
            # On a broken pipe click puts another stream in place, and rich exits at once.
            if sys.stdout is stdout and not isinstance(end.__context__, BrokenPipeError):
                return end.code if isinstance(end.code, int) else 1
        except (click.exceptions.Abort, KeyboardInterrupt):
            info("stopped")
            return 130
        except click.ClickException as error:
            text = io.StringIO()
            error.show(file=text)
            info(text.getvalue().rstrip("\n"), prefix="", as_it_is=True)
            return error.exit_code
        except EdgewiseError as error:
            info(as_typed(str(error)))
            return 2 if isinstance(error, ParameterError) else 1
        except MemoryError:
            info("the data do not fit in memory; test fewer columns or rows.")
            return 1
        except BrokenPipeError:
            pass
        except OSError as error:
            # An error of the system that names no file is one of a stream.
            stream = " standard output" if error.strerror else ""
            where = stream if error.filename is None else f" '{error.filename}'"
            info(f"cannot read or write{where}: {error.strerror or error}.")
            return 1
        # As in `edgewise … | head -1`: whoever reads has had enough, which is no failure.
        silence(sys.stdout)
        return 0

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_examples(formatter, _EXAMPLES)
        with formatter.section("Exit status"):
            formatter.write_dl(_EXIT_STATUS)


@click.group(
    cls=_Program, context_settings={"help_option_names": ["-h", "--help"], "show_default": True}
)
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


@command(
    "help",
    {"Options": (click.Argument(["topic"], type=click.Choice(["methods"]), default="methods"),)},
    """
    # Which methods there are, and what tunes each of them
    edgewise help methods
    # A method with an option
    edgewise test returns.csv --exclude Date --method batch --n-batches 50
    """,
    reads_files=False,
)
def help_command(topic: str) -> None:
    """Print every method with its options, which `test` and `report` take if they run it."""
    context = click.get_current_context()
    formatter = context.make_formatter()
    for kind in registered().values():
        with formatter.section(f"{kind.name} ({kind.guarantee})"):
            records = [option_of(field).get_help_record(context) for field in fields(kind)]
            formatter.write_dl([one for one in records if one] or [("no options", "")])
    click.echo(formatter.getvalue().lstrip("\n"), nl=False)

"""The `edgewise` command."""

from __future__ import annotations

import io
import sys
from importlib import import_module
from typing import Any, NoReturn

import click

from edgewise._version import __version__
from edgewise.cli.guesses import did_you_mean
from edgewise.cli.manual import write_examples
from edgewise.cli.streams import OutputError, guard_streams, silence
from edgewise.cli.telling import remark
from edgewise.errors import EdgewiseError, ParameterError
from edgewise.view.safe_names import printable

_COMMANDS = (
    "demo",
    "test",
    "pair",
    "compare",
    "diff",
    "report",
    "accumulate",
    "merge",
    "plan",
    "simulate",
    "completion",
)


class _LazyGroup(click.Group):
    """A group that loads the module of a command when the command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"edgewise.cli.{name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            guess = did_you_mean(args[0], _COMMANDS)
            raise click.UsageError(error.message + guess, ctx) from error

    def main(self, *args: Any, **options: Any) -> NoReturn:
        """Run a command; every expected failure gives one sentence and an exit status."""
        sys.exit(self._status(*args, **{**options, "standalone_mode": False}))

    def _status(self, *args: Any, **options: Any) -> int:
        try:
            ended = super().main(*args, **options)
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else 1
        except (click.exceptions.Abort, KeyboardInterrupt):
            remark("stopped")
            return 130
        except click.ClickException as error:
            text = io.StringIO()
            error.show(file=text)
            click.echo(printable(text.getvalue(), keep="\n\t"), err=True, nl=False)
            return error.exit_code
        except EdgewiseError as error:
            remark(str(error))
            return 2 if isinstance(error, ParameterError) else 1
        except MemoryError:
            remark("the data do not fit in memory; test fewer columns or rows.")
            return 1
        except UnicodeEncodeError as error:
            remark(f"data: expected the name of a file in UTF-8, got '{error.object}'; rename it.")
            return 1
        except OSError as error:
            name = "" if error.filename is None else f" '{error.filename}'"
            remark(f"cannot read or write{name}: {error.strerror or error}.")
            return 1
        return ended if isinstance(ended, int) else 0

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_examples(formatter, _EXAMPLES)
        with formatter.section("Exit status"):
            formatter.write_dl(_EXIT_STATUS)


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


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="edgewise")
def cli() -> None:
    """Which variables are really connected?

    edgewise tests every edge of the graphical model of a table of numbers, without assuming that
    the data are Gaussian.
    """


def main() -> None:
    """Run the command line on the streams of this process."""
    guard_streams()
    try:
        try:
            cli.main(prog_name="edgewise")
        finally:
            sys.stdout.flush()
    except OutputError as error:
        silence(sys.stdout)
        if error.reader_left:
            sys.exit(0)
        remark(f"output: cannot write to standard output: {error.reason}; choose another place.")
        sys.exit(1)

"""The `edgewise` command."""

from __future__ import annotations

import sys
from importlib import import_module

import click

from edgewise._version import __version__
from edgewise.cli.manual import write_examples
from edgewise.errors import EdgewiseError, ParameterError

_COMMANDS = (
    "demo",
    "test",
    "pair",
    "compare",
    "report",
    "accumulate",
    "merge",
    "plan",
    "simulate",
    "reproduce",
    "prove",
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
    ("0", "Done."),
    ("1", "The data cannot be tested; one sentence says why and what to do."),
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
    """Run the command line; every expected failure gives one sentence and an exit status."""
    try:
        cli.main(prog_name="edgewise", standalone_mode=False)
    except click.exceptions.Abort:
        _fail("stopped", 130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except EdgewiseError as error:
        _fail(str(error), 2 if isinstance(error, ParameterError) else 1)
    except MemoryError:
        _fail("the data do not fit in memory; test fewer columns or rows.", 1)


def _fail(sentence: str, status: int) -> None:
    click.echo(f"edgewise: {sentence}", err=True)
    sys.exit(status)

"""`edgewise help`."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import click

from edgewise.cli.options import Manual, option_of
from edgewise.methods.registry import registered


@click.command(
    "help",
    cls=Manual,
    short_help="The help of a command, or the options of each method.",
    examples="""
    # Which methods there are, and what tunes each of them
    edgewise help methods
    # The same as `edgewise test --help`
    edgewise help test
    """,
)
@click.argument("topic", required=False, metavar="[COMMAND|methods]")
@click.pass_context
def help_command(context: click.Context, topic: str | None) -> None:
    """Print the help of a command; or every method, what it promises, and its own options.

    `test`, `report` and others take the options of the method that they run.
    """
    root = context.find_root()
    if topic == "methods":
        click.echo(_methods(context), nl=False)
        return
    command, inside = root.command, root
    if topic is not None:
        program: Any = command
        command = program.resolve_command(root, [topic])[1]
        inside = click.Context(command, root, info_name=topic, **program.context_settings)
    click.echo(command.get_help(inside))


def _methods(context: click.Context) -> str:
    """Every method with its options, as its fields say."""
    formatter = context.make_formatter()
    for kind in registered().values():
        with formatter.section(f"{kind.name} ({kind.guarantee})"):
            records = [option_of(field).get_help_record(context) for field in fields(kind)]
            formatter.write_dl([one for one in records if one] or [("no options", "")])
    return formatter.getvalue().lstrip("\n")

"""`edgewise completion`."""

from __future__ import annotations

import sys

import click

from edgewise.cli.guesses import Choice
from edgewise.cli.manual import Manual
from edgewise.cli.telling import remark

_INSTALLED_BY = {
    "bash": """echo 'eval "$(edgewise completion bash)"' >> ~/.bashrc""",
    "zsh": """echo 'eval "$(edgewise completion zsh)"' >> ~/.zshrc""",
    "fish": "edgewise completion fish > ~/.config/fish/completions/edgewise.fish",
}


@click.command(
    "completion",
    cls=Manual,
    short_help="Let the TAB key complete commands and options.",
    examples="""
    # Try it in this bash
    eval "$(edgewise completion bash)"
    # bash, in every new shell
    echo 'eval "$(edgewise completion bash)"' >> ~/.bashrc
    # zsh, in every new shell; ~/.zshrc must have called compinit before
    echo 'eval "$(edgewise completion zsh)"' >> ~/.zshrc
    # fish, in every new shell
    mkdir -p ~/.config/fish/completions
    edgewise completion fish > ~/.config/fish/completions/edgewise.fish
    """,
)
@click.argument("shell", type=Choice(tuple(_INSTALLED_BY)), metavar="SHELL")
def command(shell: str) -> None:
    """Print what SHELL (bash 4.4 or newer, zsh, or fish) must run to complete edgewise.

    After that the TAB key completes commands, options, the values of options such as --method, and
    names of files.
    """
    from click.shell_completion import get_completion_class

    root = click.get_current_context().find_root()
    kind = get_completion_class(shell)
    if kind is None or root.info_name is None:
        raise click.UsageError(f"this version of click has no completion for {shell}.")
    # click looks for a variable of this name when the program starts.
    variable = f"_{root.info_name.upper()}_COMPLETE"
    click.echo(kind(root.command, {}, root.info_name, variable).source(), nl=False)
    if sys.stdout.isatty():
        remark(f"for every new shell: {_INSTALLED_BY[shell]}")

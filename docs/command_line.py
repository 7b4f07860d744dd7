"""The help of every command as a part of a page: `docs/api/command-line.md` includes it.

The build of the site calls `write_help`, so the page is as new as the program.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from edgewise.cli.main import cli

# What a terminal of 80 columns shows.
WIDTH = 78


def section(title: str, text: str) -> Iterator[str]:
    """A heading, the help, and its examples in a block of their own, to be copied."""
    manual, _, rest = text.partition("\nExamples:\n")
    examples, _, after = rest.partition("\n\n")
    yield f"## {title}\n"
    yield f"```text\n{manual.strip()}\n```\n"
    if examples:
        lines = "\n".join(line.strip() for line in examples.splitlines())
        yield f"```bash\n{lines}\n```\n"
    if after.strip():
        yield f"```text\n{after.strip()}\n```\n"


def markdown() -> str:
    """All commands, in the order of `edgewise --help`."""
    root = _context(cli, "edgewise")
    parts = [*section("edgewise", root.get_help())]
    for name in cli.list_commands(root):
        command = cli.get_command(root, name)
        parts += section(f"edgewise {name}", _context(command, name, root).get_help())
    return "\n".join(parts)


def _context(
    command: click.Command, name: str, parent: click.Context | None = None
) -> click.Context:
    """As when the command is called with no arguments, which no help needs."""
    return command.make_context(
        name, [], parent, resilient_parsing=True, terminal_width=WIDTH
    )


def write_help(path: Path) -> None:
    """Write the part, unless it is there already: what did not change is not built again."""
    text = markdown()
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

"""`edgewise merge`."""

from __future__ import annotations

import click

from edgewise.cli.manual import Manual
from edgewise.cli.options import PATH


@click.command(
    "merge",
    cls=Manual,
    short_help="Merge several state files into one.",
    examples="""
    # Two years; the rows of the first came before those of the second
    edgewise merge 2023.state 2024.state -o years.state
    # Test what was merged
    edgewise test years.state
    # Add today's rows to those of all days before
    edgewise accumulate today.csv -o today.state
    edgewise merge years.state today.state -o years.state
    """,
)
@click.argument("states", nargs=-1, required=True, type=PATH, metavar="STATE...")
@click.option(
    "-o",
    "--output",
    required=True,
    type=PATH,
    metavar="STATE",
    help="The state file to write.",
)
def command(states: tuple[str, ...], output: str) -> None:
    """Add up STATEs of the same kind and columns, in the order given."""
    from edgewise._base.atomic import check_writable
    from edgewise.errors import DataError, ParameterError
    from edgewise.states.registry import load_state

    check_writable(output)
    total = load_state(states[0])
    for path in states[1:]:
        other = load_state(path)
        if type(other) is not type(total):
            raise DataError(
                f"state file '{path}' holds {type(other).__name__}, '{states[0]}' "
                f"{type(total).__name__}; only states of one kind can be added."
            )
        try:
            total = total + other  # type: ignore[operator]
        except ParameterError as error:
            raise DataError(f"state file '{path}': {error}") from error
    total.save(output)
    click.echo(f"{total.n_samples:,} rows of {len(states)} states are in {output}")

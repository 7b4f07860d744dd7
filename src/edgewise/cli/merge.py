"""`edgewise merge`."""

from __future__ import annotations

import click


@click.command("merge", short_help="Several state files into one.")
@click.argument("states", nargs=-1, required=True, metavar="STATE...")
@click.option("-o", "--output", required=True, metavar="STATE", help="The state file to write.")
def command(states: tuple[str, ...], output: str) -> None:
    """Add up STATEs of the same kind and columns, in the order given."""
    from edgewise._atomic import check_writable
    from edgewise.errors import DataError, ParameterError
    from edgewise.states import load_state

    check_writable(output)
    total = load_state(states[0])
    for path in states[1:]:
        other = load_state(path)
        if type(other) is not type(total):
            raise DataError(
                f"state file '{path}' holds {type(other).__name__}, '{states[0]}' "
                f"{type(total).__name__}; only states of one kind add up."
            )
        try:
            total = total + other  # type: ignore[operator]
        except ParameterError as error:
            raise DataError(f"state file '{path}': {error}") from error
    total.save(output)
    click.echo(f"{total.n_samples:,} rows of {len(states)} states are in {output}")

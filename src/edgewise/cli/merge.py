"""`edgewise merge`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click

from edgewise.cli.options import PATH, Manual, section
from edgewise.cli.run import checked_state_output, written
from edgewise.cli.streams import info, output
from edgewise.errors import DataError, ParameterError

if TYPE_CHECKING:
    from edgewise.states.registry import AnyState

_WAIT = 60.0  # seconds for others that merge into the same file


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
@section(
    "Options",
    click.argument("states", nargs=-1, required=True, type=PATH, metavar="STATE..."),
    "state",
)
def merge_command(states: tuple[str, ...], state: str) -> None:
    """Add up STATEs of the same kind and columns, in the order given.

    A STATE that is given twice, or as a copy, is refused: its rows would count twice.
    """
    from edgewise._base.atomic import locked

    place = checked_state_output(state)
    # The output may be an input: nobody may change it between reading and writing.
    with nullcontext() if place == "-" else locked(place, wait=_WAIT), written(place) as file:
        total = _sum_of(states)
        total.save(file)
    sentence = f"{total.n_samples:,} rows of {len(states)} states are in "
    if place == "-":
        info(f"{sentence}standard output")
    else:
        output(f"{sentence}{state}")


def _sum_of(paths: Sequence[str]) -> AnyState:
    from edgewise.states.registry import load_state

    total = load_state(paths[0])
    seen = [(paths[0], total)]
    for path in paths[1:]:
        other = load_state(path)
        if type(other) is not type(total):
            raise DataError(
                f"state file '{path}' holds {type(other).__name__}, '{paths[0]}' "
                f"{type(total).__name__}; only states of one kind can be added."
            )
        for twin, before in seen:
            if _same_rows(before, other):
                raise DataError(
                    f"state file '{path}' holds the same rows as '{twin}', which would count "
                    "twice; name each state once."
                )
        seen.append((path, other))
        by_place = (_sums(total).feature_names is None) != (_sums(other).feature_names is None)
        try:
            total = total + other  # type: ignore[operator]
        except ParameterError as error:
            raise DataError(f"state file '{path}': {error}") from error
        if by_place:
            info(f"the columns of '{path}' are matched by place: only some states have names.")
    return total


def _sums(state: Any) -> Any:
    """The state in a confidence sequence, or the state itself."""
    return getattr(state, "state", state)


def _same_rows(a: Any, b: Any) -> bool:
    from edgewise.states.file_format import fingerprint

    if not a.n_samples or a.n_samples != b.n_samples:
        return False
    return fingerprint(a._contents()) == fingerprint(b._contents())

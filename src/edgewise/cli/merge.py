"""`edgewise merge`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click

from edgewise.cli.manual import Manual
from edgewise.cli.options import PATH
from edgewise.cli.outputs import checked_state_output, written
from edgewise.cli.telling import remark, say_or_remark

if TYPE_CHECKING:
    from edgewise.states.registry import AnyState

_WAIT = 60.0  # seconds for others that merge into the same file
_FEWEST_ROWS = 10  # whose variances are the same only if the rows are


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
    """Add up STATEs of the same kind and columns, in the order given.

    A STATE that is given twice, or as a copy, is refused: its rows would count twice.
    """
    from edgewise._base.atomic import locked

    place = checked_state_output(output)
    # The output may be an input: nobody may change it between reading and writing.
    with nullcontext() if place == "-" else locked(place, wait=_WAIT), written(place) as file:
        total = _sum_of(states)
        total.save(file)
    where = "standard output" if place == "-" else output
    say_or_remark(place, f"{total.n_samples:,} rows of {len(states)} states are in {where}")


def _sum_of(paths: Sequence[str]) -> AnyState:
    from edgewise.errors import DataError, ParameterError
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
            remark(f"the columns of '{path}' are matched by place: only some states have names.")
    return total


def _sums(state: Any) -> Any:
    """The state in a confidence sequence, or the state itself."""
    return getattr(state, "state", state)


def _same_rows(a: Any, b: Any) -> bool:
    """Whether two states hold the same rows, also with their columns in another order."""
    import numpy as np

    from edgewise.states.file_format import fingerprint

    if not a.n_samples or a.n_samples != b.n_samples:
        return False
    if fingerprint(a._contents()) == fingerprint(b._contents()):
        return True
    one, other = (_numbers_in_any_order(_sums(state).covariance()) for state in (a, b))
    if a.n_samples < _FEWEST_ROWS or one.shape != other.shape or not one.all():
        return False
    return bool(np.allclose(one, other, rtol=1e-10, atol=0.0))


def _numbers_in_any_order(covariance: Any) -> Any:
    """Variances, sorted; of latent variables, which all have the same, the covariances."""
    import numpy as np

    variances = covariance.diagonal()
    if (variances == 1).all():
        return np.sort(covariance[np.triu_indices(len(covariance), 1)])
    return np.sort(variances)

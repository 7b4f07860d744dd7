"""The options of a test, shared by the commands that run one, and how they become a result."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

import click

from edgewise.cli.family import family_of, family_options
from edgewise.cli.guesses import Choice
from edgewise.cli.manual import Manual, section
from edgewise.cli.opening import opened_table, watched
from edgewise.cli.options import (
    alpha_option,
    correction_of,
    correction_option,
    data_options,
    missing_asked,
    transform_option,
    weights_options,
)
from edgewise.cli.telling import remark
from edgewise.methods.registry import CLASSES

if TYPE_CHECKING:
    from edgewise.results.result import EdgeTestResult
    from edgewise.rows.table import Table
    from edgewise.states.registry import AnyState

_Command = TypeVar("_Command", bound=Callable[..., Any])


def test_options(command: _Command) -> _Command:
    """DATA… and everything that decides which edges are found."""
    for decorator in reversed(_OPTIONS):
        command = decorator(command)
    return command


_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    section("Rows and columns"),
    data_options,
    family_options,
    weights_options,
    transform_option,
    click.option(
        "--groups",
        metavar="NAME",
        help="A column of labels that says which rows belong together, such as subjects or sites; "
        "for score and wald.",
    ),
    section("The test"),
    click.option(
        "--method",
        type=Choice(tuple(CLASSES)),
        metavar="METHOD",  # all of them are too long for a line
        help=f"The test: {', '.join(CLASSES)}; `edgewise compare` shows them side by side.  "
        "[default: score; for a state, what it serves]",
    ),
    alpha_option,
    correction_option,
    click.option(
        "--min-effect",
        type=float,
        default=0.0,
        show_default=True,
        help="Declare an edge only where the effect is larger than this.",
    ),
    click.option(
        "--effect-scale",
        type=Choice(("partial_correlation", "precision")),
        help="What --min-effect is measured in.  [default: partial_correlation; precision for the "
        "paper's trace and eig]",
    ),
    click.option(
        "--budget",
        type=float,
        metavar="SECONDS",
        help="Read as many rows as there is time for, evenly spread, and use trace or eig, "
        "whichever has the smaller threshold. Not for CSV, whose number of rows is not known "
        "beforehand.",
    ),
)


class MethodCommand(Manual):
    """A command that also has the options of all methods, read from their fields.

    The methods are imported when the options are needed, so that `edgewise --help` stays quick.
    """

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        from edgewise.cli.method_options import method_parameters

        own = super().get_params(ctx)
        after = max(i for i, one in enumerate(own) if getattr(one, "section", "") == "The test")
        return [*own[: after + 1], *method_parameters(), *own[after + 1 :]]


@contextmanager
def tested(asked: dict[str, Any]) -> Iterator[tuple[EdgeTestResult, Table | None]]:
    """The result for these options, and its rows if they can be read again."""
    from edgewise.cli.method_options import asked_options
    from edgewise.methods.registry import DEFAULT_METHOD, method_of

    state = _state(asked)
    if state is not None:
        method = asked["method"] or state.default_method
        family = family_of(asked, _names_in(state))
        more = {"missing": missing_asked(asked), **family}
        yield _told(asked, method, nullcontext(state), **more), None
        return
    method = asked["method"] or DEFAULT_METHOD
    chosen = method_of(method, asked_options(asked))
    # What a test of groups needs is summed in one pass.
    once = asked["budget"] is not None or asked["groups"] is not None
    twice = not once and chosen.needs.reads_again
    with opened_table(asked) as table:
        family = family_of(asked, table.feature_names)
        rows = watched(asked, table, "testing", 1 + twice)
        yield _told(asked, method, rows, **family), table if table.rescannable else None


def _state(asked: dict[str, Any]) -> AnyState | None:
    """The state that a single file of DATA holds."""
    from edgewise.states.registry import as_state

    if len(asked["data"]) > 1:
        return None
    state = as_state(asked["data"][0])
    chosen = (asked[name] for name in ("columns", "exclude", "groups", "weights", "transform"))
    if state is not None and any(chosen):
        raise click.UsageError(
            "--columns, --exclude, --groups, --weights and --transform are about rows; a state has "
            "none left."
        )
    return state


def _names_in(state: AnyState) -> Sequence[str]:
    from edgewise._base.checks import default_names

    sums: Any = getattr(state, "state", state)  # a confidence sequence holds another state
    return tuple(sums.feature_names or default_names(sums.n_features or 0))


def _told(
    asked: dict[str, Any], method: str, opened: AbstractContextManager[Any], **more: Any
) -> EdgeTestResult:
    """Run a test, and print its warnings and cautions on standard error."""
    from edgewise.cli.method_options import asked_options
    from edgewise.errors import BrokenAssumptionWarning, EdgewiseWarning
    from edgewise.questions.edge_test import edge_test
    from edgewise.results.missing_values import bars, told_of_missing
    from edgewise.view.safe_names import printable

    with warnings.catch_warnings(record=True) as caught, opened as data:
        warnings.simplefilter("always", EdgewiseWarning)
        # The result holds the same sentences, and more.
        warnings.simplefilter("ignore", BrokenAssumptionWarning)
        result = edge_test(
            data,
            method=method,
            alpha=asked["alpha"],
            correction=correction_of(asked["correction"]),
            min_effect=asked["min_effect"],
            effect_scale=asked["effect_scale"],
            budget=asked["budget"],
            **more,
            **asked_options(asked),
        )
    for warning in caught:
        remark(str(warning.message))
    for sentence in told_of_missing(result):
        remark(sentence)
    for bar in bars(result):
        click.echo(printable(bar), err=True)
    for caution in result.cautions:
        remark(f"caution: {caution}")
    return result


def make_report(
    result: EdgeTestResult,
    path: str,
    rows: Table | None,
    asked: dict[str, Any],
) -> None:
    """The report of a result of `tested`, with the command that made it."""
    import shlex
    import sys
    from pathlib import Path

    from edgewise.cli.screen import console
    from edgewise.questions.reporting import write_report

    with console(stderr=True).status("writing the report …"):
        write_report(
            result,
            path,
            # Standard input cannot be read again; the report then says less about the data.
            data=rows,
            compare=asked["compare"],
            rows=not asked["no_rows"],
            title=", ".join(Path(name).name or name for name in asked["data"][:3])
            + ("" if len(asked["data"]) <= 3 else f" and {len(asked['data']) - 3} more"),
            command=shlex.join(["edgewise", *sys.argv[1:]]),
        )

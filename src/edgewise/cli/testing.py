"""The options of a test, shared by the commands that run one, and how they become a result."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

import click

<<<<<<< HEAD
from edgewise.cli.engine import rows_on_cluster
from edgewise.cli.manual import Manual, section
=======
from edgewise.cli.engine import check_engine, is_local, opened_table, watched
from edgewise.cli.manual import section
>>>>>>> 3da4d42 (Open data in one way on the command line; --engine for accumulate, compare and report)
from edgewise.cli.options import (
    alpha_option,
    correction_of,
    correction_option,
    data_options,
    tell_dropped,
)
from edgewise.methods.registry import CLASSES

if TYPE_CHECKING:
    from edgewise.results.result import EdgeTestResult
    from edgewise.rows.table import Table
    from edgewise.states.registry import State

_Command = TypeVar("_Command", bound=Callable[..., Any])


def test_options(command: _Command) -> _Command:
    """DATA… and everything that decides which edges are found."""
    for decorator in reversed(_OPTIONS):
        command = decorator(command)
    return command


_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    section("Rows and columns"),
    data_options,
    section("The test"),
    click.option(
        "--method",
        type=click.Choice(tuple(CLASSES)),
        help="The test; `edgewise compare` shows them side by side.  [default: score; for a state, "
        "what it serves]",
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
        type=click.Choice(("partial_correlation", "precision")),
        help="What --min-effect is measured in.  [default: partial_correlation; precision for the "
        "paper's trace and eig]",
    ),
    click.option(
        "--budget",
        type=float,
        metavar="SECONDS",
        help="Read only as many rows as fit, and use trace or eig, whichever then has the smaller "
        "threshold. Not for CSV, whose rows are not known beforehand.",
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


def compare_option(command: _Command) -> _Command:
    return click.option(
        "--compare/--no-compare",
        default=None,
        help="Run all other methods for the report, or none.  [default: those that are quick]",
    )(command)


<<<<<<< HEAD
def run_test(asked: dict[str, Any]) -> tuple[EdgeTestResult, Any]:
    """The result that the options ask for, and the rows or the state it came from."""
    from edgewise.cli.method_options import asked_options
    from edgewise.errors import EdgewiseWarning
    from edgewise.methods.registry import method_of
    from edgewise.questions.edge_test import edge_test

    with warnings.catch_warnings(record=True) as caught, _opened(asked) as (rows, method):
        warnings.simplefilter("always", EdgewiseWarning)
        options = asked_options(asked)
        twice = asked["budget"] is None and method_of(method, options).needs.reads_again
        with _watched(rows, passes=1 + twice) as watched:
            result = edge_test(
                watched,
                method=method,
                alpha=asked["alpha"],
                correction=correction_of(asked["correction"]),
                min_effect=asked["min_effect"],
                effect_scale=asked["effect_scale"],
                drop_missing=asked["drop_missing"],
                budget=asked["budget"],
                **options,
            )
=======
@contextmanager
def tested(asked: dict[str, Any]) -> Iterator[tuple[EdgeTestResult, Table | None]]:
    """The result that the options ask for; and its rows, while these can be read again."""
    from edgewise.methods.registry import METHODS

    check_engine(asked)
    state = _state(asked)
    if state is not None:
        method = asked["method"] or state.default_method
        yield _told(asked, method, nullcontext(state), drop_missing=asked["drop_missing"]), None
        return
    method = asked["method"] or "score"
    with opened_table(asked) as table:
        rows = watched(asked, table, "testing", METHODS[method].passes)
        yield _told(asked, method, rows), table if table.rescannable else None


def _state(asked: dict[str, Any]) -> State | None:
    """The state that a single file of DATA holds."""
    from edgewise.states.registry import as_state

    if len(asked["data"]) > 1 or not is_local(asked):
        return None
    state = as_state(asked["data"][0])
    if state is not None and (asked["columns"] or asked["exclude"]):
        raise click.UsageError("--columns and --exclude choose among rows; a state has none left.")
    return state


def _told(
    asked: dict[str, Any], method: str, opened: AbstractContextManager[Any], **more: Any
) -> EdgeTestResult:
    """The result of a test, with what is to be said of it on standard error."""
    from edgewise.errors import EdgewiseWarning
    from edgewise.questions.edge_test import edge_test

    given = {
        "radius": asked["radius"],
        "support": _interval(asked["support"]),
        "solver": asked["solver"],
        "n_batches": asked["n_batches"],
        "mu": asked["mu"],
        "standardize": asked["standardize"] or None,
    }
    options = {name: value for name, value in given.items() if value is not None}
    with warnings.catch_warnings(record=True) as caught, opened as data:
        warnings.simplefilter("always", EdgewiseWarning)
        result = edge_test(
            data,
            method=method,
            alpha=asked["alpha"],
            correction=correction_of(asked["correction"]),
            min_effect=asked["min_effect"],
            effect_scale=asked["effect_scale"],
            budget=asked["budget"],
            **more,
            **options,
        )
>>>>>>> 3da4d42 (Open data in one way on the command line; --engine for accumulate, compare and report)
    for warning in caught:
        click.echo(f"edgewise: {warning.message}", err=True)
    tell_dropped(result.n_dropped)
    _tell_few_rows(result)
    return result


def _tell_few_rows(result: EdgeTestResult) -> None:
    from edgewise.questions.diagnose import caution

    against = caution(result)
    if against:
        click.echo(f"edgewise: {against.removeprefix('But ')}", err=True)


def check_report(path: str, data: tuple[str, ...]) -> None:
    """Before the work: where a report cannot go, or would not be known for one."""
    from edgewise._base.atomic import check_writable
    from edgewise._base.checks import check_choice

    check_writable(path, data)
    ending = path.rpartition(".")[2].lower()
    check_choice(f"report: the ending of '{path}'", ending, ("html", "htm"))


def make_report(
    result: EdgeTestResult,
    path: str,
    rows: Table | None,
    asked: dict[str, Any],
    compare: bool | None,
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
            # Standard input cannot be read again; the report then says less of the data.
            data=rows,
            compare=compare,
            title=", ".join(Path(name).name or name for name in asked["data"][:3])
            + ("" if len(asked["data"]) <= 3 else f" and {len(asked['data']) - 3} more"),
            command=shlex.join(["edgewise", *sys.argv[1:]]),
        )


<<<<<<< HEAD
@contextmanager
def _opened(asked: dict[str, Any]) -> Iterator[tuple[Any, str]]:
    """The rows, here or on a cluster, or a state; and the method to use."""
    engine = asked.get("engine", "local")
    if engine == "local":
        yield _rows_or_state(asked["data"], asked["columns"], asked["exclude"], asked["method"])
        return
    columns, exclude = column_names(asked["columns"]), column_names(asked["exclude"])
    where = engine, asked["scheduler"], asked["master"]
    with rows_on_cluster(*where, asked["data"], columns, exclude) as rows:
        yield rows, asked["method"] or "score"


def _rows_or_state(
    data: tuple[str, ...], columns: str | None, exclude: str | None, method: str | None
) -> tuple[Any, str]:
    """The rows, or the state that a single file holds; and the method to use on it."""
    from edgewise.states.file_format import is_state_file
    from edgewise.states.registry import load_state

    if len(data) > 1 or not is_state_file(data[0]):
        return read_data(data, columns, exclude), method or "score"
    if columns or exclude:
        raise click.UsageError("--columns and --exclude choose among rows; a state has none left.")
    state = load_state(data[0])
    return state, method or state.default_method
=======
def _interval(text: str | None) -> tuple[float, ...] | None:
    if text is None:
        return None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError as error:
        raise click.BadParameter(
            f"expected two numbers separated by a comma, as in 0,1; got {text!r}.",
            param_hint="--support",
        ) from error
    return low, high
>>>>>>> 3da4d42 (Open data in one way on the command line; --engine for accumulate, compare and report)

"""`edgewise pair`."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from edgewise.cli.family import inputs
from edgewise.cli.guesses import Choice
from edgewise.cli.manual import Manual, section
from edgewise.cli.opening import opened_table, watched
from edgewise.cli.options import (
    PATH,
    alpha_option,
    column_names,
    data_options,
    names_option,
    tell_dropped,
    transform_option,
    verbose_option,
)
from edgewise.cli.outputs import checked_outputs, written
from edgewise.cli.reading import reading_of
from edgewise.cli.telling import remark, remark_on_files, say
from edgewise.methods.registry import CLASSES, DEFAULT_METHOD

_Command = TypeVar("_Command", bound=Callable[..., Any])
# The question itself says which columns are read.
_NO_OPTIONS = ("columns", "exclude")


def _row_options(command: _Command) -> _Command:
    """DATA and how to read it, without a choice of columns."""
    command = data_options(command)
    parameters: list[click.Parameter] = command.__click_params__  # type: ignore[attr-defined]
    parameters[:] = [one for one in parameters if one.name not in _NO_OPTIONS]
    for one in parameters:
        # With two words only, DATA is what click would call missing; the user forgot Y.
        one.required = one.required and one.name != "data"
    return command


@click.command(
    "pair",
    cls=Manual,
    short_help="Test one pair of columns, given others.",
    examples="""
    # Are two columns related?
    edgewise pair returns.csv a b
    # Given two others; days may depend on the days before
    edgewise pair returns.csv a b --given c,d --method batch
    # For a program
    edgewise pair returns.csv a b --given c --json -
    """,
)
@section("Rows")
@_row_options
@click.argument("x", metavar="X")
@click.argument("y", metavar="Y")
@section("The test")
@names_option("--given", "Columns that both are adjusted for, separated by commas.")
@click.option(
    "--method",
    type=Choice(tuple(CLASSES)),
    default=DEFAULT_METHOD,
    metavar="METHOD",
    show_default=True,
    help="A test of each edge by itself: score, wald, batch, elliptical, fisher.",
)
@click.option(
    "--groups",
    metavar="NAME",
    help="A column of labels that says which rows belong together, such as subjects; for score and "
    "wald.",
)
@transform_option
@alpha_option
@section("Output")
@click.option(
    "--json", "json_file", type=PATH, metavar="FILE|-", help="Write the answer as JSON as well."
)
@verbose_option
def command(
    x: str,
    y: str,
    given: Sequence[str] | None,
    method: str,
    alpha: float,
    json_file: str | None,
    **asked: Any,
) -> None:
    """Test whether columns X and Y of DATA are related, given others.

    It prints one sentence to quote, with an interval of level 1 − alpha. DATA is files, as for
    `edgewise test`; only the columns of the question are read. Nothing is corrected for.
    """
    from edgewise._base.checks import check_alpha
    from edgewise.questions.columns import places

    if not asked["data"]:
        raise click.UsageError(
            f"expected DATA, X and Y, got only {x!r} and {y!r}; as in `edgewise pair returns.csv "
            "a b`."
        )
    level = 1 - check_alpha(alpha)
    others = column_names(given) or []
    names = list(dict.fromkeys([x, y, *others]))
    places(x, y, others, names)
    place = checked_outputs({"--json": json_file}, inputs(asked))["--json"]
    answer = _answer(asked, names, method)
    if place is not None:
        with written(place) as file:
            answer.to_json(file, level, indent=2)
    if place != "-":
        say(answer.sentence(level))


def _answer(asked: dict[str, Any], names: Sequence[str], method: str) -> Any:
    """The test of the first two columns given the others; cautions go to standard error."""
    from edgewise.errors import BrokenAssumptionWarning, EdgewiseWarning
    from edgewise.methods.registry import method_of
    from edgewise.questions.columns import naming_arguments
    from edgewise.questions.conditional import partial_test
    from edgewise.questions.edge_test import edge_test
    from edgewise.results.pair import pair_of_result
    from edgewise.rows.file_read import files_read
    from edgewise.rows.readers.files import FileTable

    x, y, *given = names
    if asked["groups"] is not None:
        method_of(method).check_groups()
    # What a test of groups needs is summed in one pass.
    passes = 1 + (method_of(method).needs.reads_again and asked["groups"] is None)
    chosen = asked | {"columns": [_quoted(name) for name in names], "exclude": None}
    with (
        warnings.catch_warnings(record=True) as caught,
        naming_arguments(
            names, lambda: FileTable(asked["data"], reading=reading_of(asked)).feature_names
        ),
        opened_table(chosen) as table,
        watched(asked, table, "testing", passes) as rows,
    ):
        warnings.simplefilter("always", EdgewiseWarning)
        # The answer holds the same sentences, and more.
        warnings.simplefilter("ignore", BrokenAssumptionWarning)
        if asked["groups"] is None:
            answer = partial_test(rows, x, y, given=given, method=method)
        else:
            # The table has the columns of the question, in its order.
            chosen_method = method_of(method)
            result = edge_test(rows, method=chosen_method, correction=None)
            answer = pair_of_result(result, chosen_method.guarantee)
    for warning in caught:
        remark(str(warning.message))
    tell_dropped(answer.n_dropped)
    if asked["verbose"]:
        remark_on_files(files_read(table))
    for caution in answer.cautions:
        remark(f"caution: {caution}")
    return answer


def _quoted(name: str) -> str:
    """A name as `column_names` reads it."""
    text = io.StringIO()
    csv.writer(text, lineterminator="", quoting=csv.QUOTE_ALL).writerow([name])
    return text.getvalue()

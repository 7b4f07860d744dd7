"""`edgewise diff`."""

from __future__ import annotations

import shlex
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from edgewise.cli.family import family_of, family_options, inputs
from edgewise.cli.guesses import Choice
from edgewise.cli.manual import Manual, section
from edgewise.cli.options import (
    PATH,
    alpha_option,
    column_names,
    correction_of,
    correction_option,
    data_options,
    missing_asked,
    tell_dropped,
    transform_option,
    verbose_option,
)
from edgewise.cli.outputs import checked_outputs, write_outputs
from edgewise.cli.reading import reading_of
from edgewise.cli.telling import remark, remark_on_files
from edgewise.methods.registry import CLASSES

if TYPE_CHECKING:
    from edgewise.results.difference import EdgeDifferenceResult
    from edgewise.results.differences import EdgeDifferences


@click.command(
    "diff",
    cls=Manual,
    short_help="Which edges differ between two groups.",
    examples="""
    # Which edges differ between two files with the same columns?
    edgewise diff before.csv after.csv
    # Between the levels of a column, by 999 permutations
    edgewise diff trial.csv --by treatment --permutations 999
    # Each day may depend on the days before; every pair into a table
    edgewise diff before.csv after.csv --method batch --csv pairs.csv
    """,
)
@section("Rows and columns")
@data_options
@click.option(
    "--by",
    metavar="COLUMN",
    help="The column of DATA that tells the groups apart; it may hold text. The rows are read into "
    "memory. With more than two levels, each is compared with all the others.",
)
@family_options
@transform_option
@click.option(
    "--groups",
    metavar="NAME",
    help="A column of labels that says which rows belong together, such as subjects; for wald.",
)
@section("The test")
@click.option(
    "--method",
    type=Choice(tuple(CLASSES)),
    metavar="METHOD",
    help="How each group is measured: wald, batch (rows that depend on the rows before them), "
    "elliptical or fisher.  [default: wald; for states, batch]",
)
@alpha_option
@correction_option
@click.option(
    "--n-batches",
    type=int,
    help="Batches of rows; by default 100, fewer with more than 160 columns. (batch)",
)
@click.option(
    "--permutations",
    type=int,
    metavar="N",
    help="Take p-values from so many permutations of the groups; 999 is usual.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of --permutations.")
@section("Output")
@click.option(
    "--json", "json_file", type=PATH, metavar="FILE|-", help="Write the whole result as JSON."
)
@click.option(
    "--csv", "csv_file", type=PATH, metavar="FILE|-", help="Write every pair as a line of CSV."
)
@click.option(
    "--report", type=PATH, metavar="FILE.html", help="Write a page with graphs and all pairs."
)
@click.option(
    "--plot",
    type=PATH,
    metavar="FILE.png|svg|pdf",
    help="Draw both graphs and their difference side by side.",
)
@verbose_option
def command(
    json_file: str | None,
    csv_file: str | None,
    report: str | None,
    plot: str | None,
    verbose: bool,
    **asked: Any,
) -> None:
    """Test for every pair of columns whether its partial correlation differs between two groups.

    DATA is two files (or folders, patterns, states of `edgewise accumulate`), one for each group;
    or, with --by, the files that hold the rows of all groups. Columns are matched by name. The rows
    of the groups must be independent of each other: not the same subjects twice.
    """
    from edgewise.view.export import write_difference_csv

    outputs = checked_outputs(
        {"--report": report, "--plot": plot, "--csv": csv_file, "--json": json_file}, inputs(asked)
    )
    result = _compared(asked)
    if verbose:
        # With --by, all groups are in the same files.
        files = [file for one in _each(result) for group in one.files for file in group]
        remark_on_files([*dict.fromkeys(files)])
    made_by = shlex.join(["edgewise", *sys.argv[1:]])
    writers = {
        "--report": lambda file: result.report(file, command=made_by),
        "--plot": lambda file: _draw(result, file),
        "--csv": lambda file: write_difference_csv(result, file),
        "--json": lambda file: result.to_json(file, indent=2),
    }
    write_outputs(outputs, writers)
    if "-" not in outputs.values():
        _show(result)


def _draw(result: EdgeDifferenceResult | EdgeDifferences, path: str) -> None:
    from edgewise.results.differences import EdgeDifferences
    from edgewise.view.export import write_plot

    axes = result.plot()[0][0] if isinstance(result, EdgeDifferences) else result.plot()[0]
    write_plot(axes, path)


def _compared(asked: dict[str, Any]) -> EdgeDifferenceResult | EdgeDifferences:
    """Run the comparison, and print its warnings and cautions on standard error."""
    from edgewise.cli.progress import progress_bar
    from edgewise.errors import BrokenAssumptionWarning, EdgewiseWarning
    from edgewise.questions.compare_groups import compare_groups

    groups: dict[str, Any] = _groups(asked)
    groups |= family_of(asked, _column_names(groups["a"], asked))
    groups["groups"] = asked["groups"]
    if asked["n_batches"] is not None:
        groups["n_batches"] = asked["n_batches"]
    permutations = asked["permutations"]
    with (
        warnings.catch_warnings(record=True) as caught,
        progress_bar(permutations, "permuting", unit="permutations") as tell,
    ):
        warnings.simplefilter("always", EdgewiseWarning)
        # The result holds the same sentences, and more.
        warnings.simplefilter("ignore", BrokenAssumptionWarning)
        result = compare_groups(
            **groups,
            alpha=asked["alpha"],
            correction=correction_of(asked["correction"]),
            permutations=permutations,
            random_state=asked["seed"],
            columns=column_names(asked["columns"]),
            exclude=column_names(asked["exclude"]),
            missing=missing_asked(asked),
            transform=asked["transform"],
            progress=tell,
        )
    for warning in caught:
        remark(str(warning.message))
    for one in _each(result):
        tell_dropped(sum(one.n_dropped))
        for caution in one.cautions:
            remark(f"caution: {caution}")
    return result


def _groups(asked: dict[str, Any]) -> dict[str, Any]:
    """The groups, and the method that serves them."""
    from edgewise.rows.read_table import DataToRead

    data, by, reading = asked["data"], asked["by"], reading_of(asked)
    if by is not None:
        return {"a": DataToRead([*data], reading), "by": by, "method": asked["method"] or "wald"}
    if len(data) != 2:
        raise click.UsageError(
            f"expected two groups, got {len(data)}; name a folder or a pattern for a group of many "
            "files, or add --by COLUMN if a column tells the groups apart."
        )
    from edgewise.states.registry import as_state

    groups = [as_state(path) or DataToRead(path, reading) for path in data]
    states = any(not isinstance(group, DataToRead) for group in groups)
    return {
        "a": groups[0],
        "b": groups[1],
        "group_names": _names(data),
        "method": asked["method"] or ("batch" if states else "wald"),
    }


def _column_names(group: Any, asked: dict[str, Any]) -> Sequence[str]:
    """The columns of a group, which the file of --pairs is read with; not opened without need."""
    if asked["given"] is None and asked["pairs"] is None:
        return ()
    from edgewise.questions.groups import Group

    without = [name for name in (asked["by"], asked["groups"]) if name is not None]
    columns, exclude = column_names(asked["columns"]), column_names(asked["exclude"]) or []
    from edgewise.rows.read_table import DataToRead

    of_files = isinstance(group, DataToRead)
    rows: Any = {"columns": columns, "exclude": [*exclude, *without]} if of_files else {}
    return Group.opened(group, "a", rows).feature_names


def _names(data: tuple[str, ...]) -> tuple[str, str]:
    """The names of the files, or their paths where these are the same."""
    short = [Path(path).name or path for path in data]
    short = [name.split(".")[0] or name for name in short]
    first, second = short if short[0] != short[1] else data
    return (first, second) if first != second else ("a", "b")


def _each(result: EdgeDifferenceResult | EdgeDifferences) -> list[EdgeDifferenceResult]:
    from edgewise.results.differences import EdgeDifferences

    return [*result.values()] if isinstance(result, EdgeDifferences) else [result]


def _show(result: EdgeDifferenceResult | EdgeDifferences) -> None:
    from edgewise.cli.screen import console, difference_table, show
    from edgewise.results.difference_summary import (
        any_sentence,
        global_sentence,
        strongest_sentence,
    )

    out, results = console(), _each(result)
    if len(results) > 1:
        show(out, result.headline())
        show(out, any_sentence(result.global_pvalue, results[0]))
    for one in results:
        if len(results) > 1:
            out.print()
        show(out, one.headline(), wrap=True)
        if len(results) == 1:
            show(out, global_sentence(one), wrap=True)
        if one.n_edges:
            out.print(difference_table(one, out))
        else:
            show(out, strongest_sentence(one), wrap=True)

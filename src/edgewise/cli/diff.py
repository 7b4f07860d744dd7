"""`edgewise diff`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from edgewise.cli.options import (
    Manual,
    column_names,
    family_of,
    method_option,
    reading_section,
    section,
)
from edgewise.cli.run import checked_outputs, data_of, info_cautions, progress_bar, write_outputs
from edgewise.cli.streams import info_dropped, info_files, warnings_shown


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
@section(
    "Rows and columns",
    *("data", "columns", "exclude"),
    click.option(
        "--by",
        metavar="COLUMN",
        help="The column of DATA that tells the groups apart; it may hold text. The rows are read "
        "into memory. With more than two levels, each is compared with all the others.",
    ),
    *("given", "pairs", "missing", "transform", "clusters"),
)
@section(
    "The test",
    method_option(
        "How each group is measured: wald, batch (rows that depend on the rows before them), "
        "elliptical or fisher.  [default: auto]"
    ),
    *("alpha", "correction"),
    click.option("--n-batches", type=int, help="Batches of rows; by default 100. (batch)"),
    click.option(
        "--permutations",
        type=int,
        metavar="N",
        help="Take p-values from so many permutations of the groups; 999 is usual.",
    ),
    "seed",
)
@section("Output", "json", "csv", "report", "plot", "verbose")
@reading_section
def diff_command(**options: Any) -> None:
    """Test for every pair of columns whether its partial correlation differs between two groups.

    DATA is two files (or folders, patterns, states of `edgewise accumulate`), one for each group;
    or, with --by, the files that hold the rows of all groups. Columns are matched by name. The rows
    of the groups must be independent of each other: not the same subjects twice.
    """
    from edgewise.api.compare_groups import compare_groups
    from edgewise.cli.show import console, difference_table, show
    from edgewise.plots.export import write_plot
    from edgewise.results.summary import any_sentence, global_sentence, strongest_sentence

    names = ("--report", "--plot", "--csv", "--json")
    outputs = checked_outputs({name: options[name[2:]] for name in names}, options)
    groups = _groups(options)
    groups |= family_of(options, _column_names(groups["a"], options))
    if options["n_batches"] is not None:
        groups["n_batches"] = options["n_batches"]
    permutations = options["permutations"]
    with warnings_shown(), progress_bar(permutations, "permuting", unit="permutations") as advance:
        result = compare_groups(
            **groups,
            **{name: options[name] for name in ("alpha", "correction", "missing", "transform")},
            clusters=options["clusters"],
            permutations=permutations,
            random_state=options["seed"],
            columns=column_names(options["columns"]),
            exclude=column_names(options["exclude"]),
            progress=advance,
        )
    results = result.comparisons()
    for one in results:
        info_dropped(sum(one.n_dropped))
        info_cautions(one)
    if options["verbose"]:
        # With --by, all groups are in the same files.
        files = [file for one in results for group in one.files for file in group]
        info_files([*dict.fromkeys(files)])
    made_by = shlex.join(["edgewise", *sys.argv[1:]])

    writers = {
        "--report": lambda file: result.report(file, command=made_by),
        "--plot": lambda file: write_plot(result.plot()[0], file),
        "--csv": result.to_csv,
        "--json": lambda file: result.to_json(file, indent=2),
    }
    write_outputs(outputs, writers)
    if "-" in outputs.values():
        return
    out = console()
    if len(results) > 1:
        show(out, result.headline())
        show(out, any_sentence(result.global_pvalue, results[0]))
    for one in results:
        if len(results) > 1:
            show(out)
        show(out, one.headline(), wrap=True)
        if len(results) == 1:
            show(out, global_sentence(one), wrap=True)
        if one.n_edges:
            out.print(difference_table(one))
        else:
            show(out, strongest_sentence(one), wrap=True)


def _groups(options: dict[str, Any]) -> dict[str, Any]:
    """The groups, and the method that serves them."""
    from edgewise.methods.registry import DEFAULT_METHOD
    from edgewise.sums.save import as_state

    data, by, method = options["data"], options["by"], options["method"] or DEFAULT_METHOD
    if by is not None:
        return {"a": data_of(options), "by": by, "method": method}
    if len(data) != 2:
        raise click.UsageError(
            f"expected two groups, got {len(data)}; name a folder or a pattern for a group of many "
            "files, or add --by COLUMN if a column tells the groups apart."
        )
    states = [as_state(path) for path in data]
    a, b = (state or data_of(options, path) for state, path in zip(states, data, strict=True))
    return {"a": a, "b": b, "group_names": _names(data), "method": method}


def _column_names(group: Any, options: dict[str, Any]) -> Sequence[str]:
    """The columns of a group, which the file of --pairs is read with; not opened without need."""
    from edgewise.api.compare_groups import Group
    from edgewise.tables.reading import DataToRead

    if not options["given"] and options["pairs"] is None:
        return ()
    rows: dict[str, Any] = {}
    if isinstance(group, DataToRead):
        without = [name for name in (options["by"], options["clusters"]) if name is not None]
        exclude = [*(column_names(options["exclude"]) or []), *without]
        rows = {"columns": column_names(options["columns"]), "exclude": exclude}
    return Group.opened(group, "a", rows).feature_names


def _names(data: tuple[str, ...]) -> tuple[str, str]:
    """The names of the files, or their paths where these are the same."""
    short = [Path(path).name or path for path in data]
    short = [name.split(".")[0] or name for name in short]
    first, second = short if short[0] != short[1] else data
    return (first, second) if first != second else ("a", "b")

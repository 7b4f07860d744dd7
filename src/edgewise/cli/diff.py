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
    data_argument,
    family_of,
    option,
    reading_section,
    section,
)
from edgewise.cli.run import (
    check_outputs,
    data_of,
    progress_bar,
    write_notes,
    write_outputs,
)
from edgewise.cli.streams import info_dropped, output, warnings_shown


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
    *(data_argument, "--columns", "--exclude"),
    click.option(
        "--by",
        metavar="COLUMN",
        help="The column of DATA that tells the groups apart; it may hold text. With more than two "
        "levels, each is compared with all the others.",
    ),
    *("--given", "--pairs", "--missing", "--clusters", "--transform"),
)
@section(
    "The test",
    option("--method", help="wald, batch, elliptical or fisher.  [default: auto]"),
    *("--alpha", "--correction"),
    click.option("--n-batches", type=int, help="Batches of rows; by default 100. (batch)"),
    click.option(
        "--permutations",
        type=int,
        metavar="N",
        help="Take p-values from so many permutations of the groups; 999 is usual.",
    ),
    "--seed",
)
@section("Output", *("--csv", "--json", "--report", "--plot", "--all-edges"))
@reading_section
def diff_command(**options: Any) -> None:
    """Test for every pair of columns whether its partial correlation differs between two groups.

    DATA is two files (or folders, patterns, states of `edgewise accumulate`), one for each group;
    or, with --by, the files that hold the rows of all groups. Columns are matched by name. The rows
    of the groups must be independent of each other: not the same subjects twice.
    """
    from edgewise.api.compare_groups import compare_groups
    from edgewise.cli.show import print_differences, show_notes
    from edgewise.plots.export import write_plot
    from edgewise.results.summary import any_sentence, strongest_sentence

    names = ("report", "plot", "csv", "json")
    outputs = {f"--{name}": options[name] for name in names}
    check_outputs(outputs, options)
    groups = _groups(options)
    groups |= family_of(options, _column_names(groups["a"], options))
    if options["n_batches"] is not None:
        groups["n_batches"] = options["n_batches"]
    how = ("alpha", "correction", "missing", "transform", "clusters", "permutations")
    what = "testing" if options["permutations"] is None else "permuting"
    with warnings_shown(), progress_bar(what, options["permutations"], "permutations") as bar:
        result = compare_groups(
            **groups,
            **{name: options[name] for name in how if options[name] is not None},
            random_state=options["seed"],
            columns=column_names(options["columns"]),
            exclude=column_names(options["exclude"]),
            progress=bar.advance,
        )
    results = result.comparisons()
    several = len(results) > 1
    write_outputs(
        outputs,
        {
            "--report": lambda file: result.report(
                file, command=shlex.join(["edgewise", *sys.argv[1:]])
            ),
            "--plot": lambda file: write_plot(result.plot()[0], file),
            "--csv": result.to_csv,
            "--json": lambda file: result.to_json(file, indent=2),
        },
    )
    cautions = dict.fromkeys(str(caution) for one in results for caution in one.cautions)
    intervals = f"interval_low and interval_high: {results[0].interval_label}, of the difference"
    notes = [one.headline() for one in results] + [intervals]
    write_notes(outputs["--csv"], [*notes, *(f"caution: {caution}" for caution in cautions)])
    if "-" not in outputs.values():
        if several:
            output(result.headline())
            output(any_sentence(result.global_pvalue, results[0]))
        for one in results:
            if several:
                output()
            output(one.headline())
            if not several:
                output(any_sentence(one.global_pvalue, one))
            if one.n_edges:
                print_differences(one, every=options["all_edges"])
            else:
                output(strongest_sentence(one))
    # Of several groups each is compared with all others, so the rows are the same.
    info_dropped(sum(results[0].n_dropped))
    show_notes((), cautions)


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
    short = [(Path(path).name or path).split(".")[0] or path for path in data]
    first, second = short if short[0] != short[1] else data
    names = (first, second) if first != second else ("a", "b")
    return {"a": a, "b": b, "group_names": names, "method": method}


def _column_names(group: Any, options: dict[str, Any]) -> Sequence[str]:
    """The columns of a group, which the file of --pairs is read with; not opened without need."""
    from edgewise._checks import default_names
    from edgewise.tables.open import as_table
    from edgewise.tables.reading import DataToRead

    if not options["given"] and options["pairs"] is None:
        return ()
    if not isinstance(group, DataToRead):
        return group.feature_names or default_names(group.n_features or 0)
    without = [name for name in (options["by"], options["clusters"]) if name is not None]
    exclude = [*(column_names(options["exclude"]) or []), *without]
    return as_table(group, columns=column_names(options["columns"]), exclude=exclude).feature_names

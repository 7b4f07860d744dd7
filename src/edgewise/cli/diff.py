"""`edgewise diff`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from edgewise.api.compare_groups import compare_groups
from edgewise.cli.options import arguments, command, data_argument, given_method_options, option
from edgewise.cli.run import check_outputs, data_of, progress_bar, write_notes, write_outputs
from edgewise.cli.show import info_dropped, output, print_pairs, show_notes, typed
from edgewise.plots.export import write_plot
from edgewise.plots.safe_names import shortened_inside
from edgewise.results.summary import any_sentence, strongest_sentence
from edgewise.sums.save import as_state

_NUMBERS = ("partial_correlation_a", "partial_correlation_b", "difference")


@command(
    "diff",
    {
        "Rows and columns": (
            data_argument(),
            *("--columns", "--exclude", "--by", "--given", "--pairs", "--missing", "--clusters"),
            "--transform",
        ),
        "The test": (
            option("--method", help="wald, batch, elliptical or fisher.  [default: auto]"),
            *("--alpha", "--correction", "--permutations", "--seed"),
        ),
        "Output": ("--csv", "--json", "--report", "--plot", "--all-edges"),
    },
    """
    # Which edges differ between two files with the same columns?
    edgewise diff before.csv after.csv
    # Between the levels of a column, by 999 permutations
    edgewise diff trial.csv --by treatment --permutations 999
    # Each day may depend on the days before; every pair into a table
    edgewise diff before.csv after.csv --method batch --csv pairs.csv
    """,
    of_methods=True,
)
def diff_command(**options: Any) -> None:
    """Test for every pair of columns whether its partial correlation differs between two groups.

    DATA is two files (or folders, patterns, states of `edgewise accumulate`), one for each group;
    or, with --by, the files that hold the rows of all groups. Columns are matched by name. The rows
    of the groups must be independent of each other: not the same subjects twice.
    """
    check_outputs(options, "report", "plot", "csv", "json")
    how = arguments(compare_groups, options) | given_method_options(options) | _groups(options)
    what = "testing" if options["permutations"] is None else "permuting"
    with progress_bar(what, options["permutations"], "permutations") as bar:
        result = compare_groups(**how, progress=bar.advance)
    write_outputs(
        options,
        report=lambda file: result.report(file, command=typed()),
        plot=lambda file: write_plot(result.plot()[0], file),
        csv=result.to_csv,
        json=lambda file: result.to_json(file),
    )
    results = result.comparisons()
    several = len(results) > 1
    cautions = dict.fromkeys(str(caution) for one in results for caution in one.cautions)
    intervals = f"interval_low and interval_high: {results[0].interval_label}, of the difference"
    notes = [one.headline() for one in results] + [intervals]
    write_notes(options["csv"], [*notes, *(f"caution: {caution}" for caution in cautions)])
    if "-" not in (options["csv"], options["json"], options["report"]):
        output(result.headline())
        output(any_sentence(result.global_pvalue, results[0]))
        for one in results:
            if several:
                output()
                output(one.headline())
            if one.n_edges:
                names = (shortened_inside(name, 10) for name in one.group_names)
                print_pairs(one, ["pair", *names, "difference"], _NUMBERS, options["all_edges"])
            else:
                output(strongest_sentence(one))
    # Of several groups each is compared with all others, so the rows are the same.
    info_dropped(sum(results[0].n_dropped))
    show_notes((), cautions)


def _groups(options: dict[str, Any]) -> dict[str, Any]:
    """The groups, as `compare_groups` takes them."""
    data = options["data"]
    if options["by"] is not None:
        return {"a": data_of(options)}
    if len(data) != 2:
        raise click.UsageError(
            f"expected two groups, got {len(data)}; name a folder or a pattern for a group of many "
            "files, or add --by COLUMN if a column tells the groups apart."
        )
    first, second = ((Path(path).name or path).split(".")[0] or path for path in data)
    if first == second:
        first, second = data if data[0] != data[1] else ("a", "b")
    a, b = (as_state(path) or data_of(options, path) for path in data)
    return {"a": a, "b": b, "group_names": (first, second)}

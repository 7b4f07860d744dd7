"""`edgewise test` and `edgewise report`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from edgewise.cli.options import (
    Manual,
    data_argument,
    family_of,
    given_method_options,
    option,
    reading_section,
    section,
)
from edgewise.cli.run import (
    check_outputs,
    data_of,
    opened,
    progress_bar,
    write_notes,
    write_outputs,
    written,
)
from edgewise.cli.streams import info, info_files, output, warnings_shown

if TYPE_CHECKING:
    from edgewise.results.result import EdgeTestResult
    from edgewise.tables.table import Table

_rows_section = section(
    "Rows and columns",
    *(data_argument, "--columns", "--exclude", "--given", "--pairs", "--missing"),
    *("--weights", "--weight-kind", "--clusters", "--transform"),
)
_test_section = section(
    "The test",
    option(
        "--method",
        help="auto, score, wald, batch, nodewise, kendall, sequential, fisher, elliptical, or a bound: "
        "entrywise, whitened, spectral, trace, eig.  [default: auto, by the rows]",
    ),
    *("--alpha", "--correction", "--min-effect"),
)


@click.command(
    "test",
    cls=Manual,
    methods=True,
    short_help="Test the edges among the columns of DATA.",
    examples="""
    # Which columns are connected, given all the others?
    edgewise test returns.csv --exclude Date
    # A folder of files; every pair into a table, the graph for Gephi
    edgewise test 2024/ --csv pairs.csv --graph graph.gexf
    # Days may depend on the days before; d is adjusted for, but not tested
    edgewise test returns.csv --exclude Date --given d --method batch
    # In a pipe, where the rows can be read only once
    cat today.csv | edgewise test - --method batch --json - > today.json
    """,
)
@_rows_section
@_test_section
@section(
    "Output", *("--csv", "--json", "--graph", "--plot", "--plot-kind", "--all-edges"), "--verbose"
)
@reading_section
def test_command(**options: Any) -> None:
    """Test every pair of columns of DATA for an edge, given all others.

    DATA is files, folders or patterns of .csv, .tsv (also compressed), .parquet, .feather, .arrow,
    .npy, .npz, .xlsx and .jsonl with the same columns; - for CSV from standard input; or a state
    of `edgewise accumulate`.
    """
    from edgewise.cli.show import next_of, peak_memory, print_edges, show_next, show_notes
    from edgewise.plots.export import write_graph, write_plot

    if options["plot"] is None and options["plot_kind"] is not None:
        raise click.UsageError("--plot-kind says what to draw; also say where, with --plot FILE.")
    outputs = {f"--{name}": options[name] for name in ("csv", "graph", "plot", "json")}
    check_outputs(outputs, options)
    result, rows = run_test(options)
    kind = options["plot_kind"] or "network"
    writers = {
        "--csv": result.to_csv,
        "--graph": lambda file: write_graph(result, file),
        "--plot": lambda file: write_plot(result.plot(kind), file),
        "--json": lambda file: result.to_json(file, indent=2),
    }
    write_outputs(outputs, writers)
    notes = _notes(result)
    cautions = [f"caution: {caution}" for caution in result.cautions]
    intervals = f"interval_low and interval_high: {result.interval_label}"
    write_notes(outputs["--csv"], [result.headline(), intervals, *notes, *cautions])
    answers = "-" not in outputs.values()
    if answers:
        output(result.headline())
        print_edges(result, every=options["all_edges"])
    if options["verbose"]:
        info_files(result.files)
        info(peak_memory(), prefix="")
    show_notes(notes, result.cautions)
    if answers and (step := next_of(result, again=rows is not None)):
        show_next(*step)


def _notes(result: EdgeTestResult) -> list[str]:
    from edgewise.results.summary import all_notes, facts

    why = [result.why] if result.why else []
    return [*why, *facts(result)[1:], *all_notes(result)]


def run_test(options: dict[str, Any]) -> tuple[EdgeTestResult, Table | None]:
    """The result for these options, and its rows if they can be read again."""
    from edgewise._checks import default_names
    from edgewise.api.edge_test import edge_test
    from edgewise.methods.registry import DEFAULT_METHOD
    from edgewise.sums.save import as_state

    names = ("alpha", "correction", "min_effect")
    how = {name: options[name] for name in names} | given_method_options(options)
    state: Any = as_state(options["data"][0]) if len(options["data"]) == 1 else None
    if state is None:
        method = options["method"] or DEFAULT_METHOD
        with opened(options, f"{method}, {' '.join(options['data'])[:30]}") as (rows, bar):
            bar.name(method)
            family = family_of(options, rows.feature_names)
            result = edge_test(rows, method=method, **how, **family)
        return result, rows if rows.rescannable else None
    about_rows = ("columns", "exclude", "clusters", "weights", "transform")
    if any(options[name] for name in about_rows):
        raise click.UsageError(
            "--columns, --exclude, --clusters, --weights and --transform are about rows; a state "
            "has none left."
        )
    sums = getattr(state, "state", state)  # a confidence sequence holds another state
    known = tuple(sums.feature_names or default_names(sums.n_features or 0))
    how |= {"missing": options["missing"] or "raise", **family_of(options, known)}
    with warnings_shown():
        return edge_test(state, method=options["method"] or DEFAULT_METHOD, **how), None


@click.command(
    "report",
    cls=Manual,
    methods=True,
    short_help="Test DATA and write a page to explore in a browser.",
    examples="""
    # Into edgewise-report.html, and into your browser
    edgewise report returns.csv --exclude Date --open
    # Another test and another file; without the table of all methods
    edgewise report 2024/ --method batch --no-compare -o 2024.html
    # From a state, without the rows; d is adjusted for
    edgewise report 2024.state --given d -o 2024.html
    """,
)
@_rows_section
@_test_section
@section(
    "Output",
    click.option(
        "-o",
        "--output",
        default="edgewise-report.html",
        show_default=True,
        metavar="FILE.html|-",
        help="The page.",
    ),
    *("--compare/--no-compare", "--no-rows", "--open", "--verbose"),
)
@reading_section
def report_command(**options: Any) -> None:
    """Test every pair of columns of DATA and write one HTML file with everything in it.

    The page works offline and from disk: the graph, a slider for the level, the table of edges, the
    heat map, facts about the data, and other methods. DATA is what `edgewise test` takes.

    So that you can look at a pair, the page also holds up to 500 rows, a sample.
    """
    from edgewise.api.reporting import holds_rows, write_report
    from edgewise.cli.show import show_notes

    page = options["output"]
    check_outputs({"--report": page}, options)
    if page == "-" and options["open"]:
        raise click.UsageError("--open: a browser needs a file; name one with -o FILE.html.")
    result, rows = run_test(options)
    data = options["data"]
    more = f" and {len(data) - 3} more" if len(data) > 3 else ""
    with written(page, ".html") as file, progress_bar("writing the page"):
        write_report(
            result,
            file,
            # A pipe cannot be read again; the page then says less about the data.
            data=None if rows is None else data_of(options),
            compare=options["compare"],
            rows=not options["no_rows"],
            title=", ".join(Path(name).name or name for name in data[:3]) + more,
            command=shlex.join(["edgewise", *sys.argv[1:]]),
        )
    if page != "-":
        output(result.headline())
        output(f"The report is in {Path(page).resolve()}")
        if rows is not None and not options["no_rows"] and holds_rows(result, rows):
            output("The page holds up to 500 sampled rows; leave them out with --no-rows.")
    if options["verbose"]:
        info_files(result.files)
    show_notes(_notes(result), result.cautions)
    if options["open"]:
        _open_page(page)


def _open_page(path: str) -> None:
    """Show the page in the user's browser; where there is none, say so."""
    import webbrowser

    try:
        opened = webbrowser.open(Path(path).resolve().as_uri())
    except (webbrowser.Error, OSError):
        opened = False
    if not opened:
        info("no browser could be started; open the page yourself.")

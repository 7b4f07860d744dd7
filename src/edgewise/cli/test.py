"""`edgewise test`, `edgewise report` and `edgewise demo`."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Any

import click

from edgewise.api.edge_test import edge_test
from edgewise.api.reporting import holds_rows, write_report
from edgewise.cli import run, show
from edgewise.cli.options import arguments, command, data_argument, given_method_options, option
from edgewise.datasets import load_sp500_returns
from edgewise.methods.registry import DEFAULT_METHOD
from edgewise.plots.export import write_graph, write_plot
from edgewise.results.result import EdgeTestResult
from edgewise.results.summary import all_notes, facts
from edgewise.sums.save import as_state
from edgewise.tables.open import as_table
from edgewise.tables.table import Table

_ROWS = (
    *("--columns", "--exclude", "--given", "--pairs", "--missing", "--weights"),
    *("--clusters", "--transform"),
)
_TEST = ("--method", "--alpha", "--correction", "--min-effect")


@command(
    "test",
    {
        "Rows and columns": (data_argument(), *_ROWS),
        "The test": _TEST,
        "Output": ("--csv", "--json", "--graph", "--plot", "--plot-kind", "--all-edges"),
    },
    """
    # Which columns are connected, given all the others?
    edgewise test returns.csv --exclude Date
    # A folder of files; every pair into a table, the graph for Gephi
    edgewise test 2024/ --csv pairs.csv --graph graph.gexf
    # Days may depend on the days before; d is adjusted for, but not tested
    edgewise test returns.csv --exclude Date --given d --method batch
    # In a pipe, where the rows can be read only once
    cat today.csv | edgewise test - --method batch --json - > today.json
    """,
    of_methods=True,
)
def test_command(**options: Any) -> None:
    """Test every pair of columns of DATA for an edge, given all others.

    DATA is files, folders or patterns of .csv, .tsv (also compressed), .parquet, .feather, .arrow,
    .npy, .npz, .xlsx and .jsonl with the same columns; - for CSV from standard input; or a state
    of `edgewise accumulate`.
    """
    if options["plot"] is None and options["plot_kind"] is not None:
        raise click.UsageError("--plot-kind says what to draw; also say where, with --plot FILE.")
    run.check_outputs(options, "csv", "graph", "plot", "json")
    result, rows = _tested(options)
    run.write_outputs(
        options,
        csv=result.to_csv,
        graph=lambda file: write_graph(result, file),
        plot=lambda file: write_plot(result.plot(options["plot_kind"] or "network"), file),
        json=lambda file: result.to_json(file),
    )
    notes = _notes(result)
    cautions = [f"caution: {caution}" for caution in result.cautions]
    intervals = f"interval_low and interval_high: {result.interval_label}"
    run.write_notes(options["csv"], [result.headline(), intervals, *notes, *cautions])
    answers = "-" not in (options["csv"], options["json"])
    if answers:
        show.output(result.headline())
        show.print_edges(result, every=options["all_edges"])
    show.show_notes(notes, result.cautions)
    if answers and rows is not None:
        show.show_next(result)


def _notes(result: EdgeTestResult) -> list[str]:
    why = [result.why] if result.why else []
    return [*why, *facts(result)[1:], *all_notes(result)]


def _tested(options: dict[str, Any]) -> tuple[EdgeTestResult, Table | None]:
    """The result for these options, and its rows if they can be read again."""
    how: dict[str, Any] = {"method": DEFAULT_METHOD, **arguments(edge_test, options)}
    how |= given_method_options(options)
    state: Any = as_state(options["data"][0]) if len(options["data"]) == 1 else None
    for_rows = arguments(as_table, options)
    if state is not None:
        chosen = {"columns", "exclude", "clusters", "weights", "transform"} & for_rows.keys()
        if chosen:
            raise click.UsageError(f"--{min(chosen)}: a state has no rows left to apply it to.")
        with show.warnings_shown():
            return edge_test(state, **how), None
    with run.progress_bar(str(how["method"])) as bar:
        rows = run.rows_of(options, bar)
        question = {
            name: value for name, value in how.items() if name == "given" or name not in for_rows
        }
        result = edge_test(rows, **question)
    return result, rows if rows.rescannable else None


@command(
    "report",
    {
        "Rows and columns": (data_argument(), *_ROWS),
        "The test": _TEST,
        "Output": (
            option("--output", default="edgewise-report.html", metavar="FILE.html|-"),
            *("--compare/--no-compare", "--no-rows", "--open"),
        ),
    },
    """
    # Into edgewise-report.html, and into your browser
    edgewise report returns.csv --exclude Date --open
    # Another test and another file; without the table of all methods
    edgewise report 2024/ --method batch --no-compare -o 2024.html
    # From a state, without the rows; d is adjusted for
    edgewise report 2024.state --given d -o 2024.html
    """,
    of_methods=True,
)
def report_command(**options: Any) -> None:
    """Test every pair of columns of DATA and write one HTML file with everything in it.

    The page works offline and from disk: the graph, a slider for the level, the table of edges, the
    heat map, facts about the data, and other methods. DATA is what `edgewise test` takes.

    So that you can look at a pair, the page also holds up to 500 rows, a sample.
    """
    page, data = options["output"], options["data"]
    run.check_outputs({**options, "report": None if page == "-" else page}, "report")
    if page == "-" and options["open"]:
        raise click.UsageError("--open: a browser needs a file; name one with -o FILE.html.")
    result, rows = _tested(options)
    more = f" and {len(data) - 3} more" if len(data) > 3 else ""
    with run.written(page, ".html") as file, run.progress_bar("writing the page"):
        write_report(
            result,
            file,
            # A pipe cannot be read again; the page then says less about the data.
            data=None if rows is None else run.data_of(options),
            compare=options["compare"],
            rows=not options["no_rows"],
            title=", ".join(Path(name).name or name for name in data[:3]) + more,
            command=show.typed(),
        )
    if page != "-":
        show.output(result.headline())
        show.output(f"The report is in {Path(page).resolve()}")
        if rows is not None and not options["no_rows"] and holds_rows(result, rows):
            show.output("The page holds up to 500 sampled rows; leave them out with --no-rows.")
    show.show_notes(_notes(result), result.cautions)
    if options["open"] and not webbrowser.open(Path(page).resolve().as_uri()):
        show.info("no browser could be started; open the page yourself.")


_TITLE = "Daily returns of 20 S&P 500 companies, 1990–2022"


@command(
    "demo",
    {
        "Options": (
            option("--plot", default="edgewise-demo.png"),
            option("--report", default="edgewise-demo.html"),
        )
    },
    """
    # Writes edgewise-demo.png and edgewise-demo.html
    edgewise demo
    # Writes files with other names
    edgewise demo --plot companies.svg --report companies.html
    """,
    reads_files=False,
)
def demo_command(**options: str) -> None:
    """Find the edges among the daily returns of 20 companies, 1990 to 2022.

    The data come with edgewise. The command prints the strongest edges, draws the graph, and writes
    a report to open in a browser.
    """
    plot, report = options["plot"], options["report"]
    run.check_outputs(options, "plot", "report")
    returns = load_sp500_returns()
    with run.progress_bar("writing the page"):
        result = edge_test(returns)
        write_plot(result.plot(), plot)
        write_report(result, report, data=returns, title=_TITLE, command="edgewise demo")
    show.output(f"{_TITLE}: which move together, given all the others?")
    show.output(result.headline())
    show.print_edges(result, every=False)
    show.output(f"The graph is in {Path(plot).resolve()}")
    show.output(f"The report is in {Path(report).resolve()}")
    show.show_notes(_notes(result), result.cautions)
    show.info(
        "Next: open the report in a browser, then try your own: edgewise report DATA.csv --open",
        prefix="",
    )

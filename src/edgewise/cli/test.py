"""`edgewise test` and `edgewise report`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from edgewise.cli.options import PATH, Choice, MethodManual, method_option, reading_section, section
from edgewise.cli.run import checked_outputs, run_test, write_outputs, written
from edgewise.cli.streams import info, info_files, output
from edgewise.methods.registry import CLASSES

if TYPE_CHECKING:
    from edgewise.results.result import EdgeTestResult
    from edgewise.tables.table import Table

_rows_section = section(
    "Rows and columns",
    *("data", "columns", "exclude", "given", "pairs", "missing"),
    *("weights", "weight-kind", "transform", "clusters"),
)
_test_section = section(
    "The test",
    method_option(
        f"{', '.join(CLASSES)}; `edgewise help methods` tells of them and lists the options of "
        "each, also for here.  [default: auto; for a state, what it serves]"
    ),
    "alpha",
    "correction",
    click.option(
        "--min-effect",
        type=float,
        default=0.0,
        show_default=True,
        help="Declare an edge only where the partial correlation is larger; of trace and eig the "
        "entry of Θ.",
    ),
)
_page_options = (
    click.option(
        "--compare/--no-compare", default=None, help="All other methods in the page, or none."
    ),
    click.option("--no-rows", is_flag=True, help="No sampled rows in the page."),
    click.option("--open", "open_page", is_flag=True, help="Open the page in your browser."),
)


@click.command(
    "test",
    cls=MethodManual,
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
    "Output",
    "json",
    "csv",
    click.option("--graphml", type=PATH, metavar="FILE|-", help="Write the graph as GraphML."),
    click.option(
        "--graph", type=PATH, metavar="FILE", help="The same by its ending: .graphml .gexf .cyjs"
    ),
    "report",
    *_page_options,
    "plot",
    click.option(
        "--plot-kind",
        type=Choice(("network", "heatmap", "volcano", "forest", "pvalues", "centrality")),
        metavar="KIND",
        help="network, heatmap, volcano, forest, pvalues, centrality",
    ),
    click.option(
        "-v", "--verbose", is_flag=True, help="Say which files were read, and the memory used."
    ),
)
@reading_section
def test_command(**options: Any) -> None:
    """Test every pair of columns of DATA for an edge, or those that --given and --pairs leave.

    DATA is files, folders or patterns of .csv, .tsv (also compressed), .parquet, .feather, .arrow,
    .npy, .npz, .xlsx and .jsonl files with the same columns; or - for CSV from standard input; or
    one state of `edgewise accumulate`.
    """
    from edgewise.cli.show import after_test, console, edge_table, show, show_next
    from edgewise.plots import export

    if options["plot"] is None and options["plot_kind"] is not None:
        raise click.UsageError("--plot-kind says what to draw; also say where, with --plot FILE.")
    names = ("--report", "--csv", "--graphml", "--graph", "--plot", "--json")
    outputs = checked_outputs({name: options[name[2:]] for name in names}, options)
    _check_page(outputs["--report"], options, "--report")
    result, rows = run_test(options)
    writers = {
        "--report": lambda file: _make_page(result, file, rows, options),
        "--csv": result.to_csv,
        "--graphml": lambda file: export.write_graphml(result, file),
        "--graph": lambda file: export.write_graph(result, file),
        "--plot": lambda file: export.write_plot(
            result.plot(options["plot_kind"] or "network"), file
        ),
        "--json": lambda file: result.to_json(file, indent=2),
    }
    write_outputs(outputs, writers)
    if options["verbose"]:
        info_files(result.files)
        info(peak_memory(), prefix="")
    if "-" not in outputs.values():
        out = console()
        show(out, result.headline(), wrap=True)
        if result.n_edges:
            out.print(edge_table(result))
        if options["report"] is not None:
            show(out, _contents(result, rows, options))
        show_next(out, *after_test(result, again=rows is not None, page=options["report"]))
    _open_page(options["report"], options)


@click.command(
    "report",
    cls=MethodManual,
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
        type=PATH,
        default="edgewise-report.html",
        show_default=True,
        metavar="FILE.html",
        help="The page.",
    ),
    *_page_options,
    "verbose",
)
@reading_section
def report_command(**options: Any) -> None:
    """Test every pair of columns of DATA and write one HTML file with everything in it.

    The page works offline and from disk: the graph, a slider for the level, the table of edges, the
    heat map, facts about the data, and every method side by side. DATA is what `edgewise test`
    takes. A state has no rows, so its page has no table of all methods.

    So that you can look at a pair, the page also holds up to 500 rows, a sample. --no-rows leaves
    them out.
    """
    page = checked_outputs({"--report": options["output"]}, options)["--report"] or ""
    _check_page(page, options, "-o")
    result, rows = run_test(options)
    with written(page, ".html") as file:
        _make_page(result, file, rows, options)
    if options["verbose"]:
        info_files(result.files)
    if page != "-":
        output(result.headline())
        output(f"The report is in {Path(page).resolve()}")
        output(_contents(result, rows, options))
    _open_page(page, options)


def _check_page(page: str | None, options: dict[str, Any], option: str) -> None:
    """Refuse options of a page that is not written, or that no browser can open."""
    given = {
        "--compare": options["compare"] is not None,
        "--no-rows": options["no_rows"],
        "--open": options["open_page"],
    }
    for flag, is_given in given.items():
        if page is None and is_given:
            raise click.UsageError(
                f"{flag} is an option of the report; also say where it goes, with {option} FILE."
            )
    if page == "-" and options["open_page"]:
        raise click.UsageError(
            "--open: the page goes to standard output, and a browser needs a file; name one with "
            f"{option} FILE.html."
        )


def _make_page(
    result: EdgeTestResult, path: str, rows: Table | None, options: dict[str, Any]
) -> None:
    from edgewise.api.reporting import write_report
    from edgewise.cli.show import console

    data = options["data"]
    more = f" and {len(data) - 3} more" if len(data) > 3 else ""
    with console(stderr=True).status("writing the report …"):
        write_report(
            result,
            path,
            # Standard input cannot be read again; the report then says less about the data.
            data=rows,
            compare=options["compare"],
            rows=not options["no_rows"],
            title=", ".join(Path(name).name or name for name in data[:3]) + more,
            command=shlex.join(["edgewise", *sys.argv[1:]]),
        )


def _contents(result: EdgeTestResult, rows: Table | None, options: dict[str, Any]) -> str:
    """What of the data the page contains, in a sentence."""
    from edgewise.api.reporting import holds_rows

    if options["no_rows"] or rows is None or not holds_rows(result, rows):
        return "The page holds no sampled rows."
    return "The page holds up to 500 sampled rows; leave them out with --no-rows."


def _open_page(path: str | None, options: dict[str, Any]) -> None:
    """Show the page in the user's browser; where there is none, say so."""
    if path is None or not options["open_page"]:
        return
    import webbrowser

    try:
        opened = webbrowser.open(Path(path).resolve().as_uri())
    except (webbrowser.Error, OSError):
        opened = False
    if not opened:
        info("no browser could be started; open the page yourself.")


def peak_memory() -> str:
    """The largest memory use of this process until now."""
    try:
        import resource
    except ImportError:  # Windows
        return "peak memory unknown"
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    unit = 1 if sys.platform == "darwin" else 1024  # Linux counts in KiB, macOS in bytes
    return f"peak memory {most * unit / 2**20:,.0f} MB"

"""`edgewise test`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from edgewise.cli.family import inputs
from edgewise.cli.guesses import Choice
from edgewise.cli.manual import section
from edgewise.cli.options import PATH
from edgewise.cli.outputs import checked_outputs, write_outputs
from edgewise.cli.page import check_page, contents, open_in_browser, page_options
from edgewise.cli.telling import remark_on_files
from edgewise.cli.testing import (
    MethodCommand,
    make_report,
    test_options,
    tested,
)

if TYPE_CHECKING:
    from edgewise.cli.next_step import NextStep
    from edgewise.results.result import EdgeTestResult


@click.command(
    "test",
    cls=MethodCommand,
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
@test_options
@section("Output")
@click.option(
    "--json", "json_file", type=PATH, metavar="FILE|-", help="Write the whole result as JSON."
)
@click.option(
    "--csv",
    "csv_file",
    type=PATH,
    metavar="FILE|-",
    help="Write every tested pair as a line of CSV.",
)
@click.option(
    "--graphml", type=PATH, metavar="FILE|-", help="Write the graph for Cytoscape, Gephi, networkx."
)
@click.option(
    "--graph",
    type=PATH,
    metavar="FILE",
    help="Write the graph; the ending decides: .graphml, .gexf, .cyjs.",
)
@click.option(
    "--report", type=PATH, metavar="FILE.html", help="Write a page to explore in a browser."
)
@page_options
@click.option("--plot", type=PATH, metavar="FILE.png|svg|pdf", help="Draw a picture.")
@click.option(
    "--plot-kind",
    type=Choice(("network", "heatmap", "volcano", "forest", "pvalues", "centrality")),
    help="Which picture.  [default: network]",
)
@click.option(
    "-v", "--verbose", is_flag=True, help="Say which files were read, and how much memory it took."
)
def command(
    json_file: str | None,
    csv_file: str | None,
    graphml: str | None,
    graph: str | None,
    report: str | None,
    plot: str | None,
    plot_kind: str | None,
    verbose: bool,
    **asked: Any,
) -> None:
    """Test every pair of columns of DATA for an edge, or those that --given and --pairs leave.

    DATA is files, folders or patterns of .csv, .tsv (also compressed), .parquet, .feather, .arrow,
    .npy, .npz, .xlsx and .jsonl files with the same columns; or - for CSV from standard input; or
    one state of `edgewise accumulate`.
    """
    from edgewise.cli.next_step import after_test
    from edgewise.cli.progress import peak_memory
    from edgewise.view import export

    if plot is None and plot_kind is not None:
        raise click.UsageError("--plot-kind says what to draw; also say where, with --plot FILE.")
    outputs = checked_outputs(
        {
            "--report": report,
            "--csv": csv_file,
            "--graphml": graphml,
            "--graph": graph,
            "--plot": plot,
            "--json": json_file,
        },
        inputs(asked),
    )
    check_page(outputs["--report"], asked, "--report")
    with tested(asked) as (result, rows):
        page = {"--report": lambda file: make_report(result, file, rows, asked)}
        write_outputs(outputs, page)
        held = "" if report is None else contents(result, rows, asked["no_rows"])
    if verbose:
        remark_on_files(result.files)
        click.echo(peak_memory(), err=True)
    writers = {
        "--csv": lambda file: export.write_csv(result, file),
        "--graphml": lambda file: export.write_graphml(result, file),
        "--graph": lambda file: export.write_graph(result, file),
        "--plot": lambda file: export.write_plot(result.plot(plot_kind or "network"), file),
        "--json": lambda file: result.to_json(file, indent=2),
    }
    write_outputs(outputs, writers)
    if "-" not in outputs.values():
        _show(result, after_test(result, again=rows is not None, page=report), held)
    if report is not None and asked["open_page"]:
        open_in_browser(report)


def _show(result: EdgeTestResult, step: NextStep, held: str) -> None:
    """The edges, what of the data a report contains, and what to do now."""
    from edgewise.cli.next_step import tell_next
    from edgewise.cli.screen import console, edge_table, show

    out = console()
    show(out, result.headline(), wrap=True)
    if result.n_edges:
        out.print(edge_table(result, out))
    if held:
        show(out, held)
    tell_next(out, step)

"""`edgewise demo`."""

from __future__ import annotations

import click

from edgewise.cli.options import Manual, as_typed, option, section
from edgewise.cli.run import check_outputs, progress_bar
from edgewise.cli.streams import output

_TITLE = "Daily returns of 20 S&P 500 companies, 1990–2022"


@click.command(
    "demo",
    cls=Manual,
    short_help="Which S&P 500 companies are connected?",
    examples="""
    # Writes edgewise-demo.png and edgewise-demo.html
    edgewise demo
    # Writes files with other names
    edgewise demo --plot companies.svg --report companies.html
    """,
)
@section(
    "Options",
    option("--plot", default="edgewise-demo.png", show_default=True),
    option("--report", default="edgewise-demo.html", show_default=True),
)
def demo_command(plot: str, report: str) -> None:
    """Find the edges among the daily returns of 20 companies, 1990 to 2022.

    The data come with edgewise. The command prints the strongest edges, draws the graph, and writes
    a report to open in a browser.
    """
    from pathlib import Path

    from edgewise.api.compare_methods import all_variants, compare_methods
    from edgewise.api.diagnose import diagnose
    from edgewise.api.reporting import report_of, sampled_scores
    from edgewise.cli.show import print_comparison, print_edges, show_next
    from edgewise.datasets import load_sp500_returns
    from edgewise.methods.registry import DEFAULT_METHOD
    from edgewise.plots.export import write_plot
    from edgewise.tables.open import as_table

    check_outputs({"--plot": plot, "--report": report})
    if report == "-":
        raise click.UsageError("--report: the tables go to standard output; name a file.")
    source = as_table(load_sp500_returns())
    methods = [method for _, method in all_variants() if not method.simultaneous]
    with progress_bar("looking at the rows"):
        diagnosis = diagnose(source)
        lines = compare_methods(source, methods=methods)
    method = diagnosis.recommended or DEFAULT_METHOD
    result = next(line.result for line in lines if line.method.name == method and line.result)
    write_plot(result.plot(), plot)
    report_of(
        result,
        report,
        lines=lines,
        diagnosis=diagnosis,
        scores=sampled_scores(source, result),
        title=_TITLE,
        command="edgewise demo",
    )
    output(f"{_TITLE}: which move together, given all the others?")
    output(as_typed(diagnosis.advice()))
    output()
    output(result.headline())
    print_edges(result, every=False)
    output("What each method finds:")
    print_comparison(lines)
    output(f"The graph is in {Path(plot).resolve()}")
    output(f"The report is in {Path(report).resolve()}")
    show_next("open the report in a browser, then try your own", "edgewise report DATA.csv --open")

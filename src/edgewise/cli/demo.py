"""`edgewise demo`."""

from __future__ import annotations

import click

from edgewise.cli.options import PATH, Manual, section
from edgewise.cli.run import checked_outputs

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
    click.option(
        "--plot",
        type=PATH,
        default="edgewise-demo.png",
        show_default=True,
        metavar="FILE.png|svg|pdf",
        help="Where the graph goes.",
    ),
    click.option(
        "--report",
        type=PATH,
        default="edgewise-demo.html",
        show_default=True,
        metavar="FILE.html",
        help="Where the page goes.",
    ),
)
def demo_command(plot: str, report: str) -> None:
    """Find the edges among the daily returns of 20 companies, 1990 to 2022.

    The data come with edgewise. The command says which method fits them, prints the strongest edges
    that it finds and what every other method finds, draws the graph, and writes a report to open in
    a browser.
    """
    from pathlib import Path

    from edgewise._optional import check_installed
    from edgewise.api.compare_methods import compare_methods
    from edgewise.api.diagnose import diagnose
    from edgewise.api.reporting import report_of, sampled_scores
    from edgewise.cli.show import comparison_table, console, edge_table, show, show_next
    from edgewise.datasets import load_sp500_returns
    from edgewise.methods.registry import DEFAULT_METHOD
    from edgewise.plots.export import write_plot
    from edgewise.tables.open import as_table

    if checked_outputs({"--plot": plot, "--report": report})["--report"] == "-":
        raise click.UsageError("--report: the tables go to standard output; name a file.")
    check_installed("jinja2", "plot", "A report")
    out = console()
    source = as_table(load_sp500_returns())
    with console(stderr=True).status("testing …"):
        lines = compare_methods(source, alpha=0.05, correction="holm")
        diagnosis = diagnose(source)
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
    show(out, f"{_TITLE}: which move together, given all the others?", wrap=True)
    show(out)
    show(out, diagnosis.advice())
    show(out)
    show(out, result.headline())
    out.print(edge_table(result, most=15))
    show(out)
    out.print(comparison_table(lines))
    show(out)
    show(out, f"The graph is in {Path(plot).resolve()}", wrap=False)
    show(out, f"The report is in {Path(report).resolve()}", wrap=False)
    step = "open the report in a browser, then try a table of your own"
    show_next(out, step, "edgewise report DATA.csv --open")

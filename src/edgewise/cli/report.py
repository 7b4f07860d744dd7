"""`edgewise report`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from edgewise.cli.family import inputs
from edgewise.cli.manual import section
from edgewise.cli.options import PATH, verbose_option
from edgewise.cli.outputs import checked_outputs, written
from edgewise.cli.page import check_page, contents, open_in_browser, page_options
from edgewise.cli.telling import remark_on_files, say
from edgewise.cli.testing import (
    MethodCommand,
    make_report,
    test_options,
    tested,
)


@click.command(
    "report",
    cls=MethodCommand,
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
@test_options
@section("Output")
@click.option(
    "-o",
    "--output",
    type=PATH,
    default="edgewise-report.html",
    show_default=True,
    metavar="FILE.html",
    help="The page.",
)
@page_options
@verbose_option
def command(output: str, verbose: bool, **asked: Any) -> None:
    """Test every pair of columns of DATA and write one HTML file with everything in it.

    The page works offline and from disk: the graph, a slider for the level, the table of edges, the
    heat map, facts about the data, and every method side by side. DATA is what `edgewise test`
    takes. A state has no rows, so its page has no table of all methods.

    So that you can look at a pair, the page also holds up to 500 rows, a sample. --no-rows leaves
    them out.
    """
    page = checked_outputs({"--report": output}, inputs(asked))["--report"] or output
    check_page(page, asked, "-o")
    with tested(asked) as (result, rows), written(page, ".html") as file:
        make_report(result, file, rows, asked)
        held = contents(result, rows, asked["no_rows"])
    if verbose:
        remark_on_files(result.files)
    if page != "-":
        say(result.headline())
        say(f"The report is in {Path(output).resolve()}")
        say(held)
    if asked["open_page"]:
        open_in_browser(page)

"""`edgewise test`."""

from __future__ import annotations

import warnings
from typing import Any

import click

from edgewise.cli.options import (
    METHOD_NAMES,
    alpha_option,
    correction_of,
    correction_option,
    data_options,
    read_data,
)


@click.command("test", short_help="Test the edges among the columns of DATA.")
@data_options
@click.option(
    "--method",
    type=click.Choice(METHOD_NAMES),
    default="score",
    show_default=True,
    help="The test; `edgewise compare` shows them side by side.",
)
@alpha_option
@correction_option
@click.option("--mu", type=float, help="The paper's constant (trace, eig).")
@click.option("--standardize", is_flag=True, help="Scale the columns first (trace, eig).")
@click.option("--json", "json_file", metavar="FILE|-", help="Write the whole result as JSON.")
@click.option("--csv", "csv_file", metavar="FILE", help="Write every pair as a line of CSV.")
@click.option("--graphml", metavar="FILE", help="Write the graph for Cytoscape, Gephi, networkx.")
@click.option("--plot", metavar="FILE.png|svg|pdf", help="Draw the graph.")
def command(
    data: tuple[str, ...],
    columns: str | None,
    exclude: str | None,
    drop_missing: bool,
    method: str,
    alpha: float,
    correction: str,
    mu: float | None,
    standardize: bool,
    json_file: str | None,
    csv_file: str | None,
    graphml: str | None,
    plot: str | None,
) -> None:
    """Test every pair of columns of DATA for an edge.

    DATA is one or more files of the same columns: .csv, .csv.gz, .parquet or .npy.
    """
    from edgewise.cli.screen import console, edge_table
    from edgewise.dispatch import edge_test
    from edgewise.errors import EdgewiseWarning
    from edgewise.view import export

    options: dict[str, Any] = {}
    if mu is not None:
        options["mu"] = mu
    if standardize:
        options["standardize"] = True
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", EdgewiseWarning)
        result = edge_test(
            read_data(data, columns, exclude),
            method=method,
            alpha=alpha,
            correction=correction_of(correction),
            drop_missing=drop_missing,
            **options,
        )
    for warning in caught:
        click.echo(f"edgewise: {warning.message}", err=True)
    if result.n_dropped:
        click.echo(
            f"edgewise: left out {result.n_dropped:,} rows with missing or infinite values.",
            err=True,
        )
    if csv_file:
        export.write_csv(result, csv_file)
    if graphml:
        export.write_graphml(result, graphml)
    if plot:
        export.write_plot(result.plot(), plot)
    if json_file == "-":
        click.echo(result.to_json(indent=2))
        return
    if json_file:
        export.write_json(result, json_file)
    out = console()
    out.print(result.summary().splitlines()[0], markup=False)
    if result.n_edges:
        out.print(edge_table(result))

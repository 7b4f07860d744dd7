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
    tell_dropped,
)


@click.command("test", short_help="Test the edges among the columns of DATA.")
@data_options
@click.option(
    "--method",
    type=click.Choice(METHOD_NAMES),
    help="The test; `edgewise compare` shows them side by side.  [default: score; for a state, "
    "what it serves]",
)
@alpha_option
@correction_option
@click.option(
    "--min-effect",
    type=float,
    default=0.0,
    show_default=True,
    help="Declare an edge only where the effect is larger than this.",
)
@click.option(
    "--effect-scale",
    type=click.Choice(("partial_correlation", "precision")),
    help="What --min-effect is measured in.  [default: partial_correlation; precision for the "
    "paper's trace and eig]",
)
@click.option("--budget", type=float, metavar="SECONDS", help="Read only as many rows as fit.")
@click.option(
    "--radius",
    type=click.Choice(("trace", "chi2", "eig", "hoeffding")),
    help="The radius of whitened and spectral.  [default: trace]",
)
@click.option(
    "--support",
    metavar="LOW,HIGH",
    help="The range of every column's values, for --radius hoeffding.",
)
@click.option(
    "--solver",
    type=click.Choice(("auto", "full", "matrix-free")),
    help="How eig and the radii eig and chi2 find eigenvalues.  [default: auto]",
)
@click.option("--n-batches", type=int, help="Batches of method batch.  [default: 100]")
@click.option("--mu", type=float, help="The paper's constant (trace, eig).  [default: 1]")
@click.option("--standardize", is_flag=True, help="Scale the columns first (trace, eig, spectral).")
@click.option("--json", "json_file", metavar="FILE|-", help="Write the whole result as JSON.")
@click.option("--csv", "csv_file", metavar="FILE", help="Write every pair as a line of CSV.")
@click.option("--graphml", metavar="FILE", help="Write the graph for Cytoscape, Gephi, networkx.")
@click.option("--plot", metavar="FILE.png|svg|pdf", help="Draw the graph.")
@click.option("-v", "--verbose", is_flag=True, help="Say how much memory it took.")
def command(
    data: tuple[str, ...],
    columns: str | None,
    exclude: str | None,
    drop_missing: bool,
    method: str | None,
    alpha: float,
    correction: str,
    min_effect: float,
    effect_scale: str | None,
    budget: float | None,
    radius: str | None,
    support: str | None,
    solver: str | None,
    n_batches: int | None,
    mu: float | None,
    standardize: bool,
    json_file: str | None,
    csv_file: str | None,
    graphml: str | None,
    plot: str | None,
    verbose: bool,
) -> None:
    """Test every pair of columns of DATA for an edge.

    DATA is files, folders or patterns of .csv, .csv.gz, .parquet, .feather, .arrow and .npy files
    of the same columns; or - for CSV from standard input; or one state of `edgewise accumulate`.
    """
    from edgewise._atomic import check_writable
    from edgewise.cli.progress import peak_memory, progress_bar
    from edgewise.cli.screen import console, edge_table
    from edgewise.dispatch import edge_test
    from edgewise.edges.registry import METHODS
    from edgewise.errors import EdgewiseWarning
    from edgewise.sources.source import Source, WatchedRows
    from edgewise.view import export

    # Before the work: an output that cannot be written should not cost a long run.
    if plot is not None:
        export.plot_kind(plot)
    for path in (csv_file, graphml, plot, None if json_file == "-" else json_file):
        if path is not None:
            check_writable(path, data)
    given = {
        "radius": radius,
        "support": _interval(support),
        "solver": solver,
        "n_batches": n_batches,
        "mu": mu,
        "standardize": standardize or None,
    }
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    rows, method = _rows_or_state(data, columns, exclude, method)
    total = rows.estimated_rows if isinstance(rows, Source) else None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", EdgewiseWarning)
        with progress_bar(total and total * METHODS[method].passes, "testing") as tell:
            result = edge_test(
                WatchedRows(rows, tell) if isinstance(rows, Source) else rows,
                method=method,
                alpha=alpha,
                correction=correction_of(correction),
                min_effect=min_effect,
                effect_scale=effect_scale,
                drop_missing=drop_missing,
                budget=budget,
                **options,
            )
    for warning in caught:
        click.echo(f"edgewise: {warning.message}", err=True)
    tell_dropped(result.n_dropped)
    if verbose:
        click.echo(peak_memory(), err=True)
    if csv_file is not None:
        export.write_csv(result, csv_file)
    if graphml is not None:
        export.write_graphml(result, graphml)
    if plot is not None:
        export.write_plot(result.plot(), plot)
    if json_file == "-":
        click.echo(result.to_json(indent=2))
        return
    if json_file is not None:
        export.write_json(result, json_file)
    out = console()
    out.print(result.summary().splitlines()[0], markup=False)
    if result.n_edges:
        out.print(edge_table(result))


def _rows_or_state(
    data: tuple[str, ...], columns: str | None, exclude: str | None, method: str | None
) -> tuple[Any, str]:
    """The rows, or the state that a single file holds; and the method to use on it."""
    from edgewise.moments.moments import Moments
    from edgewise.moments.statefile import is_state_file
    from edgewise.states import load_state

    if len(data) > 1 or not is_state_file(data[0]):
        return read_data(data, columns, exclude), method or "score"
    if columns or exclude:
        raise click.UsageError("--columns and --exclude choose among rows; a state has none left.")
    state = load_state(data[0])
    return state, method or ("trace" if isinstance(state, Moments) else "batch")


def _interval(text: str | None) -> tuple[float, ...] | None:
    if text is None:
        return None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError as error:
        raise click.BadParameter(
            f"expected two numbers separated by a comma, as in 0,1; got {text!r}.",
            param_hint="--support",
        ) from error
    return low, high

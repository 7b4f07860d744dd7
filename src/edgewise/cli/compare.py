"""`edgewise compare`."""

from __future__ import annotations

import click

from edgewise.cli.options import (
    alpha_option,
    correction_of,
    correction_option,
    data_options,
    read_data,
)


@click.command("compare", short_help="Every method side by side on DATA.")
@data_options
@alpha_option
@correction_option
def command(
    data: tuple[str, ...],
    columns: str | None,
    exclude: str | None,
    drop_missing: bool,
    alpha: float,
    correction: str,
) -> None:
    """Run every method on DATA: its guarantee, its threshold, the edges it finds, its time."""
    from edgewise.cli.comparison import compare_methods
    from edgewise.cli.screen import comparison_table, console
    from edgewise.sources.source import FiniteRows

    source = read_data(data, columns, exclude)
    if drop_missing:
        source = FiniteRows(source)
    out = console()
    with console(stderr=True).status("testing …"):
        lines = compare_methods(source, alpha, correction_of(correction))
    if isinstance(source, FiniteRows) and source.n_dropped:
        click.echo(
            f"edgewise: left out {source.n_dropped:,} rows with missing or infinite values.",
            err=True,
        )
    out.print(comparison_table(lines))

"""`edgewise compare`."""

from __future__ import annotations

import click

from edgewise.cli.manual import Manual
from edgewise.cli.options import (
    PATH,
    alpha_option,
    correction_of,
    correction_option,
    data_options,
    read_data,
    tell_dropped,
)


@click.command(
    "compare",
    cls=Manual,
    short_help="Every method side by side on DATA.",
    examples="""
    # Which test suits these data?
    edgewise compare returns.csv --exclude Date
    # At another level, with a picture of the thresholds
    edgewise compare 2024/ --alpha 0.01 --plot thresholds.svg
    """,
)
@data_options
@alpha_option
@correction_option
@click.option(
    "--plot", type=PATH, metavar="FILE.png|svg|pdf", help="Draw the thresholds side by side."
)
def command(
    data: tuple[str, ...],
    columns: str | None,
    exclude: str | None,
    drop_missing: bool,
    alpha: float,
    correction: str | None,
    plot: str | None,
) -> None:
    """Run every method on DATA and say which one suits the data.

    Shows each method's guarantee, its threshold (on |Θ| and as a partial correlation; the median
    over the pairs), the edges it finds, how many of the score test's edges are among them, and its
    time.
    """
    from edgewise._base.atomic import check_writable
    from edgewise.cli.screen import comparison_table, console
    from edgewise.questions.compare_methods import compare_methods
    from edgewise.questions.diagnose import diagnose
    from edgewise.rows.views import FiniteRows
    from edgewise.view.export import plot_kind, write_plot

    if plot is not None:
        plot_kind(plot)
        check_writable(plot, data)
    files = read_data(data, columns, exclude)
    source = FiniteRows(files) if drop_missing else files
    out = console()
    with console(stderr=True).status("testing …"):
        lines = compare_methods(source, alpha, correction_of(correction))
        advice = diagnose(source).advice()
    if isinstance(source, FiniteRows):
        tell_dropped(source.n_dropped)
    out.print(comparison_table(lines))
    for line in lines:
        if line.result is None:
            out.print(f"{line.label}: {line.failure}", markup=False, soft_wrap=True)
    out.print(f"\n{advice}", markup=False, soft_wrap=True)
    if plot is not None:
        from edgewise.view.plots import plot_ladder

        write_plot(plot_ladder(lines), plot)

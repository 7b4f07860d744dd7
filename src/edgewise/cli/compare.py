"""`edgewise compare`."""

from __future__ import annotations

from typing import Any

import click

from edgewise.cli.engine import engine_options, opened_table, watched
from edgewise.cli.manual import Manual
from edgewise.cli.options import (
    PATH,
    alpha_option,
    correction_of,
    correction_option,
    data_options,
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
@engine_options
@alpha_option
@correction_option
@click.option(
    "--plot", type=PATH, metavar="FILE.png|svg|pdf", help="Draw the thresholds side by side."
)
def command(alpha: float, correction: str | None, plot: str | None, **asked: Any) -> None:
    """Run every method on DATA and say which one suits the data.

    Shows each method's guarantee, its threshold (on |Θ| and as a partial correlation; the median
    over the pairs), the edges it finds, how many of the score test's edges are among them, and its
    time.
    """
    from edgewise._base.atomic import check_writable
    from edgewise.cli.screen import comparison_table, console
    from edgewise.questions.compare_methods import compare_methods
    from edgewise.questions.diagnose import diagnose
    from edgewise.view.export import plot_kind, write_plot

    if plot is not None:
        plot_kind(plot)
        check_writable(plot, asked["data"])
    out = console()
    with opened_table(asked) as table, watched(asked, table, "testing") as rows:
        lines = compare_methods(rows, alpha, correction_of(correction))
        advice = diagnose(rows).advice()
    tell_dropped(max(line.result.n_dropped for line in lines if line.result is not None))
    out.print(comparison_table(lines))
    for line in lines:
        if line.result is None:
            out.print(f"{line.label}: {line.failure}", markup=False, soft_wrap=True)
    out.print(f"\n{advice}", markup=False, soft_wrap=True)
    if plot is not None:
        from edgewise.view.plots import plot_ladder

        write_plot(plot_ladder(lines), plot)

"""`edgewise reproduce`."""

from __future__ import annotations

import click


@click.command("reproduce", short_help="Run the paper's simulation studies again.")
@click.argument(
    "study",
    type=click.Choice(("fig1", "fig2", "fig3", "fig4", "lemma1", "all")),
    nargs=-1,
    required=True,
)
@click.option(
    "--scale",
    type=click.Choice(("smoke", "quick", "paper")),
    default="quick",
    show_default=True,
    help="Seconds, minutes, or the paper's own repetitions.",
)
@click.option(
    "-o",
    "--output",
    default="reproduction",
    show_default=True,
    metavar="FOLDER",
    help="Where tables, pictures and finished draws go.",
)
@click.option("--seed", type=int, default=2016, show_default=True, help="Decides every number.")
@click.option("-j", "--jobs", type=int, default=-1, help="Worker processes.  [default: the cores]")
def command(study: tuple[str, ...], scale: str, output: str, seed: int, jobs: int) -> None:
    """Run the simulation studies of the paper, and say which of its claims hold.

    \b
    fig1    thresholds against the number of rows
    fig2    eigenvalues of the estimate, and Weyl's bounds
    fig3    false positive rate against the level
    fig4    power against the number of rows
    lemma1  how often the eigenvalue radius is exceeded

    Each writes a table (CSV), a picture (PNG, SVG) and a page (README.md). A run that was broken
    off goes on where it was when the same command is given again.
    """
    from rich.table import Table

    from edgewise.cli.progress import progress_bar
    from edgewise.cli.screen import console
    from edgewise.studies.reproduction import reproduce, total_draws

    with progress_bar(total_draws(study, scale), "reproducing", unit="draws") as tell:
        done = reproduce(study, scale=scale, output=output, seed=seed, n_jobs=jobs, tell=tell)
    out = console()
    for one in done:
        table = Table(title=one.study.title, title_justify="left", title_style="bold")
        for heading in ("claim", "measured", "holds"):
            table.add_column(heading)
        for claim in one.claims:
            table.add_row(claim.says, claim.measured, "yes" if claim.holds else "no")
        out.print(table)
        out.print(
            f"{one.n_draws:,} draws, {one.core_seconds:,.0f} s of computing; in "
            f"{one.folder.resolve()}\n",
            markup=False,
            soft_wrap=True,
        )

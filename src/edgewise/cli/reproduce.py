"""`edgewise reproduce`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from edgewise.cli.guesses import Choice
from edgewise.cli.manual import Manual

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def _folders(ctx: click.Context, parameter: click.Parameter, text: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(text, type="dir")]


@click.command(
    "reproduce",
    cls=Manual,
    short_help="Run the paper's simulation studies again.",
    examples="""
    # Does it run here? So few draws leave most claims open
    edgewise reproduce fig4 --scale smoke --jobs 1
    # The same command again continues: it makes only the draws that are missing
    edgewise reproduce fig4 --scale smoke
    """,
)
@click.argument(
    "study",
    type=Choice(("fig1", "fig2", "fig3", "fig4", "lemma1", "theorem8", "all")),
    nargs=-1,
    required=True,
)
@click.option(
    "--scale",
    type=Choice(("smoke", "quick", "paper")),
    default="quick",
    show_default=True,
    help="Seconds, minutes, or the paper's own repetitions (15 minutes for all on 2 cores).",
)
@click.option(
    "-o",
    "--output",
    default="reproduction",
    show_default=True,
    metavar="FOLDER",
    shell_complete=_folders,
    help="Where tables, pictures and finished draws go.",
)
@click.option(
    "--seed", type=int, default=2016, show_default=True, help="Seed of all random numbers."
)
@click.option("-j", "--jobs", type=int, help="Worker processes.  [default: the cores]")
def command(
    study: tuple[str, ...],
    scale: str,
    output: str,
    seed: int,
    jobs: int | None,
) -> None:
    """Run the simulation studies of the paper, and judge its claims.

    \b
    fig1      thresholds against the number of rows
    fig2      eigenvalues of the estimate, and Weyl's bounds
    fig3      false positive rate against the level
    fig4      power against the number of rows
    lemma1    how often the eigenvalue radius is exceeded
    theorem8  a test over pairs of rows against one over rows, at the same cost

    A claim is supported or refuted where the measurement lies beyond its own error, and otherwise
    not refuted. In brackets: how far it lies on the wrong side, in standard errors.

    Each study writes a table (CSV), a picture (PNG, SVG) and a page (README.md). If a run is
    interrupted, give the same command again and it continues where it stopped. The numbers do not
    depend on where the draws are made.
    """
    from edgewise.cli.fitting import Column, fitted
    from edgewise.cli.next_step import after_reproduction, tell_next
    from edgewise.cli.progress import progress_bar
    from edgewise.cli.screen import console, show
    from edgewise.studies.claims import counted
    from edgewise.studies.reproduction import reproduce, total_draws

    total = total_draws(study, scale)
    with progress_bar(total, "reproducing", unit="draws", unequal=True) as tell:
        done = reproduce(study, scale=scale, output=output, seed=seed, n_jobs=jobs, tell=tell)
    out = console()
    for one in done:
        columns = [
            Column(name, "words", justify="left") for name in ("claim", "measured", "verdict")
        ]
        rows = [(claim.says, claim.measured, str(claim)) for claim in one.claims]
        out.print(fitted(one.study.title, columns, rows, out))
        show(
            out,
            f"{one.n_draws:,} draws, {one.core_seconds:,.0f} s of computing; in "
            f"{one.folder.resolve()}",
            wrap=False,
        )
        out.print()
    out.print(counted(claim for one in done for claim in one.claims))
    tell_next(out, after_reproduction(study, [one.folder for one in done], scale))

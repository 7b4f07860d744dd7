"""`edgewise compare`."""

from __future__ import annotations

from typing import Any

import click

from edgewise.cli.family import family_of, family_options, inputs
from edgewise.cli.manual import Manual
from edgewise.cli.opening import opened_table, watched
from edgewise.cli.options import (
    PATH,
    alpha_option,
    correction_of,
    correction_option,
    data_options,
    missing_asked,
    tell_dropped,
    transform_option,
    verbose_option,
)
from edgewise.cli.outputs import checked_outputs
from edgewise.cli.telling import remark, remark_on_files


@click.command(
    "compare",
    cls=Manual,
    short_help="Every method side by side on DATA.",
    examples="""
    # Which test suits these data?
    edgewise compare returns.csv --exclude Date
    # At another level, with a picture of the thresholds
    edgewise compare 2024/ --alpha 0.01 --plot thresholds.svg
    # How often does each method find an edge where there is none?
    edgewise compare returns.csv --exclude Date --null --shuffles 20
    """,
)
@data_options
@family_options
@transform_option
@alpha_option
@correction_option
@click.option(
    "--plot", type=PATH, metavar="FILE.png|svg|pdf", help="Draw the thresholds side by side."
)
@click.option(
    "--null",
    is_flag=True,
    help="Shuffle each column by itself, so that nothing is connected, and show instead how often "
    "each method finds an edge.",
)
@click.option("--shuffles", type=int, metavar="N", help="Shuffles of --null.  [default: 100]")
@click.option("--seed", type=int, help="Seed of the shuffles of --null.  [default: 0]")
@verbose_option
def command(null: bool, **asked: Any) -> None:
    """Run every method on DATA and say which one suits the data.

    Shows each method's guarantee, its threshold (on |Θ| and as a partial correlation; the median
    over the pairs), the edges it finds, how many of the score test's edges are among them, and its
    time.

    With --null, the columns keep their values but have no edges. The table then shows the share of
    shuffles in which each per-edge method finds any edge; they promise at most --alpha. Shuffling
    also breaks any dependence between rows, so this table says nothing about it. Of more than
    10,000 rows, an even sample is shuffled.
    """
    if null:
        _show_null(asked)
        return
    if asked["shuffles"] is not None or asked["seed"] is not None:
        raise click.UsageError("--shuffles and --seed are options of --null; add --null.")
    _show_methods(asked)


def _show_methods(asked: dict[str, Any]) -> None:
    from edgewise._base.text import by_reason
    from edgewise.cli.next_step import after_advice, tell_next
    from edgewise.cli.screen import comparison_table, console, show
    from edgewise.questions.compare_methods import compare_methods
    from edgewise.questions.diagnose import diagnose
    from edgewise.results.tested import adjusted_for
    from edgewise.results.transformed import meaning
    from edgewise.rows.file_read import files_read
    from edgewise.view.export import write_plot

    plot = asked["plot"]
    checked_outputs({"--plot": plot}, inputs(asked))
    out = console()
    with opened_table(asked) as table, watched(asked, table, "testing") as rows:
        family = family_of(asked, table.feature_names)
        correction = correction_of(asked["correction"])
        lines = compare_methods(rows, asked["alpha"], correction, **family)
        diagnosis = diagnose(rows)
    if asked["verbose"]:
        remark_on_files(files_read(table))
    tell_dropped(max(line.result.n_dropped for line in lines if line.result is not None))
    if plot is not None:
        from edgewise.view.plots import plot_ladder

        write_plot(plot_ladder(lines), plot)
    known = next(line.result for line in lines if line.result is not None)
    if known.tested is not None:
        adjusted = f", {adjusted_for(known)}" if known.given else ""
        show(out, f"{known.n_pairs} pairs are tested{adjusted}.")
    for sentence in meaning(known.options):
        show(out, sentence, wrap=True)
    out.print(comparison_table(lines, out))
    for reason in by_reason((line.label, line.failure) for line in lines if line.result is None):
        show(out, reason)
    out.print()
    show(out, diagnosis.advice())
    tell_next(out, after_advice(diagnosis))


def _show_null(asked: dict[str, Any]) -> None:
    from edgewise._base.checks import check_alpha, check_count
    from edgewise.cli.next_step import after_null, tell_next
    from edgewise.cli.progress import progress_bar
    from edgewise.cli.screen import console, null_notes, null_table, show
    from edgewise.questions.compare_null import compare_null, even_sample
    from edgewise.rows.file_read import files_read
    from edgewise.rows.missing import refuse_pairwise

    refuse_pairwise(missing_asked(asked), "shuffled columns")
    if asked["plot"] is not None:
        raise click.UsageError("--plot draws thresholds, and --null has none; leave one out.")
    if asked["transform"] is not None:
        raise click.UsageError("--null shuffles values, not their scores; leave --transform out.")
    n_shuffles = 100 if asked["shuffles"] is None else asked["shuffles"]
    seed = 0 if asked["seed"] is None else asked["seed"]
    # Mistakes are reported before the rows are read.
    check_count("shuffles", n_shuffles, at_least=1)
    check_count("seed", seed, at_least=0)
    alpha, correction = check_alpha(asked["alpha"]), correction_of(asked["correction"])
    with opened_table(asked) as table, watched(asked, table, "reading", 2) as rows:
        family = family_of(asked, table.feature_names)
        sample = even_sample(rows)
    if asked["verbose"]:
        remark_on_files(files_read(table))
    tell_dropped(sample.n_dropped)
    used, available = len(sample.rows), sample.n_available
    if used < available:
        remark(f"shuffled an even sample of {used:,} of the {available:,} rows.")
    with progress_bar(n_shuffles, "shuffling", unit="shuffles") as tell:
        lines = compare_null(
            sample.table(),
            n_shuffles=n_shuffles,
            alpha=alpha,
            correction=correction,
            random_state=seed,
            progress=tell,
            **family,
        )
    out = console()
    out.print(null_table(lines, out))
    corrected = correction != "none"
    for note in null_notes(lines, alpha, corrected=corrected):
        show(out, note)
    tell_next(out, after_null(lines, alpha, corrected=corrected))

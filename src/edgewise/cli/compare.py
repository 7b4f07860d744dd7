"""`edgewise compare`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from edgewise.cli.options import Manual, family_of, reading_section, section
from edgewise.cli.run import checked_outputs, opened, progress_bar
from edgewise.cli.streams import info, info_dropped, info_files

if TYPE_CHECKING:
    from rich.console import Console

    from edgewise.api.null import NullComparison


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
@section(
    "The comparison",
    *("data", "columns", "exclude", "given", "pairs", "missing", "transform"),
    *("alpha", "correction", "plot"),
    click.option(
        "--null",
        is_flag=True,
        help="Shuffle each column by itself, so that nothing is connected, and show instead how "
        "often each method finds an edge.",
    ),
    click.option("--shuffles", type=int, metavar="N", help="Shuffles of --null.  [default: 100]"),
    click.option("--seed", type=int, help="Seed of the shuffles of --null.  [default: 0]"),
    "verbose",
)
@reading_section
def compare_command(**options: Any) -> None:
    """Run every method on DATA and say which one suits the data.

    Shows each method's guarantee, its threshold (on |Θ| and as a partial correlation; the median
    over the pairs), the edges it finds, how many of the score test's edges are among them, and its
    time.

    With --null, the columns keep their values but have no edges. The table then shows the share of
    shuffles in which each per-edge method finds any edge; they promise at most --alpha. Shuffling
    also breaks any dependence between rows, so this table says nothing about it. Of more than
    10,000 rows, an even sample is shuffled.
    """
    from edgewise.cli.show import console

    if options["null"]:
        _compare_null(options, console())
    elif options["shuffles"] is not None or options["seed"] is not None:
        raise click.UsageError("--shuffles and --seed are options of --null; add --null.")
    else:
        _compare_methods(options, console())


def _compare_methods(options: dict[str, Any], out: Console) -> None:
    from edgewise._text import by_reason
    from edgewise.api.compare_methods import compare_methods
    from edgewise.api.diagnose import diagnose
    from edgewise.cli.show import comparison_table, show, show_next, with_method
    from edgewise.results.summary import adjusted_for, meaning
    from edgewise.tables.files import files_read

    plot = options["plot"]
    checked_outputs({"--plot": plot}, options)
    with opened(options, "testing") as (table, rows):
        family = family_of(options, table.feature_names)
        lines = compare_methods(rows, options["alpha"], options["correction"], **family)
        diagnosis = diagnose(rows)
    if options["verbose"]:
        info_files(files_read(table))
    results = [line.result for line in lines if line.result is not None]
    info_dropped(max(result.n_dropped for result in results))
    if plot is not None:
        from edgewise.plots.export import write_plot
        from edgewise.plots.plots import plot_ladder

        write_plot(plot_ladder(lines), plot)
    known = results[0]
    if known.tested is not None:
        adjusted = f", {adjusted_for(known)}" if known.given else ""
        show(out, f"{known.n_pairs} pairs are tested{adjusted}.")
    for sentence in meaning(known.provenance):
        show(out, sentence, wrap=True)
    out.print(comparison_table(lines))
    for reason in by_reason((line.label, line.failure) for line in lines if line.result is None):
        show(out, reason)
    show(out)
    show(out, diagnosis.advice())
    fitting = diagnosis.recommended
    if fitting is None:
        show_next(out, "do what the advice says, and ask again")
    else:
        show_next(out, f"test with method '{fitting}'", with_method(fitting))


def _compare_null(options: dict[str, Any], out: Console) -> None:
    from edgewise._checks import check_alpha, check_count
    from edgewise.api.null import check_null, even_sample
    from edgewise.cli.show import same_data, show_next, with_method
    from edgewise.tables.files import files_read
    from edgewise.tables.options import refuse_pairwise

    refuse_pairwise(options["missing"], "shuffled columns")
    if options["plot"] is not None:
        raise click.UsageError("--plot draws thresholds, and --null has none; leave one out.")
    if options["transform"] is not None:
        raise click.UsageError("--null shuffles values, not their scores; leave --transform out.")
    n_shuffles = 100 if options["shuffles"] is None else options["shuffles"]
    seed = 0 if options["seed"] is None else options["seed"]
    # Mistakes are reported before the rows are read.
    check_count("shuffles", n_shuffles, at_least=1)
    check_count("seed", seed, at_least=0)
    alpha, correction = check_alpha(options["alpha"]), options["correction"]
    with opened(options, "reading", 2) as (table, rows):
        family = family_of(options, table.feature_names)
        sample = even_sample(rows)
    if options["verbose"]:
        info_files(files_read(table))
    info_dropped(sample.n_dropped)
    used, available = len(sample.rows), sample.n_available
    if used < available:
        info(f"shuffled an even sample of {used:,} of the {available:,} rows.")
    with progress_bar(n_shuffles, "shuffling", unit="shuffles") as advance:
        lines = check_null(
            sample.table(),
            n_shuffles=n_shuffles,
            alpha=alpha,
            correction=correction,
            random_state=seed,
            progress=advance,
            **family,
        )
    corrected = correction != "none"
    _show_null(out, lines, alpha, corrected)
    kept = [line.method.name for line in lines if corrected and line.band[0] <= alpha]
    if kept:
        what = f"test with method '{kept[0]}', which kept its promise"
        show_next(out, what, with_method(kept[0]))
    else:
        plain = same_data("compare", without=("null", "shuffles", "seed"))
        show_next(out, "see what the data say about the methods", plain)


def _show_null(out: Console, lines: list[NullComparison], alpha: float, corrected: bool) -> None:
    """The table, and what to know about it: failures, what was promised, who broke it."""
    from edgewise.cli.show import show, table

    n = lines[0].n_shuffles
    title = f"{n:,} shuffle{'s' * (n != 1)} of {lines[0].n_samples:,} rows, without any edges"
    headings = ("method", "guarantee", "shuffles with an edge", "share", "95 % band", "seconds")
    rows = []
    for line in lines:
        tested, (low, high) = n - line.n_failed, line.band
        rows.append(
            (
                line.label,
                line.guarantee,
                f"{line.n_with_edges:,}/{tested:,}",
                _percent(line.share),
                f"{_percent(low)} to {_percent(high)}" if tested else "–",
                f"{line.seconds:.3f}",
            )
        )
    out.print(table(title, headings, rows, left=2))
    for line in lines:
        if line.n_failed:
            failed = f"{line.label}: failed in {line.n_failed:,} of {n:,} shuffles, first because:"
            show(out, f"{failed} {line.failure}")
    if corrected:
        above = ", ".join(line.label for line in lines if line.band[0] > alpha) or "none"
        show(
            out,
            f"A method that keeps its promise finds an edge in at most {_percent(alpha)} of the "
            f"shuffles. Clearly more often: {above}.",
        )
    else:
        show(
            out,
            "Without a correction, alpha is promised for each pair, not for all of them together.",
        )
    show(
        out,
        "Shuffling also breaks any dependence between rows, so this table says nothing about it.",
    )


def _percent(share: float) -> str:
    return "–" if math.isnan(share) else f"{100 * share:.3g} %"

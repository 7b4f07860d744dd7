"""`edgewise compare`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from edgewise.cli.options import (
    Manual,
    as_typed,
    data_argument,
    family_of,
    option,
    reading_section,
    section,
)
from edgewise.cli.run import check_outputs, on_complete_rows, opened, progress_bar
from edgewise.cli.streams import info, info_dropped, output

if TYPE_CHECKING:
    from edgewise.api.null import NullComparison


@click.command(
    "compare",
    cls=Manual,
    short_help="The methods side by side on DATA.",
    examples="""
    # Which test suits these data?
    edgewise compare returns.csv --exclude Date
    # Also the bounds, at another level, with a picture of the thresholds
    edgewise compare 2024/ --all --alpha 0.01 --plot thresholds.svg
    # How often does each method find an edge where there is none?
    edgewise compare returns.csv --exclude Date --null --shuffles 20
    """,
)
@section(
    "The comparison",
    *(data_argument, "--columns", "--exclude", "--given", "--pairs", "--missing", "--transform"),
    *("--alpha", "--correction", "--plot"),
    click.option("--all", "every", is_flag=True, help="Also the bounds on all entries at once."),
    click.option(
        "--null",
        is_flag=True,
        help="Shuffle each column by itself, so that nothing is connected, and show instead how "
        "often each method finds an edge.",
    ),
    click.option("--shuffles", type=int, metavar="N", help="Shuffles of --null.  [default: 100]"),
    option("--seed", default=None, show_default=False, help="Of the shuffles.  [default: 0]"),
)
@reading_section
def compare_command(**options: Any) -> None:
    """Run the methods on DATA and say which one suits the data.

    Shows each method's guarantee, the partial correlation that would just be an edge (the median
    over the pairs), the edges it finds, and its time.

    With --null, the columns keep their values but have no edges, and the table shows the share of
    shuffles in which each method finds any. Shuffling also breaks any dependence between rows, so
    this table says nothing about it. Of more than 10,000 rows, an even sample is shuffled.
    """
    if options["null"]:
        _check_null(options)
    elif options["shuffles"] is not None or options["seed"] is not None:
        raise click.UsageError("--shuffles and --seed are options of --null; add --null.")
    else:
        _compare_methods(options)


def _compare_methods(options: dict[str, Any]) -> None:
    from edgewise._text import by_reason
    from edgewise.api.compare_methods import all_variants, compare_methods
    from edgewise.api.diagnose import diagnose
    from edgewise.cli.show import print_comparison
    from edgewise.results.summary import adjusted_for, meaning

    plot = options["plot"]
    check_outputs({"--plot": plot}, options)
    variants = [method for _, method in all_variants()]
    bounds = [method for method in variants if method.simultaneous]
    methods = [method for method in variants if options["every"] or not method.simultaneous]
    with opened(options, "looking at the rows") as (rows, _):
        family = family_of(options, rows.feature_names)
        rows, diagnosis = on_complete_rows(diagnose, rows, options)
        lines = compare_methods(rows, options["alpha"], options["correction"], methods, **family)
    results = [line.result for line in lines if line.result is not None]
    if plot is not None:
        from edgewise.plots.export import write_plot
        from edgewise.plots.plots import plot_ladder

        write_plot(plot_ladder(lines), plot)
    known = results[0]
    if known.tested is not None:
        adjusted = f", {adjusted_for(known)}" if known.given else ""
        output(f"{known.n_pairs} pairs are tested{adjusted}.")
    for sentence in meaning(known.provenance):
        output(sentence)
    print_comparison(lines)
    for reason in by_reason((line.label, line.failure) for line in lines if line.result is None):
        output(as_typed(reason))
    if not options["every"]:
        output(f"{len(bounds)} bounds on all entries at once, which need many rows: --all")
    output()
    output(as_typed(diagnosis.advice()))
    info_dropped(max(result.n_dropped for result in results))


def _check_null(options: dict[str, Any]) -> None:
    from edgewise._checks import check_alpha, check_count
    from edgewise.api.null import check_null, even_sample
    from edgewise.cli.show import same_data, show_next
    from edgewise.tables.open import as_table
    from edgewise.tables.options import refuse_pairwise

    refuse_pairwise(options["missing"] or "raise", "shuffled columns")
    if options["plot"] is not None or options["every"]:
        raise click.UsageError("--plot and --all show thresholds, and --null has none.")
    if options["transform"] is not None:
        raise click.UsageError("--null shuffles values, not their scores; leave --transform out.")
    n_shuffles = 100 if options["shuffles"] is None else options["shuffles"]
    seed = 0 if options["seed"] is None else options["seed"]
    # Mistakes are reported before the rows are read.
    check_count("shuffles", n_shuffles, at_least=1)
    check_count("seed", seed, at_least=0)
    alpha, correction = check_alpha(options["alpha"]), options["correction"]
    with opened(options, "reading") as (rows, _):
        family = family_of(options, rows.feature_names)
        _, sample = on_complete_rows(even_sample, rows, options)
    with progress_bar("shuffling", n_shuffles, "shuffles") as bar:
        lines = check_null(
            as_table(sample.rows, feature_names=sample.feature_names),
            n_shuffles=n_shuffles,
            alpha=alpha,
            correction=correction,
            random_state=seed,
            progress=bar.advance,
            **family,
        )
    _show_null(lines, alpha, corrected=correction != "none")
    # Fewer do not tell 5 % from 20 %.
    few = correction != "none" and n_shuffles < 100
    info_dropped(sample.n_dropped)
    if len(sample.rows) < sample.n_available:
        used = f"{len(sample.rows):,} of the {sample.n_available:,} rows"
        info(f"shuffled an even sample of {used}.")
    if few:
        more = same_data("compare", without=("shuffles",))
        show_next("shuffle 100 times, to tell the methods apart", more)


def _show_null(lines: list[NullComparison], alpha: float, *, corrected: bool) -> None:
    """The table, and what to know about it: failures, what was promised, who broke it."""
    from edgewise.cli.show import print_table

    n = lines[0].n_shuffles
    output(f"{n:,} shuffle{'s' * (n != 1)} of {lines[0].n_samples:,} rows, without any edges")
    headings = ("method", "guarantee", "with an edge", "share", "95 % interval", "seconds")
    rows = []
    for line in lines:
        tested, (low, high) = n - line.n_failed, line.band
        found = f"{line.n_with_edges:,}/{tested:,}"
        band = f"{_percent(low)} to {_percent(high)}" if tested else "–"
        cells = (line.label, line.guarantee, found, _percent(line.share), band)
        rows.append((*cells, f"{line.seconds:.2f}"))
    print_table(headings, rows, left=2)
    for line in lines:
        if line.n_failed:
            failed = f"{line.label}: failed in {line.n_failed:,} of {n:,} shuffles, first because:"
            output(f"{failed} {as_typed(line.failure)}")
    if corrected:
        above = [line.label for line in lines if line.band[0] > alpha]
        output(
            f"Significantly above {_percent(alpha)}: {', '.join(above)}."
            if above
            else f"No method significantly exceeded {_percent(alpha)}."
        )
    else:
        output("Without a correction, alpha holds for each pair, not for all of them together.")
    output("Shuffling also breaks any dependence between rows: `edgewise compare` checks for it.")


def _percent(share: float) -> str:
    return "–" if math.isnan(share) else f"{100 * share:.3g} %"

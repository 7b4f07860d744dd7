"""`edgewise compare`."""

from __future__ import annotations

import math
from typing import Any

import click

from edgewise._text import by_reason
from edgewise.api.compare_methods import all_variants, compare_methods
from edgewise.api.diagnose import diagnose
from edgewise.api.null import check_null
from edgewise.cli.options import arguments, as_typed, command, data_argument, option
from edgewise.cli.run import progress_bar, rows_of
from edgewise.cli.show import info, info_dropped, output, print_table
from edgewise.results.summary import adjusted_for, meaning
from edgewise.tables.options import refuse_pairwise


@command(
    "compare",
    {
        "The comparison": (
            data_argument(),
            *("--columns", "--exclude", "--given", "--pairs", "--missing", "--transform"),
            *("--alpha", "--correction", "--all", "--null", "--shuffles"),
            option("--seed", default=None, help="Of the shuffles.  [default: 0]"),
        )
    },
    """
    # Which test suits these data?
    edgewise compare returns.csv --exclude Date
    # Also the bounds, at another level
    edgewise compare 2024/ --all --alpha 0.01
    # How often does each method find an edge where there is none?
    edgewise compare returns.csv --exclude Date --null --shuffles 20
    """,
)
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
    elif options["n_shuffles"] is not None or options["random_state"] is not None:
        raise click.UsageError("--shuffles and --seed are options of --null; add --null.")
    else:
        _compare_methods(options)


def _compare_methods(options: dict[str, Any]) -> None:
    variants = [method for _, method in all_variants()]
    bounds = [method for method in variants if method.simultaneous]
    how = arguments(compare_methods, {**options, "transform": None})
    how |= {"methods": variants if options["every"] else [m for m in variants if m not in bounds]}
    with progress_bar("looking at the rows") as bar:
        rows = rows_of(options, bar, complete=True)
        diagnosis = diagnose(rows)
        lines = compare_methods(rows, **how)
    known = next(line.result for line in lines if line.result is not None)
    if known.tested is not None:
        adjusted = f", {adjusted_for(known)}" if known.given else ""
        output(f"{known.n_pairs} pairs are tested{adjusted}.")
    for sentence in meaning(known.provenance):
        output(sentence)
    table = []
    for line in lines:
        cells = ["–"] * 3
        if line.result is not None:
            rho, needed = line.threshold_on_partial_correlation(), line.result.rows_needed
            finds = "above 1" if rho > 1 else f"{rho:.3g}"
            if math.isinf(rho):
                finds = "infinite" if needed is None else f"needs {needed:,} rows"
            cells = [finds, str(line.result.n_edges), f"{line.seconds:.2f}"]
        table.append([line.label, line.guarantee, *cells])
    print_table(("method", "guarantee", "|ρ| of an edge", "edges", "seconds"), table, left=2)
    failed = ((line.label, as_typed(line.failure)) for line in lines if line.result is None)
    for reason in by_reason(failed):
        output(reason)
    if not options["every"]:
        output(f"{len(bounds)} bounds on all entries at once, which need many rows: --all")
    output()
    output(as_typed(diagnosis.advice()))
    info_dropped(known.n_dropped)


def _check_null(options: dict[str, Any]) -> None:
    refuse_pairwise(options["missing"], "shuffled columns")
    if options["every"]:
        raise click.UsageError("--all shows thresholds, and --null has none.")
    if options["transform"] is not None:
        raise click.UsageError("--null shuffles values, not their scores; leave --transform out.")
    n, alpha = 100 if options["n_shuffles"] is None else options["n_shuffles"], options["alpha"]
    how = {"alpha": alpha, "correction": options["correction"], "n_shuffles": n}
    how |= arguments(check_null, options, "given", "pairs", "random_state")
    with progress_bar("reading") as bar:
        rows = rows_of(options, bar, complete=True)
    with progress_bar("shuffling", n, "shuffles") as bar:
        lines = check_null(rows, **how, progress=bar.advance)
    output(f"{n:,} shuffle{'s' * (n != 1)} of {lines[0].n_samples:,} rows, without any edges")
    table = []
    for line in lines:
        tested, (low, high) = n - line.n_failed, line.band
        found = f"{line.n_with_edges:,}/{tested:,}"
        band = f"{_percent(low)} to {_percent(high)}" if tested else "–"
        cells = (line.label, line.guarantee, found, _percent(line.share), band)
        table.append((*cells, f"{line.seconds:.2f}"))
    headings = ("method", "guarantee", "with an edge", "share", "95 % interval", "seconds")
    print_table(headings, table, left=2)
    for line in lines:
        if line.n_failed:
            failed = f"{line.label}: failed in {line.n_failed:,} of {n:,} shuffles, first because:"
            output(f"{failed} {as_typed(line.failure)}")
    if options["correction"] == "none":
        output("Without a correction, alpha holds for each pair, not for all of them together.")
    elif above := [line.label for line in lines if line.band[0] > alpha]:
        output(f"Significantly above {_percent(alpha)}: {', '.join(above)}.")
    else:
        output(f"No method significantly exceeded {_percent(alpha)}.")
    output("Shuffling also breaks any dependence between rows: `edgewise compare` checks for it.")
    if n < 100:
        info("Next: shuffle 100 times (--shuffles 100); fewer do not tell the methods apart.", "")


def _percent(share: float) -> str:
    return "–" if math.isnan(share) else f"{100 * share:.3g} %"

"""`edgewise plan`."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import click

from edgewise.cli.options import Manual, family_of, reading_section, section
from edgewise.cli.run import opened
from edgewise.cli.streams import info_dropped, info_files
from edgewise.errors import EdgewiseError


class _Line(NamedTuple):
    """A method, the rows that it needs, and what it finds now; or why that is not known."""

    method: str
    guarantee: str
    pilot: Any = None
    finds: float = math.nan
    plan: Any = None
    failure: EdgewiseError | None = None


@click.command(
    "plan",
    cls=Manual,
    short_help="What the rows find, and rows needed to find more.",
    examples="""
    # Which partial correlations do these rows find?
    edgewise plan returns.csv --exclude Date
    # How many rows like these would find a partial correlation of 0.05?
    edgewise plan returns.csv --exclude Date --effect 0.05
    # With more power, at a stricter level
    edgewise plan returns.csv --exclude Date --effect 0.1 --power 0.9 --alpha 0.01
    """,
)
@section(
    "The plan",
    *("data", "columns", "exclude", "given", "pairs", "missing", "transform"),
    click.option(
        "--effect",
        type=float,
        metavar="RHO",
        help="The partial correlation that should be found.  [default: only say what DATA find]",
    ),
    click.option(
        "--power", type=float, default=0.8, show_default=True, help="The probability of finding it."
    ),
    *("alpha", "verbose"),
)
@reading_section
def plan_command(effect: float | None, power: float, alpha: float, **options: Any) -> None:
    """Which partial correlation do the rows of DATA find, and how many rows would find another?

    The per-edge methods find it with the given power, after correction for all tested pairs. For
    the bounds, it is the effect that the threshold has come down to, and the number of rows at
    which it falls to --effect.
    """
    from edgewise._checks import check_real
    from edgewise._text import by_reason, listed
    from edgewise.api.diagnose import diagnose
    from edgewise.cli.show import console, same_data, show, show_next, with_method
    from edgewise.results.summary import transformed
    from edgewise.tables.files import files_read
    from edgewise.tables.options import refuse_pairwise
    from edgewise.tables.table import dropped_rows

    refuse_pairwise(options["missing"], "a plan")
    if effect is not None:
        check_real("effect", effect, above=0, below=1)
    with opened(options, "planning") as (table, rows):
        family = family_of(options, table.feature_names)
        lines = _lines(rows, effect, {"power": power, "alpha": alpha, **family})
        try:
            fitting = diagnose(rows).recommended
        except EdgewiseError:
            fitting = None
        n_dropped = dropped_rows(rows) if options["missing"] == "drop" else 0
    planned = [line for line in lines if line.failure is None]
    chosen = next((line for line in planned if line.method == fitting), planned[0])
    if options["verbose"]:
        info_files(files_read(table))
    info_dropped(n_dropped)

    out, pilot = console(), chosen.pilot
    p, n_pairs, n_samples = len(pilot.tested), int(pilot.tested.sum()) // 2, pilot.n_samples
    pairs = f"{n_pairs:,} pair{'s' * (n_pairs != 1)}"
    tested = "all pairs" if n_pairs == p * (p - 1) // 2 else pairs
    terms = f"(power {power:g}, alpha {alpha:g}, {tested} corrected for)"
    scores = f"{transformed(options['transform'])} ".lstrip()
    heading = f"Partial correlations {scores}that {n_samples:,} rows find {terms}:"
    if effect is not None:
        heading = f"To find a partial correlation {scores}of {effect:g} {terms}:"
    show(out, heading, wrap=True)
    show(out)
    out.print(_table(lines, needed=effect is not None))
    simulated = [one.method for one in lines if one.pilot and one.pilot.method.plans_by_simulation]
    if simulated:
        show(
            out,
            f"{listed(simulated)}: by simulation from the residuals of DATA, of up to 40 pairs; "
            "tails that DATA do not show are not planned for.",
        )
    for reason in by_reason([(one.method, str(one.failure)) for one in lines if one.failure]):
        show(out, reason)
    show(out)
    once = pilot.method.simultaneous
    how = f"({chosen.method}, {f'all {pairs} at once' if once else f'Holm over {pairs}'})"
    finds = chosen.finds
    if math.isnan(finds):
        show(out, f"Your {n_samples:,} rows are too few for any effect {how}.")
    else:
        at = "" if once else f" with power {power:g}"
        show(out, f"Your {n_samples:,} rows find a partial correlation of {finds:.3f}{at} {how}.")

    plan = chosen.plan
    if plan is None:
        # A plan for about half of what is found now.
        known = math.isfinite(finds)
        what = "see how many rows half of that needs" if known else "see how many rows are enough"
        wanted = f"{finds / 2:.2g}" if known else "0.5"
        show_next(out, what, same_data("plan", "--effect", wanted))
    elif plan.n_samples <= n_samples:
        show_next(out, "your rows are enough, so test them", with_method(chosen.method))
    else:
        more = plan.n_samples - n_samples
        show_next(out, f"collect {more:,} more rows, or plan for a larger effect")


def _lines(rows: Any, effect: float | None, question: dict[str, Any]) -> list[_Line]:
    """What every method finds and needs; an error of all of them is raised."""
    from edgewise.api.plan import pilot_of
    from edgewise.methods.registry import registered

    lines = []
    for method in registered().values():
        line = _Line(method.name, method.guarantee)
        try:
            line = line._replace(pilot=(pilot := pilot_of(rows, method=method.name, **question)))
            line = line._replace(finds=pilot.detectable_effect())
            if effect is not None:
                line = line._replace(plan=pilot.plan(effect))
        except EdgewiseError as error:
            line = line._replace(failure=error)
        lines.append(line)
    failures = [line.failure for line in lines if line.failure is not None]
    if len(failures) == len(lines):
        raise failures[0]
    return lines


def _table(lines: list[_Line], *, needed: bool) -> Any:
    """What the rows find; and how many are needed for an effect, if one was named."""
    import numpy as np

    from edgewise.cli.show import table

    headings = ["method", "guarantee", "your rows find"]
    headings += ["typical pair", "hardest pair"] * needed
    rows = []
    for line in lines:
        cells = [line.method, line.guarantee]
        if line.pilot is not None:
            cells.append("none" if math.isnan(line.finds) else f"{line.finds:.3f}")
        if line.plan is not None:
            cells += [f"{line.plan.n_samples:,}", f"{int(np.nanmax(line.plan.pairs)):,}"]
        rows.append(cells + ["–"] * (len(headings) - len(cells)))
    title = "Rows needed, and what yours find" if needed else "What your rows find"
    return table(title, headings, rows, left=2)

"""`edgewise plan`."""

from __future__ import annotations

import math
from typing import Any

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
from edgewise.cli.run import on_complete_rows, opened
from edgewise.cli.streams import info_dropped, output
from edgewise.errors import EdgewiseError


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
    *(data_argument, "--columns", "--exclude", "--given", "--pairs", "--missing", "--transform"),
    click.option(
        "--effect",
        type=float,
        metavar="RHO",
        help="The partial correlation that should be found.  [default: only say what DATA find]",
    ),
    click.option(
        "--power", type=float, default=0.8, show_default=True, help="The probability of finding it."
    ),
    "--alpha",
    option("--method", help="Plan for this method only.  [default: those that suit, and compare]"),
)
@reading_section
def plan_command(effect: float | None, power: float, alpha: float, **options: Any) -> None:
    """Which partial correlation do the rows of DATA find, and how many rows would find another?

    A method finds it with the given power, after correction for all tested pairs; a bound finds
    the effect that its threshold has come down to.
    """
    from edgewise._checks import check_real
    from edgewise._text import by_reason
    from edgewise.api.diagnose import diagnose
    from edgewise.api.plan import pilot_of
    from edgewise.cli.show import print_table, same_data, show_next
    from edgewise.methods.registry import registered
    from edgewise.results.summary import transformed
    from edgewise.tables.options import refuse_pairwise

    refuse_pairwise(options["missing"] or "raise", "a plan")
    if effect is not None:
        check_real("effect", effect, above=0, below=1)
    with opened(options, "looking at the rows") as (rows, bar):
        family = family_of(options, rows.feature_names)
        try:
            rows, diagnosis = on_complete_rows(diagnose, rows, options)
            fitting = diagnosis.recommended
        except EdgewiseError:
            fitting = None
        methods = [
            name
            for name, kind in registered().items()
            # A plan by simulation takes long, so it is made only where it is needed.
            if not (kind.plans_by_simulation or kind.simultaneous) or name == fitting
        ]
        methods = [options["method"]] if options["method"] else methods
        plans: list[tuple[str, Any, float, Any]] = []
        failures: list[tuple[str, EdgewiseError]] = []
        for number, name in enumerate(methods, start=1):
            bar.name(f"{name}, {number} of {len(methods)}")
            try:
                pilot = pilot_of(rows, method=name, power=power, alpha=alpha, **family)
                plan = None if effect is None else pilot.plan(effect)
                plans.append((name, pilot, pilot.detectable_effect(), plan))
            except EdgewiseError as error:
                failures.append((name, error))
        if not plans:
            raise failures[0][1]

    name, pilot, finds, plan = next((one for one in plans if one[0] == fitting), plans[0])
    p, n_pairs, n_samples = len(pilot.tested), int(pilot.tested.sum()) // 2, pilot.n_samples
    pairs = f"{n_pairs:,} pair{'s' * (n_pairs != 1)}"
    tested = "all pairs" if n_pairs == p * (p - 1) // 2 else pairs
    terms = f"(power {power:g}, alpha {alpha:g}, {tested} corrected for)"
    scores = f"{transformed(options['transform'])} ".lstrip()
    heading = f"Partial correlations {scores}that {n_samples:,} rows find {terms}:"
    if effect is not None:
        heading = f"To find a partial correlation {scores}of {effect:g} {terms}:"
    output(heading)
    _print(plans, print_table)
    for reason in by_reason((name, str(error)) for name, error in failures):
        output(as_typed(reason))
    how = f"({name}, {'all' if pilot.method.simultaneous else 'Holm over'} {pairs})"
    if math.isnan(finds):
        output(f"Your {n_samples:,} rows are too few for any effect {how}.")
    else:
        output(f"Your {n_samples:,} rows find a partial correlation of {finds:.3f} {how}.")
    info_dropped(pilot.n_dropped)
    if plan is None:
        # A plan for about half of what is found now.
        wanted = f"{finds / 2:.2g}" if math.isfinite(finds) else "0.5"
        show_next(f"see how many rows find {wanted}", same_data("plan", "--effect", wanted))
    elif plan.n_samples > n_samples:
        more = plan.n_samples - n_samples
        show_next(f"collect {more:,} more rows, or plan for a larger effect")


def _print(plans: list[tuple[str, Any, float, Any]], print_table: Any) -> None:
    """What the rows find; and how many are needed for an effect, if one was named."""
    import numpy as np

    headings = ["method", "guarantee", "your rows find"]
    headings += ["typical pair", "hardest pair"] * (plans[0][-1] is not None)
    rows = []
    for name, pilot, finds, plan in plans:
        cells = [name, pilot.method.guarantee, "none" if math.isnan(finds) else f"{finds:.3f}"]
        if plan is not None:
            cells += [f"{plan.n_samples:,}", f"{int(np.nanmax(plan.pairs)):,}"]
        rows.append(cells)
    print_table(headings, rows, left=2)

"""`edgewise plan`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from edgewise._checks import check_real
from edgewise._text import by_reason
from edgewise.api.diagnose import diagnose
from edgewise.api.plan import pilot_of
from edgewise.cli.options import arguments, as_typed, command, data_argument, option
from edgewise.cli.run import progress_bar, rows_of
from edgewise.cli.show import info_dropped, output, print_table
from edgewise.errors import EdgewiseError
from edgewise.methods.registry import registered
from edgewise.results.summary import transformed


@command(
    "plan",
    {
        "The plan": (
            data_argument(),
            *("--columns", "--exclude", "--given", "--pairs", "--missing", "--transform"),
            *("--effect", "--power", "--alpha"),
            option(
                "--method",
                help="Plan for this method only.  [default: those that suit, and compare]",
            ),
        )
    },
    """
    # Which partial correlations do these rows find?
    edgewise plan returns.csv --exclude Date
    # How many rows like these would find a partial correlation of 0.05?
    edgewise plan returns.csv --exclude Date --effect 0.05
    # With more power, at a stricter level
    edgewise plan returns.csv --exclude Date --effect 0.1 --power 0.9 --alpha 0.01
    """,
)
def plan_command(**options: Any) -> None:
    """Which partial correlation do the rows of DATA find, and how many rows would find another?

    A method finds it with the given power, after correction for all tested pairs; a bound finds
    the effect that its threshold has come down to.
    """
    effect, power, alpha = options["effect"], options["power"], options["alpha"]
    if effect is not None:
        check_real("effect", effect, above=0, below=1)
    how = arguments(pilot_of, options, "given", "pairs", "power", "alpha")
    plans: list[tuple[str, Any, float, Any]] = []
    failures: list[tuple[str, EdgewiseError]] = []
    with progress_bar("looking at the rows") as bar:
        rows = rows_of(options, bar)
        try:
            fitting = diagnose(rows).recommended
        except EdgewiseError:
            fitting = None
        methods = [
            name for name, kind in registered().items() if not kind.simultaneous or name == fitting
        ]
        methods = [options["method"]] if options["method"] else methods
        for number, name in enumerate(methods, start=1):
            bar.name(f"{name}, {number} of {len(methods)}")
            try:
                pilot = pilot_of(rows, method=name, **how)
                plan = None if effect is None else pilot.plan(effect)
                plans.append((name, pilot, pilot.detectable_effect(), plan))
            except EdgewiseError as error:
                failures.append((name, error))
        if not plans:
            raise failures[0][1]

    name, pilot, finds, plan = next((one for one in plans if one[0] == fitting), plans[0])
    n, n_pairs = pilot.n_samples, int(pilot.tested.sum()) // 2
    scores = f"{transformed(options['transform'])} ".lstrip()
    terms = f"(power {power:g}, alpha {alpha:g})"
    headings = ["method", "guarantee", "your rows find"]
    if effect is None:
        output(f"Partial correlations {scores}that {n:,} rows find {terms}:")
    else:
        output(f"To find a partial correlation {scores}of {effect:g} {terms}:")
        headings += ["typical pair", "hardest pair"]
    table = []
    for label, one, smallest, own in plans:
        found = "none" if math.isnan(smallest) else f"{smallest:.3f}"
        needed = [] if own is None else [f"{own.n_samples:,}", f"{int(np.nanmax(own.pairs)):,}"]
        table.append([label, one.method.guarantee, found, *needed])
    print_table(headings, table, left=2)
    for reason in by_reason((label, as_typed(str(error))) for label, error in failures):
        output(reason)
    family = f"({name}, {'all' if pilot.method.simultaneous else 'Holm over'} {n_pairs:,} pairs)"
    finding = "are too few for any effect"
    if not math.isnan(finds):
        finding = f"find a partial correlation of {finds:.3f}"
    output(f"Your {n:,} rows {finding} {family}.")
    if plan is not None and plan.n_samples > n:
        output(f"Collect {plan.n_samples - n:,} more rows, or plan for a larger effect.")
    info_dropped(pilot.sample.n_dropped)

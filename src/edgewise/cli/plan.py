"""`edgewise plan`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from edgewise.cli.family import family_of, family_options
from edgewise.cli.manual import Manual
from edgewise.cli.opening import opened_table, watched
from edgewise.cli.options import (
    alpha_option,
    data_options,
    missing_asked,
    tell_dropped,
    transform_option,
    verbose_option,
)
from edgewise.cli.telling import remark_on_files

if TYPE_CHECKING:
    from rich.console import Console

    from edgewise._base.types import FloatArray
    from edgewise.cli.screen import PlanLine
    from edgewise.questions.plan import Pilot

_WIDEST = 78  # a wider curve says no more


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
@data_options
@family_options
@transform_option
@click.option(
    "--effect",
    type=float,
    metavar="RHO",
    help="The partial correlation that should be found.  [default: only say what DATA find]",
)
@click.option(
    "--power", type=float, default=0.8, show_default=True, help="The probability of finding it."
)
@alpha_option
@verbose_option
def command(effect: float | None, power: float, alpha: float, verbose: bool, **asked: Any) -> None:
    """Which partial correlation do the rows of DATA find, and how many rows would find another?

    The per-edge methods find it with the given power, after correction for all tested pairs. For
    the bounds, it is the effect that the threshold has come down to, and the number of rows at
    which it falls to --effect.
    """
    from edgewise._base.checks import check_real
    from edgewise._base.text import by_reason, listed
    from edgewise.cli.next_step import after_plan, tell_next
    from edgewise.cli.screen import console, plan_table, show
    from edgewise.rows.counting import dropped_rows
    from edgewise.rows.file_read import files_read
    from edgewise.rows.missing import refuse_pairwise

    refuse_pairwise(missing_asked(asked), "a plan")
    if effect is not None:
        check_real("effect", effect, above=0, below=1)
    with opened_table(asked) as table, watched(asked, table, "planning") as rows:
        family = family_of(asked, table.feature_names)
        lines = _lines(rows, effect, {"power": power, "alpha": alpha, **family})
        chosen = _chosen(lines, rows)
        curve = _curve(chosen)
        n_dropped = dropped_rows(rows) if missing_asked(asked) == "drop" else 0
    if verbose:
        remark_on_files(files_read(table))
    tell_dropped(n_dropped)
    out = console()
    show(out, _heading(chosen, effect, asked), wrap=True)
    out.print()
    out.print(plan_table(lines, out, needed=effect is not None))
    simulated = [one.method for one in lines if one.pilot and one.pilot.method.plans_by_simulation]
    if simulated:
        show(
            out,
            f"{listed(simulated)}: by simulation from the residuals of DATA, of up to 40 pairs; "
            "tails that DATA do not show are not planned for.",
        )
    for reason in by_reason([(one.method, str(one.failure)) for one in lines if one.failure]):
        show(out, reason)
    out.print()
    _show_own(out, chosen, curve)
    n_samples = chosen.pilot.n_samples if chosen.pilot else 0
    tell_next(out, after_plan(chosen.plan, chosen.method, n_samples, chosen.finds))


def _lines(rows: Any, effect: float | None, question: dict[str, Any]) -> list[PlanLine]:
    """What every method finds and needs; an error of all of them is raised."""
    from edgewise.cli.screen import PlanLine
    from edgewise.errors import EdgewiseError
    from edgewise.methods.registry import registered
    from edgewise.questions.plan import pilot_of

    lines = []
    for method in registered().values():
        line = PlanLine(method.name, method.guarantee)
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


def _chosen(lines: Sequence[PlanLine], rows: Any) -> PlanLine:
    """The method that fits the data, or else the first that could be planned for."""
    from edgewise.errors import EdgewiseError
    from edgewise.questions.diagnose import diagnose

    try:
        fitting = diagnose(rows).recommended
    except EdgewiseError:
        fitting = None
    planned = [line for line in lines if line.failure is None]
    return next((line for line in planned if line.method == fitting), planned[0])


def _curve(line: PlanLine) -> tuple[FloatArray, FloatArray] | None:
    import numpy as np

    from edgewise.methods.detectable import curve_around

    pilot = line.pilot
    if pilot is None or math.isnan(line.finds):
        return None
    return curve_around(
        lambda effect: float(np.nanmedian(pilot.rows(effect))), pilot.n_samples, line.finds
    )


def _heading(line: PlanLine, effect: float | None, asked: dict[str, Any]) -> str:
    from edgewise.results.transformed import transformed

    pilot = line.pilot
    if pilot is None:
        raise TypeError("line: expected one that was planned for")
    scores = f"{transformed(asked)} ".lstrip()
    terms = f"(power {pilot.power:g}, alpha {pilot.alpha:g}, {_pairs(pilot)} corrected for)"
    if effect is None:
        return f"Partial correlations {scores}that {pilot.n_samples:,} rows find {terms}:"
    return f"To find a partial correlation {scores}of {effect:g} {terms}:"


def _pairs(pilot: Pilot) -> str:
    """How many pairs are corrected for: all, or fewer with --given or --pairs."""
    p, n_pairs = len(pilot.tested), int(pilot.tested.sum()) // 2
    return "all pairs" if n_pairs == p * (p - 1) // 2 else f"{n_pairs:,} pair{'s' * (n_pairs != 1)}"


def _show_own(out: Console, line: PlanLine, curve: tuple[FloatArray, FloatArray] | None) -> None:
    """What the rows find with the method that fits them: a sentence, and a small curve."""
    from edgewise.cli.curve import effect_curve
    from edgewise.cli.screen import effect_text, show

    if line.pilot is None:
        return
    n_samples, n_pairs = line.pilot.n_samples, int(line.pilot.tested.sum()) // 2
    pairs = f"{n_pairs:,} pair{'s' * (n_pairs != 1)}"
    if curve is None:
        show(out, f"Your {n_samples:,} rows are too few for any effect ({line.method}, {pairs}).")
        return
    once = line.pilot.method.simultaneous
    how = "" if once else f" with power {line.pilot.power:g}"
    family = f"all {pairs} at once" if once else f"Holm over {pairs}"
    show(
        out,
        f"Your {n_samples:,} rows find a partial correlation of {effect_text(line.finds)}{how} "
        f"({line.method}, {family}):",
    )
    own = (float(n_samples), line.finds)
    for drawn in effect_curve(*curve, own, width=min(out.width, _WIDEST), encoding=out.encoding):
        show(out, drawn, wrap=False)

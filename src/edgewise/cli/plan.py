"""`edgewise plan`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from edgewise.cli.engine import opened_table, watched
from edgewise.cli.family import family_of, family_options
from edgewise.cli.manual import Manual
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
    from edgewise.errors import EdgewiseError
    from edgewise.questions.plan import SamplePlan


@click.command(
    "plan",
    cls=Manual,
    short_help="Rows needed to find an effect, per method.",
    examples="""
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
    required=True,
    metavar="RHO",
    help="The partial correlation that should be found.",
)
@click.option(
    "--power", type=float, default=0.8, show_default=True, help="The probability of finding it."
)
@alpha_option
@verbose_option
def command(effect: float, power: float, alpha: float, verbose: bool, **asked: Any) -> None:
    """How many rows like those of DATA would find a partial correlation of a given size?

    The per-edge methods then find it with the given power, after correction for all tested pairs.
    For the bounds, it is the number of rows at which the threshold falls to the effect.
    """
    from edgewise._base.text import by_reason, listed
    from edgewise.cli.screen import console, plan_table, show
    from edgewise.errors import EdgewiseError
    from edgewise.methods.registry import registered
    from edgewise.questions.plan import plan_sample_size
    from edgewise.results.transformed import transformed
    from edgewise.rows.counting import dropped_rows
    from edgewise.rows.file_read import files_read
    from edgewise.rows.missing import refuse_pairwise

    refuse_pairwise(missing_asked(asked), "a plan")
    plans: list[tuple[str, str, SamplePlan | EdgewiseError]] = []
    with opened_table(asked) as table, watched(asked, table, "planning") as rows:
        family = family_of(asked, table.feature_names)
        for method in registered().values():
            made: SamplePlan | EdgewiseError
            try:
                made = plan_sample_size(
                    rows, effect=effect, power=power, method=method.name, alpha=alpha, **family
                )
            except EdgewiseError as error:
                made = error
            plans.append((method.name, method.guarantee, made))
        failures = [made for *_, made in plans if isinstance(made, EdgewiseError)]
        if len(failures) == len(plans):
            raise failures[0]
        n_dropped = dropped_rows(rows) if missing_asked(asked) == "drop" else 0
    if verbose:
        remark_on_files(files_read(table))
    tell_dropped(n_dropped)
    out = console()
    scores = f"{transformed(asked)} ".lstrip()
    show(
        out,
        f"To find a partial correlation {scores}of {effect:g} (power {power:g}, alpha {alpha:g}, "
        f"{_pairs(made for *_, made in plans)} corrected for):",
        wrap=True,
    )
    out.print()
    out.print(plan_table(plans, out))
    simulated = [name for name, _, made in plans if getattr(made, "simulated", False)]
    if simulated:
        show(
            out,
            f"{listed(simulated)}: by simulation from the residuals of DATA, of up to 40 pairs; "
            "tails that DATA do not show are not planned for.",
        )
    failed = [(name, str(made)) for name, _, made in plans if isinstance(made, EdgewiseError)]
    for reason in by_reason(failed):
        show(out, reason)


def _pairs(plans: Iterable[SamplePlan | EdgewiseError]) -> str:
    """How many pairs are corrected for: all, or fewer with --given or --pairs."""
    import numpy as np

    planned = next(plan.pairs for plan in plans if not isinstance(plan, Exception))
    p, n_pairs = len(planned), int(np.isfinite(planned).sum()) // 2
    return "all pairs" if n_pairs == p * (p - 1) // 2 else f"{n_pairs:,} pair{'s' * (n_pairs != 1)}"

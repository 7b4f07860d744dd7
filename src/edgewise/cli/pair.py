"""`edgewise pair`."""

from __future__ import annotations

from typing import Any

import click

from edgewise.cli.options import PATH, Manual, column_names, option, reading_section, section
from edgewise.cli.run import check_outputs, data_of, progress_bar, refuse_states, written
from edgewise.cli.streams import info_dropped, output, warnings_shown


@click.command(
    "pair",
    cls=Manual,
    short_help="Test one pair of columns, given the others.",
    examples="""
    # Are two columns related, given all others?
    edgewise pair returns.csv a b
    # Given two others only; days may depend on the days before
    edgewise pair returns.csv a b --given c,d --method batch
    # Given nothing, for a program
    edgewise pair returns.csv a b --given none --json -
    """,
)
@section(
    "The test",
    # With two words only, DATA is what click would call missing; the user forgot Y.
    click.argument("data", nargs=-1, type=PATH, metavar="DATA..."),
    click.argument("x", metavar="X"),
    click.argument("y", metavar="Y"),
    option("--given", help="Columns to adjust for, separated by commas, or none.  [default: all]"),
    option("--method", help="score, wald, batch, elliptical or fisher.  [default: auto]"),
    *("--missing", "--clusters", "--transform", "--alpha"),
)
@section("Output", "--json")
@reading_section
def pair_command(x: str, y: str, **options: Any) -> None:
    """Test whether columns X and Y of DATA are related, given all others or those of --given.

    It prints one sentence to quote, with an interval of level 1 − alpha. DATA is files, as for
    `edgewise test`. Nothing is corrected for.
    """
    from edgewise._checks import check_alpha
    from edgewise._shown import write_json
    from edgewise.api.pair import partial_test
    from edgewise.cli.show import show_notes

    if not options["data"]:
        raise click.UsageError(
            f"expected DATA, X and Y, got only {x!r} and {y!r}; as in `edgewise pair returns.csv "
            "a b`."
        )
    level = 1 - check_alpha(options["alpha"])
    place = options["json"]
    check_outputs({"--json": place}, options)
    refuse_states(options)
    given = column_names(options["given"])
    names = ("method", "missing", "clusters", "transform")
    how: dict[str, Any] = {name: options[name] for name in names if options[name] is not None}
    if given is not None:
        how["given"] = [] if given == ["none"] else given
    with warnings_shown(), progress_bar(f"{x} – {y}"):
        answer = partial_test(data_of(options), x, y, **how)
    if place is not None:
        with written(place) as file:
            write_json(answer.document(level), file, 2)
    if place != "-":
        output(answer.sentence(level))
    info_dropped(answer.n_dropped)
    notes = []
    if given is None:
        others = len(answer.given)
        notes = [f"Adjusted for all {others} other columns; --given names fewer, or none."]
    show_notes(notes, answer.cautions)

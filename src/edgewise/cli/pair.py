"""`edgewise pair`."""

from __future__ import annotations

from typing import Any

import click

from edgewise.cli.options import PATH, Manual, column_names, option, reading_section, section
from edgewise.cli.run import checked_outputs, opened, rows_of, written
from edgewise.cli.streams import info_dropped, info_files, output


@click.command(
    "pair",
    cls=Manual,
    short_help="Test one pair of columns, given the others.",
    examples="""
    # Are two columns related, given all others?
    edgewise pair returns.csv a b --exclude Date
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
    "--exclude",
    option("--method", help="score, wald, batch, elliptical or fisher."),
    *("--missing", "--clusters", "--transform", "--alpha"),
)
@section("Output", "--json", "--verbose")
@reading_section
def pair_command(x: str, y: str, **options: Any) -> None:
    """Test whether columns X and Y of DATA are related, given all others or those of --given.

    It prints one sentence to quote, with an interval of level 1 − alpha. DATA is files, as for
    `edgewise test`. Nothing is corrected for.
    """
    from edgewise._checks import check_alpha
    from edgewise._shown import write_json
    from edgewise.api.edge_test import edge_test
    from edgewise.api.pair import naming_arguments, partial_test, places
    from edgewise.cli.show import show_notes
    from edgewise.methods.registry import DEFAULT_METHOD, method_of
    from edgewise.results.pair import pair_of_result
    from edgewise.tables.files import files_read

    if not options["data"]:
        raise click.UsageError(
            f"expected DATA, X and Y, got only {x!r} and {y!r}; as in `edgewise pair returns.csv "
            "a b`."
        )
    level = 1 - check_alpha(options["alpha"])
    place = checked_outputs({"--json": options["json"]}, options)["--json"]
    given, notes = column_names(options["given"]), list[str]()
    if given is None:
        given = [name for name in rows_of(options).feature_names if name not in (x, y)]
        notes = [f"Adjusted for all {len(given)} other columns; --given names fewer, or none."]
    elif given == ["none"]:
        given = []
    names = list(dict.fromkeys([x, y, *given]))
    places(x, y, given, names)
    method = method_of(options["method"] or DEFAULT_METHOD)
    if options["clusters"] is not None:
        method.check_supports("clusters")
    with (
        naming_arguments(names, lambda: rows_of(options).feature_names),
        opened(options, method.name, columns=names, exclude=None) as (rows, _),
    ):
        if options["clusters"] is None:
            answer = partial_test(rows, x, y, given=given, method=method)
        else:
            result = edge_test(rows, method=method, correction=None, columns=rows.feature_names)
            answer = pair_of_result(result)
    if place is not None:
        with written(place) as file:
            write_json(answer.document(level), file, 2)
    if place != "-":
        output(answer.sentence(level))
    if options["verbose"]:
        info_files(files_read(rows))
    info_dropped(answer.n_dropped)
    show_notes(notes, answer.cautions)

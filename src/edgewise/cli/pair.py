"""`edgewise pair`."""

from __future__ import annotations

from typing import Any

import click

from edgewise.cli.options import PATH, Manual, column_names, method_option, reading_section, section
from edgewise.cli.run import checked_outputs, data_of, info_cautions, opened, written
from edgewise.cli.streams import info_dropped, info_files, output
from edgewise.methods.registry import DEFAULT_METHOD


@click.command(
    "pair",
    cls=Manual,
    short_help="Test one pair of columns, given others.",
    examples="""
    # Are two columns related?
    edgewise pair returns.csv a b
    # Given two others; days may depend on the days before
    edgewise pair returns.csv a b --given c,d --method batch
    # For a program
    edgewise pair returns.csv a b --given c --json -
    """,
)
@section(
    "The test",
    # With two words only, DATA is what click would call missing; the user forgot Y.
    click.argument("data", nargs=-1, type=PATH, metavar="DATA..."),
    click.argument("x", metavar="X"),
    click.argument("y", metavar="Y"),
    "given",
    method_option(
        "A test of each edge by itself: score, wald, batch, elliptical, fisher.",
        default=DEFAULT_METHOD,
        show_default=True,
    ),
    "missing",
    "transform",
    "clusters",
    "alpha",
)
@section("Output", "json", "verbose")
@reading_section
def pair_command(x: str, y: str, method: str, **options: Any) -> None:
    """Test whether columns X and Y of DATA are related, given others.

    It prints one sentence to quote, with an interval of level 1 − alpha. DATA is files, as for
    `edgewise test`; only the columns of the question are read. Nothing is corrected for.
    """
    from edgewise._checks import check_alpha
    from edgewise._shown import write_json
    from edgewise.api.edge_test import edge_test
    from edgewise.api.pair import naming_arguments, partial_test, places
    from edgewise.methods.registry import method_of
    from edgewise.results.pair import pair_of_result
    from edgewise.tables.files import files_read
    from edgewise.tables.open import as_table

    if not options["data"]:
        raise click.UsageError(
            f"expected DATA, X and Y, got only {x!r} and {y!r}; as in `edgewise pair returns.csv "
            "a b`."
        )
    level = 1 - check_alpha(options["alpha"])
    given = column_names(options["given"]) or []
    names = list(dict.fromkeys([x, y, *given]))
    places(x, y, given, names)
    place = checked_outputs({"--json": options["json"]}, options)["--json"]
    chosen, clusters = method_of(method), options["clusters"]
    if clusters is not None:
        chosen.check_supports("clusters")
    # What a test of clusters needs is summed in one pass.
    again = chosen.needs.reads_again or chosen.needs.undecided
    passes = 1 + (again and clusters is None)
    with (
        naming_arguments(names, lambda: as_table(data_of(options)).feature_names),
        opened(options, "testing", passes, names) as (table, rows),
    ):
        if clusters is None:
            answer = partial_test(rows, x, y, given=given, method=chosen)
        else:
            result = edge_test(rows, method=chosen, correction=None)
            answer = pair_of_result(result)
    info_dropped(answer.n_dropped)
    if options["verbose"]:
        info_files(files_read(table))
    info_cautions(answer)
    if place is not None:
        with written(place) as file:
            write_json(answer.document(level), file, 2)
    if place != "-":
        output(answer.sentence(level))

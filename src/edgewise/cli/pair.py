"""`edgewise pair`."""

from __future__ import annotations

from typing import Any

import click

from edgewise._checks import check_alpha
from edgewise._shown import write_json
from edgewise.api.pair import partial_test
from edgewise.cli.options import arguments, command, data_argument, option
from edgewise.cli.run import check_outputs, data_of, progress_bar, write_outputs
from edgewise.cli.show import info_dropped, output, show_notes


@command(
    "pair",
    {
        "The test": (
            data_argument(),
            click.Argument(["x"], metavar="X"),
            click.Argument(["y"], metavar="Y"),
            option(
                "--given",
                help="Columns to adjust for, separated by commas, or none.  [default: all]",
            ),
            option("--method", help="score, wald, batch, elliptical or fisher.  [default: auto]"),
            *("--missing", "--clusters", "--transform", "--alpha"),
        ),
        "Output": ("--json",),
    },
    """
    # Are two columns related, given all others?
    edgewise pair returns.csv a b
    # Given two others only; days may depend on the days before
    edgewise pair returns.csv a b --given c,d --method batch
    # Given nothing, for a program
    edgewise pair returns.csv a b --given none --json -
    """,
)
def pair_command(**options: Any) -> None:
    """Test whether columns X and Y of DATA are related, given all others or those of --given.

    It prints one sentence to quote, with an interval of level 1 − alpha. DATA is files, as for
    `edgewise test`. Nothing is corrected for.
    """
    x, y = options["x"], options["y"]
    level = 1 - check_alpha(options["alpha"])
    check_outputs(options, "json")
    how = arguments(partial_test, options)
    if how.get("given") == ["none"]:
        how["given"] = []
    with progress_bar(f"{x} – {y}"):
        answer = partial_test(data_of(options), **how)
    write_outputs(options, json=lambda file: write_json(answer.document(level), file, 2))
    if options["json"] != "-":
        output(answer.sentence(level))
    info_dropped(answer.n_dropped)
    others = f"Adjusted for all {len(answer.given)} other columns; --given names fewer, or none."
    show_notes([] if "given" in how else [others], answer.cautions)

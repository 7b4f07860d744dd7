"""`edgewise prove`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from edgewise.cli.manual import Manual

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from edgewise.covcov.proof import Proof

_ACROSS = 4  # assignments in a line of the table, at most


@click.command(
    "prove",
    cls=Manual,
    short_help="Prove the seven forms of Cov(Σ̂_ij, Σ̂_kl).",
    examples="""
    # The proof, with the case of each of the 64 assignments
    edgewise prove
    # The seven classes only
    edgewise prove --no-table
    """,
)
@click.option("--table/--no-table", default=True, help="Print all 64 assignments.")
def command(table: bool) -> None:
    """The paper's computer-assisted proof, run again.

    Enumerates which of i, j, k, l can be equal, reduces by the symmetries of the covariance, and
    verifies every printed formula as an identity of polynomials with exact arithmetic.
    """
    from edgewise.cli.screen import console, show
    from edgewise.covcov.proof import prove

    proof = prove()
    out = console()
    show(
        out,
        "Cov(Σ̂_ij, Σ̂_kl): i fixed, j, k, l each one of four names: 4³ = 64 assignments, 15 "
        "patterns of equality, and under Σ̂_ij = Σ̂_ji, Σ̂_kl = Σ̂_lk, Cov(A, B) = Cov(B, A) "
        f"{len(proof.classes)} classes.",
        wrap=True,
    )
    out.print()
    out.print(_classes(proof, out))
    if table:
        out.print(_assignments(proof, out))
    out.print("\nThe seven formulas are proven." if proof.holds else "\nThe proof FAILS.")
    if not proof.holds:
        sys.exit(1)


def _classes(proof: Proof, out: Console) -> Table:
    from edgewise.cli.fitting import Column, fitted
    from edgewise.covcov.cases import CASES

    columns = (
        Column("case", justify="left"),
        Column("covariance", "words", justify="left"),
        Column("patterns (i j k l by first appearance)", "words", worth=1, justify="left"),
        Column("assignments", worth=2),
        Column(
            "formula = Cov of the kernel's projections, of centred products",
            "words",
            justify="left",
        ),
    )
    rows = [
        (
            str(found.case),
            str(CASES[found.case].__doc__).rstrip("."),
            " ".join(_letters(member.pattern) for member in found.members),
            str(found.assignments),
            "proven" if all(m.holds for m in found.members) else "FALSE",
        )
        for found in proof.classes
    ]
    return fitted("The classes", columns, rows, out)


def _assignments(proof: Proof, out: Console) -> Table:
    from rich.table import Table

    from edgewise.cli.plain_text import plain

    arrow = plain("→", out.encoding)
    cells = [
        f"{_letters(assignment)} {arrow} {_letters(pattern)} {arrow} {case}"
        for assignment, pattern, case in proof.correspondence
    ]
    table = Table(
        title=f"Every assignment: (i j k l) {arrow} pattern {arrow} case",
        title_justify="left",
        title_style="bold",
        show_header=False,
    )
    across = max(1, min(_ACROSS, out.width // (len(cells[0]) + 3)))
    for _ in range(across):
        table.add_column()
    for start in range(0, len(cells), across):
        table.add_row(*cells[start : start + across])
    return table


def _letters(pattern: tuple[int, ...]) -> str:
    return "".join("ijkl"[index] for index in pattern)

"""`edgewise prove`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from edgewise.cli.manual import Manual

if TYPE_CHECKING:
    from rich.table import Table

    from edgewise.covcov.proof import Proof

_ACROSS = 4  # assignments in a line of the table


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
    from edgewise.cli.screen import console
    from edgewise.covcov.proof import prove

    proof = prove()
    out = console()
    out.print(
        "Cov(Σ̂_ij, Σ̂_kl): i fixed, j, k, l each one of four names: 4³ = 64 assignments, 15 "
        "patterns of equality, and under Σ̂_ij = Σ̂_ji, Σ̂_kl = Σ̂_lk, Cov(A, B) = Cov(B, A) "
        f"{len(proof.classes)} classes.\n",
        markup=False,
    )
    out.print(_classes(proof))
    if table:
        out.print(_assignments(proof))
    out.print("\nThe seven formulas are proven." if proof.holds else "\nThe proof FAILS.")
    if not proof.holds:
        sys.exit(1)


def _classes(proof: Proof) -> Table:
    from rich.table import Table

    from edgewise.covcov.cases import CASES

    table = Table(title="The classes", title_justify="left", title_style="bold")
    for heading in ("case", "covariance", "patterns (i j k l by first appearance)"):
        table.add_column(heading)
    table.add_column("assignments", justify="right")
    table.add_column("formula = Cov of the kernel's projections, of centred products")
    for found in proof.classes:
        table.add_row(
            str(found.case),
            str(CASES[found.case].__doc__).rstrip("."),
            " ".join(_letters(member.pattern) for member in found.members),
            str(found.assignments),
            "proven" if all(m.holds for m in found.members) else "FALSE",
        )
    return table


def _assignments(proof: Proof) -> Table:
    from rich.table import Table

    table = Table(
        title="Every assignment: (i j k l) → pattern → case",
        title_justify="left",
        title_style="bold",
        show_header=False,
    )
    for _ in range(_ACROSS):
        table.add_column()
    cells = [
        f"{_letters(assignment)} → {_letters(pattern)} → {case}"
        for assignment, pattern, case in proof.correspondence
    ]
    for start in range(0, len(cells), _ACROSS):
        table.add_row(*cells[start : start + _ACROSS])
    return table


def _letters(pattern: tuple[int, ...]) -> str:
    return "".join("ijkl"[index] for index in pattern)

"""What the commands show on a terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from edgewise.cli.comparison import Comparison
    from edgewise.edges.result import EdgeTestResult

_PLAIN_WIDTH = 120  # pipes and files have no width of their own


def console(*, stderr: bool = False) -> Console:
    made = Console(stderr=stderr, highlight=False)
    return made if made.is_terminal else Console(stderr=stderr, highlight=False, width=_PLAIN_WIDTH)


def printable(name: str) -> str:
    """A name as text: control characters in it must not reach the terminal."""
    return "".join(character if character.isprintable() else "\ufffd" for character in name)


def edge_table(result: EdgeTestResult, most: int | None = None) -> Table:
    edges = result.edges()
    shown = edges if most is None else edges[:most]
    title = (
        f"{len(edges)} edges"
        if len(shown) == len(edges)
        else (f"The {len(shown)} strongest of {len(edges)} edges")
    )
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("edge")
    for heading in ("partial correlation", "statistic", "adjusted p"):
        table.add_column(heading, justify="right")
    for edge in shown:
        sign = "blue" if edge.partial_correlation > 0 else "red"
        table.add_row(
            Text(f"{printable(edge.source)} – {printable(edge.target)}"),
            Text(f"{edge.partial_correlation:+.3f}", style=sign),
            f"{edge.statistic:+.2f}",
            pvalue_text(edge.adjusted_pvalue),
        )
    return table


def pvalue_text(p: float) -> str:
    return "< 1e-300" if p < 1e-300 else f"{p:.2g}"


def comparison_table(rows: Sequence[Comparison]) -> Table:
    table = Table(title="The methods side by side", title_justify="left", title_style="bold")
    table.add_column("method")
    table.add_column("guarantee")
    for heading in ("threshold on |Θ|", "edges", "seconds"):
        table.add_column(heading, justify="right")
    for row in rows:
        if row.result is None:
            table.add_row(row.method, row.guarantee, Text(row.failure, style="yellow"), "–", "–")
            continue
        table.add_row(
            row.method,
            row.guarantee,
            _threshold_text(row.result),
            str(row.result.n_edges),
            f"{row.seconds:.3f}",
        )
    return table


def _threshold_text(result: EdgeTestResult) -> str:
    if isinstance(result.threshold, float):
        if math.isinf(result.threshold):
            needed = result.rows_needed
            return "infinite" if needed is None else f"infinite (needs {needed:,} rows)"
        return f"{result.threshold:.4g}"
    return f"{np.nanmedian(result.threshold):.4g} (median)"

"""What the commands show on a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from edgewise.methods.registry import DEFAULT_METHOD
from edgewise.results.intervals import interval_text
from edgewise.view.safe_names import printable

if TYPE_CHECKING:
    from edgewise.questions.compare_methods import Comparison
    from edgewise.questions.compare_null import NullComparison
    from edgewise.questions.plan import SamplePlan
    from edgewise.results.difference import EdgeDifferenceResult
    from edgewise.results.result import EdgeTestResult

_PLAIN_WIDTH = 120  # for pipes and files, which have no width


def console(*, stderr: bool = False) -> Console:
    made = Console(stderr=stderr, highlight=False)
    return made if made.is_terminal else Console(stderr=stderr, highlight=False, width=_PLAIN_WIDTH)


def edge_table(result: EdgeTestResult, most: int | None = None) -> Table:
    edges = result.edges()
    shown = edges if most is None else edges[:most]
    title = (
        f"{len(edges)} edge{'s' * (len(edges) != 1)}"
        if len(shown) == len(edges)
        else (f"The {len(shown)} strongest of {len(edges)} edges")
    )
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("edge")
    for heading in ("partial correlation", result.interval_label, "statistic", "adjusted p"):
        table.add_column(heading, justify="right")
    for edge in shown:
        sign = "blue" if edge.partial_correlation > 0 else "red"
        table.add_row(
            Text(f"{printable(edge.source)} – {printable(edge.target)}"),
            Text(f"{edge.partial_correlation:+.3f}", style=sign),
            interval_text(edge),
            f"{edge.statistic:+.2f}",
            pvalue_text(edge.adjusted_pvalue),
        )
    return table


def difference_table(result: EdgeDifferenceResult) -> Table:
    pairs = result.edges()
    title = f"{len(pairs)} pair{'s' * (len(pairs) != 1)} that differ{'s' * (len(pairs) == 1)}"
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("edge")
    headings = (*map(printable, result.group_names), "difference", result.interval_label)
    for heading in (*headings, "adjusted p"):
        table.add_column(Text(heading), justify="right")
    for pair in pairs:
        table.add_row(
            Text(f"{printable(pair.source)} – {printable(pair.target)}"),
            *(f"{rho:+.3f}" for rho in (pair.partial_correlation_a, pair.partial_correlation_b)),
            Text(f"{pair.difference:+.3f}", style="blue" if pair.difference > 0 else "red"),
            f"{pair.interval_low:+.3f} to {pair.interval_high:+.3f}",
            pvalue_text(pair.adjusted_pvalue),
        )
    return table


def pvalue_text(p: float) -> str:
    return "< 1e-300" if p < 1e-300 else f"{p:.2g}"


def comparison_table(lines: Sequence[Comparison]) -> Table:
    table = Table(title="The methods side by side", title_justify="left", title_style="bold")
    table.add_column("method")
    table.add_column("guarantee")
    for heading in ("threshold on |Θ|", "as |ρ|", "edges", "of score's", "seconds"):
        table.add_column(heading, justify="right")
    score = next((line.result for line in lines if line.method.name == DEFAULT_METHOD), None)
    for line in lines:
        if line.result is None:
            table.add_row(line.label, line.guarantee, "–", "–", "–", "–", "–")
            continue
        table.add_row(
            line.label,
            line.guarantee,
            _threshold_text(line.result),
            _correlation(line.threshold_on_partial_correlation()),
            str(line.result.n_edges),
            "–" if score is None else f"{line.shared_edges(score)}/{score.n_edges}",
            f"{line.seconds:.3f}",
        )
    return table


def null_table(lines: Sequence[NullComparison]) -> Table:
    n, rows = lines[0].n_shuffles, lines[0].n_samples
    title = f"{n:,} shuffle{'s' * (n != 1)} of {rows:,} rows, without any edges"
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("method")
    table.add_column("guarantee")
    for heading in ("shuffles with an edge", "share", "95 % band", "seconds"):
        table.add_column(heading, justify="right")
    for line in lines:
        tested, (low, high) = line.n_shuffles - line.n_failed, line.band
        table.add_row(
            line.label,
            line.guarantee,
            f"{line.n_with_edges:,}/{tested:,}",
            _percent(line.share),
            f"{_percent(low)} to {_percent(high)}" if tested else "–",
            f"{line.seconds:.3f}",
        )
    return table


def null_notes(lines: Sequence[NullComparison], alpha: float, *, corrected: bool) -> Iterator[str]:
    """What to know about the table: failures, what was promised, who broke it."""
    for line in lines:
        if line.n_failed:
            yield (
                f"{line.label}: failed in {line.n_failed:,} of {line.n_shuffles:,} shuffles, first "
                f"because: {line.failure}"
            )
    if corrected:
        above = [line.label for line in lines if line.band[0] > alpha]
        yield (
            f"A method that keeps its promise finds an edge in at most {_percent(alpha)} of the "
            f"shuffles. Clearly more often: {', '.join(above) or 'none'}."
        )
    else:
        yield "Without a correction, alpha is promised for each pair, not for all of them together."
    yield "Shuffling also breaks any dependence between rows, so this table says nothing about it."


def _percent(share: float) -> str:
    return "–" if math.isnan(share) else f"{100 * share:.3g} %"


def plan_table(plans: Sequence[tuple[str, str, SamplePlan | Exception]]) -> Table:
    table = Table(title="Rows needed", title_justify="left", title_style="bold")
    table.add_column("method")
    table.add_column("guarantee")
    for heading in ("typical pair", "hardest pair"):
        table.add_column(heading, justify="right")
    for name, guarantee, plan in plans:
        if isinstance(plan, Exception):
            table.add_row(name, guarantee, "–", "–")
            continue
        hardest = int(np.nanmax(plan.pairs))
        table.add_row(name, guarantee, f"{plan.n_samples:,}", f"{hardest:,}")
    return table


def _threshold_text(result: EdgeTestResult) -> str:
    if isinstance(result.threshold, float):
        if math.isinf(result.threshold):
            needed = result.rows_needed
            return "infinite" if needed is None else f"needs {needed:,} rows"
        return _number(result.threshold)
    return _number(float(np.nanmedian(result.threshold)))


def _number(value: float) -> str:
    return "infinite" if math.isinf(value) else f"{value:.3g}"


def _correlation(value: float) -> str:
    return "above 1" if 1 < value < math.inf else _number(value)

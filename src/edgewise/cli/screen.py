"""What the commands show on a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from edgewise.cli.fitting import Column, fitted
from edgewise.cli.plain_text import plain
from edgewise.methods.registry import DEFAULT_METHOD
from edgewise.results.intervals import interval_text
from edgewise.view.safe_names import printable, shortened_inside

if TYPE_CHECKING:
    from edgewise.errors import EdgewiseError
    from edgewise.questions.compare_methods import Comparison
    from edgewise.questions.compare_null import NullComparison
    from edgewise.questions.plan import Pilot, SamplePlan
    from edgewise.results.difference import EdgeDifferenceResult
    from edgewise.results.result import EdgeTestResult

_PLAIN_WIDTH = 120  # for pipes and files, which have no width
_USUAL_WIDTH, _LEAST_WIDTH = 80, 30
_GROUP_NAME = 12  # characters of the name of a group above a column


def console(*, stderr: bool = False) -> Console:
    made = Console(stderr=stderr, highlight=False)
    if not made.is_terminal:
        made.width = _PLAIN_WIDTH
    elif made.width < _LEAST_WIDTH:
        # Some terminals say that they have no columns when they do not know.
        made.width = _LEAST_WIDTH if made.width else _USUAL_WIDTH
    return made


def show(out: Console, text: str, *, wrap: bool | None = None) -> None:
    """Print a sentence, by default in lines that end between words if it goes to a terminal."""
    wraps = out.is_terminal if wrap is None else wrap
    out.print(Text(plain(printable(text), out.encoding)), soft_wrap=not wraps)


def edge_table(result: EdgeTestResult, out: Console, most: int | None = None) -> Table:
    edges = result.edges()
    shown = edges if most is None else edges[:most]
    title = (
        f"{len(edges)} edge{'s' * (len(edges) != 1)}"
        if len(shown) == len(edges)
        else (f"The {len(shown)} strongest of {len(edges)} edges")
    )
    columns = (
        Column("edge", "pairs", justify="left"),
        Column("partial correlation"),
        Column(result.interval_label, worth=2),
        Column("statistic", worth=1),
        Column("adjusted p", worth=3),
    )
    rows = [
        (
            (edge.source, edge.target),
            _signed(edge.partial_correlation),
            interval_text(edge),
            f"{edge.statistic:+.2f}",
            pvalue_text(edge.adjusted_pvalue),
        )
        for edge in shown
    ]
    return fitted(title, columns, rows, out)


def difference_table(result: EdgeDifferenceResult, out: Console) -> Table:
    pairs = result.edges()
    title = f"{len(pairs)} pair{'s' * (len(pairs) != 1)} that differ{'s' * (len(pairs) == 1)}"
    first, second = (shortened_inside(name, _GROUP_NAME) for name in result.group_names)
    columns = (
        Column("edge", "pairs", justify="left"),
        Column(first, worth=1),
        Column(second, worth=1),
        Column("difference"),
        Column(result.interval_label, worth=2),
        Column("adjusted p", worth=3),
    )
    rows = [
        (
            (pair.source, pair.target),
            f"{pair.partial_correlation_a:+.3f}",
            f"{pair.partial_correlation_b:+.3f}",
            _signed(pair.difference),
            f"{pair.interval_low:+.3f} to {pair.interval_high:+.3f}",
            pvalue_text(pair.adjusted_pvalue),
        )
        for pair in pairs
    ]
    return fitted(title, columns, rows, out)


def _signed(value: float) -> Text:
    return Text(f"{value:+.3f}", style="blue" if value > 0 else "red")


def pvalue_text(p: float) -> str:
    return "< 1e-300" if p < 1e-300 else f"{p:.2g}"


def comparison_table(lines: Sequence[Comparison], out: Console) -> Table:
    columns = (
        Column("method", justify="left"),
        Column("guarantee", "sentence", worth=4, justify="left"),
        Column("threshold on |Θ|", "words", worth=3),
        Column("as |ρ|", "words", worth=5),
        Column("edges"),
        Column("of score's", worth=2),
        Column("seconds", worth=1),
    )
    score = next((line.result for line in lines if line.method.name == DEFAULT_METHOD), None)
    rows = [
        (line.label, line.guarantee, *["–"] * 5)
        if line.result is None
        else (
            line.label,
            line.guarantee,
            _threshold_text(line.result),
            _correlation(line.threshold_on_partial_correlation()),
            str(line.result.n_edges),
            "–" if score is None else f"{line.shared_edges(score)}/{score.n_edges}",
            f"{line.seconds:.3f}",
        )
        for line in lines
    ]
    return fitted("The methods side by side", columns, rows, out)


def null_table(lines: Sequence[NullComparison], out: Console) -> Table:
    n, n_rows = lines[0].n_shuffles, lines[0].n_samples
    title = f"{n:,} shuffle{'s' * (n != 1)} of {n_rows:,} rows, without any edges"
    columns = (
        Column("method", justify="left"),
        Column("guarantee", "sentence", worth=5, justify="left"),
        Column("shuffles with an edge", worth=3),
        Column("share"),
        Column("95 % band", worth=4),
        Column("seconds", worth=1),
    )
    rows = []
    for line in lines:
        tested, (low, high) = line.n_shuffles - line.n_failed, line.band
        rows.append(
            (
                line.label,
                line.guarantee,
                f"{line.n_with_edges:,}/{tested:,}",
                _percent(line.share),
                f"{_percent(low)} to {_percent(high)}" if tested else "–",
                f"{line.seconds:.3f}",
            )
        )
    return fitted(title, columns, rows, out)


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


class PlanLine(NamedTuple):
    """A method, the rows that it needs, and what it finds now; or why that is not known."""

    method: str
    guarantee: str
    pilot: Pilot | None = None
    finds: float = math.nan
    plan: SamplePlan | None = None
    failure: EdgewiseError | None = None


def plan_table(lines: Sequence[PlanLine], out: Console, *, needed: bool) -> Table:
    """What the rows find; and how many are needed for an effect, if one was asked about."""
    columns = [
        Column("method", justify="left"),
        Column("guarantee", "sentence", worth=2, justify="left"),
        Column("your rows find"),
    ]
    if needed:
        columns += [Column("typical pair"), Column("hardest pair", worth=1)]
    rows = []
    for line in lines:
        cells = [line.method, line.guarantee]
        cells.append("–" if line.pilot is None else effect_text(line.finds))
        if line.plan is not None:
            counts = (line.plan.n_samples, int(np.nanmax(line.plan.pairs)))
            cells += [_rows(count, exact=not out.is_terminal) for count in counts]
        rows.append(cells + ["–"] * (len(columns) - len(cells)))
    title = "Rows needed, and what yours find" if needed else "What your rows find"
    return fitted(title, columns, rows, out)


def effect_text(effect: float) -> str:
    """A partial correlation in a plan; NaN where no effect is found."""
    return "none" if math.isnan(effect) else f"{effect:.3f}"


def _rows(count: int, *, exact: bool) -> str:
    """A number of rows; one that nobody will ever have is rounded, unless a program may read it."""
    return f"{count:,}" if exact or count < 1e9 else f"{float(f'{count / 1e9:.2g}'):,g} billion"


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

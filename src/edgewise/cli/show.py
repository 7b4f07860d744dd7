"""What the commands print: tables, notes and cautions, and what to do next."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import click
from click.core import ParameterSource
from rich.console import Console
from rich.table import Table
from rich.text import Text

from edgewise.cli.options import as_typed, method_parameters
from edgewise.cli.streams import info, output
from edgewise.plots.safe_names import printable, short_names, shortened_inside
from edgewise.results.summary import interval_text

if TYPE_CHECKING:
    from edgewise.api.compare_methods import Comparison
    from edgewise.results.difference import EdgeDifferenceResult
    from edgewise.results.result import EdgeTestResult

_MOST = 15  # edges that are printed


def print_table(
    headings: Sequence[str], rows: Iterable[Sequence[str | Text]], *, left: int = 1
) -> None:
    """Print a table whose first `left` columns hold text, the others numbers; no word is broken."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 120  # pipes and files have no width
    made = Table()
    for place, heading in enumerate(headings):
        justify: Literal["left", "right"] = "left" if place < left else "right"
        made.add_column(Text(printable(heading, "\n")), justify=justify, no_wrap=place >= left)
    for row in rows:
        made.add_row(*(cell if isinstance(cell, Text) else Text(printable(cell)) for cell in row))
    console.print(made)


def print_edges(result: EdgeTestResult, *, every: bool) -> None:
    """Print the strongest edges, or all."""
    edges = result.edges()
    shown = edges if every else edges[:_MOST]
    if not edges:
        return
    short = _short(result.feature_names, 52)
    rows = [
        (
            f"{short[edge.source]} – {short[edge.target]}",
            _signed(edge.partial_correlation),
            interval_text(edge),
            _pvalue(edge.adjusted_pvalue),
        )
        for edge in shown
    ]
    headings = ("edge", "partial\ncorrelation", _interval_heading(result), "adjusted p")
    print_table(headings, rows)
    if len(shown) < len(edges):
        left = len(edges) - len(shown)
        output(f"… and {left:,} weaker edge{'s' * (left != 1)} (--all-edges).")


def _interval_heading(result: EdgeTestResult | EdgeDifferenceResult) -> str:
    text = f"{100 * result.interval_level:.4g} % interval"
    return f"{text},\nall at once" if result.interval_family == "all pairs" else text


def _short(names: Sequence[str], taken: int) -> dict[str, str]:
    """Names for a pair in a table whose other columns take so many characters of a terminal."""
    console = Console()
    if not console.is_terminal:
        return {name: name for name in names}
    return dict(zip(names, short_names(names, max((console.width - taken) // 2, 6)), strict=True))


def print_differences(result: EdgeDifferenceResult, *, every: bool) -> None:
    pairs = result.edges()
    shown = pairs if every else pairs[:_MOST]
    groups = (shortened_inside(name, 10) for name in result.group_names)
    short = _short(result.feature_names, 74)
    rows = [
        (
            f"{short[pair.source]} – {short[pair.target]}",
            f"{pair.partial_correlation_a:+.3f}",
            f"{pair.partial_correlation_b:+.3f}",
            _signed(pair.difference),
            f"{pair.interval_low:+.3f} to {pair.interval_high:+.3f}",
            _pvalue(pair.adjusted_pvalue),
        )
        for pair in shown
    ]
    print_table(("pair", *groups, "difference", _interval_heading(result), "adj. p"), rows)
    if len(shown) < len(pairs):
        left = len(pairs) - len(shown)
        output(f"… and {left:,} more pair{'s' * (left != 1)} (--all-edges).")


def print_comparison(lines: Sequence[Comparison]) -> None:
    rows = []
    for line in lines:
        cells = ["–"] * 3
        if line.result is not None:
            rho, needed = line.threshold_on_partial_correlation(), line.result.rows_needed
            finds = "above 1" if rho > 1 else f"{rho:.3g}"
            if math.isinf(rho):
                finds = "infinite" if needed is None else f"needs {needed:,} rows"
            cells = [finds, str(line.result.n_edges), f"{line.seconds:.2f}"]
        rows.append([line.label, line.guarantee, *cells])
    print_table(("method", "guarantee", "|ρ| of an edge", "edges", "seconds"), rows, left=2)


def _signed(value: float) -> Text:
    return Text(f"{value:+.3f}", style="blue" if value > 0 else "red")


def _pvalue(p: float) -> str:
    return "< 1e-300" if p < 1e-300 else f"{p:.2g}"


def show_notes(notes: Iterable[str], cautions: Iterable[str]) -> None:
    """Print notes and cautions, each once."""
    for note in notes:
        info(as_typed(note))
    for caution in dict.fromkeys(map(str, cautions)):
        info(f"caution: {as_typed(caution)}")


def show_next(what: str, command: str = "") -> None:
    """Say in a line what to do now, with the command for it if there is one."""
    info(f"Next: {what}: {command}" if command else f"Next: {what}.", prefix="", keep="\n")


#: Cautions that the method which suits the rows has not; the last, hardly more than "batch".
_AVOIDED = {"dependence", "heavy tails", "dominant rows", "rare events", "few rows", "far tails"}


def next_of(result: EdgeTestResult, *, again: bool) -> tuple[str, ...] | None:
    """What to do after a test, if anything; only rows that can be read `again` can be tested so."""
    options = click.get_current_context().params
    kinds = {getattr(one, "kind", "") for one in result.cautions if getattr(one, "breaks", False)}
    if not again:
        return None
    if "levels" in kinds:
        if options["transform"] is not None:
            return None
        return "test the differences of consecutive rows", with_method(more=("--transform", "diff"))
    avoided = _AVOIDED & kinds - ({"far tails"} if result.method == "batch" else set())
    if result.method == "kendall":  # which asks another question
        batches = with_method("kendall", "--n-batches", "100")
        return ("put rows into batches", batches) if "dependence" in avoided else None
    if (avoided and not result.why) or result.rows_needed is not None:
        return "let edgewise choose the method", with_method()
    return None


def with_method(*method: str, more: Sequence[str] = ()) -> str:
    """A test of the same data with another method, whose options are not those of the last one."""
    without = {"method", *(one.name for one in method_parameters())}
    if click.get_current_context().params.get("correction") == "maxt":
        without.add("correction")  # not every method resamples
    return same_data("test", *(("--method", *method) if method else ()), *more, without=without)


#: Options of files that the next command is not asked to write, and of how it prints.
_OUTPUTS = {
    *("output", "json", "csv", "graph", "plot", "plot_kind", "report", "compare", "no_rows"),
    *("open", "verbose", "all_edges"),
}


def same_data(target: str, *more: str, without: Iterable[str | None] = ()) -> str:
    """Another command with the data and those options of this one that it has, to be copied."""
    context = click.get_current_context()
    program: Any = context.find_root().command
    other = program.get_command(context, target)
    known = {parameter.name for parameter in other.get_params(context)} - {*without, *_OUTPUTS}
    data: list[str] = []
    options: list[str] = []
    for parameter in context.command.get_params(context):
        name = parameter.name or ""
        if name not in known or context.get_parameter_source(name) != ParameterSource.COMMANDLINE:
            continue
        value = context.params[name]
        values = value if isinstance(value, tuple) else (value,)
        if isinstance(parameter, click.Argument):
            data += map(str, values)
            continue
        flag = max(parameter.opts, key=len)
        for one in values:
            if isinstance(one, bool):
                options += [flag] if one else parameter.secondary_opts[:1]
            else:
                options += [flag, str(one)]
    options += more
    # A file whose name begins like an option stands behind all options.
    if any(word.startswith("-") and word != "-" for word in data):
        return shlex.join(["edgewise", target, *options, "--", *data])
    return shlex.join(["edgewise", target, *data, *options])


def peak_memory() -> str:
    """The largest memory use of this process until now."""
    try:
        import resource
    except ImportError:  # Windows
        return "peak memory unknown"
    import sys

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    unit = 1 if sys.platform == "darwin" else 1024  # Linux counts in KiB, macOS in bytes
    return f"peak memory {most * unit / 2**20:,.0f} MB"

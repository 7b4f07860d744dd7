"""What the commands show on a terminal: sentences, tables, and what to do next."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import click
import numpy as np
from click.core import ParameterSource
from rich.console import Console
from rich.table import Table
from rich.text import Text

from edgewise.cli.options import method_parameters
from edgewise.methods.registry import DEFAULT_METHOD, registered
from edgewise.plots.safe_names import printable, shortened_inside
from edgewise.results.summary import interval_text

if TYPE_CHECKING:
    from edgewise.api.compare_methods import Comparison
    from edgewise.results.difference import EdgeDifferenceResult
    from edgewise.results.result import EdgeTestResult

_GROUP_NAME = 12  # characters of the name of a group above a column


def console(*, stderr: bool = False) -> Console:
    made = Console(stderr=stderr, highlight=False)
    if not made.is_terminal:
        made.width = 120  # pipes and files have no width
    return made


def show(out: Console, text: str = "", *, wrap: bool | None = None) -> None:
    """Print a sentence, by default in lines that end between words if it goes to a terminal."""
    wraps = out.is_terminal if wrap is None else wrap
    out.print(Text(printable(text)), soft_wrap=not wraps)


def table(
    title: str, headings: Sequence[str], rows: Iterable[Sequence[str | Text]], *, left: int = 1
) -> Table:
    """A table whose first `left` columns hold text, the others numbers."""
    made = Table(title=Text(printable(title)), title_justify="left", title_style="bold")
    for place, heading in enumerate(headings):
        justify: Literal["left", "right"] = "left" if place < left else "right"
        made.add_column(Text(printable(heading)), justify=justify, overflow="fold")
    for row in rows:
        made.add_row(*(cell if isinstance(cell, Text) else Text(printable(cell)) for cell in row))
    return made


def edge_table(result: EdgeTestResult, most: int | None = None) -> Table:
    edges = result.edges()
    shown = edges if most is None else edges[:most]
    title = f"{len(edges)} edge{'s' * (len(edges) != 1)}"
    if len(shown) < len(edges):
        title = f"The {len(shown)} strongest of {title}"
    headings = ("edge", "partial correlation", result.interval_label, "statistic", "adjusted p")
    rows = [
        (
            f"{edge.source} – {edge.target}",
            _signed(edge.partial_correlation),
            interval_text(edge),
            f"{edge.statistic:+.2f}",
            _pvalue(edge.adjusted_pvalue),
        )
        for edge in shown
    ]
    return table(title, headings, rows)


def difference_table(result: EdgeDifferenceResult) -> Table:
    pairs = result.edges()
    title = f"{len(pairs)} pair{'s' * (len(pairs) != 1)} that differ{'s' * (len(pairs) == 1)}"
    groups = (shortened_inside(name, _GROUP_NAME) for name in result.group_names)
    headings = ("edge", *groups, "difference", result.interval_label, "adjusted p")
    rows = [
        (
            f"{pair.source} – {pair.target}",
            f"{pair.partial_correlation_a:+.3f}",
            f"{pair.partial_correlation_b:+.3f}",
            _signed(pair.difference),
            f"{pair.interval_low:+.3f} to {pair.interval_high:+.3f}",
            _pvalue(pair.adjusted_pvalue),
        )
        for pair in pairs
    ]
    return table(title, headings, rows)


def comparison_table(lines: Sequence[Comparison]) -> Table:
    headings = (
        *("method", "guarantee", "threshold on |Θ|", "as |ρ|"),
        *("edges", "of score's", "seconds"),
    )
    score = next((line.result for line in lines if line.method.name == "score"), None)
    rows = []
    for line in lines:
        cells = ["–"] * 5
        if line.result is not None:
            as_rho = line.threshold_on_partial_correlation()
            cells = [
                _threshold(line.result),
                "above 1" if 1 < as_rho < math.inf else _number(as_rho),
                str(line.result.n_edges),
                "–" if score is None else f"{line.shared_edges(score)}/{score.n_edges}",
                f"{line.seconds:.3f}",
            ]
        rows.append([line.label, line.guarantee, *cells])
    return table("The methods side by side", headings, rows, left=2)


def _threshold(result: EdgeTestResult) -> str:
    threshold = result.threshold
    if not isinstance(threshold, float):
        return _number(float(np.nanmedian(threshold)))
    if math.isinf(threshold) and result.rows_needed is not None:
        return f"needs {result.rows_needed:,} rows"
    return _number(threshold)


def _number(value: float) -> str:
    return "infinite" if math.isinf(value) else f"{value:.3g}"


def _signed(value: float) -> Text:
    return Text(f"{value:+.3f}", style="blue" if value > 0 else "red")


def _pvalue(p: float) -> str:
    return "< 1e-300" if p < 1e-300 else f"{p:.2g}"


def show_next(out: Console, what: str, command: str = "") -> None:
    """Say what to do now, with the command for it below if both do not fit into one line."""
    show(out)
    line = f"Next, {what}: {command}" if command else f"Next, {what}."
    if not command or len(printable(line)) <= out.width:
        show(out, line, wrap=not command)
        return
    show(out, f"Next, {what}:")
    show(out, f"  {command}", wrap=False)


#: The method that holds on data that break the guarantee of another, by the kind of the caution.
_HOLDS = {
    "dependence": ("batch", "which allows for rows that depend on each other"),
    "heavy tails": ("score", "which does not need Gaussian rows"),
    "dominant rows": ("score", "which does not need Gaussian rows"),
    "rare events": ("score", "which does not need Gaussian rows"),
    "few rows": ("score", "which holds with few rows"),
    "far tails": ("kendall", "which needs no moments"),
}
#: Options of files that the next command is not asked to write.
_OUTPUTS = {"output", "json", "csv", "graphml", "graph", "plot", "plot_kind", "report"}


def after_test(result: EdgeTestResult, *, again: bool, page: str | None) -> tuple[str, ...]:
    """What to do after a test: use the method that fits, or plan, or look at the graph.

    Only rows that can be read `again` can be tested in another way; a state or a pipe cannot.
    """
    kinds = [getattr(one, "kind", "") for one in result.cautions if getattr(one, "breaks", False)]
    if "levels" in kinds:
        return ("do what the caution about trends says, and test again",)
    options = click.get_current_context().params
    if again:
        uneven = options["clusters"] or options["weights"] or options["missing"] == "pairwise"
        for kind in kinds:
            method, why = _HOLDS.get(kind, (result.method, ""))
            kept = registered()[method]
            wanted = {"clusters"} if options["clusters"] else {"missing"} if uneven else set()
            if options["transform"] and not options["clusters"]:
                wanted.add("transform")
            takes = wanted <= kept.supports
            if method != result.method and takes:
                return f"use method '{method}', {why}", with_method(method)
        if result.rows_needed is not None:
            return "test each edge by itself, which needs fewer rows", with_method("score")
        if not result.n_edges and not uneven:
            return "see which effects these rows can find", same_data("plan")
    if page is not None:
        return (f"open {page} in a browser",)
    what = "explore the graph in a browser"
    if "-" in options["data"]:
        what = f"pipe the same rows into another command to {what}"
    return what, same_data("report", "--open")


def with_method(method: str) -> str:
    """A test of the same data with another method, whose options are not those of the last one."""
    without = {"method", *(one.name for one in method_parameters())}
    correction = click.get_current_context().params.get("correction")
    # Not every method resamples.
    if correction == "maxt" and "maxt" not in registered()[method].supports:
        without.add("correction")
    chosen = () if method == DEFAULT_METHOD else ("--method", method)
    return same_data("test", *chosen, without=without)


def same_data(target: str, *more: str, without: Iterable[str | None] = ()) -> str:
    """Another command with the data and those options of this one that it has, to be copied."""
    context = click.get_current_context()
    program: Any = context.find_root().command
    other = program.get_command(context, target)
    of_pages = {"compare", "no_rows"} if target != "report" else set()
    left_out = {*without, *_OUTPUTS, *of_pages, "open_page", "verbose"}
    known = {parameter.name for parameter in other.get_params(context)} - left_out
    words: dict[bool, list[str]] = {True: [], False: []}
    for parameter in context.command.get_params(context):
        name = parameter.name or ""
        if name not in known or context.get_parameter_source(name) != ParameterSource.COMMANDLINE:
            continue
        is_data = isinstance(parameter, click.Argument)
        words[is_data] += _words(parameter, context.params[name])
    data, options = words[True], [*words[False], *more]
    # A file whose name begins like an option stands behind all options.
    if any(word.startswith("-") and word != "-" for word in data):
        return shlex.join(["edgewise", target, *options, "--", *data])
    return shlex.join(["edgewise", target, *data, *options])


def _words(parameter: click.Parameter, value: Any) -> list[str]:
    """How a parameter was given on the command line."""
    if isinstance(parameter, click.Argument):
        return [*map(str, value)] if isinstance(value, tuple) else [str(value)]
    name = max(parameter.opts, key=len)
    if isinstance(value, bool):
        return [name] if value else parameter.secondary_opts[:1]
    values = value if isinstance(value, tuple) else (value,)
    return [word for one in values for word in (name, str(one))]

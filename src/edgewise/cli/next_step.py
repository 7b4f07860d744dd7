"""What to do now: the one line that a command ends with."""

from __future__ import annotations

import math
import shlex
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from rich.console import Console

    from edgewise.inference.diagnosis import Diagnosis
    from edgewise.questions.compare_null import NullComparison
    from edgewise.questions.plan import SamplePlan
    from edgewise.results.result import EdgeTestResult

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
_WRITERS = (
    *("output", "json_file", "csv_file", "graphml", "graph", "plot", "plot_kind"),
    *("report", "open_page", "verbose"),
)
#: Options of a page, which only `report` always writes.
_OF_PAGES = ("compare", "no_rows")


class NextStep(NamedTuple):
    """What to do, as the end of a sentence that begins with "Next,"; and the command for it."""

    what: str
    command: str = ""


def tell_next(out: Console, step: NextStep) -> None:
    """Print it in one line, or the command below if both do not fit: no command is broken."""
    from edgewise.cli.plain_text import plain
    from edgewise.cli.screen import show
    from edgewise.view.safe_names import printable

    out.print()
    if not step.command:
        show(out, f"Next, {step.what}.")
        return
    line = f"Next, {step.what}: {step.command}"
    if len(plain(printable(line), out.encoding)) <= out.width:
        show(out, line, wrap=False)
        return
    show(out, f"Next, {step.what}:")
    show(out, f"  {step.command}", wrap=False)


def same_data(target: str, *more: str, without: Collection[str] = ()) -> str:
    """Another command for the data and options that this one was given, ready to be copied.

    Options that the other command does not have, those of files to write, and those `without` are
    left out.
    """
    from importlib import import_module

    context = click.get_current_context()
    other: click.Command = import_module(f"edgewise.cli.{target}").command
    left_out = {*without, *_WRITERS, *(() if target == "report" else _OF_PAGES)}
    known = {parameter.name for parameter in other.get_params(context)} - left_out
    data: list[str] = []
    options: list[str] = []
    for parameter in context.command.get_params(context):
        name = parameter.name or ""
        given = context.get_parameter_source(name) == ParameterSource.COMMANDLINE
        if given and name in known:
            words = data if isinstance(parameter, click.Argument) else options
            words += _words(parameter, context.params[name])
    # A file whose name begins like an option stands behind all options.
    if any(word.startswith("-") and word != "-" for word in data):
        return shlex.join(["edgewise", target, *options, *more, "--", *data])
    return shlex.join(["edgewise", target, *data, *options, *more])


def _words(parameter: click.Parameter, value: Any) -> list[str]:
    """How a parameter was given on the command line."""
    if isinstance(parameter, click.Argument):
        return [*map(str, value)] if isinstance(value, tuple) else [str(value)]
    name = max(parameter.opts, key=len)
    if isinstance(value, bool):
        return [name] if value else parameter.secondary_opts[:1]
    values = value if isinstance(value, tuple) else (value,)
    return [word for one in values for word in (name, str(one))]


def after_test(result: EdgeTestResult, *, again: bool = True, page: str | None = None) -> NextStep:
    """After a test: the method that fits, or a plan, or a look at the graph.

    Only rows that can be read `again` can be tested in another way; a state or a pipe cannot.
    """
    kinds = [getattr(one, "kind", "") for one in result.cautions if getattr(one, "breaks", False)]
    if "levels" in kinds:
        return NextStep("do what the caution about trends says, and test again")
    asked = click.get_current_context().params
    if again:
        for kind in kinds:
            method, why = _HOLDS.get(kind, (result.method, ""))
            if method != result.method and _takes(method, asked):
                return NextStep(f"use method '{method}', {why}", _with_method("test", method))
        if result.rows_needed is not None:
            return NextStep(
                "test each edge by itself, which needs fewer rows", _with_method("test", "score")
            )
        if not result.n_edges and not _has_special_rows(asked):
            return NextStep("see which effects these rows can find", same_data("plan"))
    if page is not None:
        return NextStep(f"open {page} in a browser")
    what = "explore the graph in a browser"
    if "-" in asked.get("data", ()):
        what = f"pipe the same rows into another command to {what}"
    return NextStep(what, same_data("report", "--open"))


def _has_special_rows(asked: Mapping[str, Any]) -> bool:
    """Whether rows belong together, count differently or lack values: there is no plan for them."""
    special = asked.get("groups") or asked.get("weights")
    return bool(special) or asked.get("missing") == "pairwise"


def _takes(name: str, asked: Mapping[str, Any]) -> bool:
    """Whether a method takes the rows that this command was asked about."""
    from edgewise.methods.registry import registered

    method = registered()[name]
    if asked.get("groups"):
        return method.takes_groups
    if asked.get("transform") and not method.takes_transform:
        return False
    return method.takes_uneven or not _has_special_rows(asked)


def _with_method(target: str, method: str) -> str:
    """The same data with another method, whose options are not those of the last one."""
    from edgewise.cli.method_options import method_parameters
    from edgewise.methods.registry import DEFAULT_METHOD, registered

    own = {parameter.name or "" for parameter in method_parameters()}
    # A budget chooses the method itself, and not every method resamples.
    without = {"method", "budget", *own}
    asked = click.get_current_context().params
    if asked.get("correction") == "maxt" and not registered()[method].resamples:
        without.add("correction")
    chosen = () if method == DEFAULT_METHOD else ("--method", method)
    return same_data(target, *chosen, without=without)


def after_advice(diagnosis: Diagnosis) -> NextStep:
    """After every method was shown: the test with the one that fits."""
    if diagnosis.recommended is None:
        return NextStep("do what the advice says, and ask again")
    return NextStep(
        f"test with method '{diagnosis.recommended}'", _with_method("test", diagnosis.recommended)
    )


def after_null(lines: Sequence[NullComparison], alpha: float, *, corrected: bool) -> NextStep:
    """After shuffles: a test that kept its promise in them, which only corrected tests make."""
    kept = next((one.method.name for one in lines if corrected and one.band[0] <= alpha), None)
    if kept is None:
        plain = same_data("compare", without=("null", "shuffles", "seed"))
        return NextStep("see what the data say about the methods", plain)
    what = f"test with method '{kept}', which kept its promise"
    return NextStep(what, _with_method("test", kept))


def after_plan(plan: SamplePlan | None, method: str, n_samples: int, effect: float) -> NextStep:
    """After a plan: collect rows, or test; without one, ask about half of what is found now."""
    if plan is not None and plan.n_samples <= n_samples:
        return NextStep("your rows are enough, so test them", _with_method("test", method))
    if plan is not None:
        more = plan.n_samples - n_samples
        return NextStep(f"collect {more:,} more rows, or plan for a larger effect")
    known = math.isfinite(effect)
    what = "see how many rows half of that needs" if known else "see how many rows are enough"
    wanted = f"{effect / 2:.2g}" if known else "0.5"
    return NextStep(what, same_data("plan", "--effect", wanted))

"""What to do now: the one line that a command ends with."""

from __future__ import annotations

import math
import shlex
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from pathlib import Path

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
#: Options that only some methods take, and those of them that do.
_TAKEN_BY = {
    "n_groups": ("score", "wald"),
    "weights": ("score", "wald", "batch"),
    "missing": ("score", "wald", "batch"),
}


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
    known = {parameter.name for parameter in other.get_params(context)} - {*without, *_WRITERS}
    words: list[str] = []
    for parameter in context.command.get_params(context):
        name = parameter.name or ""
        given = context.get_parameter_source(name) == ParameterSource.COMMANDLINE
        if given and name in known:
            words += _words(parameter, context.params[name])
    return shlex.join(["edgewise", target, *words, *more])


_WRITERS = ("output", "json_file", "csv_file", "plot", "report", "open_page", "verbose")


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
    if again:
        for kind in kinds:
            method, why = _HOLDS.get(kind, (result.method, ""))
            if method != result.method and _takes(method, result):
                return NextStep(f"use method '{method}', {why}", _with_method("test", method))
        if result.rows_needed is not None:
            return NextStep(
                "test each edge by itself, which needs fewer rows", _with_method("test", "score")
            )
        if not result.n_edges:
            return NextStep("see which effects these rows can find", same_data("plan"))
    if page is not None:
        return NextStep(f"open {page} in a browser")
    return NextStep("explore the graph in a browser", same_data("report", "--open"))


def _takes(method: str, result: EdgeTestResult) -> bool:
    return all(method in takers for name, takers in _TAKEN_BY.items() if name in result.options)


def _with_method(target: str, method: str) -> str:
    """The same data with another method, whose options are not those of the last one."""
    from edgewise.cli.method_options import method_parameters
    from edgewise.methods.registry import DEFAULT_METHOD

    own = {parameter.name or "" for parameter in method_parameters()}
    chosen = () if method == DEFAULT_METHOD else ("--method", method)
    return same_data(target, *chosen, without={"method", *own})


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
    wanted = f"{effect / 2:.1g}" if known else "0.5"
    return NextStep(what, same_data("plan", "--effect", wanted))


def after_reproduction(studies: Iterable[str], folders: Sequence[Path], scale: str) -> NextStep:
    """After studies: their pages, and the next scale."""
    from edgewise.studies.study import SCALES

    page = folders[0] / "README.md" if len(folders) == 1 else folders[0].parent
    larger = SCALES[SCALES.index(scale) + 1 :]
    if not larger:
        return NextStep(f"read {page}")
    output = [] if folders[0].parent.name == "reproduction" else ["-o", str(folders[0].parent)]
    command = ["edgewise", "reproduce", *studies, "--scale", larger[0], *output]
    return NextStep("make more draws, which decide more claims", shlex.join(command))

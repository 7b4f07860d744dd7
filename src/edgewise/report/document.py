"""From a result to one self-contained HTML page.

The page holds the p-values of all pairs and decides again in the browser; `script` takes the
same steps as `edgewise.inference.corrections`. Nothing in it comes from elsewhere, and a content
security policy with the hashes of its one style and one script forbids everything else.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from edgewise._linalg import BoolArray, FloatArray
from edgewise._optional import require
from edgewise._version import __version__
from edgewise.methods.registry import registered
from edgewise.plots.safe_names import printable
from edgewise.report import page, story
from edgewise.report.payload import LARGEST_ALPHA, Graph, graph_of, payload
from edgewise.results.result import EdgeTestResult, chosen_pairs
from edgewise.results.summary import (
    condition,
    imputed,
    is_chosen,
    lacking,
    meaning,
    missing_value_notes,
)

_PIECES = ("page", "graph", "table", "figures")


@dataclass(frozen=True)
class LadderLine:
    """A line of the ladder, as text."""

    name: str
    guarantee: str
    threshold: str
    edges: str


@dataclass(frozen=True)
class Context:
    """What is known beyond the result: about the data, other methods, and how it was made.

    `fitting` is the result of another method, if the data break the condition of the one that was
    asked for; `decisions` are the edges of each method; `scores` are sampled rows, each column as
    the residual of a variable given all others.
    """

    title: str = "Which variables are connected?"
    facts: Sequence[tuple[str, str]] = ()
    advice: str = ""
    ladder: Sequence[LadderLine] = ()
    ladder_correction: str | None = None
    ladder_note: str = ""
    command: str = ""
    fitting: EdgeTestResult | None = None
    decisions: Mapping[str, BoolArray] = field(default_factory=dict)
    scores: FloatArray | None = None


def report_html(result: EdgeTestResult, context: Context) -> str:
    """The page.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> X = np.random.default_rng(0).standard_normal((500, 3))
    >>> report_html(ew.edge_test(X), Context()).startswith("<!doctype html>")
    True
    """
    require("jinja2", "plot", "A report")
    from jinja2 import DictLoader, Environment

    pieces = {name: page.own_file(f"html/{name}.html") for name in _PIECES}
    templates = Environment(autoescape=True, loader=DictLoader(pieces))
    # `tojson` escapes what could end the element; NaN would be no JSON.
    templates.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    graph = graph_of(result)
    return templates.get_template("page").render(
        **_sources(result, graph, context),
        **_story(result, graph, context),
        title=printable(context.title),
        adjusted=_adjusted(result),
        chosen=is_chosen(result),
        largest_alpha=max(LARGEST_ALPHA, result.alpha),
        alpha=f"{result.alpha:g}",
        correction=context.ladder_correction,
        facts=[(name, printable(value)) for name, value in [*_facts(result), *context.facts]],
        lacking=[one._replace(name=printable(one.name)) for one in lacking(result)],
        advice=context.advice,
        ladder=context.ladder,
        ladder_note=context.ladder_note,
        contents=_contents(result, context),
        command=printable(context.command) or _python_call(result),
        version=__version__,
        versions=f"edgewise {__version__}, NumPy {np.__version__}, Python "
        f"{platform.python_version()}",
    )


def _sources(result: EdgeTestResult, graph: Graph, context: Context) -> dict[str, Any]:
    """Style, script and data, and the hashes that allow them."""
    from markupsafe import Markup

    style, script = page.style(*page.STYLES), page.script()
    return {
        "style": Markup(style),  # noqa: S704  our own file
        "script": Markup(script),  # noqa: S704
        "style_hash": page.content_hash(style),
        "script_hash": page.content_hash(script),
        "data": payload(
            result,
            graph,
            fitting=context.fitting,
            decisions=context.decisions,
            scores=context.scores,
        ),
    }


def _story(result: EdgeTestResult, graph: Graph, context: Context) -> dict[str, Any]:
    """What a reader sees first."""
    fitting = context.fitting
    return {
        "question": story.question(result),
        "answer": story.answer(result),
        "tiles": story.tiles(result, graph),
        "trust": story.trust(result),
        "sentences": story.sentences(result, graph),
        "meaning": meaning(result.provenance),
        "fitting": None if fitting is None else story.offer(result, fitting),
        "cautions": _cautions(result, "below" if context.ladder else ""),
        "reading": f"Tested by method “{result.method}”. What it promises holds for "
        f"{condition(result)}.",
    }


def _contents(result: EdgeTestResult, context: Context) -> str:
    """What the file holds, for whoever passes it on."""
    tested = "tested " * (result.tested is not None)
    held = f"the estimates and p-values of all {tested}pairs"
    if context.scores is None:
        held += ", and no rows of the data"
    else:
        held += (
            f", and {len(context.scores):,} sampled rows as residuals, for the scatter plots; "
            "--no-rows or rows=False leaves them out"
        )
    return f"This page is a single file. It loads nothing from the network. It holds {held}."


def _adjusted(result: EdgeTestResult) -> str:
    """What the table says about pairs that are not in it; nothing if all are."""
    if result.tested is None:
        return ""
    corrected = f"{result.n_pairs:,} pair{'s' * (result.n_pairs != 1)}"
    told = f"Tested and corrected for: {corrected}{' that were chosen' * is_chosen(result)}."
    if not result.given:
        return told
    # Every name, and not only the first few: this is what a paper must say.
    names = printable(", ".join(result.given))
    return f"Adjusted for, but not tested: {names}. {told}"


def _cautions(result: EdgeTestResult, where: str) -> list[str]:
    """What a reader must know before the figures; the most important first."""
    told = [printable(caution) for caution in result.cautions]
    if result.rows_needed is None:
        return told
    few = (
        f"The rows are too few for this method: its threshold is infinite, so it finds no edge. "
        f"About {result.rows_needed:,} rows would make it finite; method “score” needs fewer"
        f"{', as the table of methods ' + where + ' shows' if where else ''}."
    )
    return [few, *told]


def _facts(result: EdgeTestResult) -> list[tuple[str, str]]:
    clusters, copies = result.provenance.n_clusters, imputed(result.provenance)
    rows = f"{result.n_samples:,}" + (f" in {clusters:,} clusters" if clusters else "")
    facts = [
        ("rows", rows + f", {copies}" * bool(copies)),
        ("variables", f"{len(result.tested_columns()):,}"),
    ]
    if result.given:
        facts.append(("adjusted for", ", ".join(result.given)))
    if result.tested is not None:
        facts.append(("pairs tested", f"{result.n_pairs:,}{' chosen' * is_chosen(result)}"))
    facts += [("missing values and weights", sentence) for sentence in missing_value_notes(result)]
    tested = f"{result.method}, α = {result.alpha:g}"
    if result.correction is not None:
        tested += f", {result.correction}"
    # What was pooled is told in a sentence.
    options = {name: value for name, value in result.options.items() if name != "pooled"}
    if options:
        tested += ", " + ", ".join(f"{name} {value}" for name, value in options.items())
    facts.append(("tested with", tested))
    return facts


def _python_call(result: EdgeTestResult) -> str:
    given: dict[str, Any] = {"method": result.method, "alpha": result.alpha}
    if result.radius is None:
        given["correction"] = result.correction
    kind = registered().get(result.method)
    if kind is not None:
        given |= kind.options_in(result.measurement.options)
    for name in ("min_effect", "transform", "missing", "weights"):
        if name in result.options:
            given[name] = result.options[name]
    if result.n_dropped:
        given["missing"] = "drop"
    if (pairs := chosen_pairs(result)) is not None:
        given["pairs"] = pairs  # without these, all other columns are adjusted for
    elif result.given:
        given["given"] = list(result.given)
    shown = {name: repr(value) for name, value in given.items()}
    if given.get("weights") == "given":
        shown["weights"] = "weights"  # an array that the result does not keep
    arguments = ", ".join(f"{name}={value}" for name, value in shown.items())
    if result.provenance.n_copies is not None:
        return f"edgewise.pool([edgewise.edge_test(data, {arguments}) for data in copies])"
    return f"edgewise.edge_test(data, {arguments})"

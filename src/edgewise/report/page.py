"""From a result to one self-contained HTML page.

The page holds the p-values of all pairs and decides again in the browser; `script` takes the
same steps as `edgewise.inference.corrections`. Nothing in it comes from elsewhere, and a content
security policy with the hashes of its one style and one script forbids everything else.
"""

from __future__ import annotations

import base64
import hashlib
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import numpy as np

from edgewise._linalg import BoolArray, FloatArray
from edgewise._optional import require
from edgewise._version import __version__
from edgewise.methods.registry import registered
from edgewise.plots.safe_names import printable
from edgewise.report import headline
from edgewise.report.payload import LARGEST_ALPHA, payload, shown_graph
from edgewise.results.result import EdgeTestResult, chosen_pairs
from edgewise.results.summary import (
    condition,
    imputed,
    is_chosen,
    lacking,
    meaning,
    missing_value_notes,
    percent,
)

#: The script of a report, in the order in which its parts need each other.
_SCRIPTS = [
    "core",
    "decisions",
    "controls",
    "graph_places",
    "graph_scene",
    "graph_labels",
    "graph_paint",
    "graph_tools",
    "graph_events",
    "graph_saving",
    "graph",
    "card",
    "sidebar",
    "table",
    "pictures",
    "heatmap",
    "centrality",
    "agreement",
    "detectable",
    "main",
]
#: What holds on paper comes last, because it overrules the others.
STYLES = ("base", "graph", "sidebar", "table", "figures", "print")
_PIECES = ("page", "graph", "table", "figures")


def own_file(name: str) -> str:
    """The text of a file of this package."""
    return files("edgewise.report").joinpath(name).read_text(encoding="utf-8")


def script() -> str:
    """The script of a report: all its parts in one function, so that nothing else sees them."""
    parts = "".join(own_file(f"script/{name}.js") for name in _SCRIPTS)
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


def style(*names: str) -> str:
    """The style sheet with these parts."""
    return "".join(own_file(f"style/{name}.css") for name in names)


def content_hash(text: str) -> str:
    """The name of a source in a content security policy."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode()


@dataclass(frozen=True)
class Context:
    """What is known beyond the result: about the data, other methods, and how it was made.

    `methods` are lines of the table of methods (name, guarantee, threshold, edges) and `decisions`
    the edges of each; `scores` are sampled rows, each column as the residual of a variable given
    all others.
    """

    title: str = "Which variables are connected?"
    facts: Sequence[tuple[str, str]] = ()
    advice: str = ""
    methods: Sequence[tuple[str, str, str, str]] = ()
    methods_correction: str | None = None
    methods_note: str = ""
    command: str = ""
    decisions: Mapping[str, BoolArray] = field(default_factory=dict)
    scores: FloatArray | None = None


def report_html(result: EdgeTestResult, context: Context) -> str:
    """The page."""
    require("jinja2", "plot", "A report")
    from jinja2 import DictLoader, Environment
    from markupsafe import Markup

    pieces = {name: own_file(f"html/{name}.html") for name in _PIECES}
    templates = Environment(autoescape=True, loader=DictLoader(pieces))
    # `tojson` escapes what could end the element; NaN would be no JSON.
    templates.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    own_style, own_script = style(*STYLES), script()
    graph, short = shown_graph(result)
    too_few = result.rows_needed is not None
    return templates.get_template("page").render(
        style=Markup(own_style),  # noqa: S704  our own file
        script=Markup(own_script),  # noqa: S704
        style_hash=content_hash(own_style),
        script_hash=content_hash(own_script),
        data=payload(result, graph, short, context.decisions, context.scores),
        question=headline.question(result),
        answer=headline.answer(result),
        cards=headline.cards(result, graph, short),
        badge=headline.badge(
            result.method, len(result.cautions), headline.is_avoidable(result), too_few
        ),
        sentences=[*map(printable, headline.sentences(result, graph, short))],
        meaning=meaning(result.provenance),
        method=result.method,
        cautions=_cautions(result),
        condition=condition(result),
        title=printable(context.title),
        adjusted=_adjusted(result),
        interval_note=result.interval_note,
        largest_alpha=max(LARGEST_ALPHA, result.alpha),
        alpha=f"{result.alpha:g}",
        correction=context.methods_correction,
        facts=[(name, printable(value)) for name, value in [*_facts(result), *context.facts]],
        lacking=[
            (printable(name), f"{values:,} ({percent(share)})", f"{max(100 * share, 0.6):.2f}")
            for name, values, share in lacking(result)
        ],
        advice=context.advice,
        methods=context.methods,
        methods_note=context.methods_note,
        methods_text=[*map(printable, result.methods_text().splitlines())],
        contents=_contents(result, context),
        command=printable(context.command) or _python_call(result),
        version=__version__,
        versions=f"edgewise {__version__}, NumPy {np.__version__}, Python "
        f"{platform.python_version()}",
    )


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
    text = f"Tested and corrected for: {corrected}{' that were chosen' * is_chosen(result)}."
    # Every name, and not only the first few: this is what a paper must say.
    names = printable(", ".join(result.given))
    return f"Adjusted for, but not tested: {names}. {text}" if names else text


def _cautions(result: EdgeTestResult) -> list[str]:
    """What a reader must know before the figures; the most important first."""
    cautions = [printable(caution) for caution in result.cautions]
    if result.rows_needed is None:
        return cautions
    few = (
        "The rows are too few for this method: its threshold is infinite, so it finds no edge. "
        f"About {result.rows_needed:,} rows would make it finite; method “score” needs fewer."
    )
    return [few, *cautions]


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
    tested = [result.method, f"α = {result.alpha:g}", *filter(None, [result.correction])]
    options = result.options.items()
    tested += [f"{name} {value}" for name, value in options if name != "pooled"]
    return [*facts, ("tested with", ", ".join(tested))]


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

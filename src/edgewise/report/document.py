"""From a result to one self-contained HTML page.

The page holds the p-values of all pairs and decides again in the browser; `script.js` takes the
same steps as `edgewise.inference.corrections`. Nothing in it comes from elsewhere, and a content
security policy with the hashes of its one style and one script forbids everything else.
"""

from __future__ import annotations

import base64
import json
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgewise._base.matrices import pairs_of
from edgewise._base.parts import part
from edgewise._base.types import FloatArray
from edgewise._version import __version__
from edgewise.inference.effect import MinEffect
from edgewise.inference.measurement import Uncertainty
from edgewise.methods.registry import registered
from edgewise.report.page import (
    CONDITION_OF_GROUPS,
    content_hash,
    own_file,
    unit_square,
)
from edgewise.results.missing_values import lacking, told_of_missing
from edgewise.results.pooled import MISSING, POOLED, imputed
from edgewise.results.result import EdgeTestResult
from edgewise.results.tested import chosen_pairs, given_names, is_chosen, tested_part
from edgewise.results.transformed import meaning
from edgewise.view.graph_files import distinct_texts
from edgewise.view.heatmap import clustered_order
from edgewise.view.layout import node_positions
from edgewise.view.safe_names import printable

#: Minimal effects that a reader can choose among; their p-values are computed beforehand.
EFFECTS = (0.0, 0.05, 0.1, 0.2, 0.3)
#: With more variables the page keeps only what was tested, to stay small.
_MANY_FEATURES = 300
_SMALLEST_ALPHA, _LARGEST_ALPHA = 1e-6, 0.2

# These are promises about the rule, not about the edges found this time. Further down, the page
# says under which condition they hold.
_WHERE = ", where its condition holds."
_FAMILY_WISE = "The rule finds any false edge with probability at most {alpha}" + _WHERE
_SHARE = "On average at most {percent} % of the edges it finds are false" + _WHERE
_PROMISES = {
    "bound": _FAMILY_WISE,
    "holm": _FAMILY_WISE,
    "bonferroni": _FAMILY_WISE,
    "maxt": _FAMILY_WISE,
    "bh": _SHARE,
    "by": _SHARE,
    "none": "Each pair is tested by itself: a pair without an edge is called an edge with "
    "probability {alpha}.",
}


@dataclass(frozen=True)
class LadderLine:
    """A line of the ladder, as text."""

    name: str
    guarantee: str
    threshold: str
    edges: str


@dataclass(frozen=True)
class Context:
    """What is known beyond the result: about the data, other methods, and how it was made."""

    title: str = "Which variables are connected?"
    facts: Sequence[tuple[str, str]] = ()
    advice: str = ""
    ladder: Sequence[LadderLine] = ()
    ladder_correction: str | None = None
    ladder_note: str = ""
    command: str = ""


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
    part("jinja2", "plot", "A report")
    from jinja2 import Environment
    from markupsafe import Markup

    template, style, script = map(own_file, ("template.html", "style.css", "script.js"))
    page = Environment(autoescape=True).from_string(template)
    bound = result.correction is None and result.radius is not None
    promise = _PROMISES["bound" if bound else result.correction or "none"]
    return page.render(
        title=printable(context.title),
        style=Markup(style),  # noqa: S704  our own file
        script=Markup(script),  # noqa: S704
        style_hash=content_hash(style),
        script_hash=content_hash(script),
        data=Markup(_safe_json(_data(result, bound))),  # noqa: S704  no "<" is left in it
        question=_question(result),
        adjusted=_adjusted(result),
        meaning=meaning(result.options),
        chosen=is_chosen(result),
        answer=_answer(result, promise),
        cautions=_cautions(result, "below" if context.ladder else ""),
        largest_alpha=max(_LARGEST_ALPHA, result.alpha),
        alpha=f"{result.alpha:g}",
        correction=context.ladder_correction,
        facts=[(name, printable(value)) for name, value in [*_facts(result), *context.facts]],
        lacking=[one._replace(name=printable(one.name)) for one in lacking(result)],
        advice=context.advice,
        ladder=context.ladder,
        ladder_note=context.ladder_note,
        reading=f"Tested by method “{result.method}”. What it promises holds for "
        f"{_condition(result)}.",
        command=printable(context.command) or _python_call(result),
        version=__version__,
        versions=f"edgewise {__version__}, NumPy {np.__version__}, Python "
        f"{platform.python_version()}",
    )


def _question(result: EdgeTestResult) -> str:
    if is_chosen(result):
        return f"Which of {result.n_pairs:,} chosen pairs are connected, given all other variables?"
    variables = f"Which of these {len(result.tested_columns())} variables are connected, given"
    others = "all others" if not result.given else f"the others, {printable(given_names(result))}"
    few = "" if result.selection is None else " (of which each pair is adjusted for a few)"
    return f"{variables} {others}{few}?"


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


def _count(result: EdgeTestResult) -> str:
    pairs = result.n_pairs
    is_are = "is" if result.n_edges == 1 else "are"
    beyond = ""
    if "min_effect" in result.options:
        scale = str(result.options["effect_scale"]).replace("_", " ")
        beyond = f" with |{scale}| above {result.options['min_effect']:g}"
    return f"{result.n_edges:,} of {pairs:,} pair{'s' * (pairs != 1)} {is_are} connected{beyond}."


def _answer(result: EdgeTestResult, promise: str) -> str:
    """How many edges were found and, if there are any, what the rule promises."""
    if not result.n_edges:
        return _count(result)
    promised = promise.format(alpha=f"{result.alpha:g}", percent=f"{100 * result.alpha:g}")
    return f"{_count(result)} {promised}"


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
    groups, copies = result.options.get("n_groups"), imputed(result.options)
    rows = f"{result.n_samples:,}" + (f" in {groups:,} groups" if groups else "")
    facts = [
        ("rows", rows + f", {copies}" * bool(copies)),
        ("variables", f"{len(result.tested_columns()):,}"),
    ]
    if result.given:
        facts.append(("adjusted for", ", ".join(result.given)))
    if result.tested is not None:
        facts.append(("pairs tested", f"{result.n_pairs:,}{' chosen' * is_chosen(result)}"))
    facts += [("missing values and weights", sentence) for sentence in told_of_missing(result)]
    tested = f"{result.method}, α = {result.alpha:g}"
    if result.correction is not None:
        tested += f", {result.correction}"
    # What was pooled is told in a sentence.
    options = {k: value for k, value in result.options.items() if k not in (POOLED, MISSING)}
    if options:
        tested += ", " + ", ".join(f"{name} {value}" for name, value in options.items())
    facts.append(("tested with", tested))
    return facts


def _condition(result: EdgeTestResult) -> str:
    """What the rows must be like for the promise to hold."""
    condition = _condition_of_rows(result)
    if POOLED in result.options:
        condition += (
            "; and here if values are missing at random given those that are there, and the "
            "imputations are draws from a model that fits"
        )
    return condition


def _condition_of_rows(result: EdgeTestResult) -> str:
    if "n_groups" in result.options:
        return CONDITION_OF_GROUPS
    kind = registered().get(result.method)
    condition = "what its authors say" if kind is None else kind.condition
    if "transform" in result.options:
        condition += ", and here if they are Gaussian up to an increasing change of each column"
    if result.pair_rows is not None:
        condition += ", whose values are missing completely at random"
    return condition


def _python_call(result: EdgeTestResult) -> str:
    given: dict[str, Any] = {"method": result.method, "alpha": result.alpha}
    if result.radius is None:
        given["correction"] = result.correction
    kind = registered().get(result.method)
    if kind is not None:
        given |= kind.asked(result.options)
    for name in ("min_effect", "effect_scale", "transform", "missing", "weights"):
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
    if POOLED in result.options:
        return f"edgewise.pool([edgewise.edge_test(data, {arguments}) for data in copies])"
    return f"edgewise.edge_test(data, {arguments})"


def _data(result: EdgeTestResult, bound: bool) -> dict[str, Any]:
    """The data that the script works with: of tested columns and pairs only."""
    upper, part = result.tested_pairs(), tested_part(result)
    effects, chosen = _effects(result)
    document: dict[str, Any] = {
        "names": list(distinct_texts(part.feature_names, printable).values()),
        "given": printable(", ".join(result.given)),
        "meaning": " ".join(meaning(result.options)),
        "pairs": None if part.tested is None else np.transpose(part.tested_pairs()).tolist(),
        "alpha": result.alpha,
        "smallestAlpha": min(_SMALLEST_ALPHA, result.alpha),
        "largestAlpha": max(_LARGEST_ALPHA, result.alpha),
        "bound": bound,
        "correction": "none" if bound else result.correction or "none",
        "promises": _PROMISES,
        "rho": _encoded(result.partial_correlation[upper], np.float32),
        "effects": effects,
        "effect": chosen,
        "maxt": None,
        "low": None,
        "high": None,
        "positions": unit_square(node_positions(part)).round(4).tolist(),
        "order": np.asarray(clustered_order(part.partial_correlation)).tolist(),
    }
    if result.correction == "maxt":
        document["maxt"] = _encoded(np.log(result.adjusted_pvalue[upper]), np.float64)
    if result.uncertainty is not None and result.n_features <= _MANY_FEATURES:
        ends = result.shown_interval()
        document["low"], document["high"] = (_encoded(end[upper], np.float32) for end in ends)
        document["intervalLabel"] = result.interval_label
    return document


def _effects(result: EdgeTestResult) -> tuple[list[dict[str, Any]], int]:
    """Log p-values for each minimal effect that can be chosen, and which one was tested."""
    own = MinEffect(
        float(result.options.get("min_effect", 0.0)),
        str(result.options.get("effect_scale", "partial_correlation")),
    )
    tested = result.log_pvalue[result.tested_pairs()]
    rule = result.uncertainty
    if rule is None or result.n_features > _MANY_FEATURES or own.scale != "partial_correlation":
        label = "as tested" if own.value else "0: any"
        if own.value:
            label = f"{own.value:g} ({own.scale.replace('_', ' ')}, as tested)"
        value = own.value if own.scale == "partial_correlation" else 0.0
        return [{"value": value, "label": label, "logp": _encoded(tested, np.float64)}], 0
    made = []
    values = sorted({*EFFECTS, own.value})
    for value in values:
        log_p = tested if value == own.value else _at_effect(result, rule, value)
        label = f"{value:g}" if value else "0: any"
        made.append({"value": value, "label": label, "logp": _encoded(log_p, np.float64)})
    return made, values.index(own.value)


def _at_effect(result: EdgeTestResult, rule: Uncertainty, value: float) -> FloatArray:
    """Log p-values of the tested pairs for another minimal effect."""
    log_p = rule.log_pvalues(result, MinEffect(value))
    return log_p if result.tested is None else log_p[pairs_of(result.tested)]


def _encoded(values: FloatArray, dtype: Any) -> str:
    """Little-endian numbers in base 64: exact, and a third of their size as text."""
    little = np.ascontiguousarray(values, dtype=np.dtype(dtype).newbyteorder("<"))
    return base64.b64encode(little.tobytes()).decode("ascii")


def _safe_json(document: dict[str, Any]) -> str:
    """JSON that can neither close the element that holds it nor open another."""
    text = json.dumps(document, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")

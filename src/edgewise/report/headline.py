"""What a report says first: a badge, three numbers, and a few sentences."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from edgewise.plots.layout import Graph
from edgewise.plots.safe_names import printable
from edgewise.results.detectable import detected_effect
from edgewise.results.result import EdgeTestResult
from edgewise.results.summary import adjusted_for, is_chosen, lagged_edges, number_text

#: The power of a correlation that rows "can detect".
POWER = 0.8
# Promises of the rule, not of the edges found this time. The badge says what they assume, and where
# that fails the page does not repeat them.
_ANY = "If the assumptions hold, the chance of even one false edge is at most {percent} %."
_SHARE = "If the assumptions hold, on average at most {percent} % of the edges are false."
PROMISES = {
    **dict.fromkeys(("bound", "holm", "bonferroni", "maxt"), _ANY),
    **dict.fromkeys(("bh", "by"), _SHARE),
    "none": "Each pair is tested by itself: a pair without an edge is called an edge with "
    "probability {alpha}.",
}


class Badge(NamedTuple):
    """Whether the data suit the test: "good", "care" or "broken", in a few words."""

    kind: str
    text: str


def is_bound(result: EdgeTestResult) -> bool:
    """Whether one bound decides for all pairs, so that nothing is corrected."""
    return result.correction is None and result.radius is not None


def breaking(result: EdgeTestResult) -> list[str]:
    """The cautions that take the guarantee away."""
    return [printable(one) for one in result.cautions if getattr(one, "breaks", False)]


def is_avoidable(result: EdgeTestResult) -> bool:
    """Whether another test of the question would keep a guarantee that a caution takes away."""
    kinds = {getattr(one, "kind", "") for one in result.cautions if getattr(one, "breaks", False)}
    return bool(kinds - {"far tails", "short batches"} if result.why else kinds)


def badge(method: str, cautions: int, broken: bool, too_few: bool = False) -> Badge:
    """The badge of a method with so many cautions, of which some may break its guarantee."""
    if broken or too_few:
        why = "its assumptions fail on these rows" if broken else "too few rows"
        return Badge("broken", f"Do not trust “{method}” here: {why}")
    if cautions:
        things = "1 caution" if cautions == 1 else f"{cautions} cautions"
        return Badge("care", f"“{method}” suits these rows, with {things}")
    return Badge("good", f"No problems detected for “{method}”")


def question(result: EdgeTestResult) -> str:
    """What the page answers."""
    if is_chosen(result):
        return f"Which of {result.n_pairs:,} chosen pairs are connected, given all other variables?"
    variables = f"Which of these {len(result.tested_columns())} variables are connected, given"
    adjusted = printable(adjusted_for(result).removeprefix("adjusted for "))
    others = f"the others, {adjusted}" if adjusted else "all others"
    few = "" if result.selection is None else " (of which each pair is adjusted for a few)"
    return f"{variables} {others}{few}?"


def answer(result: EdgeTestResult) -> str:
    """How many edges were found and, if there are any, what the rule promises."""
    pairs, (effect, scale) = result.n_pairs, result.question.effect
    is_are = "is" if result.n_edges == 1 else "are"
    beyond = f" with |{scale.replace('_', ' ')}| above {effect:g}" if effect else ""
    text = f"{result.n_edges:,} of {pairs:,} pair{'s' * (pairs != 1)} {is_are} connected{beyond}."
    if not result.n_edges:
        return text
    promise = PROMISES["bound" if is_bound(result) else result.correction or "none"]
    alpha, percent = f"{result.alpha:g}", f"{100 * result.alpha:g}"
    return f"{text} {broken_promise(result) or promise.format(alpha=alpha, percent=percent)}"


def broken_promise(result: EdgeTestResult) -> str:
    """What is said in place of the promise; nothing where the assumptions hold."""
    if not breaking(result):
        return ""
    if not is_avoidable(result):
        return "Some of these edges may be false: see the cautions."
    return "But the data break the assumptions of this test, so some of these edges may be false."


def cards(result: EdgeTestResult, graph: Graph, short: list[str]) -> dict[str, str]:
    """Edges, communities, the strongest edge."""
    found = int(graph.communities.max(initial=-1)) + 1
    alone = int(np.count_nonzero(graph.communities < 0))
    label = f"communit{'y' if found == 1 else 'ies'}"
    if alone:
        label += f", {alone:,} variable{'s' * (alone != 1)} without an edge"
    edges = f"edge{'s' * (result.n_edges != 1)} among {result.n_pairs:,} pairs"
    strongest, name = "–", "no edge at this level"
    if graph.strength.any():
        i, j = np.unravel_index(int(np.argmax(graph.strength)), graph.strength.shape)
        rho = float(graph.partial_correlation[i, j])
        strongest = f"{'+' * (rho > 0)}{number_text(rho)}"
        name = f"strongest: {short[i]} – {short[j]}"
    return {
        "edges": f"{result.n_edges:,}",
        "edges_label": edges,
        "communities": f"{found:,}",
        "communities_label": label,
        "strongest": strongest,
        "strongest_label": name,
    }


def sentences(result: EdgeTestResult, graph: Graph, short: list[str]) -> list[str]:
    """What the graph is like, and what it cannot show."""
    count = int(graph.communities.max(initial=-1)) + 1
    if not result.n_edges:
        text = "The data show no edge at this level. That is not a proof that there is none."
    elif count > 1:
        text = f"The edges form {count} communities. {_hubs(graph, short)}"
    else:
        text = f"All connected variables form one community. {_hubs(graph, short)}"
    said = filter(None, [text, _power(result), result.why])
    return [*said, *(printable(line) for line in lagged_edges(result)), *result.notes]


def detects(result: EdgeTestResult) -> float:
    """The partial correlation that rows like these detect; NaN if the result cannot say."""
    return math.nan if result.provenance.n_copies is not None else detected_effect(result, POWER)


def _hubs(graph: Graph, short: list[str]) -> str:
    """Who has the most edges: all who share the first place, or how many they are."""
    degree = graph.reject.sum(axis=0)
    most = int(degree.max())
    if most == 1:
        return "No variable has more than one edge."
    first = np.flatnonzero(degree == most)
    strength = graph.node_strength[first]
    hubs = first[np.argsort(-strength, kind="stable")].tolist()
    if len(hubs) == 1:
        return f"{graph.feature_names[hubs[0]]} has the most edges: {most}."
    names = [short[k] for k in hubs]
    if len(names) > 3:
        names = [names[0], f"{len(names) - 1:,} others"]
    return f"{', '.join(names[:-1])} and {names[-1]} have the most edges: {most} each."


def _power(result: EdgeTestResult) -> str:
    """What these rows can detect."""
    found = detects(result)
    if math.isnan(found):
        return ""
    effect, rows = f"{found:.2g}", f"{result.n_samples:,} rows"
    if is_bound(result):
        return f"With {rows}, this bound sees partial correlations above {effect}."
    given = "If its assumptions held, this" if breaking(result) else f"With {rows}, this"
    return f"{given} test has 80 % power to detect a partial correlation of about {effect}."

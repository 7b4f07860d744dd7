"""What a report says first: tiles, a badge of trust, and a few sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from edgewise.plots.graph_drawing import edge_strengths
from edgewise.plots.safe_names import printable
from edgewise.results.detectable import DetectableCurve, detectable_curve
from edgewise.results.result import EdgeTestResult
from edgewise.results.summary import given_names, is_chosen

if TYPE_CHECKING:
    from edgewise.report.payload import Graph

#: How likely a partial correlation is found that "these rows can show".
POWER = 0.8

# These are promises about the rule, not about the edges found this time. The badge says under
# which condition they hold, and where it fails the page does not repeat them.
_WHERE = ", where its condition holds."
_FAMILY_WISE = "The rule finds any false edge with probability at most {alpha}" + _WHERE
_SHARE = "On average at most {percent} % of the edges it finds are false" + _WHERE
PROMISES = {
    "bound": _FAMILY_WISE,
    "holm": _FAMILY_WISE,
    "bonferroni": _FAMILY_WISE,
    "maxt": _FAMILY_WISE,
    "bh": _SHARE,
    "by": _SHARE,
    "none": "Each pair is tested by itself: a pair without an edge is called an edge with "
    "probability {alpha}.",
}


class Tiles(NamedTuple):
    """Three numbers, and what they count."""

    edges: str
    edges_label: str
    communities: str
    communities_label: str
    strongest: str
    strongest_label: str


class Trust(NamedTuple):
    """What the data say about the test: "good", "care" or "broken", in a few words."""

    kind: str
    headline: str


class Offer(NamedTuple):
    """Another method, whose condition the data do not break."""

    asked: str
    offer: str
    shown: str


def is_bound(result: EdgeTestResult) -> bool:
    """Whether one bound decides for all pairs, so that nothing is corrected."""
    return result.correction is None and result.radius is not None


def breaking(result: EdgeTestResult) -> list[str]:
    """The cautions that take the guarantee away."""
    return [printable(one) for one in result.cautions if getattr(one, "breaks", False)]


def question(result: EdgeTestResult) -> str:
    """What the page answers."""
    if is_chosen(result):
        return f"Which of {result.n_pairs:,} chosen pairs are connected, given all other variables?"
    variables = f"Which of these {len(result.tested_columns())} variables are connected, given"
    others = "all others" if not result.given else f"the others, {printable(given_names(result))}"
    few = "" if result.selection is None else " (of which each pair is adjusted for a few)"
    return f"{variables} {others}{few}?"


def answer(result: EdgeTestResult) -> str:
    """How many edges were found and, if there are any, what the rule promises."""
    pairs = result.n_pairs
    is_are = "is" if result.n_edges == 1 else "are"
    beyond = ""
    effect, scale = result.question.effect
    if effect:
        beyond = f" with |{scale.replace('_', ' ')}| above {effect:g}"
    told = f"{result.n_edges:,} of {pairs:,} pair{'s' * (pairs != 1)} {is_are} connected{beyond}."
    if not result.n_edges:
        return told
    promise = PROMISES["bound" if is_bound(result) else result.correction or "none"]
    alpha, percent = f"{result.alpha:g}", f"{100 * result.alpha:g}"
    return f"{told} {broken_promise(result) or promise.format(alpha=alpha, percent=percent)}"


def broken_promise(result: EdgeTestResult) -> str:
    """What is said in place of the promise; nothing where the condition of the test holds."""
    if not breaking(result):
        return ""
    return "But the data break the condition of this test, so some of these edges may be false."


def trust(result: EdgeTestResult) -> Trust:
    """The badge."""
    broken, told = len(breaking(result)), len(result.cautions)
    if broken or result.rows_needed is not None:
        few = "too few rows" if not broken else "its condition fails on these rows"
        return Trust("broken", f"Do not trust “{result.method}” here: {few}")
    if told:
        things = "1 thing" if told == 1 else f"{told} things"
        return Trust("care", f"Trust “{result.method}”, but know {things}")
    return Trust("good", f"Nothing in the data speaks against “{result.method}”")


def tiles(result: EdgeTestResult, graph: Graph) -> Tiles:
    """Edges, communities, the strongest edge."""
    found = len(graph.community_names)
    alone = int(np.count_nonzero(graph.communities < 0))
    label = f"communit{'y' if found == 1 else 'ies'}"
    if alone:
        label += f", {alone:,} variable{'s' * (alone != 1)} without an edge"
    pairs = f"edge{'s' * (result.n_edges != 1)} among {result.n_pairs:,} pairs"
    top = _strongest(graph)
    if top is None:
        return Tiles("0", pairs, "0", label, "–", "no edge at this level")
    i, j = top
    rho = float(graph.part.partial_correlation[i, j])
    pair = f"strongest: {graph.short[i]} – {graph.short[j]}"
    return Tiles(f"{result.n_edges:,}", pairs, f"{found:,}", label, _signed(rho), pair)


def sentences(result: EdgeTestResult, graph: Graph) -> list[str]:
    """What the graph is like, and what it cannot show."""
    seen = _seen(result)
    if not result.n_edges:
        told = [
            "The data show no edge at this level. That is not a proof that there is none.",
            seen,
        ]
        return [one for one in told if one]
    group = graph.community_names
    form = (
        f"The edges form {len(group)} communities."
        if len(group) > 1
        else "All connected variables form one community."
    )
    return [one for one in (f"{form} {_hubs(graph)}", seen) if one]


def offer(result: EdgeTestResult, fitting: EdgeTestResult) -> Offer:
    """What another method finds whose condition holds."""
    edges = f"{fitting.n_edges:,} edge{'s' * (fitting.n_edges != 1)}"
    return Offer(
        result.method,
        f"Method “{fitting.method}” allows for this and finds {edges}.",
        f"You see the edges of “{fitting.method}”, which allows for this.",
    )


def _strongest(graph: Graph) -> tuple[int, int] | None:
    strength = edge_strengths(graph.part)
    if not strength.any():
        return None
    i, j = np.unravel_index(int(np.argmax(strength)), strength.shape)
    return int(i), int(j)


def detectable(result: EdgeTestResult) -> DetectableCurve | None:
    """Which partial correlations rows like these show; nothing if the result cannot tell."""
    if result.provenance.n_copies is not None:
        return None
    curve = detectable_curve(result, POWER)
    return curve if np.isfinite(curve.own_effect) else None


def _hubs(graph: Graph) -> str:
    """Who has the most edges: all who share the first place, or how many they are."""
    degree = graph.part.reject.sum(axis=0)
    most = int(degree.max())
    if most == 1:
        return "No variable has more than one edge."
    first = np.flatnonzero(degree == most)
    strength = edge_strengths(graph.part).sum(axis=0)[first]
    hubs = first[np.argsort(-strength, kind="stable")].tolist()
    if len(hubs) == 1:
        return f"{graph.names[hubs[0]]} has the most edges: {most}."
    names = [graph.short[k] for k in hubs]
    if len(names) > 3:
        names = [names[0], f"{len(names) - 1:,} others"]
    return f"{', '.join(names[:-1])} and {names[-1]} have the most edges: {most} each."


def _seen(result: EdgeTestResult) -> str:
    """What these rows can show, and what they may hide."""
    curve = detectable(result)
    if curve is None:
        return ""
    effect = f"{curve.own_effect:.2g}"
    if is_bound(result):
        return (
            f"With {result.n_samples:,} rows, this bound sees partial correlations above {effect}."
        )
    rows = f"{result.n_samples:,} rows"
    finds = f"a partial correlation of about {effect} four times in five"
    if breaking(result):
        return f"If its condition held, this test would find {finds} with {rows}."
    return f"With {rows}, this test finds {finds}. Weaker ones may stay hidden."


def _signed(value: float) -> str:
    return ("−" if value < 0 else "+") + f"{abs(value):.2f}"

"""A result in a few sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from edgewise.results.missing_values import bars, told_of_missing
from edgewise.results.pooled import POOLED, imputed
from edgewise.results.tested import adjusted_for, is_chosen
from edgewise.results.transformed import meaning, transformed

if TYPE_CHECKING:
    from edgewise.results.result import EdgeTestResult

_MOST_EDGES = 10


def shortest(result: EdgeTestResult) -> str:
    """The repr."""
    cautions = f", cautions={len(result.cautions)}" if result.cautions else ""
    family = "" if result.tested is None else f", pairs={result.n_pairs}"
    scores = f", transform={result.options['transform']!r}" if transformed(result.options) else ""
    copies = f", pooled={result.options[POOLED]}" if POOLED in result.options else ""
    return (
        f"EdgeTestResult(method={result.method!r}, alpha={result.alpha:g}, "
        f"correction={result.correction!r}, n_samples={result.n_samples}, "
        f"n_features={result.n_features}{scores}{family}{copies}, edges={result.n_edges}{cautions})"
    )


def headline(result: EdgeTestResult) -> str:
    """What was tested, how, and how many edges there are."""
    family = "all entries at once" if result.correction is None else result.correction
    if result.correction is None and result.radius is None:
        family = "no correction"
    among = f"among {len(result.tested_columns())} variables"
    if is_chosen(result):
        is_are = "is an edge" if result.n_edges == 1 else "are edges"
        found = f"{result.n_edges} of {result.n_pairs} chosen pairs {among} {is_are}"
    else:
        found = f"{result.n_edges} of {result.n_pairs} possible edges {among}"
    adjusted = f", {adjusted_for(result)}" if result.given else ""
    scores = transformed(result.options)
    groups = result.options.get("n_groups")
    rows = f"{result.n_samples} rows" + ("" if groups is None else f" in {groups} groups")
    if "effective_rows" in result.options:
        rows += ", weighted"
    if result.pair_rows is not None:
        rows += ", some with missing values"
    if copies := imputed(result.options):
        rows += f", {copies}"
    return (
        f"{found}{adjusted}{f', {scores}' * bool(scores)}, from {rows} "
        f"(method {result.method!r}, alpha {result.alpha:g}, {family})."
    )


def facts(result: EdgeTestResult) -> list[str]:
    """The headline, and what a reader must know before the edges."""
    lines = [headline(result), *meaning(result.options)]
    lines += told_of_missing(result)
    if result.rows_needed is not None:
        lines.append(
            "The rows are too few for this method: its threshold is infinite. "
            f"About {result.rows_needed:,} rows would make it finite."
        )
    return lines


def summary(result: EdgeTestResult) -> str:
    """The facts, the cautions and the strongest edges."""
    lines = facts(result) + bars(result)
    lines += [f"Caution: {caution}" for caution in result.cautions]
    lines += [
        f"  {edge.source} – {edge.target}: partial correlation "
        f"{edge.partial_correlation:+.3f}, adjusted p {edge.adjusted_pvalue:.2g}"
        for edge in result.edges()[:_MOST_EDGES]
    ]
    if result.n_edges > _MOST_EDGES:
        lines.append(f"  … and {result.n_edges - _MOST_EDGES} more")
    return "\n".join(lines)

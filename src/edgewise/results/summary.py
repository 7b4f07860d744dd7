"""Results in a few sentences: what was tested, on which rows, and what was found."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from edgewise._linalg import pairs_of
from edgewise._text import joined, listed
from edgewise._version import __version__
from edgewise.methods.registry import registered

if TYPE_CHECKING:
    from edgewise.inference.measurement import Provenance
    from edgewise.results.base import Result
    from edgewise.results.difference import EdgeDifferenceResult
    from edgewise.results.result import Edge, EdgeTestResult

_MOST_EDGES = 15
_NAMES = 5  # as many as `listed` names before it counts the others
_NAMED = 3
# From this share of rows on, it is said how to lose fewer.
_MANY = 0.1
_NORMAL_SCORES = (
    "Partial correlations are those of the normal scores of the columns: right if the rows are "
    "Gaussian up to an increasing change of each column."
)
#: What a test needs whose rows are clustered.
CONDITION_OF_CLUSTERS = (
    "many groups that are independent of each other, of any distribution with fourth moments; rows "
    "of one group may depend on each other"
)
_ANY_FALSE = "which bounds the probability of any false edge by {alpha}"
_CORRECTIONS = {
    "holm": (
        f"Holm's method, {_ANY_FALSE}",
        "S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of "
        "Statistics 6 (1979), 65–70.",
    ),
    "bonferroni": (f"Bonferroni's method, {_ANY_FALSE}", ""),
    "maxt": (
        f"the step-down max-T method, {_ANY_FALSE}",
        "J. P. Romano and M. Wolf, Exact and approximate stepdown methods for multiple hypothesis "
        "testing, Journal of the American Statistical Association 100 (2005), 94–108.",
    ),
    "bh": (
        "the method of Benjamini and Hochberg, which aims at a false discovery rate of {alpha}",
        "Y. Benjamini and Y. Hochberg, Controlling the false discovery rate, Journal of the Royal "
        "Statistical Society B 57 (1995), 289–300.",
    ),
    "by": (
        "the method of Benjamini and Yekutieli, which bounds the false discovery rate by {alpha}",
        "Y. Benjamini and D. Yekutieli, The control of the false discovery rate in multiple testing "
        "under dependency, Annals of Statistics 29 (2001), 1165–1188.",
    ),
}
_PAPER = (
    "W. Bounliphone and M. B. Blaschko, A U-statistic approach to hypothesis testing for structure "
    "discovery in undirected graphical models, arXiv:1604.01733 (2016)."
)


def brief(result: EdgeTestResult) -> dict[str, Any]:
    """What the repr shows."""
    rows = result.provenance
    return {
        "method": result.method,
        "alpha": result.alpha,
        "correction": result.correction,
        "n_samples": result.n_samples,
        "n_features": result.n_features,
        **({"transform": rows.transform} if rows.transform else {}),
        **({"pairs": result.n_pairs} if result.tested is not None else {}),
        **({"pooled": rows.n_copies} if rows.n_copies else {}),
        "edges": result.n_edges,
        **({"cautions": len(result.cautions)} if result.cautions else {}),
    }


def headline(result: EdgeTestResult) -> str:
    """What was tested, how, and how many edges there are."""
    family = result.correction or "no correction"
    if result.radius is not None:
        family = result.uncertainty.promise(result.alpha)
    among = f"among {len(result.tested_columns())} variables"
    if is_chosen(result):
        is_are = "is an edge" if result.n_edges == 1 else "are edges"
        found = f"{result.n_edges} of {result.n_pairs} chosen pairs {among} {is_are}"
    else:
        found = f"{result.n_edges} of {result.n_pairs} possible edges {among}"
    adjusted = f", {adjusted_for(result)}" if result.given else ""
    known = result.provenance
    scores, clusters = transformed(known.transform), known.n_clusters
    rows = f"{result.n_samples} rows" + ("" if clusters is None else f" in {clusters} clusters")
    if known.effective_rows is not None:
        rows += ", weighted"
    if known.pair_rows is not None:
        rows += ", some with missing values"
    if copies := imputed(known):
        rows += f", {copies}"
    return (
        f"{found}{adjusted}{f', {scores}' * bool(scores)}, from {rows} "
        f"(method {result.method!r}, alpha {result.alpha:g}, {family})."
    )


def facts(result: EdgeTestResult) -> list[str]:
    """The headline, and what a reader must know before the edges."""
    lines = [headline(result), *meaning(result.provenance)]
    if result.rows_needed is not None:
        lines.append(
            "The rows are too few for this method: its threshold is infinite. "
            f"About {result.rows_needed:,} rows would make it finite."
        )
    elif result.radius is not None:
        least, most = np.nanmin(result.threshold), np.nanmax(result.threshold)
        between = f"{least:.4g}" if least == most else f"{least:.4g} to {most:.4g}"
        lines.append(f"Error bound ε = {result.radius:.4g}, threshold t = {between} on |Θ̂|.")
    return lines


def summary(result: EdgeTestResult) -> str:
    """The facts and the strongest edges; last the notes and the cautions, which stay in sight."""
    lines = facts(result)
    lines += [
        f"  {edge.source} – {edge.target}: partial correlation "
        f"{edge.partial_correlation:+.3f}, adjusted p {edge.adjusted_pvalue:.2g}"
        for edge in result.edges()[:_MOST_EDGES]
    ]
    if result.n_edges > _MOST_EDGES:
        lines.append(f"  … and {result.n_edges - _MOST_EDGES} more")
    lines += lagged_edges(result)
    lines += [*filter(None, [result.why]), *all_notes(result)]
    return "\n".join([*lines, *(f"Caution: {caution}" for caution in result.cautions)])


def lagged_edges(result: EdgeTestResult) -> list[str]:
    """The edges from the rows before, if these were adjusted for."""
    if not result.lagged:
        return []
    found = [edge for edge in result.lagged if edge.reject]
    lines = [f"From the rows before: {len(found)} of {len(result.lagged)} directed edges."]
    lines += [
        f"  {edge.source}[t-{edge.lag}] → {edge.target}: partial correlation "
        f"{edge.partial_correlation:+.3f}, adjusted p {edge.adjusted_pvalue:.2g}"
        for edge in found[:_MOST_EDGES]
    ]
    more = len(found) - _MOST_EDGES
    return [*lines, f"  … and {more} more"] if more > 0 else lines


def condition(result: EdgeTestResult) -> str:
    """What the rows must be like for the promise of the method to hold."""
    kind = registered().get(result.method)
    text = "what its authors say" if kind is None else kind.condition
    rows = result.provenance
    if rows.n_clusters is not None:
        text = CONDITION_OF_CLUSTERS
    elif rows.transform == "normal-scores":
        text += ", and here if they are Gaussian up to an increasing change of each column"
    elif rows.pair_rows is not None:
        text += ", whose values are missing completely at random"
    if rows.n_copies is not None:
        text += (
            "; and here if values are missing at random given those that are there, and the "
            "imputations are draws from a model that fits"
        )
    return text


def methods_text(result: EdgeTestResult) -> str:
    """A paragraph for a paper, and the references."""
    names, given = result.tested_columns(), result.given
    others = "all other variables" if result.selection is None else "variables chosen by the lasso"
    adjusted = f" (adjusted for {joined(given, 'and')})" if given else ""
    text = [
        f"Conditional associations among {len(names)} variables{adjusted} were measured as partial "
        f"correlations given {others}, from {result.n_samples:,} rows.",
        *meaning(result.provenance),
        *all_notes(result),
        f"Each of {result.n_pairs:,} pairs was tested with the method “{result.method}” of "
        f"edgewise {__version__} (Python {platform.python_version()}, NumPy {np.__version__}) at "
        f"α = {result.alpha:g}. It holds for {condition(result)}.",
    ]
    effect, scale = result.question.effect
    if effect:
        text.append(f"The null hypothesis was a |{scale.replace('_', ' ')}| of at most {effect:g}.")
    how, source = _CORRECTIONS.get(result.correction or "", ("", ""))
    if how:
        text.append(f"P-values were corrected by {how.format(alpha=f'{result.alpha:g}')}.")
    elif result.radius is not None:
        text.append("One bound holds for all entries of the precision matrix at once.")
    else:
        text.append("P-values were not corrected for the number of pairs.")
    is_are = "pair was" if result.n_edges == 1 else "pairs were"
    text.append(f"{result.n_edges:,} {is_are} found to be connected.")
    broken = [caution for caution in result.cautions if getattr(caution, "breaks", False)]
    text += [*filter(None, [result.why]), *broken]
    return "\n".join([" ".join(text), *filter(None, [_PAPER, source])])


def is_chosen(result: Result) -> bool:
    """Whether only some pairs of the tested columns were tested."""
    k = len(result.tested_columns())
    return result.n_pairs < k * (k - 1) // 2


def adjusted_for(result: Result) -> str:
    """What was adjusted for, as in "adjusted for age and sex"; empty if nothing was."""
    given = result.given
    names = joined(given, "and") if 0 < len(given) <= _NAMES else listed(given)
    return f"adjusted for {names}" if given else ""


def interval_text(edge: Edge) -> str:
    """The interval of an edge, for a cell of a table."""
    return f"{edge.interval_low:+.3f} to {edge.interval_high:+.3f}"


def number_text(value: float) -> str:
    """A number of a sentence, with two digits."""
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def all_notes(result: EdgeTestResult) -> list[str]:
    """The notes of a result, of which a pooled one lacks those about missing values."""
    return list(dict.fromkeys([*result.notes, *missing_value_notes(result)]))


def missing_value_notes(result: EdgeTestResult) -> list[str]:
    """Sentences about missing values and weights; none if there were none."""
    measured, notes = result.measurement, []
    rows, n, names = measured.provenance, measured.estimate.n_samples, measured.feature_names
    if rows.n_dropped:
        notes.append(_dropped(result))
    if rows.pair_rows is not None:
        total, counts = sum(rows.n_missing), pairs_of(rows.pair_rows)
        if (tested := result.decision.tested) is not None:
            counts = counts[pairs_of(tested)]
        share = percent(total / (n * len(names)))
        low, high = int(counts.min()), int(counts.max())
        notes.append(
            f"{total:,} value{'s' * (total != 1)} ({share}) {'is' if total == 1 else 'are'} missing, "
            f"most in {_most(names, rows.n_missing)}. Each pair rests on the rows that have both of "
            f"its columns, {f'{low:,}' if low == high else f'{low:,} to {high:,}'}."
        )
    if rows.effective_rows is not None:
        by = "given weights" if rows.weights == "given" else f"column {rows.weights!r}"
        notes.append(
            f"Rows are weighted by {by}: the effective sample size is {rows.effective_rows:,.0f}."
        )
    return notes


def percent(share: float) -> str:
    """A share as a percentage: two digits, of which 100 has three."""
    return f"{100 * share:.2g} %" if share < 0.995 else f"{100 * share:.0f} %"


def lacking(result: EdgeTestResult) -> list[tuple[str, int, float]]:
    """The columns that lack values, those that lack most first: how many, and their share."""
    n, counts = result.n_samples + result.n_dropped, result.provenance.n_missing
    order = sorted(range(len(counts)), key=lambda i: -counts[i])
    return [(result.feature_names[i], counts[i], counts[i] / n) for i in order if counts[i]]


def _dropped(result: EdgeTestResult) -> str:
    n, known = result.n_dropped, result.provenance
    rows = f"{n:,} row{'s' * (n != 1)}"
    if known.pair_rows is not None:
        return f"{rows} without any value {'were' if n != 1 else 'was'} left out."
    text = f"{rows} with missing values {'were' if n != 1 else 'was'} left out"
    cost = _most(result.feature_names, known.n_dropped_alone)
    if cost:
        text += f"; left out because of one column alone: {cost}"
    elif any(known.n_missing):
        text += f"; most values are missing in {_most(result.feature_names, known.n_missing)}"
    # Clusters and ranks need complete rows.
    able = known.n_clusters is None and known.transform != "normal-scores"
    if able and n > _MANY * (n + result.n_samples):
        text += ". With missing='pairwise' (score, wald, batch) they would count"
    return text + "."


def _most(names: Sequence[str], counts: tuple[int, ...]) -> str:
    """The columns with the largest counts."""
    order = sorted(range(len(counts)), key=lambda i: -counts[i])[:_NAMED]
    return ", ".join(f"{names[i]} ({counts[i]:,})" for i in order if counts[i])


def transformed(transform: str | None) -> str:
    """What was tested in place of the columns, as in "of normal scores"; empty if they were."""
    return {
        "normal-scores": "of normal scores",
        "diff": "of differences of consecutive rows",
        "log-diff": "of differences of logarithms of consecutive rows",
    }.get(transform or "", "")


def imputed(rows: Provenance) -> str:
    """How often the rows were imputed, as in "imputed 20 times"; empty if they were not."""
    return "" if rows.n_copies is None else f"imputed {rows.n_copies} times"


def meaning(rows: Provenance) -> list[str]:
    """Sentences about what partial correlations then are; none if rows were tested as they are."""
    text = [_NORMAL_SCORES] if rows.transform == "normal-scores" else []
    if rows.n_copies is not None:
        text.append(
            f"Numbers are pooled from {rows.n_copies} imputed copies of the rows by Rubin's rules."
        )
    if rows.missing_information is not None:
        lost = pairs_of(rows.missing_information)
        text.append(
            f"Missing values took {100 * np.nanmean(lost):.0f} % of the information about a pair "
            f"on average, and at most {100 * np.nanmax(lost):.0f} %."
        )
    return text


def difference_headline(result: EdgeDifferenceResult) -> str:
    """What was compared, how, and how many pairs differ."""
    a, b = result.group_names
    family = "no correction" if result.correction is None else result.correction
    if result.n_tests > result.n_pairs:
        family += f" over {result.n_tests} tests"
    if result.permutations is not None:
        family += f", {result.permutations} permutations"
    scores = transformed(result.provenance.transform)
    said = [text for text in (adjusted_for(result), scores) if text]
    adjusted = f", {', '.join(said)}," if said else ""
    verb = "differs" if result.n_edges == 1 else "differ"
    return (
        f"{result.n_edges} of {result.n_pairs} {'chosen ' * is_chosen(result)}pairs among "
        f"{len(result.tested_columns())} variables{adjusted} {verb} between "
        f"{a!r} ({rows_text(result, 0)}) and {b!r} ({rows_text(result, 1)}) "
        f"(method {result.method!r}, alpha {result.alpha:g}, {family})."
    )


def rows_text(result: EdgeDifferenceResult, group: int) -> str:
    """How many rows a group has, and how many clusters of rows."""
    groups = result.compared[0].groups
    clusters = (groups.first, groups.second)[group].provenance.n_clusters
    rows = f"{result.n_samples[group]} rows"
    return rows if clusters is None else f"{rows} in {clusters} clusters"


def any_sentence(pvalue: float, result: EdgeDifferenceResult) -> str:
    """The p-value of "no pair differs", and how it was found."""
    how = "Bonferroni" if result.permutations is None else "permutations"
    return f"That any pair differs: p {p_text(pvalue)} (largest statistic, {how})."


def strongest_sentence(result: EdgeDifferenceResult) -> str:
    """What to say if nothing differs."""
    pair = result.pairs()[0]
    return (
        f"No pair differs. The smallest p-value is that of {pair.source} – {pair.target}: "
        f"{pair.partial_correlation_a:+.3f} against {pair.partial_correlation_b:+.3f}, adjusted p "
        f"{p_text(pair.adjusted_pvalue)}."
    )


def difference_summary(result: EdgeDifferenceResult) -> str:
    """The facts, the clearest differences, and the cautions."""
    lines = [difference_headline(result), *meaning(result.provenance)]
    if result.n_tests == result.n_pairs:
        # With more levels, the test of all of them counts.
        lines.append(any_sentence(result.global_pvalue, result))
    lines += [
        f"  {pair.source} – {pair.target}: {pair.partial_correlation_a:+.3f} against "
        f"{pair.partial_correlation_b:+.3f}, difference {pair.difference:+.3f}, adjusted p "
        f"{p_text(pair.adjusted_pvalue)}"
        for pair in result.edges()[:_MOST_EDGES]
    ]
    if result.n_edges > _MOST_EDGES:
        lines.append(f"  … and {result.n_edges - _MOST_EDGES} more")
    if not result.n_edges:
        lines.append(strongest_sentence(result))
    for name, dropped in zip(result.group_names, result.n_dropped, strict=True):
        if dropped:
            lines.append(f"{dropped} rows of {name!r} with missing values were left out.")
    if without := result.n_without_level:
        lines.append(f"{without} rows without a level were left out.")
    return "\n".join([*lines, *(f"Caution: {caution}" for caution in result.cautions)])


def p_text(p: float) -> str:
    """A p-value in a sentence."""
    return "below 1e-300" if p < 1e-300 else f"{p:.2g}"

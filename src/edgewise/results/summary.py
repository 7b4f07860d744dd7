"""Results in a few sentences: what was tested, on which rows, and what was found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from edgewise._text import listed

if TYPE_CHECKING:
    from edgewise.results.base import Result
    from edgewise.results.difference import EdgeDifferenceResult
    from edgewise.results.edge import Edge
    from edgewise.results.result import EdgeTestResult

_MOST_EDGES = 10
_NAMES = 5  # as many as `listed` names before it counts the others
_NAMED = 3
_NAME_WIDTH = 30
# From this share of rows on, it is said how to lose fewer.
_MANY = 0.1
#: What a pooled result records: how many copies, and the share of the variance of each pair that
#: is there because values are missing.
POOLED, MISSING = "pooled", "missing_information"

# What a result records, the words of a headline, and what they mean.
_TOLD = {
    "normal-scores": (
        "of normal scores",
        "Partial correlations are those of the normal scores of the columns: right if the rows are "
        "Gaussian up to an increasing change of each column.",
    )
}


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
    clusters = result.options.get("n_clusters")
    rows = f"{result.n_samples} rows" + ("" if clusters is None else f" in {clusters} clusters")
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


def is_chosen(result: Result) -> bool:
    """Whether only some pairs of the tested columns were tested."""
    k = len(result.tested_columns())
    return result.n_pairs < k * (k - 1) // 2


def adjusted_for(result: Result) -> str:
    """What was adjusted for, as in "adjusted for age and sex"; empty if nothing was."""
    return f"adjusted for {given_names(result)}" if result.given else ""


def given_names(result: Result) -> str:
    """The first of the names that were adjusted for, as part of a sentence."""
    given = result.given
    if 2 <= len(given) <= _NAMES:
        return f"{', '.join(given[:-1])} and {given[-1]}"
    return listed(given)


def interval_text(edge: Edge) -> str:
    """The interval of an edge, for a cell of a table."""
    return f"{edge.interval_low:+.3f} to {edge.interval_high:+.3f}"


def told_of_missing(result: EdgeTestResult) -> list[str]:
    """Sentences about missing values and weights; none if there were none."""
    told = []
    if result.n_dropped:
        told.append(_dropped(result))
    if result.pair_rows is not None:
        told.append(_pairwise(result))
    if "effective_rows" in result.options:
        told.append(
            f"Rows are weighted by {weights_text(result)}: they are worth "
            f"{result.options['effective_rows']:,.0f} rows of equal weight."
        )
    return told


class Lacking(NamedTuple):
    """A column, how many values it lacks, and their share of the rows."""

    name: str
    values: int
    share: float

    @property
    def percent(self) -> str:
        """The share in words: two digits, of which 100 has three."""
        return percent(self.share)


def percent(share: float) -> str:
    """A share as a percentage."""
    return f"{100 * share:.2g} %" if share < 0.995 else f"{100 * share:.0f} %"


def lacking(result: EdgeTestResult) -> list[Lacking]:
    """The columns that lack values, those that lack most first."""
    n = result.n_samples + result.n_dropped
    counts = result.n_missing
    order = sorted(range(len(counts)), key=lambda i: -counts[i])
    return [Lacking(result.feature_names[i], counts[i], counts[i] / n) for i in order if counts[i]]


def bars(result: EdgeTestResult, most: int = 10) -> list[str]:
    """A line with a small bar for each column that lacks values."""
    found = lacking(result)
    if not found:
        return []
    width = min(max(len(one.name) for one in found[:most]), _NAME_WIDTH)
    lines = [
        f"  {_cut(one.name, width)} {_bar(one.share)} {one.values:,} missing ({one.percent})"
        for one in found[:most]
    ]
    more = len(found) - most
    return [*lines, f"  … and {more} more column{'s' * (more > 1)}"] if more > 0 else lines


def _cut(name: str, width: int) -> str:
    return name.ljust(width) if len(name) <= width else name[: width - 1] + "…"


def _bar(share: float) -> str:
    """Ten characters, full where all values are missing."""
    eighths = max(round(share * 10 * 8), 1)
    bar: str = "█" * (eighths // 8) + ("", *"▏▎▍▌▋▊▉")[eighths % 8]
    return bar.ljust(10, "·")


def weights_text(result: EdgeTestResult) -> str:
    """What the rows are weighted by, as part of a sentence."""
    name = result.options.get("weights")
    return "given weights" if name == "given" else f"column {name!r}"


def _dropped(result: EdgeTestResult) -> str:
    n = result.n_dropped
    if result.pair_rows is not None:
        return (
            f"{n:,} row{'s' * (n != 1)} without any value {'were' if n != 1 else 'was'} left out."
        )
    text = f"{n:,} row{'s' * (n != 1)} with missing values {'were' if n != 1 else 'was'} left out"
    cost = _most(result, result.n_dropped_alone)
    if cost:
        text += f"; left out because of one column alone: {cost}"
    elif any(result.n_missing):
        text += f"; most values are missing in {_most(result, result.n_missing)}"
    # Groups and ranks need complete rows.
    able = "n_clusters" not in result.options and "transform" not in result.options
    if able and n > _MANY * (n + result.n_samples):
        text += ". With missing='pairwise' (score, wald, batch) they would count"
    return text + "."


def _pairwise(result: EdgeTestResult) -> str:
    rows = pair_row_range(result)
    missing = sum(result.n_missing)
    share = percent(missing / (result.n_samples * result.n_features))
    return (
        f"{missing:,} value{'s' * (missing != 1)} ({share}) are missing, most in "
        f"{_most(result, result.n_missing)}. Each pair rests on the rows that have both of its "
        f"columns, {rows}."
    )


def pair_row_range(result: EdgeTestResult) -> str:
    """The rows that pairs rest on, from the fewest to the most."""
    rows = () if result.pair_rows is None else result.pair_rows[result.tested_pairs()]
    low, high = int(np.min(rows)), int(np.max(rows))
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _most(result: EdgeTestResult, counts: tuple[int, ...]) -> str:
    """The columns with the largest counts."""
    order = sorted(range(len(counts)), key=lambda i: -counts[i])[:_NAMED]
    return ", ".join(f"{result.feature_names[i]} ({counts[i]:,})" for i in order if counts[i])


def transformed(options: Mapping[str, Any]) -> str:
    """What was tested in place of the columns, as in "of normal scores"; empty if they were.

    Examples
    --------
    >>> transformed({"transform": "normal-scores"})
    'of normal scores'
    """
    return _TOLD.get(str(options.get("transform")), ("", ""))[0]


def meaning(options: Mapping[str, Any]) -> list[str]:
    """Sentences about what partial correlations then are; none if rows were tested as they are."""
    said = _TOLD.get(str(options.get("transform")))
    return [*([] if said is None else [said[1]]), *pooling(options)]


def imputed(options: Mapping[str, Any]) -> str:
    """How often the rows were imputed, as in "imputed 20 times"; empty if they were not.

    Examples
    --------
    >>> imputed({"pooled": 20})
    'imputed 20 times'
    """
    copies = options.get(POOLED)
    return "" if copies is None else f"imputed {copies} times"


def pooling(options: Mapping[str, Any]) -> list[str]:
    """Sentences about what the numbers then are; none if nothing was pooled.

    Examples
    --------
    >>> told = {"pooled": 20, "missing_information": {"mean": 0.2, "largest": 0.3}}
    >>> print(*pooling(told), sep="\\n")
    Numbers are pooled from 20 imputed copies of the rows by Rubin's rules. Missing values took
    20 % of the information about a pair on average, and at most 30 %.
    """
    if POOLED not in options:
        return []
    told = f"Numbers are pooled from {options[POOLED]} imputed copies of the rows by Rubin's rules."
    lost = options.get(MISSING)
    mean, largest = (
        (lost.get("mean"), lost.get("largest")) if isinstance(lost, Mapping) else (None, None)
    )
    # A file that somebody changed may have anything there.
    if isinstance(mean, float) and isinstance(largest, float):
        told += (
            f" Missing values took {100 * mean:.0f} % of the information about a pair on average, "
            f"and at most {100 * largest:.0f} %."
        )
    return [told]


def difference_repr(result: EdgeDifferenceResult) -> str:
    """The repr."""
    cautions = f", cautions={len(result.cautions)}" if result.cautions else ""
    permutations = f", permutations={result.permutations}" if result.permutations else ""
    scores = f", transform={result.options['transform']!r}" if transformed(result.options) else ""
    return (
        f"EdgeDifferenceResult(method={result.method!r}, alpha={result.alpha:g}, "
        f"correction={result.correction!r}{permutations}, group_names={result.group_names!r}, "
        f"n_samples={result.n_samples!r}, n_features={result.n_features}{scores}, "
        f"differing={result.n_edges}{cautions})"
    )


def difference_headline(result: EdgeDifferenceResult) -> str:
    """What was compared, how, and how many pairs differ."""
    a, b = result.group_names
    family = "no correction" if result.correction is None else result.correction
    if result.n_tests > result.n_pairs:
        family += f" over {result.n_tests} tests"
    if result.permutations is not None:
        family += f", {result.permutations} permutations"
    told = [text for text in (adjusted_for(result), transformed(result.options)) if text]
    adjusted = f", {', '.join(told)}," if told else ""
    verb = "differs" if result.n_edges == 1 else "differ"
    return (
        f"{result.n_edges} of {result.n_pairs} {'chosen ' * is_chosen(result)}pairs among "
        f"{len(result.tested_columns())} variables{adjusted} {verb} between "
        f"{a!r} ({rows_text(result, 0)}) and {b!r} ({rows_text(result, 1)}) "
        f"(method {result.method!r}, alpha {result.alpha:g}, {family})."
    )


def rows_text(result: EdgeDifferenceResult, group: int) -> str:
    """How many rows a group has, and how many groups of rows that belong together."""
    together = result.options.get("n_clusters")
    if together is None:
        return f"{result.n_samples[group]} rows"
    count = together[group] if isinstance(together, list | tuple) else together
    return f"{result.n_samples[group]} rows in {count} clusters"


def global_sentence(result: EdgeDifferenceResult) -> str:
    """The test that nothing differs at all."""
    return any_sentence(result.global_pvalue, result)


def any_sentence(pvalue: float, result: EdgeDifferenceResult) -> str:
    """The p-value of "no pair differs", and how it was found."""
    how = "Bonferroni" if result.permutations is None else "permutations"
    return f"That any pair differs: p {p_text(pvalue)} (largest statistic, {how})."


def difference_facts(result: EdgeDifferenceResult) -> list[str]:
    """The headline, the global test, and the rows that were left out."""
    lines = [difference_headline(result), *meaning(result.options)]
    if result.n_tests == result.n_pairs:
        # With more levels the test of all of them counts, which `EdgeDifferences` tells.
        lines.append(global_sentence(result))
    for name, dropped in zip(result.group_names, result.n_dropped, strict=True):
        if dropped:
            lines.append(f"{dropped} rows of {name!r} with missing values were left out.")
    if without := result.options.get("rows_without_level"):
        lines.append(f"{without} rows without a level were left out.")
    return lines


def strongest_sentence(result: EdgeDifferenceResult) -> str:
    """What to say if nothing differs."""
    pair = result.pairs()[0]
    return (
        f"No pair differs. The smallest p-value is that of {pair.source} – {pair.target}: "
        f"{pair.partial_correlation_a:+.3f} against {pair.partial_correlation_b:+.3f}, adjusted p "
        f"{p_text(pair.adjusted_pvalue)}."
    )


def difference_summary(result: EdgeDifferenceResult) -> str:
    """The facts, the cautions and the clearest differences."""
    lines = difference_facts(result) + [f"Caution: {caution}" for caution in result.cautions]
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
    return "\n".join(lines)


def p_text(p: float) -> str:
    """A p-value in a sentence."""
    return "below 1e-300" if p < 1e-300 else f"{p:.2g}"

"""A comparison of two groups in a few sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from edgewise.results.tested import adjusted_for, is_chosen
from edgewise.results.transformed import meaning, transformed

if TYPE_CHECKING:
    from edgewise.results.difference import EdgeDifferenceResult

_MOST_PAIRS = 10


def shortest(result: EdgeDifferenceResult) -> str:
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


def headline(result: EdgeDifferenceResult) -> str:
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
    together = result.options.get("n_groups")
    if together is None:
        return f"{result.n_samples[group]} rows"
    count = together[group] if isinstance(together, list | tuple) else together
    return f"{result.n_samples[group]} rows in {count} groups"


def global_sentence(result: EdgeDifferenceResult) -> str:
    """The test that nothing differs at all."""
    return any_sentence(result.global_pvalue, result)


def any_sentence(pvalue: float, result: EdgeDifferenceResult) -> str:
    """The p-value of "no pair differs", and how it was found."""
    how = "Bonferroni" if result.permutations is None else "permutations"
    return f"That any pair differs: p {p_text(pvalue)} (largest statistic, {how})."


def facts(result: EdgeDifferenceResult) -> list[str]:
    """The headline, the global test, and the rows that were left out."""
    lines = [headline(result), *meaning(result.options)]
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


def summary(result: EdgeDifferenceResult) -> str:
    """The facts, the cautions and the clearest differences."""
    lines = facts(result) + [f"Caution: {caution}" for caution in result.cautions]
    lines += [
        f"  {pair.source} – {pair.target}: {pair.partial_correlation_a:+.3f} against "
        f"{pair.partial_correlation_b:+.3f}, difference {pair.difference:+.3f}, adjusted p "
        f"{p_text(pair.adjusted_pvalue)}"
        for pair in result.edges()[:_MOST_PAIRS]
    ]
    if result.n_edges > _MOST_PAIRS:
        lines.append(f"  … and {result.n_edges - _MOST_PAIRS} more")
    if not result.n_edges:
        lines.append(strongest_sentence(result))
    return "\n".join(lines)


def p_text(p: float) -> str:
    """A p-value in a sentence."""
    return "below 1e-300" if p < 1e-300 else f"{p:.2g}"

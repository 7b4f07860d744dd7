"""From a comparison of two groups to one self-contained HTML page, without any script."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from edgewise._files import atomic_path, check_writable
from edgewise._optional import require
from edgewise._text import joined
from edgewise._version import __version__
from edgewise.methods.registry import registered
from edgewise.plots.difference import graphs_of, overlaid
from edgewise.plots.safe_names import printable, short_names, shortened
from edgewise.plots.style import KEY, QUIET
from edgewise.plots.svg import Places, graph_svg, line_width, places_of
from edgewise.report.headline import badge
from edgewise.report.page import content_hash, own_file, style
from edgewise.results.difference import EdgeDifference, EdgeDifferenceResult
from edgewise.results.summary import (
    CONDITION_OF_CLUSTERS,
    adjusted_for,
    any_sentence,
    is_chosen,
    meaning,
    p_text,
    rows_text,
)

#: More pairs than these would make the page slow; the CSV has all of them.
_MOST_ROWS = 2000
_SHOWN_IF_NONE = 10
_BROKEN = "But the data break the assumptions of this test, so some may not."
_POOLED = (
    " Each group is compared with the rows of all others, after every group was centred and scaled "
    "by itself, and the correction is over all groups."
)
LONGEST_NAME = 14


def write_difference_report(
    result: EdgeDifferenceResult,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    command: str = "",
) -> None:
    """Write the page of a comparison; see `EdgeDifferenceResult.report`."""
    check_writable(path)
    html = difference_html(result, title=title, command=command)
    with atomic_path(path) as temporary:
        temporary.write_text(html, encoding="utf-8")


def difference_html(
    result: EdgeDifferenceResult, *, title: str | None = None, command: str = ""
) -> str:
    """The page."""
    require("jinja2", "plot", "A report")
    from jinja2 import Environment
    from markupsafe import Markup

    sheet = style("base", "table", "groups", "print")
    results = result.comparisons()
    one = results[0]
    # One layout for all comparisons; variables that differ are the first to get their names.
    drawn = [graphs_of(each) for each in results]
    whole = overlaid([graph for each in drawn for graph in each])
    differs = np.any([each[2].reject.any(axis=0) for each in drawn], axis=0)
    places = places_of(whole, np.abs(whole.partial_correlation).sum(axis=0) + 1e3 * differs)
    cautions = [text for each in results for text in each.cautions]
    broken = any(getattr(caution, "breaks", False) for caution in cautions)
    page = Environment(autoescape=True).from_string(own_file("html/difference.html"))
    return page.render(
        title=printable(title or _names(results)),
        style=Markup(sheet),  # noqa: S704  our own file
        style_hash=content_hash(sheet),
        question=_question(results),
        answer=_answer(sum(each.n_edges for each in results), one.n_tests),
        broken=_BROKEN if broken else "",
        cards=_cards(results, result.global_pvalue),
        badge=badge(one.method, len(cautions), broken),
        any_pair=any_sentence(result.global_pvalue, one),
        adjusted=printable(f"The pairs were {adjusted_for(one)}." if one.given else ""),
        meaning=meaning(one.provenance),
        cautions=[*map(printable, cautions)],
        several=len(results) > 1,
        comparisons=[_comparison(each, places) for each in results],
        key=[(f"{value:g}", line_width(value)) for value in KEY],
        unnamed=sum(place is None for place in places.texts),
        reading=_reading(one) + _POOLED * (len(results) > 1),
        command=printable(command),
        version=__version__,
        versions=f"edgewise {__version__}, NumPy {np.__version__}, Python "
        f"{platform.python_version()}",
    )


def _names(results: Sequence[EdgeDifferenceResult]) -> str:
    """The groups, as in "a, b and c"."""
    one = results[0]
    return joined([each.levels[0] for each in results] if results[1:] else one.group_names, "and")


def _question(results: Sequence[EdgeDifferenceResult]) -> str:
    one, between = results[0], f"between {_names(results)}"
    if len(results) > 1:
        between = f"between each of {_names(results)} and the rows of all the others"
    of = f"{'chosen ' * is_chosen(one)}pairs of these {len(one.tested_columns())} variables"
    return printable(f"Which {of} differ {between}, given all other variables?")


def _answer(differ: int, tests: int) -> str:
    if not differ:
        return f"None of the {tests:,} pairs clearly differs."
    return f"{differ:,} of {tests:,} pair{'s' * (tests != 1)} differ{'s' * (differ == 1)}."


def _cards(results: Sequence[EdgeDifferenceResult], pvalue: float) -> list[tuple[str, str]]:
    """How many pairs differ, whether any does, and which differs most."""
    pairs, differing = results[0].n_tests, sum(each.n_edges for each in results)
    caption = f"of {pairs:,} pair{'s' * (pairs != 1)} differ{'s' * (differing == 1)}"
    made = [(f"{differing:,}", caption), (p_text(pvalue), "p-value of “no pair differs at all”")]
    found = [pair for each in results for pair in each.pairs() if pair.reject]
    if not found:
        return [*made, ("–", "no largest difference")]
    top = max(found, key=lambda pair: abs(pair.difference))
    pair_name = " – ".join(shortened(name, LONGEST_NAME) for name in (top.source, top.target))
    return [*made, (signed(top.difference, 2), f"largest difference: {pair_name}")]


def _comparison(result: EdgeDifferenceResult, places: Places) -> dict[str, Any]:
    """What the page says about two groups."""
    first, second = map(printable, result.group_names)
    pairs = result.pairs()
    differing = [pair for pair in pairs if pair.reject]
    shown = differing or pairs[:_SHOWN_IF_NONE]
    others = [pair for pair in pairs if not pair.reject][0 if differing else _SHOWN_IF_NONE :]
    title = f"The other {len(others):,} pair{'s' * (len(others) != 1)}"
    if len(others) > _MOST_ROWS:
        title = f"The first {_MOST_ROWS:,} of {len(others):,} other pairs; the CSV file has all"
    return {
        "first": first,
        "second": second,
        "answer": _answer(result.n_edges, result.n_pairs),
        "any_pair": any_sentence(result.global_pvalue, result),
        "heads": short_names(result.group_names, LONGEST_NAME),
        "graphs": [*graphs(result, places)],
        "interval_label": result.interval_label,
        "interval_note": result.interval_note,
        "table_title": "The pairs that differ" if differing else "The smallest p-values",
        "differing": [_row(pair) for pair in shown],
        "others_title": title,
        "others": [_row(pair) for pair in others[:_MOST_ROWS]],
        "facts": [(name, printable(value)) for name, value in _facts(result)],
    }


def _row(pair: EdgeDifference) -> dict[str, Any]:
    """The cells of a line of the table."""
    return {
        "name": printable(f"{pair.source} – {pair.target}"),
        "a": signed(pair.partial_correlation_a),
        "b": signed(pair.partial_correlation_b),
        "difference": signed(pair.difference),
        "sign": "positive" if pair.difference > 0 else "negative",
        "interval": f"{signed(pair.interval_low)} to {signed(pair.interval_high)}",
        "statistic": signed(pair.statistic, 2),
        "pvalue": p_text(pair.pvalue),
        "adjusted": p_text(pair.adjusted_pvalue),
        "reject": pair.reject,
    }


def _facts(result: EdgeDifferenceResult) -> Iterator[tuple[str, str]]:
    for place, (name, dropped) in enumerate(zip(result.group_names, result.n_dropped, strict=True)):
        left_out = f" ({dropped:,} more with missing values were left out)" if dropped else ""
        yield printable(name), f"{rows_text(result, place)}{left_out}"
    yield "variables", f"{len(result.tested_columns()):,}"
    if result.given:
        yield "adjusted for", ", ".join(result.given)
    tested = f"{result.method}, α = {result.alpha:g}, {result.correction or 'no correction'}"
    if result.permutations is not None:
        tested += f", {result.permutations:,} permutations of the rows' groups"
    if result.n_tests > result.n_pairs:
        tested += f", corrected over {result.n_tests:,} tests"
    options = [f"{name} {value}" for name, value in result.options.items() if name != "n_clusters"]
    yield "tested with", ", ".join([tested, *options])


def _reading(result: EdgeDifferenceResult) -> str:
    kind = registered().get(result.method)
    condition = "" if kind is None else f", for {kind.condition} in each group"
    if result.provenance.n_clusters is not None:
        condition = f", for {CONDITION_OF_CLUSTERS}"
    if result.permutations is None:
        return (
            f"Each group was measured by method “{result.method}”. The p-values hold in the limit "
            f"of many rows{condition}."
        )
    return (
        f"Each group was measured by method “{result.method}”, and the p-values come from "
        f"{result.permutations:,} permutations of which row belongs to which group. They are exact "
        "if both groups have the same distribution, and hold in the limit of many rows if only "
        "the partial correlations are equal."
    )


def graphs(result: EdgeDifferenceResult, places: Places) -> Iterator[dict[str, Any]]:
    """Both groups and their difference, all on the same scale of widths."""
    names = short_names(result.group_names, 30)
    legends = [("positive", "negative")] * 2
    legends.append((f"larger in {names[0]}", f"larger in {names[1]}"))
    for graph, legend in zip(graphs_of(result), legends, strict=True):
        title, fills = printable(graph.title), [QUIET] * graph.n_features
        drawing = graph_svg(graph, places, title, fills)
        yield {"title": title, "legend": legend, "drawing": drawing}


def signed(value: float, digits: int = 3) -> str:
    """A number with its sign, as all pages write it."""
    return f"{value:+.{digits}f}".replace("-", "−")

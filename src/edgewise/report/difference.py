"""From a comparison of two groups to one self-contained HTML page, without any script."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from edgewise._base.atomic import atomic_path, check_writable
from edgewise._base.parts import part
from edgewise._base.types import FloatArray
from edgewise._version import __version__
from edgewise.methods.registry import registered
from edgewise.report.page import (
    CONDITION_OF_GROUPS,
    content_hash,
    own_file,
    style,
    unit_square,
)
from edgewise.results.difference import EdgeDifferenceResult
from edgewise.results.difference_pairs import EdgeDifference
from edgewise.results.difference_summary import any_sentence, global_sentence, p_text, rows_text
from edgewise.results.differences import EdgeDifferences
from edgewise.results.tested import adjusted_for, is_chosen
from edgewise.results.transformed import meaning
from edgewise.view.difference import Panel, overlaid, panels
from edgewise.view.layout import node_positions
from edgewise.view.safe_names import printable, shortened

# The drawing of a graph, in units of its own: the page scales it.
_WIDTH, _HEIGHT, _MARGIN, _WIDEST = 420, 340, 45, 7.0
_LONGEST_LABEL = 14
#: More pairs than these would make the page slow; the CSV has all of them.
_MOST_ROWS = 2000
_SHOWN_IF_NONE = 10
_POOLED = (
    " Each group is compared with the rows of all others, after every group was centred and scaled "
    "by itself, and the correction is over all groups."
)


@dataclass(frozen=True)
class Line:
    """An edge of a graph."""

    x1: float
    y1: float
    x2: float
    y2: float
    width: float
    opacity: float
    negative: bool
    title: str


@dataclass(frozen=True)
class Node:
    """A variable of a graph."""

    x: float
    y: float
    name: str
    label: str
    alone: bool


@dataclass(frozen=True)
class Graph:
    """One of the three graphs, as it is drawn."""

    title: str
    lines: list[Line]
    nodes: list[Node]
    legend: tuple[str, str]
    width: int = _WIDTH
    height: int = _HEIGHT


def write_difference_report(
    result: EdgeDifferenceResult | EdgeDifferences,
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
    result: EdgeDifferenceResult | EdgeDifferences, *, title: str | None = None, command: str = ""
) -> str:
    """The page.

    Examples
    --------
    >>> import numpy as np
    >>> import edgewise as ew
    >>> a, b = np.random.default_rng(0).standard_normal((2, 500, 3))
    >>> difference_html(ew.compare_groups(a, b)).startswith("<!doctype html>")
    True
    """
    part("jinja2", "plot", "A report")
    from jinja2 import Environment
    from markupsafe import Markup

    sheet = style()
    results = [*result.values()] if isinstance(result, EdgeDifferences) else [result]
    one = results[0]
    places = _places(results)
    page = Environment(autoescape=True).from_string(own_file("html/difference.html"))
    return page.render(
        title=printable(title or _names(results)),
        style=Markup(sheet),  # noqa: S704  our own file
        style_hash=content_hash(sheet),
        question=_question(results),
        answer=_answer(sum(each.n_edges for each in results), one.n_tests),
        any_pair=any_sentence(result.global_pvalue, one),
        adjusted=printable(f"The pairs were {adjusted_for(one)}." if one.given else ""),
        meaning=meaning(one.options),
        cautions=[printable(caution) for each in results for caution in each.cautions],
        several=len(results) > 1,
        comparisons=[_comparison(each, places) for each in results],
        reading=_reading(one) + _POOLED * (len(results) > 1),
        command=printable(command),
        version=__version__,
        versions=f"edgewise {__version__}, NumPy {np.__version__}, Python "
        f"{platform.python_version()}",
    )


def _names(results: Sequence[EdgeDifferenceResult]) -> str:
    """The groups, as in "a, b and c"."""
    if len(results) == 1:
        return " and ".join(results[0].group_names)
    *others, last = [one.group_names[0] for one in results]
    return f"{', '.join(others)} and {last}"


def _question(results: Sequence[EdgeDifferenceResult]) -> str:
    one, names = results[0], _names(results)
    of = "chosen pairs of" if is_chosen(one) else "pairs of"
    which = f"Which {of} these {len(one.tested_columns())} variables differ"
    between = f"between {names}"
    if len(results) > 1:
        between = f"between each of {names} and the rows of all the others"
    return printable(f"{which} {between}, given all other variables?")


def _answer(differ: int, tests: int) -> str:
    if not differ:
        return f"None of the {tests:,} pairs clearly differs."
    return f"{differ:,} of {tests:,} pair{'s' * (tests != 1)} differ{'s' * (differ == 1)}."


def _comparison(result: EdgeDifferenceResult, places: FloatArray) -> dict[str, Any]:
    """What the page says about two groups."""
    first, second = map(printable, result.group_names)
    pairs = result.pairs()
    differing = [pair for pair in pairs if pair.reject]
    shown = differing or pairs[:_SHOWN_IF_NONE]
    others = [pair for pair in pairs if not pair.reject][0 if differing else _SHOWN_IF_NONE :]
    return {
        "first": first,
        "second": second,
        "answer": _answer(result.n_edges, result.n_pairs),
        "any_pair": global_sentence(result),
        "graphs": list(_graphs(result, places)),
        "interval_label": result.interval_label,
        "table_title": "The pairs that differ" if differing else "The smallest p-values",
        "differing": [_row(pair) for pair in shown],
        "others_title": _others_title(len(others)),
        "others": [_row(pair) for pair in others[:_MOST_ROWS]],
        "facts": [(name, printable(value)) for name, value in _facts(result)],
    }


def _others_title(others: int) -> str:
    if others <= _MOST_ROWS:
        return f"The other {others:,} pair{'s' * (others != 1)}"
    return f"The first {_MOST_ROWS:,} of {others:,} other pairs; the CSV file has all of them"


def _row(pair: EdgeDifference) -> dict[str, Any]:
    """The cells of a line of the table."""
    return {
        "name": printable(f"{pair.source} – {pair.target}"),
        "a": f"{pair.partial_correlation_a:+.3f}",
        "b": f"{pair.partial_correlation_b:+.3f}",
        "difference": f"{pair.difference:+.3f}",
        "sign": "positive" if pair.difference > 0 else "negative",
        "interval": f"{pair.interval_low:+.3f} to {pair.interval_high:+.3f}",
        "statistic": f"{pair.statistic:+.2f}",
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
    options = [f"{name} {value}" for name, value in result.options.items() if name != "n_groups"]
    yield "tested with", ", ".join([tested, *options])


def _reading(result: EdgeDifferenceResult) -> str:
    kind = registered().get(result.method)
    condition = "" if kind is None else f", for {kind.condition} in each group"
    if "n_groups" in result.options:
        condition = f", for {CONDITION_OF_GROUPS}"
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


def _places(results: Sequence[EdgeDifferenceResult]) -> FloatArray:
    """Where the variables stand in all graphs of the page."""
    room = np.array([_WIDTH, _HEIGHT]) - 2 * _MARGIN
    laid = [overlaid(panels(each)) for each in results]
    strongest = np.max([one.partial_correlation for one in laid], axis=0)
    whole = replace(laid[0], partial_correlation=strongest)
    return np.asarray(_MARGIN + unit_square(node_positions(whole)) * room)


def _graphs(result: EdgeDifferenceResult, places: FloatArray) -> Iterator[Graph]:
    """Both groups on one scale of widths, and the difference on its own."""
    drawn = panels(result)
    both = max(_strongest(drawn[0]), _strongest(drawn[1]))
    legends = [("positive partial correlation", "negative")] * 2
    names = [shortened(name, 30) for name in result.group_names]
    legends.append((f"larger in {names[0]}", f"larger in {names[1]}"))
    most = (both, both, _strongest(drawn[2]))
    for panel, strongest, legend in zip(drawn, most, legends, strict=True):
        yield _graph(panel, places, strongest, legend)


def _strongest(panel: Panel) -> float:
    return float(np.abs(panel.partial_correlation[panel.reject]).max(initial=1e-300))


def _graph(panel: Panel, places: FloatArray, strongest: float, legend: tuple[str, str]) -> Graph:
    names = [printable(name) for name in panel.feature_names]
    x, y = (column.round(1).tolist() for column in places.T)
    lines = []
    for i, j in zip(*np.nonzero(np.triu(panel.reject, k=1)), strict=True):
        value = float(panel.partial_correlation[i, j])
        strength = min(abs(value) / strongest, 1.0)
        title = f"{names[i]} – {names[j]}: {value:+.3f}"
        width, opacity = round(0.8 + _WIDEST * strength, 2), round(0.35 + 0.6 * strength, 2)
        lines.append(Line(x[i], y[i], x[j], y[j], width, opacity, value < 0, title))
    lines.sort(key=lambda line: line.width)  # strong edges lie on top
    joined = np.asarray(panel.reject.any(axis=0)).tolist()
    nodes = [
        Node(x[k], y[k], name, shortened(name, _LONGEST_LABEL), not joined[k])
        for k, name in enumerate(names)
    ]
    return Graph(printable(panel.title), lines, nodes, legend)

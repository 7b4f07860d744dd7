"""From a comparison of two groups to one self-contained HTML page, without any script."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgewise._files import atomic_path, check_writable
from edgewise._linalg import FloatArray
from edgewise._optional import require
from edgewise._text import joined
from edgewise._version import __version__
from edgewise.methods.registry import registered
from edgewise.plots.difference import graphs_of, overlaid
from edgewise.plots.layout import Graph, node_positions
from edgewise.plots.safe_names import printable, short_names
from edgewise.plots.style import KEY, edge_width
from edgewise.report.headline import badge
from edgewise.report.page import content_hash, own_file, style
from edgewise.report.payload import unit_square
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
# The drawing, in units of its own: the page scales it, but not the widths of lines.
_PAGE = (420, 340)
_MARGIN, _FONT, _RADIUS = 34, 12.0, 5.5
_LONGEST_LABEL, LONGEST_GROUP = 14, 14
_PIXELS_PER_POINT = 4 / 3
#: The width of a letter and the height of a line, in sizes of the font: rather too wide.
_LETTER, _LINE = 0.68, 1.15
#: How far labels stay away from the border.
_EDGE = 4


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
    layout, cautions = layout_of(results), [text for each in results for text in each.cautions]
    broken = any(getattr(caution, "breaks", False) for caution in cautions)
    page = Environment(autoescape=True).from_string(own_file("html/difference.html"))
    return page.render(
        title=printable(title or _names(results)),
        style=Markup(sheet),  # noqa: S704  our own file
        style_hash=content_hash(sheet),
        question=_question(results),
        answer=_answer(sum(each.n_edges for each in results), one.n_tests),
        broken=_BROKEN if broken else "",
        cards=_cards(results, layout, result.global_pvalue),
        badge=badge(one.method, len(cautions), broken),
        any_pair=any_sentence(result.global_pvalue, one),
        adjusted=printable(f"The pairs were {adjusted_for(one)}." if one.given else ""),
        meaning=meaning(one.provenance),
        cautions=[*map(printable, cautions)],
        several=len(results) > 1,
        comparisons=[_comparison(each, layout) for each in results],
        key=[(f"{value:g}", _width(value)) for value in KEY],
        unnamed=sum(place is None for place in layout.places),
        reading=_reading(one) + _POOLED * (len(results) > 1),
        command=printable(command),
        version=__version__,
        versions=f"edgewise {__version__}, NumPy {np.__version__}, Python "
        f"{platform.python_version()}",
    )


def _names(results: Sequence[EdgeDifferenceResult]) -> str:
    """The groups, as in "a, b and c"."""
    several = len(results) > 1
    return joined(
        [one.group_names[0] for one in results] if several else results[0].group_names, "and"
    )


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


def _cards(
    results: Sequence[EdgeDifferenceResult], layout: Layout, pvalue: float
) -> list[tuple[str, str]]:
    """How many pairs differ, whether any does, and which differs most."""
    pairs, differing = results[0].n_tests, sum(each.n_edges for each in results)
    caption = f"of {pairs:,} pair{'s' * (pairs != 1)} differ{'s' * (differing == 1)}"
    made = [(f"{differing:,}", caption), (p_text(pvalue), "p-value of “no pair differs at all”")]
    found = [pair for each in results for pair in each.pairs() if pair.reject]
    if not found:
        return [*made, ("–", "no largest difference")]
    top = max(found, key=lambda pair: abs(pair.difference))
    columns = [results[0].feature_names[k] for k in results[0].tested_columns()]
    names = dict(zip(columns, layout.labels, strict=True))
    pair_name = " – ".join(printable(names.get(one, one)) for one in (top.source, top.target))
    return [*made, (signed(top.difference, 2), f"largest difference: {pair_name}")]


def _comparison(result: EdgeDifferenceResult, layout: Layout) -> dict[str, Any]:
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
        "heads": short_names(result.group_names, LONGEST_GROUP),
        "graphs": list(graphs(result, layout)),
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


@dataclass(frozen=True, slots=True)
class Place:
    """Where a text is anchored: at its start, middle or end."""

    x: float
    y: float
    anchor: str


@dataclass(frozen=True, eq=False, slots=True)
class Layout:
    """Where variables and their labels stand in all graphs; None where a label has no room."""

    nodes: FloatArray
    labels: list[str]
    places: list[Place | None]


def layout_of(results: Sequence[EdgeDifferenceResult]) -> Layout:
    """One layout for all comparisons; variables that differ are the first to get their names."""
    room = np.array(_PAGE) - 2 * _MARGIN
    drawn = [graphs_of(each) for each in results]
    whole = overlaid([graph for each in drawn for graph in each])
    strongest = whole.partial_correlation
    nodes = np.asarray(_MARGIN + unit_square(node_positions(strongest)) * room)
    differs = np.any([each[2].reject.any(axis=0) for each in drawn], axis=0)
    labels = short_names([printable(name) for name in whole.feature_names], _LONGEST_LABEL)
    i, j = np.nonzero(np.triu(whole.reject, k=1))
    share = np.linspace(0, 1, 24)[:, None, None]
    on_edges = np.asarray(nodes[i] + share * (nodes[j] - nodes[i])).reshape(-1, 2)
    importance = np.abs(strongest).sum(axis=0) + 1e3 * differs
    return Layout(nodes, labels, label_places(nodes, labels, importance, on_edges))


def label_places(
    nodes: FloatArray, labels: Sequence[str], importance: FloatArray, lines: FloatArray
) -> list[Place | None]:
    """A place beside its node for each label, where it covers few `lines` and nothing else."""
    discs = np.column_stack([nodes - _RADIUS, nodes + _RADIUS])
    taken: list[FloatArray] = []
    places: list[Place | None] = [None] * len(labels)
    for k in np.argsort(-importance, kind="stable").tolist():
        others = np.vstack([np.delete(discs, k, axis=0), *taken])
        (x, y), gap, wide = nodes[k].tolist(), _RADIUS + 2.5, _LETTER * _FONT * len(labels[k])
        candidates = (
            (Place(x, y - gap, "middle"), x - wide / 2),
            (Place(x, y + gap + 0.675 * _FONT, "middle"), x - wide / 2),
            (Place(x + gap, y + 0.35 * _FONT, "start"), x + gap),
            (Place(x - gap, y + 0.35 * _FONT, "end"), x - gap - wide),
        )
        fewest = len(lines) + 1
        for place, left in candidates:
            top = place.y - 0.8 * _LINE * _FONT
            box = np.array([left, top, left + wide, top + _LINE * _FONT])
            inside = box[:2].min() >= _EDGE and bool(np.all(box[2:] <= np.subtract(_PAGE, _EDGE)))
            covered = int(np.count_nonzero(np.all((lines > box[:2]) & (lines < box[2:]), axis=1)))
            apart = ((others[:, :2] >= box[2:]) | (others[:, 2:] <= box[:2])).any(axis=1)
            if inside and covered < fewest and apart.all():
                fewest, places[k], own = covered, place, box
        if places[k] is not None:
            taken.append(own)
    return places


def graphs(result: EdgeDifferenceResult, layout: Layout) -> Iterator[dict[str, Any]]:
    """Both groups and their difference, all on the same scale of widths."""
    names = short_names(result.group_names, 30)
    legends = [("positive", "negative")] * 2
    legends.append((f"larger in {names[0]}", f"larger in {names[1]}"))
    for panel, legend in zip(graphs_of(result), legends, strict=True):
        yield _graph(panel, layout) | {"legend": legend}


def _graph(panel: Graph, layout: Layout) -> dict[str, Any]:
    names = [printable(name) for name in panel.feature_names]
    x, y = (column.round(1).tolist() for column in layout.nodes.T)
    lines = []
    for i, j in zip(*np.nonzero(np.triu(panel.reject, k=1)), strict=True):
        value = float(panel.partial_correlation[i, j])
        width = _width(value)
        dashes = f"{width + 5:.1f} {0.6 * width + 3:.1f}" if value < 0 else ""
        title = f"{names[i]} – {names[j]}: {signed(value)}"
        ends = {"x1": x[i], "y1": y[i], "x2": x[j], "y2": y[j]}
        lines.append({**ends, "width": width, "dashes": dashes, "title": title})
    lines.sort(key=lambda line: line["width"])  # strong edges lie on top
    alone = np.asarray(~panel.reject.any(axis=0)).tolist()
    each = zip(x, y, names, layout.labels, layout.places, alone, strict=True)
    fields = ("x", "y", "name", "label", "place", "alone")
    return {
        "title": printable(panel.title),
        "lines": lines,
        "nodes": [dict(zip(fields, node, strict=True)) for node in each],
        "width": _PAGE[0],
        "height": _PAGE[1],
    }


def _width(value: float) -> float:
    return round(float(edge_width(value)) * _PIXELS_PER_POINT, 2)


def signed(value: float, digits: int = 3) -> str:
    """A number with its sign, as all pages write it."""
    return f"{value:+.{digits}f}".replace("-", "−")

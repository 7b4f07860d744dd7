"""The page of two groups: what it says, and that nothing in it can run."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import edgewise as ew
from edgewise.inference.cautions import Caution
from edgewise.report.difference import difference_html, graphs, label_places, layout_of, signed
from edgewise.view.style import edge_width


@pytest.fixture(scope="module")
def compared():
    a, b = np.random.default_rng(4).standard_normal((2, 500, 4))
    b[:, 3] += b[:, 2]
    return ew.compare_groups(a, b, group_names=("before", "after the change of all rules"))


def cells(html, number=0):
    """The texts of the cells of a table."""
    table = re.findall(r"<tbody>(.*?)</tbody>", html, re.S)[number]
    rows = re.findall(r"<tr.*?</tr>", table, re.S)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


def test_the_page_says_what_differs(compared):
    html = difference_html(compared)
    assert "<strong>1 of 6 pairs differs.</strong>" in html
    ((name, a, b, difference, *_, adjusted),) = cells(html)
    (pair,) = compared.edges()
    assert name == "x2 – x3"
    assert (a, b) == (signed(pair.partial_correlation_a), signed(pair.partial_correlation_b))
    assert difference == signed(pair.difference)
    assert adjusted == f"{pair.adjusted_pvalue:.2g}"
    assert "The other 5 pairs" in html
    assert len(cells(html, 1)) == 5


def test_nothing_differs(rows):
    html = difference_html(ew.compare_groups(rows[::2], rows[1::2]))
    assert "None of the 6 pairs clearly differs." in html
    assert len(cells(html)) == 6


def test_three_graphs_with_the_same_places(compared):
    html = difference_html(compared)
    drawn = re.findall(r"<svg viewBox.*?</svg>", html, re.S)
    places = [re.findall(r'<circle cx="([^"]+)" cy="([^"]+)"', graph) for graph in drawn]
    assert places[0] == places[1] == places[2]
    assert len(places[0]) == 4
    assert [graph.count("<line ") for graph in drawn] == [0, 1, 1]
    assert 'class="edge negative"' in drawn[2]  # larger in the second group
    assert "stroke-dasharray" in drawn[2]


def test_the_same_strength_has_the_same_width_in_all_graphs(compared):
    (pair,) = compared.edges()
    _, second, third = graphs(compared, layout_of([compared]))
    ratio = second["lines"][0]["width"] / float(edge_width(pair.partial_correlation_b))
    assert third["lines"][0]["width"] / float(edge_width(pair.difference)) == pytest.approx(
        ratio, rel=0.01
    )


def test_names_are_short_and_different():
    X = np.random.default_rng(1).standard_normal((400, 5))
    names = [f"Adjusted close of share {k} in New York" for k in range(5)]
    result = ew.compare_groups(X[::2], X[1::2], feature_names=names)
    labels = layout_of([result]).labels
    assert len(set(labels)) == 5
    assert max(map(len, labels)) <= 14


def test_a_caution_that_breaks_the_promise_is_in_the_answer(compared):
    assert "speaks against" in difference_html(compared)
    caution = Caution("The rows depend on each other.", "dependence", breaks=True)
    html = difference_html(replace(compared, cautions=(caution,)))
    assert "Do not trust “wald” here" in html
    assert "</strong> But the data break the condition of this test" in html


def test_permutations_are_told(rows):
    result = replace(ew.compare_groups(rows[::2], rows[1::2]), permutations=999)
    assert "999 permutations" in difference_html(result)


def test_hostile_names_are_text(hostile_rows, hostile_names):
    a, b = hostile_rows[:150], hostile_rows[150:]
    result = ew.compare_groups(
        a, b, feature_names=hostile_names, group_names=("<script>alert(1)</script>", "{{7*7}}")
    )
    html = difference_html(result, title="</title><script>", command="edgewise diff '<b>'")
    assert "<script" not in html
    assert "\x1b" not in html
    assert "{{7*7}}" in html
    assert "script-src" not in html


def test_labels_never_overlap_and_stay_on_the_page():
    random = np.random.default_rng(0)
    nodes = random.uniform((34, 34), (386, 306), (80, 2))
    labels = [f"variable {k}" for k in range(80)]
    importance = random.random(80)
    places = label_places(nodes, labels, importance, np.empty((0, 2)))
    assert places[int(np.argmax(importance))] is not None
    starts, drawn = {"start": 0.0, "middle": 0.5, "end": 1.0}, []
    for place, label in zip(places, labels, strict=True):
        if place is not None:
            wide = 6.6 * len(label)
            left = place.x - starts[place.anchor] * wide
            drawn.append((left, left + wide, place.y - 9, place.y + 2))
    assert 20 < len(drawn) < 80
    for k, (left, right, top, bottom) in enumerate(drawn):
        assert min(left, top) >= 0
        assert right <= 420
        assert bottom <= 340
        for other in drawn[:k]:
            apart = left >= other[1] or right <= other[0] or top >= other[3] or bottom <= other[2]
            assert apart


def test_a_label_avoids_lines():
    above = np.column_stack([np.full(20, 200.0), np.linspace(100, 200, 20)])
    (place,) = label_places(np.array([[200.0, 200.0]]), ["name"], np.ones(1), above)
    assert place.y > 200

"""The page of two groups: what it says, and that nothing in it can run."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import edgewise as ew
from edgewise.inference.cautions import Caution
from edgewise.report.difference import difference_html, signed


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


def test_three_graphs_with_the_same_places(compared):
    html = difference_html(compared)
    drawn = re.findall(r"<svg viewBox.*?</svg>", html, re.S)
    places = [re.findall(r'<circle cx="([^"]+)" cy="([^"]+)"', graph) for graph in drawn]
    assert places[0] == places[1] == places[2]
    assert len(places[0]) == 4
    assert [graph.count("<line ") for graph in drawn] == [0, 1, 1]
    assert 'class="edge negative"' in drawn[2]  # larger in the second group
    assert "stroke-dasharray" in drawn[2]


def test_a_caution_that_breaks_the_promise_is_in_the_answer(compared):
    assert "No problems detected for “" in difference_html(compared)
    caution = Caution("The rows depend on each other.", "dependence", breaks=True)
    html = difference_html(replace(compared, further_cautions=(caution,)))
    assert "Do not trust “" in html
    assert "</strong> But the data break the assumptions of this test" in html


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

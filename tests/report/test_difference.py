"""The page of two groups: what it says, and that nothing in it can run."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import edgewise as ew
from edgewise.report.difference import difference_html


@pytest.fixture(scope="module")
def compared():
    a, b = np.random.default_rng(4).standard_normal((2, 500, 4))
    b[:, 3] += b[:, 2]
    return ew.compare_groups(a, b, group_names=("before", "after"))


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
    assert (a, b) == (f"{pair.partial_correlation_a:+.3f}", f"{pair.partial_correlation_b:+.3f}")
    assert difference == f"{pair.difference:+.3f}"
    assert adjusted == f"{pair.adjusted_pvalue:.2g}"
    assert "The other 5 pairs" in html
    assert len(cells(html, 1)) == 5


def test_nothing_differs(rows):
    html = difference_html(ew.compare_groups(rows[::2], rows[1::2]))
    assert "None of the 6 pairs clearly differs." in html
    assert len(cells(html)) == 6


def test_three_graphs_with_the_same_places(compared):
    html = difference_html(compared)
    graphs = re.findall(r"<svg.*?</svg>", html, re.S)
    places = [re.findall(r'<circle cx="([^"]+)" cy="([^"]+)"', graph) for graph in graphs]
    assert places[0] == places[1] == places[2]
    assert len(places[0]) == 4
    assert [graph.count("<line ") for graph in graphs] == [0, 1, 1]
    assert 'class="edge negative"' in graphs[2]  # larger in the second group


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


def test_in_a_browser(compared, tmp_path, require):
    """Chromium shows it, asks for nothing else, and axe-core finds nothing serious."""
    sync_playwright = require("playwright.sync_api").sync_playwright
    axe = require("axe_playwright_python")
    compared.report(tmp_path / "groups.html", title="Two groups")
    asked, said = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=require("chromium"), args=["--headless", "--no-sandbox"]
        )
        context = browser.new_context(bypass_csp=True)  # for axe itself
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.goto((tmp_path / "groups.html").as_uri())
        assert page.locator("h1").text_content() == "Two groups"
        assert page.locator("svg").count() == 3
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        script = (tmp_path / axe.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
        page.evaluate(script)
        found = page.evaluate("axe.run({ resultTypes: ['violations'] })")
        browser.close()
    assert len(asked) == 1
    assert not said
    assert [
        one["id"] for one in found["violations"] if one["impact"] in ("serious", "critical")
    ] == []

"""Centralities, the agreement of methods, and what the rows could have shown."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from tests.report.browser.shown import NARROW

from edgewise.report.page import packed, unpacked

DATA = re.compile(r'( id="data">)(.*?)(</script>)', re.DOTALL)
CURVE = {
    "rows": [50, 100, 200, 400, 800, 1600],
    "effects": [0.6, 0.42, 0.3, 0.21, 0.15, 0.1],
    "ownRows": 200,
    "ownEffect": 0.3,
    "power": 0.8,
}


@pytest.fixture
def changed(written, tmp_path):
    """A page of that kind whose data hold something else."""

    def change(kind, **data):
        path, result = written(kind)
        html = path.read_text(encoding="utf-8")
        told = json.loads(unpacked(DATA.search(html)[2])) | data
        new = tmp_path / "changed.html"
        new.write_text(
            DATA.sub(lambda found: found[1] + packed(json.dumps(told)) + found[3], html),
            encoding="utf-8",
        )
        return new, result

    return change


def test_centralities_are_ordered_and_linked(show):
    shown = show("sp500")
    page, result = shown.page, shown.result
    page.locator("#centrality-title").scroll_into_view_if_needed()
    page.wait_for_selector("#centrality tr[data-node]")
    size = np.where(result.reject, np.abs(result.partial_correlation), 0.0)
    np.fill_diagonal(size, 0.0)
    strength, degree = size.sum(axis=0), (size > 0).sum(axis=0)
    order = [int(one) for one in shown.all("#centrality tr[data-node]", "e => e.dataset.node")]
    assert np.all(np.diff(strength[order]) <= 1e-6)
    cells = "e => [...e.querySelectorAll('td .number')].map(n => Number(n.textContent))"
    for i, (shown_degree, shown_strength, bridge) in zip(
        order, shown.all("#centrality tr[data-node]", cells), strict=True
    ):
        assert shown_degree == degree[i]
        assert shown_strength == pytest.approx(strength[i], abs=0.006)
        assert bridge <= shown_strength
    page.click(f'#centrality tr[data-node="{order[2]}"] button')
    page.wait_for_url(re.compile(f"select=node.{order[2]}$"))
    assert page.locator(f'#centrality tr[data-node="{order[2]}"].lit').count() == 1


def test_intervals_belong_to_the_rule_that_was_tested(show):
    shown = show("sachs")
    page = shown.page
    page.locator("#centrality-title").scroll_into_view_if_needed()
    page.wait_for_selector("#centrality .reach", state="attached")
    assert page.locator("#centrality .reach").count() > len(shown.result.feature_names)
    assert "interval" in shown.text("#centrality-note")
    shown.set_level(0.001)
    assert page.locator("#centrality .reach").count() == 0
    assert "rule that was tested" in shown.text("#centrality-note")
    page.click("#as-tested")
    # The button is at the top, and what is out of sight is drawn when it is seen again.
    page.locator("#centrality-title").scroll_into_view_if_needed()
    page.wait_for_selector("#centrality .reach", state="attached")


def test_agreement_of_methods(show, changed):
    told = {"methods": ["score", "batch", "eig"], "pairs": [3, 0, 4], "more": 0}
    told["found"] = ["111", "110", "000"]
    shown = show(changed("sachs", agreement=told))
    page = shown.page
    assert shown.text("#agreement-first") == (
        "Of the 3 pairs that some method calls an edge, 2 are found by all 2 methods that find "
        "any, and 1 by only one. One method finds no edge in these data."
    )
    rows = shown.all("#agreement tbody tr", "e => [...e.cells].map(c => c.className)")
    assert [row[1:] for row in rows] == [["yes", "yes", "no"]] * 2 + [["yes", "no", "no"]]
    assert shown.all("#agreement tfoot td") == ["3", "2", "0"]
    assert shown.all("#agreement thead .own") == ["score"]
    page.hover("#agreement tbody tr:nth-child(2)")
    assert page.locator("#agreement tr.lit").count() == 1
    page.click("#agreement tbody tr:nth-child(2) button")
    page.wait_for_url(re.compile("select=pair.0$"))


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (["11", "11", "00"], "All 2 methods that find any edge find the same 2 pairs. One method"),
        (["00", "11", "00"], "Only batch finds any edge: 2 pairs. 2 methods find no edge"),
    ],
)
def test_where_all_agree_or_only_one_finds_any(show, changed, found, words):
    told = {"methods": ["score", "batch", "eig"], "pairs": [3, 0], "more": 0, "found": found}
    assert show(changed("sachs", agreement=told)).text("#agreement-first").startswith(words)


def test_all_pairs_of_the_agreement_on_a_phone(show):
    shown = show("sp500", viewport=NARROW)
    page = shown.page
    assert page.locator("#agreement tbody tr").count() == 40
    page.click("#agreement > button")
    assert page.locator("#agreement tbody tr").count() > 40
    box = "e => [e.scrollWidth > e.clientWidth, e.getBoundingClientRect().right <= innerWidth]"
    assert page.locator("#agreement-table").evaluate(box) == [True, True]
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]


def test_what_the_rows_could_have_shown(show, changed):
    assert not show("sachs").page.locator("#detectable-section").is_visible()
    for viewport in ({"width": 1000, "height": 700}, NARROW):
        shown = show(changed("no edges", detectable=CURVE), viewport=viewport)
        page = shown.page
        page.locator("#detectable-title").scroll_into_view_if_needed()
        page.wait_for_selector(".curve")
        assert shown.text(".curve text.here") == "You are here: 200 rows see 0.30"
        inside = """e => { const b = e.getBoundingClientRect();
            return b.left >= 0 && b.right <= innerWidth; }"""
        assert all(shown.all(".curve text", inside))
        assert "0.8" in shown.text("#detectable-power")
        assert "no edge" in shown.text("#centrality")
